//! The runs in small, for every change.
//!
//! Those that are ignored mount disks, cut networks and start databases: `cargo xtask test` runs them too, one after the
//! other, where it is root.

use std::time::Duration;

use tyer_soak::arguments::{Arguments, Kind, StoreKind};
use tyer_soak::run::{Report, run};
use tyer_soak::trouble::{
    Trouble, disk::Disk, kill::Kill, partition::Partition, postgres::Postgres, power::Power,
};
use tyer_soak::{binary, linear};

fn short(kind: Kind, times: u32) -> Arguments {
    let (shortest, longest) = (Duration::from_millis(200), Duration::from_millis(800));
    Arguments { times, shortest, longest, ..Arguments::of(kind) }
}

fn program() -> std::path::PathBuf {
    tokio::task::block_in_place(|| binary::build(binary::Profile::Debug)).expect("tyer can be built")
}

fn is_clean(report: &Report, arguments: &Arguments) {
    eprintln!("{report}");
    assert!(report.verdict.is_clean(), "seed {}: {report}\n{:#?}", arguments.seed, report.verdict.complaints);
    assert!(report.instances > 20, "there was load: {} instances", report.instances);
}

async fn survives<T: Trouble>(arguments: Arguments) {
    let report = run::<T>(&program(), &arguments).await.expect("the run comes to its end");
    is_clean(&report, &arguments);
}

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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "starts databases of its own"]
async fn three_restarts_or_failovers_of_postgresql_lose_and_double_nothing() {
    survives::<Postgres>(short(Kind::Postgres, 3)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "mounts a disk"]
async fn two_power_cuts_lose_and_double_nothing() {
    survives::<Power>(short(Kind::Power, 2)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "mounts a disk"]
async fn three_times_a_full_or_broken_disk_loses_and_doubles_nothing() {
    survives::<Disk>(short(Kind::Disk, 3)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "cuts networks"]
async fn two_partitions_lose_and_double_nothing() {
    survives::<Partition>(short(Kind::Partition, 2)).await;
}
