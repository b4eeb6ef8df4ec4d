//! One stream after the other: taken, read from history, delivered turn by turn, marked.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tyer_engine::{InstanceId, Rejection, Timestamp};
use tyer_store::{Delivered, Delivery};

use super::Hosted;
use crate::error::Error;
use crate::events::{HistoryEvent, split};
use crate::processes::Compiled;
use crate::shared::Shared;

/// Turns of one stream that are read at once.
const TURNS: usize = 50;
/// What the store may need to mark a delivery.
const GRACE: Duration = Duration::from_secs(10);

/// One turn of an instance, as a sink is told of it.
#[derive(Clone, Debug)]
pub struct Told {
    /// Whose instance it is; the default tenant's name is empty.
    pub tenant: String,
    /// The instance.
    pub instance: InstanceId,
    /// The BPMN id of its process.
    pub process: String,
    /// Its events, in order.
    pub events: Vec<HistoryEvent>,
    /// Which try this is, from 1. It may have arrived before: remember the number of the last event of an instance.
    pub attempt: u32,
    /// Variables whose values nobody outside the program is shown.
    pub masked: Vec<Arc<str>>,
}

/// Why a sink could not take a turn: it is tried again.
#[derive(Clone, Debug)]
pub struct DeliveryError(pub(super) String);

impl DeliveryError {
    /// Failed for this reason.
    ///
    /// ```
    /// let error = tyer_runtime::DeliveryError::new("the mail server does not answer");
    /// ```
    pub fn new(reason: impl Into<String>) -> DeliveryError {
        DeliveryError(reason.into())
    }
}

impl<E: std::error::Error> From<E> for DeliveryError {
    fn from(error: E) -> DeliveryError {
        DeliveryError(error.to_string())
    }
}

pub(super) type Receiving<'a> = Pin<Box<dyn Future<Output = Result<(), DeliveryError>> + Send + 'a>>;

/// Whoever is told.
pub(super) trait Receiver: Send + Sync {
    fn receive(&self, told: Told) -> Receiving<'_>;
}

/// What was done for a sink.
pub(crate) struct Pumped {
    /// Something was due.
    pub(crate) any: bool,
    /// The next moment.
    pub(crate) next: Option<Timestamp>,
}

/// Delivers what is due to a sink, and waits until that is marked. For tests, where nothing happens by itself.
pub(crate) async fn pump(shared: &Arc<Shared>, sink: &Arc<Hosted>) -> Result<Pumped, Error> {
    let mut under_way = JoinSet::new();
    let Pumped { any, next } = begin(shared, sink, &mut under_way).await?;
    while under_way.join_next().await.is_some() {}
    Ok(Pumped { any, next })
}

/// Takes what is due, as far as there is room, and begins to deliver it.
pub(super) async fn begin(
    shared: &Arc<Shared>,
    sink: &Arc<Hosted>,
    under_way: &mut JoinSet<()>,
) -> Result<Pumped, Error> {
    let room = sink.options.concurrency.saturating_sub(under_way.len());
    if room == 0 {
        return Ok(Pumped { any: false, next: None });
    }
    let now = shared.now();
    // Turns begin for as long as one delivery may take; the last of them may take that long.
    let lease = 2 * sink.options.timeout + GRACE;
    let until = now.plus_ms(i64::try_from(lease.as_millis()).unwrap_or(i64::MAX));
    let taken = shared.store.take_deliveries(&sink.name, now, until, room).await?;
    let any = !taken.taken.is_empty();
    for delivery in taken.taken {
        let (shared, sink) = (Arc::clone(shared), Arc::clone(sink));
        under_way.spawn(async move { see_to(&shared, &sink, delivery).await });
    }
    Ok(Pumped { any, next: taken.next })
}

/// Delivers what waits of one stream and marks how far it came. When the store does not answer, the lease ends by itself.
async fn see_to(shared: &Arc<Shared>, sink: &Hosted, delivery: Delivery) {
    let outcome = match deliver(shared, sink, &delivery).await {
        Ok(outcome) => outcome,
        Err(error) => {
            let through = delivery.next_seq - 1;
            let again = sink.options.again(1, shared.now());
            tracing::warn!(%error, sink = %sink.name, instance = %delivery.instance, "history could not be read");
            Delivered::Failed { through, error: error.to_string(), again }
        }
    };
    let instance = delivery.instance;
    match shared.store.mark(vec![(delivery, outcome)], shared.now()).await {
        Ok(_) => {}
        Err(error) => {
            tracing::warn!(%error, sink = %sink.name, %instance, "a delivery could not be marked: it is made again");
        }
    }
}

async fn deliver(shared: &Arc<Shared>, sink: &Hosted, delivery: &Delivery) -> Result<Delivered, Error> {
    let compiled = process_of(shared, delivery.instance).await?;
    let (process, tenant) = (&compiled.process, &compiled.definition.tenant);
    let turns = shared.store.history(tenant, delivery.instance, delivery.next_seq - 1, TURNS).await?;
    let mut through = delivery.next_seq - 1;
    let (mut failures, began) = (delivery.attempt, tokio::time::Instant::now());
    for turn in turns {
        if began.elapsed() > sink.options.timeout {
            break;
        }
        let events = split(&turn)?.into_iter().filter(|event| event.seq >= delivery.next_seq).collect();
        let told = Told {
            tenant: tenant.to_string(),
            instance: delivery.instance,
            process: process.id.clone(),
            events,
            attempt: failures + 1,
            masked: process.body(None).masked.clone(),
        };
        if let Err(DeliveryError(error)) = received(sink, told).await {
            let again = sink.options.again(failures + 1, shared.now());
            tracing::info!(sink = %sink.name, instance = %delivery.instance, error, "a delivery failed");
            return Ok(Delivered::Failed { through, error, again });
        }
        (through, failures) = (turn.first_seq + u64::from(turn.count) - 1, 0);
    }
    Ok(Delivered::Through(through))
}

async fn process_of(shared: &Shared, instance: InstanceId) -> Result<Arc<Compiled>, Error> {
    let loaded = shared.store.load(vec![instance]).await?.pop().flatten();
    let loaded = loaded.ok_or(Rejection::InstanceUnknown { id: instance })?;
    shared.processes.by_id(&*shared.store, loaded.instance.definition).await
}

/// A receiver that panics or hangs has failed, and nobody else with it.
async fn received(sink: &Hosted, told: Told) -> Result<(), DeliveryError> {
    let receiving = sink.receiver.receive(told);
    match tokio::time::timeout(sink.options.timeout, caught(receiving)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(DeliveryError(format!("it took longer than {:?}", sink.options.timeout))),
    }
}

async fn caught(mut receiving: Receiving<'_>) -> Result<(), DeliveryError> {
    std::future::poll_fn(move |context| {
        let polled = std::panic::catch_unwind(AssertUnwindSafe(|| receiving.as_mut().poll(context)));
        polled.unwrap_or_else(|_| {
            std::task::Poll::Ready(Err(DeliveryError("the receiver panicked".to_owned())))
        })
    })
    .await
}
