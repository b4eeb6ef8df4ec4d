//! A track steps the instances that hash to it, one command at a time, and commits their turns in groups.
//!
//! **Invariant:** where several nodes share the store, at most one commit of a track is under way; turns stepped
//! meanwhile wait for the next. A lone node's commits queue up at the store, which judges them in order.
//! **Invariant:** the next command of an instance may be stepped on its uncommitted state, but when a turn is not
//! committed, every later turn of that instance is dropped and stepped again.

mod backoff;
mod cache;
mod landing;
mod stepping;

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tyer_engine::{Command, InstanceId, Number, Status, Timestamp};
use tyer_store::{Lease, Outcome, Take, Tenant, Turn, TurnKey};

use crate::error::Error;
use crate::live::Seen;
use crate::mail::Parcel;
use crate::processes::Compiled;
use crate::shared::Shared;
use crate::workers::{LocalJob, UnderWay, came_home};
use backoff::LeftAlone;
use cache::Cache;

/// Turns in one commit, at most.
const BATCH: usize = 512;
/// Commands stepped ahead of the commit under way, at most.
const AHEAD: usize = 2 * BATCH;
/// So many turns are worth a commit of their own behind another that is under way.
const WORTH_A_FLIGHT: usize = 16;

/// What a track is told.
pub(crate) enum Message {
    /// Do this.
    Ask(Box<Request>),
    /// A job was claimed from the store: who holds it now.
    Leased { instance: InstanceId, job: Number, lease: Lease },
}

/// A request goes through many hands before it is answered: it stays where it was put when it came.
type Boxed = Box<Request>;

/// One command on its way through a track.
pub(crate) struct Request {
    pub(crate) instance: InstanceId,
    /// Whose names the caller means; none = one of us, who knows what it does.
    pub(crate) tenant: Option<Tenant>,
    pub(crate) ask: Ask,
    /// The lease under which a job was done.
    pub(crate) lease: Option<u32>,
    pub(crate) idempotency_key: Option<String>,
    /// The start is of whatever version is the newest when it is committed.
    pub(crate) newest: bool,
    /// What the command answers: it is taken with the turn.
    pub(crate) take: Option<Take>,
    /// The key of the message that begins the instance.
    pub(crate) start_key: Option<String>,
    pub(crate) reply: Reply,
    pub(crate) tries: Tries,
    /// When the track took it: who came first is stepped first, also when both are stepped again.
    pub(crate) place: u64,
}

/// Where the answer goes.
pub(crate) enum Reply {
    /// To whoever waits for it.
    To(oneshot::Sender<Result<Done, Error>>),
    /// It is the result of a job that was done here: nobody waits for it.
    Home(UnderWay),
}

/// What is asked.
pub(crate) enum Ask {
    /// A new instance of this process.
    Start(Arc<Compiled>, Command),
    /// A command to an instance that is there.
    Do(Command),
    /// Go on under this version; old and new ids of nodes.
    Migrate(Arc<Compiled>, Vec<(String, String)>),
    /// Set the instance aside.
    Park(String),
}

/// How often a request has come round.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tries {
    conflicts: u8,
    outages: u8,
    /// A refusal was seen on cached state; this time the state is fresh.
    second_look: bool,
}

/// What an acknowledged command left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The instance; another than the new one when its idempotency key was known.
    pub instance: InstanceId,
    /// Its status after the turn.
    pub status: Status,
    /// Its version after the turn: the number of its last event.
    pub version: u64,
    /// When the turn was taken.
    pub at: Timestamp,
    /// Nothing was done now: this is the instance that was started under the same idempotency key before.
    pub duplicate: bool,
    /// False when there was nothing to do.
    pub changed: bool,
}

/// As with requests.
type Stepped = Box<Taken>;

