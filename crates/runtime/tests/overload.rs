//! An engine that has too much to do says so, forgets nothing that it has taken, and holds only so much in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;
use tyer_runtime::{
    ActivateJobs, Command, Engine, Error, InstanceFilter, InstanceId, Job, MemoryStore, Rejection, Status,
    TestClock, Variables,
};
use tyer_store::Store;
use tyer_store::intercept::Intercepted;

const WORK: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:tyer="urn:tyer:bpmn:1">
  <process id="work" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="first"/>
    <serviceTask id="first"><extensionElements><tyer:job type="inside"/></extensionElements></serviceTask>
    <sequenceFlow id="b" sourceRef="first" targetRef="wait"/>
    <intermediateCatchEvent id="wait"><timerEventDefinition><timeDuration>PT5S</timeDuration></timerEventDefinition></intermediateCatchEvent>
    <sequenceFlow id="c" sourceRef="wait" targetRef="last"/>
    <serviceTask id="last"><extensionElements><tyer:job type="outside"/></extensionElements></serviceTask>
    <sequenceFlow id="d" sourceRef="last" targetRef="end"/><endEvent id="end"/>
  </process>
  <process id="spin" isExecutable="true">
    <startEvent id="begin"/><sequenceFlow id="e" sourceRef="begin" targetRef="round"/>
    <manualTask id="round"/><sequenceFlow id="f" sourceRef="round" targetRef="again"/>
    <manualTask id="again"/><sequenceFlow id="g" sourceRef="again" targetRef="round"/>
  </process></definitions>"#;

/// A store whose commits wait until the gate is open.
#[derive(Default)]
struct Gate {
    open: AtomicBool,
    opened: Notify,
}

impl Gate {
    fn store(self: &Arc<Gate>) -> Arc<Intercepted<MemoryStore>> {
        let gate = Arc::clone(self);
        Arc::new(Intercepted::commits(MemoryStore::default(), move |store, batch| {
            let gate = Arc::clone(&gate);
            Box::pin(async move {
                gate.pass().await;
                store.commit(batch).await
            })
        }))
    }

    async fn pass(&self) {
        loop {
            let opened = self.opened.notified();
            if self.open.load(Ordering::SeqCst) {
                return;
            }
            opened.await;
        }
    }

    fn open(&self) {
        self.open.store(true, Ordering::SeqCst);
        self.opened.notify_waiters();
    }
}

#[tokio::test]
async fn who_comes_when_it_is_full_is_told_and_whoever_was_taken_is_answered() {
    let gate = Arc::new(Gate::default());
    let engine = Engine::builder().tracks(1).queue(8).on(gate.store(), false).await.expect("memory opens");
    engine.deploy(WORK).await.expect("it can run");
    let starting: Vec<_> = (0..5_000)
        .map(|_| {
            let start = engine.start("work").send();
            tokio::spawn(async move { start.await.map(|handle| handle.id()) })
        })
        .collect();
    // Whoever is refused knows at once; everybody else waits for the gate.
    while starting.iter().filter(|one| one.is_finished()).count() < 3_000 {
        tokio::task::yield_now().await;
    }
    gate.open();
    let (mut taken, mut refused) = (Vec::new(), 0);
    for one in starting {
        match one.await.expect("it does not panic") {
            Ok(id) => taken.push(id),
            Err(Error::Overloaded) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(taken.len() <= 8 + 3 * 512 + 512, "{} waited in memory", taken.len());
    assert!(refused >= 3_000);
    let stored = engine.count_instances(InstanceFilter::default()).await.expect("a count");
    assert_eq!(stored, taken.len() as u64, "what was refused was not begun, and what was taken was");
    engine.start("work").send().await.expect("there is room again");
}

#[tokio::test]
async fn commands_that_wait_for_an_uncommitted_turn_count_as_waiting() {
    let gate = Arc::new(Gate::default());
    gate.open();
    let engine = Engine::builder().tracks(1).queue(8).on(gate.store(), false).await.expect("memory opens");
    engine.deploy(WORK).await.expect("it can run");
    let id = engine.start("work").send().await.expect("begun").id();
    gate.open.store(false, Ordering::SeqCst);
    let pausing = tokio::spawn({
        let engine = engine.clone();
        async move { engine.instance(id).pause(None).await }
    });
    // Each is refused on a state that is not durable yet, so none may be answered yet.
    let refusing: Vec<_> = (0..5_000)
        .map(|_| {
            let engine = engine.clone();
            tokio::spawn(async move { engine.command(id, late()).await })
        })
        .collect();
    while refusing.iter().filter(|one| one.is_finished()).count() < 3_000 {
        tokio::task::yield_now().await;
    }
    gate.open();
    pausing.await.expect("it does not panic").expect("it is paused");
    let mut overloaded = 0;
    for one in refusing {
        match one.await.expect("it does not panic") {
            Err(Error::Overloaded) => overloaded += 1,
            Err(Error::Rejected(Rejection::JobNotOpen { .. })) => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(overloaded >= 3_000, "{overloaded}");
}

fn late() -> Command {
    Command::CompleteJob { job: 99, holder: None, variables: Variables::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_room_for_two_instances_hundreds_of_them_go_on_as_with_room_for_all() {
    let engine = Engine::memory().tracks(1).cache(2).clock(TestClock::default()).await.expect("memory opens");
    engine.deploy(WORK).await.expect("it can run");
    engine.worker("inside", |job: Job| async move { Ok(json!({ "first": job.variables.get("n") })) });
    let mut starting = Vec::new();
    for n in 0..300 {
        starting.push(tokio::spawn(engine.start("work").variables(json!({ "n": n })).send()));
    }
    let mut begun: Vec<InstanceId> = Vec::new();
    for one in starting {
        begun.push(one.await.expect("it does not panic").expect("begun").id());
    }
    engine.advance(Duration::from_secs(5)).await.expect("every timer fires");
    let wanted = ActivateJobs {
        types: vec!["outside".to_owned()],
        max: 7,
        worker: "outside".to_owned(),
        timeout: Duration::from_secs(60),
        wait: Duration::ZERO,
    };
    loop {
        let jobs = engine.activate_jobs(&wanted).await.expect("jobs");
        if jobs.is_empty() {
            break;
        }
        for active in jobs {
            engine.complete_job(active.job.id, active.lease, json!({ "last": true })).await.expect("done");
        }
    }
    for id in begun {
        let seen = engine.instance(id).finished().await.expect("it ends");
        assert_eq!(seen.status, Status::Completed);
        let (n, first) = (seen.variables.get("n"), seen.variables.get("first"));
        assert_eq!(first.map(|first| first.trim_matches('"')), n);
    }
}

#[tokio::test]
async fn a_loop_that_never_waits_is_stopped_where_the_program_says() {
    let engine = Engine::memory().runaway(1_000).await.expect("memory opens");
    engine.deploy(WORK).await.expect("it can run");
    let spin = engine.start("spin").send().await.expect("begun");
    let incidents = loop {
        let incidents = engine.incidents(Some(spin.id()), None, 10).await.expect("a list");
        if !incidents.is_empty() {
            break incidents;
        }
        tokio::task::yield_now().await;
    };
    assert!(incidents[0].message.contains("1000"), "{}", incidents[0].message);
    assert!(spin.overview().await.expect("seen").instance.version < 5_000);
}
