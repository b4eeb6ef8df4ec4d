//! What must hold of the store when nothing is under way.

use std::collections::{BTreeMap, BTreeSet};

use tyer_engine::{InstanceId, ItemId, Status, Timestamp, Wait, Wanted};
use tyer_store::{DEFAULT_TENANT, Mailbox, Store};

use super::shelf::{Kept, Shelf};

/// Every instance: the invariants hold, and the stored history folds to the stored state.
pub(super) async fn states(shelf: &Shelf) -> Result<(), String> {
    for (id, kept) in shelf.all().await? {
        let broken = tyer_testkit::invariants(&kept.process, &kept.instance);
        if !broken.is_empty() {
            return Err(format!("{id}: {}", broken.join("; ")));
        }
        let folded = shelf.folded(id).await?;
        if folded != kept.instance {
            let (folded, stored) = (format!("{folded:#?}"), format!("{:#?}", kept.instance));
            let differs = folded.lines().zip(stored.lines()).find(|(one, other)| one != other);
            return Err(format!("{id}: the stored history does not fold to the stored state: {differs:?}"));
        }
    }
    Ok(())
}

/// Nothing waits for something that is there already.
pub(super) async fn nothing_is_stuck(shelf: &Shelf, now: Timestamp) -> Result<(), String> {
    let woken = shelf.memory.wake(now, 100).await.map_err(|error| error.to_string())?;
    if !woken.due.is_empty() {
        return Err(format!("stuck: timers are due and do not fire: {:?}", woken.due));
    }
    if !woken.letters.is_empty() {
        return Err(format!("stuck: letters lie about: {:?}", woken.letters));
    }
    if !woken.in_doubt.is_empty() {
        return Err(format!("stuck: nobody is asked about jobs in doubt: {:?}", woken.in_doubt));
    }
    let all = shelf.all().await?;
    messages(shelf, &all, now).await?;
    calls(&all)
}

/// A message that somebody waits for has been given to them.
async fn messages(shelf: &Shelf, all: &BTreeMap<InstanceId, Kept>, now: Timestamp) -> Result<(), String> {
    for (id, kept) in all {
        for subscription in kept.instance.subscriptions.values() {
            let Wanted::Message { name, key } = &subscription.wanted else { continue };
            let taker = &kept.process.id;
            let lies = shelf.memory.buffered(&DEFAULT_TENANT, name, key.as_deref(), taker, now, 1).await;
            if let Some(message) = lies.map_err(|error| error.to_string())?.first() {
                return Err(format!("stuck: {id} waits for `{name}`, which lies there: {message:?}"));
            }
        }
    }
    Ok(())
}

/// Who waits for a called instance has one that lives; who was called is waited for.
fn calls(all: &BTreeMap<InstanceId, Kept>) -> Result<(), String> {
    let mut wanted = BTreeSet::new();
    for (id, kept) in all {
        for token in kept.instance.tokens.values() {
            if let Wait::Call(call) = token.wait {
                wanted.insert(ItemId { instance: *id, number: call });
            }
        }
    }
    let living: BTreeMap<ItemId, InstanceId> = all
        .iter()
        .filter(|(_, kept)| !kept.instance.status.is_ended())
        .filter_map(|(id, kept)| Some((kept.instance.parent?, *id)))
        .collect();
    if let Some(call) = wanted.iter().find(|call| !living.contains_key(call)) {
        return Err(format!("stuck: nobody answers call {} of {}", call.number, call.instance));
    }
    match living.iter().find(|(call, _)| !wanted.contains(call)) {
        Some((call, child)) => Err(format!("{child} lives, and its caller {} does not wait", call.instance)),
        None => Ok(()),
    }
}

/// Every open job of a running instance is held by somebody, after all that was offered has been taken.
pub(super) async fn every_job_is_offered(shelf: &Shelf) -> Result<(), String> {
    for (id, kept) in shelf.all().await? {
        if kept.instance.status != Status::Running {
            continue;
        }
        let jobs = kept.instance.tokens.values().filter_map(|token| token.job());
        if let Some(job) = jobs.into_iter().find(|job| !kept.leases.contains_key(&job.number)) {
            return Err(format!("stuck: job {} of {id} is ready and not offered", job.number));
        }
    }
    Ok(())
}
