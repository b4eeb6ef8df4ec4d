//! One statement that says whether anything is due, when the next thing is, and which types of jobs are ready.
//!
//! An idle node asks nothing else. Each question is the first entry of an index, so it costs the same however much
//! there is; job types are found by skipping through theirs.
//!
//! **Invariant:** what a glance does not see is not due yet.

use std::sync::Arc;

use tokio_postgres::Row;
use tyer_engine::Timestamp;

use crate::error::Error;
use crate::postgres::connection::{Connection, Request};

/// Types of jobs that are ready: a recursive table expression.
macro_rules! ready {
    () => {
        "ready (job_type) AS (
        (SELECT job_type FROM token WHERE status = 'ready' AND job_type IS NOT NULL ORDER BY job_type LIMIT 1)
        UNION ALL
        SELECT (SELECT t.job_type FROM token t WHERE t.status = 'ready' AND t.job_type > ready.job_type
            ORDER BY t.job_type LIMIT 1)
        FROM ready WHERE ready.job_type IS NOT NULL)"
    };
}

/// The columns of a glance: the first timer, end of a lease and start event, whether letters are due and messages are
/// over, the types of jobs. They need `ready` and a table `asked (now)`.
macro_rules! columns {
    () => {
        "(SELECT min(due_at) FROM timer WHERE NOT held),
    (SELECT min(lease_until) FROM token WHERE lease_until IS NOT NULL),
    (SELECT min(due_at) FROM start_event WHERE due_at IS NOT NULL),
    EXISTS (SELECT 1 FROM inbox WHERE due_at <= (SELECT now FROM asked))
        OR EXISTS (SELECT 1 FROM message WHERE due_at <= (SELECT now FROM asked))
        OR EXISTS (SELECT 1 FROM signal WHERE due_at <= (SELECT now FROM asked)),
    EXISTS (SELECT 1 FROM message WHERE expires_at < (SELECT now FROM asked)),
    ARRAY (SELECT job_type FROM ready WHERE job_type IS NOT NULL)"
    };
}

pub(super) use {columns, ready};

const LOOK: &str = concat!(
    "WITH RECURSIVE asked AS MATERIALIZED (SELECT $1::bigint AS now), ",
    ready!(),
    " SELECT ",
    columns!()
);

/// What the test of the plans looks at.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 1] = [LOOK];

/// What there is to do, as far as can be seen from outside.
pub(super) struct Glance {
    pub(super) timer: Option<Timestamp>,
    pub(super) lease: Option<Timestamp>,
    pub(super) start: Option<Timestamp>,
    letters: bool,
    over: bool,
    pub(super) ready: Vec<Arc<str>>,
}

pub(super) async fn look(connection: &Connection, now: Timestamp) -> Result<Glance, Error> {
    let rows = connection.query(Request { sql: LOOK, parameters: vec![Box::new(now.0)] }).await?;
    Ok(Glance::read(rows.first().expect("a row without a condition"), 0))
}

impl Glance {
    /// From the columns of a row that begin there.
    pub(super) fn read(row: &Row, first: usize) -> Glance {
        let moment = |column: usize| row.get::<_, Option<i64>>(first + column).map(Timestamp);
        Glance {
            timer: moment(0),
            lease: moment(1),
            start: moment(2),
            letters: row.get(first + 3),
            over: row.get(first + 4),
            ready: row.get::<_, Vec<&str>>(first + 5).into_iter().map(Arc::from).collect(),
        }
    }

    /// The first moment of all.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.timer.into_iter().chain(self.lease).chain(self.start).min()
    }

    /// Is there a letter, or a start event, or a message to be forgotten?
    pub(super) fn has_mail(&self, now: Timestamp) -> bool {
        self.letters || self.over || is_due(self.start, now)
    }

    /// Is there anything to do?
    pub(super) fn is_anything_due(&self, now: Timestamp) -> bool {
        self.has_mail(now) || is_due(self.next(), now)
    }
}

pub(super) fn is_due(moment: Option<Timestamp>, now: Timestamp) -> bool {
    moment.is_some_and(|moment| moment <= now)
}
