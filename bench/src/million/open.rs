//! Opening the store: how long, and how much memory, each time in a process of its own.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::{Findings, Place};
use crate::processes;
use crate::report::Promise;

/// How often it is opened; the first time nothing of the file is in the system's memory.
const OPENED: usize = 3;
/// By then the timer service has looked.
const AWAKE: Duration = Duration::from_secs(2);

/// A process of its own opens it, so that nothing of ours counts.
pub(crate) fn measure(place: &Place, findings: &mut Findings) -> Result<()> {
    place.forget_pages()?;
    let mut times = Vec::new();
    for _ in 0..OPENED {
        times.push(once(place)?);
    }
    let most = |of: fn(&(f64, f64)) -> f64| times.iter().map(of).fold(0.0, f64::max);
    let (slowest, largest) = (most(|one| one.0), most(|one| one.1));
    let what = findings.of("opening, the slowest of 3, the first cold, ms");
    findings.promises.push(Promise::most(what, slowest, 1_000.0));
    let what = findings.of("most memory of a process that has opened it, MB");
    findings.promises.push(Promise::most(what, largest, 100.0));
    let opened = times.iter().map(|(took, peak)| json!({ "millis": took, "peakMegabytes": peak }));
    findings.figures["opened"] = opened.collect();
    Ok(())
}

fn once(place: &Place) -> Result<(f64, f64)> {
    let mut command = Command::new(std::env::current_exe()?);
    match place {
        Place::Sqlite(file) => command.args(["opened", "sqlite"]).arg(file),
        Place::Postgres(url, schema) => command.args(["opened", "postgres", url, schema]),
    };
    let said = command.output().context("cannot start ourselves")?;
    let complaint = String::from_utf8_lossy(&said.stderr).into_owned();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let numbers: Vec<f64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [took, peak] = numbers[..] else { bail!("the process that opened it said `{said}` {complaint}") };
    Ok((took, peak))
}

/// The other side: opens it, waits a little, says how long it took and the most memory that this process had.
pub(crate) async fn opened(arguments: &[String]) -> Result<()> {
    let place = match arguments {
        [store, file] if store == "sqlite" => Place::Sqlite(file.into()),
        [store, url, schema] if store == "postgres" => Place::Postgres(url.clone(), schema.clone()),
        _ => bail!("expected sqlite FILE, or postgres URL SCHEMA"),
    };
    let begun = Instant::now();
    let engine = place.open().await?;
    let took = begun.elapsed();
    tokio::time::sleep(AWAKE).await;
    println!("{} {}", took.as_millis(), processes::peak_kilobytes() / 1_024);
    engine.shutdown().await;
    Ok(())
}
