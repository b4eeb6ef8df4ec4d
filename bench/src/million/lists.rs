//! The first page of every list, timed: cold, in an engine that has just been opened, and warm.

use std::time::Instant;

use anyhow::Result;
use serde_json::{Value, json};
use tyer_runtime::Engine;

use super::questions::{self, Question};
use super::{Findings, Place};
use crate::report::{Promise, millis};

/// How often each is asked warm.
const ASKED: usize = 15;

/// What one list took, in milliseconds.
struct Took {
    name: &'static str,
    found: usize,
    cold: f64,
    warm: Vec<f64>,
}

impl Took {
    fn worst(&self) -> f64 {
        self.warm.last().copied().unwrap_or(f64::NAN)
    }

    fn line(&self) -> String {
        let half = self.warm[self.warm.len() / 2];
        let (name, found, cold, worst) = (self.name, self.found, self.cold, self.worst());
        format!("  {name:<42}{found:>4} found, cold {cold:>8.2} ms, warm {half:>8.2}, worst {worst:>8.2}")
    }

    fn json(&self) -> Value {
        json!({ "list": self.name, "found": self.found, "coldMillis": self.cold, "warmMillis": self.warm })
    }
}

pub(crate) async fn measure(place: &Place, instances: u64, findings: &mut Findings) -> Result<()> {
    let mut all = Vec::new();
    for (name, question) in questions::all(instances) {
        place.forget_pages()?;
        let engine = place.open().await?;
        let (found, cold) = once(&engine, &question).await?;
        let mut warm = Vec::new();
        for _ in 0..ASKED {
            warm.push(once(&engine, &question).await?.1);
        }
        engine.shutdown().await;
        warm.sort_by(f64::total_cmp);
        let took = Took { name, found, cold, warm };
        eprintln!("{}", took.line());
        all.push(took);
    }
    promise(&all, "cold", |took| took.cold, findings);
    promise(&all, "warm, the slowest of 15", Took::worst, findings);
    let mut every: Vec<f64> = all.iter().flat_map(|took| took.warm.iter().copied()).collect();
    every.sort_by(f64::total_cmp);
    let what = findings.of("first pages, warm, p99 of all, ms");
    findings.promises.push(Promise::most(what, every[every.len() * 99 / 100], 50.0));
    findings.figures["lists"] = all.iter().map(Took::json).collect();
    Ok(())
}

async fn once(engine: &Engine, question: &Question) -> Result<(usize, f64)> {
    let begun = Instant::now();
    let found = question.ask(engine).await?;
    Ok((found, millis(begun.elapsed())))
}

/// The slowest of all is held against what is promised of each.
fn promise(all: &[Took], how: &str, of: impl Fn(&Took) -> f64, findings: &mut Findings) {
    let Some(slowest) = all.iter().max_by(|a, b| of(a).total_cmp(&of(b))) else { return };
    let what = findings.of(&format!("first page of the slowest list ({}), {how}, ms", slowest.name));
    findings.promises.push(Promise::most(what, of(slowest), 50.0));
}
