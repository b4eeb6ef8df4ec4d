//! Ended instances that are over, forgotten a few at a time.
//!
//! **Invariant:** an instance that another node works on, or forgets, is left to it.

use tyer_engine::{InstanceId, Timestamp};

use crate::error::Error;
use crate::postgres::connection::{Connection, Parameter, Request, column};
use crate::postgres::load;
use crate::postgres::pool::Pool;
use crate::postgres::views::rows_at_most;
use crate::shard::shard;
use crate::tenant::Tenant;
use crate::upkeep::{ForgetPlace, Forgotten, Over};

const ENDED: &str = "SELECT i.id, i.ended_at, coalesce(p.key, ''), i.parent
    FROM process_instance i LEFT JOIN process_definition p ON p.id = i.definition
    WHERE i.tenant = $1::text AND i.ended_at < $2::bigint AND (i.ended_at, i.id) > ($3::bigint, $4::bigint)
    ORDER BY i.ended_at, i.id LIMIT $5::bigint";
/// Locked against others who forget; what another works on is skipped.
const LOCK: &str = "SELECT i.id FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN process_instance i ON i.shard = w.shard AND i.id = w.id WHERE i.ended_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM inbox e WHERE e.sender = i.id OR (e.shard = i.shard AND e.target = i.id))
    AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.shard = i.shard AND o.instance = i.id)
    FOR UPDATE OF i SKIP LOCKED";
const ALIVE: &str = "SELECT i.id FROM unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
    JOIN process_instance i ON i.shard = w.shard AND i.id = w.id WHERE i.ended_at IS NULL";
const NEXT_TENANT: &str = "SELECT min(tenant) FROM process_definition WHERE tenant > $1::text";

macro_rules! delete {
    ($table:literal) => {
        concat!(
            "DELETE FROM ",
            $table,
            " t USING unnest($1::smallint[], $2::bigint[]) AS w (shard, id) WHERE t.shard = w.shard AND t.instance = w.id"
        )
    };
}
/// The instance's own row goes last.
const DELETE: [&str; 14] = [
    delete!("history"),
    delete!("variables"),
    delete!("variable_index"),
    delete!("compensation_record"),
    delete!("saga"),
    delete!("incident"),
    delete!("scope"),
    delete!("subscription"),
    delete!("timer"),
    delete!("task_candidate"),
    delete!("user_task"),
    delete!("token"),
    "DELETE FROM idempotency t USING unnest($1::smallint[], $2::bigint[]) AS w (shard, id) WHERE t.instance = w.id",
    "DELETE FROM process_instance t USING unnest($1::smallint[], $2::bigint[]) AS w (shard, id)
     WHERE t.shard = w.shard AND t.id = w.id",
];

pub(super) async fn forget(
    pool: &Pool,
    over: &Over,
    after: Option<ForgetPlace>,
    limit: usize,
) -> Result<Forgotten, Error> {
    let mut place = after.unwrap_or_else(|| over.begin());
    let connection = pool.take().await?;
    connection.run("BEGIN").await?;
    let parameters: Vec<Parameter<'_>> = vec![
        Box::new(place.tenant.to_string()),
        Box::new(over.latest().0),
        Box::new(place.ended.0),
        Box::new(place.id.0),
        Box::new(rows_at_most(limit)),
    ];
    let rows = connection.query(Request { sql: ENDED, parameters }).await?;
    let mut wanted = Vec::new();
    for row in &rows {
        (place.id, place.ended) = (InstanceId(row.get(0)), Timestamp(row.get(1)));
        if over.has(row.get(2), place.ended) {
            wanted.push((place.id, row.get::<_, Option<i64>>(3).map(InstanceId)));
        }
    }
    let instances = unneeded(&connection, wanted).await?;
    if !instances.is_empty() {
        let requests = DELETE.map(|sql| Request { sql, parameters: keys(&instances) });
        connection.together(None, &requests, None).await?;
    }
    let next = match (rows.len() == limit, &over.tenant) {
        (true, _) => Some(place),
        (false, Some(_)) => None,
        (false, None) => next_tenant(&connection, &place.tenant).await?,
    };
    connection.run("COMMIT").await?;
    connection.give_back();
    Ok(Forgotten { instances, next })
}

/// Those whose callers do not live, that have nothing to say any more, and that nobody works on: locked.
async fn unneeded(
    connection: &Connection,
    wanted: Vec<(InstanceId, Option<InstanceId>)>,
) -> Result<Vec<InstanceId>, Error> {
    let callers: Vec<InstanceId> = wanted.iter().filter_map(|(_, caller)| *caller).collect();
    let ids = async |sql, ids: &[InstanceId]| -> Result<Vec<InstanceId>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let rows = connection.query(Request { sql, parameters: keys(ids) }).await?;
        Ok(rows.iter().map(|row| InstanceId(row.get(0))).collect())
    };
    let alive = ids(ALIVE, &callers).await?;
    let free = |caller: &Option<InstanceId>| caller.is_none_or(|caller| !alive.contains(&caller));
    let free: Vec<InstanceId> = wanted.iter().filter(|(_, caller)| free(caller)).map(|(id, _)| *id).collect();
    ids(LOCK, &free).await
}

fn keys<'a>(ids: &[InstanceId]) -> Vec<Parameter<'a>> {
    vec![column(ids, |id| shard(*id)), column(ids, |id| id.0)]
}

async fn next_tenant(connection: &Connection, tenant: &Tenant) -> Result<Option<ForgetPlace>, Error> {
    let parameters: Vec<Parameter<'_>> = vec![Box::new(tenant.to_string())];
    let rows = connection.query(Request { sql: NEXT_TENANT, parameters }).await?;
    let next = rows.first().filter(|row| row.get::<_, Option<&str>>(0).is_some());
    Ok(next.map(|row| ForgetPlace::first_of(load::tenant(row, 0))))
}
