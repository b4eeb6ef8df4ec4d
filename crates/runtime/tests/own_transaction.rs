//! Instances and messages that begin with the caller's own transaction: when it commits exactly once, else never.
#![cfg(all(feature = "sqlite", feature = "postgres"))]

use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use tokio_postgres::{Client, NoTls};
use tyer_runtime::{Dialect, Engine, Insert, InstanceFilter, SqlValue, Status};

const PROCESSES: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0">
  <message id="m" name="paid"><extensionElements><zeebe:subscription correlationKey="=number"/></extensionElements></message>
  <process id="order" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="wait"/>
    <intermediateCatchEvent id="wait"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>
    <sequenceFlow id="b" sourceRef="wait" targetRef="end"/><endEvent id="end"/>
  </process></definitions>"#;

async fn database(name: &str) -> (String, Client) {
    let base = std::env::var("TYER_TEST_POSTGRES").expect(
        "TYER_TEST_POSTGRES names no database: run the tests with `cargo xtask test`, \
         or set it to the URL that `cargo xtask postgres start` prints",
    );
    let schema = format!("own_{name}_{}", std::process::id());
    let separator = if base.contains('?') { '&' } else { '?' };
    let url = format!("{base}{separator}options=-csearch_path%3D{schema}");
    let (client, driver) = tokio_postgres::connect(&url, NoTls).await.expect("a database");
    tokio::spawn(driver);
    let fresh = format!(
        "DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema};
         CREATE TABLE orders (number text PRIMARY KEY, paid boolean NOT NULL DEFAULT false)"
    );
    client.batch_execute(&fresh).await.expect("a schema");
    (url, client)
}

async fn begun(engine: &Engine) -> u64 {
    engine.count_instances(InstanceFilter::default()).await.expect("a count")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres_what_the_caller_commits_begins_once_and_what_it_rolls_back_never() {
    let (url, mut client) = database("start").await;
    let first = Engine::postgres(&url).tracks(1).await.expect("the database is there");
    let second = Engine::postgres(&url).tracks(1).await.expect("the database is there");
    first.deploy(PROCESSES).await.expect("it can run");
    let unknown = client.transaction().await.expect("a transaction");
    let mut unknown = unknown;
    assert!(
        first.start("other").start_in(&mut unknown).await.is_err(),
        "a process that is not there is told at once"
    );
    drop(unknown);
    let mut given_up = client.transaction().await.expect("a transaction");
    let never = first.start("order").start_in(&mut given_up).await.expect("written");
    given_up.rollback().await.expect("rolled back");
    let mut ids = Vec::new();
    for number in 0..20 {
        let mut transaction = client.transaction().await.expect("a transaction");
        let key = format!("A-{number}");
        transaction.execute("INSERT INTO orders (number) VALUES ($1)", &[&key]).await.expect("a row");
        let start = first.start("order").key(&key).variables(json!({ "number": key }));
        let order = start.start_in(&mut transaction).await.expect("written");
        assert!(second.instance(order.id()).overview().await.is_err(), "nothing begins before the commit");
        transaction.commit().await.expect("committed");
        ids.push(order.id());
    }
    for number in 0..20 {
        let mut transaction = client.transaction().await.expect("a transaction");
        let key = format!("A-{number}");
        transaction.execute("UPDATE orders SET paid = true WHERE number = $1", &[&key]).await.expect("a row");
        let paid = second.publish("paid").key(&key).variables(json!({ "paid": number }));
        paid.publish_in(&mut transaction).await.expect("written");
        transaction.commit().await.expect("committed");
    }
    let mut lost = client.transaction().await.expect("a transaction");
    first.publish("paid").key("A-0").publish_in(&mut lost).await.expect("written");
    lost.rollback().await.expect("rolled back");
    for (number, id) in ids.iter().enumerate() {
        let order = second.instance(*id);
        wait_for(&order).await;
        let finished = order.finished().await.expect("it ends");
        assert_eq!(finished.status, Status::Completed);
        assert_eq!(finished.variables.get("paid"), Some(number.to_string().as_str()));
    }
    assert_eq!(begun(&first).await, 20);
    assert!(first.instance(never.id()).overview().await.is_err());
    let left = client.query_one("SELECT count(*) FROM inbox", &[]).await.expect("a count").get::<_, i64>(0);
    assert_eq!(left, 0);
    first.shutdown().await;
    second.shutdown().await;
}

/// It begins within a second or so; a handle on an instance that is not there yet says that it is unknown.
async fn wait_for(order: &tyer_runtime::Handle) {
    let waiting = async {
        while order.overview().await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), waiting).await.expect("it begins");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres_what_was_committed_while_nobody_was_there_begins_with_the_next_engine() {
    let (url, mut client) = database("away").await;
    let first = Engine::postgres(&url).tracks(1).await.expect("the database is there");
    first.deploy(PROCESSES).await.expect("it can run");
    let (order, insert) = first.start("order").insert(Dialect::Postgres).await.expect("a row");
    let id = order.id();
    drop(order);
    first.shutdown().await;
    let transaction = client.transaction().await.expect("a transaction");
    insert.run(&transaction).await.expect("written");
    transaction.commit().await.expect("committed");
    let second = Engine::postgres(&url).tracks(1).await.expect("the database is there");
    wait_for(&second.instance(id)).await;
    assert_eq!(begun(&second).await, 1);
    second.shutdown().await;
}

fn run(transaction: &rusqlite::Transaction<'_>, insert: &Insert) {
    let value = |value: &SqlValue| match value {
        SqlValue::Integer(number) => rusqlite::types::Value::Integer(*number),
        SqlValue::Text(Some(text)) => rusqlite::types::Value::Text(text.clone()),
        SqlValue::Text(None) => rusqlite::types::Value::Null,
    };
    let values = rusqlite::params_from_iter(insert.values.iter().map(value));
    transaction.execute(insert.sql, values).expect("written");
}

/// An engine on a new file, and the program's own connection to it.
async fn shared_file(name: &str) -> (Engine, rusqlite::Connection) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("shop.db");
    let engine = Engine::open(&file).await.expect("a new file opens");
    engine.deploy(PROCESSES).await.expect("it can run");
    let own = rusqlite::Connection::open(&file).expect("the file may be shared within the program");
    own.busy_timeout(Duration::from_secs(5)).expect("patience");
    (engine, own)
}

