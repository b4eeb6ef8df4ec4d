//! Two nodes on one PostgreSQL: what either of them does is told once it is durable, also when one of them dies.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tyer_runtime::{Engine, SinkOptions, Told};

use crate::{Arrived, ORDER, finish, work};

async fn database(name: &str) -> String {
    let base = std::env::var("TYER_TEST_POSTGRES").expect(
        "TYER_TEST_POSTGRES names no database: run the tests with `cargo xtask test`, \
         or set it to the URL that `cargo xtask postgres start` prints",
    );
    let (client, driver) = tokio_postgres::connect(&base, tokio_postgres::NoTls).await.expect("a database");
    let driver = tokio::spawn(driver);
    let schema = format!("sinks_{name}_{}", std::process::id());
    let fresh = format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}");
    client.batch_execute(&fresh).await.expect("a schema");
    drop(client);
    driver.await.expect("the driver does not panic").expect("the connection ends well");
    let separator = if base.contains('?') { '&' } else { '?' };
    format!("{base}{separator}options=-csearch_path%3D{schema}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns_of_both_nodes_are_told_and_a_node_that_dies_is_replaced() {
    let url = database("both").await;
    let first = Engine::postgres(&url).tracks(1).await.expect("the database is there");
    let second = Engine::postgres(&url).tracks(1).await.expect("the database is there");
    first.deploy(ORDER).await.expect("it can run");
    work(&first);
    work(&second);
    let options = SinkOptions::default().timeout(Duration::from_secs(1));
    let hung = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&hung);
    // The first node takes streams and never ends with them.
    let hang = move |_: Told| {
        counted.fetch_add(1, Ordering::SeqCst);
        std::future::pending()
    };
    first.subscribe_with("audit", options.timeout(Duration::from_secs(4)), hang).await.expect("a plain name");
    let mut orders = finish(&first, 2).await;
    orders.extend(finish(&second, 2).await);
    while hung.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    first.shutdown().await;
    let arrived = Arrived::default();
    let notes = arrived.clone();
    let note = move |told: Told| {
        notes.note(&told);
        async { Ok(()) }
    };
    second.subscribe_with("audit", options, note).await.expect("the name is known");
    orders.extend(finish(&second, 2).await);
    arrived.all_of(&second, &orders).await;
    second.shutdown().await;
}
