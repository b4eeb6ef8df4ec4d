//! The rows of one instance, as the memory store keeps them.

use std::sync::Arc;

use tyer_engine::{Job, Number, ROOT, Token, TokenStatus};
use tyer_map::Map;
use tyer_model::{NodeIx, Process};

use crate::changes::Rows;
use crate::rows::{
    IncidentRow, InstanceRow, Lease, LoadedToken, RecordRow, SagaRow, ScopeRow, Stored, SubscriptionRow,
    TaskRow, TimerRow,
};
use crate::views::HistoryRow;

/// All rows of one instance.
pub(super) struct Kept {
    pub(super) process: Arc<Process>,
    pub(super) row: InstanceRow,
    pub(super) tokens: Map<Number, KeptToken>,
    pub(super) scopes: Map<Number, ScopeRow>,
    /// Shared with whoever claims a job that sees them: they may be long, and many jobs see the same.
    pub(super) variables: Map<Number, Arc<str>>,
    pub(super) tasks: Map<Number, TaskRow>,
    pub(super) timers: Map<Number, TimerRow>,
    pub(super) subscriptions: Map<Number, SubscriptionRow>,
    pub(super) records: Map<Number, RecordRow>,
    pub(super) sagas: Map<Number, SagaRow>,
    pub(super) incidents: Map<Number, IncidentRow>,
    pub(super) history: Vec<HistoryRow>,
}

/// A token with the lease columns that claims own; `status` is `Executing` while it is claimed.
pub(super) struct KeptToken {
    pub(super) token: Token,
    pub(super) status: TokenStatus,
    pub(super) lease: Option<Lease>,
    pub(super) leases: u32,
}

impl KeptToken {
    pub(super) fn job(&self) -> Option<&Job> {
        self.token.job()
    }
}

impl Kept {
    pub(super) fn new(process: &Arc<Process>, row: &InstanceRow) -> Kept {
        Kept {
            process: Arc::clone(process),
            row: row.clone(),
            tokens: Map::new(),
            scopes: Map::new(),
            variables: Map::new(),
            tasks: Map::new(),
            timers: Map::new(),
            subscriptions: Map::new(),
            records: Map::new(),
            sagas: Map::new(),
            incidents: Map::new(),
            history: Vec::new(),
        }
    }

    /// The variables that a token sees: of its own scope first, of the root last.
    pub(super) fn seen(&self, token: &Token) -> Vec<Arc<str>> {
        let mut scope = token.owns.or(token.branch).unwrap_or(token.scope);
        let mut seen = Vec::new();
        loop {
            seen.extend(self.variables.get(&scope).cloned());
            if scope == ROOT {
                return seen;
            }
            scope = self.scopes.get(&scope).map_or(ROOT, |row| row.parent);
        }
    }
}

pub(super) fn put<T>(rows: &mut Map<Number, T>, changes: Rows<T>) {
    for (n, change) in changes {
        match change.row {
            Some(row) => drop(rows.insert(n, row)),
            None => drop(rows.remove(&n)),
        }
    }
}

pub(super) fn named<T: Clone>(
    process: &Process,
    rows: &Map<Number, T>,
    node: impl Fn(&T) -> NodeIx,
) -> Vec<Stored<T>> {
    let name = |row: &T| process.node(node(row)).id.clone();
    rows.iter().map(|(n, row)| Stored { number: *n, node: name(row), row: row.clone() }).collect()
}

pub(super) fn load_token(process: &Process, number: Number, stored: &KeptToken) -> LoadedToken {
    let token = &stored.token;
    LoadedToken {
        number,
        node: process.node(token.node).id.clone(),
        flow: token.flow.map(|flow| process.flow(flow).id.clone()),
        status: stored.status,
        wait: token.wait.clone(),
        mode: token.mode,
        scope: token.scope,
        owns: token.owns,
        branch: token.branch,
        parent: token.parent,
        group: token.group,
        marks: token.marks.iter().map(|mark| process.node(*mark).id.clone()).collect(),
        attempt: token.attempt,
        tries: token.tries,
        since: token.since,
        lease: stored.lease.clone(),
    }
}
