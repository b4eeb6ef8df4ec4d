//! The commit protocol on SQLite: check, write set-wise, commit.

use std::cell::RefCell;
use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use tyer_engine::{InstanceId, Number};

use crate::chain::{self, Facts, Written};
use crate::error::Error;
use crate::mail::Take;
use crate::sqlite::{complaint, mail, write};
use crate::tenant::Tenant;
use crate::turn::{Outcome, Turn, TurnKey};

/// What became of each turn, and the rows that were written: freeing them can wait until the answers are out.
pub(super) fn commit(
    connection: &mut Connection,
    batch: Vec<Turn>,
) -> Result<(Vec<Outcome>, Vec<Written>), Error> {
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(complaint)?;
    let rows = Rows { transaction: &transaction, before: RefCell::default() };
    let outcomes = chain::judge(&batch, &rows)?;
    let before = rows.before.into_inner();
    let written = chain::coalesce(batch, &outcomes);
    if !written.is_empty() {
        write::write(&transaction, &written, &before).map_err(complaint)?;
        transaction.commit().map_err(unknown_unless_the_disk_failed)?;
    }
    Ok((outcomes, written))
}

/// A disk that failed is named as such: whether the commit happened is then known when the file is opened anew.
fn unknown_unless_the_disk_failed(error: rusqlite::Error) -> Error {
    let error = complaint(error);
    if matches!(error, Error::DiskFailed(_)) { error } else { Error::Unknown(error.to_string()) }
}

pub(super) fn settle(connection: &mut Connection, turns: &[TurnKey]) -> Result<Vec<bool>, Error> {
    let mut find = connection
        .prepare_cached("SELECT turn FROM history WHERE instance = ?1 AND first_seq = ?2")
        .map_err(complaint)?;
    let mut durable = Vec::with_capacity(turns.len());
    for key in turns {
        let found: Option<i64> = find
            .query_row(params![key.instance.0, key.first_seq], |row| row.get(0))
            .optional()
            .map_err(complaint)?;
        durable.push(found == Some(key.turn));
    }
    Ok(durable)
}

/// What the file says; nobody else writes to it.
struct Rows<'a> {
    transaction: &'a Transaction<'a>,
    before: RefCell<Before>,
}

/// What the check has seen of rows that are about to change. SQLite takes an entry out of an index and puts it back in
/// whenever a statement names one of its columns, so columns that stay as they are should not be named.
#[derive(Default)]
pub(super) struct Before {
    /// The definitions of instances that run.
    running: HashMap<InstanceId, i64>,
    /// The nodes whose workers hold jobs with no end set.
    holders: HashMap<(InstanceId, Number), Option<u16>>,
}

impl Before {
    /// The instance ran, under the same definition.
    pub(super) fn ran(&self, instance: InstanceId, definition: i64) -> bool {
        self.running.get(&instance) == Some(&definition)
    }

    /// The token's job was with this node, with no end set.
    pub(super) fn held(&self, instance: InstanceId, token: Number, node: Option<u16>) -> bool {
        self.holders.get(&(instance, token)) == Some(&node)
    }
}

impl Facts for Rows<'_> {
    fn version(&self, instance: InstanceId) -> Result<Option<u64>, Error> {
        let sql = "SELECT version, definition, status = 'running' FROM process_instance WHERE id = ?1";
        let found = self.find(sql, [instance.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let Some((version, definition, running)) = found else { return Ok(None) };
        if running {
            self.before.borrow_mut().running.insert(instance, definition);
        }
        Ok(Some(version))
    }

    fn lease(&self, instance: InstanceId, token: Number) -> Result<Option<(Number, u32)>, Error> {
        let sql = "SELECT job, lease, lease_node, lease_until IS NULL FROM token
            WHERE instance = ?1 AND n = ?2 AND status = 'executing'";
        let found = self.find(sql, params![instance.0, token], |row| {
            Ok(((row.get(0)?, row.get(1)?), row.get(2)?, row.get(3)?))
        })?;
        let Some((lease, node, endless)) = found else { return Ok(None) };
        if endless {
            self.before.borrow_mut().holders.insert((instance, token), node);
        }
        Ok(Some(lease))
    }

    fn newest(&self, tenant: &Tenant, process: &str) -> Result<Option<i64>, Error> {
        let sql =
            "SELECT id FROM process_definition WHERE tenant = ?1 AND key = ?2 ORDER BY version DESC LIMIT 1";
        self.find(sql, [tenant.as_str(), process], |row| row.get(0))
    }

    fn idempotency_key(&self, tenant: &Tenant, key: &str) -> Result<Option<InstanceId>, Error> {
        let sql = "SELECT instance FROM idempotency WHERE tenant = ?1 AND key = ?2";
        self.find(sql, [tenant.as_str(), key], |row| row.get(0).map(InstanceId))
    }

    fn is_free(&self, instance: InstanceId, token: Number) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM token WHERE instance = ?1 AND n = ?2 AND status <> 'executing'";
        Ok(self.find(sql, params![instance.0, token], |_| Ok(()))?.is_some())
    }

    fn start_key(&self, tenant: &Tenant, process: &str, key: &str) -> Result<Option<InstanceId>, Error> {
        let sql = "SELECT instance FROM start_key WHERE tenant = ?1 AND process = ?2 AND key = ?3";
        self.find(sql, [tenant.as_str(), process, key], |row| row.get(0).map(InstanceId))
    }

    fn can_take(&self, take: &Take) -> Result<bool, Error> {
        mail::can_take(self.transaction, take).map_err(complaint)
    }
}

impl Rows<'_> {
    fn find<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Error> {
        let mut statement = self.transaction.prepare_cached(sql).map_err(complaint)?;
        statement.query_row(params, read).optional().map_err(complaint)
    }
}
