//! What people look for: every filter finds exactly what fits, page by page.

use std::collections::BTreeSet;
use std::sync::Arc;

use tyer_engine::{Command, InstanceId, ItemId, Start, Status, TaskAction, Timestamp, Variables};
use tyer_model::{Process, import};
use tyer_store::{
    Comparison, DEFAULT_TENANT, IndexedValue, InstanceFilter, InstancePlace, ListedInstance, Span,
    TaskFilter, TaskPlace, Tenant, VariableTest,
};

use crate::play::{Play, complete};
use crate::round_trip::commit;
use crate::views::deployment;
use crate::world::{AnyStore, World};

/// A gateway that lets nobody through whose amount is negative, then a person.
const ASKS: &str = "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'
     xmlns:camunda='http://camunda.org/schema/1.0/bpmn' xmlns:tyer='urn:tyer:bpmn:1'>
  <process id='asks' isExecutable='true' tyer:indexed='amount, name'>
    <startEvent id='start'/><exclusiveGateway id='gate'/>
    <userTask id='ask' camunda:candidateUsers='bob,eve' camunda:candidateGroups='staff'/><endEvent id='end'/>
    <sequenceFlow id='a' sourceRef='start' targetRef='gate'/>
    <sequenceFlow id='b' sourceRef='gate' targetRef='ask'><conditionExpression>= amount &gt;= 0</conditionExpression></sequenceFlow>
    <sequenceFlow id='c' sourceRef='ask' targetRef='end'/>
  </process></definitions>";

/// What is true of an instance in the store.
struct Fact {
    play: Play,
    status: Status,
    version: u32,
    key: Option<&'static str>,
    node: Option<&'static str>,
    amount: Option<f64>,
    name: &'static str,
}

type Fits = fn(&Fact) -> bool;

