//! The runtime on a store that fails: nothing acknowledged is lost, nothing happens twice.

mod store;

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use store::{Fault, answering_after, faulty};
use tyer_runtime::{Command, Engine, Error, InstanceId, ItemId, Job, Rejection, Status, Variables};
use tyer_store::intercept::Intercepted;
use tyer_store::memory::Memory;

const MODEL: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:tyer="urn:tyer:bpmn:1"
    targetNamespace="urn:test">
  <process id="work" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="f1" sourceRef="start" targetRef="fork"/>
    <parallelGateway id="fork"/>
    <sequenceFlow id="f2" sourceRef="fork" targetRef="left"/>
    <sequenceFlow id="f3" sourceRef="fork" targetRef="right"/>
    <serviceTask id="left"><extensionElements><tyer:job type="left"/></extensionElements></serviceTask>
    <serviceTask id="right"><extensionElements><tyer:job type="right"/></extensionElements></serviceTask>
    <sequenceFlow id="f4" sourceRef="left" targetRef="join"/>
    <sequenceFlow id="f5" sourceRef="right" targetRef="join"/>
    <parallelGateway id="join"/>
    <sequenceFlow id="f6" sourceRef="join" targetRef="last"/>
    <serviceTask id="last"><extensionElements><tyer:job type="last"/></extensionElements></serviceTask>
    <sequenceFlow id="f7" sourceRef="last" targetRef="end"/>
    <endEvent id="end"/>
  </process>
  <process id="person" isExecutable="true">
    <startEvent id="begin"/>
    <sequenceFlow id="g1" sourceRef="begin" targetRef="ask"/>
    <userTask id="ask"/>
    <sequenceFlow id="g2" sourceRef="ask" targetRef="done"/>
    <endEvent id="done"/>
  </process>
</definitions>"#;

type Effects = Arc<Mutex<HashMap<String, u32>>>;

async fn engine(store: &Arc<Intercepted<Memory>>) -> (Engine, Effects) {
    let engine = Engine::builder().tracks(2).on(Arc::clone(store), false).await.expect("memory opens");
    engine.deploy(MODEL).await.expect("the model is good");
    let effects = Effects::default();
    for job_type in ["left", "right", "last"] {
        let effects = Arc::clone(&effects);
        engine.worker(job_type, move |job: Job| {
            let key = format!("{} {}", job.node(), job.id.instance);
            *effects.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default() += 1;
            async { Ok(json!({ "done": true })) }
        });
    }
    (engine, effects)
}

/// Every instance ends, each node is completed once, history has no gap, each acknowledged job ran.
async fn everything_ends_once(seed: u64, faults: &[Fault]) {
    let (store, fate) = faulty(seed, 5, faults);
    all_end_once(&store, 20, 0).await;
    assert!(fate.happened.load(Ordering::SeqCst) > 5, "the faults really happened");
}

/// So many at once, each so many rounds later than the one before it.
async fn all_end_once(store: &Arc<Intercepted<Memory>>, at_once: u32, spread: u32) {
    let (engine, effects) = engine(store).await;
    let mut instances = Vec::new();
    for batch in 0..200 / at_once {
        let starts = (0..at_once).map(|n| {
            let start = engine.start("work").idempotency_key(format!("{batch}-{n}"));
            tokio::spawn(async move {
                for _ in 0..n * spread {
                    tokio::task::yield_now().await;
                }
                start.submit().await
            })
        });
        for start in starts.collect::<Vec<_>>() {
            instances.push(start.await.expect("no panic").expect("outages are waited out").instance);
        }
    }
    for id in &instances {
        let finished = engine.instance(*id).finished().await.expect("it ends");
        assert_eq!(finished.status, Status::Completed, "{id}");
        assert_history(&engine, *id).await;
    }
    let effects = effects.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(effects.len(), 3 * instances.len());
    assert!(
        effects.values().all(|times| *times == 1),
        "a job whose turn was not committed must not have begun"
    );
}

async fn assert_history(engine: &Engine, id: InstanceId) {
    let history = engine.history(id, 0, 1000).await.expect("history");
    let numbers: Vec<u64> = history.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=history.len() as u64).collect::<Vec<_>>(), "gapless");
    for node in ["left", "right", "join", "last", "end"] {
        let completed = format!(r#""node":"{node}","type":"node.completed""#);
        let times = history.iter().filter(|event| event.event.get().contains(&completed)).count();
        assert_eq!(times, 1, "{node} of {id} is completed once");
    }
}

