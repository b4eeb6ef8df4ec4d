//! One thing to do with a simulated world, and how to do it.
//!
//! **Invariant:** what must be refused is refused for the right reason, and what may not be refused is not.

use std::fmt;
use std::sync::Arc;

use tyer_engine::{
    Command, Effects, Instance, InstanceId, Migration, Number, Rejection, Rollback, Timestamp,
};
use tyer_engine::{TaskAction, Variables};

use super::version::Version;
use crate::world::World;

/// One thing to do.
pub(super) struct Action {
    text: String,
    deed: Deed,
    /// BPMN has no word for what follows.
    pub(super) is_beyond_bpmn: bool,
}

enum Deed {
    Give { to: InstanceId, command: Box<Command>, expected: Expected },
    Twice { to: InstanceId, command: Box<Command> },
    Advance(Timestamp),
    Message { name: String, key: Option<String> },
    Signal(String),
    Hold { of: InstanceId, job: Number },
    Migrate { of: InstanceId, version: Option<Box<Version>> },
    Bookmark(InstanceId),
    Rollback { of: InstanceId, effects: Effects },
}

/// What must become of a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    Taken,
    /// What it is about is gone, or was never there.
    Late,
    /// It depends on more than a driver knows.
    Either,
}

/// What actions leave behind for later ones.
#[derive(Default)]
pub(super) struct Desk {
    /// How the first instance was at its bookmark.
    pub(super) bookmark: Option<Instance>,
    /// The version that was deployed last, if it is not the first.
    pub(super) deployed: Option<Version>,
    versions: u32,
}

impl Action {
    pub(super) fn give(to: InstanceId, text: String, command: Command, expected: Expected) -> Action {
        let is_beyond_bpmn = matches!(
            command,
            Command::Modify(_)
                | Command::Compensate { .. }
                | Command::SkipCompensation { .. }
                | Command::AbortCompensation { .. }
        );
        let deed = Deed::Give { to, command: Box::new(command), expected };
        Action { text: format!("{to} {text}"), deed, is_beyond_bpmn }
    }

    /// The same command twice: the second one is late.
    pub(super) fn twice(to: InstanceId, text: String, command: Command) -> Action {
        let deed = Deed::Twice { to, command: Box::new(command) };
        Action { text: format!("{to} {text} twice"), deed, is_beyond_bpmn: false }
    }

    pub(super) fn advance(until: Timestamp) -> Action {
        Action { text: format!("advance to {until}"), deed: Deed::Advance(until), is_beyond_bpmn: false }
    }

    pub(super) fn message(name: String, key: Option<String>) -> Action {
        let text = format!("message {name} {key:?}");
        Action { text, deed: Deed::Message { name, key }, is_beyond_bpmn: false }
    }

    pub(super) fn signal(name: String) -> Action {
        Action { text: format!("signal {name}"), deed: Deed::Signal(name), is_beyond_bpmn: false }
    }

    /// A worker takes the job.
    pub(super) fn hold(of: InstanceId, job: Number) -> Action {
        Action { text: format!("{of} hold job {job}"), deed: Deed::Hold { of, job }, is_beyond_bpmn: false }
    }

    /// To another version, or to the one that was deployed last.
    pub(super) fn migrate(of: InstanceId, version: Option<Version>) -> Action {
        let what = version.as_ref().map_or("what is deployed", |version| &version.change);
        let text = format!("{of} migrate to {what}");
        Action { text, deed: Deed::Migrate { of, version: version.map(Box::new) }, is_beyond_bpmn: false }
    }

    pub(super) fn bookmark(of: InstanceId) -> Action {
        Action { text: format!("{of} bookmark"), deed: Deed::Bookmark(of), is_beyond_bpmn: false }
    }

    pub(super) fn rollback(of: InstanceId, effects: Effects) -> Action {
        let text = format!("{of} roll back, {effects:?}");
        Action { text, deed: Deed::Rollback { of, effects }, is_beyond_bpmn: true }
    }

