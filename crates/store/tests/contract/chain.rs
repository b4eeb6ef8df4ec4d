//! Batches: what holds, what does not, and what that means for the turns behind it.

use std::sync::Arc;

use tyer_engine::{Command, unpack};
use tyer_store::{DEFAULT_TENANT, Outcome, Store, Turn};

use crate::play::{ALL_WAITS, Play, TWO_JOBS, complete};
use crate::round_trip::commit;
use crate::views::deployment;
use crate::world::World;

async fn outcomes(store: &(impl Store + ?Sized), batch: Vec<Turn>) -> Vec<Outcome> {
    store.commit(batch).await.expect("commits")
}

pub(crate) async fn a_stale_commit_is_refused(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(TWO_JOBS);
    commit(&*store, play.start()).await;
    let mut stale = play.clone();
    commit(&*store, play.complete_job(r#"{"by":"the first"}"#)).await;
    let late = stale.complete_job(r#"{"by":"the second"}"#);
    let key = late.key;
    assert_eq!(outcomes(&*store, vec![late]).await, [Outcome::Conflict]);
    play.assert_stored(&*store).await;
    assert_eq!(store.settle(vec![key]).await.unwrap(), [false]);
}

pub(crate) async fn a_turn_of_an_instance_that_is_not_there_is_refused(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(TWO_JOBS);
    play.start();
    assert_eq!(outcomes(&*store, vec![play.complete_job("{}")]).await, [Outcome::Conflict]);
    assert!(store.load(vec![play.id()]).await.unwrap()[0].is_none());
}

pub(crate) async fn an_id_starts_only_once(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(TWO_JOBS);
    let mut again = play.clone();
    commit(&*store, play.start()).await;
    let mut second = again.start();
    second.relies.idempotency_key = Some(format!("key of {}", play.id()));
    let mut other = Play::new(TWO_JOBS);
    let batch = vec![second.clone(), other.start(), second.clone()];
    assert_eq!(outcomes(&*store, batch).await, [Outcome::Conflict, Outcome::Committed, Outcome::Conflict]);
    play.assert_stored(&*store).await;
    other.assert_stored(&*store).await;
    // The key of a start that did not hold is still free.
    let mut third = Play::new(TWO_JOBS);
    let mut start = third.start();
    start.relies.idempotency_key = second.relies.idempotency_key;
    assert_eq!(outcomes(&*store, vec![start]).await, [Outcome::Committed]);
}

pub(crate) async fn several_turns_of_one_instance_are_written_as_one(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(ALL_WAITS);
    let mut batch = vec![play.start_with(r#"{"open":true,"wide":false}"#)];
    batch.push(play.complete_job("{}"));
    let task = *play.instance.tasks.keys().next().unwrap();
    batch.push(play.turn(complete(task)));
    batch.push(play.pause());
    batch.push(play.turn(Command::Resume));
    let keys: Vec<_> = batch.iter().map(|turn| turn.key).collect();
    assert_eq!(outcomes(&*store, batch).await, vec![Outcome::Committed; 5]);
    play.assert_stored(&*store).await;
    assert_eq!(store.settle(keys.clone()).await.unwrap(), vec![true; 5]);
    let history = store.history(&DEFAULT_TENANT, play.id(), 0, 100).await.unwrap();
    let stored: Vec<_> = history.iter().map(|row| (row.first_seq, row.turn)).collect();
    assert_eq!(stored, keys.iter().map(|key| (key.first_seq, key.turn)).collect::<Vec<_>>());
    // fold(history) == state
    let mut folded = tyer_engine::Instance::blank(play.id());
    for row in &history {
        for event in unpack(&play.process, &row.events).unwrap() {
            folded.apply(&event, row.at);
        }
    }
    assert_eq!(folded, play.instance);
    // The chain goes on in the next batch, to the end.
    let timer = *play.instance.timers.keys().next().unwrap();
    assert_eq!(outcomes(&*store, vec![play.fire(timer)]).await, [Outcome::Committed]);
    play.assert_stored(&*store).await;
    assert!(play.instance.status.is_ended());
}

pub(crate) async fn a_whole_life_in_one_batch_leaves_only_history(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(TWO_JOBS);
    let batch = vec![play.start(), play.complete_job("{}"), play.complete_job(r#"{"a":1}"#)];
    assert_eq!(outcomes(&*store, batch).await, vec![Outcome::Committed; 3]);
    play.assert_stored(&*store).await;
    let loaded = store.load(vec![play.id()]).await.unwrap().pop().flatten().unwrap();
    assert!(loaded.tokens.is_empty() && loaded.instance.ended_at.is_some());
    assert_eq!(store.history(&DEFAULT_TENANT, play.id(), 0, 100).await.unwrap().len(), 3);
}

pub(crate) async fn a_turn_that_fails_drops_those_behind_it_but_no_others(world: Arc<World>) {
    let store = world.store();
    let (mut good, mut bad) = (Play::new(TWO_JOBS), Play::new(TWO_JOBS));
    outcomes(&*store, vec![good.start(), bad.start()]).await;
    let mut winner = bad.clone();
    commit(&*store, winner.complete_job(r#"{"by":"another"}"#)).await;
    let mut new = Play::new(TWO_JOBS);
    let mut start_and_more = Play::new(TWO_JOBS);
    let first = start_and_more.start();
    let kept = start_and_more.clone();
    let mut lost = start_and_more.complete_job("{}");
    lost.relies.lease = Some((1, 2, 9));
    let batch = vec![
        good.complete_job("{}"),
        bad.complete_job("{}"),
        new.start(),
        bad.complete_job("{}"),
        first,
        good.complete_job("{}"),
        lost,
        start_and_more.complete_job("{}"),
    ];
    use Outcome::{Committed, Conflict, LeaseLost};
    let expected = [Committed, Conflict, Committed, Conflict, Committed, Committed, LeaseLost, Conflict];
    assert_eq!(outcomes(&*store, batch).await, expected);
    good.assert_stored(&*store).await;
    winner.assert_stored(&*store).await;
    new.assert_stored(&*store).await;
    kept.assert_stored(&*store).await;
}

pub(crate) async fn a_key_starts_one_instance_and_names_it_ever_after(world: Arc<World>) {
    let store = world.store();
    let (mut first, mut second, mut third) = (Play::new(TWO_JOBS), Play::new(TWO_JOBS), Play::new(TWO_JOBS));
    let key = format!("key of {}", first.id());
    let with_key = |mut turn: Turn| {
        turn.relies.idempotency_key = Some(key.clone());
        turn
    };
    let batch = vec![with_key(first.start()), with_key(second.start()), second.complete_job("{}")];
    let expected = [Outcome::Committed, Outcome::Duplicate(first.id()), Outcome::Conflict];
    assert_eq!(outcomes(&*store, batch).await, expected);
    assert_eq!(outcomes(&*store, vec![with_key(third.start())]).await, [Outcome::Duplicate(first.id())]);
    let loaded = store.load(vec![first.id(), second.id(), third.id()]).await.unwrap();
    assert_eq!(loaded.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, false]);
}

pub(crate) async fn a_key_passes_to_the_start_that_holds(world: Arc<World>) {
    let store = world.store();
    let (mut taken, mut free, mut late) = (Play::new(TWO_JOBS), Play::new(TWO_JOBS), Play::new(TWO_JOBS));
    let mut again = taken.clone();
    commit(&*store, taken.start()).await;
    let key = format!("key of {}", taken.id());
    let with_key = |mut turn: Turn| {
        turn.relies.idempotency_key = Some(key.clone());
        turn
    };
    let batch = vec![with_key(again.start()), with_key(free.start())];
    assert_eq!(outcomes(&*store, batch).await, [Outcome::Conflict, Outcome::Committed]);
    assert_eq!(outcomes(&*store, vec![with_key(late.start())]).await, [Outcome::Duplicate(free.id())]);
}

pub(crate) async fn a_start_that_relies_on_the_newest_version_is_told_of_a_newer_one(world: Arc<World>) {
    let store = world.store();
    let key = format!("process of {}", Play::new(TWO_JOBS).id());
    let old = store.deploy(deployment(&format!("{key} 1"), &[&key])).await.unwrap()[0].id;
    let start = |definition: i64| {
        let mut turn = Play::new(TWO_JOBS).start();
        turn.relies.newest_of = Some(key.clone());
        turn.changes.instance.definition = definition;
        turn
    };
    assert_eq!(outcomes(&*store, vec![start(old)]).await, [Outcome::Committed]);
    let new = store.deploy(deployment(&format!("{key} 2"), &[&key])).await.unwrap()[0].id;
    let (late, good) = (start(old), start(new));
    let refused = late.key.instance;
    assert_eq!(outcomes(&*store, vec![late, good]).await, [Outcome::Superseded, Outcome::Committed]);
    assert!(store.load(vec![refused]).await.unwrap()[0].is_none(), "nothing of a refused start stays");
}
