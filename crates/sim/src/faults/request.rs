//! What a client sends, and what it learns from the answer.

use std::time::Duration;

use tyer_engine::{Command, Effects, InstanceId, ItemId, Variables};
use tyer_runtime::{Engine, Error, JobError};

use super::ledger::Told;

/// How long messages wait: longer than a life.
const TTL: Duration = Duration::from_secs(24 * 3600);

/// One call of the API.
#[derive(Clone, Debug)]
pub(super) enum Request {
    /// Under an idempotency key, which is the business key too.
    Start {
        process: String,
        key: String,
        variables: Variables,
    },
    Complete {
        job: ItemId,
        lease: u32,
        variables: Variables,
    },
    Fail {
        job: ItemId,
        lease: u32,
        retries: u32,
    },
    Throw {
        job: ItemId,
        lease: u32,
        code: String,
    },
    /// With an id of its own.
    Publish {
        name: String,
        key: Option<String>,
        id: String,
        variables: Variables,
    },
    Signal {
        name: String,
    },
    Do {
        instance: InstanceId,
        command: Box<Command>,
    },
    Migrate {
        instance: InstanceId,
    },
    Rollback {
        instance: InstanceId,
        name: String,
    },
}

impl Request {
    /// May it be sent again when its answer is lost? It is done once, however often it comes.
    pub(super) fn is_repeatable(&self) -> bool {
        match self {
            Request::Start { .. }
            | Request::Complete { .. }
            | Request::Fail { .. }
            | Request::Throw { .. }
            | Request::Publish { .. } => true,
            Request::Do { command, .. } => matches!(**command, Command::Task { .. }),
            Request::Signal { .. } | Request::Migrate { .. } | Request::Rollback { .. } => false,
        }
    }

    /// Sends it and waits for the answer.
    ///
    /// # Errors
    /// An answer that no client may ever get.
    pub(super) async fn send(self, engine: Engine) -> Result<Told, String> {
        let answer = match self {
            Request::Start { process, key, variables } => {
                let start = engine.start(&process).idempotency_key(&key).business_key(&key);
                start.variables(&variables).submit().await.map(drop)
            }
            Request::Complete { job, lease, variables } => {
                engine.complete_job(job, lease, variables).await.map(drop)
            }
            Request::Fail { job, lease, retries } => {
                let error = JobError {
                    message: "it did not work".to_owned(),
                    retries: Some(retries),
                    backoff_ms: Some(1_000),
                    ..JobError::default()
                };
                engine.fail_job(job, lease, error).await.map(drop)
            }
            Request::Throw { job, lease, code } => {
                engine.fail_job(job, lease, JobError::thrown(code, "")).await.map(drop)
            }
            Request::Publish { name, key, id, variables } => {
                let publish = engine.publish(&name).message_id(id).ttl(TTL).variables(&variables);
                let publish = if let Some(key) = key { publish.key(key) } else { publish };
                publish.send().await.map(drop)
            }
            Request::Signal { name } => engine.signal(&name, Variables::default()).await.map(drop),
            Request::Do { instance, command } => engine.command(instance, *command).await.map(drop),
            Request::Migrate { instance } => {
                engine.instance(instance).migrate(None, Vec::new()).await.map(drop)
            }
            Request::Rollback { instance, name } => {
                engine.instance(instance).roll_back(&name, Effects::Force).await.map(drop)
            }
        };
        told(answer)
    }
}

/// What a client learns from an answer.
fn told(answer: Result<(), Error>) -> Result<Told, String> {
    match answer {
        Ok(()) => Ok(Told::Yes),
        Err(
            Error::Rejected(_) | Error::Conflict(_) | Error::Superseded | Error::Gone | Error::Overloaded,
        ) => Ok(Told::No),
        // A message may have been stored before the store was lost.
        Err(Error::Store(error)) if error.is_transient() => Ok(Told::Nothing),
        Err(
            error @ (Error::Store(_)
            | Error::Closed
            | Error::Problems(_)
            | Error::ProcessUnknown { .. }
            | Error::Variables(_)
            | Error::Parked(..)
            | Error::Sink(_)
            | Error::Damaged(_)),
        ) => Err(format!("a client is told: {error}")),
    }
}
