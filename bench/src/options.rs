//! What the caller asks for.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use tyer_runtime::{Builder, Engine};

use crate::workload;

/// Stores that are measured when nothing is said.
pub(crate) const STORES: [&str; 3] = ["memory", "sqlite", "postgres"];

/// What is asked for.
pub(crate) struct Options {
    pub(crate) count: u64,
    pub(crate) waiting: usize,
    pub(crate) tracks: Option<usize>,
    pub(crate) rounds: usize,
    pub(crate) workloads: Vec<String>,
    pub(crate) stores: Vec<String>,
    pub(crate) json: Option<PathBuf>,
    pub(crate) svg: Option<PathBuf>,
    pub(crate) markdown: Option<PathBuf>,
    pub(crate) folder: PathBuf,
    /// The program `tyer`, for `http`.
    pub(crate) server: Option<PathBuf>,
    /// A promise that is not kept is a failure.
    pub(crate) strict: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            count: 20_000,
            waiting: workload::WAITING,
            tracks: None,
            rounds: 3,
            workloads: Vec::new(),
            stores: Vec::new(),
            json: None,
            svg: None,
            markdown: None,
            server: None,
            folder: PathBuf::from("target/bench"),
            strict: false,
        }
    }
}

impl Options {
    /// From the command line.
    pub(crate) fn of(arguments: &[String]) -> Result<Options> {
        Options::over(Options::default(), arguments)
    }

    /// What the command line does not say is as it was.
    pub(crate) fn over(mut options: Options, arguments: &[String]) -> Result<Options> {
        let mut arguments = arguments.iter();
        while let Some(flag) = arguments.next() {
            let mut value = || arguments.next().with_context(|| format!("{flag} needs a value"));
            match flag.as_str() {
                "--count" => options.count = value()?.parse()?,
                "--waiting" => options.waiting = value()?.parse()?,
                "--tracks" => options.tracks = Some(value()?.parse()?),
                "--rounds" => options.rounds = value()?.parse()?,
                "--workload" => options.workloads.push(value()?.clone()),
                "--store" => options.stores.push(value()?.clone()),
                "--json" => options.json = Some(value()?.into()),
                "--svg" => options.svg = Some(value()?.into()),
                "--markdown" => options.markdown = Some(value()?.into()),
                "--server" => options.server = Some(value()?.into()),
                "--strict" => options.strict = true,
                "--folder" => options.folder = value()?.into(),
                _ => bail!(
                    "{flag} is not an option: expected --count, --waiting, --tracks, --rounds, --workload, --store, \
                     --json, --svg, --markdown, --strict, --server or --folder"
                ),
            }
        }
        Ok(options)
    }

    /// How an engine is opened.
    pub(crate) fn engine(&self) -> Builder {
        match self.tracks {
            Some(tracks) => Engine::builder().tracks(tracks),
            None => Engine::builder(),
        }
    }

    /// Is this workload asked for?
    pub(crate) fn wants_workload(&self, name: &str) -> bool {
        wants(&self.workloads, name)
    }

    /// The stores that are asked for.
    pub(crate) fn stores(&self) -> impl Iterator<Item = &'static str> {
        STORES.into_iter().filter(|store| wants(&self.stores, store))
    }

    /// A file that is not there yet.
    pub(crate) fn fresh(&self, name: &str) -> Result<PathBuf> {
        let path = self.folder.join(format!("{name}.db"));
        for suffix in ["", "-wal", "-shm", "-lock"] {
            match std::fs::remove_file(format!("{}{suffix}", path.display())) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(path)
    }
}

fn wants(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|wanted| wanted.eq_ignore_ascii_case(name))
}

/// Where PostgreSQL is.
pub(crate) fn postgres_url() -> Result<String> {
    std::env::var("TYER_TEST_POSTGRES")
        .context("TYER_TEST_POSTGRES is not set: `cargo xtask bench` starts a private PostgreSQL and sets it")
}

/// The same database, in a schema of ours.
pub(crate) fn scoped(url: &str, schema: &str) -> String {
    format!("{url}{}options=-csearch_path%3D{schema}", if url.contains('?') { '&' } else { '?' })
}
