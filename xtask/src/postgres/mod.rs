//! A private PostgreSQL for tests and for developers: its own folder, its own port on loopback, its own password.
//!
//! **Invariant:** never a cluster that somebody else made: nothing outside our own folder is started, stopped or read.
//! **Invariant:** a cluster of a test run dies with the run, also when the run is killed; one that was started by hand
//! lives until it is stopped by hand, and test runs share it.

mod account;
mod binaries;
mod folder;
mod guard;
mod server;

use account::Account;
use anyhow::{Context, Result, bail};
use binaries::Binaries;
use folder::Folder;
use guard::Guard;
use server::Server;
use std::process::ExitCode;

/// Where tests, benches and soaks look for the URL of PostgreSQL.
pub(crate) const URL_VARIABLE: &str = "TYER_TEST_POSTGRES";

/// `cargo xtask postgres start|stop|url`.
pub(crate) fn command(arguments: &[String]) -> Result<ExitCode> {
    match arguments {
        [what] if what == "start" => start_by_hand()?,
        [what] if what == "stop" => stop_by_hand()?,
        [what] if what == "url" => println!("{}", url_by_hand()?),
        _ => bail!("`cargo xtask postgres` needs one word: start, stop or url"),
    }
    Ok(ExitCode::SUCCESS)
}

/// A running cluster, for as long as this value lives.
pub(crate) struct Cluster {
    url: String,
    own: Option<Own>,
}

/// What a run holds of the cluster that it started itself.
struct Own {
    guard: Guard,
    _folder: Folder,
}

impl Cluster {
    /// The cluster that was started by hand, if there is one, else a new one.
    pub(crate) fn acquire() -> Result<Cluster> {
        let folder = Folder::open_after_other_runs()?;
        if let Some(url) = Folder::url_by_hand() {
            eprintln!("    shares the PostgreSQL that was started by hand");
            return Ok(Cluster { url, own: None });
        }
        let server = start_fresh(&folder)?;
        let guard = Guard::over(&server)?;
        Ok(Cluster { url: server.url(), own: Some(Own { guard, _folder: folder }) })
    }

    /// `postgres://…` of a superuser.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Stops the cluster if this run has started it.
    pub(crate) fn release(self) -> Result<()> {
        self.own.map_or(Ok(()), |own| own.guard.stop())
    }
}

fn start_by_hand() -> Result<()> {
    let folder = Folder::open()?;
    if Folder::url_by_hand().is_none() {
        let server = start_fresh(&folder)?;
        folder.note_by_hand(&server)?;
    }
    println!("{}", url_by_hand()?);
    Ok(())
}

fn stop_by_hand() -> Result<()> {
    let folder = Folder::open()?;
    if Folder::url_by_hand().is_none() {
        println!("no PostgreSQL was started by hand");
    }
    server::sweep(&folder.for_cluster(&Account::choose()?)?)
}

fn url_by_hand() -> Result<String> {
    Folder::url_by_hand()
        .context("no PostgreSQL was started by hand; `cargo xtask postgres start` starts one")
}

fn start_fresh(folder: &Folder) -> Result<Server> {
    let account = Account::choose()?;
    let binaries = Binaries::find_or_install(&account)?;
    let home = folder.for_cluster(&account)?;
    server::sweep(&home)?;
    let server = Server::start(binaries, account, &home)?;
    eprintln!("    {} on port {}, as {}", server.version()?, server.port(), server.account());
    Ok(server)
}
