//! Turns of this node as they become durable: for those who look on. Who must not miss anything is a sink.
//!
//! **Invariant:** whoever is slow is told that something was missed, and holds nobody up; memory is bounded.

use std::sync::Arc;

use tokio::sync::{broadcast, watch};
use tyer_store::{HistoryRow, Packed, Tenant, TurnKey};

use crate::engine::Engine;
use crate::error::Error;
use crate::events::split;
use crate::processes::Compiled;
use crate::relay::Told;

/// Turns that wait for the slowest of those who look on.
const ROOM: usize = 1_024;

/// A turn that is on its way to the disk, and that somebody will want to see.
pub(crate) struct Seen {
    turn: TurnKey,
    compiled: Arc<Compiled>,
    history: Packed,
}

impl Seen {
    pub(crate) fn of(turn: TurnKey, compiled: &Arc<Compiled>, history: &Packed) -> Seen {
        Seen { turn, compiled: Arc::clone(compiled), history: history.clone() }
    }
}

/// Who looks on.
pub(crate) struct Onlookers(broadcast::Sender<Arc<Seen>>);

impl Default for Onlookers {
    fn default() -> Onlookers {
        Onlookers(broadcast::Sender::new(ROOM))
    }
}

impl Onlookers {
    /// Does anybody look on? Nobody pays for what nobody sees.
    pub(crate) fn any(&self) -> bool {
        self.0.receiver_count() > 0
    }

    /// The turn is durable.
    pub(crate) fn show(&self, seen: Seen) {
        // Nobody may be left to see it.
        let _ = self.0.send(Arc::new(seen));
    }
}

/// What [`Live::next`] brings.
#[derive(Clone, Debug)]
pub enum Happened {
    /// A turn of an instance.
    Turn(Told),
    /// More happened than was taken in time: look at the lists again.
    Missed,
}

/// Turns as they become durable.
pub struct Live {
    tenant: Tenant,
    turns: broadcast::Receiver<Arc<Seen>>,
    closing: watch::Receiver<bool>,
}

impl Engine {
    /// Looks on from now on: at every turn of every instance (of the tenant of this view) that this engine commits. Other
    /// nodes on the same store are not seen ([`Engine::is_shared`]).
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::{Engine, Happened};
    ///
    /// let engine = Engine::memory().await?;
    /// engine.deploy(br#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
    ///   <process id="hello" isExecutable="true"><startEvent id="start"/></process></definitions>"#).await?;
    /// let mut live = engine.live();
    /// let hello = engine.start("hello").send().await?;
    /// let Happened::Turn(told) = live.next().await? else { panic!("nothing was missed") };
    /// assert_eq!(told.instance, hello.id());
    /// # Ok(()) }
    /// ```
    pub fn live(&self) -> Live {
        let (turns, closing) = (self.shared.onlookers.0.subscribe(), self.shared.closing.subscribe());
        Live { tenant: self.whose().clone(), turns, closing }
    }

    /// Do other nodes work on the same store?
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), tyer_runtime::Error> {
    /// assert!(!tyer_runtime::Engine::memory().await?.is_shared());
    /// # Ok(()) }
    /// ```
    pub fn is_shared(&self) -> bool {
        self.shared.several_nodes
    }
}

impl Live {
    /// The next turn, when it is durable.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// let mut live = engine.live();
    /// loop {
    ///     println!("{:?}", live.next().await?);
    /// }
    /// # }
    /// ```
    pub async fn next(&mut self) -> Result<Happened, Error> {
        loop {
            let turn = tokio::select! {
                turn = self.turns.recv() => turn,
                _ = self.closing.wait_for(|closing| *closing) => return Err(Error::Closed),
            };
            match turn {
                Ok(seen) if seen.compiled.definition.tenant == self.tenant => {
                    return Ok(Happened::Turn(told(&seen)?));
                }
                Ok(_) => {}
                Err(broadcast::error::RecvError::Lagged(_)) => return Ok(Happened::Missed),
                Err(broadcast::error::RecvError::Closed) => return Err(Error::Closed),
            }
        }
    }
}

fn told(seen: &Seen) -> Result<Told, Error> {
    let Seen { turn: TurnKey { instance, first_seq, turn }, compiled, history } = seen;
    let Packed { count, at, events } = history.clone();
    let events = split(&HistoryRow { first_seq: *first_seq, count, turn: *turn, at, events })?;
    Ok(Told {
        tenant: compiled.definition.tenant.to_string(),
        instance: *instance,
        process: compiled.process.id.clone(),
        events,
        attempt: 1,
        masked: compiled.process.body(None).masked.clone(),
    })
}
