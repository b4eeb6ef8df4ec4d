//! The recorder's driver on our engine: which action comes next, and doing it.

use tyer_engine::{
    Command, InstanceId, ItemId, Number, Subscription, TaskAction, TimerKind, Timestamp, Variables, Wanted,
};
use tyer_feel::{Clock, Expression, Names};
use tyer_model::{NodeIx, NodeKind, Process, SubProcessKind};

use super::model::Model;
use super::trace::Mode;
use crate::suites::jobs::{OpenJob, open_jobs, variable};
use crate::world::World;

/// An action that is possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Action {
    /// As it is recorded: `complete:task`.
    pub(super) name: String,
    does: Does,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Complete(ItemId),
    Trigger(ItemId),
    Fire(ItemId, Timestamp),
}

/// Work that no person and no event does is done at once, unless it is for a worker outside.
pub(super) fn do_jobs(world: &mut World, model: &Model) {
    const MOST: u32 = 5_000;
    for _ in 0..MOST {
        let is_ours = |job: &OpenJob| {
            let process = &world.instances[&job.instance].process;
            !model.is_external(&process.node(job.node).id)
        };
        let Some(job) = open_jobs(world).into_iter().find(is_ours) else { return };
        let variables = effect(world, model, job);
        let command = Command::CompleteJob { job: job.number, holder: None, variables };
        world.command(job.instance, command).expect("an open job can be completed");
    }
}

/// What `${execution.setVariable('name', value)}` does.
fn effect(world: &World, model: &Model, job: OpenJob) -> Variables {
    let member = &world.instances[&job.instance];
    let said = model.expression(&member.process.node(job.node).id).unwrap_or_default();
    let call = said.split_once("execution.setVariable('").and_then(|(_, rest)| rest.split_once("',"));
    let Some((name, rest)) = call else { return Variables::default() };
    let value = rest.trim().trim_end_matches('}').trim_end_matches(')');
    // One bracket too many is gone when the value ends in a call.
    let value = if value.matches('(').count() > value.matches(')').count() {
        format!("{value})")
    } else {
        value.to_owned()
    };
    let Ok(expression) = Expression::parse_juel(&format!("${{{value}}}"), &Names::default()) else {
        return Variables::default();
    };
    let mut seen = Variables::default();
    for name in expression.variables() {
        if let Some(json) = variable(member, job.token, name) {
            seen.merge(&Variables::of(name, json.to_owned()));
        }
    }
    let clock = Clock::utc(Default::default());
    Variables::of(name, expression.evaluate(&seen, &clock).value.to_json())
}

/// What the recorder's driver would do now. It looks at all instances: those that a signal has begun, too.
pub(super) fn next(world: &World, model: &Model, mode: Mode) -> Option<Action> {
    let (task, event) = (lowest_task(world), lowest_event(world, model));
    let first = match mode {
        Mode::TasksFirst => task.or(event),
        Mode::EventsFirst => event.or(task),
    };
    first.or_else(|| lowest_receiver(world, model))
}

/// Does it.
pub(super) fn act(world: &mut World, action: &Action) -> Result<(), String> {
    let (of, command) = match action.does {
        Does::Complete(task) => {
            let action = TaskAction::Complete { variables: Variables::default() };
            (task, Command::Task { task: task.number, by: None, action })
        }
        Does::Trigger(of) => {
            let variables = Variables::default();
            (of, Command::Trigger { subscription: of.number, variables, message: None })
        }
        Does::Fire(timer, due) => {
            world.now = world.now.max(due);
            (timer, Command::TimerDue { timer: timer.number })
        }
    };
    world.command(of.instance, command).map_err(|rejection| rejection.to_string())
}

fn lowest_task(world: &World) -> Option<Action> {
    let tasks = world.instances.iter().flat_map(|(id, member)| {
        let tasks = member.instance.tasks.iter();
        tasks.map(|(number, task)| (member.process.node(task.node).id.as_str(), item(*id, *number)))
    });
    let (node, task) = tasks.min()?;
    Some(Action { name: format!("complete:{node}"), does: Does::Complete(task) })
}

fn lowest_event(world: &World, model: &Model) -> Option<Action> {
    let mut events: Vec<(&str, ItemId, &str, Does)> = Vec::new();
    for (id, member) in &world.instances {
        let timers = member.instance.timers.iter().filter(|(_, timer)| timer.kind == TimerKind::Catch);
        for (number, timer) in timers {
            let of = item(*id, *number);
            events.push((event_id(&member.process, timer.node), of, "timer", Does::Fire(of, timer.due)));
        }
    }
    for (node, of, subscription) in subscriptions(world) {
        let kind = match subscription.wanted {
            Wanted::Message { .. } if model.waits_for_message(node) => "message",
            Wanted::Signal { .. } => "signal",
            Wanted::Message { .. } | Wanted::Condition { .. } => continue,
        };
        events.push((node, of, kind, Does::Trigger(of)));
    }
    // The recorder orders by the id and what it writes behind it: `timer2:` comes before `timer:`.
    let lowest = events.into_iter().min_by_key(|(node, of, _, _)| (format!("{node}:"), *of));
    let (node, _, kind, does) = lowest?;
    Some(Action { name: format!("{kind}:{node}"), does })
}

/// A receive task that names no message.
fn lowest_receiver(world: &World, model: &Model) -> Option<Action> {
    let waiting = subscriptions(world).into_iter().filter_map(|(node, of, subscription)| {
        let is_bare = matches!(subscription.wanted, Wanted::Message { .. }) && !model.waits_for_message(node);
        is_bare.then_some((node, of))
    });
    let (node, of) = waiting.min()?;
    Some(Action { name: format!("trigger:{node}"), does: Does::Trigger(of) })
}

fn subscriptions(world: &World) -> Vec<(&str, ItemId, &Subscription)> {
    let mut found = Vec::new();
    for (id, member) in &world.instances {
        for (number, subscription) in &member.instance.subscriptions {
            let node = event_id(&member.process, subscription.node);
            found.push((node, item(*id, *number), subscription));
        }
    }
    found
}

fn item(instance: InstanceId, number: Number) -> ItemId {
    ItemId { instance, number }
}

/// An event sub-process is known by its start event.
fn event_id(process: &Process, node: NodeIx) -> &str {
    let at = match &process.node(node).kind {
        NodeKind::SubProcess(sub) => match sub.kind {
            SubProcessKind::Event { start, .. } => start,
            _ => node,
        },
        _ => node,
    };
    &process.node(at).id
}
