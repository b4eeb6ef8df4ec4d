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
    let items = SIZES.map(|size| (size, Workload { work: Work::Fanout(size), under_way: 1, ..*fanout }));
    let looping = Workload::named("W4").context("W4 is there")?;
    let rounds = ROUNDS.map(|size| (size, Workload { work: Work::Loop(size), under_way: 1, ..*looping }));
    let items = best(options, store, &items, IN_ALL).await?;
    let rounds = best(options, store, &rounds, ROUNDS_IN_ALL).await?;
    Ok(vec![
        Growth { store, what: "an item of a multi-instance", cpu_micros: items },
        Growth { store, what: "a round of a loop", cpu_micros: rounds },
    ])
}

/// The best of some rounds, each with all sizes: whoever else is on the machine only adds to it.
async fn best(
    options: &Options,
    store: &str,
    sizes: &[(u32, Workload)],
    in_all: u32,
) -> Result<Vec<(u32, f64)>> {
    let mut best: Vec<(u32, f64)> = sizes.iter().map(|(size, _)| (*size, f64::INFINITY)).collect();
    for _ in 0..options.rounds {
        for ((size, workload), (_, least)) in sizes.iter().zip(&mut best) {
            *least = least.min(one(options, store, workload, *size, in_all).await?);
        }
    }
    Ok(best)
}

async fn one(options: &Options, store: &str, workload: &Workload, size: u32, in_all: u32) -> Result<f64> {
    let engine = place::fresh(options, store).await?;
    let count = u64::from((in_all / size).max(1));
    let run = workload::drive(&engine, workload, count, options.waiting).await?;
    engine.shutdown().await;
    let cpu: Duration = run.cpu;
    Ok(cpu.as_secs_f64() * 1e6 / (count as f64 * f64::from(size)))
}
