//! Whoever keeps a store: backups that are whole, restores that go on, instances that are forgotten in small steps.

use std::path::Path;
use std::sync::Arc;

use tyer_engine::{Command, InstanceId, ItemId, Start, StartWanted, Timestamp};
use tyer_store::sqlite::{self, Sqlite};
use tyer_store::{
    DEFAULT_TENANT, Errand, Error, Letter, Message, Outcome, Over, Post, Store, Tenant, Upkeep, Views,
};

use crate::play::{ALL_WAITS, Play, TWO_JOBS, fresh_id};
use crate::races::{claim, lease};
use crate::round_trip::commit;
use crate::views::deployment;
use crate::world::{AnyStore, World, folder, run};

/// Instances that wait in every way, one that has ended, a letter of each kind, keys, a held job: what must come back.
struct Kept {
    waits: Play,
    jobs: Play,
    ended: Play,
    node: tyer_store::NodeLease,
}

async fn fill(store: &dyn AnyStore) -> Kept {
    let node = store.hold_node(None, "before", Timestamp(5_000)).await.unwrap();
    let mut file = deployment("file \u{2603} '\0", &["p"]);
    file.checksum = "a hash".to_owned();
    file.processes[0].starts = vec![("s".to_owned(), 0, StartWanted::Message { name: "go".into() })];
    let definition = store.deploy(file).await.unwrap().remove(0).id;
    let play = |body| Play { definition, ..Play::new(body) };
    let (mut waits, mut jobs, mut ended) = (play(ALL_WAITS), play(TWO_JOBS), play(TWO_JOBS));
    let mut start = waits.start_with(r#"{"open":false,"wide":false,"text":"☃ ' \" \\ \u0001","big":1.50}"#);
    start.relies.idempotency_key = Some("once".to_owned());
    start.changes.instance.start_key = Some("K".to_owned());
    let (target, sender) = (waits.id(), waits.id());
    let (due, kind, body) = (Timestamp(1), "answer".to_owned(), r#"{"a":"☃"}"#.to_owned());
    start.mail.leaves.push(Letter::Errand(Errand { id: fresh_id(), target, sender, due, kind, body }));
    commit(store, start).await;
    commit(store, jobs.start()).await;
    let mut held = lease("inside", 0);
    (held.node, held.until) = (Some(node.number), None);
    let [job] = &store.claim(claim(1, held)).await.unwrap()[..] else { panic!("a job is ready") };
    assert!([waits.id(), jobs.id()].contains(&job.instance));
    commit(store, ended.start()).await;
    commit(store, ended.turn(Command::Cancel { reason: None })).await;
    let message = Message {
        id: fresh_id(),
        tenant: Tenant::from("acme"),
        name: "paid".into(),
        key: Some("A".to_owned()),
        message_id: None,
        variables: "{}".to_owned(),
        published_at: Timestamp(1),
        expires_at: Timestamp(i64::MAX),
        due: None,
    };
    assert_eq!(store.post(vec![Post::Message(message)]).await.unwrap(), [true]);
    Kept { waits, jobs, ended, node }
}

/// Everything that was there is there, and goes on.
async fn assert_restored(store: &dyn AnyStore, kept: &mut Kept) {
    for play in [&kept.waits, &kept.jobs, &kept.ended] {
        let loaded = store.load(vec![play.id()]).await.unwrap().remove(0).expect("is there");
        let (mut restored, _) = tyer_store::restore(&play.process, loaded).expect("restores");
        restored.executing = play.instance.executing.clone();
        assert_eq!(restored, play.instance);
        let history = store.history(&DEFAULT_TENANT, play.id(), 0, 100).await.unwrap();
        let events: u64 = history.iter().map(|row| u64::from(row.count)).sum();
        assert_eq!(events, play.instance.version);
    }
    let definitions = store.definitions(&DEFAULT_TENANT, None).await.unwrap();
    let file = store.definition(definitions[0].id).await.unwrap().unwrap();
    assert_eq!(&*file.resource, "file \u{2603} '\0".as_bytes(), "byte for byte");
    assert_eq!(store.start_events(&DEFAULT_TENANT, true, "go").await.unwrap().len(), 1);
    assert_eq!(store.unmatched(&Tenant::from("acme"), None, Timestamp(2), 10).await.unwrap().len(), 1);
    let life = store.hold_node(None, "after", Timestamp(5_000)).await.unwrap();
    assert!(life.high_water >= kept.node.until, "ids go on above all that were made");
    let letters = store.wake(Timestamp(100), 10).await.unwrap().letters;
    assert!(letters.iter().any(|letter| matches!(letter, Letter::Errand(_))), "{letters:?}");
    let mut again = Play { definition: kept.waits.definition, ..Play::new(ALL_WAITS) };
    let mut start = again.start();
    start.relies.idempotency_key = Some("once".to_owned());
    assert_eq!(store.commit(vec![start]).await.unwrap(), [Outcome::Duplicate(kept.waits.id())]);
    let claimed = store.claim(claim(10, lease("after", 90))).await.unwrap();
    assert_eq!(claimed.len(), 2, "who held a job through a node's life has lost it");
    let job = claimed.iter().find(|job| job.instance == kept.jobs.id()).expect("both are ready");
    commit(store, kept.jobs.complete_leased(job.lease)).await;
    kept.jobs.assert_stored(store).await;
}

pub(crate) async fn a_backup_is_restored_into_a_file_and_goes_on(world: Arc<World>) {
    let (store, folder) = (world.store(), folder());
    if !world.is_durable() {
        let refused = store.backup(folder.join("backup.db")).await.expect_err("memory has none");
        assert!(refused.to_string().contains("use a file or PostgreSQL"), "{refused}");
        return;
    }
    let mut kept = fill(&*store).await;
    let (backup, target) = (folder.join("back'up.db"), folder.join("restored.db"));
    store.backup(backup.clone()).await.expect("is made");
    let again = store.backup(backup.clone()).await.expect_err("nothing is overwritten");
    assert!(again.to_string().contains("is there already: name another file"), "{again}");
    commit(&*store, Play::new(TWO_JOBS).start()).await;
    sqlite::restore(&backup, &target).expect("is restored");
    let again = sqlite::restore(&backup, &target).expect_err("nothing is overwritten");
    assert!(again.to_string().contains("is there already"), "{again}");
    let restored = Sqlite::open(&target).expect("opens");
    let listed = restored.instances(None, None, InstanceId(0), 100).await.unwrap();
    assert_eq!(listed.len(), 3, "what came after the backup is not in it");
    assert_restored(&restored, &mut kept).await;
    drop(restored);
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}

#[cfg(feature = "postgres")]
pub(crate) async fn a_backup_is_restored_into_postgres_and_goes_on(world: Arc<World>) {
    use tyer_store::postgres;
    if !world.is_durable() {
        return;
    }
    let (store, folder) = (world.store(), folder());
    let mut kept = fill(&*store).await;
    let backup = folder.join("backup.db");
    store.backup(backup.clone()).await.expect("is made");
    let schema = crate::postgres_world::Schema::create().await;
    postgres::restore(&backup, &schema.url).await.expect("is restored");
    let again = postgres::restore(&backup, &schema.url).await.expect_err("it is not empty");
    assert!(matches!(again, Error::Refused(_)) && again.to_string().contains("not empty"), "{again}");
    let restored = schema.connect(&schema.url, 2).await;
    assert_restored(&restored, &mut kept).await;
    drop(restored);
    schema.drop_all().await;
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}

/// Starts go on while the backup is made: it has all that was acknowledged before it began.
pub(crate) async fn a_backup_under_load_has_what_was_acknowledged_before(world: Arc<World>) {
    if !world.is_durable() {
        return;
    }
    let (store, folder) = (world.store(), folder());
    for round in 0..3 {
        let mut before = Vec::new();
        for _ in 0..100 {
            let mut play = Play::new(TWO_JOBS);
            commit(&*store, play.start()).await;
            before.push(play);
        }
        let backup = folder.join(format!("backup-{round}.db"));
        let (going, load) = (Arc::new(std::sync::atomic::AtomicBool::new(true)), world.store());
        let more = Arc::clone(&going);
        let load = tokio::spawn(async move {
            let mut during = 0;
            while more.load(std::sync::atomic::Ordering::SeqCst) {
                let mut play = Play::new(TWO_JOBS);
                commit(&*load, play.start()).await;
                commit(&*load, play.complete_job("{}")).await;
                during += 1;
            }
            during
        });
        store.backup(backup.clone()).await.expect("is made");
        going.store(false, std::sync::atomic::Ordering::SeqCst);
        let during: usize = load.await.expect("the load goes on");
        assert!(during > 0, "nobody waited for the backup");
        let target = folder.join(format!("restored-{round}.db"));
        sqlite::restore(&backup, &target).expect("is restored");
        assert_whole(&target, &before).await;
    }
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}

/// Every instance is as its history says, and these are there.
async fn assert_whole(path: &Path, before: &[Play]) {
    let store = Sqlite::open(path).expect("opens");
    for play in before {
        play.assert_stored(&store).await;
    }
    for listed in store.instances(None, None, InstanceId(0), 100_000).await.unwrap() {
        let loaded = store.load(vec![listed.id]).await.unwrap().remove(0).expect("is there");
        let history = store.history(&DEFAULT_TENANT, listed.id, 0, 100).await.unwrap();
        let last = history.iter().fold(0, |last, row| {
            assert_eq!(row.first_seq, last + 1, "history has no gaps");
            last + u64::from(row.count)
        });
        assert_eq!(last, loaded.instance.version, "rows and history are of one moment");
    }
}

/// An instance of this process that ended at this moment.
async fn ended(store: &dyn AnyStore, definition: i64, at: i64, change: impl FnOnce(&mut Start)) -> Play {
    let mut play = Play { definition, now: Timestamp(at), ..Play::new(TWO_JOBS) };
    let mut start = Start { definition, version: 1, priority: 50, ..Start::default() };
    change(&mut start);
    commit(store, play.turn(Command::Start(Box::new(start)))).await;
    commit(store, play.turn(Command::Cancel { reason: None })).await;
    play
}

async fn forget_all(store: &dyn AnyStore, over: &Over, limit: usize) -> Vec<InstanceId> {
    let (mut gone, mut after, mut steps) = (Vec::new(), None, 0);
    loop {
        let step = store.forget(over.clone(), after.take(), limit).await.unwrap();
        assert!(step.instances.len() <= limit, "steps are small");
        gone.extend(step.instances);
        steps += 1;
        assert!(steps < 1_000, "it comes to an end");
        let Some(next) = step.next else { break };
        after = Some(next);
    }
    gone.sort();
    gone
}

pub(crate) async fn what_is_over_is_forgotten_by_process_and_age(world: Arc<World>) {
    let store = world.store();
    let short = store.deploy(deployment("short", &["short"])).await.unwrap()[0].id;
    let long = store.deploy(deployment("long", &["long"])).await.unwrap()[0].id;
    let (mut old, mut young) = (Vec::new(), Vec::new());
    for at in 0..5 {
        old.push(ended(&*store, short, 1_000 + at, |_| {}).await.id());
        young.push(ended(&*store, short, 9_000 + at, |_| {}).await.id());
        young.push(ended(&*store, long, 1_000 + at, |_| {}).await.id());
    }
    let older = ended(&*store, long, 10, |_| {}).await.id();
    let mut lives = Play { definition: short, now: Timestamp(1), ..Play::new(TWO_JOBS) };
    commit(&*store, lives.start()).await;
    assert_eq!(forget_all(&*store, &Over::default(), 2).await, [], "nothing is said: nothing is over");
    let processes = [("long".to_owned(), Timestamp(500))].into_iter().collect();
    let over = Over { processes, others: Some(Timestamp(5_000)), ..Over::default() };
    let mut expected: Vec<InstanceId> = old.iter().copied().chain([older]).collect();
    expected.sort();
    assert_eq!(forget_all(&*store, &over, 2).await, expected);
    for id in expected {
        assert!(store.load(vec![id]).await.unwrap()[0].is_none());
        assert!(store.history(&DEFAULT_TENANT, id, 0, 10).await.unwrap().is_empty());
    }
    for id in young {
        assert!(store.load(vec![id]).await.unwrap()[0].is_some());
        assert!(!store.history(&DEFAULT_TENANT, id, 0, 10).await.unwrap().is_empty());
    }
    lives.assert_stored(&*store).await;
    assert_eq!(forget_all(&*store, &over, 100).await, []);
}

pub(crate) async fn what_somebody_needs_is_not_forgotten(world: Arc<World>) {
    let store = world.store();
    let definition = store.deploy(deployment("file", &["p"])).await.unwrap()[0].id;
    let mut caller = Play { definition, ..Play::new(TWO_JOBS) };
    commit(&*store, caller.start()).await;
    let parent = Some(ItemId { instance: caller.id(), number: 3 });
    let called = ended(&*store, definition, 10, |start| start.parent = parent).await.id();
    let mut speaks = Play { definition, now: Timestamp(20), ..Play::new(TWO_JOBS) };
    commit(&*store, speaks.start()).await;
    let mut end = speaks.turn(Command::Cancel { reason: None });
    let (id, due, kind, body) = (fresh_id(), Timestamp(1), "answer".to_owned(), "{}".to_owned());
    let (target, sender) = (caller.id(), speaks.id());
    end.mail.leaves.push(Letter::Errand(Errand { id, target, sender, due, kind, body }));
    commit(&*store, end).await;
    let over = Over { others: Some(Timestamp(i64::MAX)), ..Over::default() };
    assert_eq!(forget_all(&*store, &over, 10).await, []);
    store.post(vec![Post::Dropped(target, id)]).await.unwrap();
    assert_eq!(forget_all(&*store, &over, 10).await, [speaks.id()], "what it said is delivered");
    commit(&*store, caller.turn(Command::Cancel { reason: None })).await;
    let mut both = vec![caller.id(), called];
    both.sort();
    assert_eq!(forget_all(&*store, &over, 10).await, both);
}

pub(crate) async fn keys_and_tenants_are_forgotten_too(world: Arc<World>) {
    let store = world.store();
    let mut ids = Vec::new();
    for name in ["", "acme", "zeta"] {
        let mut file = deployment("file", &["p"]);
        file.tenant = Tenant::from(name);
        let definition = store.deploy(file).await.unwrap()[0].id;
        let start = move |play: &mut Play| {
            let mut turn = play.start();
            turn.changes.instance.tenant = Tenant::from(name);
            turn.relies.idempotency_key = Some("key".to_owned());
            turn
        };
        let mut first = Play { definition, now: Timestamp(10), ..Play::new(TWO_JOBS) };
        commit(&*store, start(&mut first)).await;
        let mut end = first.turn(Command::Cancel { reason: None });
        end.changes.instance.tenant = Tenant::from(name);
        commit(&*store, end).await;
        ids.push((first.id(), start));
    }
    let over = Over { others: Some(Timestamp(100)), ..Over::default() };
    let acme = Over { tenant: Some(Tenant::from("acme")), ..over.clone() };
    assert_eq!(forget_all(&*store, &acme, 1).await, [ids[1].0], "only what is theirs");
    assert_eq!(forget_all(&*store, &over, 1).await, [ids[0].0, ids[2].0]);
    for (_, start) in ids {
        commit(&*store, start(&mut Play::new(TWO_JOBS))).await;
    }
}

#[test]
fn a_backup_that_is_not_whole_is_refused() {
    let folder = folder();
    let (backup, target) = (folder.join("backup.db"), folder.join("tyer.db"));
    let missing = sqlite::restore(&backup, &target).expect_err("there is none");
    assert!(missing.to_string().contains("there is no file"), "{missing}");
    run(async {
        let store = Sqlite::open(folder.join("source.db")).expect("opens");
        for _ in 0..200 {
            commit(&store, Play::new(TWO_JOBS).start()).await;
        }
        store.backup(backup.clone()).await.expect("is made");
    });
    let whole = std::fs::read(&backup).expect("reads");
    std::fs::write(&backup, &whole[..whole.len() / 2]).expect("writes");
    assert!(matches!(sqlite::restore(&backup, &target), Err(Error::Damaged(_))));
    rusqlite::Connection::open(folder.join("other.db")).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
    let other = sqlite::restore(&folder.join("other.db"), &target).expect_err("is something else");
    assert!(other.to_string().contains("is no backup of a store"), "{other}");
    assert!(!target.exists(), "nothing is left behind");
    let newer = rusqlite::Connection::open(folder.join("source.db")).unwrap();
    newer.pragma_update(None, "user_version", 999).unwrap();
    drop(newer);
    let newer = sqlite::restore(&folder.join("source.db"), &target).expect_err("is newer");
    assert!(matches!(newer, Error::NewerSchema { found: 999, .. }), "{newer}");
    std::fs::write(&backup, whole).expect("writes");
    sqlite::restore(&backup, &target).expect("the whole one is restored");
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}
