//! The runs in small, for every change.

mod common;

use common::{is_clean, program, short, survives};
use tyer_soak::arguments::{Arguments, Kind, StoreKind};
use tyer_soak::linear;
use tyer_soak::trouble::kill::Kill;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_kills_on_sqlite_lose_and_double_nothing() {
    survives::<Kill>(short(Kind::Kill, 20)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_kills_on_postgresql_lose_and_double_nothing() {
    survives::<Kill>(Arguments { store: StoreKind::Postgres, ..short(Kind::Kill, 5) }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_order_explains_what_two_nodes_answered() {
    let arguments = short(Kind::Linear, 10);
    let report = linear::run(&program(), &arguments).await.expect("the run comes to its end");
    is_clean(&report, &arguments);
}