/// A turn that waits for its commit, or is being committed.
struct Taken {
    request: Boxed,
    done: Done,
    turn: TurnKey,
    /// Jobs that workers of this node will begin when the turn is durable.
    jobs: Vec<LocalJob>,
    /// Types of jobs left for whoever claims them.
    ready: Vec<Arc<str>>,
    /// The earliest moment that the turn armed a timer for.
    due: Option<Timestamp>,
    /// For those who look on.
    seen: Option<Seen>,
    /// What is to be seen to between instances when the turn is durable.
    parcels: Vec<Parcel>,
}

struct Flight {
    turns: Vec<Stepped>,
    landing: Landing,
}

type Landing = Pin<Box<dyn Future<Output = Result<Vec<Outcome>, tyer_store::Error>> + Send>>;

pub(crate) struct Track {
    shared: Arc<Shared>,
    cache: Cache,
    /// To be stepped, in order.
    todo: VecDeque<Boxed>,
    /// Wait until the uncommitted turns of their instance have landed.
    waiting: HashMap<InstanceId, Vec<Boxed>>,
    /// How many those are.
    held_back: usize,
    /// How many turns of an instance are stepped and not committed.
    uncommitted: HashMap<InstanceId, u32>,
    /// Stepped, for the next commit.
    pending: Vec<Stepped>,
    batch: Vec<Turn>,
    /// Commits under way, oldest first.
    flights: VecDeque<Flight>,
    /// After a batch was refused whole, its turns are tried one by one.
    one_by_one: usize,
    pause: Option<Duration>,
    /// The place of the next request.
    places: u64,
    /// Instances that other nodes work on too, for a moment.
    left_alone: LeftAlone,
}

impl Ask {
    /// The job whose result it brings.
    pub(crate) fn job(&self) -> Option<Number> {
        if let Ask::Do(
            Command::CompleteJob { job, .. } | Command::FailJob { job, .. } | Command::ThrowError { job, .. },
        ) = self
        {
            Some(*job)
        } else {
            None
        }
    }
}

impl Request {
    /// A request, and where its answer will come.
    pub(crate) fn new(
        instance: InstanceId,
        ask: Ask,
        lease: Option<u32>,
    ) -> (Request, oneshot::Receiver<Result<Done, Error>>) {
        let (reply, answer) = oneshot::channel();
        (Request::of(instance, ask, lease, Reply::To(reply)), answer)
    }

    /// A request whose answer goes that way.
    pub(crate) fn of(instance: InstanceId, ask: Ask, lease: Option<u32>, reply: Reply) -> Request {
        Request {
            instance,
            tenant: None,
            ask,
            lease,
            idempotency_key: None,
            newest: false,
            take: None,
            start_key: None,
            reply,
            tries: Tries::default(),
            place: 0,
        }
    }
}

impl Message {
    pub(crate) fn instance(&self) -> InstanceId {
        match self {
            Message::Ask(request) => request.instance,
            Message::Leased { instance, .. } => *instance,
        }
    }
}

impl Track {
    pub(crate) fn new(shared: Arc<Shared>) -> Track {
        Track {
            cache: Cache::of(shared.limits.cache),
            shared,
            todo: VecDeque::new(),
            waiting: HashMap::new(),
            held_back: 0,
            uncommitted: HashMap::new(),
            pending: Vec::new(),
            batch: Vec::new(),
            flights: VecDeque::new(),
            one_by_one: 0,
            pause: None,
            places: 0,
            left_alone: LeftAlone::new(),
        }
    }

    /// Runs until the engine closes and everything taken is answered.
    pub(crate) async fn run(mut self, mut queue: mpsc::Receiver<Message>) {
        let mut open = true;
        let mut closing = self.shared.closing.subscribe();
        let mut messages = Vec::with_capacity(BATCH);
        loop {
            if let Some(pause) = self.pause.take() {
                tokio::time::sleep(pause).await;
            }
            self.work().await;
            self.launch();
            if self.flights.is_empty() && !self.todo.is_empty() {
                continue;
            }
            if !open && self.flights.is_empty() {
                return self.turn_away(&mut queue);
            }
            let room = self.todo.len() + self.held_back < BATCH;
            tokio::select! {
                biased;
                landed = landing(&mut self.flights), if !self.flights.is_empty() => self.landed(landed),
                count = queue.recv_many(&mut messages, BATCH), if open && room => {
                    open = count > 0;
                    self.take(&mut messages);
                }
                () = backoff::resting(&self.left_alone), if !self.left_alone.is_empty() => self.rested(),
                _ = closing.wait_for(|closing| *closing), if open => open = false,
            }
        }
    }

