//! `features`: what the things cost that a host may not need: each index that only lists use, and the outbox.
//!
//! **Invariant:** a variant runs right after the whole, in the same round.

use anyhow::{Context, Result};
use tyer_runtime::{Engine, Told};

use crate::floor;
use crate::options::{Options, postgres_url};
use crate::place;
use crate::workload::{self, Run, Workload};

/// One variant of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Variant {
    /// As it is given to users.
    Whole,
    /// Without one index.
    Without(String),
    /// With somebody who is told of every turn.
    Outbox,
}

/// Measures W2 and prints a line for each variant.
pub(crate) async fn run(arguments: &[String]) -> Result<()> {
    let options = Options::of(arguments)?;
    std::fs::create_dir_all(&options.folder)?;
    println!("| store | W2 | of the whole | CPU µs an instance |");
    println!("| --- | --- | --- | --- |");
    for store in options.stores().filter(|store| *store != "memory") {
        let indexes = match store {
            "postgres" => include_str!("../../crates/store/src/postgres/lists.sql"),
            _ => include_str!("../../crates/store/src/sqlite/lists.sql"),
        };
        let mut variants = vec![Variant::Outbox];
        variants.extend(names(indexes).into_iter().map(Variant::Without));
        for variant in variants {
            compare(&options, store, &variant).await?;
        }
    }
    Ok(())
}

/// Indexes of the tables that W2 writes.
fn names(sql: &str) -> Vec<String> {
    let index = |line: &str| {
        let (name, rest) = line.strip_prefix("CREATE INDEX ")?.split_once(" ON ")?;
        let table = rest.split_whitespace().next()?;
        ["process_instance", "token", "variables", "history"].contains(&table).then(|| name.to_owned())
    };
    sql.lines().filter_map(index).collect()
}

async fn compare(options: &Options, store: &str, variant: &Variant) -> Result<()> {
    let (mut ratios, mut cpu) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        let whole = measure(options, store, &Variant::Whole).await?;
        let changed = measure(options, store, variant).await?;
        ratios.push(changed.rate() / whole.rate());
        cpu.push(changed.cpu.as_secs_f64() * 1e6 / changed.instances as f64);
    }
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let name = match variant {
        Variant::Whole => "whole".to_owned(),
        Variant::Without(index) => format!("without {index}"),
        Variant::Outbox => "with a sink that is told of everything".to_owned(),
    };
    println!("| {store} | {name} | {:.2} | {:.0} |", median(&mut ratios), median(&mut cpu));
    Ok(())
}

async fn measure(options: &Options, store: &str, variant: &Variant) -> Result<Run> {
    let engine = place::fresh(options, store).await?;
    match variant {
        Variant::Whole => {}
        Variant::Without(index) => drop_index(options, store, index).await?,
        Variant::Outbox => listen(&engine).await?,
    }
    let workload = Workload::named("W2").context("W2 is there")?;
    let run = workload::drive(&engine, workload, options.count, options.waiting).await?;
    engine.shutdown().await;
    Ok(run)
}

async fn listen(engine: &Engine) -> Result<()> {
    Ok(engine.subscribe("bench", |_: Told| async { Ok(()) }).await?)
}

async fn drop_index(options: &Options, store: &str, index: &str) -> Result<()> {
    let sql = format!("DROP INDEX {index}");
    if store == "postgres" {
        let client = floor::postgres::connect(&postgres_url()?, "engine").await?;
        return Ok(client.batch_execute(&sql).await?);
    }
    let file = options.folder.join("engine.db");
    Ok(rusqlite::Connection::open(file)?.execute_batch(&sql)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_indexes_of_tables_that_the_workload_writes_are_left_out() {
        let sql =
            "CREATE INDEX a ON token (tenant);\nCREATE INDEX b ON user_task (n);\nCREATE TABLE token (n);";
        assert_eq!(names(sql), ["a"]);
    }
}
