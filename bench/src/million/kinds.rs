//! What the instances of the million are: a few that the engine makes, each copied so many times.

use anyhow::{Context, Result};
use serde_json::json;
use tyer_runtime::{Engine, InstanceId};

/// One sort of instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Person,
    Moment,
    Message,
    Stuck,
    Paused,
    Completed,
    Failed,
    Cancelled,
}

/// How many of each.
pub(crate) type Kinds = Vec<(Sort, u64)>;

/// What most of them do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mix {
    Waiting,
    MostlyEnded,
}

impl Mix {
    pub(crate) const ALL: [Mix; 2] = [Mix::Waiting, Mix::MostlyEnded];

    /// So many instances.
    pub(crate) fn of(self, instances: u64) -> Kinds {
        match self {
            Mix::Waiting => all_waiting(instances),
            Mix::MostlyEnded => mostly_ended(instances),
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Mix::Waiting => "that wait",
            Mix::MostlyEnded => "of which nine in ten have ended",
        }
    }
}

/// Nine in ten have ended; some of those badly, and some of the others stand still.
fn mostly_ended(instances: u64) -> Kinds {
    let live = instances / 10;
    let ended = instances - live;
    let few = instances / 200;
    vec![
        (Sort::Completed, ended - 2 * few),
        (Sort::Failed, few),
        (Sort::Cancelled, few),
        (Sort::Person, live - 2 * (live / 3) - 2 * (few / 10)),
        (Sort::Moment, live / 3),
        (Sort::Message, live / 3),
        (Sort::Stuck, few / 10),
        (Sort::Paused, few / 10),
    ]
}

/// At a person, a moment or a message.
fn all_waiting(instances: u64) -> Kinds {
    let third = instances / 3;
    vec![(Sort::Person, instances - 2 * third), (Sort::Moment, third), (Sort::Message, third)]
}

/// The engine makes one.
pub(crate) async fn make(engine: &Engine, sort: Sort) -> Result<InstanceId> {
    let kind = match sort {
        Sort::Person | Sort::Paused | Sort::Failed | Sort::Cancelled => "person",
        Sort::Moment => "moment",
        Sort::Message => "message",
        Sort::Stuck => "nowhere",
        Sort::Completed => "end",
    };
    let variables = json!({ "kind": kind, "order": "A-17", "amount": 120, "city": "Rome" });
    let started = engine.start("parked").variables(&variables).business_key("K").send().await?;
    match sort {
        Sort::Paused => drop(started.pause(None).await?),
        Sort::Cancelled => drop(started.cancel(None).await?),
        Sort::Failed => drop(started.compensate(None).await?),
        Sort::Person | Sort::Moment | Sort::Message | Sort::Stuck | Sort::Completed => {}
    }
    let made = engine.glance(started.id()).await.context("it was made")?;
    let ended = matches!(sort, Sort::Completed | Sort::Failed | Sort::Cancelled);
    anyhow::ensure!(made.status.is_ended() == ended, "{sort:?} became {:?}", made.status);
    Ok(started.id())
}
