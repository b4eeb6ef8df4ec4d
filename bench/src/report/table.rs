//! The table for people: Markdown, so that it can be kept.

use super::{Row, Sample, millis};

/// One column: its heading, and what it says of a row.
type Column = (&'static str, fn(&Row) -> String);

const COLUMNS: [Column; 18] = [
    ("store", |row| row.store.to_owned()),
    ("load", |row| row.workload.to_owned()),
    ("instances/s", |row| whole(row.median(|sample| sample.engine.rate()))),
    ("best", |row| whole(row.best(|sample| sample.engine.rate()))),
    ("own rows/s", |row| whole(row.median(|sample| sample.own.rate()))),
    ("thin/s", |row| whole(row.median(|sample| sample.thin.rate()))),
    ("of own", |row| fine(row.median(Sample::of_own))),
    ("of thin", |row| fine(row.median(Sample::of_thin))),
    ("turns/s", |row| whole(row.median(|sample| sample.engine.turns as f64 / sample.engine.wall.as_secs_f64()))),
    ("CPU µs", |row| whole(row.median(|sample| each(sample, sample.engine.cpu.as_secs_f64() * 1e6)))),
    ("own rows CPU µs", |row| whole(row.median(|sample| each(sample, sample.own.cpu.as_secs_f64() * 1e6)))),
    ("database CPU µs", |row| {
        whole(row.median(|sample| each(sample, sample.engine.database_cpu.as_secs_f64() * 1e6)))
    }),
    ("step p50 ms", |row| fine(row.median(|sample| millis(sample.engine.latency.p50)))),
    ("p99 ms", |row| fine(row.median(|sample| millis(sample.engine.latency.p99)))),
    ("MB", |row| whole(row.median(|sample| sample.engine.resident_kilobytes as f64 / 1024.0))),
    ("bytes", |row| whole(row.median(|sample| sample.bytes as f64))),
    ("rows", |row| row.row_changes.to_string()),
    ("turns/commit", |row| {
        fine(row.median(|sample| sample.engine.turns as f64 / sample.engine.commits.max(1) as f64))
    }),
];

/// To standard error.
pub(crate) fn print(rows: &[Row]) {
    eprint!("{}", markdown(rows));
}

/// Padded, so that it can be read as it is.
pub(crate) fn markdown(rows: &[Row]) -> String {
    let mut lines: Vec<Vec<String>> = vec![COLUMNS.map(|(heading, _)| heading.to_owned()).to_vec()];
    lines.extend(rows.iter().map(|row| COLUMNS.map(|(_, of)| of(row)).to_vec()));
    let widths: Vec<usize> = (0..COLUMNS.len())
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
fn each(sample: &Sample, sum: f64) -> f64 {
    sum / sample.engine.instances.max(1) as f64
}

/// Zero and what was not measured are left out.
fn whole(value: f64) -> String {
    if value.is_nan() || value == 0.0 { String::new() } else { format!("{value:.0}") }
}

fn fine(value: f64) -> String {
    if value.is_nan() || value == 0.0 { String::new() } else { format!("{value:.2}") }
}
