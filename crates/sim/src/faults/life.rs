//! One life on a failing store, from one engine to the next.
//!
//! **Invariant:** the engines share nothing but the store with those that died before them.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tyer_engine::{InstanceId, TimerKind};
use tyer_model::Process;
use tyer_runtime::{ActivateJobs, Engine, TestClock};

use super::StoreLife;
use super::check;
use super::client::{Client, Held, Next};
use super::engines::{advance, employ, let_time_pass, quiet};
use super::fate::Fate;
use super::ledger::{Mark, Told};
use super::request::Request;
use super::shelf::{Kept, Shelf};
use crate::blueprint::Blueprint;
use crate::bpmn::to_bpmn;
use crate::random::Random;

/// A life, from one engine to the next.
pub(super) struct Life<'b> {
    blueprint: &'b Blueprint,
    process: Process,
    bpmn: String,
    shelf: Shelf,
    clock: TestClock,
    fate: Arc<Fate>,
    client: Client<'b>,
    /// Jobs are done by a worker inside the engine's own process; what it does is drawn from here.
    inside: Option<Arc<Mutex<Random>>>,
    nodes: usize,
    sent: u32,
    /// All was done, or there is nothing to do any more.
    calm: bool,
    crashes: u32,
    script: &'b mut Vec<String>,
}

/// What a session is for.
#[derive(Clone, Copy)]
enum Part {
    /// Everything may fail.
    Storm { most: u32 },
    /// Nothing fails any more, and what has begun comes to its end as far as it can.
    Home { most: u32 },
}

/// Longer than a dead node is waited for, in milliseconds.
const PATIENCE_MS: u64 = 60_000;
/// How long a worker outside holds a job.
const LEASE: Duration = Duration::from_secs(300);

