//! Streams to sinks: written with the turn, in one pair of hands at a time, marked or tried again.

use std::sync::Arc;

use tyer_engine::{InstanceId, Timestamp};
use tyer_store::{Delivered, Deliveries, Outcome, Over, Sink, Turn};

use crate::play::{Play, TWO_JOBS};
use crate::world::{AnyStore, World};

const NOW: Timestamp = Timestamp(2_000_000);
const LATER: Timestamp = Timestamp(2_060_000);

fn sink(name: &str) -> Sink {
    let (kind, settings) = ("subscriber".to_owned(), "{}".to_owned());
    Sink { name: Arc::from(name), kind, settings, since: NOW }
}

fn told(mut turn: Turn, sinks: &[&str]) -> Turn {
    turn.mail.tells = Some(sinks.iter().map(|name| Arc::from(*name)).collect());
    turn
}

async fn committed(store: &dyn AnyStore, batch: Vec<Turn>) {
    let expected = vec![Outcome::Committed; batch.len()];
    assert_eq!(store.commit(batch).await.unwrap(), expected);
}

async fn take(store: &dyn AnyStore, sink: &str, now: Timestamp) -> Deliveries {
    store.take_deliveries(sink, now, Timestamp(now.0 + 60_000), 10).await.unwrap()
}

pub(crate) async fn a_turn_adds_to_the_streams_of_the_sinks_it_names(world: Arc<World>) {
    let store = world.store();
    assert!(store.keep_sink(sink("a")).await.unwrap());
    assert!(!store.keep_sink(sink("a")).await.unwrap(), "it is there already");
    store.keep_sink(sink("b")).await.unwrap();
    let mut play = Play::new(TWO_JOBS);
    let (first, second) = (play.start(), play.complete_job("{}"));
    let (start, middle) = (first.key.first_seq, second.key.first_seq);
    committed(&*store, vec![told(first, &["a", "b"]), told(second, &["a"])]).await;
    let of_a = take(&*store, "a", NOW).await.taken;
    assert_eq!(
        (of_a[0].instance, of_a[0].next_seq, of_a[0].last_seq),
        (play.id(), start, play.instance.version)
    );
    let of_b = take(&*store, "b", NOW).await.taken;
    assert_eq!((of_b[0].next_seq, of_b[0].last_seq), (start, middle - 1));
    let mut quiet = Play::new(TWO_JOBS);
    committed(&*store, vec![quiet.start()]).await;
    assert_eq!(take(&*store, "a", NOW).await.taken, [], "a turn that names no sink leaves nothing");
    let names: Vec<_> = store.sinks().await.unwrap().into_iter().map(|sink| sink.name).collect();
    assert_eq!(names, [Arc::from("a"), Arc::from("b")]);
}

pub(crate) async fn a_stream_is_in_one_pair_of_hands_until_its_moment(world: Arc<World>) {
    let (store, other) = (world.store(), world.another_node().await);
    store.keep_sink(sink("a")).await.unwrap();
    let mut play = Play::new(TWO_JOBS);
    committed(&*store, vec![told(play.start(), &["a"])]).await;
    let mine = take(&*store, "a", NOW).await;
    assert_eq!(mine.next, Some(LATER), "when it is given up on me");
    let nobodys = take(&*other, "a", NOW).await;
    assert_eq!((nobodys.taken.len(), nobodys.next), (0, Some(LATER)));
    let theirs = take(&*other, "a", LATER).await.taken;
    assert_eq!(theirs[0].lease, mine.taken[0].lease + 1);
    let through = Delivered::Through(play.instance.version);
    let late = store.mark(vec![(mine.taken[0].clone(), through.clone())], LATER).await.unwrap();
    assert_eq!(late, [false], "somebody else has it");
    assert_eq!(other.mark(vec![(theirs[0].clone(), through)], LATER).await.unwrap(), [true]);
    assert_eq!(take(&*store, "a", Timestamp(LATER.0 + 600_000)).await, Deliveries::default());
}

