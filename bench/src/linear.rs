//! Cost that must not grow with size: items of a multi-instance, rounds of a loop.

use std::time::Duration;

use anyhow::{Context, Result};

use crate::options::Options;
use crate::place;
use crate::workload::{self, Work, Workload};

/// Items or rounds in all, for each size: enough to be measured in ticks of the processor's clock.
const IN_ALL: u32 = 20_000;
const SIZES: [u32; 3] = [100, 1_000, 10_000];
const ROUNDS_IN_ALL: u32 = 200_000;
const ROUNDS: [u32; 3] = [1_000, 10_000, 100_000];

/// What one item or round costs, at each size.
#[derive(Clone, Debug)]
pub(crate) struct Growth {
    pub(crate) store: &'static str,
    pub(crate) what: &'static str,
    pub(crate) cpu_micros: Vec<(u32, f64)>,
}

impl Growth {
    /// The largest against the smallest.
    pub(crate) fn factor(&self) -> f64 {
        match self.cpu_micros[..] {
            [(_, first), .., (_, last)] => last / first,
            _ => f64::NAN,
        }
    }
}

/// W9 with ever more items, and W4 with ever more rounds.
pub(crate) async fn measure(options: &Options, store: &'static str) -> Result<Vec<Growth>> {
    let fanout = Workload::named("W9").context("W9 is there")?;
    let mut items = Growth { store, what: "an item of a multi-instance", cpu_micros: Vec::new() };
    for size in SIZES {
        let workload = Workload { work: Work::Fanout(size), under_way: 1, ..*fanout };
        items.cpu_micros.push((size, one(options, store, &workload, size, IN_ALL).await?));
    }
    let looping = Workload::named("W4").context("W4 is there")?;
    let mut rounds = Growth { store, what: "a round of a loop", cpu_micros: Vec::new() };
    for size in ROUNDS {
        let workload = Workload { work: Work::Loop(size), under_way: 1, ..*looping };
        rounds.cpu_micros.push((size, one(options, store, &workload, size, ROUNDS_IN_ALL).await?));
    }
    Ok(vec![items, rounds])
}

async fn one(options: &Options, store: &str, workload: &Workload, size: u32, in_all: u32) -> Result<f64> {
    let engine = place::fresh(options, store).await?;
    let count = u64::from((in_all / size).max(1));
    let run = workload::drive(&engine, workload, count, options.waiting).await?;
    engine.shutdown().await;
    let cpu: Duration = run.cpu;
    Ok(cpu.as_secs_f64() * 1e6 / (count as f64 * f64::from(size)))
}
