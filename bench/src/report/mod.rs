//! What was measured: as a table, as JSON, as a chart, and held against what is promised.
//!
//! **Invariant:** ratios are of one round; the median of the rounds is told.

mod chart;
mod json;
mod promises;
mod table;

use std::time::Duration;

use crate::idle::Idle;
use crate::linear::Growth;
use crate::low::Low;
use crate::record::Recording;
use crate::statements::Statements;
use crate::workload::{Run, Workload};
pub(crate) use chart::svg;
pub(crate) use json::json;
pub(crate) use promises::{Promise, judge};
pub(crate) use table::markdown;

/// All that a run has measured.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) rows: Vec<Row>,
    pub(crate) growth: Vec<Growth>,
    pub(crate) idle: Vec<(&'static str, Idle)>,
}

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
    pub(crate) turns: u64,
    pub(crate) row_changes: usize,
    pub(crate) samples: Vec<Sample>,
    /// One instance at a time.
    pub(crate) low: Option<Low>,
    /// On PostgreSQL.
    pub(crate) statements: Option<Statements>,
}

impl Row {
    pub(crate) fn new(store: &'static str, workload: &Workload, recording: &Recording) -> Row {
        Row {
            store,
            workload: workload.name,
            turns: recording.turns(),
            row_changes: recording.row_changes(),
            samples: Vec::new(),
            low: None,
            statements: None,
        }
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
