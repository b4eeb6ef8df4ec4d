//! What a program that embeds the engine relies on: its own types, workers with options, rest and a good end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::Notify;
use tyer_runtime::{Engine, Job, JobError, Status, TestClock, WorkerOptions};

const PAY: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:tyer="urn:tyer:bpmn:1">
  <process id="order" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="pay"/>
    <serviceTask id="pay"><extensionElements><tyer:job type="pay"/></extensionElements></serviceTask>
    <sequenceFlow id="b" sourceRef="pay" targetRef="end"/><endEvent id="end"/>
  </process></definitions>"#;

#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Order {
    amount: u32,
}

#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Receipt {
    amount: u32,
    charged: bool,
}

async fn engine_at(clock: &TestClock) -> Engine {
    let engine = Engine::memory().clock(clock).await.expect("memory opens");
    engine.deploy(PAY).await.expect("it can run");
    engine
}

#[tokio::test]
async fn types_of_the_program_go_in_and_come_out() {
    let engine = engine_at(&TestClock::default()).await;
    engine.worker("pay", |order: Order| async move { Ok(Receipt { amount: order.amount, charged: true }) });
    let order =
        engine.start("order").variables(Order { amount: 120 }).key("A-17").send().await.expect("begun");
    let receipt: Receipt = order.finished().await.expect("it ends").read().expect("a receipt");
    assert_eq!(receipt, Receipt { amount: 120, charged: true });
    assert_eq!(order.read::<Order>().await.expect("an order"), Order { amount: 120 });
}

#[tokio::test]
async fn a_job_whose_variables_are_of_another_type_is_an_incident_at_once() {
    let engine = engine_at(&TestClock::default()).await;
    engine.worker("pay", |order: Order| async move { Ok(order) });
    let order = engine.start("order").variables(json!({ "amount": "much" })).send().await.expect("begun");
    engine.run_until_idle().await.expect("idle");
    let incidents = engine.incidents(Some(order.id()), None, 10).await.expect("a list");
    assert_eq!(incidents.len(), 1, "no second try was made, and none is planned");
    assert!(incidents[0].message.contains("Order"), "{}", incidents[0].message);
    assert!(incidents[0].message.contains("invalid type: string \"much\""), "{}", incidents[0].message);
}

#[tokio::test]
async fn the_options_of_a_worker_say_how_often_and_when_it_is_tried_again() {
    let engine = engine_at(&TestClock::default()).await;
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tries);
    let options = WorkerOptions::default().tries(3).backoff(Duration::from_secs(10), Duration::from_secs(15));
    engine.worker_with("pay", options, move |_: Job| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Err::<(), _>(JobError::new("no answer")) }
    });
    let order = engine.start("order").send().await.expect("begun");
    let tried = || tries.load(Ordering::SeqCst);
    engine.run_until_idle().await.expect("idle");
    assert_eq!(tried(), 1);
    engine.advance(Duration::from_secs(10)).await.expect("idle");
    assert_eq!(tried(), 2);
    engine.advance(Duration::from_secs(14)).await.expect("idle");
    assert_eq!(tried(), 2, "the wait has doubled, up to its limit");
    engine.advance(Duration::from_secs(1)).await.expect("idle");
    assert_eq!(tried(), 3);
    engine.advance(Duration::from_secs(3_600)).await.expect("idle");
    assert_eq!(tried(), 3, "three tries in all");
    assert_eq!(engine.incidents(Some(order.id()), None, 10).await.expect("a list").len(), 1);
}

#[tokio::test]
async fn a_job_that_takes_longer_than_its_worker_allows_has_failed() {
    let engine = engine_at(&TestClock::default()).await;
    let options = WorkerOptions::default().timeout(Duration::from_millis(20)).tries(1);
    engine.worker_with("pay", options, |_: Job| async {
        std::future::pending::<()>().await;
        Ok(())
    });
    let order = engine.start("order").send().await.expect("begun");
    engine.run_until_idle().await.expect("idle");
    let incidents = engine.incidents(Some(order.id()), None, 10).await.expect("a list");
    assert!(incidents[0].message.contains("longer than 20ms"), "{}", incidents[0].message);
}

#[tokio::test]
async fn no_more_jobs_run_at_once_than_the_worker_allows() {
    let engine = engine_at(&TestClock::default()).await;
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (running, seen) = (Arc::clone(&now), Arc::clone(&most));
    engine.worker_with("pay", WorkerOptions::default().concurrency(2), move |_: Job| {
        let (running, seen) = (Arc::clone(&running), Arc::clone(&seen));
        async move {
            seen.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(2)).await; // tidy: the work of a job, nothing waits for it
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        }
    });
    for _ in 0..20 {
        engine.start("order").send().await.expect("begun");
    }
    engine.run_until_idle().await.expect("idle");
    assert_eq!(engine.metrics().completed, 20, "idle means that jobs are done too");
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_resting_engine_answers_but_begins_nothing_until_it_goes_on() {
    let engine = Engine::memory().await.expect("memory opens");
    engine.deploy(PAY).await.expect("it can run");
    engine.worker("pay", |order: Order| async move { Ok(order) });
    engine.pause();
    let order = engine.start("order").variables(Order { amount: 1 }).send().await.expect("it is answered");
    let waited = tokio::time::timeout(Duration::from_millis(50), order.finished()).await;
    assert!(waited.is_err(), "a job began while the engine rested");
    engine.resume();
    assert_eq!(order.finished().await.expect("it ends").status, Status::Completed);
}

#[tokio::test]
async fn draining_waits_for_the_jobs_that_run_and_begins_no_others() {
    let engine = engine_at(&TestClock::default()).await;
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (Arc::clone(&begun), Arc::clone(&go_on));
    engine.worker("pay", move |_: Job| {
        let (tell, wait) = (Arc::clone(&tell), Arc::clone(&wait));
        async move {
            tell.notify_one();
            wait.notified().await;
            Ok(())
        }
    });
    let first = engine.start("order").send().await.expect("begun");
    begun.notified().await;
    assert_eq!(engine.drain(Duration::from_millis(10)).await, 1, "its patience is over first");
    let second = engine.start("order").send().await.expect("it is answered");
    go_on.notify_one();
    assert_eq!(engine.drain(Duration::from_secs(60)).await, 0);
    assert_eq!(first.overview().await.expect("seen").instance.status, Status::Completed);
    assert_eq!(second.overview().await.expect("seen").instance.status, Status::Running);
}

#[tokio::test]
async fn events_go_on_after_the_number_that_was_seen_last() {
    let engine = engine_at(&TestClock::default()).await;
    let order = engine.start("order").send().await.expect("begun");
    let mut events = order.events(0);
    let first = events.next().await.expect("an event");
    let second = events.next().await.expect("an event");
    assert_eq!((first.seq, second.seq), (1, 2));
    let mut again = order.events(first.seq);
    let seen_again = again.next().await.expect("an event");
    assert_eq!((seen_again.seq, seen_again.event.get()), (2, second.event.get()));
    engine.worker("pay", |_: Job| async { Ok(()) });
    let mut last = seen_again;
    while !last.event.get().contains("workflow.completed") {
        let next = again.next().await.expect("an event");
        assert_eq!(next.seq, last.seq + 1);
        last = next;
    }
}
