//! What is promised, as far as this run can judge it.
//!
//! **Invariant:** a promise that was not measured is not told.

use serde_json::{Value, json};

use super::{Report, Row, Sample, millis};

/// One promise and what was measured.
#[derive(Clone, Debug)]
pub(crate) struct Promise {
    pub(crate) what: String,
    pub(crate) measured: f64,
    pub(crate) bound: Bound,
}

/// What is allowed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Promise {
    pub(crate) fn least(what: String, measured: f64, bound: f64) -> Promise {
        Promise { what, measured, bound: Bound::AtLeast(bound) }
    }

    pub(crate) fn most(what: String, measured: f64, bound: f64) -> Promise {
        Promise { what, measured, bound: Bound::AtMost(bound) }
    }

    /// What was not measured is not kept.
    pub(crate) fn is_kept(&self) -> bool {
        match self.bound {
            Bound::AtLeast(bound) => self.measured >= bound,
            Bound::AtMost(bound) => self.measured <= bound,
        }
    }

    /// One line for people.
    pub(crate) fn line(&self) -> String {
        let word = if self.is_kept() { "kept" } else { "NOT KEPT" };
        let (than, bound) = match self.bound {
            Bound::AtLeast(bound) => ("at least", bound),
            Bound::AtMost(bound) => ("at most", bound),
        };
        format!("{word:<9} {}: {} ({than} {})", self.what, figure(self.measured), figure(bound))
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> Value {
        let (than, bound) = match self.bound {
            Bound::AtLeast(bound) => ("atLeast", bound),
            Bound::AtMost(bound) => ("atMost", bound),
        };
        json!({ "what": self.what, "measured": self.measured, than: bound, "kept": self.is_kept() })
    }
}

fn figure(value: f64) -> String {
    if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// All that the report can judge.
pub(crate) fn judge(report: &Report) -> Vec<Promise> {
    let mut promises: Vec<Promise> = report.rows.iter().flat_map(of_row).collect();
    for growth in &report.growth {
        let what = format!(
            "{}: {} costs so many times more where there are 100 times as many",
            growth.store, growth.what
        );
        promises.push(Promise::most(what, growth.factor(), 1.5));
    }
    for (store, idle) in &report.idle {
        promises.push(Promise::most(format!("{store}: idle, % of a processor"), idle.cpu_percent, 1.0));
        if let Some(queries) = idle.queries_per_second {
            promises.push(Promise::most(format!("{store}: idle, queries a second"), queries, 1.0));
        }
    }
    promises
}

fn of_row(row: &Row) -> Vec<Promise> {
    let mut promises = Vec::new();
    let of = |what: &str| format!("{} {}: {what}", row.store, row.workload);
    if row.store != "memory" && matches!(row.workload, "W1" | "W2" | "W3") {
        promises.push(Promise::least(of("of own rows"), row.median(Sample::of_own), 0.5));
        promises.push(Promise::least(of("of the thin floor"), row.median(Sample::of_thin), 0.25));
    }
    if row.store != "memory" && row.workload == "W2" {
        promises.push(Promise::most(of("row changes an instance"), row.row_changes as f64, 20.0));
        promises.push(Promise::most(
            of("bytes an instance"),
            row.median(|sample| sample.bytes as f64),
            3_072.0,
        ));
    }
    if let Some(statements) = row.statements.filter(|_| row.workload == "W2") {
        promises.push(Promise::most(of("statements a step, many under way"), statements.each_turn, 3.0));
        promises.push(Promise::most(of("statements a step, one under way"), statements.each_turn_alone, 3.0));
    }
    if (row.store, row.workload) == ("memory", "W4") {
        promises.push(Promise::least(of("instances/s"), row.best(|sample| sample.engine.rate()), 25_000.0));
    }
    promises.extend(low(row));
    promises
}

fn low(row: &Row) -> Vec<Promise> {
    let Some(low) = row.low.filter(|_| row.store == "sqlite") else { return Vec::new() };
    let of = |what: &str| format!("{} {}: {what}", row.store, row.workload);
    let fsync = millis(low.fsync.p50);
    let step =
        || Promise::most(of("one durable step alone, ms (1 fsync + 0.5)"), millis(low.step.p50), fsync + 0.5);
    let whole = || {
        Promise::most(of("start to end alone, ms (4 fsyncs + 2)"), millis(low.whole.p50), 4.0 * fsync + 2.0)
    };
    match row.workload {
        "W1" => vec![step()],
        "W2" => vec![step(), whole()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_is_not_kept() {
        assert!(!Promise::least("a".to_owned(), f64::NAN, 0.5).is_kept());
        assert!(!Promise::most("a".to_owned(), f64::NAN, 0.5).is_kept());
        assert!(Promise::least("a".to_owned(), 0.5, 0.5).is_kept());
        assert_eq!(
            Promise::most("a step".to_owned(), 2.0, 1.5).line(),
            "NOT KEPT  a step: 2.00 (at most 1.50)"
        );
    }
}
