//! Two nodes, four tasks each, overlapping batches: nobody waits for ever, and no turn is lost or doubled.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tyer_engine::{InstanceId, Timestamp, unpack};
use tyer_model::Process;
use tyer_store::postgres::Postgres;
use tyer_store::{DEFAULT_TENANT, Outcome, Store, TurnKey, Views, restore};

use crate::play::{Play, process};
use crate::postgres_world::Schema;
use crate::races::{claim, lease};
use crate::world::run;

const ROUNDS: Duration = Duration::from_secs(4);

/// start → job → back to the job, for ever.
const LOOP: &str = "
    <startEvent id='start'/><exclusiveGateway id='again'/>
    <serviceTask id='work' camunda:type='external' camunda:topic='work'/>
    <sequenceFlow id='a' sourceRef='start' targetRef='again'/>
    <sequenceFlow id='b' sourceRef='again' targetRef='work'/>
    <sequenceFlow id='c' sourceRef='work' targetRef='again'/>";

#[test]
fn overlapping_batches_from_two_nodes_lose_and_double_no_turn() {
    run(async {
        let schema = Schema::create().await;
        let nodes =
            [Arc::new(schema.connect(&schema.url, 5).await), Arc::new(schema.connect(&schema.url, 5).await)];
        let process = process(LOOP);
        let mut plays: Vec<Play> = (0..60).map(|_| Play::of(&process)).collect();
        nodes[0].commit(plays.iter_mut().map(Play::start).collect()).await.unwrap();
        let ids: Vec<InstanceId> = plays.iter().map(Play::id).collect();
        let until = Instant::now() + ROUNDS;
        let mut committers = JoinSet::new();
        for task in 0..8_usize {
            let (node, process, ids) = (Arc::clone(&nodes[task % 2]), Arc::clone(&process), ids.clone());
            committers.spawn(async move { commit_until(&node, &process, ids, task, until).await });
        }
        let claimant = Arc::clone(&nodes[1]);
        let disturber = tokio::spawn(async move { claim_and_expire_until(&claimant, until).await });
        let mut committed: BTreeMap<InstanceId, Vec<TurnKey>> = BTreeMap::new();
        for key in committers.join_all().await.into_iter().flatten() {
            committed.entry(key.instance).or_default().push(key);
        }
        disturber.await.expect("no panic");
        let turns: usize = committed.values().map(Vec::len).sum();
        assert!(turns > 100, "only {turns} turns were committed");
        for id in ids {
            check_instance(&nodes[0], &process, id, committed.remove(&id).unwrap_or_default()).await;
        }
        schema.drop_all().await;
    });
}

/// Batches of some instances, each loaded fresh, completed, and sometimes two turns deep.
async fn commit_until(
    node: &Postgres,
    process: &Arc<Process>,
    ids: Vec<InstanceId>,
    task: usize,
    until: Instant,
) -> Vec<TurnKey> {
    let mut committed = Vec::new();
    let mut round = task;
    while Instant::now() < until {
        round = round.wrapping_mul(31).wrapping_add(7);
        let mut wanted: Vec<InstanceId> =
            (0..12).map(|place| ids[(round + place * (task + 1)) % ids.len()]).collect();
        wanted.sort();
        wanted.dedup();
        if task % 2 == 1 {
            wanted.reverse();
        }
        let mut batch = Vec::new();
        for loaded in node.load(wanted).await.expect("loads").into_iter().flatten() {
            let instance = restore(process, loaded).expect("restores").0;
            let mut play = Play { process: Arc::clone(process), instance, now: Timestamp(1), definition: 7 };
            // Every round numbers one new job: rows of two moments would not agree on the last number.
            assert_eq!(play.job().1, play.instance.counter, "loaded as of one moment");
            batch.push(play.complete_job(r#"{"n":1}"#));
            if round.is_multiple_of(3) {
                batch.push(play.complete_job("{}"));
            }
        }
        let keys: Vec<TurnKey> = batch.iter().map(|turn| turn.key).collect();
        let outcomes = node.commit(batch).await.expect("no deadlock, no refusal");
        committed.extend(
            keys.into_iter().zip(outcomes).filter(|(_, o)| *o == Outcome::Committed).map(|(key, _)| key),
        );
    }
    committed
}

async fn claim_and_expire_until(node: &Postgres, until: Instant) {
    while Instant::now() < until {
        node.claim(claim(10, lease("passing", 5))).await.expect("claims");
        node.wake(Timestamp(10), 10).await.expect("wakes");
    }
}

/// History is exactly the start and what the tasks were told, and folds to the stored state.
async fn check_instance(
    node: &Postgres,
    process: &Arc<Process>,
    id: InstanceId,
    mut committed: Vec<TurnKey>,
) {
    let history = node.history(&DEFAULT_TENANT, id, 0, usize::MAX).await.expect("reads");
    committed.sort_by_key(|key| key.first_seq);
    let told: Vec<(u64, i64)> = committed.iter().map(|key| (key.first_seq, key.turn)).collect();
    let stored: Vec<(u64, i64)> = history.iter().skip(1).map(|row| (row.first_seq, row.turn)).collect();
    assert_eq!(stored, told);
    let mut folded = tyer_engine::Instance::blank(id);
    for row in &history {
        assert_eq!(row.first_seq, folded.version + 1, "no gap");
        for event in unpack(process, &row.events).expect("unpacks") {
            folded.apply(&event, row.at);
        }
    }
    let loaded = node.load(vec![id]).await.expect("loads").pop().flatten().expect("is stored");
    assert_eq!(restore(process, loaded).expect("restores").0, folded);
}
