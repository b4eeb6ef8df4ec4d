//! The report for programs, with every round.

use serde_json::{Value, json};

use super::{Promise, Report, Row, Sample, millis};
use crate::low::Low;
use crate::statements::Statements;
use crate::workload::{Latency, Run};

/// Everything.
pub(crate) fn json(report: &Report, promises: &[Promise]) -> Value {
    let growth = report.growth.iter().map(|growth| {
        let sizes =
            growth.cpu_micros.iter().map(|(size, micros)| json!({ "size": size, "cpuMicros": micros }));
        json!({ "store": growth.store, "what": growth.what, "sizes": sizes.collect::<Vec<_>>() })
    });
    let idle = report.idle.iter().map(|(store, idle)| {
        json!({ "store": store, "cpuPercent": idle.cpu_percent, "queriesPerSecond": idle.queries_per_second })
    });
    json!({
        "rows": report.rows.iter().map(row).collect::<Vec<_>>(),
        "growth": growth.collect::<Vec<_>>(),
        "idle": idle.collect::<Vec<_>>(),
        "promises": promises.iter().map(Promise::json).collect::<Vec<_>>(),
    })
}

fn row(row: &Row) -> Value {
    let sample = |sample: &Sample| {
        json!({ "engine": run(&sample.engine), "ownRows": run(&sample.own), "thin": run(&sample.thin),
                "bytesPerInstance": sample.bytes })
    };
    json!({ "store": row.store, "workload": row.workload, "turns": row.turns, "rowChanges": row.row_changes,
            "samples": row.samples.iter().map(sample).collect::<Vec<_>>(),
            "alone": row.low.as_ref().map(low), "statements": row.statements.as_ref().map(statements) })
}

fn run(run: &Run) -> Value {
    json!({ "instances": run.instances, "turns": run.turns, "commits": run.commits,
            "wallSeconds": run.wall.as_secs_f64(), "cpuSeconds": run.cpu.as_secs_f64(),
            "databaseCpuSeconds": run.database_cpu.as_secs_f64(), "peakKilobytes": run.resident_kilobytes,
            "step": latency(&run.latency) })
}

fn low(low: &Low) -> Value {
    json!({ "step": latency(&low.step), "startToEnd": latency(&low.whole), "fsync": latency(&low.fsync) })
}

fn statements(statements: &Statements) -> Value {
    json!({ "eachCommit": statements.each_commit, "eachTurn": statements.each_turn,
            "eachTurnAlone": statements.each_turn_alone })
}

fn latency(latency: &Latency) -> Value {
    json!({ "p50Millis": millis(latency.p50), "p99Millis": millis(latency.p99) })
}
