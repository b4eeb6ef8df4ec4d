//! What goes between instances: calls, messages, signals, start events; and what people do to them.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::Duration;

use serde_json::json;
use tyer_engine::Wait;
use tyer_runtime::{
    Effects, Engine, Error, InstanceId, ItemId, Job, JobError, Modification, Placement, Rejection, Status,
    TestClock,
};

const MODEL: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:zeebe="http://camunda.org/schema/zeebe/1.0">
  <message id="paid" name="paid"><extensionElements><zeebe:subscription correlationKey="=order"/></extensionElements></message>
  <message id="ordered" name="ordered"/>
  <signal id="storm" name="storm"/>
  <process id="parent" isExecutable="true">
    <startEvent id="p1"/>
    <callActivity id="call"><extensionElements><zeebe:calledElement processId="child"/></extensionElements></callActivity>
    <endEvent id="p2"/>
    <sequenceFlow id="a" sourceRef="p1" targetRef="call"/><sequenceFlow id="b" sourceRef="call" targetRef="p2"/>
  </process>
  <process id="child" isExecutable="true">
    <startEvent id="c1"/>
    <serviceTask id="work"><extensionElements><zeebe:taskDefinition type="work" retries="1"/></extensionElements></serviceTask>
    <endEvent id="c2"/>
    <sequenceFlow id="c" sourceRef="c1" targetRef="work"/><sequenceFlow id="d" sourceRef="work" targetRef="c2"/>
  </process>
  <process id="lost" isExecutable="true">
    <startEvent id="l1"/>
    <callActivity id="nowhere"><extensionElements><zeebe:calledElement processId="nobody"/></extensionElements></callActivity>
    <sequenceFlow id="e" sourceRef="l1" targetRef="nowhere"/>
  </process>
  <process id="order" isExecutable="true">
    <startEvent id="o1"/>
    <intermediateCatchEvent id="pay"><messageEventDefinition messageRef="paid"/></intermediateCatchEvent>
    <intermediateCatchEvent id="calm"><signalEventDefinition signalRef="storm"/></intermediateCatchEvent>
    <endEvent id="o2"/>
    <sequenceFlow id="f" sourceRef="o1" targetRef="pay"/><sequenceFlow id="g" sourceRef="pay" targetRef="calm"/>
    <sequenceFlow id="h" sourceRef="calm" targetRef="o2"/>
  </process>
  <process id="begun" isExecutable="true">
    <startEvent id="b1"><messageEventDefinition messageRef="ordered"/></startEvent>
    <userTask id="ask"/><endEvent id="b2"/>
    <sequenceFlow id="i" sourceRef="b1" targetRef="ask"/><sequenceFlow id="j" sourceRef="ask" targetRef="b2"/>
  </process>
  <process id="alarmed" isExecutable="true">
    <startEvent id="s1"><signalEventDefinition signalRef="storm"/></startEvent><endEvent id="s2"/>
    <sequenceFlow id="k" sourceRef="s1" targetRef="s2"/>
  </process>
</definitions>"#;

async fn engine() -> (Engine, TestClock) {
    let clock = TestClock::default();
    let engine = Engine::builder().clock(&clock).memory().await.unwrap();
    engine.deploy(MODEL).await.unwrap();
    (engine, clock)
}

async fn status(engine: &Engine, id: InstanceId) -> Status {
    engine.run_until_idle().await.unwrap();
    engine.glance(id).await.unwrap().status
}

async fn only_child(engine: &Engine, parent: InstanceId) -> InstanceId {
    engine.run_until_idle().await.unwrap();
    let children = engine.instance(parent).children(InstanceId(0), 10).await.unwrap();
    assert_eq!(children.len(), 1);
    children[0].id
}

