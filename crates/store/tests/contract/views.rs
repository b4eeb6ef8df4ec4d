//! Definitions and history, as people see them.

use std::sync::Arc;

use tokio::task::JoinSet;
use tyer_engine::Timestamp;
use tyer_store::{DEFAULT_TENANT, Deployment, NewProcess, TaskFilter, Tenant, Which};

use crate::play::{ALL_WAITS, Play, TWO_JOBS, fresh_id};
use crate::round_trip::commit;
use crate::world::World;

pub(crate) fn deployment(content: &str, processes: &[&str]) -> Deployment {
    Deployment {
        tenant: Tenant::default(),
        resource: content.as_bytes().into(),
        checksum: format!("hash of {content}"),
        ids: (0..=processes.len()).map(|_| fresh_id()).collect(),
        processes: processes
            .iter()
            .map(|&key| NewProcess { key: key.to_owned(), version_tag: None, starts: Vec::new() })
            .collect(),
        at: Timestamp(5),
    }
}

pub(crate) async fn the_same_content_keeps_its_versions(world: Arc<World>) {
    let store = world.store();
    let first = store.deploy(deployment("one", &["a", "b"])).await.unwrap();
    assert_eq!(first.iter().map(|one| (&*one.key, one.version)).collect::<Vec<_>>(), [("a", 1), ("b", 1)]);
    assert_eq!(store.deploy(deployment("one", &["a", "b"])).await.unwrap(), first);
    let second = store.deploy(deployment("two", &["b"])).await.unwrap();
    assert_eq!((&*second[0].key, second[0].version), ("b", 2));
    let found = store.definition(first[1].id).await.unwrap().expect("is there");
    assert_eq!((&*found, &*found.resource), (&first[1], &b"one"[..]));
    assert_eq!(store.version(&DEFAULT_TENANT, "b", Which::Newest).await.unwrap(), Some(second[0].id));
    assert_eq!(store.version(&DEFAULT_TENANT, "b", Which::Number(1)).await.unwrap(), Some(first[1].id));
    assert_eq!(store.version(&DEFAULT_TENANT, "b", Which::Number(3)).await.unwrap(), None);
    assert_eq!(store.version(&DEFAULT_TENANT, "c", Which::Newest).await.unwrap(), None);
    assert!(store.definition(1).await.unwrap().is_none());
}

pub(crate) async fn nodes_that_deploy_at_once_agree(world: Arc<World>) {
    let nodes = [world.store(), world.another_node().await];
    let mut tasks = JoinSet::new();
    for number in 0..12 {
        let node = Arc::clone(&nodes[number % 2]);
        // Three contents, each four times, all with the process `a`.
        let deployment = deployment(&format!("content {}", number % 3), &["a"]);
        tasks.spawn(async move { node.deploy(deployment).await.expect("deploys").remove(0) });
    }
    let mut definitions = tasks.join_all().await;
    definitions.sort_by_key(|one| one.version);
    definitions.dedup();
    assert_eq!(definitions.iter().map(|one| one.version).collect::<Vec<_>>(), [1, 2, 3]);
}

pub(crate) async fn history_is_read_from_the_middle_of_a_turn(world: Arc<World>) {
    let store = world.store();
    let mut play = Play::new(TWO_JOBS);
    for turn in [play.start(), play.complete_job("{}"), play.complete_job("{}")] {
        commit(&*store, turn).await;
    }
    let all = store.history(&DEFAULT_TENANT, play.id(), 0, 10).await.unwrap();
    assert_eq!(all.len(), 3);
    let second = all[1].first_seq;
    let cases = [
        (0, 10, &all[..]),
        (second - 2, 10, &all[..]),
        (second - 1, 10, &all[1..]),
        (second, 10, &all[1..]),
        (second + u64::from(all[1].count) - 2, 1, &all[1..2]),
        (second + u64::from(all[1].count) - 1, 10, &all[2..]),
        (play.instance.version - 1, 10, &all[2..]),
        (play.instance.version, 10, &[]),
        (u64::MAX, 10, &[]),
        (0, 2, &all[..2]),
    ];
    for (after, limit, expected) in cases {
        assert_eq!(
            store.history(&DEFAULT_TENANT, play.id(), after, limit).await.unwrap(),
            expected,
            "after {after}"
        );
    }
    assert_eq!(store.history(&DEFAULT_TENANT, Play::new(TWO_JOBS).id(), 0, 10).await.unwrap(), []);
}

pub(crate) async fn open_tasks_are_listed_oldest_first(world: Arc<World>) {
    let store = world.store();
    let mut plays: Vec<Play> = (0..3).map(|_| Play::new(ALL_WAITS)).collect();
    for play in plays.iter_mut().rev() {
        commit(&*store, play.start_with(r#"{"open":true}"#)).await;
    }
    let all = store.tasks(TaskFilter::default(), None, 2).await.unwrap();
    assert_eq!(all.iter().map(|task| task.instance).collect::<Vec<_>>(), [plays[0].id(), plays[1].id()]);
    let one = store
        .tasks(TaskFilter { instance: Some(plays[2].id()), ..TaskFilter::default() }, None, 10)
        .await
        .unwrap();
    assert_eq!((one.len(), &*one[0].node, one[0].instance), (1, "task", plays[2].id()));
}