#[tokio::test]
async fn an_outage_before_the_commit_is_waited_out() {
    everything_ends_once(1, &[Fault::Before]).await;
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_is_not_done_again() {
    everything_ends_once(2, &[Fault::After]).await;
}

#[tokio::test]
async fn a_commit_that_was_lost_is_done_again() {
    everything_ends_once(3, &[Fault::Lost]).await;
}

#[tokio::test]
async fn a_batch_that_is_refused_is_tried_turn_by_turn() {
    everything_ends_once(4, &[Fault::Refused]).await;
}

#[tokio::test]
async fn a_conflict_is_stepped_again() {
    everything_ends_once(5, &[Fault::Conflict]).await;
}

#[tokio::test]
async fn all_faults_together_lose_and_double_nothing() {
    for seed in 10..16 {
        everything_ends_once(
            seed,
            &[Fault::Before, Fault::After, Fault::Lost, Fault::Conflict, Fault::Refused],
        )
        .await;
    }
}

#[tokio::test]
async fn what_queues_behind_a_commit_that_fails_is_stepped_again() {
    let faults = [Fault::Before, Fault::After, Fault::Lost, Fault::Conflict, Fault::Refused];
    let mut happened = 0;
    for seed in 20..24 {
        let (store, fate) = answering_after(200, seed, 2, &faults);
        all_end_once(&store, 200, 1).await;
        assert!(fate.most_in_the_air.load(Ordering::SeqCst) > 2, "one of two tracks had more than one");
        happened += fate.happened.load(Ordering::SeqCst);
    }
    assert!(happened > 10, "the faults really happened");
}

#[tokio::test]
async fn a_task_completed_by_two_at_once_is_completed_once() {
    let (store, _) = faulty(7, 4, &[Fault::After, Fault::Lost]);
    let (engine, _) = engine(&store).await;
    for _ in 0..20 {
        let id = engine.start("person").submit().await.expect("started").instance;
        let task = engine.tasks(Some(id), 10).await.expect("tasks")[0].asked.task;
        let task = ItemId { instance: id, number: task };
        let complete = |by: &str| engine.complete_task(task, Variables::default(), Some(by.to_owned()));
        let (one, two) = tokio::join!(complete("ann"), complete("bob"));
        let refused = [&one, &two]
            .into_iter()
            .filter(|answer| matches!(answer, Err(Error::Rejected(Rejection::TaskNotOpen { .. }))))
            .count();
        assert_eq!((refused, one.is_ok() || two.is_ok()), (1, true), "{one:?} {two:?}");
    }
}

#[tokio::test]
async fn a_second_node_never_steps_on_what_the_first_has_changed() {
    let (store, _) = faulty(0, 1, &[]);
    let (first, _) = engine(&store).await;
    let second = Engine::builder().on(Arc::clone(&store), true).await.expect("memory opens");
    let id = first.start("person").submit().await.expect("started").instance;
    // Both have it in their cache, in turn.
    second.command(id, Command::Pause { reason: None }).await.expect("paused by the second");
    let again = first.command(id, Command::Pause { reason: None }).await;
    assert!(matches!(again, Err(Error::Rejected(Rejection::InstancePaused { .. }))), "{again:?}");
    first.command(id, Command::Resume).await.expect("resumed by the first");
    second.command(id, Command::Pause { reason: None }).await.expect("paused again by the second");
    let overview = first.instance(id).overview().await.expect("a view");
    assert_eq!(overview.instance.status, Status::Paused);
}

#[tokio::test]
async fn fifty_starts_with_one_key_are_one_instance() {
    let (store, _) = faulty(9, 6, &[Fault::After, Fault::Before]);
    let (engine, _) = engine(&store).await;
    let starts: Vec<_> = (0..50)
        .map(|_| {
            let start = engine.start("work").idempotency_key("the-one");
            tokio::spawn(async move { start.submit().await })
        })
        .collect();
    let mut ids = Vec::new();
    for start in starts {
        ids.push(start.await.expect("no panic").expect("answered").instance);
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
}

#[tokio::test]
async fn after_shutdown_everyone_is_told() {
    let (store, _) = faulty(0, 1, &[]);
    let (engine, _) = engine(&store).await;
    let other = engine.clone();
    engine.shutdown().await;
    assert!(matches!(other.start("work").submit().await, Err(Error::Closed)));
}

#[tokio::test]
async fn a_failure_of_the_engine_parks_the_instance_and_nothing_else() {
    let (store, _) = faulty(0, 1, &[]);
    let (first, _) = engine(&store).await;
    let id = first.start("person").submit().await.expect("started").instance;
    let good = first.start("person").submit().await.expect("started").instance;
    first.shutdown().await;
    // Damaged state: a job at a user task. Failing it is something the engine is sure cannot be.
    let damaged = Intercepted::loads(Arc::clone(store.inner()), move |loaded| {
        if loaded.id == id {
            let job_type = "none".into();
            loaded.tokens[0].wait = tyer_engine::Wait::Job(tyer_engine::Job { number: 99, job_type });
        }
    });
    let second = Engine::builder().on(Arc::new(damaged), false).await.expect("memory opens");
    let command =
        Command::FailJob { job: 99, holder: None, error: String::new(), retries: None, backoff_ms: None };
    let failed = second.command(id, command).await;
    assert!(matches!(failed, Err(Error::Parked(..))), "{failed:?}");
    second.run_until_idle().await.expect("idle");
    let third = Engine::builder().on(Arc::clone(&store), false).await.expect("memory opens");
    let overview = third.instance(id).overview().await.expect("a view");
    assert_eq!(overview.instance.status, Status::Paused);
    let incident = overview.instance.incidents.values().next().expect("an incident says why");
    assert_eq!(incident.kind, tyer_engine::IncidentKind::Parked);
    third.command(good, Command::Pause { reason: None }).await.expect("the others go on");
}

#[tokio::test]
async fn a_start_after_a_deployment_elsewhere_is_of_the_new_version() {
    let (store, _) = faulty(0, 1, &[]);
    let first = Engine::builder().on(Arc::clone(&store), true).await.expect("memory opens");
    let second = Engine::builder().on(Arc::clone(&store), true).await.expect("memory opens");
    first.deploy(MODEL).await.expect("the model is good");
    let version = |id| {
        let engine = second.clone();
        async move { engine.instance(id).overview().await.expect("a view").version }
    };
    let old = second.start("person").submit().await.expect("started").instance;
    first.deploy(MODEL.replace("urn:test", "urn:other")).await.expect("the model is good");
    let new = second.start("person").submit().await.expect("started").instance;
    assert_eq!((version(old).await, version(new).await), (1, 2));
}
