//! Everything an instance can hold is stored as the engine has it.

use std::sync::Arc;

use tyer_engine::{Command, Migration, Number, Timestamp, Variables, Wanted};
use tyer_model::{Process, import};
use tyer_store::{Claim, Lease, Outcome, Store};

use crate::play::{Play, complete};
use crate::round_trip::commit;
use crate::world::World;

/// Steps that can be undone, then a sub-process with variables of its own: rounds of a task, a job with a timer that
/// repeats beside it, a message; around all of it a signal.
const WIDE: &str = "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'
    xmlns:zeebe='http://camunda.org/schema/zeebe/1.0'>
  <message id='paid' name='paid'><extensionElements><zeebe:subscription correlationKey='=order'/></extensionElements></message>
  <signal id='storm' name='storm'/>
  <process id='p' isExecutable='true'>
    <startEvent id='start'/>
    <serviceTask id='book'><extensionElements><zeebe:taskDefinition type='book'/></extensionElements></serviceTask>
    <boundaryEvent id='unbook' attachedToRef='book'><compensateEventDefinition/></boundaryEvent>
    <serviceTask id='cancel' isForCompensation='true'><extensionElements><zeebe:taskDefinition type='cancel'/></extensionElements></serviceTask>
    <association id='undo' sourceRef='unbook' targetRef='cancel' associationDirection='One'/>
    <subProcess id='inside'>
      <extensionElements><zeebe:ioMapping><zeebe:input source='=[1,2,3]' target='items'/></zeebe:ioMapping></extensionElements>
      <startEvent id='in'/><endEvent id='out'/><parallelGateway id='fork'/>
      <userTask id='each'>
        <multiInstanceLoopCharacteristics><extensionElements><zeebe:loopCharacteristics inputCollection='=items'
          inputElement='item' outputCollection='results' outputElement='=item'/></extensionElements></multiInstanceLoopCharacteristics>
      </userTask>
      <serviceTask id='work'><extensionElements><zeebe:taskDefinition type='work'/></extensionElements></serviceTask>
      <boundaryEvent id='nag' attachedToRef='work' cancelActivity='false'>
        <timerEventDefinition><timeCycle>R3/PT5S</timeCycle></timerEventDefinition></boundaryEvent>
      <intermediateCatchEvent id='pay'><messageEventDefinition messageRef='paid'/></intermediateCatchEvent>
      <sequenceFlow id='i1' sourceRef='in' targetRef='fork'/><sequenceFlow id='i2' sourceRef='fork' targetRef='each'/>
      <sequenceFlow id='i3' sourceRef='fork' targetRef='work'/><sequenceFlow id='i4' sourceRef='fork' targetRef='pay'/>
      <sequenceFlow id='i5' sourceRef='each' targetRef='out'/><sequenceFlow id='i6' sourceRef='work' targetRef='out'/>
      <sequenceFlow id='i7' sourceRef='pay' targetRef='out'/><sequenceFlow id='i8' sourceRef='nag' targetRef='out'/>
    </subProcess>
    <subProcess id='alarm' triggeredByEvent='true'>
      <startEvent id='storms' isInterrupting='false'><signalEventDefinition signalRef='storm'/></startEvent>
      <endEvent id='calm'/><sequenceFlow id='s' sourceRef='storms' targetRef='calm'/>
    </subProcess>
    <endEvent id='end'/>
    <sequenceFlow id='a' sourceRef='start' targetRef='book'/><sequenceFlow id='b' sourceRef='book' targetRef='inside'/>
    <sequenceFlow id='c' sourceRef='inside' targetRef='end'/>
  </process></definitions>";

