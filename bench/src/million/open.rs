//! Opening a store with a million that wait: how long, and how much memory.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::{Place, promise};
use crate::processes;

/// A process of its own opens it, so that nothing of ours counts.
pub(crate) fn measure(store: &str, place: &Place) -> Result<bool> {
    let mut command = Command::new(std::env::current_exe()?);
    match place {
        Place::Sqlite(file) => command.args(["opened", "sqlite"]).arg(file),
        Place::Postgres(url, schema) => command.args(["opened", "postgres", url, schema]),
    };
    let said = command.output().context("cannot start ourselves")?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let numbers: Vec<f64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [millis, megabytes] = numbers[..] else { bail!("the process that opened it said `{said}`") };
    let quick = promise(store, "opening beside a million that wait", millis, "ms", 1_000.0);
    Ok(promise(store, "memory of the process that opened it", megabytes, "MB", 100.0) && quick)
}

/// The other side: opens it, waits a little, says how long it took and how much memory this process has.
pub(crate) async fn opened(arguments: &[String]) -> Result<()> {
    let place = match arguments {
        [store, file] if store == "sqlite" => Place::Sqlite(file.into()),
        [store, url, schema] if store == "postgres" => {
            Place::Postgres(url.clone(), if schema == "million" { "million" } else { bail!("which schema?") })
        }
        _ => bail!("expected sqlite FILE, or postgres URL SCHEMA"),
    };
    let begun = Instant::now();
    let engine = place.open().await?;
    let took = begun.elapsed();
    // The timer service has looked by then.
    tokio::time::sleep(Duration::from_secs(2)).await;
    println!("{} {}", took.as_millis(), processes::resident_kilobytes() / 1_024);
    engine.shutdown().await;
    Ok(())
}
