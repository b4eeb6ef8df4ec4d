//! What comes too late, too early or to the wrong one.
//!
//! **Invariant:** nothing drawn here is open in the instance that it is sent to.

use std::collections::BTreeSet;

use tyer_engine::{
    ChildOutcome, Command, Instance, InstanceId, Number, TaskAction, Timestamp, Variables, Wait,
};

use super::action::{Action, Expected};
use crate::random::Random;
use crate::world::World;

/// Something that an instance waited for once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    Job(Number),
    Task(Number),
    Timer(Number),
    Subscription(Number),
    Call(Number),
    Incident(Number),
}

/// Everything that was ever open, and whose it was.
#[derive(Default)]
pub(super) struct Seen {
    things: BTreeSet<(InstanceId, Thing)>,
}

impl Seen {
    /// Looks at everything that is open now.
    pub(super) fn look(&mut self, world: &World) {
        for (id, member) in &world.instances {
            self.things.extend(open(&member.instance).map(|thing| (*id, thing)));
        }
    }

    /// A command about something that is gone, or belongs to another instance, or is not due.
    pub(super) fn draw(&self, world: &World, random: &mut Random) -> Option<Action> {
        let all: Vec<(InstanceId, Thing)> = self.things.iter().copied().collect();
        if all.is_empty() {
            return None;
        }
        let (owner, thing) = *random.pick(&all);
        let ids: Vec<InstanceId> = world.instances.keys().copied().collect();
        let to = if random.chance(20) { *random.pick(&ids) } else { owner };
        let instance = &world.instances.get(&to)?.instance;
        if open(instance).any(|other| other == thing && !is_early(instance, other, world.now)) {
            return None;
        }
        let (text, command) = command(thing, random);
        Some(Action::give(to, format!("{text} late"), command, Expected::Late))
    }
}

fn open(instance: &Instance) -> impl Iterator<Item = Thing> {
    let waits = instance.tokens.values().filter_map(|token| match &token.wait {
        Wait::Job(job) => Some(Thing::Job(job.number)),
        Wait::Call(call) => Some(Thing::Call(*call)),
        Wait::Nothing
        | Wait::Task(_)
        | Wait::Timer(_)
        | Wait::Event
        | Wait::Join
        | Wait::Turn
        | Wait::Scope
        | Wait::Saga(_)
        | Wait::Incident(_) => None,
    });
    let timers = instance.timers.keys().map(|number| Thing::Timer(*number));
    let tasks = instance.tasks.keys().map(|number| Thing::Task(*number));
    let subscriptions = instance.subscriptions.keys().map(|number| Thing::Subscription(*number));
    let incidents = instance.incidents.keys().map(|number| Thing::Incident(*number));
    waits.chain(timers).chain(tasks).chain(subscriptions).chain(incidents)
}

/// A timer that is armed, and whose moment has not come.
fn is_early(instance: &Instance, thing: Thing, now: Timestamp) -> bool {
    let Thing::Timer(number) = thing else { return false };
    instance.timers.get(&number).is_some_and(|timer| timer.due > now)
}

fn command(thing: Thing, random: &mut Random) -> (String, Command) {
    let variables = Variables::default();
    match thing {
        Thing::Job(job) => job_result(job, random),
        Thing::Task(task) => {
            let action =
                if random.chance(50) { TaskAction::Complete { variables } } else { TaskAction::Release };
            (format!("do task {task}"), Command::Task { task, by: Some("bob".to_owned()), action })
        }
        Thing::Timer(timer) => (format!("fire timer {timer}"), Command::TimerDue { timer }),
        Thing::Subscription(subscription) => {
            let trigger = Command::Trigger { subscription, variables, message: None };
            (format!("trigger subscription {subscription}"), trigger)
        }
        Thing::Call(call) => {
            let outcome = ChildOutcome::Completed(variables);
            (format!("answer call {call}"), Command::ChildEnded { call, outcome })
        }
        Thing::Incident(incident) => {
            (format!("resolve {incident}"), Command::Resolve { incident, retries: None })
        }
    }
}

fn job_result(job: Number, random: &mut Random) -> (String, Command) {
    let (holder, variables) = (None, Variables::default());
    match random.below(3) {
        0 => {
            let (error, retries, backoff_ms) = ("too late".to_owned(), Some(1), None);
            (format!("fail job {job}"), Command::FailJob { job, holder, error, retries, backoff_ms })
        }
        1 => {
            let (code, message) = ("error".to_owned(), None);
            (format!("throw at job {job}"), Command::ThrowError { job, holder, code, message, variables })
        }
        _ => (format!("complete job {job}"), Command::CompleteJob { job, holder, variables }),
    }
}
