//! Low load: one instance at a time, and one fsync right before each, in the same folder.
//!
//! **Invariant:** an fsync is measured in the same seconds as the steps that are compared with it.

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::options::Options;
use crate::place;
use crate::workload::{Driver, Latency, Steps, Workload};

/// Instances of each sort, unless they take too long.
const INSTANCES: u64 = 150;
const LONGEST: Duration = Duration::from_secs(4);
/// Before anything counts.
const WARM: u64 = 10;
/// A small append: a page, as a log gets it.
const APPENDED: [u8; 4096] = [7; 4096];

/// What a single instance waits for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Low {
    /// One durable step.
    pub(crate) step: Latency,
    /// From the start of an instance to its end.
    pub(crate) whole: Latency,
    /// One fsync of a small append.
    pub(crate) fsync: Latency,
}

/// Measures a workload on a fresh store. Every other instance is waited for by a caller; the steps of the others are
/// measured, so that nobody's reading is in their way.
pub(crate) async fn measure(options: &Options, store: &str, workload: &Workload) -> Result<Low> {
    let engine = place::fresh(options, store).await?;
    let driver = Driver::new(&engine, workload, 1, Steps::all()).await?;
    let mut log = File::create(options.folder.join("fsync"))?;
    for at in 0..WARM {
        driver.one(at).await?;
        fsync(&mut log)?;
    }
    let (mut steps, mut whole, mut fsyncs) = (Vec::new(), Vec::new(), Vec::new());
    let begun = Instant::now();
    for at in WARM..WARM + INSTANCES {
        fsyncs.push(fsync(&mut log)?);
        steps.extend(driver.steps_of_one(2 * at).await?);
        fsyncs.push(fsync(&mut log)?);
        whole.push(driver.one(2 * at + 1).await?);
        if begun.elapsed() > LONGEST {
            break;
        }
    }
    drop(driver);
    engine.shutdown().await;
    Ok(Low { step: Latency::of(steps), whole: Latency::of(whole), fsync: Latency::of(fsyncs) })
}

fn fsync(log: &mut File) -> Result<Duration> {
    let begun = Instant::now();
    log.write_all(&APPENDED)?;
    log.sync_all()?;
    Ok(begun.elapsed())
}
