//! `million`: a store with a million instances, and what is promised about it.
//!
//! Nine in ten have ended: the first page of every list is timed. All wait: opening, memory, work beside them and timers
//! among them are measured. Rows are copies of a few instances that the engine made, written straight into the tables.

mod beside;
mod copy;
mod kinds;
mod lists;
mod open;

use std::path::PathBuf;

use anyhow::{Result, bail};
use tyer_runtime::Engine;

use crate::options::{postgres_url, scoped};

pub(crate) use open::opened;

/// What is asked for.
struct Asked {
    instances: u64,
    stores: Vec<String>,
    folder: PathBuf,
}

/// Where a store of the bench is.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// A file.
    Sqlite(PathBuf),
    /// A database, and a schema of ours in it.
    Postgres(String, &'static str),
}

impl Place {
    /// Opens the engine on it.
    pub(crate) async fn open(&self) -> Result<Engine> {
        Ok(match self {
            Place::Sqlite(file) => Engine::open(file).await?,
            Place::Postgres(url, schema) => Engine::postgres(&scoped(url, schema)).await?,
        })
    }

    /// An empty one.
    async fn fresh(store: &str, folder: &std::path::Path, name: &'static str) -> Result<Place> {
        if store == "sqlite" {
            let file = folder.join(format!("{name}.db"));
            for suffix in ["", "-wal", "-shm", "-lock"] {
                let _ = std::fs::remove_file(format!("{}{suffix}", file.display()));
            }
            return Ok(Place::Sqlite(file));
        }
        let url = postgres_url()?;
        crate::floor::postgres::empty(&url, name).await?;
        Ok(Place::Postgres(url, name))
    }
}

/// Measures, prints a line for each promise, and says whether all are kept.
pub(crate) async fn run(arguments: &[String]) -> Result<bool> {
    let asked = asked(arguments)?;
    std::fs::create_dir_all(&asked.folder)?;
    let mut kept = true;
    for store in &asked.stores {
        eprintln!("{store}: {} instances, nine in ten ended", asked.instances);
        let place = Place::fresh(store, &asked.folder, "million").await?;
        copy::fill(&place, &kinds::mostly_ended(asked.instances)).await?;
        kept &= lists::measure(store, &place).await?;
        eprintln!("{store}: {} instances, all waiting", asked.instances);
        let place = Place::fresh(store, &asked.folder, "million").await?;
        copy::fill(&place, &kinds::all_waiting(asked.instances)).await?;
        kept &= open::measure(store, &place)?;
        let empty = Place::fresh(store, &asked.folder, "beside").await?;
        kept &= beside::measure(store, &place, &empty).await?;
    }
    Ok(kept)
}

fn asked(arguments: &[String]) -> Result<Asked> {
    let mut asked = Asked { instances: 1_000_000, stores: Vec::new(), folder: PathBuf::from("target/bench") };
    let mut rest = arguments;
    while let [name, value, after @ ..] = rest {
        match name.as_str() {
            "--instances" => asked.instances = value.parse()?,
            "--store" if ["sqlite", "postgres"].contains(&value.as_str()) => asked.stores.push(value.clone()),
            "--folder" => asked.folder = value.into(),
            _ => bail!(
                "{name} {value} is not known: expected --instances N, --store sqlite|postgres or --folder F"
            ),
        }
        rest = after;
    }
    if !rest.is_empty() {
        bail!("{} needs a value", rest[0]);
    }
    if asked.stores.is_empty() {
        asked.stores = vec!["sqlite".to_owned(), "postgres".to_owned()];
    }
    Ok(asked)
}

/// One promise, in one line.
pub(crate) fn promise(store: &str, what: &str, measured: f64, unit: &str, most: f64) -> bool {
    let kept = measured <= most;
    let word = if kept { "kept" } else { "BROKEN" };
    println!("million {store}: {what} {measured:.1} {unit} (at most {most} {unit}) {word}");
    kept
}
