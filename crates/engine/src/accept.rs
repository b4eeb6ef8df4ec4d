//! Every refusal is decided here, before the first event.
//!
//! **Invariant:** a command that is accepted never leaves an instance half changed.

use serde::Serialize;
use tyer_model::{NodeKind, Process};

use crate::control;
use crate::nodes::start;
use crate::words::*;

/// Why a command was refused; nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "code", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the sentence of each says what its fields are")]
pub enum Rejection {
    /// There is no such instance.
    #[error("there is no instance {id}")]
    InstanceUnknown { id: InstanceId },
    /// It has begun before.
    #[error("instance {id} has been started already")]
    InstanceStarted { id: InstanceId },
    /// It is over.
    #[error("instance {id} has ended: it is {status:?}")]
    InstanceEnded { id: InstanceId, status: Status },
    /// It is paused already.
    #[error("instance {id} is paused already")]
    InstancePaused { id: InstanceId },
    /// Only a paused instance is resumed.
    #[error("instance {id} is not paused")]
    InstanceNotPaused { id: InstanceId },
    /// No token waits for this job: it was done, failed, taken away, or never was.
    #[error("job {job} of instance {instance} is not open: it was done, has failed, or was taken away")]
    JobNotOpen { instance: InstanceId, job: Number },
    /// The worker's lease has passed to another.
    #[error("the lease on job {job} of instance {instance} is no longer yours")]
    LeaseLost { instance: InstanceId, job: Number },
    /// No token waits for this task.
    #[error("task {task} of instance {instance} is not open: it was completed or cancelled")]
    TaskNotOpen { instance: InstanceId, task: Number },
    /// The timer has fired or was disarmed.
    #[error("timer {timer} of instance {instance} is not armed")]
    TimerNotArmed { instance: InstanceId, timer: Number },
    /// Its moment has not come.
    #[error("timer {timer} of instance {instance} is due at {due}, not before")]
    TimerNotDue { instance: InstanceId, timer: Number, due: Timestamp },
    /// Nobody waits for this message or signal any more.
    #[error(
        "subscription {subscription} of instance {instance} is not open: its event has happened or was taken away"
    )]
    SubscriptionNotOpen { instance: InstanceId, subscription: Number },
    /// No token waits for the end of this call.
    #[error("call {call} of instance {instance} is not open: it has ended or was cancelled")]
    CallNotOpen { instance: InstanceId, call: Number },
    /// There is no such live token.
    #[error("there is no live token {token} in instance {instance}")]
    TokenUnknown { instance: InstanceId, token: Number },
    /// The process has no such node.
    #[error("the process has no node `{node}`")]
    NodeUnknown { node: String },
    /// An instance cannot begin there.
    #[error("the process cannot begin at `{node}`: {reason}")]
    CannotStart { node: String, reason: String },
    /// Nothing begins without an event.
    #[error("only events begin the process: say at which node it begins, one of {nodes}")]
    OnlyEventsBegin { nodes: String },
    /// Somebody else has the task.
    #[error("task {task} of instance {instance} is held by `{holder}`: it must be released first")]
    TaskHeld { instance: InstanceId, task: Number, holder: String },
    /// A task is claimed by somebody.
    #[error("task {task} of instance {instance} can only be claimed by somebody: say who")]
    TaskClaimant { instance: InstanceId, task: Number },
    /// Priorities are 0 to 100.
    #[error("priority {priority} is out of range: expected 0 to 100")]
    PriorityInvalid { priority: u8 },
    /// The token cannot go there.
    #[error("a token cannot be put at `{node}`: {reason}")]
    ModificationRefused { node: String, reason: String },
    /// The instance cannot go on under the other version.
    #[error("node `{node}` cannot be migrated: {reason}")]
    MigrationRefused { node: String, reason: String },
    /// The instance cannot go back.
    #[error("cannot go back to `{name}`: {reason}")]
    RollbackRefused { name: String, reason: String },
    /// Steps with effects were completed since.
    #[error("{steps} steps that can be undone were completed since `{name}`: compensate first, or force it")]
    EffectsAfterSnapshot { name: String, steps: usize },
    /// Steps are being undone already.
    #[error("instance {id} is undoing its steps already")]
    Compensating { id: InstanceId },
    /// It is no incident of a step that is being undone.
    #[error("incident {incident} of instance {instance} is not about a step that is being undone")]
    NotCompensating { instance: InstanceId, incident: Number },
    /// There is no such open incident.
    #[error("incident {incident} of instance {instance} is not open")]
    IncidentNotOpen { instance: InstanceId, incident: Number },
}

