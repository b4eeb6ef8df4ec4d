//! Lives of the server: started, killed without a word, started again on the same data.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::sync::watch;

/// A server that takes longer to open is broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// One life of the server.
#[derive(Debug)]
pub struct Life {
    child: Child,
}

/// How every life begins.
#[derive(Debug)]
pub struct Birth {
    /// The program.
    pub program: PathBuf,
    /// Its store.
    pub arguments: Vec<String>,
    /// What it says goes there.
    pub log: PathBuf,
    /// Where the present life listens.
    pub address: watch::Sender<SocketAddr>,
}

impl Birth {
    /// Starts a life and waits until it listens; whoever watches learns where.
    pub fn begin(&self) -> Result<Life> {
        let mut child = Command::new(&self.program)
            .arg("serve")
            .args(&self.arguments)
            .args(["--listen", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        let said = child.stderr.take().context("its stderr is piped")?;
        let life = Life { child };
        let address = listens(said, &self.log)?;
        self.address.send_replace(address);
        Ok(life)
    }
}

impl Life {
    /// SIGKILL: no goodbye.
    pub fn kill(mut self) -> Result<()> {
        if let Some(status) = self.child.try_wait()? {
            bail!("the server had ended by itself before it was killed: {status}");
        }
        self.child.kill().context("cannot kill the server")?;
        self.child.wait().context("cannot wait for the server")?;
        Ok(())
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where it listens, as it says itself; everything it says goes to the log.
fn listens(said: ChildStderr, log: &Path) -> Result<SocketAddr> {
    let mut log =
        OpenOptions::new().create(true).append(true).open(log).context("cannot write the server's log")?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(said).lines().map_while(Result::ok) {
            keep(&mut log, &line);
            if let Some(address) = line.strip_prefix("tyer listens on http://") {
                let _ = sender.send(address.parse());
            }
        }
    });
    let address =
        receiver.recv_timeout(PATIENCE).context("the server did not say where it listens: see its log")?;
    address.context("the server listens at an address that cannot be read")
}

fn keep(log: &mut File, line: &str) {
    // The log is for people; a run does not fail for it.
    let _ = writeln!(log, "{line}");
}