#[tokio::test]
async fn a_called_process_gives_its_variables_to_its_caller() {
    let (engine, _) = engine().await;
    engine.worker("work", |job: Job| async move {
        Ok(json!({ "double": job.variables.get("n").map(|n| format!("{n}{n}")) }))
    });
    let parent = engine.start("parent").variables(json!({ "n": 4 })).send().await.unwrap();
    let done = parent.finished().await.unwrap();
    assert_eq!((done.status, done.variables.get("double")), (Status::Completed, Some("\"44\"")));
    let child = only_child(&engine, parent.id()).await;
    assert_eq!(status(&engine, child).await, Status::Completed);
}

#[tokio::test]
async fn a_call_of_a_process_that_is_not_there_is_an_incident() {
    let (engine, _) = engine().await;
    let lost = engine.start("lost").send().await.unwrap();
    engine.run_until_idle().await.unwrap();
    let seen = lost.overview().await.unwrap().instance;
    let incident = seen.incidents.values().next().unwrap();
    assert!(incident.message.contains("there is no process `nobody`"), "{}", incident.message);
}

#[tokio::test]
async fn an_error_that_nobody_in_the_called_process_catches_is_thrown_at_its_call() {
    let (engine, _) = engine().await;
    engine.worker("work", |_: Job| async { Err::<(), _>(JobError::thrown("E1", "no paper")) });
    let parent = engine.start("parent").send().await.unwrap();
    let child = only_child(&engine, parent.id()).await;
    let seen = engine.instance(child).overview().await.unwrap().instance;
    assert_eq!(seen.incidents.len() + usize::from(seen.status == Status::Failed), 1);
}

#[tokio::test]
async fn cancel_pause_and_resume_go_down_to_called_processes() {
    let (engine, _) = engine().await;
    let parent = engine.start("parent").send().await.unwrap();
    let child = only_child(&engine, parent.id()).await;
    parent.pause(None).await.unwrap();
    assert_eq!(status(&engine, child).await, Status::Paused);
    parent.resume().await.unwrap();
    assert_eq!(status(&engine, child).await, Status::Running);
    parent.cancel(None).await.unwrap();
    assert_eq!(status(&engine, child).await, Status::Cancelled);
    assert_eq!(status(&engine, parent.id()).await, Status::Cancelled);
}

#[tokio::test]
async fn a_message_finds_who_waits_for_it_by_key() {
    let (engine, _) = engine().await;
    let first = engine.start("order").variables(json!({ "order": "A" })).send().await.unwrap();
    let second = engine.start("order").variables(json!({ "order": "B" })).send().await.unwrap();
    let published = engine.publish("paid").key("B").variables(json!({ "sum": 5 })).send().await.unwrap();
    assert_eq!(published.taken_by, [second.id()]);
    let nodes = |id| {
        let handle = engine.instance(id);
        async move { handle.overview().await.unwrap().current_nodes }
    };
    assert_eq!(
        (nodes(first.id()).await, nodes(second.id()).await),
        (vec!["pay".to_owned()], vec!["calm".to_owned()])
    );
    assert_eq!(second.overview().await.unwrap().instance.variables().unwrap().get("sum"), Some("5"));
}

#[tokio::test]
async fn a_message_waits_for_who_comes_later_but_not_for_ever() {
    let (engine, _) = engine().await;
    let publish = |key: &str, ttl: u64| engine.publish("paid").key(key).ttl(Duration::from_secs(ttl)).send();
    assert!(publish("A", 60).await.unwrap().taken_by.is_empty());
    publish("B", 60).await.unwrap();
    publish("C", 0).await.unwrap();
    let early = engine.start("order").variables(json!({ "order": "A" })).send().await.unwrap();
    let none = engine.start("order").variables(json!({ "order": "C" })).send().await.unwrap();
    engine.advance(Duration::from_secs(61)).await.unwrap();
    let late = engine.start("order").variables(json!({ "order": "B" })).send().await.unwrap();
    engine.run_until_idle().await.unwrap();
    for (handle, node) in [(early, "calm"), (none, "pay"), (late, "pay")] {
        assert_eq!(handle.overview().await.unwrap().current_nodes, [node]);
    }
}

