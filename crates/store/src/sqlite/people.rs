//! Pages of tasks: each is found by one index, and looked at for the rest.
//!
//! **Invariant:** no statement here scans a table (a test reads their plans).

use rusqlite::{Connection, Row, ToSql};
use tyer_engine::{InstanceId, ItemId};

use crate::error::Error;
use crate::filter::{TaskFilter, TaskPlace};
use crate::sqlite::{at_most, complaint, load};
use crate::views::OpenTask;

macro_rules! columns {
    () => {
        "SELECT t.n, t.node, t.name, t.assignee, t.candidate_users, t.candidate_groups, t.form, t.priority, t.due_at,
        t.token, t.created_at, t.instance FROM "
    };
}
/// What a task must be, whichever way it is found. What is not asked for is null.
macro_rules! residual {
    () => {
        " (:instance IS NULL OR t.instance = :instance)
        AND (:assignee IS NULL OR t.assignee = :assignee)
        AND (:claimed IS NULL OR :claimed = (t.assignee IS NOT NULL))
        AND (:due IS NULL OR t.due_at < :due)
        AND (:priority IS NULL OR t.priority = :priority)
        AND (:may IS NULL OR EXISTS (SELECT 1 FROM task_candidate c
            WHERE c.instance = t.instance AND c.n = t.n AND c.kind = 'user' AND c.who = :may))
        AND (:group IS NULL OR EXISTS (SELECT 1 FROM task_candidate c
            WHERE c.instance = t.instance AND c.n = t.n AND c.kind = 'group' AND c.who = :group))
        AND (:user IS NULL OR t.assignee = :user OR EXISTS (SELECT 1 FROM task_candidate c
            WHERE c.instance = t.instance AND c.n = t.n AND c.kind = 'user' AND c.who = :user))"
    };
}
macro_rules! oldest {
    ($from:literal, $where:literal) => {
        concat!(
            columns!(),
            $from,
            " WHERE t.tenant = :tenant AND ",
            $where,
            " AND (t.instance, t.n) > (:after, :after_n) AND",
            residual!(),
            " ORDER BY t.instance, t.n LIMIT :limit"
        )
    };
}

const ALL: &str = oldest!("user_task t INDEXED BY user_task_oldest", "1");
const OF_INSTANCE: &str = oldest!("user_task t INDEXED BY user_task_oldest", "t.instance = :instance");
const OF_ASSIGNEE: &str = oldest!("user_task t INDEXED BY user_task_assignee", "t.assignee = :has");
const TAKEN: &str = oldest!("user_task t INDEXED BY user_task_taken", "t.assignee IS NOT NULL");
const FREE: &str = oldest!("user_task t INDEXED BY user_task_free", "t.assignee IS NULL");
const URGENT: &str =
    oldest!("user_task t INDEXED BY user_task_priority", "t.priority = :priority AND t.priority <> 50");
const OF_CANDIDATE: &str = concat!(
    columns!(),
    "task_candidate f INDEXED BY task_candidate_who CROSS JOIN user_task t ON t.instance = f.instance AND t.n = f.n
     WHERE f.tenant = :tenant AND f.kind = :kind AND f.who = :who AND (f.instance, f.n) > (:after, :after_n) AND",
    residual!(),
    " ORDER BY f.instance, f.n LIMIT :limit"
);
const DUE: &str = concat!(
    columns!(),
    "user_task t INDEXED BY user_task_due
     WHERE t.tenant = :tenant AND t.due_at < :due AND (t.due_at, t.instance, t.n) > (:after_due, :after, :after_n) AND",
    residual!(),
    " ORDER BY t.due_at, t.instance, t.n LIMIT :limit"
);

pub(super) fn tasks(
    connection: &mut Connection,
    filter: &TaskFilter,
    after: Option<TaskPlace>,
    limit: usize,
) -> Result<Vec<OpenTask>, Error> {
    let run = |connection: &mut Connection| -> rusqlite::Result<Vec<OpenTask>> {
        // Two statements may make one page: both see the same moment.
        let transaction = connection.transaction()?;
        let ask = |sql: &str, more: &[(&str, &dyn ToSql)]| ask(&transaction, sql, filter, after, limit, more);
        let candidate = |kind: &str, who: &String| ask(OF_CANDIDATE, &[(":kind", &kind), (":who", who)]);
        if filter.due_before.is_some() {
            let after_due = after.and_then(|after| after.due).map_or(i64::MIN, |due| due.0);
            ask(DUE, &[(":after_due", &after_due)])
        } else if filter.instance.is_some() {
            ask(OF_INSTANCE, &[])
        } else if let Some(who) = &filter.assignee {
            ask(OF_ASSIGNEE, &[(":has", who)])
        } else if let Some(who) = &filter.candidate_user {
            candidate("user", who)
        } else if let Some(who) = &filter.user {
            let mut found = ask(OF_ASSIGNEE, &[(":has", who)])?;
            found.extend(candidate("user", who)?);
            found.sort_by_key(place);
            found.dedup_by_key(|task| place(task));
            found.truncate(limit);
            Ok(found)
        } else if let Some(group) = &filter.candidate_group {
            candidate("group", group)
        } else if filter.priority.is_some_and(|priority| priority != 50) {
            ask(URGENT, &[])
        } else if let Some(claimed) = filter.claimed {
            ask(if claimed { TAKEN } else { FREE }, &[])
        } else {
            ask(ALL, &[])
        }
    };
    run(connection).map_err(complaint)
}

fn place(task: &OpenTask) -> ItemId {
    ItemId { instance: task.instance, number: task.asked.task }
}

fn ask(
    connection: &Connection,
    sql: &str,
    filter: &TaskFilter,
    after: Option<TaskPlace>,
    limit: usize,
    more: &[(&str, &dyn ToSql)],
) -> rusqlite::Result<Vec<OpenTask>> {
    let after = after.map_or((0, 0), |after| (after.id.instance.0, i64::from(after.id.number)));
    let values: [(&str, &dyn ToSql); 12] = [
        (":tenant", &filter.tenant.as_str()),
        (":instance", &filter.instance.map(|id| id.0)),
        (":assignee", &filter.assignee),
        (":claimed", &filter.claimed),
        (":due", &filter.due_before.map(|at| at.0)),
        (":priority", &filter.priority),
        (":may", &filter.candidate_user),
        (":group", &filter.candidate_group),
        (":user", &filter.user),
        (":after", &after.0),
        (":after_n", &after.1),
        (":limit", &at_most(limit)),
    ];
    let mut find = connection.prepare_cached(sql)?;
    let values: Vec<(&str, &dyn ToSql)> = values.iter().chain(more).copied().collect();
    find.query_map(&*values, open_task)?.collect()
}

fn open_task(row: &Row<'_>) -> rusqlite::Result<OpenTask> {
    let task = load::task(row)?;
    Ok(OpenTask {
        instance: InstanceId(row.get(11)?),
        token: task.row.token,
        node: task.node,
        asked: task.row.asked,
        created_at: task.row.created_at,
    })
}

#[cfg(test)]
mod tests_of_plans {
    use super::*;
    use crate::sqlite::plans::no_scan;

    #[test]
    fn no_page_of_tasks_is_found_by_a_scan() {
        for sql in [ALL, OF_INSTANCE, OF_ASSIGNEE, TAKEN, FREE, URGENT, OF_CANDIDATE, DUE] {
            no_scan(sql);
        }
    }
}
