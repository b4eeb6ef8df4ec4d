//! A loop that never waits is stopped, and parked instances stand still: what no transcript can reach in a few lines.

use tyer_engine::{
    Command, EventKind, IncidentKind, Instance, InstanceId, Number, Start, TaskAction, TimerKind, Timestamp,
    Variables, park, step,
};
use tyer_model::Process;
use tyer_testkit::{Diagram, invariants};

const NOW: Timestamp = Timestamp(1_893_456_000_000);

fn process(diagram: &str) -> Process {
    let xml = Diagram::parse(diagram).expect("a diagram").to_bpmn();
    tyer_model::import(xml.as_bytes()).expect("it can run").processes.remove(0)
}

fn started(process: &Process) -> Instance {
    let mut instance = Instance::blank(InstanceId(1));
    let start = Command::Start(Box::new(Start { priority: 50, ..Start::default() }));
    step(process, &mut instance, start, NOW).expect("it starts");
    instance
}

fn the_timer(instance: &Instance) -> Number {
    *instance.timers.keys().next().expect("the token makes room for others")
}

#[test]
fn a_loop_without_a_wait_is_stopped_after_ten_million_visits() {
    let process = process("process spin\n start -> a\n a : pass -> b\n b : pass -> a");
    let mut instance = started(&process);
    let timer = the_timer(&instance);
    let armed = instance.timers.get_mut(&timer).expect("it is armed");
    armed.kind = TimerKind::Yield { visits: 9_999_990 };
    let events = step(&process, &mut instance, Command::TimerDue { timer }, NOW).expect("it goes on");
    let entered = events.iter().filter(|event| event.kind == EventKind::NodeStarted).count();
    assert_eq!(entered, 10, "the ten visits that were left");
    let (number, incident) = instance.incidents.iter().next().expect("it is told");
    assert_eq!(incident.kind, IncidentKind::Runaway);
    assert_eq!(incident.message, "10000000 nodes visited without a wait: does this loop ever end?");
    let resolve = Command::Resolve { incident: *number, retries: None };
    assert_eq!(invariants(&process, &instance), Vec::<String>::new());
    step(&process, &mut instance, resolve, NOW).expect("a person lets it go on");
    let timer = &instance.timers[&the_timer(&instance)];
    assert_eq!(timer.kind, TimerKind::Yield { visits: 10_000 }, "it counts anew");
    assert_eq!(invariants(&process, &instance), Vec::<String>::new());
}

#[test]
fn a_parked_instance_stands_still_until_it_is_resolved_and_resumed() {
    let process = process("process work\n start -> a\n a : user -> end");
    let mut instance = started(&process);
    let before = instance.clone();
    let mut folded = before.clone();
    let events = park(&process, &mut instance, "index out of bounds".to_owned(), NOW);
    events.iter().for_each(|event| folded.apply(event, NOW));
    assert_eq!(folded, instance);
    assert_eq!(instance.tokens, before.tokens, "nothing is lost");
    assert_eq!(invariants(&process, &instance), Vec::<String>::new());
    let incident = *instance.incidents.keys().next().expect("it is told");
    step(&process, &mut instance, Command::Resolve { incident, retries: None }, NOW)
        .expect("a person has looked");
    step(&process, &mut instance, Command::Resume, NOW).expect("it goes on");
    let task = *instance.tasks.keys().next().expect("its task is open");
    let done =
        Command::Task { task, by: None, action: TaskAction::Complete { variables: Variables::default() } };
    step(&process, &mut instance, done, NOW).expect("it completes");
    assert!(instance.status.is_ended());
}
