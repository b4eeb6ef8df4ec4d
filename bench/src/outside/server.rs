//! A `tyer serve` of its own, on a fresh store.
//!
//! **Invariant:** it ends with this value.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use crate::floor;
use crate::options::{Options, postgres_url, scoped};

/// A running server.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    process: Child,
}

impl Server {
    pub(crate) async fn start(options: &Options, program: &Path, store: &str) -> Result<Server> {
        let mut command = Command::new(program);
        command.args(["serve", "--listen", "127.0.0.1:0"]).stderr(Stdio::piped());
        if store == "postgres" {
            let url = postgres_url()?;
            floor::postgres::empty(&url, "engine").await?;
            command.args(["--postgres", &scoped(&url, "engine")]);
        } else {
            command.arg("--db").arg(options.fresh("engine")?);
        }
        let mut process = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
        let said = BufReader::new(process.stderr.take().context("what it says")?);
        let mut server = Server { address: SocketAddr::from(([127, 0, 0, 1], 0)), process };
        let mut lines = said.lines();
        let address = loop {
            let line = lines.next().context("the server ended before it listened")??;
            if let Some((_, address)) = line.split_once("listens on http://") {
                break address.trim().parse()?;
            }
        };
        server.address = address;
        // Whatever else it says is read, so that it never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(server)
    }

    /// The number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Ends it.
    pub(crate) fn stop(mut self) -> Result<()> {
        self.process.kill()?;
        self.process.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // After `stop` there is nobody left to end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
