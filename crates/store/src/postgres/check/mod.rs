//! The first half of a commit: everything that the turns rely on is locked, and read as it is then.
//!
//! **Invariant:** locks that another transaction may hold for long (an instance's row) are skipped, never waited for.
//! What is waited for is taken in one order by everyone: keys, then new ids, then messages, each ascending. So no two
//! batches wait for each other.
//! **Invariant:** a new instance's row is inserted here, before the commit is sent: whoever settles an unknown outcome
//! can wait for it.

mod mail;

use std::collections::HashMap;

use tokio_postgres::Row;
use tyer_engine::{InstanceId, Number, Timestamp};

use crate::chain::Facts;
use crate::error::Error;
use crate::mail::Take;
use crate::postgres::connection::{Connection, Parameter, Request, column};
use crate::postgres::{load, write};
use crate::rows::InstanceRow;
use crate::shard::shard;
use crate::tenant::Tenant;
use crate::turn::Turn;
use mail::{CheckedMail, WantedMail};
use tyer_map::{Map, Set};

pub(super) const REMEMBER_KEYS: &str = "INSERT INTO idempotency (tenant, key, instance, at)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
    ON CONFLICT DO NOTHING RETURNING tenant, key";
const FIND_NEWEST: &str =
    "SELECT DISTINCT ON (p.tenant, p.key) p.tenant, p.key, p.id FROM unnest($1::text[], $2::text[]) AS w (tenant, key)
    JOIN process_definition p ON p.tenant = w.tenant AND p.key = w.key ORDER BY p.tenant, p.key, p.version DESC";
const FIND_KEYS: &str =
    "SELECT i.tenant, i.key, i.instance FROM unnest($1::text[], $2::text[]) AS w (tenant, key)
    JOIN idempotency i ON i.tenant = w.tenant AND i.key = w.key";
const LOCK_INSTANCES: &str = "SELECT i.id, i.version
    FROM unnest($1::smallint[], $2::bigint[]) AS wanted (shard, id)
    JOIN process_instance i ON i.shard = ANY (ARRAY[wanted.shard]) AND i.id = wanted.id
    FOR UPDATE OF i SKIP LOCKED";
const LOCK_LEASES: &str = "SELECT t.instance, t.n, t.job, t.lease
    FROM unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS wanted (shard, instance, n)
    JOIN token t ON t.shard = ANY (ARRAY[wanted.shard]) AND (t.instance, t.n) = (wanted.instance, wanted.n)
    WHERE t.status = 'executing' AND t.job IS NOT NULL
    FOR UPDATE OF t SKIP LOCKED";
/// A claim that is being committed is not waited for: the turn is stepped again.
const LOCK_FREE: &str = "SELECT t.instance, t.n
    FROM unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS wanted (shard, instance, n)
    JOIN token t ON t.shard = ANY (ARRAY[wanted.shard]) AND (t.instance, t.n) = (wanted.instance, wanted.n)
    WHERE t.status <> 'executing' FOR UPDATE OF t SKIP LOCKED";
const WAIT_FOR_LEASES: &str = "SELECT t.instance, t.n, t.job, t.lease
    FROM unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS wanted (shard, instance, n)
    JOIN token t ON t.shard = ANY (ARRAY[wanted.shard]) AND (t.instance, t.n) = (wanted.instance, wanted.n)
    WHERE t.status = 'executing' AND t.job IS NOT NULL
    FOR UPDATE OF t";

/// What the test of the plans looks at.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 4] = [LOCK_INSTANCES, LOCK_LEASES, LOCK_FREE, WAIT_FOR_LEASES];

#[cfg(test)]
pub(super) use mail::STATEMENTS as OF_MAIL;

/// A name of a tenant.
pub(super) type Named<'a> = (&'a Tenant, &'a str);

