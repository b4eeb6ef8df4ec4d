//! What goes between instances is said once, heard once and never lost.

use std::sync::Arc;

use tyer_engine::{Command, InstanceId, StartWanted, Timestamp, Variables};
use tyer_store::{
    DEFAULT_TENANT, Errand, Letter, Message, NewProcess, Outcome, Post, Signal, Sought, StartEvent,
    StartEventKey, Take, Tenant, Turn, Which,
};

use crate::play::{Play, TWO_JOBS, fresh_id, process};
use crate::round_trip::commit;
use crate::views::deployment;
use crate::world::{AnyStore, World};

/// Two waits one after the other: for message `paid` with the key in `order`, then for signal `storm`.
const LISTENS: &str = "
    <startEvent id='start'/><endEvent id='end'/><parallelGateway id='fork'/>
    <intermediateCatchEvent id='pay'><messageEventDefinition messageRef='paid'/></intermediateCatchEvent>
    <intermediateCatchEvent id='storms'><signalEventDefinition signalRef='storm'/></intermediateCatchEvent>
    <sequenceFlow id='a' sourceRef='start' targetRef='fork'/><sequenceFlow id='b' sourceRef='fork' targetRef='pay'/>
    <sequenceFlow id='c' sourceRef='fork' targetRef='storms'/><sequenceFlow id='d' sourceRef='pay' targetRef='end'/>
    <sequenceFlow id='e' sourceRef='storms' targetRef='end'/>";

