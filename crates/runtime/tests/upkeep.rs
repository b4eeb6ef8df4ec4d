//! Backups under load, retention, export and the doctor, as an embedder meets them.
#![cfg(feature = "sqlite")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tyer_runtime::{
    Engine, Export, InstanceId, ItemId, Job, MemoryStore, Retention, Status, TestClock, Variables,
};

const ORDER: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn">
  <process id="order" isExecutable="true">
    <startEvent id="start"/><serviceTask id="charge" camunda:type="external" camunda:topic="charge"/>
    <userTask id="check"/><endEvent id="end"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="charge"/><sequenceFlow id="b" sourceRef="charge" targetRef="check"/>
    <sequenceFlow id="c" sourceRef="check" targetRef="end"/>
  </process></definitions>"#;
const QUICK: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
  <process id="quick" isExecutable="true"><startEvent id="start"/></process></definitions>"#;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tyer-upkeep-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn charge(engine: &Engine) {
    engine.worker("charge", |_: Job| async { Ok(json!({ "charged": true })) });
}

async fn finish(engine: &Engine, id: InstanceId) -> Status {
    loop {
        if let [task] = &engine.tasks(Some(id), 1).await.unwrap()[..] {
            let task = ItemId { instance: id, number: task.asked.task };
            return engine.complete_task(task, Variables::default(), None).await.unwrap().status;
        }
        tokio::time::sleep(Duration::from_millis(5)).await; // tidy: looks again: the fact itself is awaited
    }
}

