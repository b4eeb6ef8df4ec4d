//! `million`: a store with a million instances, and what is promised about it.
//!
//! Once all of them wait, once nine in ten have ended. Rows are copies of a few instances that the engine made, written
//! straight into the tables: opening, memory, the first page of every list, W2 beside them and timers among them are
//! measured by engines that find them there.

mod beside;
mod copy;
mod kinds;
mod lists;
mod open;
mod place;
mod questions;
mod timers;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::options::Options;
use crate::progress::Progress;
use crate::report::Promise;
use kinds::Mix;
pub(crate) use open::opened;
pub(crate) use place::Place;

/// What is done with a filled store, in this order: what writes comes last.
const PARTS: [&str; 4] = ["open", "lists", "timers", "beside"];
/// Stores beside which the same work is done; the largest is the one that is asked for.
const FEWER: [u64; 3] = [0, 10, 10_000];

/// What was measured on one store with one mix.
pub(crate) struct Findings {
    name: String,
    pub(crate) figures: Value,
    pub(crate) promises: Vec<Promise>,
}

impl Findings {
    fn of(&self, what: &str) -> String {
        format!("{}: {what}", self.name)
    }
}

/// Measures, prints a line for each promise, and with `--strict` fails when one is not kept.
pub(crate) async fn run(arguments: &[String]) -> Result<()> {
    let options = Options::over(Options { count: 1_000_000, rounds: 7, ..Options::default() }, arguments)?;
    std::fs::create_dir_all(&options.folder)?;
    let stores: Vec<&str> = options.stores().filter(|store| *store != "memory").collect();
    let parts = PARTS.into_iter().filter(|part| options.wants_workload(part)).count();
    let mut progress = Progress::of(stores.len() * Mix::ALL.len() * (parts + 1));
    let (mut promises, mut figures) = (Vec::new(), Vec::new());
    for store in stores {
        for mix in Mix::ALL {
            let findings = measure(&options, store, mix, &mut progress).await?;
            // Each is told as soon as it is known: a run takes long.
            for promise in &findings.promises {
                println!("{}", promise.line());
            }
            figures.push(findings.figures);
            promises.extend(findings.promises);
        }
    }
    progress.end();
    if let Some(file) = &options.json {
        let told: Vec<Value> = promises.iter().map(Promise::json).collect();
        let all = json!({ "million": figures, "promises": told });
        std::fs::write(file, serde_json::to_string_pretty(&all)?)?;
    }
    let broken = promises.iter().filter(|promise| !promise.is_kept()).count();
    ensure!(broken == 0 || !options.strict, "{broken} of {} promises are not kept", promises.len());
    Ok(())
}

async fn measure(options: &Options, store: &str, mix: Mix, progress: &mut Progress) -> Result<Findings> {
    let name = format!("{store}, {} {}", options.count, mix.words());
    let mut findings = Findings { name, figures: json!({}), promises: Vec::new() };
    findings.figures["store"] = store.into();
    findings.figures["mix"] = mix.words().into();
    findings.figures["instances"] = options.count.into();
    progress.next(&findings.of("filling"));
    let place = Place::fresh(store, &options.folder, "million").await?;
    let begun = std::time::Instant::now();
    copy::fill(&place, &mix.of(options.count)).await?;
    findings.figures["fillingSeconds"] = begun.elapsed().as_secs_f64().into();
    for part in PARTS.into_iter().filter(|part| options.wants_workload(part)) {
        progress.next(&findings.of(part));
        match part {
            "open" => open::measure(&place, &mut findings)?,
            "lists" => lists::measure(&place, options.count, &mut findings).await?,
            "timers" => {
                let few = Place::fresh(store, &options.folder, "few").await?;
                copy::fill(&few, &mix.of(FEWER[1])).await?;
                timers::measure(&place, &few, &mut findings).await?;
                few.delete().await?;
            }
            _ => beside_all(options, store, mix, &place, &mut findings).await?,
        }
    }
    place.delete().await?;
    Ok(findings)
}

async fn beside_all(
    options: &Options,
    store: &str,
    mix: Mix,
    place: &Place,
    findings: &mut Findings,
) -> Result<()> {
    let mut places = Vec::new();
    for instances in FEWER.into_iter().filter(|instances| *instances < options.count) {
        let fewer = Place::fresh(store, &options.folder, &format!("beside{instances}")).await?;
        if instances > 0 {
            copy::fill(&fewer, &mix.of(instances)).await?;
        }
        places.push((instances, fewer));
    }
    let fewer = places.clone();
    places.push((options.count, place.clone()));
    beside::measure(&places, options.rounds, findings).await?;
    for (_, place) in fewer {
        place.delete().await?;
    }
    Ok(())
}
