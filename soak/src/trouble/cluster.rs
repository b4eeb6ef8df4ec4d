//! PostgreSQL of a run's own: in its folder, started, stopped, killed and copied as the trouble wants.
//!
//! **Invariant:** durable as in production: nothing that makes it faster and weaker is set.

use std::fmt::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::shell;

/// One server with its data.
#[derive(Debug)]
pub struct Cluster {
    programs: PathBuf,
    folder: PathBuf,
    host: String,
    port: u16,
}

impl Cluster {
    /// A new one; with `synchronous`, no commit is acknowledged before a standby has it too.
    ///
    /// # Errors
    /// PostgreSQL is not installed, or cannot be started in that folder.
    pub fn create(folder: PathBuf, host: &str, synchronous: bool) -> Result<Cluster> {
        let cluster = Cluster::planned(folder, host)?;
        let data = cluster.data();
        cluster.run("initdb", &["-D", &data, "-A", "trust", "-U", "tyer", "-E", "UTF8"])?;
        let mut settings = cluster.settings();
        if synchronous {
            settings.push_str("synchronous_standby_names = '*'\n");
        }
        append(&cluster.folder.join("postgresql.conf"), &settings)?;
        append(&cluster.folder.join("pg_hba.conf"), "host all all 10.213.77.0/24 trust\n")?;
        cluster.start()?;
        Ok(cluster)
    }

    /// A standby of this one, running.
    ///
    /// # Errors
    /// This one does not run, or the standby cannot be started in that folder.
    pub fn standby(&self, folder: PathBuf) -> Result<Cluster> {
        let standby = Cluster::planned(folder, &self.host)?;
        standby.follow(self)?;
        Ok(standby)
    }

    /// What it has is thrown away: it becomes a standby of the other one, at its old address.
    ///
    /// # Errors
    /// The other one does not run, or this one cannot be started.
    pub fn follow_anew(&self, primary: &Cluster) -> Result<()> {
        // Whoever is left of a killed server holds its files.
        shell::attempt("pkill", &["-KILL", "-f", &format!("-D {}", self.data())]);
        std::fs::remove_dir_all(&self.folder)?;
        prepare(&self.folder)?;
        self.follow(primary)
    }

    fn follow(&self, primary: &Cluster) -> Result<()> {
        let (data, port) = (self.data(), primary.port.to_string());
        let from = ["-h", &primary.host, "-p", &port, "-U", "tyer"];
        self.run("pg_basebackup", &[&from[..], &["-D", &data, "-R", "-c", "fast"]].concat())?;
        append(&self.folder.join("postgresql.conf"), &self.settings())?;
        self.start()
    }

    fn planned(folder: PathBuf, host: &str) -> Result<Cluster> {
        let port = TcpListener::bind((host, 0))?.local_addr()?.port();
        prepare(&folder)?;
        Ok(Cluster { programs: programs()?, folder, host: host.to_owned(), port })
    }

    fn settings(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "listen_addresses = '{}'\nport = {}", self.host, self.port);
        // A server that is told to stop waits for whoever has not said yet who he is.
        text.push_str("unix_socket_directories = ''\nmax_connections = 100\nauthentication_timeout = 5s\n");
        text
    }

    /// Again, on the data that it has.
    ///
    /// # Errors
    /// It did not start within a minute; `server.log` in its folder says why.
    pub fn start(&self) -> Result<()> {
        let (data, log) = (self.data(), self.folder.join("server.log").display().to_string());
        self.run("pg_ctl", &["-D", &data, "-l", &log, "-w", "-t", "60", "start"])
    }

    /// `fast` says goodbye to its clients; `immediate` does not.
    ///
    /// # Errors
    /// It does not run, or has not stopped within two minutes.
    pub fn stop(&self, mode: &str) -> Result<()> {
        self.run("pg_ctl", &["-D", &self.data(), "-m", mode, "-w", "-t", "120", "stop"])
    }

    /// SIGKILL for the first of its processes; the others notice.
    ///
    /// # Errors
    /// It does not run.
    pub fn kill(&self) -> Result<()> {
        let file = std::fs::read_to_string(self.folder.join("postmaster.pid"))?;
        let first = file.lines().next().context("postmaster.pid names a process")?;
        shell::signal("KILL", first.trim().parse()?)
    }

    /// From now on it takes writes.
    ///
    /// # Errors
    /// It is no standby, or does not run.
    pub fn promote(&self) -> Result<()> {
        self.run("pg_ctl", &["-D", &self.data(), "-w", "-t", "60", "promote"])
    }

    /// `host:port`.
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    fn data(&self) -> String {
        self.folder.display().to_string()
    }

    /// It refuses to run as root.
    fn run(&self, program: &str, arguments: &[&str]) -> Result<()> {
        let program = self.programs.join(program).display().to_string();
        if is_root() {
            let words = [&["-u", "postgres", "--", &program], arguments].concat();
            shell::run("runuser", &words).map(drop)
        } else {
            shell::run(&program, arguments).map(drop)
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.stop("immediate");
    }
}

/// An empty folder that only its owner may enter.
fn prepare(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let path = folder.display().to_string();
    if is_root() {
        shell::run("chown", &["postgres", &path])?;
    }
    shell::run("chmod", &["700", &path]).map(drop)
}

fn is_root() -> bool {
    shell::run("id", &["-u"]).is_ok_and(|user| user == "0")
}

/// The newest that Debian has installed, or what is on the path.
fn programs() -> Result<PathBuf> {
    let found =
        shell::run("sh", &["-c", "ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1"]).unwrap_or_default();
    if !found.is_empty() {
        return Ok(PathBuf::from(found));
    }
    let path = shell::run("sh", &["-c", "command -v pg_ctl"]).context("no PostgreSQL is installed")?;
    Ok(Path::new(&path).parent().context("pg_ctl lies in a folder")?.to_owned())
}

fn append(file: &Path, text: &str) -> Result<()> {
    let mut content = std::fs::read_to_string(file)?;
    content.push_str(text);
    std::fs::write(file, content).with_context(|| format!("cannot write {}", file.display()))
}
