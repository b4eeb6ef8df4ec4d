//! An engine that dies at every write in turn: whoever opens the store next finishes what was said between instances,
//! once.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::json;
use tyer_runtime::{Engine, Error, InstanceId, Status, TestClock};
use tyer_store::intercept::Intercepted;
use tyer_store::memory::Memory;
use tyer_store::{Error as StoreError, Mailbox, Store};

/// `main` calls `helper` twice at once; a helper sends a message that `main` waits for beside its calls, and a signal
/// that begins `witness`. A receipt with a key begins `clerk`.
const MODEL: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:zeebe="http://camunda.org/schema/zeebe/1.0">
  <message id="half" name="half"><extensionElements><zeebe:subscription correlationKey="=order"/></extensionElements></message>
  <message id="receipt" name="receipt"/>
  <signal id="rung" name="rung"/>
  <process id="main" isExecutable="true">
    <startEvent id="m1"/><parallelGateway id="fork"/><parallelGateway id="join"/><endEvent id="m2"/>
    <callActivity id="both">
      <extensionElements><zeebe:calledElement processId="helper" propagateAllChildVariables="true"/></extensionElements>
      <multiInstanceLoopCharacteristics><extensionElements><zeebe:loopCharacteristics inputCollection="=[1,2]" inputElement="part"/>
      </extensionElements></multiInstanceLoopCharacteristics>
    </callActivity>
    <intermediateCatchEvent id="wait"><messageEventDefinition messageRef="half"/></intermediateCatchEvent>
    <intermediateCatchEvent id="again"><messageEventDefinition messageRef="half"/></intermediateCatchEvent>
    <sequenceFlow id="a" sourceRef="m1" targetRef="fork"/><sequenceFlow id="b" sourceRef="fork" targetRef="both"/>
    <sequenceFlow id="c" sourceRef="fork" targetRef="wait"/><sequenceFlow id="d" sourceRef="both" targetRef="join"/>
    <sequenceFlow id="e" sourceRef="wait" targetRef="again"/><sequenceFlow id="e2" sourceRef="again" targetRef="join"/>
    <sequenceFlow id="f" sourceRef="join" targetRef="m2"/>
  </process>
  <process id="helper" isExecutable="true">
    <startEvent id="h1"/>
    <intermediateCatchEvent id="rest"><timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition></intermediateCatchEvent>
    <intermediateThrowEvent id="say"><messageEventDefinition messageRef="half"/></intermediateThrowEvent>
    <intermediateThrowEvent id="ring"><signalEventDefinition signalRef="rung"/></intermediateThrowEvent>
    <endEvent id="h2"/>
    <sequenceFlow id="g" sourceRef="h1" targetRef="rest"/><sequenceFlow id="h" sourceRef="rest" targetRef="say"/>
    <sequenceFlow id="i" sourceRef="say" targetRef="ring"/><sequenceFlow id="j" sourceRef="ring" targetRef="h2"/>
  </process>
  <process id="witness" isExecutable="true">
    <startEvent id="w1"><signalEventDefinition signalRef="rung"/></startEvent><endEvent id="w2"/>
    <sequenceFlow id="k" sourceRef="w1" targetRef="w2"/>
  </process>
</definitions>"#;

/// A store that takes so many writes and then is gone.
fn mortal(memory: &Arc<Memory>, writes: u64) -> (Arc<Intercepted<Memory>>, Arc<AtomicU64>) {
    let left = Arc::new(AtomicU64::new(writes));
    let (commits, posts) = (Arc::clone(&left), Arc::clone(&left));
    let one_less = |left: &AtomicU64| {
        left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok()
    };
    let store = Intercepted::writes(
        Arc::clone(memory),
        move |store, batch| {
            let lives = one_less(&commits);
            Box::pin(async move { if lives { store.commit(batch).await } else { Err(gone()) } })
        },
        move |store, batch| {
            let lives = one_less(&posts);
            Box::pin(async move { if lives { store.post(batch).await } else { Err(gone()) } })
        },
    );
    (Arc::new(store), left)
}

/// Not worth another try: the engine gives up at once.
fn gone() -> StoreError {
    StoreError::Damaged("the power is off".to_owned())
}

async fn open(store: &Arc<Intercepted<Memory>>, clock: &TestClock, several_nodes: bool) -> Engine {
    Engine::builder().tracks(1).clock(clock).on(Arc::clone(store), several_nodes).await.unwrap()
}

/// As far as it gets before the power is off.
async fn live(engine: &Engine) -> Result<InstanceId, Error> {
    let main =
        engine.start("main").variables(json!({ "order": "A" })).idempotency_key("one").send().await?.id();
    engine.advance(Duration::from_secs(2)).await?;
    Ok(main)
}

async fn dies_after(writes: u64, several_nodes: bool) -> bool {
    let (memory, clock) = (Arc::new(Memory::default()), TestClock::default());
    let (store, left) = mortal(&memory, writes);
    let first = open(&store, &clock, several_nodes).await;
    first.deploy(MODEL).await.unwrap();
    let lived = live(&first).await.is_ok() && left.load(Ordering::SeqCst) > 0;
    drop(first);
    let (store, _) = mortal(&memory, u64::MAX);
    let second = open(&store, &clock, several_nodes).await;
    let main = live(&second).await.unwrap();
    // Letters that the first node wrote are left to it for a while; a node that is not alone looks for them every second.
    for _ in 0..20 {
        second.advance(Duration::from_secs(1)).await.unwrap();
    }
    let case = format!("died after {writes} writes, several nodes {several_nodes}");
    let all = second.instances(InstanceId(0), 100).await.unwrap();
    let mut count = std::collections::BTreeMap::new();
    for instance in &all {
        let overview = second.instance(instance.id).overview().await.unwrap();
        assert_eq!(
            instance.status,
            Status::Completed,
            "{case}: {} at {:?}",
            overview.process,
            overview.current_nodes
        );
        *count.entry(overview.process).or_insert(0) += 1;
    }
    let expected = [("helper".to_owned(), 2), ("main".to_owned(), 1), ("witness".to_owned(), 2)];
    assert_eq!(count.into_iter().collect::<Vec<_>>(), expected, "{case}");
    assert!(all.iter().any(|instance| instance.id == main), "{case}");
    let woken = memory.wake(clock.now(), 10).await.unwrap();
    assert_eq!((woken.letters, woken.due), (vec![], vec![]), "{case}");
    lived
}

#[tokio::test]
async fn what_was_said_between_instances_survives_a_crash_at_every_write() {
    for several_nodes in [false, true] {
        let mut writes = 1;
        while !dies_after(writes, several_nodes).await {
            writes += 1;
        }
        assert!(writes > 10, "there is something to survive: {writes}");
    }
}
