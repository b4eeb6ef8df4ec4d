//! Stored rows become an instance again.
//!
//! **Invariant:** equal to the instance whose turns were stored.

use tyer_engine::{
    Instance, InstanceId, Number, ROOT, Record, Scope, ScopeKind, Subscription, Task, Timer, Token, Variables,
};
use tyer_map::Map;
use tyer_model::{FlowIx, NodeIx, Process};

use crate::rows::{InstanceRow, Lease, Loaded, LoadedToken, ScopeRow, Stored};

/// Why rows do not make an instance.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// A row names an element that the process does not have.
    #[error("instance {0} names `{1}`, which its process does not have")]
    UnknownElement(InstanceId, String),
    /// Variables of a scope that is not there.
    #[error("instance {0} has variables of scope {1}, but no such scope")]
    UnknownScope(InstanceId, Number),
    /// Variables that are no JSON object.
    #[error("instance {0}: {1}")]
    Variables(InstanceId, tyer_engine::VariablesError),
}

/// Builds the instance, and says which jobs are held by whom.
pub fn restore(process: &Process, loaded: Loaded) -> Result<(Instance, Map<Number, Lease>), RestoreError> {
    let names = Names { process, id: loaded.id };
    let mut instance = with_row(loaded.id, loaded.instance);
    instance.scopes = names.scopes(loaded.scopes, loaded.variables)?;
    instance.tasks = names.all(loaded.tasks, |task: &mut Task, node| task.node = node)?;
    instance.timers = names.all(loaded.timers, |timer: &mut Timer, node| timer.node = node)?;
    instance.subscriptions =
        names.all(loaded.subscriptions, |one: &mut Subscription, node| one.node = node)?;
    instance.records = names.all(loaded.records, |record: &mut Record, node| record.node = node)?;
    instance.sagas = loaded.sagas.into_iter().collect();
    instance.incidents = loaded.incidents.into_iter().collect();
    let mut leases = Map::new();
    for mut token in loaded.tokens {
        if let (Some(lease), Some(job)) = (token.lease.take(), token.job()) {
            leases.insert(job.number, lease);
        }
        instance.tokens.insert(token.number, names.token(token)?);
    }
    instance.executing = leases.keys().copied().collect();
    instance.reindex();
    Ok((instance, leases))
}

fn with_row(id: InstanceId, row: InstanceRow) -> Instance {
    let mut instance = Instance::blank(id);
    instance.status = row.status;
    instance.version = row.version;
    instance.counter = row.counter;
    instance.definition = row.definition;
    instance.business_key = row.business_key;
    instance.started_by = row.started_by;
    instance.priority = row.priority;
    instance.parent = row.parent;
    instance.started_at = row.started_at;
    instance.ended_at = row.ended_at;
    instance.retries = row.retries;
    instance.errors = row.errors;
    instance.last_error = row.last_error;
    instance
}

/// BPMN ids become positions again.
struct Names<'a> {
    process: &'a Process,
    id: InstanceId,
}

impl Names<'_> {
    fn node(&self, id: String) -> Result<NodeIx, RestoreError> {
        self.process.find_node(&id).ok_or(RestoreError::UnknownElement(self.id, id))
    }

    fn flow(&self, id: String) -> Result<FlowIx, RestoreError> {
        self.process.find_flow(&id).ok_or(RestoreError::UnknownElement(self.id, id))
    }

    fn all<T>(
        &self,
        rows: Vec<Stored<T>>,
        set: impl Fn(&mut T, NodeIx),
    ) -> Result<Map<Number, T>, RestoreError> {
        let named = rows.into_iter().map(|Stored { number, node, mut row }| {
            set(&mut row, self.node(node)?);
            Ok((number, row))
        });
        named.collect()
    }

    fn scopes(
        &self,
        rows: Vec<Stored<ScopeRow>>,
        variables: Vec<(Number, String)>,
    ) -> Result<Map<Number, Scope>, RestoreError> {
        let mut scopes = Map::from([(ROOT, Scope::new(ROOT, None, None, ScopeKind::Body))]);
        for (number, row) in self.all(rows, |row, node| row.node = node)? {
            let mut scope = Scope::new(row.parent, Some(row.owner), Some(row.node), row.kind);
            (scope.rounds.started, scope.rounds.completed, scope.rounds.terminated) = row.rounds;
            scopes.insert(number, scope);
        }
        for (number, json) in variables {
            let Some(scope) = scopes.remove(&number) else {
                return Err(RestoreError::UnknownScope(self.id, number));
            };
            let variables =
                Variables::parse(&json).map_err(|error| RestoreError::Variables(self.id, error))?;
            scopes.insert(number, Scope { variables, ..scope }.restored());
        }
        Ok(scopes)
    }

    fn token(&self, row: LoadedToken) -> Result<Token, RestoreError> {
        let marks = row.marks.into_iter().map(|mark| self.node(mark)).collect::<Result<_, _>>()?;
        Ok(Token {
            node: self.node(row.node)?,
            flow: row.flow.map(|flow| self.flow(flow)).transpose()?,
            wait: row.wait,
            mode: row.mode,
            scope: row.scope,
            owns: row.owns,
            branch: row.branch,
            parent: row.parent,
            group: row.group,
            marks,
            attempt: row.attempt,
            tries: row.tries,
            since: row.since,
        })
    }
}
