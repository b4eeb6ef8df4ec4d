//! Ended instances that are over, forgotten a few at a time.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use tyer_engine::{InstanceId, Timestamp};

use crate::error::Error;
use crate::sqlite::{at_most, complaint, load};
use crate::tenant::Tenant;
use crate::upkeep::{ForgetPlace, Forgotten, OF_INSTANCE, Over};

/// In the order of their end; whether somebody needs it.
const ENDED: &str =
    "SELECT i.id, i.ended_at, coalesce(p.key, ''),
        EXISTS (SELECT 1 FROM process_instance x WHERE x.id = i.parent AND x.ended_at IS NULL)
        OR EXISTS (SELECT 1 FROM inbox e WHERE e.sender = i.id OR e.target = i.id)
        OR EXISTS (SELECT 1 FROM outbox o WHERE o.instance = i.id)
    FROM process_instance i INDEXED BY process_instance_ended LEFT JOIN process_definition p ON p.id = i.definition
    WHERE i.tenant = ?1 AND i.ended_at < ?2 AND (i.ended_at, i.id) > (?3, ?4) ORDER BY i.ended_at, i.id LIMIT ?5";
const NEXT_TENANT: &str = "SELECT tenant FROM process_definition WHERE tenant > ?1 ORDER BY tenant LIMIT 1";

pub(super) fn forget(
    connection: &mut Connection,
    over: &Over,
    after: Option<ForgetPlace>,
    limit: usize,
) -> Result<Forgotten, Error> {
    step(connection, over, after, limit).map_err(complaint)
}

fn step(
    connection: &mut Connection,
    over: &Over,
    after: Option<ForgetPlace>,
    limit: usize,
) -> rusqlite::Result<Forgotten> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut place = after.unwrap_or_else(|| over.begin());
    let (mut forgotten, mut looked_at) = (Vec::new(), 0);
    {
        let mut find = transaction.prepare_cached(ENDED)?;
        let key = params![place.tenant.as_str(), over.latest().0, place.ended.0, place.id.0, at_most(limit)];
        let mut rows = find.query(key)?;
        while let Some(row) = rows.next()? {
            looked_at += 1;
            (place.id, place.ended) = (InstanceId(row.get(0)?), Timestamp(row.get(1)?));
            let needed: bool = row.get(3)?;
            if !needed && over.has(row.get_ref(2)?.as_str()?, place.ended) {
                forgotten.push(place.id);
            }
        }
    }
    for table in OF_INSTANCE {
        let mut delete = transaction.prepare_cached(&format!("DELETE FROM {table} WHERE instance = ?1"))?;
        forgotten.iter().try_for_each(|id| delete.execute([id.0]).map(drop))?;
    }
    for id in &forgotten {
        transaction.prepare_cached("DELETE FROM process_instance WHERE id = ?1")?.execute([id.0])?;
    }
    let next = match (looked_at == limit, &over.tenant) {
        (true, _) => Some(place),
        (false, Some(_)) => None,
        (false, None) => next_tenant(&transaction, &place.tenant)?,
    };
    if !forgotten.is_empty() {
        transaction.commit()?;
    }
    Ok(Forgotten { instances: forgotten, next })
}

fn next_tenant(connection: &Connection, tenant: &Tenant) -> rusqlite::Result<Option<ForgetPlace>> {
    let mut find = connection.prepare_cached(NEXT_TENANT)?;
    let next = find.query_row([tenant.as_str()], |row| load::tenant(row, 0)).optional()?;
    Ok(next.map(ForgetPlace::first_of))
}
