//! A commit came back: answer and tell what is durable, step again what is not.

use std::sync::Arc;
use std::time::Duration;

use tyer_engine::{InstanceId, Rejection, Status};
use tyer_map::Set;
use tyer_store::{Error as StoreError, Outcome};

use super::{Ask, Boxed, Done, Flight, Stepped, Taken, Track};
use crate::error::Error;
use crate::shared::Counts;

/// A turn that conflicts this often is given up.
const CONFLICTS: u8 = 20;
/// An outage of the store is waited out for this many tries.
const OUTAGES: u8 = 60;

impl Track {
    pub(super) fn landed(&mut self, landed: Result<Vec<Outcome>, StoreError>) {
        let Some(Flight { turns, .. }) = self.flights.pop_front() else { return };
        match landed {
            Ok(outcomes) => {
                Counts::add(&self.shared.counts.commits, 1);
                if !self.shared.several_nodes {
                    // The store works on the next group while the answers to this one go out.
                    self.launch();
                }
                self.settled(turns, outcomes);
            }
            Err(StoreError::Unknown(reason)) => self.ask_what_happened(turns, &reason),
            Err(StoreError::Refused(reason)) if turns.len() > 1 => {
                tracing::warn!(
                    reason,
                    turns = turns.len(),
                    "a batch was refused: trying its turns one by one"
                );
                self.one_by_one = turns.len();
                self.again(turns);
            }
            Err(error @ StoreError::DiskFailed(_)) => self.refuse(turns, &error),
            Err(error) if error.is_transient() => self.wait_out(turns, &error),
            Err(error) => self.refuse(turns, &error),
        }
    }

    fn settled(&mut self, turns: Vec<Stepped>, outcomes: Vec<Outcome>) {
        let mut again = Vec::new();
        for (stepped, outcome) in turns.into_iter().zip(outcomes) {
            match outcome {
                Outcome::Committed => self.committed(stepped),
                Outcome::Duplicate(first) => self.duplicate(stepped, first),
                Outcome::LeaseLost => self.lease_lost(stepped),
                Outcome::Superseded => self.given_up(stepped, Error::Superseded),
                Outcome::Gone => self.given_up(stepped, Error::Gone),
                Outcome::Conflict => again.push(stepped),
            }
        }
        for stepped in &mut again {
            stepped.request.tries.conflicts += 1;
        }
        self.back_off(&again);
        self.again(again);
    }

    /// Durable: now the world may know.
    fn committed(&mut self, stepped: Stepped) {
        let Taken { request, done, jobs, ready, due, seen, parcels, .. } = *stepped;
        let shared = Arc::clone(&self.shared);
        Counts::add(&shared.counts.turns, 1);
        if matches!(request.ask, Ask::Start(..)) {
            Counts::add(&shared.counts.started, 1);
        }
        if done.status == Status::Completed {
            Counts::add(&shared.counts.completed, 1);
        }
        self.one_less(done.instance);
        if done.status.is_ended() && !self.uncommitted.contains_key(&done.instance) {
            self.cache.remove(done.instance);
        }
        for job in jobs {
            shared.workers.begin(&shared, job);
        }
        for job_type in ready {
            shared.workers.more(&job_type);
        }
        if let Some(due) = due {
            shared.alarm.due(due);
        }
        if !parcels.is_empty() {
            shared.office.take(parcels);
        }
        shared.relay.left();
        if let Some(seen) = seen {
            shared.onlookers.show(seen);
        }
        shared.watchers.tell(done.instance, done.version);
        self.answer(request, Ok(done));
    }

    fn duplicate(&mut self, stepped: Stepped, first: InstanceId) {
        let id = stepped.request.instance;
        self.one_less(id);
        self.drop_chain(id);
        let done = Done { instance: first, duplicate: true, ..stepped.done };
        self.answer(stepped.request, Ok(done));
    }

    fn lease_lost(&mut self, stepped: Stepped) {
        let id = stepped.request.instance;
        self.one_less(id);
        self.drop_chain(id);
        let job = stepped.request.ask.job().unwrap_or(0);
        self.answer(stepped.request, Err(Rejection::LeaseLost { instance: id, job }.into()));
    }

    fn given_up(&mut self, stepped: Stepped, why: Error) {
        let id = stepped.request.instance;
        self.one_less(id);
        self.drop_chain(id);
        self.answer(stepped.request, Err(why));
    }

