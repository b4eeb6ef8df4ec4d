//! Short runs that mount disks, cut networks and start databases: only root can make them, one after the other.
//!
//! `cargo test` leaves them out (`test = false`); `cargo xtask test` runs them where it is root.

mod common;

use common::{short, survives};
use tyer_soak::arguments::Kind;
use tyer_soak::trouble::{disk::Disk, partition::Partition, postgres::Postgres, power::Power};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_restarts_or_failovers_of_postgresql_lose_and_double_nothing() {
    survives::<Postgres>(short(Kind::Postgres, 3)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_power_cuts_lose_and_double_nothing() {
    survives::<Power>(short(Kind::Power, 2)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_times_a_full_or_broken_disk_loses_and_doubles_nothing() {
    survives::<Disk>(short(Kind::Disk, 3)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_partitions_lose_and_double_nothing() {
    survives::<Partition>(short(Kind::Partition, 2)).await;
}
