//! What turns take from others: locked, and read as it is then.

use tokio_postgres::Row;
use tyer_engine::InstanceId;
use tyer_map::{Map, Set};

use crate::error::Error;
use crate::mail::{StartEventKey, Take};
use crate::postgres::connection::{Request, column};
use crate::postgres::write::number;
use crate::shard::shard;
use crate::tenant::Tenant;
use crate::turn::Turn;

/// Whoever has locked an errand is about to do it.
const LOCK_ERRANDS: &str = "SELECT e.id FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN inbox e ON e.shard = ANY (ARRAY[w.shard]) AND e.id = w.id FOR UPDATE OF e SKIP LOCKED";
/// Others may take the same message for another process: they are waited for.
const LOCK_MESSAGES: &str = "SELECT id FROM message WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE";
/// A subscription is taken by the turn of its instance, which is locked. What begins an instance has only this lock.
const LOCK_SIGNALS: &str = "SELECT id FROM signal WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE";
const FIND_SIGNALS: &str = "SELECT id, id FROM signal WHERE id = ANY ($1::bigint[])";
/// `OFFSET` keeps the planner from walking a table that it believes to be empty.
const FIND_TAKEN: &str = "SELECT t.letter, t.taker FROM unnest($1::bigint[], $2::text[]) AS w (letter, taker)
    CROSS JOIN LATERAL (SELECT t.letter, t.taker FROM taken t WHERE t.letter = w.letter AND t.taker = w.taker OFFSET 0) AS t";
const LOCK_STARTS: &str = "SELECT s.definition, s.node, s.position, s.due_at
    FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS w (definition, node, position)
    JOIN start_event s ON s.definition = ANY (ARRAY[w.definition]) AND (s.node, s.position) = (w.node, w.position)
    WHERE s.due_at IS NOT NULL FOR UPDATE OF s SKIP LOCKED";
const FIND_START_KEYS: &str = "SELECT k.tenant, k.process, k.key, k.instance
    FROM unnest($1::text[], $2::text[], $3::text[]) AS w (tenant, process, key)
    JOIN start_key k ON k.tenant = ANY (ARRAY[w.tenant]) AND (k.process, k.key) = (w.process, w.key)";

/// What the test of the plans looks at.
#[cfg(test)]
pub(in crate::postgres) const STATEMENTS: [&str; 4] =
    [LOCK_ERRANDS, FIND_TAKEN, LOCK_STARTS, FIND_START_KEYS];

/// What a batch takes.
#[derive(Default)]
pub(super) struct WantedMail<'a> {
    errands: Vec<(InstanceId, i64)>,
    messages: Vec<i64>,
    beginning_signals: Vec<i64>,
    signals: Vec<i64>,
    takers: Vec<(i64, &'a str)>,
    starts: Vec<&'a StartEventKey>,
    start_keys: Vec<(&'a str, &'a str, &'a str)>,
}

/// What the database said of it.
#[derive(Default)]
pub(super) struct CheckedMail {
    errands: Set<i64>,
    letters: Set<i64>,
    taken: Set<(i64, String)>,
    starts: Map<StartEventKey, i64>,
    start_keys: Map<(String, String, String), InstanceId>,
}

impl<'a> WantedMail<'a> {
    pub(super) fn add(&mut self, turn: &'a Turn) {
        let start_key = turn.start_key().map(|(tenant, process, key)| (tenant.as_str(), process, key));
        self.start_keys.extend(start_key);
        match &turn.mail.takes {
            None => {}
            Some(Take::Errand { target, id }) => self.errands.push((*target, *id)),
            Some(Take::Message { id, taker }) => {
                self.messages.push(*id);
                self.takers.push((*id, taker));
            }
            Some(Take::Signal { id, taker }) => {
                if turn.is_start() {
                    self.beginning_signals.push(*id)
                } else {
                    self.signals.push(*id)
                }
                self.takers.push((*id, taker));
            }
            Some(Take::StartTimer { event, .. }) => self.starts.push(event),
        }
    }

    pub(super) fn requests(&self, requests: &mut Vec<Request<'a>>) {
        let mut ask = |sql, some: bool, parameters: &dyn Fn() -> Vec<_>| {
            if some {
                requests.push(Request { sql, parameters: parameters() });
            }
        };
        ask(LOCK_MESSAGES, !self.messages.is_empty(), &|| vec![Box::new(self.messages.clone())]);
        let beginning = &self.beginning_signals;
        ask(LOCK_SIGNALS, !beginning.is_empty(), &|| vec![Box::new(beginning.clone())]);
        ask(FIND_SIGNALS, !self.signals.is_empty(), &|| vec![Box::new(self.signals.clone())]);
        ask(LOCK_ERRANDS, !self.errands.is_empty(), &|| {
            vec![column(&self.errands, |(target, _)| shard(*target)), column(&self.errands, |(_, id)| *id)]
        });
        ask(LOCK_STARTS, !self.starts.is_empty(), &|| {
            vec![
                column(&self.starts, |event| event.definition),
                column(&self.starts, |event| event.node.as_str()),
                column(&self.starts, |event| i64::from(event.position)),
            ]
        });
        ask(FIND_TAKEN, !self.takers.is_empty(), &|| {
            vec![column(&self.takers, |(id, _)| *id), column(&self.takers, |(_, taker)| *taker)]
        });
        ask(FIND_START_KEYS, !self.start_keys.is_empty(), &|| {
            vec![
                column(&self.start_keys, |(tenant, ..)| *tenant),
                column(&self.start_keys, |(_, process, _)| *process),
                column(&self.start_keys, |(.., key)| *key),
            ]
        });
    }
}

impl CheckedMail {
    pub(super) fn note(&mut self, sql: &str, rows: &[Row]) -> Result<(), Error> {
        match sql {
            LOCK_ERRANDS => self.errands = rows.iter().map(|row| row.get(0)).collect(),
            LOCK_MESSAGES | LOCK_SIGNALS | FIND_SIGNALS => {
                self.letters.extend(rows.iter().map(|row| row.get::<_, i64>(0)));
            }
            FIND_TAKEN => self.taken = rows.iter().map(|row| (row.get(0), row.get(1))).collect(),
            LOCK_STARTS => {
                for row in rows {
                    let (definition, node, position) = (row.get(0), row.get(1), number(row.get(2))?);
                    self.starts.insert(StartEventKey { definition, node, position }, row.get(3));
                }
            }
            _ => {
                let key = |row: &Row| (row.get(0), row.get(1), row.get(2));
                self.start_keys = rows.iter().map(|row| (key(row), InstanceId(row.get(3)))).collect();
            }
        }
        Ok(())
    }

    pub(super) fn can_take(&self, take: &Take) -> bool {
        match take {
            Take::Errand { id, .. } => self.errands.contains(id),
            Take::Message { id, taker } | Take::Signal { id, taker } => {
                self.letters.contains(id) && !self.taken.contains(&(*id, taker.clone()))
            }
            Take::StartTimer { event, due, .. } => self.starts.get(event) == Some(&due.0),
        }
    }

    pub(super) fn start_key(&self, tenant: &Tenant, process: &str, key: &str) -> Option<InstanceId> {
        let key = (tenant.to_string(), process.to_owned(), key.to_owned());
        self.start_keys.get(&key).copied()
    }
}
