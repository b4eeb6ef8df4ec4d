//! What became of something that is not open any more: asked of history, on the cold path only.
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "of all events and codes only those of one thing are looked for"
)]

use tyer_engine::{EventKind, InstanceId, ItemId};
use tyer_runtime::{Engine, Error, Rejection};

use crate::code::Code;
use crate::envelope::kind_of;
use crate::error::Failure;

/// Events read at once.
const PAGE: usize = 500;

/// Tells "was completed" from "never was" where the engine only knows "is not open".
pub(crate) async fn explained(engine: &Engine, error: Error) -> Failure {
    let told = match &error {
        Error::Rejected(Rejection::TaskNotOpen { instance, task }) => {
            let fate = last(engine, *instance, |kind| fate_of_task(kind, *task)).await;
            fate.map(|fate| (fate.unwrap_or(Code::TaskUnknown), *instance, *task, "task"))
        }
        Error::Rejected(Rejection::JobNotOpen { instance, job }) => {
            let fate = last(engine, *instance, |kind| fate_of_job(kind, *job)).await;
            fate.map(|fate| (fate.unwrap_or(Code::JobUnknown), *instance, *job, "job"))
        }
        Error::Rejected(Rejection::IncidentNotOpen { instance, incident }) => {
            let fate = last(engine, *instance, |kind| fate_of_incident(kind, *incident)).await;
            fate.map(|fate| (fate.unwrap_or(Code::IncidentUnknown), *instance, *incident, "inc"))
        }
        _ => return error.into(),
    };
    match told {
        Ok((code, instance, number, kind)) => {
            let id = ItemId { instance, number }.to_text(kind);
            let details = Failure::from(error).details;
            Failure::new(code, sentence(code, &id)).with(details)
        }
        Err(error) => error.into(),
    }
}

fn fate_of_task(kind: &EventKind, wanted: u32) -> Option<Code> {
    match kind {
        EventKind::TaskCompleted { task, .. } if *task == wanted => Some(Code::TaskAlreadyCompleted),
        EventKind::TaskCancelled { task } if *task == wanted => Some(Code::TaskCancelled),
        _ => None,
    }
}

fn fate_of_job(kind: &EventKind, wanted: u32) -> Option<Code> {
    match kind {
        EventKind::JobCreated { job, .. } if *job == wanted => Some(Code::JobTakenAway),
        EventKind::JobCompleted { job, .. } if *job == wanted => Some(Code::JobAlreadyCompleted),
        EventKind::JobFailed { job, .. } if *job == wanted => Some(Code::JobAlreadyFailed),
        _ => None,
    }
}

fn fate_of_incident(kind: &EventKind, wanted: u32) -> Option<Code> {
    match kind {
        EventKind::IncidentResolved { incident } if *incident == wanted => {
            Some(Code::IncidentAlreadyResolved)
        }
        _ => None,
    }
}

fn sentence(code: Code, id: &str) -> String {
    match code {
        Code::TaskAlreadyCompleted | Code::JobAlreadyCompleted => format!("{id} has been completed already"),
        Code::TaskCancelled => format!("{id} was cancelled: nobody has to do it any more"),
        Code::JobAlreadyFailed => format!("{id} has been failed already: the next try is another job"),
        Code::JobTakenAway => format!("{id} was taken away: its token does not wait for it any more"),
        Code::IncidentAlreadyResolved => format!("{id} has been resolved already"),
        _ => format!("there is no {id}"),
    }
}

/// The last thing that history says about it.
async fn last(
    engine: &Engine,
    instance: InstanceId,
    says: impl Fn(&EventKind) -> Option<Code>,
) -> Result<Option<Code>, Error> {
    let (mut after, mut found) = (0, None);
    loop {
        let events = engine.history(instance, after, PAGE).await?;
        let Some(last) = events.last() else { return Ok(found) };
        after = last.seq;
        for event in &events {
            found = says(&kind_of(event)?).or(found);
        }
    }
}
