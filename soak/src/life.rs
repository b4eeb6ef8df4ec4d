//! Lives of the server: started, killed without a word, started again on the same data.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// A server that takes longer to open is broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// One life of the server.
#[derive(Debug)]
pub struct Life {
    child: Child,
    address: SocketAddr,
}

/// How every life begins.
#[derive(Debug)]
pub struct Birth {
    program: PathBuf,
    /// Its store.
    arguments: Vec<String>,
    /// What it says goes there.
    log: PathBuf,
    /// The network namespace in which it lives, if not ours.
    away: Option<String>,
}

impl Birth {
    /// Of a server on this machine.
    pub fn new(program: PathBuf, arguments: Vec<String>, log: PathBuf) -> Birth {
        Birth { program, arguments, log, away: None }
    }

    /// Of a server in a network namespace.
    pub fn away(mut self, namespace: String) -> Birth {
        self.away = Some(namespace);
        self
    }

    /// Starts a life and waits until it listens.
    pub fn begin(&self) -> Result<Life> {
        let mut command = self.command();
        command.arg("serve").args(&self.arguments).args(["--listen", "127.0.0.1:0"]);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        let said = child.stderr.take().context("its stderr is piped")?;
        let mut life = Life { child, address: SocketAddr::from(([127, 0, 0, 1], 1)) };
        life.address = listens(said, &self.log)?;
        Ok(life)
    }

    /// `ip netns exec` becomes the server: its process is the server's.
    fn command(&self) -> Command {
        match &self.away {
            None => Command::new(&self.program),
            Some(namespace) => {
                let mut command = Command::new("ip");
                command.args(["netns", "exec", namespace]).arg(&self.program);
                command
            }
        }
    }
}

impl Life {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

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
