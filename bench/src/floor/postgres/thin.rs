//! A fixed small set of rows, the same for every engine.

use anyhow::Result;

use super::{Column, connect, empty, groups};
use crate::floor::rows::Plan;
use crate::floor::{THIN_EVENTS, id};
use crate::workload::{Run, VARIABLES};

const SCHEMA: &str =
    "CREATE TABLE instance (id bigint PRIMARY KEY, version bigint NOT NULL, status text NOT NULL)
        WITH (fillfactor = 70);
    CREATE TABLE variables (instance bigint PRIMARY KEY, json text NOT NULL);
    CREATE TABLE history (instance bigint NOT NULL, seq bigint NOT NULL, events text NOT NULL,
        PRIMARY KEY (instance, seq));";
const STATEMENTS: [&str; 4] = [
    "INSERT INTO instance SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[])",
    "UPDATE instance i SET version = w.version, status = w.status
     FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS w (id, version, status) WHERE i.id = w.id",
    "INSERT INTO variables SELECT * FROM unnest($1::bigint[], $2::text[])",
    "INSERT INTO history SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[])",
];

/// An instance, its variables, and packed events for every turn.
pub(crate) async fn thin(url: &str, plan: &Plan, count: u64) -> Result<Run> {
    empty(url, "floor").await?;
    connect(url, "floor").await?.batch_execute(SCHEMA).await?;
    let turns = plan.turns();
    groups(url, count, plan.at_once, &turns, &STATEMENTS.map(str::to_owned), |at, group| {
        let ids: Vec<i64> = group.map(id).collect();
        let first = i64::try_from(turns[..at].iter().sum::<u64>()).unwrap_or(0);
        let own = i64::try_from(turns[at]).unwrap_or(1);
        let (size, rows) = (ids.len(), ids.len() * turns[at] as usize);
        let change: Vec<Column> =
            vec![Box::new(ids.clone()), Box::new(vec![first; size]), Box::new(vec!["running"; size])];
        let told: Vec<i64> = ids.iter().flat_map(|id| (0..own).map(move |_| *id)).collect();
        let seqs: Vec<i64> = ids.iter().flat_map(|_| first..first + own).collect();
        let history: Vec<Column> = vec![Box::new(told), Box::new(seqs), Box::new(vec![THIN_EVENTS; rows])];
        match at {
            0 => vec![
                (0, change),
                (2, vec![Box::new(ids) as Column, Box::new(vec![VARIABLES; size])]),
                (3, history),
            ],
            _ => vec![(1, change), (3, history)],
        }
    })
    .await
}