impl<'b> Life<'b> {
    /// Everything that will be drawn follows from the seed.
    pub(super) fn new(
        blueprint: &'b Blueprint,
        seed: u64,
        script: &'b mut Vec<String>,
    ) -> Result<Life<'b>, String> {
        let mut random = Random::new(seed ^ 0xfa17);
        let bpmn = to_bpmn(blueprint);
        let imported =
            tyer_model::import(bpmn.as_bytes()).map_err(|problems| format!("not imported: {problems}"))?;
        let process = imported.processes.into_iter().find(|process| process.id == blueprint.id);
        Ok(Life {
            process: process.ok_or("the process is not in its file")?,
            bpmn,
            blueprint,
            shelf: Shelf::new(),
            clock: TestClock::default(),
            fate: Fate::new(random.split()),
            client: Client::new(blueprint, random.split()),
            inside: random.chance(25).then(|| Arc::new(Mutex::new(random.split()))),
            nodes: if random.chance(30) { 2 } else { 1 },
            sent: 0,
            calm: false,
            crashes: 0,
            script,
        })
    }

    /// The storm with its crashes, then the calm.
    pub(super) fn live(mut self, most: u32) -> Result<StoreLife, String> {
        while !self.calm {
            if self.session(Part::Storm { most })? {
                self.crashes += 1;
                self.script.push("the engine dies".to_owned());
            }
        }
        self.fate.calm();
        self.session(Part::Home { most: self.sent + 2 * most })?;
        self.sum()
    }

    /// One life of the engines. True = they died.
    fn session(&mut self, part: Part) -> Result<bool, String> {
        let tokio = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let tokio = tokio.map_err(|error| error.to_string())?;
        let fate = Arc::clone(&self.fate);
        fate.begin();
        tokio.block_on(async {
            let passing = tokio::spawn(let_time_pass());
            let died = tokio::select! {
                biased;
                () = fate.crashed() => Ok(true),
                played = self.play(part) => played.map(|()| false),
            };
            passing.abort();
            died
        })
    }

    async fn play(&mut self, part: Part) -> Result<(), String> {
        let engines = self.open().await?;
        check::states(&self.shelf).await?;
        self.client.ledger.check(&self.shelf).await?;
        self.send_again(&engines).await?;
        match part {
            Part::Storm { most } => {
                while self.sent < most && self.round(&engines, false).await? {}
                self.calm = true;
            }
            Part::Home { most } => {
                self.let_the_dead_go(&engines).await?;
                while self.sent < most && self.round(&engines, true).await? {}
                self.let_the_dead_go(&engines).await?;
                self.claim(&engines, usize::MAX).await?;
                check::every_job_is_offered(&self.shelf).await?;
                check::nothing_is_stuck(&self.shelf, self.clock.now()).await?;
            }
        }
        quiet(&engines).await?;
        check::states(&self.shelf).await?;
        self.client.ledger.check(&self.shelf).await
    }

    async fn open(&mut self) -> Result<Vec<Engine>, String> {
        let mut engines = Vec::new();
        for _ in 0..self.nodes {
            let builder = Engine::builder().tracks(2).clock(&self.clock);
            let opened =
                builder.on(self.fate.store(&self.shelf.memory), self.nodes > 1 || self.inside.is_some());
            let engine = opened.await.map_err(|error| format!("cannot open: {error}"))?;
            engine.deploy(self.bpmn.as_bytes()).await.map_err(|error| format!("cannot deploy: {error}"))?;
            if let Some(random) = &self.inside {
                employ(&engine, self.blueprint, random);
            }
            engines.push(engine);
        }
        Ok(engines)
    }

    /// Letters and jobs of nodes that have died are left to them for a while.
    async fn let_the_dead_go(&mut self, engines: &[Engine]) -> Result<(), String> {
        for _ in 0..3 {
            let all = self.shelf.all().await?;
            if all.values().any(yields) {
                // It goes in circles, which would take minutes.
                return self.cancel_circles(engines, &all).await;
            }
            let pause = Duration::from_millis(PATIENCE_MS / 3);
            advance(&engines[0], pause).await?;
            tokio::time::sleep(pause).await;
            quiet(engines).await?;
        }
        Ok(())
    }

    async fn cancel_circles(
        &mut self,
        engines: &[Engine],
        all: &BTreeMap<InstanceId, Kept>,
    ) -> Result<(), String> {
        for (id, _) in all.iter().filter(|(_, kept)| yields(kept)) {
            let cancel = tyer_engine::Command::Cancel { reason: None };
            let request = Request::Do { instance: *id, command: Box::new(cancel) };
            request.send(engines[0].clone()).await?;
        }
        Ok(())
    }

    /// Requests whose answer was lost are sent again, where that can do no harm.
    async fn send_again(&mut self, engines: &[Engine]) -> Result<(), String> {
        let lost = std::mem::take(&mut self.client.unanswered);
        for (request, number) in lost {
            if request.is_repeatable() && self.client.chance(80) {
                self.script.push(format!("again: {request:?}"));
                number.inspect(|number| self.client.ledger.sent(*number));
                self.client.unanswered.push((request.clone(), number));
                let told = request.clone().send(self.any(engines)).await?;
                self.answered(request, number, told)?;
            }
        }
        Ok(())
    }

    /// A few requests at once. False = there is nothing to do.
    async fn round(&mut self, engines: &[Engine], home: bool) -> Result<bool, String> {
        let most = if self.client.chance(80) { 1 } else { 10 };
        self.claim(engines, most).await?;
        let all = self.shelf.all().await?;
        if all.values().any(yields) {
            self.cancel_circles(engines, &all).await?;
        }
        let now = self.clock.now();
        let at_once = 1 + self.client.below(3);
        let before = self.sent;
        let mut under_way = Vec::new();
        for _ in 0..at_once {
            match self.client.next(&self.process, &all, now, home) {
                Some(Next::Send(request, mark)) => {
                    let twice = self.client.chance(8) && request.is_repeatable();
                    under_way.push(self.send(engines, request, mark, twice));
                }
                Some(Next::Wait(until)) => {
                    self.script.push(format!("wait until {until}"));
                    let ms = (until.0 - self.clock.now().0).max(0).cast_unsigned();
                    advance(&engines[0], Duration::from_millis(ms)).await?;
                    self.sent += 1;
                }
                None => break,
            }
        }
        let idle = before == self.sent;
        for (request, number, answers) in under_way {
            for answer in answers {
                let told = answer.await.map_err(|error| error.to_string())??;
                self.answered(request.clone(), number, told)?;
            }
        }
        if idle || self.client.chance(30) {
            quiet(engines).await?;
        }
        Ok(!idle)
    }

    /// Sends it, or sends it twice at once; the answers come later.
    #[allow(clippy::type_complexity, reason = "a request, its number and its answers, used once")]
    fn send(
        &mut self,
        engines: &[Engine],
        request: Request,
        mark: Option<Mark>,
        twice: bool,
    ) -> (Request, Option<usize>, Vec<tokio::task::JoinHandle<Result<Told, String>>>) {
        let text = if twice { " twice" } else { "" };
        self.script.push(format!("{request:?}{text}"));
        self.sent += 1;
        let number = mark.map(|mark| self.client.ledger.note(mark));
        self.client.unanswered.push((request.clone(), number));
        let mut answers = Vec::new();
        for _ in 0..if twice { 2 } else { 1 } {
            number.inspect(|number| self.client.ledger.sent(*number));
            answers.push(tokio::spawn(request.clone().send(self.any(engines))));
        }
        (request, number, answers)
    }

    fn answered(&mut self, request: Request, number: Option<usize>, told: Told) -> Result<(), String> {
        self.script.push(format!("  {told:?}: {request:?}"));
        self.client.unanswered.retain(|(_, known)| known.is_none() || *known != number);
        self.client.unanswered.retain(|(_, known)| known.is_some());
        if told == Told::Nothing {
            self.client.unanswered.push((request, number));
        }
        number.map_or(Ok(()), |number| self.client.ledger.answer(number, told))
    }

    fn any(&mut self, engines: &[Engine]) -> Engine {
        engines[self.client.below(engines.len())].clone()
    }

    /// A worker outside takes jobs.
    async fn claim(&mut self, engines: &[Engine], most: usize) -> Result<(), String> {
        if self.inside.is_some() {
            return quiet(engines).await;
        }
        let types = Client::job_types(&self.shelf.all().await?);
        let worker = self.client.name("worker");
        let wanted = ActivateJobs {
            types,
            max: most.min(10_000),
            worker: worker.clone(),
            timeout: LEASE,
            wait: Duration::ZERO,
        };
        let claimed = self.any(engines).activate_jobs(&wanted).await.map_err(|error| error.to_string())?;
        for active in claimed {
            let held = Held { lease: active.lease, worker: worker.clone() };
            self.client.held.insert(active.job.id, held);
        }
        Ok(())
    }

    fn sum(self) -> Result<StoreLife, String> {
        let tokio =
            tokio::runtime::Builder::new_current_thread().build().map_err(|error| error.to_string())?;
        let all = tokio.block_on(self.shelf.all())?;
        Ok(StoreLife {
            requests: self.sent,
            acknowledged: self.client.ledger.acknowledged() as u64,
            crashes: self.crashes,
            faults: self.fate.faults.load(Ordering::Relaxed),
            instances: all.len() as u64,
            ended: all.values().filter(|kept| kept.instance.status.is_ended()).count() as u64,
            events: all.values().map(|kept| kept.instance.version).sum(),
        })
    }
}

/// Does a token of it make room for others?
fn yields(kept: &Kept) -> bool {
    kept.instance.timers.values().any(|timer| matches!(timer.kind, TimerKind::Yield { .. }))
}
