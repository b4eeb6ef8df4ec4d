//! Exactly the engine's rows, from a recording on SQLite: the tables have the same names and columns, and a shard.
//!
//! **Invariant:** rows of one table that change in the same way are one statement.

use std::collections::HashMap;
use std::ops::Range;

use anyhow::{Context, Result};
use tokio_postgres::Client;
use tyer_runtime::InstanceId;

use super::{Column, Request, connect, empty, groups};
use crate::floor::rows::{Cell, Commit, Kind, Plan, RowChange};
use crate::workload::Run;

/// Types of columns, by table and column.
type Types = HashMap<(String, String), String>;

/// Rows that change in the same way in one commit.
struct Batch<'a> {
    statement: usize,
    changes: Vec<&'a RowChange>,
    /// Types of the values, then of the key.
    types: Vec<String>,
    sharded: bool,
}

/// Writes the plan for `count` instances.
pub(crate) async fn own_rows(url: &str, plan: &Plan, count: u64) -> Result<Run> {
    empty(url, "floor").await?;
    let client = connect(url, "floor").await?;
    client.batch_execute(include_str!("../../../../crates/store/src/postgres/schema.sql")).await?;
    client.batch_execute(include_str!("../../../../crates/store/src/postgres/lists.sql")).await?;
    let types = types(&client).await?;
    let mut statements = Vec::new();
    let batches: Vec<Vec<Batch<'_>>> =
        plan.commits.iter().map(|commit| batches(commit, &types, &mut statements)).collect::<Result<_>>()?;
    let turns: Vec<u64> = plan.commits.iter().map(|commit| commit.turns).collect();
    let people = plan.at_once as u64;
    groups(url, count, plan.at_once, &turns, &statements, |at, group| {
        batches[at].iter().map(|batch| batch.request(group.clone(), people)).collect()
    })
    .await
}

async fn types(client: &Client) -> Result<Types> {
    let sql = "SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns
               WHERE table_schema = 'floor'";
    let rows = client.query(sql, &[]).await?;
    Ok(rows.iter().map(|row| ((row.get(0), row.get(1)), row.get(2))).collect())
}

fn batches<'a>(commit: &'a Commit, types: &Types, statements: &mut Vec<String>) -> Result<Vec<Batch<'a>>> {
    let mut batches: Vec<Batch<'a>> = Vec::new();
    for change in &commit.changes {
        let kind = |column: &str| types.get(&(change.table.clone(), column.to_owned())).cloned();
        let columns = change.values.iter().chain(&change.key);
        let of_columns: Vec<String> = columns
            .map(|(name, _)| kind(name).with_context(|| format!("{} has no column {name}", change.table)))
            .collect::<Result<_>>()?;
        let sharded = kind("shard").is_some();
        let sql = sql(change, &of_columns, sharded);
        let statement = statements.iter().position(|known| *known == sql).unwrap_or_else(|| {
            statements.push(sql);
            statements.len() - 1
        });
        match batches.iter_mut().find(|batch| batch.statement == statement) {
            Some(batch) => batch.changes.push(change),
            None => batches.push(Batch { statement, changes: vec![change], types: of_columns, sharded }),
        }
    }
    Ok(batches)
}

/// The statement: values, then the key, then the shard.
fn sql(change: &RowChange, types: &[String], sharded: bool) -> String {
    let quoted = |cells: &[(String, Cell)]| -> Vec<String> {
        cells.iter().map(|(name, _)| format!("\"{name}\"")).collect()
    };
    let (values, mut key) = (quoted(&change.values), quoted(&change.key));
    let mut types = types.to_vec();
    if sharded {
        key.push("shard".to_owned());
        types.push("smallint".to_owned());
    }
    let places: Vec<String> =
        types.iter().enumerate().map(|(at, of)| format!("${}::{of}[]", at + 1)).collect();
    let all = [&values[..], &key[..]].concat().join(", ");
    let (table, rows) = (&change.table, format!("unnest({}) AS w ({all})", places.join(", ")));
    let equal = |names: &[String], left: &str, between: &str| {
        names.iter().map(|name| format!("{left}{name} = w.{name}")).collect::<Vec<_>>().join(between)
    };
    // The shard before the rest, and its equality in disguise, as the store asks for it: else a plan may walk the table.
    key.rotate_right(usize::from(sharded));
    let first = format!("t.{0} = ANY (ARRAY[w.{0}])", key[0]);
    let found = [first, equal(&key[1..], "t.", " AND ")].join(" AND ");
    match change.kind {
        Kind::Insert => format!("INSERT INTO {table} ({all}) SELECT {all} FROM {rows}"),
        Kind::Update => {
            format!("UPDATE {table} t SET {} FROM {rows} WHERE {found}", equal(&values, "", ", "))
        }
        Kind::Delete => format!("DELETE FROM {table} t USING {rows} WHERE {found}"),
    }
}

impl Batch<'_> {
    fn request(&self, group: Range<u64>, people: u64) -> Request {
        let mut columns: Vec<Column> = Vec::new();
        for (place, of) in self.types.iter().enumerate() {
            let cells = || {
                self.changes.iter().flat_map(|change| {
                    let cell = change.values.iter().chain(&change.key).nth(place).map(|(_, cell)| cell);
                    group.clone().map(move |at| (cell, at))
                })
            };
            let number = |(cell, at): (Option<&Cell>, u64)| integer(cell?, at);
            columns.push(match &**of {
                "bigint" => Box::new(cells().map(number).collect::<Vec<_>>()),
                "integer" => Box::new(cells().map(|cell| Some(number(cell)? as i32)).collect::<Vec<_>>()),
                "smallint" => Box::new(cells().map(|cell| Some(number(cell)? as i16)).collect::<Vec<_>>()),
                "boolean" => Box::new(cells().map(|cell| Some(number(cell)? != 0)).collect::<Vec<_>>()),
                "double precision" => Box::new(cells().map(|(cell, _)| real(cell?)).collect::<Vec<_>>()),
                _ => Box::new(cells().map(|(cell, at)| text(cell?, at, people)).collect::<Vec<_>>()),
            });
        }
        if self.sharded {
            let shard = |change: &RowChange, at| {
                let owner = change.owner().and_then(|owner| owner.id(at)).unwrap_or(0);
                tyer_store::shard_of(InstanceId(owner))
            };
            let of = self.changes.iter().flat_map(|change| group.clone().map(move |at| shard(change, at)));
            columns.push(Box::new(of.collect::<Vec<i16>>()));
        }
        (self.statement, columns)
    }
}

fn integer(cell: &Cell, at: u64) -> Option<i64> {
    if let Cell::Integer(number) = cell { Some(*number) } else { cell.id(at) }
}

fn real(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Real(number) => Some(*number),
        Cell::Integer(number) => Some(*number as f64),
        Cell::Null | Cell::Text(_) | Cell::Id(_) | Cell::Order | Cell::Person => None,
    }
}

fn text(cell: &Cell, at: u64, people: u64) -> Option<String> {
    if let Cell::Text(text) = cell { Some(text.clone()) } else { cell.name(at, people) }
}
