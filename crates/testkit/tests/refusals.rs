//! What only a store could ask of an instance is refused too, when nobody waits for it.

use tyer_engine::{
    ChildOutcome, Command, Instance, InstanceId, Rejection, Start, Timestamp, Variables, step,
};
use tyer_testkit::Diagram;

const NOW: Timestamp = Timestamp(1_893_456_000_000);

#[test]
fn what_nobody_waits_for_is_refused_and_changes_nothing() {
    let xml = Diagram::parse("process p\n start -> a\n a : user -> end").expect("a diagram").to_bpmn();
    let process = tyer_model::import(xml.as_bytes()).expect("it can run").processes.remove(0);
    let mut instance = Instance::blank(InstanceId(1));
    let start = Start { priority: 50, ..Start::default() };
    step(&process, &mut instance, Command::Start(Box::new(start)), NOW).expect("it starts");
    let before = instance.clone();
    let id = instance.id;
    let variables = Variables::default();
    let refusals = [
        (
            Command::Trigger { subscription: 9, variables: variables.clone(), message: None },
            Rejection::SubscriptionNotOpen { instance: id, subscription: 9 },
        ),
        (
            Command::ChildEnded { call: 9, outcome: ChildOutcome::Completed(variables) },
            Rejection::CallNotOpen { instance: id, call: 9 },
        ),
        (Command::InDoubt { job: 9 }, Rejection::JobNotOpen { instance: id, job: 9 }),
    ];
    for (command, refusal) in refusals {
        assert_eq!(step(&process, &mut instance, command, NOW), Err(refusal));
        assert_eq!(instance, before);
    }
}