/// What a batch relies on.
pub(super) struct Wanted<'a> {
    processes: Vec<Named<'a>>,
    keys: Vec<(Named<'a>, InstanceId, Timestamp)>,
    starts: Vec<(InstanceId, &'a InstanceRow)>,
    instances: Vec<InstanceId>,
    leases: Vec<(InstanceId, Number)>,
    unclaimed: Vec<(InstanceId, Number)>,
    mail: WantedMail<'a>,
}

/// What the database said, locked until the transaction ends.
#[derive(Default)]
pub(super) struct Checked {
    /// Keys that this transaction has inserted, with the instance they were inserted for.
    pub(super) new_keys: Map<(Tenant, String), InstanceId>,
    /// Instances whose row this transaction has inserted, with the version it has.
    pub(super) started: Map<InstanceId, u64>,
    newest: HashMap<(Tenant, String), i64>,
    known_keys: HashMap<(Tenant, String), InstanceId>,
    known_starts: Set<InstanceId>,
    versions: HashMap<InstanceId, u64>,
    leases: HashMap<(InstanceId, Number), (Number, u32)>,
    free: Set<(InstanceId, Number)>,
    mail: CheckedMail,
}

impl Facts for Checked {
    fn version(&self, instance: InstanceId) -> Result<Option<u64>, Error> {
        // A start whose id is taken holds at no version.
        let taken = self.known_starts.contains(&instance).then_some(u64::MAX);
        Ok(taken.or_else(|| self.versions.get(&instance).copied()))
    }

    fn lease(&self, instance: InstanceId, token: Number) -> Result<Option<(Number, u32)>, Error> {
        Ok(self.leases.get(&(instance, token)).copied())
    }

    fn newest(&self, tenant: &Tenant, process: &str) -> Result<Option<i64>, Error> {
        Ok(self.newest.get(&(tenant.clone(), process.to_owned())).copied())
    }

    fn idempotency_key(&self, tenant: &Tenant, key: &str) -> Result<Option<InstanceId>, Error> {
        Ok(self.known_keys.get(&(tenant.clone(), key.to_owned())).copied())
    }

    fn is_free(&self, instance: InstanceId, token: Number) -> Result<bool, Error> {
        Ok(self.free.contains(&(instance, token)))
    }

    fn start_key(&self, tenant: &Tenant, process: &str, key: &str) -> Result<Option<InstanceId>, Error> {
        Ok(self.mail.start_key(tenant, process, key))
    }

    fn can_take(&self, take: &Take) -> Result<bool, Error> {
        Ok(self.mail.can_take(take))
    }
}

/// Begins the transaction.
pub(super) async fn check(connection: &Connection, batch: &[Turn]) -> Result<Checked, Error> {
    let wanted = Wanted::of(batch);
    let answers = connection.together(Some("BEGIN"), &wanted.requests(), None).await?;
    wanted.checked(connection, &answers).await
}

impl<'a> Wanted<'a> {
    pub(super) fn of(batch: &'a [Turn]) -> Wanted<'a> {
        let mut keys = Map::new();
        let mut starts = Map::new();
        let (mut instances, mut leases, mut processes) = (Set::new(), Set::new(), Set::new());
        let (mut unclaimed, mut mail) = (Set::new(), WantedMail::default());
        for turn in batch {
            let id = turn.key.instance;
            if let Some(key) = turn.idempotency_key() {
                keys.entry(key).or_insert((id, turn.changes.instance.started_at));
            }
            if turn.is_start() || starts.contains_key(&id) {
                // If all goes well the row is written once, as the last turn of the chain leaves it.
                starts.insert(id, &turn.changes.instance);
            } else {
                instances.insert(id);
            }
            processes.extend(turn.newest_of());
            leases.extend(turn.relies.lease.map(|(token, ..)| (id, token)));
            unclaimed.extend(turn.relies.unclaimed.iter().map(|token| (id, *token)));
            mail.add(turn);
        }
        Wanted {
            processes: processes.into_iter().collect(),
            keys: keys.into_iter().map(|(key, (id, at))| (key, id, at)).collect(),
            starts: starts.into_iter().collect(),
            instances: instances.into_iter().collect(),
            leases: leases.into_iter().collect(),
            unclaimed: unclaimed.into_iter().collect(),
            mail,
        }
    }

    /// What the answers to its requests say, and what has to be asked because of it.
    pub(super) async fn checked(
        &self,
        connection: &Connection,
        answers: &[Vec<Row>],
    ) -> Result<Checked, Error> {
        let mut checked = Checked::default();
        for (request, rows) in self.requests().iter().zip(answers) {
            checked.note(request.sql, rows, self)?;
        }
        checked.find_known_keys(connection, self).await?;
        checked.wait_for_leases(connection, self).await?;
        Ok(checked)
    }

    pub(super) fn requests(&self) -> Vec<Request<'_>> {
        let mut requests = Vec::new();
        if !self.processes.is_empty() {
            requests.push(Request { sql: FIND_NEWEST, parameters: named(&self.processes) });
        }
        if !self.keys.is_empty() {
            requests.push(remember_keys(&self.keys));
        }
        if !self.starts.is_empty() {
            requests.push(write::insert_instances(&self.starts));
        }
        if !self.instances.is_empty() {
            let parameters =
                vec![column(&self.instances, |id| shard(*id)), column(&self.instances, |id| id.0)];
            requests.push(Request { sql: LOCK_INSTANCES, parameters });
        }
        if !self.leases.is_empty() {
            requests.push(leases(LOCK_LEASES, &self.leases));
        }
        if !self.unclaimed.is_empty() {
            requests.push(leases(LOCK_FREE, &self.unclaimed));
        }
        self.mail.requests(&mut requests);
        requests
    }
}

impl Checked {
    fn note(&mut self, sql: &str, rows: &[Row], wanted: &Wanted<'_>) -> Result<(), Error> {
        match sql {
            REMEMBER_KEYS => {
                let new: Set<(&str, &str)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
                let mine =
                    wanted.keys.iter().filter(|((tenant, key), ..)| new.contains(&(tenant.as_str(), key)));
                self.new_keys = mine.map(|(key, id, _)| (owned(*key), *id)).collect();
            }
            write::INSERT_INSTANCES => {
                let new: Set<i64> = rows.iter().map(|row| row.get(0)).collect();
                for (id, row) in &wanted.starts {
                    match new.contains(&id.0) {
                        true => drop(self.started.insert(*id, row.version)),
                        false => drop(self.known_starts.insert(*id)),
                    }
                }
            }
            FIND_NEWEST => self.newest = rows.iter().map(|row| (name(row), row.get(2))).collect(),
            LOCK_INSTANCES => {
                self.versions = rows
                    .iter()
                    .map(|row| (InstanceId(row.get(0)), row.get::<_, i64>(1).cast_unsigned()))
                    .collect();
            }
            LOCK_LEASES => self.note_leases(rows)?,
            LOCK_FREE => {
                for row in rows {
                    self.free.insert((InstanceId(row.get(0)), write::number(row.get(1))?));
                }
            }
            _ => self.mail.note(sql, rows)?,
        }
        Ok(())
    }

    fn note_leases(&mut self, rows: &[Row]) -> Result<(), Error> {
        for row in rows {
            let token = (InstanceId(row.get(0)), write::number(row.get(1))?);
            self.leases.insert(token, (write::number(row.get(2))?, write::number(row.get(3))?));
        }
        Ok(())
    }

    /// Whom do the keys belong to that were there before?
    async fn find_known_keys(&mut self, connection: &Connection, wanted: &Wanted<'_>) -> Result<(), Error> {
        let keys = wanted.keys.iter().map(|(key, ..)| *key);
        let known: Vec<Named<'_>> = keys.filter(|key| !self.new_keys.contains_key(&owned(*key))).collect();
        if !known.is_empty() {
            let rows = connection.query(Request { sql: FIND_KEYS, parameters: named(&known) }).await?;
            self.known_keys = rows.iter().map(|row| (name(row), InstanceId(row.get(2)))).collect();
        }
        Ok(())
    }

    /// A lease that was not found is lost, or its row is locked for the moment of a claim or an extension. Of an instance
    /// that is ours no other batch can hold it, so waiting is short and in no circle.
    async fn wait_for_leases(&mut self, connection: &Connection, wanted: &Wanted<'_>) -> Result<(), Error> {
        let missing: Vec<(InstanceId, Number)> = wanted
            .leases
            .iter()
            .filter(|lease| !self.leases.contains_key(lease) && self.versions.contains_key(&lease.0))
            .copied()
            .collect();
        if !missing.is_empty() {
            let rows = connection.query(leases(WAIT_FOR_LEASES, &missing)).await?;
            self.note_leases(&rows)?;
        }
        Ok(())
    }
}

fn owned((tenant, key): Named<'_>) -> (Tenant, String) {
    (tenant.clone(), key.to_owned())
}

/// The first two columns of a row.
fn name(row: &Row) -> (Tenant, String) {
    (load::tenant(row, 0), row.get(1))
}

/// Two columns.
pub(super) fn named<'a>(names: &[Named<'a>]) -> Vec<Parameter<'a>> {
    vec![column(names, |(tenant, _)| tenant.as_str()), column(names, |(_, name)| *name)]
}

pub(super) fn remember_keys<'a>(keys: &[(Named<'a>, InstanceId, Timestamp)]) -> Request<'a> {
    let names: Vec<Named<'a>> = keys.iter().map(|(name, ..)| *name).collect();
    let mut parameters = named(&names);
    parameters.extend([column(keys, |(_, id, _)| id.0), column(keys, |(.., at)| at.0)]);
    Request { sql: REMEMBER_KEYS, parameters }
}

fn leases<'a>(sql: &'static str, leases: &[(InstanceId, Number)]) -> Request<'a> {
    let parameters = vec![
        column(leases, |(id, _)| shard(*id)),
        column(leases, |(id, _)| id.0),
        column(leases, |(_, token)| i64::from(*token)),
    ];
    Request { sql, parameters }
}