pub(crate) async fn what_was_added_while_it_was_delivered_is_delivered_next(world: Arc<World>) {
    let store = world.store();
    store.keep_sink(sink("a")).await.unwrap();
    let mut play = Play::new(TWO_JOBS);
    committed(&*store, vec![told(play.start(), &["a"])]).await;
    let taken = take(&*store, "a", NOW).await.taken.remove(0);
    committed(&*store, vec![told(play.complete_job("{}"), &["a"])]).await;
    let through = Delivered::Through(taken.last_seq);
    assert_eq!(store.mark(vec![(taken.clone(), through)], NOW).await.unwrap(), [true]);
    let next = take(&*store, "a", NOW).await.taken.remove(0);
    assert_eq!((next.next_seq, next.last_seq), (taken.last_seq + 1, play.instance.version));
    // One who is far too late has a number that is given anew, but not of this place.
    let stale = vec![(taken.clone(), Delivered::Through(taken.last_seq))];
    assert_eq!(store.mark(stale, NOW).await.unwrap(), [false]);
}

pub(crate) async fn a_dead_stream_waits_until_somebody_says_otherwise(world: Arc<World>) {
    let store = world.store();
    store.keep_sink(sink("a")).await.unwrap();
    let (mut play, mut other) = (Play::new(TWO_JOBS), Play::new(TWO_JOBS));
    committed(&*store, vec![told(play.start(), &["a"])]).await;
    let taken = take(&*store, "a", NOW).await.taken.remove(0);
    let failed = |again| Delivered::Failed { through: 0, error: "no answer".to_owned(), again };
    assert_eq!(store.mark(vec![(taken, failed(Some(LATER)))], NOW).await.unwrap(), [true]);
    assert_eq!(take(&*store, "a", NOW).await.next, Some(LATER));
    let again = take(&*store, "a", LATER).await.taken.remove(0);
    assert_eq!((again.attempt, again.next_seq), (1, 1));
    assert_eq!(store.mark(vec![(again, failed(None))], LATER).await.unwrap(), [true]);
    committed(&*store, vec![told(play.complete_job("{}"), &["a"]), told(other.start(), &["a"])]).await;
    let far = Timestamp(LATER.0 + 86_400_000);
    let taken = take(&*store, "a", far).await.taken;
    assert_eq!(taken.iter().map(|one| one.instance).collect::<Vec<_>>(), [other.id()], "others go on");
    let dead = store.dead_streams("a", InstanceId(0), 10).await.unwrap();
    let seen = (dead[0].instance, dead[0].attempt, dead[0].last_seq, dead[0].error.as_str());
    assert_eq!((dead.len(), seen), (1, (play.id(), 2, play.instance.version, "no answer")));
    assert_eq!(store.redeliver("a", Some(other.id()), far).await.unwrap(), 0);
    assert_eq!(store.redeliver("a", Some(play.id()), far).await.unwrap(), 1);
    assert_eq!(take(&*store, "a", far).await.taken[0].attempt, 0);
    assert!(store.drop_sink("a").await.unwrap());
    assert!(!store.drop_sink("a").await.unwrap());
    assert_eq!(take(&*store, "a", Timestamp(far.0 + 86_400_000)).await, Deliveries::default());
}

pub(crate) async fn what_a_sink_has_not_got_is_not_forgotten(world: Arc<World>) {
    let store = world.store();
    store.keep_sink(sink("a")).await.unwrap();
    let mut play = Play::new(TWO_JOBS);
    committed(&*store, vec![told(play.start(), &["a"])]).await;
    committed(&*store, vec![told(play.complete_job("{}"), &["a"]), told(play.complete_job("{}"), &["a"])])
        .await;
    let over = Over { others: Some(LATER), ..Over::default() };
    assert_eq!(store.forget(over.clone(), None, 10).await.unwrap().instances, []);
    let taken = take(&*store, "a", NOW).await.taken.remove(0);
    let through = Delivered::Through(taken.last_seq);
    assert_eq!(store.mark(vec![(taken, through)], NOW).await.unwrap(), [true]);
    assert_eq!(store.forget(over, None, 10).await.unwrap().instances, [play.id()]);
}
