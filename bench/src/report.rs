//! What was measured, as a table and as JSON. Ratios are of one round; the median of the rounds is told.

use serde_json::{Value, json};

use crate::floor::rows::TurnRows;
use crate::workload::Run;

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
    store: &'static str,
    workload: &'static str,
    turns: usize,
    row_changes: usize,
    history_bytes: usize,
    pub(crate) samples: Vec<Sample>,
}

impl Row {
    pub(crate) fn new(store: &'static str, workload: &'static str, turns: &[TurnRows]) -> Row {
        Row {
            store,
            workload,
            turns: turns.len(),
            row_changes: turns.iter().map(TurnRows::row_changes).sum(),
            history_bytes: turns.iter().map(|turn| turn.events.len()).sum(),
            samples: Vec::new(),
        }
    }

    fn median(&self, of: impl Fn(&Sample) -> f64) -> f64 {
        let mut values: Vec<f64> = self.samples.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    }

    fn best(&self, of: impl Fn(&Sample) -> f64) -> f64 {
        self.samples.iter().map(of).fold(f64::NAN, f64::max)
    }
}

fn ratio(engine: &Run, floor: &Run) -> f64 {
    if floor.instances == 0 { f64::NAN } else { engine.rate() / floor.rate() }
}

/// To standard error: a table for people.
pub(crate) fn print(rows: &[Row]) {
    eprintln!(
        "{:<9}{:<5}{:>11}{:>11}{:>11}{:>11}{:>9}{:>9}{:>12}{:>11}{:>9}{:>9}",
        "store",
        "load",
        "inst/s",
        "best",
        "own rows/s",
        "thin/s",
        "of own",
        "of thin",
        "CPU us/inst",
        "turns/tx",
        "rows",
        "bytes"
    );
    for row in rows {
        eprintln!(
            "{:<9}{:<5}{:>11.0}{:>11.0}{:>11.0}{:>11.0}{:>9.2}{:>9.2}{:>12.1}{:>11.1}{:>9}{:>9.0}",
            row.store,
            row.workload,
            row.median(|sample| sample.engine.rate()),
            row.best(|sample| sample.engine.rate()),
            row.median(|sample| sample.own.rate()),
            row.median(|sample| sample.thin.rate()),
            row.median(|sample| ratio(&sample.engine, &sample.own)),
            row.median(|sample| ratio(&sample.engine, &sample.thin)),
            row.median(|sample| sample.engine.cpu.as_secs_f64() * 1e6 / sample.engine.instances as f64),
            row.median(|sample| sample.engine.turns as f64 / sample.engine.commits.max(1) as f64),
            row.row_changes,
            row.median(|sample| sample.bytes as f64),
        );
    }
}

/// The same for programs, with every round.
pub(crate) fn json(rows: &[Row]) -> Value {
    let run = |run: &Run| {
        json!({ "instances": run.instances, "turns": run.turns, "commits": run.commits,
                "wallSeconds": run.wall.as_secs_f64(), "cpuSeconds": run.cpu.as_secs_f64() })
    };
    let row = |row: &Row| {
        let samples: Vec<Value> = row
            .samples
            .iter()
            .map(|sample| {
                json!({ "engine": run(&sample.engine), "ownRows": run(&sample.own), "thin": run(&sample.thin),
                        "bytesPerInstance": sample.bytes })
            })
            .collect();
        json!({ "store": row.store, "workload": row.workload, "turns": row.turns, "rowChanges": row.row_changes,
                "historyBytes": row.history_bytes, "samples": samples })
    };
    Value::Array(rows.iter().map(row).collect())
}
