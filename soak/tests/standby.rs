//! What a primary has committed alone is not acknowledged before its synchronous standby has it.
//!
//! **Invariant:** nothing is waited for by the clock: whoever is not answered is seen to wait for the standby.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinHandle, block_in_place};
use tokio_postgres::NoTls;
use tyer_engine::{Command, Instance, InstanceId, Start, Timestamp, pack, step};
use tyer_model::{Process, import};
use tyer_soak::trouble::cluster::Cluster;
use tyer_store::postgres::Postgres;
use tyer_store::{
    Changes, Error, Mailbox, Message, Outcome, Packed, Post, Relies, Store, Tenant, Turn, TurnKey,
};

/// The standby goes; a start and a message are committed by the primary alone, which crashes before it can say so. It comes
/// back and shows both: whoever asks for either again hears of it when the standby has it, and not before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_no_standby_has_is_not_acknowledged_by_looking_at_it() {
    let place = Place::create().await;
    let first = start(1, "checkout-1");
    let lost = (place.commits(first.clone()), place.posts(message(11)));
    place.waits_for_the_standby(2).await;
    place.primary_crashes();
    let (committed, posted) = (lost.0.await.expect("it ends"), lost.1.await.expect("it ends"));
    assert!(matches!(committed, Err(Error::Unknown(_))), "nobody knows yet: {committed:?}");
    assert!(posted.is_err(), "nobody knows yet: {posted:?}");

    let again = (place.commits(start(2, "checkout-1")), place.posts(message(12)), place.settles(first.key));
    place.waits_for_the_standby(3).await;
    let answered = [again.0.is_finished(), again.1.is_finished(), again.2.is_finished()];
    assert_eq!(answered, [false; 3], "a start with a known key, a message with a known id, a settled commit");

    block_in_place(|| place.standby.start()).expect("the standby comes back");
    let committed = again.0.await.expect("it ends").expect("the primary is back");
    assert_eq!(committed, [Outcome::Duplicate(InstanceId(1))], "the key is known");
    assert_eq!(
        again.1.await.expect("it ends").expect("the primary is back"),
        [false],
        "the message is known"
    );
    assert_eq!(
        again.2.await.expect("it ends").expect("the primary is back"),
        [true],
        "the commit has happened"
    );
    place.remove();
}

/// A primary whose synchronous standby is away, and a store that has tables there.
struct Place {
    folder: PathBuf,
    primary: Cluster,
    standby: Cluster,
    store: Arc<Postgres>,
}

impl Place {
    async fn create() -> Place {
        let folder = std::env::temp_dir().join(format!("tyer_standby_{}", std::process::id()));
        let (primary, standby) = block_in_place(|| {
            let primary = Cluster::create(folder.join("one"), "127.0.0.1", true).expect("PostgreSQL runs");
            let standby = primary.standby(folder.join("two")).expect("a standby runs");
            (primary, standby)
        });
        let store = Arc::new(Postgres::connect(&url(&primary), 4).await.expect("tables are made"));
        block_in_place(|| standby.stop("fast")).expect("the standby stops");
        Place { folder, primary, standby, store }
    }

    fn commits(&self, turn: Turn) -> JoinHandle<Result<Vec<Outcome>, Error>> {
        let store = Arc::clone(&self.store);
        tokio::spawn(async move { store.commit(vec![turn]).await })
    }

    fn posts(&self, message: Message) -> JoinHandle<Result<Vec<bool>, Error>> {
        let store = Arc::clone(&self.store);
        tokio::spawn(async move { store.post(vec![Post::Message(message)]).await })
    }

    fn settles(&self, key: TurnKey) -> JoinHandle<Result<Vec<bool>, Error>> {
        let store = Arc::clone(&self.store);
        tokio::spawn(async move { store.settle(vec![key]).await })
    }

    fn primary_crashes(&self) {
        block_in_place(|| self.primary.stop("immediate")).expect("the primary stops");
        block_in_place(|| self.primary.start()).expect("the primary comes back");
    }

    /// Returns when so many wait for it.
    async fn waits_for_the_standby(&self, count: i64) {
        const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        let (client, connection) =
            tokio_postgres::connect(&url(&self.primary), NoTls).await.expect("it runs");
        let talking = tokio::spawn(connection);
        let all_wait = async {
            while client.query_one(WAITING, &[]).await.expect("it answers").get::<_, i64>(0) < count {
                tokio::time::sleep(Duration::from_millis(20)).await; // tidy: who waits in PostgreSQL is only to be asked again
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(30), all_wait).await;
        waited.unwrap_or_else(|_| {
            panic!("{count} should wait for the standby: somebody was answered without it")
        });
        talking.abort();
    }

    fn remove(self) {
        let Place { folder, primary, standby, store } = self;
        drop(store);
        block_in_place(|| drop((primary, standby)));
        // What is left lies where temporary things lie.
        let _ = std::fs::remove_dir_all(folder);
    }
}

fn url(cluster: &Cluster) -> String {
    format!("postgres://tyer@{}/postgres", cluster.address())
}

/// Begins an instance under a key.
fn start(id: i64, key: &str) -> Turn {
    let (process, now) = (process(), Timestamp(1_000_000));
    let mut instance = Instance::blank(InstanceId(id));
    let command = Command::Start(Box::new(Start { definition: 7, version: 1, ..Start::default() }));
    let events = step(&process, &mut instance, command, now).expect("it begins");
    let count = u32::try_from(events.len()).expect("few events");
    let history = Packed { count, at: now, events: pack(&process, &events) };
    Turn {
        key: TurnKey { instance: instance.id, first_seq: 1, turn: 100 + id },
        process,
        relies: Box::new(Relies { idempotency_key: Some(key.to_owned()), ..Relies::default() }),
        changes: Changes::of(&instance, 0),
        history,
        mail: Box::default(),
    }
}

/// A task to wait at.
fn process() -> Arc<Process> {
    let bpmn = "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'>
        <process id='p' isExecutable='true'><startEvent id='start'/><userTask id='task'/>
        <sequenceFlow id='flow' sourceRef='start' targetRef='task'/></process></definitions>";
    Arc::new(import(bpmn.as_bytes()).expect("it can run").processes.remove(0))
}

/// Published again, it has another id of ours and the same of its publisher's.
fn message(id: i64) -> Message {
    Message {
        id,
        tenant: Tenant::default(),
        name: "paid".into(),
        key: Some("A-17".to_owned()),
        message_id: Some("payment-1".to_owned()),
        variables: "{}".to_owned(),
        published_at: Timestamp(1_000_000),
        expires_at: Timestamp(1_060_000),
        due: None,
    }
}
