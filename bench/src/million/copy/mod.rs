//! Copies the rows of an instance many times, with ids, moments and keys of their own.
//!
//! **Invariant:** a copy is what the engine would have written, but for who it is, when it was, and what lists look for.

mod postgres;
mod sqlite;

use std::time::Duration;

use anyhow::{Result, ensure};
use tyer_runtime::{Engine, InstanceId};

use super::Place;
use super::kinds::{self, Kinds};

/// Every table that an instance has rows in.
const TABLES: [&str; 10] = [
    "process_instance",
    "token",
    "variables",
    "variable_index",
    "user_task",
    "task_candidate",
    "timer",
    "subscription",
    "incident",
    "history",
];
/// The instances have begun in the last thirty days, evenly.
const SPAN_MS: i64 = 30 * 24 * 3_600 * 1_000;
/// Where ids begin: 2020-01-01T00:00:00Z.
const EPOCH_MS: i64 = 1_577_836_800_000;
/// Messages that nobody waits for.
const LETTERS: usize = 500;

/// An instance that the engine made, and how many copies of it are wanted.
type Made = (InstanceId, i64);

/// Makes one of each sort and copies it.
pub(crate) async fn fill(place: &Place, kinds: &Kinds) -> Result<()> {
    let engine = place.open().await?;
    engine.deploy(include_str!("../../../models/parked.bpmn")).await?;
    let mut made = Vec::new();
    for (sort, count) in kinds.iter().filter(|(_, count)| *count > 0) {
        made.push((kinds::make(&engine, *sort).await?, i64::try_from(*count)? - 1));
    }
    publish(&engine).await?;
    engine.shutdown().await;
    match place {
        Place::Sqlite(file) => tokio::task::block_in_place(|| sqlite::copy(file, &made))?,
        Place::Postgres(url, schema) => postgres::copy(url, schema, &made).await?,
    }
    are_there(place, kinds.iter().map(|(_, count)| count).sum()).await
}

/// So that the list of messages that nobody has is not empty.
async fn publish(engine: &Engine) -> Result<()> {
    let mut sent = tokio::task::JoinSet::new();
    for number in 0..LETTERS {
        let hours = Duration::from_secs(24 * 3_600);
        let letter = engine.publish("nobody asks").key(format!("N-{number}")).ttl(hours);
        sent.spawn(letter.send());
    }
    while let Some(answer) = sent.join_next().await {
        answer??;
    }
    Ok(())
}

/// The engine itself counts them.
async fn are_there(place: &Place, wanted: u64) -> Result<()> {
    let engine = place.open().await?;
    let counted: u64 = engine.statuses("parked", None).await?.iter().map(|(_, count)| count).sum();
    engine.shutdown().await;
    ensure!(counted == wanted, "{counted} instances are there after filling, expected {wanted}");
    Ok(())
}

/// What a column of a copy is; `s` names the copy: its number, its id, its moment.
fn expression(table: &str, column: &str) -> String {
    match (table, column) {
        ("process_instance", "id") | (_, "instance") => "s.id".to_owned(),
        (_, "shard") => "s.shard".to_owned(),
        (_, "started_at" | "created_at" | "since" | "at") => "s.at".to_owned(),
        (_, "ended_at") => "CASE WHEN x.ended_at IS NULL THEN NULL ELSE s.at + 5 END".to_owned(),
        (_, "business_key") => "'K-' || s.i".to_owned(),
        ("subscription", "key") => "x.key || '-' || s.i".to_owned(),
        ("variable_index", "number") => "CASE WHEN x.number IS NULL THEN NULL ELSE s.i END".to_owned(),
        ("variable_index", "text") => {
            "CASE WHEN x.text IS NULL THEN NULL ELSE 'city ' || (s.i % 1000) END".to_owned()
        }
        ("user_task", "assignee") => {
            "CASE WHEN s.i % 10 = 0 THEN 'person ' || (s.i % 500) ELSE NULL END".to_owned()
        }
        ("user_task", "priority") => "CASE WHEN s.i % 1000 = 0 THEN 75 ELSE 50 END".to_owned(),
        ("user_task", "due_at") => "CASE WHEN s.i % 100 = 0 THEN s.at + 864000000 ELSE NULL END".to_owned(),
        ("task_candidate", "who") => "x.who || ' ' || (s.i % 500)".to_owned(),
        _ => format!("x.{column}"),
    }
}

/// The statement that copies one table from `copies`, which names the copies. Instance by instance, as they would have
/// been written: rows of one size, one after the other, would leave room in every page for rows of another.
fn statement(table: &str, columns: &[String], copies: &str, template: &str) -> String {
    let values: Vec<String> = columns.iter().map(|column| expression(table, column)).collect();
    let of = if table == "process_instance" { "x.id" } else { "x.instance" };
    format!(
        "{copies} INSERT INTO {table} ({}) SELECT {} FROM s CROSS JOIN {table} x WHERE {of} = {template} ORDER BY s.i",
        columns.join(", "),
        values.join(", ")
    )
}

/// Copies end when the instance that is copied began.
fn base(template: InstanceId) -> i64 {
    (template.0 >> 22) + EPOCH_MS - SPAN_MS
}
