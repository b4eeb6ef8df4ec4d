//! What was committed is loaded again.

use std::sync::Arc;

use tyer_engine::{Command, InstanceId, Status, TaskAction, Variables};
use tyer_store::{DEFAULT_TENANT, Outcome, Store, TaskFilter, Turn};

use crate::play::{ALL_WAITS, Play, TWO_JOBS};
use crate::world::World;

/// Commits one turn, which must hold.
pub(crate) async fn commit(store: &(impl Store + ?Sized), turn: Turn) {
    let outcomes = store.commit(vec![turn]).await.expect("commits");
    assert_eq!(outcomes, [Outcome::Committed]);
}

pub(crate) async fn a_token_that_waits_is_stored_as_the_engine_has_it(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(ALL_WAITS);
    commit(&*store, play.start_with(r#"{"open":false,"wide":false,"text":"a \"b\" ☃","big":1.50}"#)).await;
    // job, task, timer, incident
    let instance = &play.instance;
    assert_eq!(
        (instance.tokens.len(), instance.tasks.len(), instance.timers.len(), instance.incidents.len()),
        (4, 1, 1, 1)
    );
    play.assert_stored(&*store).await;
    let task = store
        .tasks(TaskFilter { instance: Some(play.id()), ..TaskFilter::default() }, None, 10)
        .await
        .unwrap();
    assert_eq!(task[0].asked, instance.tasks.values().next().unwrap().asked);
    // The job's token goes to the join and waits there.
    commit(&*store, play.complete_job(r#"{"done":[1,2]}"#)).await;
    play.assert_stored(&*store).await;
}

pub(crate) async fn every_turn_to_the_end_is_stored_as_the_engine_has_it(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(ALL_WAITS);
    commit(&*store, play.start_with(r#"{"open":false,"wide":false}"#)).await;
    let (_, job) = play.job();
    let failed =
        Command::FailJob { job, holder: None, error: "no".to_owned(), retries: Some(1), backoff_ms: Some(5) };
    let (task, incident) =
        (*play.instance.tasks.keys().next().unwrap(), *play.instance.incidents.keys().next().unwrap());
    let timer = *play.instance.timers.keys().next().unwrap();
    let open = Variables::parse(r#"{"open":true}"#).unwrap();
    let commands = [
        failed,
        Command::Task { task, by: Some("ann".to_owned()), action: TaskAction::Complete { variables: open } },
        Command::Resolve { incident, retries: None },
    ];
    for command in commands {
        commit(&*store, play.turn(command)).await;
        play.assert_stored(&*store).await;
    }
    commit(&*store, play.fire(timer)).await;
    play.assert_stored(&*store).await;
    let retry = *play.instance.timers.keys().next().unwrap();
    commit(&*store, play.fire(retry)).await;
    play.assert_stored(&*store).await;
    commit(&*store, play.complete_job("{}")).await;
    play.assert_stored(&*store).await;
    assert_eq!(play.instance.status, Status::Completed);
    let history = store.history(&DEFAULT_TENANT, play.id(), 0, 100).await.unwrap();
    let events: u64 = history.iter().map(|row| u64::from(row.count)).sum();
    assert_eq!(events, play.instance.version, "history has no gaps");
    assert_eq!(store.tasks(TaskFilter::default(), None, 10).await.unwrap(), []);
}

pub(crate) async fn a_paused_instance_is_stored_as_the_engine_has_it(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(TWO_JOBS);
    commit(&*store, play.start()).await;
    commit(&*store, play.pause()).await;
    play.assert_stored(&*store).await;
    // A result may come all the same: its token stands before the next node.
    commit(&*store, play.complete_job("{}")).await;
    play.assert_stored(&*store).await;
    commit(&*store, play.turn(Command::Resume)).await;
    play.assert_stored(&*store).await;
}

pub(crate) async fn an_id_that_is_not_there_gives_nothing(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(TWO_JOBS);
    commit(&*store, play.start()).await;
    let loaded = store.load(vec![InstanceId(3), play.id(), InstanceId(4), play.id()]).await.unwrap();
    let found: Vec<bool> = loaded.iter().map(Option::is_some).collect();
    assert_eq!(found, [false, true, false, true]);
}