/// More than are read at once: nobody else gives a reason to look for the rest.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn however_much_is_written_together_all_of_it_begins() {
    const MANY: u64 = 900;
    let (engine, mut own) = shared_file("many").await;
    let mut inserts = Vec::new();
    for _ in 0..MANY {
        let (_, insert) = engine.start("order").insert(Dialect::Sqlite).await.expect("a row");
        inserts.push(insert);
    }
    let transaction = own.transaction().expect("a transaction");
    inserts.iter().for_each(|insert| run(&transaction, insert));
    transaction.commit().expect("committed");
    engine.notice();
    let all = async {
        while begun(&engine).await < MANY {
            tokio::task::yield_now().await;
        }
    };
    let patience = Duration::from_secs(60);
    tokio::time::timeout(patience, all).await.expect("all of them begin");
    engine.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_sqlite_file_a_documented_insert_does_the_same() {
    let (engine, mut own) = shared_file("own").await;
    own.execute_batch("CREATE TABLE orders (number TEXT PRIMARY KEY)").expect("a table of the program's own");
    let (never, insert) = engine.start("order").insert(Dialect::Sqlite).await.expect("a row");
    let transaction = own.transaction().expect("a transaction");
    run(&transaction, &insert);
    transaction.rollback().expect("rolled back");
    let variables = json!({ "number": "A-17" });
    let (order, insert) =
        engine.start("order").key("A-17").variables(variables).insert(Dialect::Sqlite).await.expect("a row");
    let transaction = own.transaction().expect("a transaction");
    transaction.execute("INSERT INTO orders VALUES ('A-17')", []).expect("a row");
    run(&transaction, &insert);
    run(&transaction, &engine.publish("paid").key("A-17").insert(Dialect::Sqlite).expect("a row"));
    transaction.commit().expect("committed");
    engine.notice();
    wait_for(&order).await;
    assert_eq!(order.finished().await.expect("it ends").status, Status::Completed);
    assert_eq!(begun(&engine).await, 1);
    assert!(never.overview().await.is_err());
    drop((order, never));
    engine.shutdown().await;
}
