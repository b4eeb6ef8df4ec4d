//! Recorded turns as plain values, ready to be written for any instance.

use tyer_store::Turn;

/// All rows of one turn, but for the instance id.
pub(crate) struct TurnRows {
    pub(crate) start: bool,
    pub(crate) instance: InstanceValues,
    pub(crate) tokens: Vec<TokenChange>,
    pub(crate) variables: Vec<(i64, String)>,
    pub(crate) first_seq: i64,
    pub(crate) count: i64,
    pub(crate) turn: i64,
    pub(crate) at: i64,
    pub(crate) events: String,
}

pub(crate) struct InstanceValues {
    pub(crate) definition: i64,
    pub(crate) status: &'static str,
    pub(crate) version: i64,
    pub(crate) counter: i64,
    pub(crate) priority: i64,
    pub(crate) started_at: i64,
    pub(crate) ended_at: Option<i64>,
}

pub(crate) enum TokenChange {
    Insert(TokenValues),
    Update(TokenValues),
    Delete(i64),
}

pub(crate) struct TokenValues {
    pub(crate) n: i64,
    pub(crate) node: String,
    pub(crate) flow: Option<String>,
    pub(crate) status: &'static str,
    pub(crate) parent: Option<i64>,
    pub(crate) fork: Option<i64>,
    pub(crate) since: i64,
    pub(crate) job: Option<i64>,
    pub(crate) job_type: Option<String>,
    pub(crate) lease: i64,
    pub(crate) lease_owner: Option<String>,
    pub(crate) lease_node: Option<i64>,
    pub(crate) lease_since: Option<i64>,
}

impl TurnRows {
    /// The rows that a recorded turn writes.
    pub(crate) fn of(turn: &Turn) -> TurnRows {
        let row = &turn.changes.instance;
        let changes = &turn.changes;
        let own = 1 + changes.tokens.len() + changes.variables.len();
        assert_eq!(changes.row_count(), own, "the floor knows the rows of plain jobs");
        TurnRows {
            start: turn.is_start(),
            instance: InstanceValues {
                definition: row.definition,
                status: if row.ended_at.is_some() { "completed" } else { "running" },
                version: row.version.cast_signed(),
                counter: i64::from(row.counter),
                priority: i64::from(row.priority),
                started_at: row.started_at.0,
                ended_at: row.ended_at.map(|at| at.0),
            },
            tokens: changes
                .tokens
                .iter()
                .map(|(n, change)| token_change(turn, i64::from(*n), change))
                .collect(),
            variables: changes
                .variables
                .iter()
                .filter_map(|(n, change)| Some((i64::from(*n), change.row.clone()?)))
                .collect(),
            first_seq: turn.key.first_seq.cast_signed(),
            count: i64::from(turn.history.count),
            turn: turn.key.turn,
            at: turn.history.at.0,
            events: turn.history.events.clone(),
        }
    }

    /// Rows inserted, updated or deleted.
    pub(crate) fn row_changes(&self) -> usize {
        2 + self.tokens.len() + self.variables.len()
    }
}

fn token_change(turn: &Turn, n: i64, change: &tyer_store::Change<tyer_store::TokenRow>) -> TokenChange {
    let Some(row) = &change.row else { return TokenChange::Delete(n) };
    let job = row.token.job();
    let lease = row.lease();
    let values = TokenValues {
        n,
        node: turn.process.node(row.token.node).id.clone(),
        flow: row.token.flow.map(|flow| turn.process.flow(flow).id.clone()),
        status: if lease.is_some() { "executing" } else { "waiting" },
        parent: row.token.parent.map(i64::from),
        fork: row.token.group.map(i64::from),
        since: row.token.since.0,
        job: job.map(|job| i64::from(job.number)),
        job_type: job.map(|job| job.job_type.to_string()),
        lease: lease.map_or(0, |lease| i64::from(lease.number)),
        lease_owner: lease.map(|lease| lease.worker.to_string()),
        lease_node: lease.and_then(|lease| lease.node).map(i64::from),
        lease_since: lease.map(|lease| lease.since.0),
    };
    if change.new { TokenChange::Insert(values) } else { TokenChange::Update(values) }
}
