//! Two tenants that name everything alike do not see each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use tyer_engine::{Command, InstanceId, ItemId, StartWanted, Timestamp};
use tyer_model::{Process, import};
use tyer_store::{
    Claim, Comparison, Definition, IndexedValue, InstanceFilter, Message, Outcome, Post, Signal, Sought,
    TaskFilter, Tenant, Turn, VariableTest, Which,
};

use crate::play::{Play, fresh_id};
use crate::races::lease;
use crate::round_trip::commit;
use crate::views::deployment;
use crate::world::{AnyStore, World};

/// Waits for a message, a signal, a person and a worker, and stands still at a gateway; `amount` is indexed.
const EVERYTHING: &str = "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'
     xmlns:camunda='http://camunda.org/schema/1.0/bpmn' xmlns:zeebe='http://camunda.org/schema/zeebe/1.0'
     xmlns:tyer='urn:tyer:bpmn:1'>
  <message id='paid' name='paid'><extensionElements><zeebe:subscription correlationKey='=order'/></extensionElements>
  </message><signal id='storm' name='storm'/>
  <process id='all' isExecutable='true' tyer:indexed='amount, name'>
    <startEvent id='start'/><parallelGateway id='fork'/><endEvent id='end'/>
    <intermediateCatchEvent id='pay'><messageEventDefinition messageRef='paid'/></intermediateCatchEvent>
    <intermediateCatchEvent id='storms'><signalEventDefinition signalRef='storm'/></intermediateCatchEvent>
    <userTask id='ask' camunda:assignee='ann' camunda:candidateUsers='bob' camunda:candidateGroups='staff'
              camunda:priority='70' camunda:dueDate='2030-01-31T12:00:00Z'/>
    <serviceTask id='work' camunda:type='external' camunda:topic='work'/><exclusiveGateway id='gate'/>
    <sequenceFlow id='a' sourceRef='start' targetRef='fork'/>
    <sequenceFlow id='b' sourceRef='fork' targetRef='pay'/><sequenceFlow id='c' sourceRef='pay' targetRef='end'/>
    <sequenceFlow id='d' sourceRef='fork' targetRef='storms'/><sequenceFlow id='e' sourceRef='storms' targetRef='end'/>
    <sequenceFlow id='f' sourceRef='fork' targetRef='ask'/><sequenceFlow id='g' sourceRef='ask' targetRef='end'/>
    <sequenceFlow id='h' sourceRef='fork' targetRef='work'/><sequenceFlow id='i' sourceRef='work' targetRef='end'/>
    <sequenceFlow id='j' sourceRef='fork' targetRef='gate'/>
    <sequenceFlow id='k' sourceRef='gate' targetRef='end'><conditionExpression>= false</conditionExpression></sequenceFlow>
  </process></definitions>";

const NAMES: [&str; 3] = ["", "acme", "zeta"];

/// What one tenant has in the store.
struct Own {
    tenant: Tenant,
    definition: Definition,
    play: Play,
    ended: InstanceId,
}