    /// Does it. A refusal is right where the world had gone on, and wrong where it had not.
    pub(super) fn take(self, world: &mut World, desk: &mut Desk) -> Result<(), String> {
        match self.deed {
            Deed::Give { to, command, expected } => judge(world.command(to, *command), expected),
            Deed::Twice { to, command } => {
                judge(world.command(to, (*command).clone()), Expected::Taken)?;
                judge(world.command(to, *command), Expected::Late)
            }
            Deed::Advance(until) => {
                world.advance_to(until);
                Ok(())
            }
            Deed::Message { name, key } => {
                world.publish(&name, key.as_deref(), None, Variables::default(), 0);
                Ok(())
            }
            Deed::Signal(name) => {
                world.signal(&name, Variables::default());
                Ok(())
            }
            Deed::Hold { of, job } => {
                if let Some(member) = world.instances.get_mut(&of) {
                    member.instance.executing.insert(job);
                }
                Ok(())
            }
            Deed::Migrate { of, version } => migrate(world, desk, of, version.map(|version| *version)),
            Deed::Bookmark(of) => {
                desk.bookmark = Some(world.instances[&of].instance.clone());
                judge(world.command(of, Command::Snapshot { name: "here".to_owned() }), Expected::Taken)
            }
            Deed::Rollback { of, effects } => {
                let state = desk.bookmark.take().ok_or("there is no bookmark")?;
                let rollback = Rollback { name: "here".to_owned(), state, effects };
                judge(world.command(of, Command::Rollback(Box::new(rollback))), Expected::Either)
            }
        }
    }
}

fn judge(answer: Result<(), Rejection>, expected: Expected) -> Result<(), String> {
    match (answer, expected) {
        (Ok(()), Expected::Taken | Expected::Either) | (Err(_), Expected::Either) => Ok(()),
        (Err(rejection), Expected::Taken) => Err(format!("it was refused: {rejection}")),
        (Err(rejection), Expected::Late) if says_late(&rejection) => Ok(()),
        (Err(rejection), Expected::Late) => Err(format!("what came late was refused as: {rejection}")),
        (Ok(()), Expected::Late) => Err("what came late was taken".to_owned()),
    }
}

fn says_late(rejection: &Rejection) -> bool {
    matches!(
        rejection,
        Rejection::JobNotOpen { .. }
            | Rejection::TaskNotOpen { .. }
            | Rejection::TimerNotArmed { .. }
            | Rejection::TimerNotDue { .. }
            | Rejection::SubscriptionNotOpen { .. }
            | Rejection::CallNotOpen { .. }
            | Rejection::IncidentNotOpen { .. }
            | Rejection::InstanceEnded { .. }
    )
}

/// Deploys the version, if there is a new one, and brings the instance to it. Only the same thing may not be refused.
fn migrate(
    world: &mut World,
    desk: &mut Desk,
    of: InstanceId,
    version: Option<Version>,
) -> Result<(), String> {
    let from = Arc::clone(&world.instances[&of].process);
    let mapping = version.as_ref().map_or(Vec::new(), |version| version.mapping.clone());
    if let Some(version) = version {
        for process in version.import()? {
            world.add(Arc::new(process));
        }
        desk.versions += 1;
        desk.deployed = Some(version);
    }
    let is_same = Arc::ptr_eq(&from, &world.processes[&from.id]);
    let number = 1 + desk.versions;
    let migration = Migration { definition: i64::from(number), version: number, mapping, from };
    let expected = if is_same { Expected::Taken } else { Expected::Either };
    judge(world.command(of, Command::Migrate(Box::new(migration))), expected)
}

/// What a person does with a task, by a name for it.
pub(super) fn on_task(to: InstanceId, task: Number, name: &str, action: TaskAction) -> Action {
    let expected = if matches!(action, TaskAction::Claim) { Expected::Either } else { Expected::Taken };
    let command = Command::Task { task, by: Some("ada".to_owned()), action };
    Action::give(to, format!("{name} task {task}"), command, expected)
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}
