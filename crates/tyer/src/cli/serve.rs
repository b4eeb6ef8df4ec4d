//! `tyer serve`: the engine behind REST and WebSocket, until it is told to stop.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tyer_runtime::{Builder, Engine, Retention};
use tyer_server::{BindError, DEFAULT_LISTEN, Options, Server};

use super::exit::{Exit, Stop};

const DAY: Duration = Duration::from_secs(24 * 3_600);

#[derive(clap::Args)]
pub(crate) struct Serve {
    /// The SQLite file; made if it is not there
    #[arg(long, value_name = "FILE", env = "TYER_DB", default_value = "tyer.db")]
    db: PathBuf,
    /// A PostgreSQL database instead, which other nodes may share
    #[cfg(feature = "postgres")]
    #[arg(long, value_name = "URL", env = "TYER_POSTGRES", conflicts_with = "db")]
    postgres: Option<String>,
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", env = "TYER_LISTEN", default_value_t = DEFAULT_LISTEN, value_parser = listen)]
    listen: SocketAddr,
    /// Forget instances so many days after their end; nothing is forgotten when this is not said
    #[arg(long, value_name = "DAYS", env = "TYER_KEEP")]
    keep: Option<u32>,
    /// The same for one process, in place of --keep; may be said several times
    #[arg(long, value_name = "KEY=DAYS", value_parser = kept_process)]
    keep_process: Vec<(String, u32)>,
}

impl Serve {
    pub(crate) async fn go(self) -> Result<(), Stop> {
        let options = Options { listen: self.listen, ..Options::default() };
        if !options.listen.ip().is_loopback() {
            return Err(Stop::new(Exit::Usage, BindError::NotLoopback(options.listen).to_string()));
        }
        let engine = self.engine().await?;
        let server = Server::bind(engine, options).await;
        let server = server.map_err(|error| Stop::new(Exit::Failure, error.to_string()))?;
        eprintln!("tyer listens on http://{}", server.address());
        let served = server.run(told_to_stop()).await;
        served.map_err(|error| Stop::new(Exit::Failure, format!("the server ended: {error}")))
    }

    async fn engine(&self) -> Result<Engine, Stop> {
        #[cfg(feature = "postgres")]
        if let Some(url) = &self.postgres {
            return Ok(self.kept(Engine::postgres(url)).await?);
        }
        Ok(self.kept(Engine::open(&self.db)).await?)
    }

    /// With the rule for what is forgotten, if there is one.
    fn kept(&self, builder: Builder) -> Builder {
        if self.keep.is_none() && self.keep_process.is_empty() {
            return builder;
        }
        let days = |days: u32| DAY * days;
        let all = self.keep.map_or(Retention::default(), |keep| Retention::default().keep(days(keep)));
        let rule =
            self.keep_process.iter().fold(all, |rule, (key, keep)| rule.keep_process(key, days(*keep)));
        builder.retention(rule)
    }
}

fn kept_process(text: &str) -> Result<(String, u32), String> {
    let parts = text.rsplit_once('=').and_then(|(key, days)| Some((key.to_owned(), days.parse().ok()?)));
    parts.ok_or_else(|| "expected a process and a number of days, such as order=3650".to_owned())
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    let numeric = text.replacen("localhost:", "127.0.0.1:", 1);
    numeric.parse().map_err(|_| "expected an address and a port, such as 127.0.0.1:7878".to_owned())
}

/// Ctrl-C, or SIGTERM from whoever supervises us.
async fn told_to_stop() {
    let interrupted = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            eprintln!("tyer: cannot listen for ctrl-c: {error}");
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(error) => {
                eprintln!("tyer: cannot listen for SIGTERM: {error}");
                std::future::pending::<()>().await;
            }
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
    }
    eprintln!("tyer: stopping");
}