    /// Whoever comes too late is told.
    fn turn_away(&mut self, queue: &mut mpsc::Receiver<Message>) {
        queue.close();
        for request in std::mem::take(&mut self.waiting).into_values().flatten() {
            self.answer(request, Err(Error::Closed));
        }
        while let Ok(message) = queue.try_recv() {
            if let Message::Ask(request) = message {
                self.answer(request, Err(Error::Closed));
            }
        }
    }

    fn take(&mut self, messages: &mut Vec<Message>) {
        for message in messages.drain(..) {
            match message {
                Message::Ask(mut request) => {
                    self.places += 1;
                    request.place = self.places;
                    self.todo.push_back(request);
                }
                Message::Leased { instance, job, lease } => self.cache.leased(instance, job, lease),
            }
        }
    }

    /// Commits what is pending: the fsync of the commit under way is the window in which a group gathers.
    fn launch(&mut self) {
        if !self.may_launch() {
            return;
        }
        let size = if self.one_by_one > 0 { 1 } else { self.pending.len().min(BATCH) };
        self.one_by_one = self.one_by_one.saturating_sub(1);
        let turns = first_of(&mut self.pending, size);
        let batch = first_of(&mut self.batch, size);
        let store = Arc::clone(&self.shared.store);
        let mut landing: Landing = Box::pin(async move { store.commit(batch).await });
        // It departs when it is first polled. Whoever waits for it polls it again.
        let departed = landing.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        if let Poll::Ready(landed) = departed {
            landing = Box::pin(std::future::ready(landed));
        }
        self.flights.push_back(Flight { turns, landing });
    }

    /// A lone node's commits are judged in order, so the next may queue behind the one under way, and the store never
    /// waits for us. Elsewhere another node may bring an instance to the very version that a turn relies on: what was
    /// stepped on top of a turn departs only when that turn is durable.
    fn may_launch(&self) -> bool {
        if self.flights.is_empty() {
            return !self.pending.is_empty();
        }
        let in_the_air: usize = self.flights.iter().map(|flight| flight.turns.len()).sum();
        let alone = !self.shared.several_nodes && self.one_by_one == 0;
        alone && self.pending.len() >= WORTH_A_FLIGHT && in_the_air < AHEAD
    }

    /// It goes on when the uncommitted turns of its instance have landed.
    fn hold_back(&mut self, request: Boxed) {
        self.held_back += 1;
        self.waiting.entry(request.instance).or_default().push(request);
    }

    fn answer(&self, request: Boxed, answer: Result<Done, Error>) {
        self.shared.busy.fetch_sub(1, Ordering::SeqCst);
        let Request { instance, ask, lease, reply, .. } = *request;
        match reply {
            // Whoever asked may have gone away: the turn is durable all the same.
            Reply::To(caller) => drop(caller.send(answer)),
            Reply::Home(under_way) => came_home(&self.shared, (instance, ask, lease), under_way, answer),
        }
    }
}

/// Takes so many off the front; what is left has room for as many again.
fn first_of<T>(all: &mut Vec<T>, size: usize) -> Vec<T> {
    let mut rest = Vec::with_capacity(size.max(all.len() - size));
    rest.extend(all.drain(size..));
    std::mem::replace(all, rest)
}

/// The oldest commit comes back.
async fn landing(flights: &mut VecDeque<Flight>) -> Result<Vec<Outcome>, tyer_store::Error> {
    match flights.front_mut() {
        Some(flight) => flight.landing.as_mut().await,
        None => std::future::pending().await,
    }
}
