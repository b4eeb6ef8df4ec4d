//! Turns for the stores to write, made by the engine from small diagrams.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tyer_engine::{
    Command, Instance, InstanceId, Number, Start, TaskAction, Timestamp, Variables, pack, step,
};
use tyer_model::{Process, import};
use tyer_store::{Changes, Packed, Store, Turn, TurnKey, restore};

/// start → job `work` → job `more` → end
pub(crate) const TWO_JOBS: &str = "
    <startEvent id='start'/><endEvent id='end'/>
    <serviceTask id='first' camunda:type='external' camunda:topic='work'/>
    <serviceTask id='second' camunda:type='external' camunda:topic='more'/>
    <sequenceFlow id='a' sourceRef='start' targetRef='first'/>
    <sequenceFlow id='b' sourceRef='first' targetRef='second'/>
    <sequenceFlow id='c' sourceRef='second' targetRef='end'/>";

/// A fork into a job, a task, a timer and a gateway that lets nobody through; a join behind them.
pub(crate) const ALL_WAITS: &str = "
    <startEvent id='start'/><endEvent id='end'/><parallelGateway id='fork'/><parallelGateway id='join'/>
    <serviceTask id='job' camunda:type='external' camunda:topic='work'/>
    <userTask id='task' name='Look &quot;closely&quot;' camunda:assignee='ann' camunda:candidateUsers='bob,eve'
              camunda:candidateGroups='staff' camunda:priority='70' camunda:dueDate='2030-01-31T12:00:00Z'/>
    <intermediateCatchEvent id='timer'>
      <timerEventDefinition><timeDuration>PT10S</timeDuration></timerEventDefinition>
    </intermediateCatchEvent>
    <exclusiveGateway id='choice'/>
    <sequenceFlow id='a' sourceRef='start' targetRef='fork'/>
    <sequenceFlow id='b1' sourceRef='fork' targetRef='job'/><sequenceFlow id='c1' sourceRef='job' targetRef='join'/>
    <sequenceFlow id='b2' sourceRef='fork' targetRef='task'/><sequenceFlow id='c2' sourceRef='task' targetRef='join'/>
    <sequenceFlow id='b3' sourceRef='fork' targetRef='timer'/><sequenceFlow id='c3' sourceRef='timer' targetRef='join'/>
    <sequenceFlow id='b4' sourceRef='fork' targetRef='choice'/>
    <sequenceFlow id='c4' sourceRef='choice' targetRef='join'><conditionExpression>= open</conditionExpression></sequenceFlow>
    <sequenceFlow id='c5' sourceRef='choice' targetRef='end'><conditionExpression>= wide</conditionExpression></sequenceFlow>
    <sequenceFlow id='d' sourceRef='join' targetRef='end'/>";

/// An instance as the engine sees it, and the turns that brought it there.
#[derive(Clone)]
pub(crate) struct Play {
    pub(crate) process: Arc<Process>,
    pub(crate) instance: Instance,
    pub(crate) now: Timestamp,
    pub(crate) definition: i64,
}

pub(crate) fn process(body: &str) -> Arc<Process> {
    let xml = format!(
        "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'
         xmlns:camunda='http://camunda.org/schema/1.0/bpmn'>
         <process id='p' isExecutable='true'>{body}</process></definitions>"
    );
    let imported = import(xml.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
    Arc::new(imported.processes.into_iter().next().expect("one process"))
}

/// An id that no other test and no other part of this one has.
pub(crate) fn fresh_id() -> i64 {
    static NEXT: AtomicI64 = AtomicI64::new(1_000_000);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A person has done this task.
pub(crate) fn complete(task: Number) -> Command {
    Command::Task { task, by: None, action: TaskAction::Complete { variables: Variables::default() } }
}

impl Play {
    pub(crate) fn new(body: &str) -> Play {
        Play::of(&process(body))
    }

    pub(crate) fn of(process: &Arc<Process>) -> Play {
        let instance = Instance::blank(InstanceId(fresh_id()));
        Play { process: Arc::clone(process), instance, now: Timestamp(1_000_000), definition: 7 }
    }

    pub(crate) fn id(&self) -> InstanceId {
        self.instance.id
    }

    /// Steps the instance and packs what came of it.
    pub(crate) fn turn(&mut self, command: Command) -> Turn {
        let (version, counter) = (self.instance.version, self.instance.counter);
        let events =
            step(&self.process, &mut self.instance, command, self.now).expect("the command is taken");
        Turn {
            key: TurnKey { instance: self.id(), first_seq: version + 1, turn: fresh_id() },
            process: Arc::clone(&self.process),
            relies: Box::default(),
            changes: Changes::of(&self.instance, counter),
            history: Packed {
                count: u32::try_from(events.len()).expect("few events"),
                at: self.now,
                events: pack(&self.process, &events),
            },
            mail: Box::default(),
        }
    }

    pub(crate) fn start(&mut self) -> Turn {
        self.start_with("{}")
    }

    pub(crate) fn start_with(&mut self, variables: &str) -> Turn {
        let variables = Variables::parse(variables).expect("an object");
        let business_key = Some("order \u{2603} 1".to_owned());
        let definition = self.definition;
        let start =
            Start { definition, version: 1, business_key, priority: 60, variables, ..Start::default() };
        self.turn(Command::Start(Box::new(start)))
    }

    /// The job of the only token that has one.
    pub(crate) fn job(&self) -> (Number, Number) {
        let mut jobs =
            self.instance.tokens.iter().filter_map(|(token, state)| Some((*token, state.job()?.number)));
        jobs.next().expect("a token has a job")
    }

    pub(crate) fn complete_job(&mut self, variables: &str) -> Turn {
        let variables = Variables::parse(variables).expect("an object");
        let (_, job) = self.job();
        self.turn(Command::CompleteJob { job, holder: None, variables })
    }

    /// Completes the job as the worker that holds it under this lease.
    pub(crate) fn complete_leased(&mut self, lease: u32) -> Turn {
        let (token, job) = self.job();
        let mut turn = self.complete_job("{}");
        turn.relies.lease = Some((token, job, lease));
        turn
    }

    /// The moment of the timer has come.
    pub(crate) fn fire(&mut self, timer: Number) -> Turn {
        self.now = self.now.max(self.instance.timers[&timer].due);
        self.turn(Command::TimerDue { timer })
    }

    pub(crate) fn pause(&mut self) -> Turn {
        self.turn(Command::Pause { reason: None })
    }

    /// What the store has is what the engine has.
    pub(crate) async fn assert_stored(&self, store: &(impl Store + ?Sized)) {
        let loaded = store.load(vec![self.id()]).await.expect("loads").pop().flatten().expect("is stored");
        let (restored, _) = restore(&self.process, loaded).expect("restores");
        assert_eq!(restored, self.instance);
    }
}
