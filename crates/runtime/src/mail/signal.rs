//! Signals: everybody gets them who waited when they were sent.

use std::sync::Arc;

use serde::Serialize;
use tokio::sync::oneshot;
use tyer_engine::{Command, InstanceId, ItemId, Variables};
use tyer_store::{Post, Signal, Sought, StartEvent, Take, Waiting};

use super::write::due;
use crate::engine::Engine;
use crate::error::Error;
use crate::shared::Shared;
use crate::track::{Ask, Done, Request};
use crate::workers::hand_in;

/// Those who get it together.
const PAGE: usize = 1_000;

/// What became of a signal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signalled {
    /// How many waits it has ended.
    pub reached: usize,
    /// Instances that it has begun.
    pub started: Vec<InstanceId>,
}

impl Engine {
    /// Sends a signal to everybody who waits for it; the answer comes when they have it.
    ///
    /// ```
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// let signalled = engine.signal("storm", serde_json::json!({ "strength": 9 })).await?;
    /// println!("{} have it", signalled.reached);
    /// # Ok(()) }
    /// ```
    pub async fn signal(&self, name: &str, variables: impl Serialize) -> Result<Signalled, Error> {
        let shared = &self.shared;
        shared.admit()?;
        let now = shared.now();
        let signal = Signal {
            id: shared.ids.next(now)?,
            tenant: self.whose().clone(),
            name: Arc::from(name),
            variables: Variables::from_serialize(&variables)?.to_json(),
            sender: None,
            published_at: now,
            cursor: (InstanceId(0), 0),
            due: due(shared, now),
        };
        shared.post(Post::Signal(signal.clone())).await?;
        deliver(shared, &signal).await
    }
}

/// Gives a signal to everybody after its cursor.
pub(super) async fn deliver(shared: &Arc<Shared>, signal: &Signal) -> Result<Signalled, Error> {
    let mut signal = signal.clone();
    let mut signalled = Signalled::default();
    loop {
        let waiting = shared.store.waiting(Sought::Signal(signal.clone()), PAGE).await?;
        signalled.reached += give(shared, &signal, &waiting).await?;
        let Some(last) = waiting.last().filter(|_| waiting.len() == PAGE) else { break };
        signal.cursor = (last.instance, last.subscription);
        shared.post(Post::Delivered(signal.id, Some(signal.cursor))).await?;
    }
    for event in shared.store.start_events(&signal.tenant, false, &signal.name).await? {
        signalled.started.extend(begin(shared, &signal, &event).await?);
    }
    shared.post(Post::Delivered(signal.id, None)).await?;
    shared.office.done(signal.id);
    Ok(signalled)
}

async fn give(shared: &Arc<Shared>, signal: &Signal, waiting: &[Waiting]) -> Result<usize, Error> {
    let mut told = Vec::with_capacity(waiting.len());
    let mut reached = 0;
    for Waiting { instance, subscription, .. } in waiting {
        let (variables, message) = (Variables::parse(&signal.variables)?, None);
        let command = Command::Trigger { subscription: *subscription, variables, message };
        let (mut request, answer) = Request::new(*instance, Ask::Do(command), None);
        let taker = ItemId { instance: *instance, number: *subscription }.to_text("sub");
        request.take = Some(Take::Signal { id: signal.id, taker });
        told.push(hand_in(shared, (request, answer)).await?);
        if shared.clock.is_test() {
            reached += all_have_it(told.drain(..)).await?;
        }
    }
    Ok(reached + all_have_it(told.into_iter()).await?)
}

/// Waits until each has it, or has gone on meanwhile. Says how many have it.
async fn all_have_it(
    told: impl Iterator<Item = oneshot::Receiver<Result<Done, Error>>>,
) -> Result<usize, Error> {
    let mut reached = 0;
    for answer in told {
        match answer.await.unwrap_or(Err(Error::Closed)) {
            Ok(_) => reached += 1,
            Err(Error::Rejected(_) | Error::Gone) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(reached)
}

async fn begin(
    shared: &Arc<Shared>,
    signal: &Signal,
    event: &StartEvent,
) -> Result<Option<InstanceId>, Error> {
    let variables = Variables::parse(&signal.variables)?;
    let take = Take::Signal { id: signal.id, taker: event.process.clone() };
    super::start::begin(shared, event, variables, take, None).await
}