#[tokio::test]
async fn a_message_with_an_id_is_published_once() {
    let (engine, _) = engine().await;
    let publish = || engine.publish("ordered").message_id("m1").send();
    let first = publish().await.unwrap();
    assert_eq!((first.duplicate, first.taken_by.len()), (false, 1));
    assert!(publish().await.unwrap().duplicate);
}

#[tokio::test]
async fn of_one_key_one_instance_lives_that_a_message_began() {
    let (engine, _) = engine().await;
    let publish = |key: &str| engine.publish("ordered").key(key).send();
    let first = publish("A").await.unwrap().taken_by[0];
    assert_eq!(publish("B").await.unwrap().taken_by.len(), 1);
    assert!(publish("A").await.unwrap().taken_by.is_empty(), "it waits until the first has ended");
    let task = engine.tasks(Some(first), 1).await.unwrap()[0].asked.task;
    engine.complete_task(ItemId { instance: first, number: task }, (), None).await.unwrap();
    engine.run_until_idle().await.unwrap();
    let live = engine.instances(InstanceId(0), 10).await.unwrap();
    let running = live.iter().filter(|instance| instance.status == Status::Running).count();
    assert_eq!((live.len(), running), (3, 2));
}

#[tokio::test]
async fn a_signal_goes_to_everybody_and_begins_what_waits_for_it() {
    let (engine, _) = engine().await;
    let mut waiting = Vec::new();
    for key in ["A", "B"] {
        let order = engine.start("order").variables(json!({ "order": key })).send().await.unwrap();
        engine.publish("paid").key(key).send().await.unwrap();
        waiting.push(order);
    }
    let signalled = engine.signal("storm", json!({ "wind": 9 })).await.unwrap();
    assert_eq!((signalled.reached, signalled.started.len()), (2, 1));
    for order in waiting {
        let done = order.finished().await.unwrap();
        assert_eq!((done.status, done.variables.get("wind")), (Status::Completed, Some("9")));
    }
    assert_eq!(engine.signal("storm", ()).await.unwrap().reached, 0);
}

fn timed(cycle: &str) -> String {
    format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="timed" isExecutable="true">
        <startEvent id="t1"><timerEventDefinition><timeCycle>{cycle}</timeCycle></timerEventDefinition></startEvent>
        <endEvent id="t2"/><sequenceFlow id="x" sourceRef="t1" targetRef="t2"/></process></definitions>"#
    )
}

#[tokio::test]
async fn a_start_timer_begins_instances_until_a_new_version_replaces_it() {
    let (engine, _) = engine().await;
    let count = async || engine.instances(InstanceId(0), 100).await.unwrap().len();
    engine.deploy(timed("R3/PT10S")).await.unwrap();
    engine.advance(Duration::from_secs(9)).await.unwrap();
    assert_eq!(count().await, 0);
    engine.advance(Duration::from_secs(11)).await.unwrap();
    assert_eq!(count().await, 2);
    engine.deploy(timed("R2/PT1M")).await.unwrap();
    engine.advance(Duration::from_secs(59)).await.unwrap();
    assert_eq!(count().await, 2);
    engine.advance(Duration::from_secs(600)).await.unwrap();
    assert_eq!(count().await, 4);
}

#[tokio::test]
async fn tasks_are_claimed_released_and_assigned() {
    let (engine, _) = engine().await;
    let id = engine.publish("ordered").send().await.unwrap().taken_by[0];
    let task = ItemId { instance: id, number: engine.tasks(Some(id), 1).await.unwrap()[0].asked.task };
    engine.claim_task(task, "ann").await.unwrap();
    let refused = engine.claim_task(task, "bob").await;
    assert!(matches!(refused, Err(Error::Rejected(Rejection::TaskHeld { .. }))), "{refused:?}");
    engine.release_task(task, None).await.unwrap();
    engine.assign_task(task, "bob", Some("boss".to_owned())).await.unwrap();
    engine.change_task(task, Some(90), None, None).await.unwrap();
    let asked = &engine.tasks(Some(id), 1).await.unwrap()[0].asked;
    assert_eq!((asked.assignee.as_deref(), asked.priority), (Some("bob"), 90));
}