/// Says whether the instance takes the command.
pub fn accept(
    process: &Process,
    instance: &Instance,
    command: &Command,
    now: Timestamp,
) -> Result<(), Rejection> {
    let id = instance.id;
    if let Command::Start(start) = command {
        return if instance.version != 0 {
            Err(Rejection::InstanceStarted { id })
        } else if start.at.is_empty() {
            can_begin(process)
        } else {
            start.at.iter().try_for_each(|node| can_begin_at(process, node))
        };
    }
    if instance.version == 0 {
        return Err(Rejection::InstanceUnknown { id });
    }
    match command {
        Command::CompleteJob { job, .. } | Command::FailJob { job, .. } | Command::ThrowError { job, .. } => {
            let open =
                instance.token_of_job(*job).is_some_and(|token| instance.tokens[&token].job().is_some());
            holds(open, || Rejection::JobNotOpen { instance: id, job: *job })
        }
        Command::InDoubt { job } => {
            let mode = instance.token_of_job(*job).map(|token| instance.tokens[&token].mode);
            holds(mode == Some(Mode::Finishing), || Rejection::JobNotOpen { instance: id, job: *job })
        }
        Command::Task { task, by, action } => task_action(instance, *task, by.as_deref(), action),
        Command::TimerDue { timer } => timer_due(instance, *timer, now),
        Command::Trigger { subscription, .. } => {
            let known = instance.subscriptions.contains_key(subscription);
            holds(known, || Rejection::SubscriptionNotOpen { instance: id, subscription: *subscription })
        }
        Command::ChildEnded { call, .. } => {
            let waits = |token: Number| instance.tokens[&token].wait == Wait::Call(*call);
            let open = instance.token_of_call(*call).is_some_and(waits);
            holds(open, || Rejection::CallNotOpen { instance: id, call: *call })
        }
        Command::Resolve { incident, .. }
        | Command::SkipCompensation { incident }
        | Command::AbortCompensation { incident } => incident_is(instance, *incident, command),
        Command::Start(_)
        | Command::CheckConditions
        | Command::SetVariables { .. }
        | Command::Pause { .. }
        | Command::Resume
        | Command::Cancel { .. }
        | Command::Compensate { .. }
        | Command::Modify(_)
        | Command::Migrate(_)
        | Command::Snapshot { .. }
        | Command::Rollback(_) => control(process, instance, command),
    }
}

/// Commands to the instance as a whole.
fn control(process: &Process, instance: &Instance, command: &Command) -> Result<(), Rejection> {
    let id = instance.id;
    if instance.status.is_ended() {
        return Err(Rejection::InstanceEnded { id, status: instance.status });
    }
    let paused = instance.status == Status::Paused;
    if let Command::Pause { .. } = command {
        holds(!paused, || Rejection::InstancePaused { id })
    } else if let Command::Resume = command {
        holds(paused, || Rejection::InstanceNotPaused { id })
    } else if let Command::SetVariables { token: Some(token), .. } = command {
        holds(instance.tokens.contains_key(token), || Rejection::TokenUnknown { instance: id, token: *token })
    } else if let Command::Compensate { .. } = command {
        holds(instance.sagas.is_empty(), || Rejection::Compensating { id })
    } else if let Command::Modify(modification) = command {
        control::modify::accept(process, instance, modification)
    } else if let Command::Migrate(migration) = command {
        control::migrate::accept(process, instance, migration)
    } else if let Command::Rollback(rollback) = command {
        control::rollback::accept(instance, rollback)
    } else {
        Ok(())
    }
}

fn timer_due(instance: &Instance, number: Number, now: Timestamp) -> Result<(), Rejection> {
    let id = instance.id;
    match instance.timers.get(&number) {
        Some(timer) if instance.status != Status::Paused => {
            holds(timer.due <= now, || Rejection::TimerNotDue { instance: id, timer: number, due: timer.due })
        }
        Some(_) | None => Err(Rejection::TimerNotArmed { instance: id, timer: number }),
    }
}

fn task_action(
    instance: &Instance,
    task: Number,
    by: Option<&str>,
    action: &TaskAction,
) -> Result<(), Rejection> {
    let id = instance.id;
    let Some(open) = instance.tasks.get(&task) else {
        return Err(Rejection::TaskNotOpen { instance: id, task });
    };
    let holder = open.asked.assignee.as_deref();
    match action {
        TaskAction::Claim => {
            let Some(by) = by else { return Err(Rejection::TaskClaimant { instance: id, task }) };
            let held = holder.filter(|holder| *holder != by).map(str::to_owned);
            held.map_or(Ok(()), |holder| Err(Rejection::TaskHeld { instance: id, task, holder }))
        }
        TaskAction::Change { priority: Some(priority), .. } if *priority > 100 => {
            Err(Rejection::PriorityInvalid { priority: *priority })
        }
        TaskAction::Complete { .. }
        | TaskAction::Release
        | TaskAction::Assign { .. }
        | TaskAction::Change { .. }
        | TaskAction::Error { .. }
        | TaskAction::Escalate { .. } => Ok(()),
    }
}

fn incident_is(instance: &Instance, number: Number, command: &Command) -> Result<(), Rejection> {
    let id = instance.id;
    let Some(incident) = instance.incidents.get(&number) else {
        return Err(Rejection::IncidentNotOpen { instance: id, incident: number });
    };
    let undoing = incident.kind == IncidentKind::CompensationFailed
        || (incident.kind == IncidentKind::InDoubt && matches!(command, Command::SkipCompensation { .. }));
    if !matches!(command, Command::Resolve { .. }) {
        return holds(undoing, || Rejection::NotCompensating { instance: id, incident: number });
    }
    Ok(())
}

fn can_begin(process: &Process) -> Result<(), Rejection> {
    let nodes = || {
        let begins =
            process.nodes().filter(|(ix, node)| node.parent.is_none() && start::is_event(process, *ix));
        begins.map(|(_, node)| format!("`{}`", node.id)).collect::<Vec<_>>().join(", ")
    };
    holds(!process.body(None).starts.is_empty(), || Rejection::OnlyEventsBegin { nodes: nodes() })
}

fn can_begin_at(process: &Process, id: &str) -> Result<(), Rejection> {
    let node = process.find_node(id).ok_or_else(|| Rejection::NodeUnknown { node: id.to_owned() })?;
    let node = process.node(node);
    let refused =
        |reason: &str| Err(Rejection::CannotStart { node: id.to_owned(), reason: reason.to_owned() });
    if node.parent.is_some() {
        return refused("it stands inside a sub-process");
    }
    if let NodeKind::Boundary(_) = node.kind {
        return refused("it stands on the border of an activity");
    }
    Ok(())
}

fn holds(holds: bool, otherwise: impl FnOnce() -> Rejection) -> Result<(), Rejection> {
    if holds { Ok(()) } else { Err(otherwise()) }
}
