//! One cluster: made new, started, recognised and stopped.
//!
//! **Invariant:** it listens on loopback alone and asks for a password; there is no socket file.
//! **Invariant:** a process is stopped only when it was started on a folder of ours: a number in a file is no proof.

use super::account::Account;
use super::binaries::Binaries;
use crate::step;
use anyhow::{Context, Result, bail};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const SETTINGS: &str =
    "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 -c fsync=on";

/// A running cluster.
pub(crate) struct Server {
    binaries: Binaries,
    account: Account,
    data: PathBuf,
    password: String,
    port: u16,
}

impl Server {
    /// Makes a new cluster in `home` and waits until it takes connections.
    pub(crate) fn start(binaries: Binaries, account: Account, home: &Path) -> Result<Server> {
        let data = home.join(format!("data-{}", std::process::id()));
        let mut server = Server { binaries, account, data, password: new_password()?, port: 0 };
        server.initialise(home)?;
        server.start_on_a_free_port(home)?;
        Ok(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://tyer:{}@127.0.0.1:{}/postgres", self.password, self.port)
    }

    pub(crate) fn version(&self) -> Result<String> {
        step::quiet(Command::new(self.binaries.program("postgres")).arg("--version"))
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn account(&self) -> &Account {
        &self.account
    }

    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    pub(crate) fn pg_ctl(&self) -> PathBuf {
        self.binaries.program("pg_ctl")
    }

    fn initialise(&self, home: &Path) -> Result<()> {
        let password_file = home.join("password");
        // Root writes into a folder of another account here: a link in this place must not be followed.
        std::fs::File::create_new(&password_file)?.write_all(self.password.as_bytes())?;
        self.account.own(&password_file)?;
        let mut initdb = self.account.command(&self.binaries.program("initdb"), home);
        initdb.args([
            "--username=tyer",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        ]);
        initdb.arg("--pwfile").arg(&password_file).arg("--pgdata").arg(&self.data);
        let made = step::quiet(&mut initdb);
        std::fs::remove_file(&password_file)?;
        made.map(drop)
    }

    /// A free port may be taken by another program before PostgreSQL has it: then the next one.
    fn start_on_a_free_port(&mut self, home: &Path) -> Result<()> {
        const ATTEMPTS: usize = 3;
        let log = home.join("log");
        let mut failure = String::new();
        for _ in 0..ATTEMPTS {
            self.port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
            let mut pg_ctl = self.account.command(&self.pg_ctl(), home);
            pg_ctl.args(["start", "--wait", "--silent", "--timeout=60"]);
            pg_ctl.arg("--options").arg(format!("-p {} {SETTINGS}", self.port));
            pg_ctl.arg("--log").arg(&log).arg("--pgdata").arg(&self.data);
            match step::quiet(&mut pg_ctl) {
                Ok(_) => return Ok(()),
                Err(error) => failure = format!("{error:#}"),
            }
        }
        let log = std::fs::read_to_string(log).unwrap_or_default();
        bail!("PostgreSQL did not start: {failure}; its log says:\n{log}")
    }
}

/// Stops and removes every cluster in `home`: what a killed run has left, or what was started by hand.
pub(crate) fn sweep(home: &Path) -> Result<()> {
    for entry in std::fs::read_dir(home).with_context(|| format!("cannot list {}", home.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            stop_if_running(&path)?;
            std::fs::remove_dir_all(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        } else {
            std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// Whether the postmaster of `data` lives.
pub(crate) fn is_running(data: &Path) -> bool {
    postmaster(data).is_some()
}

/// An immediate shutdown: the folder is removed next, so there is nothing to save.
fn stop_if_running(data: &Path) -> Result<()> {
    const PATIENCE: Duration = Duration::from_secs(30);
    let Some(id) = postmaster(data) else { return Ok(()) };
    eprintln!("    stops the PostgreSQL (process {id}) that an earlier run or `postgres start` has left");
    // The shell knows `kill` itself; a small machine has no program of that name.
    step::quiet(Command::new("sh").args(["-c", "kill -QUIT $0"]).arg(id.to_string()))?;
    let start = Instant::now();
    while is_running(data) {
        if start.elapsed() > PATIENCE {
            bail!("PostgreSQL (process {id}) does not stop; end it by hand");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// The process that serves `data`. A process number may have been given to another program since: its command line
/// must name our folder.
fn postmaster(data: &Path) -> Option<u32> {
    let file = std::fs::read_to_string(data.join("postmaster.pid")).ok()?;
    let id: u32 = file.lines().next()?.trim().parse().ok()?;
    let command_line = command_line(id)?;
    command_line.contains(data.to_str()?).then_some(id)
}

fn command_line(process: u32) -> Option<String> {
    if Path::new("/proc/self/cmdline").exists() {
        return std::fs::read_to_string(format!("/proc/{process}/cmdline")).ok();
    }
    step::quiet(Command::new("ps").args(["-o", "args=", "-p"]).arg(process.to_string())).ok()
}

/// 128 random bits: other users of this machine can reach the port.
fn new_password() -> Result<String> {
    let mut bytes = [0_u8; 16];
    std::fs::File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut bytes))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_number_that_was_given_to_another_program_is_not_a_postmaster() {
        let data = std::env::temp_dir().join(format!("tyer-xtask-data-{}", std::process::id()));
        std::fs::create_dir_all(&data).expect("the temporary folder is writable");
        let this_process = format!("{}\n{}\n", std::process::id(), data.display());
        std::fs::write(data.join("postmaster.pid"), this_process).expect("the temporary folder is writable");
        let found = postmaster(&data);
        std::fs::remove_dir_all(&data).expect("the temporary folder is writable");
        assert_eq!(found, None);
    }

    #[test]
    fn every_password_is_new_and_fits_into_a_url() {
        let (one, other) = (new_password().expect("random bytes"), new_password().expect("random bytes"));
        assert_ne!(one, other);
        assert!(one.len() == 32 && one.chars().all(|character| character.is_ascii_hexdigit()));
    }
}
