//! Stored rows become an instance again.

use std::collections::BTreeMap;

use tyer_engine::{Instance, Number, Task, Token, TokenStatus, Variables, Wait};
use tyer_model::{NodeIx, Process};

use crate::rows::{Lease, Loaded, LoadedToken};

/// Why rows do not make an instance.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// A row names an element that the process does not have.
    #[error("instance {0} names `{1}`, which its process does not have")]
    UnknownElement(tyer_engine::InstanceId, String),
    /// Variables that are no JSON object.
    #[error("instance {0}: {1}")]
    Variables(tyer_engine::InstanceId, tyer_engine::VariablesError),
}

/// Builds the instance, and says which jobs are held by whom.
pub fn restore(
    process: &Process,
    loaded: Loaded,
) -> Result<(Instance, BTreeMap<Number, Lease>), RestoreError> {
    let id = loaded.id;
    let row = loaded.instance;
    let mut instance = Instance::blank(id);
    instance.status = row.status;
    instance.version = row.version;
    instance.counter = row.counter;
    instance.definition = row.definition;
    instance.business_key = row.business_key;
    instance.started_by = row.started_by;
    instance.priority = row.priority;
    instance.started_at = row.started_at;
    instance.ended_at = row.ended_at;
    instance.retries = row.retries;
    instance.errors = row.errors;
    instance.last_error = row.last_error;
    instance.timers = loaded.timers.into_iter().collect();
    instance.incidents = loaded.incidents.into_iter().collect();
    instance.scopes.insert(0, Variables::default());
    for (number, json) in loaded.scopes {
        let variables = Variables::parse(&json).map_err(|error| RestoreError::Variables(id, error))?;
        instance.scopes.insert(number, variables);
    }
    let nodes: BTreeMap<Number, NodeIx> = loaded
        .tokens
        .iter()
        .map(|token| match process.find_node(&token.node) {
            Some(node) => Ok((token.number, node)),
            None => Err(RestoreError::UnknownElement(id, token.node.clone())),
        })
        .collect::<Result<_, _>>()?;
    for task in loaded.tasks {
        let (token, created_at) = (task.token, task.created_at);
        if let Some(&node) = nodes.get(&token) {
            instance.tasks.insert(task.asked.task, Task { token, node, asked: task.asked, created_at });
        }
    }
    let waits = waits(&instance);
    let mut leases = BTreeMap::new();
    for mut token in loaded.tokens {
        if let (Some(job), Some(lease)) = (&token.job, token.lease.take()) {
            leases.insert(job.number, lease);
        }
        let number = token.number;
        let restored = restore_token(process, id, token, nodes[&number], waits.get(&number))?;
        instance.restore_token(number, restored);
    }
    Ok((instance, leases))
}

/// Which token waits for which task, timer or incident.
fn waits(instance: &Instance) -> BTreeMap<Number, Wait> {
    let tasks = instance.tasks.iter().map(|(number, task)| (task.token, Wait::Task(*number)));
    let timers = instance.timers.iter().map(|(number, timer)| (timer.token, Wait::Timer(*number)));
    let incidents = instance
        .incidents
        .iter()
        .filter_map(|(number, incident)| Some((incident.token?, Wait::Incident(*number))));
    tasks.chain(timers).chain(incidents).collect()
}

fn restore_token(
    process: &Process,
    id: tyer_engine::InstanceId,
    row: LoadedToken,
    node: NodeIx,
    source: Option<&Wait>,
) -> Result<Token, RestoreError> {
    let flow = row
        .flow
        .map(|flow| process.find_flow(&flow).ok_or(RestoreError::UnknownElement(id, flow)))
        .transpose()?;
    let wait = match (row.job, source, row.status) {
        (Some(job), _, _) => Wait::Job(job),
        (None, Some(source), _) => source.clone(),
        (None, None, TokenStatus::Waiting) => Wait::Join,
        (
            None,
            None,
            TokenStatus::Created | TokenStatus::Ready | TokenStatus::Executing | TokenStatus::Failed,
        ) => Wait::Nothing,
    };
    Ok(Token {
        node,
        flow,
        wait,
        mode: row.mode,
        scope: row.scope,
        parent: row.parent,
        group: row.group,
        attempt: row.attempt,
        since: row.since,
    })
}
