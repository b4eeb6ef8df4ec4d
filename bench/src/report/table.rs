//! The table for people: Markdown, so that it can be kept, padded, so that it can be read as it is.

use super::{Row, Sample, millis};
use crate::low::Low;

/// One column: its heading, and what it says of a row.
type Column = (&'static str, fn(&Row) -> String);

const THROUGHPUT: [Column; 13] = [
    ("store", |row| row.store.to_owned()),
    ("load", |row| row.workload.to_owned()),
    ("instances/s", |row| whole(row.median(|sample| sample.engine.rate()))),
    ("best", |row| whole(row.best(|sample| sample.engine.rate()))),
    ("own rows/s", |row| whole(row.median(|sample| sample.own.rate()))),
    ("thin/s", |row| whole(row.median(|sample| sample.thin.rate()))),
    ("of own", |row| fine(row.median(Sample::of_own))),
    ("of thin", |row| fine(row.median(Sample::of_thin))),
    ("turns/s", |row| {
        whole(row.median(|sample| sample.engine.turns as f64 / sample.engine.wall.as_secs_f64()))
    }),
    ("CPU µs", |row| whole(row.median(|sample| micros_each(sample, sample.engine.cpu)))),
    ("own rows CPU µs", |row| whole(row.median(|sample| micros_each(sample, sample.own.cpu)))),
    ("database CPU µs", |row| whole(row.median(|sample| micros_each(sample, sample.engine.database_cpu)))),
    ("own rows database CPU µs", |row| {
        whole(row.median(|sample| micros_each(sample, sample.own.database_cpu)))
    }),
];
const REST: [Column; 15] = [
    ("store", |row| row.store.to_owned()),
    ("load", |row| row.workload.to_owned()),
    ("step p50 ms", |row| fine(row.median(|sample| millis(sample.engine.latency.p50)))),
    ("p99", |row| fine(row.median(|sample| millis(sample.engine.latency.p99)))),
    ("step alone p50 ms", |row| low(row, |low| millis(low.step.p50))),
    ("p99", |row| low(row, |low| millis(low.step.p99))),
    ("start to end alone p50 ms", |row| low(row, |low| millis(low.whole.p50))),
    ("p99", |row| low(row, |low| millis(low.whole.p99))),
    ("fsync p50 ms", |row| low(row, |low| millis(low.fsync.p50))),
    ("peak MB", |row| whole(row.median(|sample| sample.engine.resident_kilobytes as f64 / 1024.0))),
    ("bytes", |row| whole(row.median(|sample| sample.bytes as f64))),
    ("row changes", |row| row.row_changes.to_string()),
    ("turns", |row| row.turns.to_string()),
    ("turns/commit", |row| {
        fine(row.median(|sample| sample.engine.turns as f64 / sample.engine.commits.max(1) as f64))
    }),
    ("statements/commit", |row| row.statements.map_or(String::new(), |count| fine(count.each_commit))),
];

/// Two tables: how much, and how quick and how large.
pub(crate) fn markdown(rows: &[Row]) -> String {
    format!("{}\n{}", table(rows, &THROUGHPUT), table(rows, &REST))
}

fn table(rows: &[Row], columns: &[Column]) -> String {
    let mut lines: Vec<Vec<String>> =
        vec![columns.iter().map(|(heading, _)| (*heading).to_owned()).collect()];
    lines.extend(rows.iter().map(|row| columns.iter().map(|(_, of)| of(row)).collect()));
    let widths: Vec<usize> = (0..columns.len())
        .map(|at| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0))
        .collect();
    lines.insert(1, widths.iter().map(|width| "-".repeat(*width)).collect());
    let line = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!(" {cell:>width$} |"));
        format!("|{}\n", cells.collect::<String>())
    };
    lines.iter().map(line).collect()
}

/// What an instance costs of a sum over the run.
fn micros_each(sample: &Sample, sum: std::time::Duration) -> f64 {
    sum.as_secs_f64() * 1e6 / sample.engine.instances.max(1) as f64
}

fn low(row: &Row, of: impl Fn(&Low) -> f64) -> String {
    row.low.as_ref().map_or(String::new(), |low| fine(of(low)))
}

/// Zero and what was not measured are left out.
fn whole(value: f64) -> String {
    if value.is_nan() || value == 0.0 { String::new() } else { format!("{value:.0}") }
}

fn fine(value: f64) -> String {
    if value.is_nan() || value == 0.0 { String::new() } else { format!("{value:.2}") }
}
