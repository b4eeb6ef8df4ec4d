//! The runs in small, for every change.

use std::time::Duration;

use tyer_soak::arguments::{Arguments, Kind, StoreKind};
use tyer_soak::run::{Report, run};
use tyer_soak::trouble::kill::Kill;
use tyer_soak::{binary, linear};

fn short(kind: Kind, times: u32, store: StoreKind) -> Arguments {
    let (shortest, longest) = (Duration::from_millis(200), Duration::from_millis(800));
    Arguments { times, store, shortest, longest, ..Arguments::of(kind) }
}

fn program() -> std::path::PathBuf {
    tokio::task::block_in_place(|| binary::build(binary::Profile::Debug)).expect("tyer can be built")
}

fn is_clean(report: &Report, arguments: &Arguments) {
    eprintln!("{report}");
    assert!(report.verdict.is_clean(), "seed {}: {report}\n{:#?}", arguments.seed, report.verdict.complaints);
    assert!(report.instances > 20, "there was load: {} instances", report.instances);
}

async fn killed(times: u32, store: StoreKind) {
    let arguments = short(Kind::Kill, times, store);
    let report = run::<Kill>(&program(), &arguments).await.expect("the run comes to its end");
    is_clean(&report, &arguments);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_kills_on_sqlite_lose_and_double_nothing() {
    killed(20, StoreKind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_kills_on_postgresql_lose_and_double_nothing() {
    killed(5, StoreKind::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_order_explains_what_two_nodes_answered() {
    let arguments = short(Kind::Linear, 10, StoreKind::Postgres);
    let report = linear::run(&program(), &arguments).await.expect("the run comes to its end");
    is_clean(&report, &arguments);
}
