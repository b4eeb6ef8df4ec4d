//! Commands that meet in one batch of a track do not spoil each other.

use tyer_runtime::{Command, Engine, Error, ItemId, Rejection, Status, Variables};

const ASK: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
  <process id="ask" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="answer"/>
    <userTask id="answer"/><sequenceFlow id="b" sourceRef="answer" targetRef="end"/>
    <endEvent id="end"/>
  </process></definitions>"#;

/// On one thread both commands are queued before the track looks: they are one batch.
#[tokio::test(flavor = "current_thread")]
async fn a_refused_command_does_not_make_its_neighbour_unknown() {
    let engine = Engine::memory().await.expect("memory opens");
    engine.deploy(ASK).await.expect("it can run");
    let instance = engine.start("ask").send().await.expect("it begins").id();
    let task = engine.tasks(Some(instance), 1).await.expect("it is listed")[0].asked.task;
    let late = || Command::CompleteJob { job: 99, holder: None, variables: Variables::default() };
    let (first, second, third) = tokio::join!(
        engine.command(instance, late()),
        engine.command(instance, late()),
        engine.complete_task(ItemId { instance, number: task }, Variables::default(), None),
    );
    for refused in [first, second] {
        assert!(matches!(refused, Err(Error::Rejected(Rejection::JobNotOpen { .. }))), "{refused:?}");
    }
    assert_eq!(third.expect("the task is open").status, Status::Completed);
    let unknown = engine.command(tyer_runtime::InstanceId(77), late()).await;
    assert!(matches!(unknown, Err(Error::Rejected(Rejection::InstanceUnknown { .. }))), "{unknown:?}");
}
