//! Errands: called processes are begun, cancelled, held; callers are told how they ended.

use std::sync::Arc;

use tyer_engine::{Answer, CallStarted, ChildOutcome, Command, InstanceId, ItemId, Start};
use tyer_store::{Errand, Post, Take, Tenant, Which};

use super::write::Said;
use super::{Parcel, UnderWay, may_pass};
use crate::error::Error;
use crate::own_transaction::Begin;
use crate::shared::Shared;
use crate::start::which;
use crate::track::{Ask, Done, Request};

/// The sender of what a transaction of the caller's own has written.
const NOBODY: InstanceId = InstanceId(0);
/// A call is read by this when it is looked for among its caller's.
const PAGE: usize = 1_000;

/// Sees to an errand. What needs no order with what comes after it is not waited for.
pub(super) async fn run(
    shared: &Arc<Shared>,
    errand: &Errand,
    under_way: &mut UnderWay,
) -> Result<(), Error> {
    let said: Said = serde_json::from_str(&errand.body)
        .map_err(|error| Error::Damaged(format!("errand {}: {error}", errand.id)))?;
    let command = match said {
        Said::Start { definition, call } => {
            let request = begin(shared, errand, definition, *call).await?;
            return hand_over(shared, errand, request, under_way).await;
        }
        Said::Begin(begin) => {
            let request = begin_outside(shared, errand, *begin).await?;
            return hand_over(shared, errand, request, under_way).await;
        }
        Said::Answer { call, answer } => {
            let command = Command::ChildEnded { call, outcome: outcome(answer) };
            return hand_over(shared, errand, (errand.target, Ask::Do(command)), under_way).await;
        }
        Said::Look { tenant, process, name, key } => {
            super::message::look(shared, &Tenant::from(tenant), &name, key.as_deref(), &process).await?;
            return drop_it(shared, errand).await;
        }
        Said::Cancel { call } => {
            let reason = Some("its caller does not wait any more".to_owned());
            (call, Command::Cancel { reason })
        }
        Said::Pause { call, reason } => (call, Command::Pause { reason }),
        Said::Resume { call } => (call, Command::Resume),
    };
    // The call may have been said just before.
    under_way.land().await;
    match child(shared, ItemId { instance: errand.sender, number: command.0 }).await? {
        Some(child) => answered(shared, errand, (child, Ask::Do(command.1))).await,
        None => drop_it(shared, errand).await,
    }
}

/// The called process begins; or, when it cannot, its caller is told why.
async fn begin(
    shared: &Arc<Shared>,
    errand: &Errand,
    caller: i64,
    call: CallStarted,
) -> Result<(InstanceId, Ask), Error> {
    let which = match (call.version, call.tag) {
        (Some(version), _) => Which::Number(version),
        (None, Some(tag)) => Which::Tag(tag),
        (None, None) if call.same_deployment => Which::With(caller),
        (None, None) => Which::Newest,
    };
    // Whoever calls means a process of its own tenant.
    let tenant = shared.processes.by_id(&*shared.store, caller).await?.definition.tenant.clone();
    let compiled = match shared.processes.version(&*shared.store, &tenant, &call.process, which).await {
        Ok(compiled) => compiled,
        Err(Error::ProcessUnknown { key, .. }) => {
            let outcome = ChildOutcome::Failed(format!("there is no process `{key}`"));
            let command = Command::ChildEnded { call: call.call, outcome };
            return Ok((errand.sender, Ask::Do(command)));
        }
        Err(error) => return Err(error),
    };
    let start = Start {
        definition: compiled.definition.id,
        version: compiled.definition.version,
        business_key: call.business_key,
        priority: 50,
        variables: call.variables,
        parent: Some(ItemId { instance: errand.sender, number: call.call }),
        ..Start::default()
    };
    Ok((errand.target, Ask::Start(compiled, Command::Start(Box::new(start)))))
}

/// What a transaction of the caller's own has asked for. The newest version is the newest now.
async fn begin_outside(
    shared: &Arc<Shared>,
    errand: &Errand,
    begin: Begin,
) -> Result<(InstanceId, Ask), Error> {
    let (tenant, which) = (begin.tenant(), which(begin.version));
    if shared.several_nodes {
        // Another node may have deployed since we looked.
        shared.processes.deployed(&tenant, &begin.process);
    }
    let compiled = shared.processes.version(&*shared.store, &tenant, &begin.process, which).await?;
    let start = Start {
        definition: compiled.definition.id,
        version: compiled.definition.version,
        business_key: begin.business_key,
        started_by: begin.started_by,
        priority: begin.priority.min(100),
        variables: begin.variables,
        at: begin.at,
        ..Start::default()
    };
    Ok((errand.target, Ask::Start(compiled, Command::Start(Box::new(start)))))
}

