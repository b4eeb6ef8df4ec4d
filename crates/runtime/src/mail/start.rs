//! Start events: a message, a signal or a moment begins an instance.

use std::sync::Arc;

use tyer_engine::{Command, InstanceId, Start, StartWanted, Variables};
use tyer_store::{StartEvent, Take};

use crate::error::Error;
use crate::shared::Shared;
use crate::track::{Ask, Request};

/// Begins an instance at a start event; none when somebody else has, or an instance with the key lives.
pub(super) async fn begin(
    shared: &Arc<Shared>,
    event: &StartEvent,
    variables: Variables,
    take: Take,
    start_key: Option<String>,
) -> Result<Option<InstanceId>, Error> {
    let compiled = shared.processes.by_id(&*shared.store, event.key.definition).await?;
    let start = Start {
        definition: compiled.definition.id,
        version: compiled.definition.version,
        priority: 50,
        variables,
        at: vec![event.key.node.clone()],
        ..Start::default()
    };
    let id = InstanceId(shared.ids.next(shared.now())?);
    let ask = Ask::Start(compiled, Command::Start(Box::new(start)));
    let (mut request, answer) = Request::new(id, ask, None);
    request.take = Some(take);
    request.start_key = start_key;
    match shared.ask_track((request, answer)).await {
        Ok(done) => Ok((!done.duplicate).then_some(done.instance)),
        Err(Error::Gone) => Ok(None),
        Err(Error::Rejected(rejection)) => {
            tracing::error!(%rejection, process = event.process, "an instance could not begin at its start event");
            shared.office.give_up(&event.key);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The moment of a start event has come: an instance begins, and the event waits for its next moment.
pub(crate) async fn fire(shared: &Arc<Shared>, event: &StartEvent) -> Result<(), Error> {
    let StartWanted::Timer { due, cycle } = &event.wanted else { return Ok(()) };
    let next = cycle.as_ref().and_then(|cycle| tyer_engine::next_start(*due, cycle).ok().flatten());
    let take = Take::StartTimer { event: event.key.clone(), due: *due, next };
    begin(shared, event, Variables::default(), take, None).await.map(drop)
}