/// Orders are started and finished all the time; then everything acknowledged before is in the copy, which goes on.
async fn backed_up_under_load(engine: Engine, folder: &Path) {
    engine.deploy(ORDER).await.unwrap();
    charge(&engine);
    let mut before = Vec::new();
    for number in 0..50 {
        let start = engine
            .start("order")
            .business_key(format!("before {number}"))
            .idempotency_key(number.to_string());
        before.push(start.send().await.unwrap().id());
    }
    for id in &before[..10] {
        assert_eq!(finish(&engine, *id).await, Status::Completed);
    }
    let load = engine.clone();
    let load = tokio::spawn(async move {
        loop {
            let id = load.start("order").send().await.unwrap().id();
            finish(&load, id).await;
        }
    });
    tokio::time::sleep(Duration::from_millis(50)).await; // tidy: some load before the copy; nothing depends on how much
    let backup = folder.join("backup.db");
    engine.backup(&backup).await.unwrap();
    load.abort();
    engine.shutdown().await;
    let restored = folder.join("restored.db");
    tyer_runtime::restore(&backup, &restored).unwrap();
    let engine = Engine::open(&restored).await.unwrap();
    charge(&engine);
    let checkup = engine.doctor(|_| {}).await.unwrap();
    assert_eq!(checkup.complaints, [""; 0]);
    assert!(checkup.instances >= 50 && checkup.events > 0);
    for (number, id) in before.iter().enumerate() {
        let glance = engine.glance(*id).await.unwrap();
        assert_eq!(glance.status == Status::Completed, number < 10);
        if number >= 10 {
            assert_eq!(finish(&engine, *id).await, Status::Completed, "it goes on");
        }
        let again = engine.start("order").idempotency_key(number.to_string()).send().await.unwrap();
        assert_eq!(again.id(), *id, "keys are remembered");
    }
    let new = engine.start("order").send().await.unwrap().id();
    assert!(new > *before.iter().max().unwrap());
    finish(&engine, new).await;
    assert!(engine.doctor(|_| {}).await.unwrap().is_well());
    engine.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_backed_up_under_load_and_goes_on() {
    let folder = folder("file");
    backed_up_under_load(Engine::open(folder.join("orders.db")).await.unwrap(), &folder).await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_is_backed_up_under_load_and_goes_on_in_a_file() {
    let folder = folder("postgres");
    let base = std::env::var("TYER_TEST_POSTGRES").expect("TYER_TEST_POSTGRES names a database");
    let name = format!("tyer_upkeep_{}", std::process::id());
    let run = async |sql: String| {
        let (client, driver) = tokio_postgres::connect(&base, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(driver);
        client.batch_execute(&sql).await.unwrap();
    };
    run(format!("CREATE SCHEMA {name}")).await;
    let separator = if base.contains('?') { '&' } else { '?' };
    let engine = Engine::postgres(&format!("{base}{separator}options=-csearch_path%3D{name}")).await.unwrap();
    backed_up_under_load(engine, &folder).await;
    run(format!("DROP SCHEMA {name} CASCADE")).await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn what_is_over_is_forgotten_only_where_somebody_asked_for_it() {
    let clock = TestClock::default();
    let engine = Engine::memory().clock(&clock).await.unwrap();
    engine.deploy(ORDER).await.unwrap();
    engine.deploy(QUICK).await.unwrap();
    let quick = engine.start("quick").idempotency_key("k").send().await.unwrap();
    let order = engine.start("order").send().await.unwrap();
    order.cancel(None).await.unwrap();
    let lives = engine.start("order").send().await.unwrap();
    let day = Duration::from_secs(24 * 3_600);
    engine.advance(2 * day).await.unwrap();
    assert_eq!(engine.forget(&Retention::default()).await.unwrap(), 0, "nothing is said");
    assert_eq!(engine.forget(&Retention::default().keep(3 * day)).await.unwrap(), 0, "nothing is so old");
    let rule = Retention::default().keep(day).keep_process("order", 30 * day);
    assert_eq!(engine.tenant("acme").forget(&rule).await.unwrap(), 0, "a view forgets only its own");
    assert_eq!(engine.forget(&rule).await.unwrap(), 1);
    assert!(engine.glance(quick.id()).await.is_err(), "as if it had never been");
    assert!(engine.history(quick.id(), 0, 10).await.unwrap().is_empty());
    assert!(engine.glance(order.id()).await.is_ok() && engine.glance(lives.id()).await.is_ok());
    let again = engine.start("quick").idempotency_key("k").send().await.unwrap();
    assert_ne!(again.id(), quick.id(), "the key is free again");
    engine.advance(40 * day).await.unwrap();
    assert_eq!(engine.forget(&rule).await.unwrap(), 2);
    assert!(engine.glance(lives.id()).await.is_ok(), "what lives is never over");
    assert!(engine.doctor(|_| {}).await.unwrap().is_well());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_engine_with_a_rule_forgets_by_itself() {
    let store = Arc::new(MemoryStore::default());
    let engine = Engine::builder().on(Arc::clone(&store), false).await.unwrap();
    engine.deploy(QUICK).await.unwrap();
    for _ in 0..300 {
        engine.start("quick").send().await.unwrap();
    }
    engine.shutdown().await;
    let keep = Engine::builder().retention(Retention::default().keep_process("other", Duration::ZERO));
    let engine = keep.on(Arc::clone(&store), false).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await; // tidy: that nothing is forgotten cannot be awaited
    assert_eq!(engine.instances(InstanceId(0), 1_000).await.unwrap().len(), 300, "the rule is about others");
    engine.shutdown().await;
    let forget = Engine::builder().retention(Retention::default().keep(Duration::ZERO));
    let engine = forget.on(Arc::clone(&store), false).await.unwrap();
    let mut looks = 0;
    while !engine.instances(InstanceId(0), 1_000).await.unwrap().is_empty() {
        looks += 1;
        assert!(looks < 1_000, "three steps are enough");
        tokio::time::sleep(Duration::from_millis(10)).await; // tidy: looks again: the fact itself is awaited
    }
}

async fn lines(engine: &Engine, what: &Export) -> Vec<Value> {
    let mut lines = Vec::new();
    let each = |line: &str| {
        lines.push(serde_json::from_str(line).unwrap());
        ControlFlow::Continue(())
    };
    let count = engine.export(what, each).await.unwrap();
    assert_eq!(count, lines.len() as u64);
    lines
}

#[tokio::test]
async fn history_is_exported_event_by_event() {
    let clock = TestClock::default();
    let engine = Engine::memory().clock(&clock).await.unwrap();
    let acme = engine.tenant("acme");
    for one in [&engine, &acme] {
        one.deploy(ORDER).await.unwrap();
        one.deploy(QUICK).await.unwrap();
    }
    let quick = engine.start("quick").business_key("Q").send().await.unwrap().id();
    acme.start("quick").send().await.unwrap();
    let order = engine.start("order").send().await.unwrap();
    engine.advance(Duration::from_secs(60)).await.unwrap();
    let middle = clock.now();
    order.cancel(None).await.unwrap();
    let all = lines(&engine, &Export::default()).await;
    let of = |id: InstanceId| all.iter().filter(move |line| line["instance"] == id.to_string());
    for id in [quick, order.id()] {
        let seqs: Vec<u64> = of(id).map(|line| line["seq"].as_u64().unwrap()).collect();
        assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>(), "in order, without gaps");
    }
    assert_eq!(of(quick).count() + of(order.id()).count(), all.len(), "nothing of another tenant");
    let first = &all[0];
    assert_eq!((&first["process"], &first["businessKey"]), (&json!("quick"), &json!("Q")));
    assert_eq!((&first["event"]["type"], &first["processVersion"]), (&json!("workflow.started"), &json!(1)));
    let orders = lines(&engine, &Export { process: Some("order".into()), ..Export::default() }).await;
    assert_eq!(orders.len(), of(order.id()).count());
    let late = lines(&engine, &Export { since: Some(middle), ..Export::default() }).await;
    let early = lines(&engine, &Export { until: Some(middle), ..Export::default() }).await;
    assert!(!late.is_empty() && late.iter().all(|line| line["instance"] == order.id().to_string()));
    assert_eq!(late.len() + early.len(), all.len());
    let mut taken = 0;
    let stop = |_: &str| {
        taken += 1;
        ControlFlow::Break(())
    };
    assert_eq!(engine.export(&Export::default(), stop).await.unwrap(), 1);
    assert_eq!(taken, 1, "whoever has enough is left alone");
}

/// Somebody has changed rows by hand.
#[tokio::test]
async fn the_doctor_finds_what_was_broken() {
    let folder = folder("doctor");
    let path = folder.join("orders.db");
    let engine = Engine::open(&path).await.unwrap();
    engine.deploy(ORDER).await.unwrap();
    let mut ids = Vec::new();
    for _ in 0..6 {
        ids.push(engine.start("order").send().await.unwrap().id());
    }
    assert!(engine.doctor(|_| {}).await.unwrap().is_well());
    engine.shutdown().await;
    let connection = rusqlite::Connection::open(&path).unwrap();
    let harm = [
        "DELETE FROM token WHERE instance = ?1",
        "DELETE FROM history WHERE instance = ?1",
        "UPDATE process_instance SET business_key = 'other' WHERE id = ?1",
        "UPDATE process_instance SET tenant = 'other' WHERE id = ?1",
        "UPDATE token SET status = 'executing' WHERE instance = ?1",
    ];
    for (sql, id) in harm.iter().zip(&ids) {
        assert_eq!(connection.execute(sql, [id.0]).unwrap(), 1, "{sql}");
    }
    drop(connection);
    let engine = Engine::open(&path).await.unwrap();
    engine.pause();
    let checkup = engine.doctor(|_| {}).await.unwrap();
    for (number, (id, sql)) in ids.iter().zip(harm).enumerate() {
        let said = checkup.complaints.iter().any(|complaint| complaint.starts_with(&format!("{id}:")));
        assert!(said, "{number}: {sql}: {:#?}", checkup.complaints);
    }
    let well = format!("{}:", ids[5]);
    assert!(
        !checkup.complaints.iter().any(|complaint| complaint.starts_with(&well)),
        "{:#?}",
        checkup.complaints
    );
    engine.shutdown().await;
    std::fs::remove_dir_all(folder).unwrap();
}