/// Puts the command in the queue of its instance, and goes on.
async fn hand_over(
    shared: &Arc<Shared>,
    errand: &Errand,
    asked: (InstanceId, Ask),
    under_way: &mut UnderWay,
) -> Result<(), Error> {
    if shared.clock.is_test() {
        return answered(shared, errand, asked).await;
    }
    let answer = crate::workers::hand_in(shared, request(errand, asked)).await?;
    let (shared, errand) = (Arc::clone(shared), errand.clone());
    under_way.add(tokio::spawn(async move {
        let settled = match answer.await.unwrap_or(Err(Error::Closed)) {
            Err(error) => settle(&shared, &errand, error).await,
            Ok(done) => finish(&shared, &errand, done).await,
        };
        match settled {
            Ok(()) | Err(Error::Closed) => {}
            Err(error) if may_pass(&error) => {
                tokio::time::sleep(std::time::Duration::from_millis(500)).await;
                // Once more, from the beginning.
                shared.office.done(errand.id);
                shared.office.take(vec![Parcel::Letter(tyer_store::Letter::Errand(errand))]);
            }
            Err(error) => {
                tracing::error!(%error, ?errand, "an errand could not be done: it waits for the next start");
            }
        }
    }));
    Ok(())
}

/// Waits until the command is done, or refused.
async fn answered(shared: &Arc<Shared>, errand: &Errand, asked: (InstanceId, Ask)) -> Result<(), Error> {
    match shared.ask_track(request(errand, asked)).await {
        Ok(done) => finish(shared, errand, done).await,
        Err(error) => settle(shared, errand, error).await,
    }
}

/// The turn has taken the errand; or there was nothing to do, and so no turn.
async fn finish(shared: &Arc<Shared>, errand: &Errand, done: Done) -> Result<(), Error> {
    if !done.changed {
        return drop_it(shared, errand).await;
    }
    shared.office.done(errand.id);
    Ok(())
}

fn request(
    errand: &Errand,
    (instance, ask): (InstanceId, Ask),
) -> (Request, tokio::sync::oneshot::Receiver<Result<Done, Error>>) {
    let (mut request, answer) = Request::new(instance, ask, None);
    request.take = Some(Take::Errand { target: errand.target, id: errand.id });
    (request, answer)
}

/// The errand was not taken: it is done by somebody else, or refused for good, or it comes again.
async fn settle(shared: &Arc<Shared>, errand: &Errand, error: Error) -> Result<(), Error> {
    if let Error::Gone = error {
        shared.office.done(errand.id);
        Ok(())
    } else if errand.sender == NOBODY {
        // Nobody can be told: it stays where the caller has written it, for people to see.
        Err(error)
    } else if let Error::Rejected(rejection) = error {
        refused(shared, errand, &rejection.to_string()).await
    } else {
        Err(error)
    }
}

/// A process that cannot begin has failed for its caller; anything else that is not wanted any more is no mistake.
async fn refused(shared: &Arc<Shared>, errand: &Errand, reason: &str) -> Result<(), Error> {
    let said: Result<Said, _> = serde_json::from_str(&errand.body);
    if let Ok(Said::Start { call, .. }) = said {
        let outcome = ChildOutcome::Failed(reason.to_owned());
        let command = Command::ChildEnded { call: call.call, outcome };
        let told = shared.ask_track(request(errand, (errand.sender, Ask::Do(command)))).await;
        match told {
            Ok(_) | Err(Error::Gone) => {
                shared.office.done(errand.id);
                return Ok(());
            }
            Err(Error::Rejected(_)) => {}
            Err(other) => return Err(other),
        }
    }
    drop_it(shared, errand).await
}

async fn drop_it(shared: &Arc<Shared>, errand: &Errand) -> Result<(), Error> {
    shared.post(Post::Dropped(errand.target, errand.id)).await?;
    shared.office.done(errand.id);
    Ok(())
}

/// The instance that a call has begun.
async fn child(shared: &Shared, call: ItemId) -> Result<Option<InstanceId>, Error> {
    let mut after = InstanceId(0);
    loop {
        let called = shared.store.instances(None, Some(call.instance), after, PAGE).await?;
        let Some(last) = called.last() else { return Ok(None) };
        after = last.id;
        if let Some(child) = called.iter().find(|child| child.parent == Some(call)) {
            return Ok(Some(child.id));
        }
    }
}

fn outcome(answer: Answer) -> ChildOutcome {
    match answer {
        Answer::Completed { variables } => ChildOutcome::Completed(variables),
        Answer::Error { code, message } => ChildOutcome::Error { code, message },
        Answer::Failed { message } => ChildOutcome::Failed(message),
        Answer::Escalated { code } => ChildOutcome::Escalated { code },
    }
}