fn process() -> Arc<Process> {
    let imported = import(EVERYTHING.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
    Arc::new(imported.processes.into_iter().next().unwrap())
}

fn of(tenant: &Tenant, mut turn: Turn) -> Turn {
    turn.changes.instance.tenant = tenant.clone();
    turn
}

async fn own(store: &dyn AnyStore, name: &str) -> Own {
    let tenant = Tenant::from(name);
    let mut same = deployment("the same file", &["all"]);
    same.tenant = tenant.clone();
    let paid = StartWanted::Message { name: "paid".into() };
    let storm = StartWanted::Signal { name: "storm".into() };
    same.processes[0].starts = vec![("start".to_owned(), 0, paid), ("start".to_owned(), 1, storm)];
    let definition = store.deploy(same).await.unwrap().remove(0);
    let play = || Play { definition: definition.id, ..Play::of(&process()) };
    let (mut first, mut second) = (play(), play());
    let begin = |play: &mut Play| of(&tenant, play.start_with(r#"{"order":"A-1","amount":5,"name":"x"}"#));
    let mut start = begin(&mut first);
    start.relies.idempotency_key = Some("once".to_owned());
    start.relies.newest_of = Some("all".to_owned());
    start.changes.instance.start_key = Some("K".to_owned());
    commit(store, start).await;
    commit(store, begin(&mut second)).await;
    commit(store, of(&tenant, second.turn(Command::Cancel { reason: None }))).await;
    Own { tenant, definition, ended: second.id(), play: first }
}

async fn all(store: &dyn AnyStore) -> Vec<Own> {
    let mut all = Vec::new();
    for name in NAMES {
        all.push(own(store, name).await);
    }
    all
}

pub(crate) async fn tenants_that_name_processes_and_keys_alike_do_not_meet(world: Arc<World>) {
    let store = world.store();
    let all = all(&*store).await;
    for one in &all {
        assert_eq!((one.definition.version, &one.definition.tenant), (1, &one.tenant), "each counts from 1");
        let version = async |which| store.version(&one.tenant, "all", which).await.unwrap();
        assert_eq!(version(Which::Newest).await, Some(one.definition.id));
        let foreign = &all.iter().find(|other| other.tenant != one.tenant).unwrap().definition;
        assert_eq!(version(Which::With(foreign.id)).await, None, "it was deployed with another's");
        let loaded = store.load(vec![one.play.id()]).await.unwrap().remove(0).unwrap();
        assert_eq!(loaded.instance.tenant, one.tenant);
        one.play.assert_stored(&*store).await;
        // The keys are taken, each by the tenant's own.
        let mut again = Play { definition: one.definition.id, ..Play::of(&process()) };
        let mut start = of(&one.tenant, again.start());
        start.relies.idempotency_key = Some("once".to_owned());
        assert_eq!(store.commit(vec![start]).await.unwrap(), [Outcome::Duplicate(one.play.id())]);
        let mut again = Play { definition: one.definition.id, ..Play::of(&process()) };
        let mut start = of(&one.tenant, again.start());
        start.changes.instance.start_key = Some("K".to_owned());
        assert_eq!(store.commit(vec![start]).await.unwrap(), [Outcome::Duplicate(one.play.id())]);
    }
    let nobody = Tenant::from("nobody");
    assert_eq!(store.version(&nobody, "all", Which::Newest).await.unwrap(), None);
    assert_eq!(store.definitions(&nobody, None).await.unwrap(), []);
    let starts = async |tenant: &Tenant| store.start_events(tenant, true, "paid").await.unwrap();
    assert_eq!(starts(&nobody).await, []);
    for one in &all {
        assert_eq!(store.definitions(&one.tenant, None).await.unwrap().len(), 1);
        let [event] = &starts(&one.tenant).await[..] else { panic!("one start event each") };
        assert_eq!((event.key.definition, &event.tenant), (one.definition.id, &one.tenant));
    }
}

pub(crate) async fn messages_and_signals_stay_with_their_tenant(world: Arc<World>) {
    let store = world.store();
    let all = all(&*store).await;
    for one in &all {
        let (id, tenant) = (fresh_id(), one.tenant.clone());
        let message = Message {
            id,
            tenant: tenant.clone(),
            name: "paid".into(),
            key: Some("A-1".to_owned()),
            message_id: Some("m".to_owned()),
            variables: "{}".to_owned(),
            published_at: Timestamp(1_000_000),
            expires_at: Timestamp(1_060_000),
            due: None,
        };
        let again = Message { id: fresh_id(), ..message.clone() };
        let posted = store.post(vec![Post::Message(message), Post::Message(again)]).await.unwrap();
        assert_eq!(posted, [true, false], "the same id of another tenant is no duplicate");
        let (name, key) = ("paid".into(), Some("A-1".to_owned()));
        let waiting = store.waiting(Sought::Message { id, tenant, name, key }, 10).await.unwrap();
        let found: Vec<_> = waiting.iter().map(|one| one.instance).collect();
        assert_eq!(found, [one.play.id()]);
        let buffered = store.buffered(&one.tenant, "paid", Some("A-1"), "other", Timestamp(1_000_000), 10);
        assert_eq!(buffered.await.unwrap().iter().map(|one| one.id).collect::<Vec<_>>(), [id]);
        let unmatched = store.unmatched(&one.tenant, None, Timestamp(1_000_000), 10).await.unwrap();
        assert_eq!(
            unmatched.iter().map(|one| (one.id, &one.tenant)).collect::<Vec<_>>(),
            [(id, &one.tenant)]
        );
        let signal = Signal {
            id: fresh_id(),
            tenant: one.tenant.clone(),
            name: "storm".into(),
            variables: "{}".to_owned(),
            sender: None,
            published_at: Timestamp(1_000_000),
            cursor: (InstanceId(0), 0),
            due: Timestamp(1_000_000),
        };
        let waiting = store.waiting(Sought::Signal(signal), 10).await.unwrap();
        assert_eq!(waiting.iter().map(|one| one.instance).collect::<Vec<_>>(), [one.play.id()]);
    }
    assert_eq!(store.unmatched(&Tenant::from("nobody"), None, Timestamp(0), 10).await.unwrap(), []);
}

pub(crate) async fn lists_and_history_are_a_tenants_own(world: Arc<World>) {
    let store = world.store();
    let all = all(&*store).await;
    let test = |name: &str, comparison, value: &str| {
        let value = IndexedValue::parse(value).expect("a value");
        vec![VariableTest { name: name.to_owned(), comparison, value }]
    };
    let filters = |tenant: &Tenant| {
        let base = || InstanceFilter { tenant: tenant.clone(), ..InstanceFilter::default() };
        BTreeMap::from([
            ("key", InstanceFilter { business_key: Some("order \u{2603} 1".to_owned()), ..base() }),
            ("number", InstanceFilter { variables: test("amount", Comparison::Equal, "5"), ..base() }),
            ("text", InstanceFilter { variables: test("name", Comparison::Equal, "\"x\""), ..base() }),
            ("numbers", InstanceFilter { variables: test("amount", Comparison::Greater, "1"), ..base() }),
            ("texts", InstanceFilter { variables: test("name", Comparison::Less, "\"y\""), ..base() }),
            ("process", InstanceFilter { process: Some("all".to_owned()), ..base() }),
            ("all", base()),
        ])
    };
    let running = |filter: InstanceFilter| InstanceFilter { ended: Default::default(), ..filter };
    for one in &all {
        let theirs = [one.ended, one.play.id()];
        for (what, filter) in filters(&one.tenant) {
            let found = store.find_instances(filter.clone(), None, 10).await.unwrap();
            assert_eq!(found.iter().map(|one| one.id).collect::<Vec<_>>(), theirs, "{what}");
            assert!(found.iter().all(|found| found.tenant == one.tenant), "{what}");
            assert_eq!(store.count_instances(running(filter)).await.unwrap(), 2, "{what}");
        }
        let base = || InstanceFilter { tenant: one.tenant.clone(), ..InstanceFilter::default() };
        let ended = tyer_store::Span { from: Some(Timestamp(0)), to: None };
        let of_one = [
            (InstanceFilter { node: Some("pay".to_owned()), ..base() }, one.play.id()),
            (InstanceFilter { has_incident: Some(true), ..base() }, one.play.id()),
            (InstanceFilter { ended, ..base() }, one.ended),
        ];
        for (filter, id) in of_one {
            let found = store.find_instances(filter.clone(), None, 10).await.unwrap();
            assert_eq!(found.iter().map(|one| one.id).collect::<Vec<_>>(), [id], "{filter:?}");
        }
        let walked = store.instances(Some(&one.tenant), None, InstanceId(0), 10).await.unwrap();
        assert_eq!(walked.iter().map(|one| one.id).collect::<Vec<_>>(), [one.play.id(), one.ended]);
        let incidents = store.incidents(&one.tenant, None, None, 10).await.unwrap();
        assert_eq!(incidents.iter().map(|found| found.id.instance).collect::<Vec<_>>(), [one.play.id()]);
        for other in &all {
            let same = other.tenant == one.tenant;
            let history = store.history(&one.tenant, other.play.id(), 0, 10).await.unwrap();
            assert_eq!(!history.is_empty(), same, "the history of another tenant's instance is not there");
            let incidents = store.incidents(&one.tenant, Some(other.play.id()), None, 10).await.unwrap();
            assert_eq!(!incidents.is_empty(), same);
        }
    }
    assert_eq!(store.instances(None, None, InstanceId(0), 100).await.unwrap().len(), 2 * NAMES.len());
}

pub(crate) async fn tasks_and_jobs_are_a_tenants_own(world: Arc<World>) {
    let store = world.store();
    let all = all(&*store).await;
    for one in &all {
        let base = || TaskFilter { tenant: one.tenant.clone(), ..TaskFilter::default() };
        let who = |who: &str| Some(who.to_owned());
        let filters = [
            base(),
            TaskFilter { assignee: who("ann"), ..base() },
            TaskFilter { candidate_user: who("bob"), ..base() },
            TaskFilter { candidate_group: who("staff"), ..base() },
            TaskFilter { user: who("bob"), ..base() },
            TaskFilter { claimed: Some(true), ..base() },
            TaskFilter { priority: Some(70), ..base() },
            TaskFilter { due_before: Some(Timestamp(i64::MAX)), ..base() },
        ];
        for filter in filters {
            let found = store.tasks(filter.clone(), None, 10).await.unwrap();
            assert_eq!(
                found.iter().map(|one| one.instance).collect::<Vec<_>>(),
                [one.play.id()],
                "{filter:?}"
            );
        }
        let foreign = all.iter().find(|other| other.tenant != one.tenant).unwrap().play.id();
        let filter = TaskFilter { instance: Some(foreign), ..base() };
        assert_eq!(store.tasks(filter, None, 10).await.unwrap(), []);
    }
    let claim = |tenant: Option<&Tenant>| {
        let (types, lease) = (vec!["work".into()], lease("ann", 50));
        Claim { tenant: tenant.cloned(), types, max: 10, lease }
    };
    assert!(store.claim(claim(Some(&Tenant::from("nobody")))).await.unwrap().is_empty());
    for one in &all[..2] {
        let [job] = &store.claim(claim(Some(&one.tenant))).await.unwrap()[..] else { panic!("one job each") };
        assert_eq!(job.instance, one.play.id());
        let id = ItemId { instance: job.instance, number: job.job.number };
        let foreign = &all.iter().find(|other| other.tenant != one.tenant).unwrap().tenant;
        assert!(!store.extend(foreign, id, job.lease, Timestamp(90)).await.unwrap());
        assert!(store.extend(&one.tenant, id, job.lease, Timestamp(90)).await.unwrap());
    }
    let left = store.claim(claim(None)).await.unwrap();
    assert_eq!(left.iter().map(|job| job.instance).collect::<Vec<_>>(), [all[2].play.id()]);
}
