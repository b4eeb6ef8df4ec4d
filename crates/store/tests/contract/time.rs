//! Timers, node numbers: what depends on a clock.

use std::sync::Arc;

use tyer_engine::{Timestamp, TokenStatus};
use tyer_store::{Claim, Lease, Outcome};

use crate::play::{ALL_WAITS, Play, TWO_JOBS};
use crate::races::{claim, lease};
use crate::round_trip::commit;
use crate::world::World;

pub(crate) async fn due_timers_are_named_in_due_order(world: Arc<World>) {
    let store = world.store();
    // Due ten seconds after these.
    let starts = [50_000, 10_000, 30_000, 20_000, 30_000];
    let mut plays = Vec::new();
    for now in starts {
        let mut play = Play::new(ALL_WAITS);
        play.now = Timestamp(now);
        commit(&*store, play.start_with(r#"{"open":true}"#)).await;
        plays.push(play);
    }
    let before = store.wake(Timestamp(19_999), 10).await.unwrap();
    assert_eq!((before.due.len(), before.next), (0, Some(Timestamp(20_000))), "never early");
    let woken = store.wake(Timestamp(40_000), 10).await.unwrap();
    let due: Vec<_> = woken.due.iter().map(|due| (due.at.0, due.instance)).collect();
    let expected = [(20_000, 1), (30_000, 3), (40_000, 2), (40_000, 4)]
        .map(|(at, play): (i64, usize)| (at, plays[play].id()));
    assert_eq!(due, expected);
    assert_eq!(woken.next, Some(Timestamp(60_000)));
    let few = store.wake(Timestamp(40_000), 2).await.unwrap();
    assert_eq!(few.due, woken.due[..2], "naming changes nothing, and the oldest come first");
    // It fires when its turn is committed.
    let timer = woken.due[0].timer;
    commit(&*store, plays[1].fire(timer)).await;
    assert_eq!(store.wake(Timestamp(40_000), 10).await.unwrap().due, woken.due[1..]);
}

pub(crate) async fn nothing_due_names_nothing(world: Arc<World>) {
    let woken = world.store().wake(Timestamp(1), 10).await.unwrap();
    assert_eq!((woken.due.len(), woken.next, woken.freed.len()), (0, None, 0));
}

pub(crate) async fn each_node_has_its_own_number(world: Arc<World>) {
    let nodes = [world.store(), world.another_node().await];
    let now = Timestamp(1_000_000);
    let first = nodes[0].hold_node(None, "first", now).await.unwrap();
    assert!(first.until > first.store_time && first.high_water <= first.until);
    if !world.leases_numbers() {
        return;
    }
    let second = nodes[1].hold_node(None, "second", now).await.unwrap();
    assert_ne!(first.number, second.number);
    let renewed = nodes[0].hold_node(Some(first.clone()), "first", now).await.unwrap();
    assert_eq!(renewed.number, first.number);
    // Somebody else's lease is not renewed.
    let stolen = nodes[1].hold_node(Some(first.clone()), "third", now).await.unwrap();
    assert!(stolen.number != first.number && stolen.number != second.number);
}

pub(crate) async fn a_lease_that_is_renewed_often_ends_no_later(world: Arc<World>) {
    let store = world.store();
    let now = Timestamp(1_000_000);
    let mut lease = store.hold_node(None, "node", now).await.unwrap();
    let length = lease.until.0 - lease.store_time.0;
    for _ in 0..20 {
        lease = store.hold_node(Some(lease), "node", now).await.unwrap();
    }
    let left = lease.until.0 - lease.store_time.0;
    assert!(left <= length, "{left} ms are left of {length}");
}

pub(crate) async fn jobs_of_a_dead_node_are_ready_again(world: Arc<World>) {
    let nodes = [world.store(), world.another_node().await];
    let now = Timestamp(1_000_000);
    let number = nodes[0].hold_node(None, "mortal", now).await.unwrap();
    let (mut running, mut paused, mut outside) =
        (Play::new(TWO_JOBS), Play::new(TWO_JOBS), Play::new(TWO_JOBS));
    for play in [&mut running, &mut paused] {
        commit(&*nodes[0], play.start()).await;
    }
    let own = Lease { number: 0, worker: "here".into(), node: Some(number.number), since: now, until: None };
    let claimed = nodes[0].claim(claim(2, own)).await.unwrap();
    assert_eq!(claimed.len(), 2);
    commit(&*nodes[0], outside.start()).await;
    nodes[0].claim(claim(1, lease("outside", i64::MAX))).await.unwrap();
    commit(&*nodes[0], paused.pause()).await;
    if world.leases_numbers() {
        // While it lives, nobody takes its jobs.
        nodes[1].hold_node(None, "heir", now).await.unwrap();
        assert_eq!(nodes[1].claim(claim(9, lease("heir", 1))).await.unwrap().len(), 0);
    }
    let later = now.plus_ms(world.kill_nodes().await);
    let heir = nodes[1].hold_node(None, "second heir", later).await.unwrap();
    assert!(heir.high_water.0 > 0, "a number that was in use comes with its high water");
    let freed = nodes[1]
        .claim(Claim { tenant: None, types: vec!["work".into()], max: 9, lease: lease("heir", 1) })
        .await
        .unwrap();
    assert_eq!(freed.iter().map(|job| (job.instance, job.lease)).collect::<Vec<_>>(), [(running.id(), 2)]);
    let loaded = nodes[1].load(vec![paused.id()]).await.unwrap().pop().flatten().unwrap();
    assert_eq!(loaded.tokens[0].status, TokenStatus::Created);
    assert_eq!(nodes[0].commit(vec![running.complete_leased(1)]).await.unwrap(), [Outcome::LeaseLost]);
}
