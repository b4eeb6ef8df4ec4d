//! Commits whose answer never came.

use std::sync::Arc;

use tyer_store::postgres::Postgres;
use tyer_store::{Error, Outcome, Store, Turn};

use crate::play::{Play, TWO_JOBS};
use crate::postgres_world::Schema;
use crate::proxy::{Cut, Proxy};
use crate::round_trip::commit;
use crate::world::run;

/// Commits through a wire that is cut, for a start and for a later turn, and asks what became of it.
fn check(cut: Cut, is_durable: bool) {
    run(async {
        let schema = Schema::create().await;
        let direct = Arc::new(schema.connect(&schema.url, 2).await);
        let proxy = Proxy::start(schema.address(), cut).await;
        let cuttable = schema.connect(&schema.url_at(proxy.port), 1).await;
        let mut play = Play::new(TWO_JOBS);
        let start = play.start();
        let started = settle_one(&schema, &proxy, &cuttable, &direct, start.clone()).await;
        assert_eq!(started, is_durable, "the start");
        assert_eq!(direct.load(vec![play.id()]).await.unwrap()[0].is_some(), is_durable);
        if !is_durable {
            commit(&*direct, start).await;
        }
        let before = play.clone();
        let turn = play.complete_job(r#"{"a":1}"#);
        let turned = settle_one(&schema, &proxy, &cuttable, &direct, turn.clone()).await;
        assert_eq!(turned, is_durable, "the later turn");
        let stored = if is_durable { &play } else { &before };
        stored.assert_stored(&*direct).await;
        // The answer was final: what was settled as lost stays lost and can be tried again.
        if !is_durable {
            commit(&*direct, turn).await;
        }
        // A new connection is made for the one that was cut.
        commit(&cuttable, play.complete_job("{}")).await;
        play.assert_stored(&*direct).await;
        schema.drop_all().await;
    });
}

async fn settle_one(
    schema: &Schema,
    proxy: &Proxy,
    cuttable: &impl Store,
    direct: &Arc<Postgres>,
    turn: Turn,
) -> bool {
    let key = turn.key;
    // Statements are prepared, so that the writes and the commit go out together.
    commit(cuttable, Play::new(TWO_JOBS).start()).await;
    proxy.arm();
    let outcome = cuttable.commit(vec![turn]).await;
    assert!(matches!(outcome, Err(Error::Unknown(_))), "{outcome:?}");
    let asked = Arc::clone(direct);
    let settled = tokio::spawn(async move { asked.settle(vec![key]).await.expect("settles")[0] });
    // A commit that is held back goes on when the settlement waits for it, or was given without waiting.
    while !settled.is_finished() && !schema.has_waiting_backend().await {}
    proxy.release();
    settled.await.expect("no panic")
}

#[test]
fn a_commit_whose_answer_was_lost_is_found() {
    check(Cut::AnswerLost, true);
}

#[test]
fn a_commit_of_which_only_the_last_answer_was_lost_is_found() {
    check(Cut::LastAnswerLost, true);
}

#[test]
fn a_commit_that_never_arrived_is_not_found() {
    check(Cut::CommitLost, false);
}

#[test]
fn a_commit_that_is_still_on_its_way_is_waited_for() {
    check(Cut::CommitLate, true);
}

#[test]
fn a_backend_that_is_killed_before_the_commit_leaves_nothing() {
    run(async {
        let schema = Schema::create().await;
        let store = schema.connect(&schema.url, 1).await;
        let mut play = Play::new(TWO_JOBS);
        commit(&store, play.start()).await;
        let killed = schema.kill_backends().await;
        assert!(killed > 0, "there was a backend to kill");
        let before = play.clone();
        let turn = play.complete_job("{}");
        match store.commit(vec![turn.clone()]).await {
            // The pool had seen the end of the connection, and made a new one.
            Ok(outcomes) => assert_eq!(outcomes, [Outcome::Committed]),
            Err(error) => {
                assert!(matches!(error, Error::Unavailable(_)), "nothing was sent: {error}");
                before.assert_stored(&store).await;
                commit(&store, turn).await;
            }
        }
        play.assert_stored(&store).await;
        schema.drop_all().await;
    });
}
