//! `tyer deploy`: a file into a running server, or into a database that no server has open.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use tyer_runtime::Engine;
use tyer_server::client::Client;

use super::exit::{Exit, Stop};
use super::{output, problems};

#[derive(clap::Args)]
pub(crate) struct Deploy {
    /// A BPMN file
    file: PathBuf,
    /// The server
    #[arg(long, value_name = "URL", env = "TYER_SERVER", default_value = "http://127.0.0.1:7878")]
    server: String,
    /// A SQLite file instead of a server
    #[arg(long, value_name = "FILE", conflicts_with = "server")]
    db: Option<PathBuf>,
}

impl Deploy {
    pub(crate) async fn go(self) -> Result<(), Stop> {
        let bytes = problems::read(&self.file)?;
        problems::import(&self.file, &bytes, |line| eprintln!("{line}"))?;
        let deployed = match &self.db {
            Some(db) => into_file(db, &bytes).await?,
            None => into_server(address(&self.server)?, bytes).await?,
        };
        for (process, version) in deployed {
            output::line(&format!("{process} version {version}"));
        }
        Ok(())
    }
}

async fn into_file(db: &PathBuf, bytes: &[u8]) -> Result<Vec<(String, u64)>, Stop> {
    let engine = Engine::open(db).await?;
    let deployed = engine.deploy(bytes).await?;
    engine.shutdown().await;
    Ok(deployed.processes.into_iter().map(|process| (process.key, process.version.into())).collect())
}

async fn into_server(address: SocketAddr, bytes: Vec<u8>) -> Result<Vec<(String, u64)>, Stop> {
    let mut client = Client::new(address);
    let answer = client.send("POST".parse().expect("a method"), "/api/deployments", &[], bytes.into()).await;
    let answer = answer.map_err(|error| Stop::new(Exit::Failure, error.to_string()))?;
    let body = answer.json();
    let Some(processes) = body["deployment"]["processes"].as_array() else {
        let message = body["error"]["message"].as_str().unwrap_or("no answer that can be read");
        return Err(Stop::new(Exit::Failure, format!("the server answered {}: {message}", answer.status)));
    };
    let name = |process: &serde_json::Value| process["id"].as_str().unwrap_or_default().to_owned();
    Ok(processes.iter().map(|process| (name(process), process["version"].as_u64().unwrap_or(0))).collect())
}

/// The address behind `http://host:port`.
fn address(url: &str) -> Result<SocketAddr, Stop> {
    let host = url.strip_prefix("http://").unwrap_or(url).trim_end_matches('/');
    let found = host.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.ok_or_else(|| {
        Stop::new(Exit::Usage, format!("--server: `{url}` is not an address like http://127.0.0.1:7878"))
    })
}
