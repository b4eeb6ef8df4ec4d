//! Every refusal is decided here, before the first event.
//!
//! **Invariant:** a command that is accepted never leaves an instance half changed.

use serde::Serialize;
use tyer_model::Process;

use crate::command::Command;
use crate::ids::{InstanceId, Number, Timestamp};
use crate::instance::{Instance, Status};

/// Why a command was refused; nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Rejection {
    /// There is no such instance.
    #[error("there is no instance {id}")]
    InstanceUnknown {
        /// Which.
        id: InstanceId,
    },
    /// It has begun before.
    #[error("instance {id} has been started already")]
    InstanceStarted {
        /// Which.
        id: InstanceId,
    },
    /// It is over.
    #[error("instance {id} has ended: it is {status:?}")]
    InstanceEnded {
        /// Which.
        id: InstanceId,
        /// How it ended.
        status: Status,
    },
    /// It is paused already.
    #[error("instance {id} is paused already")]
    InstancePaused {
        /// Which.
        id: InstanceId,
    },
    /// Only a paused instance is resumed.
    #[error("instance {id} is not paused")]
    InstanceNotPaused {
        /// Which.
        id: InstanceId,
    },
    /// No token waits for this job: it was done, failed, taken away, or never was.
    #[error("job {job} of instance {instance} is not open: it was done, has failed, or was taken away")]
    JobNotOpen {
        /// The instance.
        instance: InstanceId,
        /// The job.
        job: Number,
    },
    /// The worker's lease has passed to another.
    #[error("the lease on job {job} of instance {instance} is no longer yours")]
    LeaseLost {
        /// The instance.
        instance: InstanceId,
        /// The job.
        job: Number,
    },
    /// No token waits for this task.
    #[error("task {task} of instance {instance} is not open: it was completed or cancelled")]
    TaskNotOpen {
        /// The instance.
        instance: InstanceId,
        /// The task.
        task: Number,
    },
    /// The timer has fired or was disarmed.
    #[error("timer {timer} of instance {instance} is not armed")]
    TimerNotArmed {
        /// The instance.
        instance: InstanceId,
        /// The timer.
        timer: Number,
    },
    /// Its moment has not come.
    #[error("timer {timer} of instance {instance} is due at {due}, not before")]
    TimerNotDue {
        /// The instance.
        instance: InstanceId,
        /// The timer.
        timer: Number,
        /// Its moment.
        due: Timestamp,
    },
    /// There is no such open incident.
    #[error("incident {incident} of instance {instance} is not open")]
    IncidentNotOpen {
        /// The instance.
        instance: InstanceId,
        /// The incident.
        incident: Number,
    },
}

/// Says whether the instance takes the command.
pub fn accept(
    _process: &Process,
    instance: &Instance,
    command: &Command,
    now: Timestamp,
) -> Result<(), Rejection> {
    let id = instance.id;
    if let Command::Start(_) = command {
        return if instance.version == 0 { Ok(()) } else { Err(Rejection::InstanceStarted { id }) };
    }
    if instance.version == 0 {
        return Err(Rejection::InstanceUnknown { id });
    }
    match command {
        Command::CompleteJob { job, .. } | Command::FailJob { job, .. } => {
            open(instance.token_of_job(*job).is_some(), Rejection::JobNotOpen { instance: id, job: *job })
        }
        Command::CompleteTask { task, .. } => {
            open(instance.tasks.contains_key(task), Rejection::TaskNotOpen { instance: id, task: *task })
        }
        Command::TimerDue { timer: number } => match instance.timers.get(number) {
            Some(timer) if instance.status != Status::Paused => open(
                timer.due <= now,
                Rejection::TimerNotDue { instance: id, timer: *number, due: timer.due },
            ),
            Some(_) | None => Err(Rejection::TimerNotArmed { instance: id, timer: *number }),
        },
        Command::Resolve { incident } => {
            let known = instance.incidents.contains_key(incident);
            open(known, Rejection::IncidentNotOpen { instance: id, incident: *incident })
        }
        Command::Pause { .. } | Command::Resume | Command::Cancel { .. } | Command::Start(_)
            if instance.status.is_ended() =>
        {
            Err(Rejection::InstanceEnded { id, status: instance.status })
        }
        Command::Pause { .. } => open(instance.status != Status::Paused, Rejection::InstancePaused { id }),
        Command::Resume => open(instance.status == Status::Paused, Rejection::InstanceNotPaused { id }),
        Command::Cancel { .. } | Command::Start(_) => Ok(()),
    }
}

fn open(holds: bool, otherwise: Rejection) -> Result<(), Rejection> {
    if holds { Ok(()) } else { Err(otherwise) }
}