fn compiled(xml: &str) -> Arc<Process> {
    let imported = import(xml.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
    Arc::new(imported.processes.into_iter().next().expect("one process"))
}

/// An instance inside the sub-process.
async fn inside(store: &(impl Store + ?Sized)) -> Play {
    let mut play = Play::of(&compiled(WIDE));
    commit(store, play.start_with(r#"{"order":"A-17","seen":"root"}"#)).await;
    play.assert_stored(store).await;
    commit(store, play.complete_job(r#"{"booked":true}"#)).await;
    play.assert_stored(store).await;
    let instance = &play.instance;
    let counts = (instance.scopes.len(), instance.tasks.len(), instance.timers.len(), instance.records.len());
    assert_eq!(
        counts,
        (1 + 1 + 1 + 3, 3, 1, 1),
        "the root, the body, the rounds; tasks; the timer; the step"
    );
    assert_eq!(instance.subscriptions.len(), 2);
    play
}

fn subscription(play: &Play, of: impl Fn(&Wanted) -> bool) -> Number {
    let mut found = play.instance.subscriptions.iter().filter(|(_, open)| of(&open.wanted));
    *found.next().expect("somebody waits").0
}

pub(crate) async fn everything_inside_is_stored_after_every_turn(world: Arc<World>) {
    let store = world.store();
    let mut play = inside(&*store).await;
    let tasks: Vec<Number> = play.instance.tasks.keys().copied().collect();
    let assign = tyer_engine::TaskAction::Assign { to: "ann".to_owned() };
    let change = tyer_engine::TaskAction::Change { priority: Some(90), due: Some(Timestamp(5)) };
    let signal = subscription(&play, |wanted| matches!(wanted, Wanted::Signal { .. }));
    let message = subscription(&play, |wanted| matches!(wanted, Wanted::Message { .. }));
    let trigger = |subscription| {
        let (variables, message) = (Variables::default(), Some("m".to_owned()));
        Command::Trigger { subscription, variables, message }
    };
    let commands = [
        Command::Task { task: tasks[0], by: None, action: assign },
        Command::Task { task: tasks[1], by: None, action: change },
        trigger(signal),
        complete(tasks[1]),
        trigger(message),
    ];
    for command in commands {
        commit(&*store, play.turn(command)).await;
        play.assert_stored(&*store).await;
    }
    let timer = *play.instance.timers.keys().next().unwrap();
    commit(&*store, play.fire(timer)).await;
    play.assert_stored(&*store).await;
    commit(&*store, play.turn(Command::Compensate { reason: Some("enough".to_owned()) })).await;
    assert_eq!((play.instance.sagas.len(), play.instance.tasks.len()), (1, 0));
    play.assert_stored(&*store).await;
    commit(&*store, play.complete_job("{}")).await;
    play.assert_stored(&*store).await;
    assert!(play.instance.status.is_ended());
    let loaded = store.load(vec![play.id()]).await.unwrap().pop().flatten().unwrap();
    let left = loaded.tokens.len() + loaded.scopes.len() + loaded.tasks.len() + loaded.timers.len();
    let waiting =
        loaded.subscriptions.len() + loaded.records.len() + loaded.sagas.len() + loaded.incidents.len();
    assert_eq!((left, waiting, loaded.variables.len()), (0, 0, 1), "only the root's variables are left");
}

pub(crate) async fn a_job_sees_the_variables_around_its_scope(world: Arc<World>) {
    let store = world.store();
    inside(&*store).await;
    let claimed = store.claim(claim("work")).await.unwrap();
    let seen: Vec<&str> = claimed[0].variables.iter().map(|document| &**document).collect();
    assert_eq!(seen, [r#"{"items":[1,2,3]}"#, r#"{"booked":true,"order":"A-17","seen":"root"}"#]);
}

pub(crate) async fn jobs_of_one_claim_share_the_variables_that_they_both_see(world: Arc<World>) {
    let store = world.store();
    let job = |id: &str| {
        let inside = "<extensionElements><zeebe:taskDefinition type='work'/></extensionElements>";
        format!(
            "<serviceTask id='{id}'>{inside}</serviceTask><sequenceFlow id='f{id}' sourceRef='s' targetRef='{id}'/>"
        )
    };
    let opening = WIDE.split("<message").next().expect("an opening");
    let body = format!("<startEvent id='s'/>{}{}", job("a"), job("b"));
    let process =
        compiled(&format!("{opening}<process id='p' isExecutable='true'>{body}</process></definitions>"));
    let mut play = Play::of(&process);
    commit(&*store, play.start_with(r#"{"long":"text"}"#)).await;
    let claimed = store.claim(claim("work")).await.unwrap();
    assert_eq!(claimed.len(), 2);
    assert_eq!(&*claimed[0].variables[0], r#"{"long":"text"}"#);
    assert!(Arc::ptr_eq(&claimed[0].variables[0], &claimed[1].variables[0]), "one text, not two");
}

pub(crate) async fn a_turn_that_moves_a_held_job_elsewhere_leaves_its_lease(world: Arc<World>) {
    let store = world.store();
    let mut play = inside(&*store).await;
    let held = store.claim(claim("work")).await.unwrap().remove(0);
    let from = Arc::clone(&play.process);
    play.process = compiled(&WIDE.replace("'work'", "'effort'").replace("type='effort'", "type='work'"));
    let mapping = vec![("work".to_owned(), "effort".to_owned())];
    let migration = Migration { definition: 8, version: 2, mapping, from };
    commit(&*store, play.turn(Command::Migrate(Box::new(migration)))).await;
    play.assert_stored(&*store).await;
    assert!(store.claim(claim("work")).await.unwrap().is_empty(), "it is held");
    let mut done = play.complete_leased(held.lease);
    assert_eq!(done.relies.lease, Some((held.token, held.job.number, 1)));
    done.changes.instance.definition = 8;
    assert_eq!(store.commit(vec![done]).await.unwrap(), [Outcome::Committed]);
    play.assert_stored(&*store).await;
}

fn claim(job_type: &str) -> Claim {
    let (since, until) = (Timestamp(1_000_000), Some(Timestamp(9_000_000)));
    let lease = Lease { number: 0, worker: "w".into(), node: None, since, until };
    Claim { tenant: None, types: vec![job_type.into()], max: 10, lease }
}