fn listener(process: &str) -> Arc<tyer_model::Process> {
    let xml = format!(
        "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'
         xmlns:zeebe='http://camunda.org/schema/zeebe/1.0'>
         <message id='paid' name='paid'><extensionElements><zeebe:subscription correlationKey='=order'/>
         </extensionElements></message><signal id='storm' name='storm'/>
         <process id='{process}' isExecutable='true'>{LISTENS}</process></definitions>"
    );
    let imported = tyer_model::import(xml.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
    Arc::new(imported.processes.into_iter().next().expect("one process"))
}

/// An instance that listens, of a process that is deployed.
async fn listening(store: &dyn AnyStore, process: &str, order: &str) -> Play {
    let definition = store.deploy(deployment(process, &[process])).await.unwrap()[0].id;
    let mut play = Play { definition, ..Play::of(&listener(process)) };
    commit(store, play.start_with(&format!(r#"{{"order":"{order}"}}"#))).await;
    play
}

fn errand(target: InstanceId) -> Errand {
    let (due, kind, body) = (Timestamp(1_000_000), "answer".to_owned(), "{\"a\":1}".to_owned());
    Errand { id: fresh_id(), target, sender: InstanceId(5), due, kind, body }
}

fn message(key: Option<&str>) -> Message {
    Message {
        id: fresh_id(),
        tenant: Tenant::default(),
        name: "paid".into(),
        key: key.map(str::to_owned),
        message_id: None,
        variables: r#"{"amount":5}"#.to_owned(),
        published_at: Timestamp(1_000_000),
        expires_at: Timestamp(1_060_000),
        due: None,
    }
}

fn sought(id: i64, key: Option<String>) -> Sought {
    Sought::Message { id, tenant: Tenant::default(), name: "paid".into(), key }
}

fn signal() -> Signal {
    Signal {
        id: fresh_id(),
        tenant: Tenant::default(),
        name: "storm".into(),
        variables: "{}".to_owned(),
        sender: None,
        published_at: Timestamp(1_000_000),
        cursor: (InstanceId(0), 0),
        due: Timestamp(1_000_000),
    }
}

fn pausing(play: &mut Play, takes: Take) -> Turn {
    let mut turn = play.pause();
    turn.mail.takes = Some(takes);
    turn
}

async fn outcome(store: &dyn AnyStore, turn: Turn) -> Outcome {
    store.commit(vec![turn]).await.expect("commits").remove(0)
}

pub(crate) async fn an_errand_is_named_until_a_turn_has_taken_it(world: Arc<World>) {
    let store = world.store();
    let (mut sender, mut target) = (Play::new(TWO_JOBS), Play::new(TWO_JOBS));
    commit(&*store, target.start()).await;
    let errand = errand(target.id());
    let mut said = sender.start();
    said.mail.leaves.push(Letter::Errand(errand.clone()));
    commit(&*store, said).await;
    assert_eq!(store.wake(Timestamp(999_999), 10).await.unwrap().letters, []);
    let due = store.wake(Timestamp(1_000_000), 10).await.unwrap().letters;
    assert_eq!(due, [Letter::Errand(errand.clone())]);
    let take = Take::Errand { target: errand.target, id: errand.id };
    let twice = vec![pausing(&mut target.clone(), take.clone()), pausing(&mut sender.clone(), take.clone())];
    assert_eq!(store.commit(twice).await.unwrap(), [Outcome::Committed, Outcome::Gone]);
    assert_eq!(outcome(&*store, pausing(&mut sender, take)).await, Outcome::Gone);
    assert_eq!(store.wake(Timestamp(9_000_000), 10).await.unwrap().letters, []);
}

pub(crate) async fn an_errand_that_nobody_takes_can_be_dropped(world: Arc<World>) {
    let store = world.store();
    let mut sender = Play::new(TWO_JOBS);
    let errand = errand(InstanceId(77));
    let mut said = sender.start();
    said.mail.leaves.push(Letter::Errand(errand.clone()));
    commit(&*store, said).await;
    for _ in 0..2 {
        assert_eq!(store.post(vec![Post::Dropped(errand.target, errand.id)]).await.unwrap(), [true]);
    }
    assert_eq!(store.wake(Timestamp(9_000_000), 10).await.unwrap().letters, []);
}

pub(crate) async fn a_message_is_taken_once_for_each_process(world: Arc<World>) {
    let store = world.store();
    let (mut one, mut other) = (Play::new(TWO_JOBS), Play::new(TWO_JOBS));
    commit(&*store, one.start()).await;
    commit(&*store, other.start()).await;
    let message = message(None);
    store.post(vec![Post::Message(message.clone())]).await.unwrap();
    let take = |taker: &str| Take::Message { id: message.id, taker: taker.to_owned() };
    assert_eq!(outcome(&*store, pausing(&mut one, take("p"))).await, Outcome::Committed);
    assert_eq!(outcome(&*store, pausing(&mut other.clone(), take("p"))).await, Outcome::Gone);
    let buffered =
        |taker: &'static str| store.buffered(&DEFAULT_TENANT, "paid", None, taker, Timestamp(1_000_000), 10);
    assert_eq!((buffered("p").await.unwrap(), buffered("q").await.unwrap()), (vec![], vec![message.clone()]));
    assert_eq!(outcome(&*store, pausing(&mut other, take("q"))).await, Outcome::Committed);
}

pub(crate) async fn a_message_with_an_id_is_published_once_while_it_waits(world: Arc<World>) {
    let store = world.store();
    let first = Message { message_id: Some("m1".to_owned()), ..message(Some("A")) };
    let again = Message { id: fresh_id(), ..first.clone() };
    let other = Message { id: fresh_id(), key: Some("B".to_owned()), ..first.clone() };
    let posts = [&first, &first, &again, &other].map(|message| Post::Message(message.clone()));
    assert_eq!(store.post(posts.to_vec()).await.unwrap(), [true, true, false, true]);
    let late = Message { id: fresh_id(), published_at: Timestamp(1_060_001), ..first.clone() };
    assert_eq!(store.post(vec![Post::Message(late)]).await.unwrap(), [true], "the first is over");
}

pub(crate) async fn a_message_waits_until_its_time_is_over(world: Arc<World>) {
    let store = world.store();
    let waits = message(Some("A"));
    let over = Message { id: fresh_id(), expires_at: waits.published_at, ..waits.clone() };
    store.post(vec![Post::Message(waits.clone()), Post::Message(over.clone())]).await.unwrap();
    let now = waits.published_at;
    let buffered =
        |key: Option<&'static str>, at: Timestamp| store.buffered(&DEFAULT_TENANT, "paid", key, "p", at, 10);
    assert_eq!(buffered(Some("A"), now).await.unwrap(), [waits.clone(), over.clone()]);
    store.post(vec![Post::Examined(waits.id, now), Post::Examined(over.id, now)]).await.unwrap();
    assert_eq!(buffered(Some("A"), now).await.unwrap(), std::slice::from_ref(&waits));
    assert_eq!(buffered(Some("B"), now).await.unwrap(), []);
    store.wake(Timestamp(1_060_000), 10).await.unwrap();
    assert_eq!(buffered(None, Timestamp(1_060_000)).await.unwrap(), [waits]);
    store.wake(Timestamp(1_060_001), 10).await.unwrap();
    assert_eq!(buffered(None, now).await.unwrap(), []);
}

pub(crate) async fn a_message_that_was_not_examined_is_named(world: Arc<World>) {
    let store = world.store();
    let mut sender = Play::new(TWO_JOBS);
    let sent = Message { due: Some(Timestamp(1_002_000)), ..message(None) };
    let mut said = sender.start();
    said.mail.leaves.push(Letter::Message(sent.clone()));
    commit(&*store, said).await;
    assert_eq!(store.wake(Timestamp(1_001_999), 10).await.unwrap().letters, []);
    assert_eq!(store.wake(Timestamp(1_002_000), 10).await.unwrap().letters, [Letter::Message(sent.clone())]);
    store.post(vec![Post::Examined(sent.id, Timestamp(1_002_000))]).await.unwrap();
    assert_eq!(store.wake(Timestamp(1_002_000), 10).await.unwrap().letters, []);
}

pub(crate) async fn who_waits_for_a_message_is_found_by_name_and_key(world: Arc<World>) {
    let store = world.store();
    let first = listening(&*store, "p", "A").await;
    let other = listening(&*store, "q", "A").await;
    listening(&*store, "p", "B").await;
    let seek = async |key: Option<&str>| {
        let sought = sought(1, key.map(str::to_owned));
        let found = store.waiting(sought, 10).await.unwrap();
        found.into_iter().map(|waiting| (waiting.instance, waiting.process)).collect::<Vec<_>>()
    };
    assert_eq!(seek(Some("A")).await, [(first.id(), "p".to_owned()), (other.id(), "q".to_owned())]);
    assert_eq!(seek(Some("C")).await, []);
    assert_eq!(seek(None).await, []);
}

pub(crate) async fn a_process_that_has_a_message_is_not_found_again(world: Arc<World>) {
    let store = world.store();
    let mut first = listening(&*store, "p", "A").await;
    listening(&*store, "p", "A").await;
    let message = message(Some("A"));
    store.post(vec![Post::Message(message.clone())]).await.unwrap();
    let sought = sought(message.id, message.key.clone());
    let found = store.waiting(sought.clone(), 10).await.unwrap();
    assert_eq!((found.len(), found[0].instance), (2, first.id()));
    let (subscription, variables) = (found[0].subscription, Variables::default());
    let mut turn = first.turn(Command::Trigger { subscription, variables, message: None });
    turn.mail.takes = Some(Take::Message { id: message.id, taker: "p".to_owned() });
    commit(&*store, turn).await;
    first.assert_stored(&*store).await;
    assert_eq!(store.waiting(sought, 10).await.unwrap(), []);
}

pub(crate) async fn a_signal_goes_to_those_who_waited_when_it_was_sent(world: Arc<World>) {
    let store = world.store();
    let (first, second) = (listening(&*store, "p", "A").await, listening(&*store, "q", "A").await);
    let found = async |signal: &Signal| {
        let found = store.waiting(Sought::Signal(signal.clone()), 10).await.unwrap();
        found.into_iter().map(|waiting| (waiting.instance, waiting.subscription)).collect::<Vec<_>>()
    };
    let sent = signal();
    let all = found(&sent).await;
    assert_eq!([all[0].0, all[1].0], [first.id(), second.id()]);
    assert_eq!(found(&Signal { sender: Some(first.id()), ..sent.clone() }).await, all[1..]);
    assert_eq!(found(&Signal { published_at: Timestamp(999_999), ..sent.clone() }).await, []);
    store.post(vec![Post::Signal(sent.clone()), Post::Delivered(sent.id, Some(all[0]))]).await.unwrap();
    let Letter::Signal(left) = store.wake(Timestamp(1_000_000), 10).await.unwrap().letters.remove(0) else {
        panic!("a signal was sent")
    };
    assert_eq!(left, Signal { cursor: all[0], ..sent.clone() });
    assert_eq!(found(&left).await, all[1..]);
    let mut play = first;
    let take = Take::Signal { id: sent.id, taker: "somebody".to_owned() };
    assert_eq!(outcome(&*store, pausing(&mut play.clone(), take.clone())).await, Outcome::Committed);
    play.pause();
    let mut again = play.turn(Command::Resume);
    again.mail.takes = Some(take);
    assert_eq!(outcome(&*store, again).await, Outcome::Gone);
    store.post(vec![Post::Delivered(sent.id, None)]).await.unwrap();
    assert_eq!(store.wake(Timestamp(9_000_000), 10).await.unwrap().letters, []);
}

pub(crate) async fn of_one_start_key_one_instance_lives(world: Arc<World>) {
    let store = world.store();
    let process = process(TWO_JOBS);
    let begin = |play: &mut Play| {
        let mut turn = play.start();
        turn.changes.instance.start_key = Some("K".to_owned());
        turn
    };
    let (mut first, mut second, mut third) = (Play::of(&process), Play::of(&process), Play::of(&process));
    let both = vec![begin(&mut first), begin(&mut second.clone())];
    assert_eq!(store.commit(both).await.unwrap(), [Outcome::Committed, Outcome::Duplicate(first.id())]);
    assert_eq!(outcome(&*store, begin(&mut second)).await, Outcome::Duplicate(first.id()));
    let loaded = store.load(vec![first.id()]).await.unwrap().remove(0).unwrap();
    assert_eq!(loaded.instance.start_key.as_deref(), Some("K"));
    let mut end = first.turn(Command::Cancel { reason: None });
    end.changes.instance.start_key = loaded.instance.start_key;
    commit(&*store, end).await;
    assert_eq!(outcome(&*store, begin(&mut third)).await, Outcome::Committed);
}

pub(crate) async fn start_events_of_the_newest_version_wait(world: Arc<World>) {
    let store = world.store();
    let deploy = async |content: &str, starts: Vec<(String, u32, StartWanted)>| {
        let mut deployment = deployment(content, &[]);
        deployment.ids.push(fresh_id());
        deployment.processes =
            vec![NewProcess { key: "p".to_owned(), version_tag: Some(content.to_owned()), starts }];
        store.deploy(deployment).await.unwrap().remove(0)
    };
    let on = |node: &str, wanted: StartWanted| (node.to_owned(), 0, wanted);
    let timer = |due: i64| StartWanted::Timer { due: Timestamp(due), cycle: Some("R2/PT1S".into()) };
    let old =
        deploy("one", vec![on("old", StartWanted::Message { name: "paid".into() }), on("t", timer(5))]).await;
    assert_eq!(store.start_events(&DEFAULT_TENANT, true, "paid").await.unwrap()[0].key.node, "old");
    assert_eq!(store.start_events(&DEFAULT_TENANT, false, "paid").await.unwrap(), []);
    let new =
        deploy("two", vec![on("new", StartWanted::Signal { name: "storm".into() }), on("t", timer(7))]).await;
    assert_eq!(store.start_events(&DEFAULT_TENANT, true, "paid").await.unwrap(), []);
    assert_eq!(store.start_events(&DEFAULT_TENANT, false, "storm").await.unwrap()[0].key.definition, new.id);
    assert_eq!(
        store.version(&DEFAULT_TENANT, "p", Which::Tag("one".to_owned())).await.unwrap(),
        Some(old.id)
    );
    assert_eq!(store.version(&DEFAULT_TENANT, "p", Which::With(old.id)).await.unwrap(), Some(old.id));
    assert_eq!(store.wake(Timestamp(6), 10).await.unwrap().next, Some(Timestamp(7)));
    let due = store.wake(Timestamp(7), 10).await.unwrap().starts;
    let key = StartEventKey { definition: new.id, node: "t".to_owned(), position: 0 };
    assert_eq!(
        due,
        [StartEvent {
            key: key.clone(),
            tenant: Tenant::default(),
            process: "p".to_owned(),
            wanted: timer(7)
        }]
    );
    let begin = |due: i64, next: Option<i64>| {
        let mut turn = Play::new(TWO_JOBS).start();
        let next = next.map(|next| (Timestamp(next), None));
        turn.mail.takes = Some(Take::StartTimer { event: key.clone(), due: Timestamp(due), next });
        turn
    };
    assert_eq!(outcome(&*store, begin(7, Some(9))).await, Outcome::Committed);
    assert_eq!(outcome(&*store, begin(7, Some(9))).await, Outcome::Gone);
    assert_eq!(outcome(&*store, begin(9, None)).await, Outcome::Committed);
    let woken = store.wake(Timestamp(100), 10).await.unwrap();
    assert_eq!((woken.starts, woken.next), (vec![], None));
}

pub(crate) async fn instances_are_listed_by_id_and_by_their_caller(world: Arc<World>) {
    let store = world.store();
    let mut plays: Vec<Play> = (0..3).map(|_| Play::new(TWO_JOBS)).collect();
    let caller = plays[0].id();
    for (at, play) in plays.iter_mut().enumerate() {
        let mut turn = play.start();
        if at > 0 {
            turn.changes.instance.parent = Some(tyer_engine::ItemId { instance: caller, number: 4 });
        }
        commit(&*store, turn).await;
    }
    let ids = async |of, after| {
        let listed = store.instances(None, of, after, 2).await.unwrap();
        listed.into_iter().map(|instance| instance.id).collect::<Vec<_>>()
    };
    let [first, second, third] = [0, 1, 2].map(|at: usize| plays[at].id());
    assert_eq!(ids(None, InstanceId(0)).await, [first, second]);
    assert_eq!(ids(None, second).await, [third]);
    assert_eq!(ids(Some(caller), InstanceId(0)).await, [second, third]);
    let listed = store.instances(None, Some(caller), second, 1).await.unwrap().remove(0);
    assert_eq!(listed.parent, Some(tyer_engine::ItemId { instance: caller, number: 4 }));
}
