//! Several nodes and tasks at once.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::task::JoinSet;
use tyer_engine::Timestamp;
use tyer_store::{Claim, Lease, Outcome};

use crate::play::{Play, TWO_JOBS, process};
use crate::round_trip::commit;
use crate::world::World;

/// A lease for a worker outside.
pub(crate) fn lease(worker: &str, until: i64) -> Lease {
    Lease { number: 0, worker: worker.into(), node: None, since: Timestamp(1), until: Some(Timestamp(until)) }
}

/// A claim on jobs of the type `work`.
pub(crate) fn claim(max: usize, lease: Lease) -> Claim {
    Claim { tenant: None, types: vec!["work".into()], max, lease }
}

pub(crate) async fn two_nodes_over_the_same_instances_lose_no_turn(world: Arc<World>) {
    let nodes = [world.store(), world.another_node().await];
    let process = process(TWO_JOBS);
    let mut plays: Vec<Play> = (0..40).map(|_| Play::of(&process)).collect();
    let starts = plays.iter_mut().map(Play::start).collect();
    assert!(nodes[0].commit(starts).await.unwrap().iter().all(|outcome| *outcome == Outcome::Committed));
    // Each node completes the first job of every instance, the second in the opposite order, in batches of ten.
    let mut tasks = JoinSet::new();
    for (number, node) in nodes.iter().enumerate() {
        let (node, mut plays) = (Arc::clone(node), plays.clone());
        if number == 1 {
            plays.reverse();
        }
        tasks.spawn(async move {
            let mut won = Vec::new();
            for chunk in plays.chunks_mut(10) {
                let batch: Vec<_> = chunk
                    .iter_mut()
                    .map(|play| play.complete_job(&format!(r#"{{"by":{number}}}"#)))
                    .collect();
                let outcomes = node.commit(batch).await.expect("no deadlock");
                won.extend(
                    chunk
                        .iter()
                        .zip(outcomes)
                        .filter(|(_, o)| *o == Outcome::Committed)
                        .map(|(p, _)| p.clone()),
                );
            }
            won
        });
    }
    let won: Vec<Play> = tasks.join_all().await.into_iter().flatten().collect();
    let ids: BTreeSet<_> = won.iter().map(Play::id).collect();
    assert_eq!(ids.len(), won.len(), "nobody wins where another has won");
    for play in &won {
        play.assert_stored(&*nodes[0]).await;
    }
    // A batch that met a lock gets a conflict though nobody moved the instance: it is free to try again.
    for play in plays.iter_mut().filter(|play| !ids.contains(&play.id())) {
        commit(&*nodes[1], play.complete_job("{}")).await;
    }
}

pub(crate) async fn of_fifty_starts_with_one_key_one_happens(world: Arc<World>) {
    let nodes = [world.store(), world.another_node().await];
    let process = process(TWO_JOBS);
    let mut tasks = JoinSet::new();
    for number in 0..50 {
        let node = Arc::clone(&nodes[number % 2]);
        let mut play = Play::of(&process);
        tasks.spawn(async move {
            let mut turn = play.start();
            turn.relies.idempotency_key = Some("once".to_owned());
            (play.id(), node.commit(vec![turn]).await.expect("no deadlock").remove(0))
        });
    }
    let outcomes = tasks.join_all().await;
    let winners: Vec<_> =
        outcomes.iter().filter(|(_, o)| *o == Outcome::Committed).map(|(id, _)| *id).collect();
    assert_eq!(winners.len(), 1);
    let duplicates = outcomes.iter().filter(|(_, o)| *o == Outcome::Duplicate(winners[0])).count();
    assert_eq!(duplicates, 49);
    let loaded = nodes[0].load(outcomes.iter().map(|(id, _)| *id).collect()).await.unwrap();
    assert_eq!(loaded.iter().flatten().count(), 1, "nothing of the others is left");
}

pub(crate) async fn starts_with_the_same_keys_in_two_orders_do_not_block_each_other(world: Arc<World>) {
    let nodes = [world.store(), world.another_node().await];
    let process = process(TWO_JOBS);
    for round in 0..10 {
        let mut tasks = JoinSet::new();
        for (number, node) in nodes.iter().enumerate() {
            let node = Arc::clone(node);
            let mut keys: Vec<String> = (0..20).map(|key| format!("{round} {key}")).collect();
            if number == 1 {
                keys.reverse();
            }
            let batch = keys.into_iter().map(|key| {
                let mut turn = Play::of(&process).start();
                turn.relies.idempotency_key = Some(key);
                turn
            });
            let batch = batch.collect();
            tasks.spawn(async move { node.commit(batch).await.expect("no deadlock") });
        }
        let outcomes: Vec<Outcome> = tasks.join_all().await.into_iter().flatten().collect();
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == Outcome::Committed).count(), 20);
    }
}

pub(crate) async fn eight_claimants_get_each_job_once(world: Arc<World>) {
    let nodes = [world.store(), world.another_node().await];
    let process = process(TWO_JOBS);
    let starts = (0..200).map(|_| Play::of(&process).start_with(r#"{"a":1}"#)).collect();
    nodes[0].commit(starts).await.unwrap();
    let mut tasks = JoinSet::new();
    for number in 0..8 {
        let node = Arc::clone(&nodes[number % 2]);
        tasks.spawn(async move {
            let mut mine = Vec::new();
            loop {
                let claimed =
                    node.claim(claim(7, lease(&format!("worker {number}"), 99))).await.expect("claims");
                if claimed.is_empty() {
                    return mine;
                }
                mine.extend(claimed);
            }
        });
    }
    let mut claimed: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
    // Whoever found every ready row locked has stopped early: what is left is still to be had.
    claimed.extend(nodes[0].claim(claim(200, lease("the last", 99))).await.unwrap());
    let jobs: BTreeSet<_> = claimed.iter().map(|job| job.instance).collect();
    assert_eq!((jobs.len(), claimed.len()), (200, 200));
    assert!(
        claimed
            .iter()
            .all(|job| job.lease == 1 && job.variables == [r#"{"a":1}"#.into()] && job.node == "first")
    );
}