#[tokio::test]
async fn an_instance_goes_on_under_another_version_with_its_whole_history() {
    let (engine, _) = engine().await;
    let order = engine.start("order").variables(json!({ "order": "A" })).send().await.unwrap();
    engine.deploy(MODEL.replace(r#""pay""#, r#""payment""#).replace(r#""h""#, r#""h2""#)).await.unwrap();
    let refused = order.migrate(None, Vec::new()).await;
    assert!(matches!(refused, Err(Error::Rejected(Rejection::MigrationRefused { .. }))), "{refused:?}");
    order.migrate(None, vec![("pay".to_owned(), "payment".to_owned())]).await.unwrap();
    assert_eq!(engine.publish("paid").key("A").send().await.unwrap().taken_by, [order.id()]);
    let seen = order.overview().await.unwrap();
    assert_eq!((seen.version, seen.current_nodes), (2, vec!["calm".to_owned()]));
    assert_eq!(seen.completed_nodes, ["o1", "payment"]);
    engine.signal("storm", ()).await.unwrap();
    assert_eq!(order.finished().await.unwrap().status, Status::Completed);
    let state = order.state_at(u64::MAX).await.unwrap();
    assert_eq!(state, order.overview().await.unwrap().instance, "the history folds over both versions");
}

#[tokio::test]
async fn an_instance_goes_back_to_a_bookmark() {
    let (engine, _) = engine().await;
    let order = engine.start("order").variables(json!({ "order": "A" })).send().await.unwrap();
    order.snapshot("before").await.unwrap();
    engine.publish("paid").key("A").variables(json!({ "sum": 1 })).send().await.unwrap();
    assert_eq!(order.snapshots().await.unwrap()[0].name, "before");
    order.roll_back("before", Effects::Refuse).await.unwrap();
    let seen = order.overview().await.unwrap();
    assert_eq!(seen.current_nodes, ["pay"]);
    assert_eq!(seen.instance.variables().unwrap().get("sum"), None);
    let unknown = order.roll_back("never", Effects::Refuse).await;
    assert!(matches!(unknown, Err(Error::Rejected(Rejection::RollbackRefused { .. }))), "{unknown:?}");
}

#[tokio::test]
async fn tokens_are_moved_variables_set_and_everything_is_explained() {
    let (engine, _) = engine().await;
    let order = engine.start("order").variables(json!({ "order": "A" })).send().await.unwrap();
    let explained = order.explain().await.unwrap();
    assert_eq!(explained[0].waits_for, "message `paid` with key `A`");
    let token = explained[0].token;
    let add =
        vec![Placement { node: "calm".to_owned(), instead_of: Some(token), variables: Default::default() }];
    let modification = Modification { add, cancel: Vec::new() };
    let preview = order.preview(tyer_runtime::Command::Modify(modification.clone())).await.unwrap();
    assert!(preview.events.iter().any(|event| event.event.get().contains("token.terminated")));
    assert_eq!(order.overview().await.unwrap().current_nodes, ["pay"], "a preview changes nothing");
    order.modify(modification).await.unwrap();
    order.set_variables(json!({ "order": "B" })).await.unwrap();
    let seen = order.overview().await.unwrap();
    assert_eq!(
        (seen.current_nodes, seen.instance.variables().unwrap().get("order")),
        (vec!["calm".to_owned()], Some("\"B\""))
    );
    assert!(seen.tokens.iter().all(|token| token.wait == Wait::Event));
}
