//! What was measured, as a table and as JSON. Ratios are of one round; the median of the rounds is told.

mod table;

use std::time::Duration;

use serde_json::{Value, json};

use crate::record::Recording;
use crate::workload::{Latency, Run, Workload};
pub(crate) use table::print;

/// One round.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    pub(crate) engine: Run,
    pub(crate) own: Run,
    pub(crate) thin: Run,
    pub(crate) bytes: u64,
}

/// All rounds of one workload on one store.
pub(crate) struct Row {
    pub(crate) store: &'static str,
    pub(crate) workload: &'static str,
    turns: u64,
    pub(crate) row_changes: usize,
    pub(crate) samples: Vec<Sample>,
}

impl Row {
    pub(crate) fn new(store: &'static str, workload: &Workload, recording: &Recording) -> Row {
        let (turns, row_changes) = (recording.turns(), recording.row_changes());
        Row { store, workload: workload.name, turns, row_changes, samples: Vec::new() }
    }

    pub(crate) fn median(&self, of: impl Fn(&Sample) -> f64) -> f64 {
        let mut values: Vec<f64> = self.samples.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn best(&self, of: impl Fn(&Sample) -> f64) -> f64 {
        self.samples.iter().map(of).fold(f64::NAN, f64::max)
    }
}

impl Sample {
    pub(crate) fn of_own(&self) -> f64 {
        ratio(&self.engine, &self.own)
    }

    pub(crate) fn of_thin(&self) -> f64 {
        ratio(&self.engine, &self.thin)
    }
}

fn ratio(engine: &Run, floor: &Run) -> f64 {
    if floor.instances == 0 { f64::NAN } else { engine.rate() / floor.rate() }
}

pub(crate) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// For programs, with every round.
pub(crate) fn json(rows: &[Row]) -> Value {
    json!({ "rows": rows.iter().map(row).collect::<Vec<_>>() })
}

fn row(row: &Row) -> Value {
    let sample = |sample: &Sample| {
        json!({ "engine": run(&sample.engine), "ownRows": run(&sample.own), "thin": run(&sample.thin),
                "bytesPerInstance": sample.bytes })
    };
    json!({ "store": row.store, "workload": row.workload, "turns": row.turns, "rowChanges": row.row_changes,
            "samples": row.samples.iter().map(sample).collect::<Vec<_>>() })
}

fn run(run: &Run) -> Value {
    json!({ "instances": run.instances, "turns": run.turns, "commits": run.commits,
            "wallSeconds": run.wall.as_secs_f64(), "cpuSeconds": run.cpu.as_secs_f64(),
            "databaseCpuSeconds": run.database_cpu.as_secs_f64(), "peakKilobytes": run.resident_kilobytes,
            "step": latency(&run.latency) })
}

fn latency(latency: &Latency) -> Value {
    json!({ "p50Millis": millis(latency.p50), "p99Millis": millis(latency.p99) })
}
