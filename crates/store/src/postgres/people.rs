//! Pages of tasks: each is found by one index, and looked at for the rest.
//!
//! **Invariant:** no statement here scans a table (a test reads their plans).

use tokio_postgres::Row;
use tyer_engine::{InstanceId, ItemId};

use crate::error::Error;
use crate::filter::{TaskFilter, TaskPlace};
use crate::postgres::connection::Parameter;
use crate::postgres::load;
use crate::postgres::pool::Pool;
use crate::postgres::views::{ask, rows_at_most};
use crate::shard::shard;
use crate::views::OpenTask;

macro_rules! columns {
    () => {
        "SELECT t.instance, t.n, t.node, t.name, t.assignee, t.candidate_users, t.candidate_groups, t.form, t.priority,
        t.due_at, t.token, t.created_at FROM "
    };
}
/// What a task must be, whichever way it is found. What is not asked for is null.
macro_rules! residual {
    () => {
        " ($4::bigint IS NULL OR t.instance = $4::bigint)
        AND ($5::text IS NULL OR t.assignee = $5::text)
        AND ($6::boolean IS NULL OR $6::boolean = (t.assignee IS NOT NULL))
        AND ($7::bigint IS NULL OR t.due_at < $7::bigint)
        AND ($8::smallint IS NULL OR t.priority = $8::smallint)
        AND ($9::text IS NULL OR EXISTS (SELECT 1 FROM task_candidate c WHERE c.shard = t.shard
            AND c.instance = t.instance AND c.n = t.n AND c.kind = 'user' AND c.who = $9::text))
        AND ($10::text IS NULL OR EXISTS (SELECT 1 FROM task_candidate c WHERE c.shard = t.shard
            AND c.instance = t.instance AND c.n = t.n AND c.kind = 'group' AND c.who = $10::text))
        AND ($11::text IS NULL OR t.assignee = $11::text OR EXISTS (SELECT 1 FROM task_candidate c WHERE c.shard = t.shard
            AND c.instance = t.instance AND c.n = t.n AND c.kind = 'user' AND c.who = $11::text))"
    };
}
macro_rules! oldest {
    ($where:literal) => {
        concat!(
            columns!(),
            "user_task t WHERE t.tenant = $12::text AND ",
            $where,
            " AND (t.instance, t.n) > ($1::bigint, $2::bigint) AND",
            residual!(),
            " ORDER BY t.instance, t.n LIMIT $3::bigint"
        )
    };
}

const ALL: &str = oldest!("true");
const OF_INSTANCE: &str = oldest!("t.shard = $13::smallint AND t.instance = $4::bigint");
const OF_ASSIGNEE: &str = oldest!("t.assignee = $13::text");
const TAKEN: &str = oldest!("t.assignee IS NOT NULL");
const FREE: &str = oldest!("t.assignee IS NULL");
const URGENT: &str = oldest!("t.priority = $8::smallint AND t.priority <> 50");
const OF_CANDIDATE: &str = concat!(
    columns!(),
    "task_candidate f JOIN user_task t ON t.shard = f.shard AND t.instance = f.instance AND t.n = f.n
     WHERE f.tenant = $12::text AND f.kind = $13::text AND f.who = $14::text AND (f.instance, f.n) > ($1::bigint, $2::bigint) AND",
    residual!(),
    " ORDER BY f.instance, f.n LIMIT $3::bigint"
);
const DUE: &str = concat!(
    columns!(),
    "user_task t WHERE t.tenant = $12::text AND t.due_at < $7::bigint
     AND (t.due_at, t.instance, t.n) > ($13::bigint, $1::bigint, $2::bigint) AND",
    residual!(),
    " ORDER BY t.due_at, t.instance, t.n LIMIT $3::bigint"
);

pub(super) async fn tasks(
    pool: &Pool,
    filter: &TaskFilter,
    after: Option<TaskPlace>,
    limit: usize,
) -> Result<Vec<OpenTask>, Error> {
    let run = async |sql: &'static str, more: Vec<Parameter<'_>>| -> Result<Vec<OpenTask>, Error> {
        let mut parameters = asked(filter, after, limit);
        parameters.extend(more);
        ask(pool, sql, parameters).await?.iter().map(open_task).collect()
    };
    if filter.due_before.is_some() {
        let after_due = after.and_then(|after| after.due).map_or(i64::MIN, |due| due.0);
        run(DUE, vec![Box::new(after_due)]).await
    } else if let Some(instance) = filter.instance {
        run(OF_INSTANCE, vec![Box::new(shard(instance))]).await
    } else if let Some(who) = &filter.assignee {
        run(OF_ASSIGNEE, vec![Box::new(who.as_str())]).await
    } else if let Some(who) = &filter.candidate_user {
        run(OF_CANDIDATE, vec![Box::new("user"), Box::new(who.as_str())]).await
    } else if let Some(who) = &filter.user {
        let mut found = run(OF_ASSIGNEE, vec![Box::new(who.as_str())]).await?;
        found.extend(run(OF_CANDIDATE, vec![Box::new("user"), Box::new(who.as_str())]).await?);
        found.sort_by_key(place);
        found.dedup_by_key(|task| place(task));
        found.truncate(limit);
        Ok(found)
    } else if let Some(group) = &filter.candidate_group {
        run(OF_CANDIDATE, vec![Box::new("group"), Box::new(group.as_str())]).await
    } else if filter.priority.is_some_and(|priority| priority != 50) {
        run(URGENT, Vec::new()).await
    } else if let Some(claimed) = filter.claimed {
        run(if claimed { TAKEN } else { FREE }, Vec::new()).await
    } else {
        run(ALL, Vec::new()).await
    }
}

fn place(task: &OpenTask) -> ItemId {
    ItemId { instance: task.instance, number: task.asked.task }
}

fn asked(filter: &TaskFilter, after: Option<TaskPlace>, limit: usize) -> Vec<Parameter<'_>> {
    let after = after.map_or((0, 0), |after| (after.id.instance.0, i64::from(after.id.number)));
    vec![
        Box::new(after.0),
        Box::new(after.1),
        Box::new(rows_at_most(limit)),
        Box::new(filter.instance.map(|id| id.0)),
        Box::new(filter.assignee.as_deref()),
        Box::new(filter.claimed),
        Box::new(filter.due_before.map(|at| at.0)),
        Box::new(filter.priority.map(i16::from)),
        Box::new(filter.candidate_user.as_deref()),
        Box::new(filter.candidate_group.as_deref()),
        Box::new(filter.user.as_deref()),
        Box::new(filter.tenant.as_str()),
    ]
}

fn open_task(row: &Row) -> Result<OpenTask, Error> {
    let task = load::task(row)?;
    Ok(OpenTask {
        instance: InstanceId(row.get(0)),
        token: task.row.token,
        node: task.node,
        asked: task.row.asked,
        created_at: task.row.created_at,
    })
}

/// Every way, for the test that reads plans.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 8] =
    [ALL, OF_INSTANCE, OF_ASSIGNEE, TAKEN, FREE, URGENT, OF_CANDIDATE, DUE];
