//! Claims and what becomes of them.

use std::sync::Arc;

use tyer_engine::{Command, ItemId, Number, Timestamp, TokenStatus};
use tyer_store::{Claimed, DEFAULT_TENANT, Hold, Lease, LoadedToken, Outcome, Store};

use crate::play::{ALL_WAITS, Play, TWO_JOBS};
use crate::races::{claim, lease};
use crate::round_trip::commit;
use crate::world::World;

async fn claim_one(store: &(impl Store + ?Sized), lease: Lease) -> Option<Claimed> {
    store.claim(claim(1, lease)).await.expect("claims").pop()
}

async fn token(store: &(impl Store + ?Sized), play: &Play, number: Number) -> LoadedToken {
    let loaded = store.load(vec![play.id()]).await.unwrap().pop().flatten().expect("is stored");
    loaded.tokens.into_iter().find(|token| token.number == number).expect("lives")
}

pub(crate) async fn a_claim_is_loaded_and_ends_with_its_turn(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(TWO_JOBS);
    commit(&*store, play.start_with(r#"{"x":[1]}"#)).await;
    let (number, job) = play.job();
    let claimed = claim_one(&*store, lease("ann", 50)).await.expect("a job is ready");
    assert_eq!((claimed.instance, claimed.token, claimed.job.number), (play.id(), number, job));
    assert_eq!((claimed.lease, claimed.definition, &claimed.variables[0][..]), (1, 7, r#"{"x":[1]}"#));
    assert!(claim_one(&*store, lease("bob", 50)).await.is_none(), "it is taken");
    let held = token(&*store, &play, number).await;
    assert_eq!(
        (held.status, held.lease),
        (TokenStatus::Executing, Some(Lease { number: 1, ..lease("ann", 50) }))
    );
    play.assert_stored(&*store).await;
    commit(&*store, play.complete_leased(1)).await;
    let next = token(&*store, &play, number).await;
    assert_eq!((next.status, next.lease), (TokenStatus::Ready, None));
}

pub(crate) async fn only_wanted_types_are_claimed_in_the_order_of_asking(world: Arc<World>) {
    let store = world.store();
    let mut plays: Vec<Play> = (0..3).map(|_| Play::new(TWO_JOBS)).collect();
    for play in &mut plays {
        commit(&*store, play.start()).await;
    }
    commit(&*store, plays[1].complete_job("{}")).await;
    assert_eq!(store.claim(claim(0, lease("ann", 9))).await.unwrap().len(), 0);
    let both = tyer_store::Claim {
        tenant: None,
        types: vec!["more".into(), "work".into()],
        max: 2,
        lease: lease("ann", 9),
    };
    let claimed = store.claim(both).await.unwrap();
    let got: Vec<_> = claimed.iter().map(|job| (&*job.job.job_type, job.instance)).collect();
    assert_eq!(got, [("more", plays[1].id()), ("work", plays[0].id())]);
}

pub(crate) async fn who_lost_the_lease_cannot_commit(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(TWO_JOBS);
    commit(&*store, play.start()).await;
    let mut slow = play.clone();
    claim_one(&*store, lease("slow", 50)).await.expect("ready");
    let woken = store.wake(Timestamp(50), 10).await.unwrap();
    assert_eq!(woken.freed, ["work".into()]);
    let second = claim_one(&*store, lease("quick", 100)).await.expect("ready again");
    assert_eq!(second.lease, 2, "higher than ever before");
    assert_eq!(store.commit(vec![slow.complete_leased(1)]).await.unwrap(), [Outcome::LeaseLost]);
    commit(&*store, play.complete_leased(2)).await;
    play.assert_stored(&*store).await;
}

pub(crate) async fn a_lease_that_ran_out_is_lost_before_another_has_it(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(TWO_JOBS);
    commit(&*store, play.start()).await;
    claim_one(&*store, lease("slow", 50)).await.expect("ready");
    store.wake(Timestamp(51), 10).await.unwrap();
    assert_eq!(store.commit(vec![play.complete_leased(1)]).await.unwrap(), [Outcome::LeaseLost]);
}

pub(crate) async fn an_extended_lease_lasts_longer(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(TWO_JOBS);
    commit(&*store, play.start()).await;
    let job = ItemId { instance: play.id(), number: play.job().1 };
    assert!(!store.extend(&DEFAULT_TENANT, job, 0, Timestamp(80)).await.unwrap(), "nobody holds it");
    claim_one(&*store, lease("ann", 50)).await.expect("ready");
    assert!(!store.extend(&DEFAULT_TENANT, job, 2, Timestamp(80)).await.unwrap(), "not under this number");
    assert!(store.extend(&DEFAULT_TENANT, job, 1, Timestamp(80)).await.unwrap());
    let woken = store.wake(Timestamp(79), 10).await.unwrap();
    assert_eq!((woken.freed.len(), woken.next), (0, Some(Timestamp(80))));
    assert_eq!(store.wake(Timestamp(80), 10).await.unwrap().freed, ["work".into()]);
    assert!(!store.extend(&DEFAULT_TENANT, job, 1, Timestamp(90)).await.unwrap(), "it is over");
}

pub(crate) async fn the_next_end_of_a_lease_is_named_also_when_others_ended(world: Arc<World>) {
    let store = world.store();
    let mut plays = [Play::new(TWO_JOBS), Play::new(TWO_JOBS)];
    for (play, until) in plays.iter_mut().zip([10, 20]) {
        commit(&*store, play.start()).await;
        claim_one(&*store, lease("ann", until)).await.expect("ready");
    }
    let woken = store.wake(Timestamp(15), 10).await.unwrap();
    assert_eq!((woken.freed.len(), woken.next), (1, Some(Timestamp(20))));
}

pub(crate) async fn a_token_may_be_born_claimed(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(TWO_JOBS);
    let mut turn = play.start();
    let (number, _) = play.job();
    let own = Lease { number: 1, ..lease("here", 50) };
    turn.changes.tokens.get_mut(&number).unwrap().row.as_mut().unwrap().hold = Hold::Taken(own.clone());
    commit(&*store, turn).await;
    assert!(claim_one(&*store, lease("bob", 50)).await.is_none());
    let born = token(&*store, &play, number).await;
    assert_eq!((born.status, born.lease), (TokenStatus::Executing, Some(own)));
    play.assert_stored(&*store).await;
    commit(&*store, play.complete_leased(1)).await;
}

pub(crate) async fn a_pause_holds_what_is_ready_and_leaves_what_is_executing(world: Arc<World>) {
    let store = world.store();
    let (mut busy, mut calm) = (Play::new(ALL_WAITS), Play::new(ALL_WAITS));
    commit(&*store, busy.start_with(r#"{"open":true}"#)).await;
    let (number, _) = busy.job();
    claim_one(&*store, lease("ann", 50)).await.expect("ready");
    commit(&*store, calm.start_with(r#"{"open":true}"#)).await;
    commit(&*store, busy.pause()).await;
    commit(&*store, calm.pause()).await;
    assert_eq!(token(&*store, &busy, number).await.status, TokenStatus::Executing);
    assert_eq!(token(&*store, &calm, number).await.status, TokenStatus::Created);
    assert!(claim_one(&*store, lease("bob", 50)).await.is_none());
    let late = store.wake(Timestamp(2_000_000_000), 10).await.unwrap();
    assert_eq!(late.due, [], "timers are held too");
    // The lease ran out: the job is not ready, for its instance is paused.
    assert_eq!(token(&*store, &busy, number).await.status, TokenStatus::Created);
    assert!(claim_one(&*store, lease("bob", 50)).await.is_none());
    commit(&*store, busy.turn(Command::Resume)).await;
    busy.assert_stored(&*store).await;
    let again = claim_one(&*store, lease("bob", 50)).await.expect("ready again");
    assert_eq!((again.instance, again.lease), (busy.id(), 2));
    let due = store.wake(Timestamp(2_000_000_000), 10).await.unwrap().due;
    assert_eq!(due.iter().map(|due| due.instance).collect::<Vec<_>>(), [busy.id()]);
}

pub(crate) async fn a_result_is_taken_while_its_instance_is_paused(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(TWO_JOBS);
    commit(&*store, play.start()).await;
    claim_one(&*store, lease("ann", 50)).await.expect("ready");
    commit(&*store, play.pause()).await;
    commit(&*store, play.complete_leased(1)).await;
    play.assert_stored(&*store).await;
}

pub(crate) async fn a_turn_that_relies_on_nobody_holding_a_job_is_told_of_a_claim(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(TWO_JOBS);
    commit(&*store, play.start()).await;
    let (token, _) = play.job();
    let mut undone = play.clone().turn(Command::Cancel { reason: None });
    undone.relies.unclaimed = vec![token];
    claim_one(&*store, lease("ann", 50)).await.expect("ready");
    assert_eq!(store.commit(vec![undone.clone()]).await.unwrap(), [Outcome::Conflict]);
    assert_eq!(store.wake(Timestamp(50), 1).await.unwrap().freed.len(), 1);
    assert_eq!(store.commit(vec![undone]).await.unwrap(), [Outcome::Committed]);
}