    /// Not committed: they, and all that was stepped on top of them, are stepped once more, in the order in which they
    /// came. What has departed on top of them comes back by itself.
    fn again(&mut self, turns: Vec<Stepped>) {
        if turns.is_empty() {
            return;
        }
        let ids: Set<InstanceId> = turns.iter().map(|stepped| stepped.request.instance).collect();
        for &id in &ids {
            self.cache.remove(id);
        }
        let (chained, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending)
            .into_iter()
            .zip(std::mem::take(&mut self.batch))
            .partition(|(stepped, _)| ids.contains(&stepped.request.instance));
        (self.pending, self.batch) = kept.into_iter().unzip();
        let chained = chained.into_iter().map(|(stepped, _)| stepped);
        let mut requests = Vec::new();
        for stepped in turns.into_iter().chain(chained) {
            let request = stepped.request;
            requests.extend(self.landed_one(request.instance));
            requests.push(request);
        }
        requests.sort_by_key(|request| request.place);
        while let Some(request) = requests.pop() {
            let id = request.instance;
            match request.tries.conflicts >= CONFLICTS {
                true => self.answer(request, Err(Error::Conflict(id))),
                false => self.todo.push_front(request),
            }
        }
    }

    /// A turn was refused for good: what was stepped on top of it is stepped again on what is stored.
    fn drop_chain(&mut self, id: InstanceId) {
        self.cache.remove(id);
        let position = self.pending.iter().position(|stepped| stepped.request.instance == id);
        if position.is_some() {
            let (chained, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending)
                .into_iter()
                .zip(std::mem::take(&mut self.batch))
                .partition(|(stepped, _)| stepped.request.instance == id);
            (self.pending, self.batch) = kept.into_iter().unzip();
            self.again(chained.into_iter().map(|(stepped, _)| stepped).collect());
        }
    }

    /// One uncommitted turn less; when it was the last, whoever waited for that goes on.
    pub(in crate::track) fn one_less(&mut self, id: InstanceId) {
        let released = self.landed_one(id);
        self.todo.extend(released);
    }

    /// One uncommitted turn less; when it was the last, gives back whoever waited for that.
    fn landed_one(&mut self, id: InstanceId) -> Vec<Boxed> {
        let Some(count) = self.uncommitted.get_mut(&id) else { return Vec::new() };
        *count -= 1;
        if *count > 0 {
            return Vec::new();
        }
        self.uncommitted.remove(&id);
        let released = self.waiting.remove(&id).unwrap_or_default();
        self.held_back -= released.len();
        released
    }

    /// The commit may have happened. The store is asked until it knows.
    fn ask_what_happened(&mut self, turns: Vec<Stepped>, reason: &str) {
        tracing::warn!(reason, turns = turns.len(), "the outcome of a commit is unknown: asking the store");
        let keys: Vec<_> = turns.iter().map(|stepped| stepped.turn).collect();
        let store = Arc::clone(&self.shared.store);
        let landing = Box::pin(async move {
            loop {
                match store.settle(keys.clone()).await {
                    Ok(durable) => {
                        let outcome = |done| if done { Outcome::Committed } else { Outcome::Conflict };
                        return Ok(durable.into_iter().map(outcome).collect());
                    }
                    // Nobody will know before the store is opened anew.
                    Err(error @ StoreError::DiskFailed(_)) => return Err(error),
                    Err(error) => {
                        tracing::warn!(%error, "the store does not answer yet");
                        tokio::time::sleep(Duration::from_millis(500)).await;
                    }
                }
            }
        });
        self.flights.push_front(Flight { turns, landing });
    }

    /// Nothing was written: try again after a pause.
    fn wait_out(&mut self, mut turns: Vec<Stepped>, error: &StoreError) {
        tracing::warn!(%error, turns = turns.len(), "the store is out of reach: waiting");
        let given_up = turns.iter().any(|stepped| stepped.request.tries.outages >= OUTAGES);
        if given_up {
            return self.refuse(turns, error);
        }
        for stepped in &mut turns {
            stepped.request.tries.outages += 1;
        }
        let tries = turns.first().map_or(1, |stepped| stepped.request.tries.outages);
        self.pause = Some(Duration::from_millis((10 << tries.min(6)).min(500)));
        self.again(turns);
    }

    fn refuse(&mut self, turns: Vec<Stepped>, error: &StoreError) {
        for stepped in turns {
            let id = stepped.request.instance;
            self.one_less(id);
            self.drop_chain(id);
            self.answer(stepped.request, Err(Error::Store(error.clone())));
        }
    }
}
