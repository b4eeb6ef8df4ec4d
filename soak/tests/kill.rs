//! The kill loop in small, for every change: 20 kills on SQLite, 5 on PostgreSQL.

use std::time::Duration;

use tyer_soak::arguments::{Arguments, StoreKind};
use tyer_soak::{binary, kill};

async fn killed(kills: u32, store: StoreKind) {
    let program =
        tokio::task::block_in_place(|| binary::build(binary::Profile::Debug)).expect("tyer can be built");
    let (shortest, longest) = (Duration::from_millis(200), Duration::from_millis(800));
    let arguments = Arguments { kills, store, shortest, longest, ..Arguments::default() };
    let report = kill::run(&program, &arguments).await.expect("the run comes to its end");
    eprintln!("{report}");
    assert!(report.verdict.is_clean(), "seed {}: {report}\n{:#?}", arguments.seed, report.verdict.complaints);
    assert!(report.instances > 20, "there was load: {} instances", report.instances);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_kills_on_sqlite_lose_and_double_nothing() {
    killed(20, StoreKind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_kills_on_postgresql_lose_and_double_nothing() {
    killed(5, StoreKind::Postgres).await;
}