async fn asks(store: &dyn AnyStore) -> (Arc<Process>, [i64; 2]) {
    let imported = import(ASKS.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
    let process = Arc::new(imported.processes.into_iter().next().unwrap());
    let first = store.deploy(deployment("one", &["asks"])).await.unwrap();
    let second = store.deploy(deployment("two", &["asks"])).await.unwrap();
    (process, [first[0].id, second[0].id])
}

/// Two of everything there is, one of each version; the end of the later ones comes first.
async fn facts(store: &dyn AnyStore) -> Vec<Fact> {
    let (process, definitions) = asks(store).await;
    let mut facts = Vec::new();
    for round in 0..10_u8 {
        let number = i64::from(round);
        let amount = if round % 5 == 4 { -1.0 } else { f64::from(round) + 0.5 };
        let name = if round % 2 == 0 { "even" } else { "odd" };
        let mut play = Play::of(&process);
        play.now = Timestamp(1_000_000 + number * 1_000);
        let definition = definitions[usize::from(round / 5)];
        let key = (round % 3 == 0).then_some("third");
        let start = Start {
            definition,
            version: 1,
            business_key: key.map(str::to_owned),
            priority: 50,
            variables: Variables::parse(&format!(r#"{{"amount":{amount},"name":"{name}","other":1}}"#))
                .unwrap(),
            ..Start::default()
        };
        commit(store, play.turn(Command::Start(Box::new(start)))).await;
        play.now = Timestamp(2_000_000 - number * 1_000);
        let command = match round % 5 {
            0 => Some(Command::Pause { reason: None }),
            1 => Some(complete(*play.instance.tasks.keys().next().unwrap())),
            2 => Some(Command::Cancel { reason: None }),
            _ => None,
        };
        if let Some(command) = command {
            commit(store, play.turn(command)).await;
        }
        let node = match round % 5 {
            0 | 3 => Some("ask"),
            4 => Some("gate"),
            _ => None,
        };
        let (status, version) = (play.instance.status, u32::from(round / 5) + 1);
        facts.push(Fact { play, status, version, key, node, amount: Some(amount), name });
    }
    // One variable is not a number any more.
    let last =
        facts.iter_mut().rfind(|fact| fact.status == Status::Running && fact.node == Some("ask")).unwrap();
    let values = Variables::parse(r#"{"amount":null}"#).unwrap();
    commit(store, last.play.turn(Command::SetVariables { token: None, local: false, values })).await;
    last.amount = None;
    facts
}

fn number(comparison: Comparison, number: f64) -> InstanceFilter {
    let value = IndexedValue::Number(number);
    let test = VariableTest { name: "amount".into(), comparison, value };
    InstanceFilter { variables: vec![test], ..InstanceFilter::default() }
}

fn text(comparison: Comparison, text: &str) -> InstanceFilter {
    let value = IndexedValue::Text(text.into());
    let test = VariableTest { name: "name".into(), comparison, value };
    InstanceFilter { variables: vec![test], ..InstanceFilter::default() }
}

fn questions() -> Vec<(&'static str, InstanceFilter, Fits)> {
    let all = InstanceFilter::default;
    let process = || InstanceFilter { process: Some("asks".into()), ..all() };
    let span = |from: Option<i64>, to: Option<i64>| Span { from: from.map(Timestamp), to: to.map(Timestamp) };
    vec![
        ("all", all(), |_| true),
        ("running", InstanceFilter { statuses: vec![Status::Running], ..all() }, |f| {
            f.status == Status::Running
        }),
        (
            "ended",
            InstanceFilter { statuses: vec![Status::Completed, Status::Cancelled, Status::Failed], ..all() },
            |f| f.status.is_ended(),
        ),
        ("process", process(), |_| true),
        ("another process", InstanceFilter { process: Some("nothing".into()), ..all() }, |_| false),
        ("version", InstanceFilter { version: Some(2), ..process() }, |f| f.version == 2),
        (
            "paused in version 1",
            InstanceFilter { statuses: vec![Status::Paused], version: Some(1), ..process() },
            |f| f.status == Status::Paused && f.version == 1,
        ),
        ("key", InstanceFilter { business_key: Some("third".into()), ..all() }, |f| f.key.is_some()),
        ("node", InstanceFilter { node: Some("ask".into()), ..all() }, |f| f.node == Some("ask")),
        (
            "node of a version",
            InstanceFilter { node: Some("ask".into()), version: Some(1), ..process() },
            |f| f.node == Some("ask") && f.version == 1,
        ),
        ("incident", InstanceFilter { has_incident: Some(true), ..all() }, |f| f.node == Some("gate")),
        ("no incident", InstanceFilter { has_incident: Some(false), ..all() }, |f| f.node != Some("gate")),
        ("started", InstanceFilter { started: span(Some(1_002_000), Some(1_007_000)), ..all() }, |f| {
            (1_002_000..1_007_000).contains(&f.play.instance.started_at.0)
        }),
        ("ended in", InstanceFilter { ended: span(Some(1_992_000), None), ..all() }, |f| {
            f.play.instance.ended_at.is_some_and(|at| at.0 >= 1_992_000)
        }),
        (
            "completed before",
            InstanceFilter { ended: span(None, Some(1_999_000)), statuses: vec![Status::Completed], ..all() },
            |f| f.status == Status::Completed && f.play.instance.ended_at.is_some_and(|at| at.0 < 1_999_000),
        ),
        ("amount is", number(Comparison::Equal, 3.5), |f| f.amount == Some(3.5)),
        ("amount over", number(Comparison::Greater, 3.5), |f| f.amount.is_some_and(|a| a > 3.5)),
        ("amount from", number(Comparison::GreaterOrEqual, 3.5), |f| f.amount.is_some_and(|a| a >= 3.5)),
        ("amount under", number(Comparison::Less, 3.5), |f| f.amount.is_some_and(|a| a < 3.5)),
        ("amount to", number(Comparison::LessOrEqual, 3.5), |f| f.amount.is_some_and(|a| a <= 3.5)),
        ("name is", text(Comparison::Equal, "odd"), |f| f.name == "odd"),
        ("name after", text(Comparison::Greater, "even"), |f| f.name == "odd"),
        ("name to", text(Comparison::LessOrEqual, "even"), |f| f.name == "even"),
        (
            "two variables and a status",
            InstanceFilter {
                statuses: vec![Status::Cancelled],
                variables: [number(Comparison::Greater, 1.0), text(Comparison::Equal, "odd")]
                    .into_iter()
                    .flat_map(|filter| filter.variables)
                    .collect(),
                ..all()
            },
            |f| f.status == Status::Cancelled && f.name == "odd" && f.amount.is_some_and(|a| a > 1.0),
        ),
    ]
}

async fn pages(store: &dyn AnyStore, filter: &InstanceFilter, limit: usize) -> Vec<ListedInstance> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = store.find_instances(filter.clone(), after, limit).await.unwrap();
        let by_end = !filter.ended.is_open();
        let place =
            |one: &ListedInstance| InstancePlace { ended: one.ended_at.filter(|_| by_end), id: one.id };
        after = page.last().map(place);
        if page.is_empty() {
            return found;
        }
        found.extend(page);
    }
}

pub(crate) async fn instances_are_found_by_whatever_is_asked(world: Arc<World>) {
    let store = world.store();
    let facts = facts(&*store).await;
    for (name, filter, fits) in questions() {
        let expected: BTreeSet<InstanceId> =
            facts.iter().filter(|fact| fits(fact)).map(|fact| fact.play.id()).collect();
        let found = pages(&*store, &filter, 2).await;
        let ids: Vec<InstanceId> = found.iter().map(|one| one.id).collect();
        assert_eq!(ids.iter().copied().collect::<BTreeSet<_>>(), expected, "{name}");
        assert_eq!(ids.len(), expected.len(), "{name}: none twice");
        assert_eq!(store.count_instances(filter.clone()).await.unwrap(), expected.len() as u64, "{name}");
        if filter.ended.is_open() {
            assert!(ids.is_sorted_by(|a, b| a > b), "{name}: the newest first");
        } else {
            assert!(found.is_sorted_by(|a, b| a.ended_at > b.ended_at), "{name}: the last ended first");
        }
        assert_eq!(pages(&*store, &filter, 100).await, found, "{name}: in one page");
    }
}

pub(crate) async fn a_listed_instance_says_what_it_is(world: Arc<World>) {
    let store = world.store();
    let facts = facts(&*store).await;
    let newest = store.find_instances(InstanceFilter::default(), None, 1).await.unwrap().remove(0);
    let fact = facts.last().unwrap();
    let state = &fact.play.instance;
    assert_eq!((newest.id, newest.status, &*newest.process), (state.id, state.status, "asks"));
    assert_eq!((newest.process_version, newest.definition), (2, state.definition));
    assert_eq!((newest.incidents, newest.started_at), (1, state.started_at));
    let (above, below) = (facts[2].play.id(), facts[5].play.id());
    let between = InstanceFilter { ids: (Some(above), Some(below)), ..InstanceFilter::default() };
    let ids: Vec<_> = pages(&*store, &between, 10).await.iter().map(|one| one.id).collect();
    assert_eq!(ids, [facts[4].play.id(), facts[3].play.id()]);
}

pub(crate) async fn tasks_are_found_by_whatever_is_asked(world: Arc<World>) {
    let store = world.store();
    let (process, definitions) = asks(&*store).await;
    let mut tasks = Vec::new();
    for round in 0..6_i64 {
        let mut play = Play::of(&process);
        play.definition = definitions[0];
        commit(&*store, play.start_with(r#"{"amount":1}"#)).await;
        let task = *play.instance.tasks.keys().next().unwrap();
        let act = |by: Option<&str>, action| Command::Task { task, by: by.map(str::to_owned), action };
        if round % 2 == 0 {
            let who = if round == 0 { "bob" } else { "ann" };
            commit(&*store, play.turn(act(Some(who), TaskAction::Claim))).await;
        }
        if round > 3 {
            let (priority, due) = (Some(70), Some(Timestamp(9_000 - round)));
            commit(&*store, play.turn(act(None, TaskAction::Change { priority, due }))).await;
        }
        tasks.push(ItemId { instance: play.id(), number: task });
    }
    let all = TaskFilter::default;
    let who = |who: &str| Some(who.to_owned());
    let questions: Vec<(TaskFilter, &[usize])> = vec![
        (all(), &[0, 1, 2, 3, 4, 5]),
        (TaskFilter { instance: Some(tasks[3].instance), ..all() }, &[3]),
        (TaskFilter { assignee: who("ann"), ..all() }, &[2, 4]),
        (TaskFilter { candidate_user: who("eve"), ..all() }, &[0, 1, 2, 3, 4, 5]),
        (TaskFilter { candidate_user: who("ann"), ..all() }, &[]),
        (TaskFilter { candidate_group: who("staff"), ..all() }, &[0, 1, 2, 3, 4, 5]),
        (TaskFilter { candidate_group: who("staff"), claimed: Some(false), ..all() }, &[1, 3, 5]),
        (TaskFilter { user: who("bob"), ..all() }, &[0, 1, 2, 3, 4, 5]),
        (TaskFilter { user: who("ann"), ..all() }, &[2, 4]),
        (TaskFilter { claimed: Some(true), ..all() }, &[0, 2, 4]),
        (TaskFilter { claimed: Some(false), ..all() }, &[1, 3, 5]),
        (TaskFilter { priority: Some(70), ..all() }, &[4, 5]),
        (TaskFilter { priority: Some(50), ..all() }, &[0, 1, 2, 3]),
        (TaskFilter { due_before: Some(Timestamp(9_000)), ..all() }, &[5, 4]),
        (TaskFilter { due_before: Some(Timestamp(8_996)), ..all() }, &[5]),
    ];
    for (filter, expected) in questions {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = store.tasks(filter.clone(), after, 2).await.unwrap();
            let id =
                |task: &tyer_store::OpenTask| ItemId { instance: task.instance, number: task.asked.task };
            let by_due = filter.due_before.is_some();
            after =
                page.last().map(|task| TaskPlace { due: task.asked.due.filter(|_| by_due), id: id(task) });
            if page.is_empty() {
                break;
            }
            found.extend(page.iter().map(id));
        }
        let expected: Vec<ItemId> = expected.iter().map(|at| tasks[*at]).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
}

pub(crate) async fn incidents_processes_and_tokens_are_listed(world: Arc<World>) {
    let store = world.store();
    let facts = facts(&*store).await;
    let stuck: Vec<&Fact> = facts.iter().filter(|fact| fact.node == Some("gate")).collect();
    let incidents = store.incidents(&DEFAULT_TENANT, None, None, 10).await.unwrap();
    assert_eq!(
        incidents.iter().map(|one| one.id.instance).collect::<Vec<_>>(),
        [stuck[1].play.id(), stuck[0].play.id()]
    );
    assert_eq!((incidents[0].node.as_deref(), &*incidents[0].process), (Some("gate"), "asks"));
    assert_eq!(
        store.incidents(&DEFAULT_TENANT, None, Some(incidents[0].id), 10).await.unwrap(),
        incidents[1..]
    );
    assert_eq!(
        store.incidents(&DEFAULT_TENANT, Some(stuck[1].play.id()), None, 10).await.unwrap(),
        incidents[..1]
    );

    let newest = store.definitions(&DEFAULT_TENANT, None).await.unwrap();
    assert_eq!(newest.iter().map(|one| (&*one.key, one.version)).collect::<Vec<_>>(), [("asks", 2)]);
    let versions = store.definitions(&DEFAULT_TENANT, Some("asks")).await.unwrap();
    assert_eq!(versions.iter().map(|one| one.version).collect::<Vec<_>>(), [2, 1]);
    assert!(store.definitions(&DEFAULT_TENANT, Some("nothing")).await.unwrap().is_empty());

    let standing = store.standing(versions[0].id).await.unwrap();
    let told: Vec<_> = standing.iter().map(|one| (&*one.node, one.tokens, one.incidents)).collect();
    assert_eq!(told, [("ask", 2, 0), ("gate", 1, 1)]);
}

pub(crate) async fn messages_that_nobody_has_are_listed(world: Arc<World>) {
    use tyer_store::{Message, Post};
    let store = world.store();
    let message = |id: i64, expires: i64| Message {
        tenant: Tenant::default(),
        id,
        name: "news".into(),
        key: Some(id.to_string()),
        message_id: None,
        variables: "{}".into(),
        published_at: Timestamp(1),
        expires_at: Timestamp(expires),
        due: None,
    };
    let posts = [message(71, 100), message(72, 10), message(73, 100)].map(Post::Message);
    store.post(posts.to_vec()).await.unwrap();
    let ids = |found: Vec<Message>| found.iter().map(|one| one.id).collect::<Vec<_>>();
    assert_eq!(ids(store.unmatched(&DEFAULT_TENANT, None, Timestamp(50), 10).await.unwrap()), [73, 71]);
    assert_eq!(ids(store.unmatched(&DEFAULT_TENANT, Some(73), Timestamp(50), 10).await.unwrap()), [71]);
}
