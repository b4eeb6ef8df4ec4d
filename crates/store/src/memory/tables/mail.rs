//! Letters and start events in memory.

use std::sync::Arc;

use tyer_engine::{InstanceId, Number, StartWanted, Timestamp, Wanted};
use tyer_map::{Map, Set};

use super::Tables;
use crate::mail::{
    Errand, Letter, Mail, Message, Post, Signal, Sought, StartEvent, StartEventKey, Take, Waiting,
};
use crate::tenant::Tenant;

#[derive(Default)]
pub(super) struct Letters {
    errands: Map<i64, Errand>,
    messages: Map<i64, Message>,
    by_name: Set<(Tenant, Arc<str>, i64)>,
    expiring: Set<(Timestamp, i64)>,
    unexamined: Set<(Timestamp, i64)>,
    signals: Map<i64, Signal>,
    taken: Set<(i64, String)>,
    pub(super) starts: Map<StartEventKey, StartEvent>,
    pub(super) start_keys: Map<(Tenant, String, String), InstanceId>,
    /// Who waits for what: tenant, kind, name and key of subscriptions.
    listening: Set<(Tenant, Heard, InstanceId, Number)>,
}

/// What a subscription can hear.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Heard {
    Message(Arc<str>, Option<String>),
    Signal(Arc<str>),
}

fn heard(wanted: &Wanted) -> Option<Heard> {
    match wanted {
        Wanted::Message { name, key } => Some(Heard::Message(Arc::clone(name), key.clone())),
        Wanted::Signal { name } => Some(Heard::Signal(Arc::clone(name))),
        Wanted::Condition { .. } => None,
    }
}

impl Letters {
    /// Messages that wait now and that nobody has, newest first.
    pub(super) fn unmatched(
        &self,
        tenant: &Tenant,
        below: Option<i64>,
        now: Timestamp,
        limit: usize,
    ) -> Vec<Message> {
        let nobody_has =
            |id: i64| self.taken.range((id, String::new())..(id + 1, String::new())).next().is_none();
        let messages = self.messages.range(..below.unwrap_or(i64::MAX)).rev();
        let messages = messages.filter(|(_, message)| message.tenant == *tenant);
        let free = messages.filter(|(id, message)| message.expires_at > now && nobody_has(**id));
        free.take(limit).map(|(_, message)| message.clone()).collect()
    }

    pub(super) fn can_take(&self, take: &Take) -> bool {
        let free = |id: i64, taker: &String| !self.taken.contains(&(id, taker.clone()));
        match take {
            Take::Errand { id, .. } => self.errands.contains_key(id),
            Take::Message { id, taker } => self.messages.contains_key(id) && free(*id, taker),
            Take::Signal { id, taker } => self.signals.contains_key(id) && free(*id, taker),
            Take::StartTimer { event, due, .. } => self.due_of(event) == Some(*due),
        }
    }

    /// An errand to it or of it is not done.
    pub(super) fn is_named(&self, id: InstanceId) -> bool {
        self.errands.values().any(|errand| errand.target == id || errand.sender == id)
    }

    fn due_of(&self, event: &StartEventKey) -> Option<Timestamp> {
        self.starts.get(event).and_then(|event| due(&event.wanted))
    }

    pub(super) fn write(&mut self, mail: Mail) {
        match mail.takes {
            None => {}
            Some(Take::Errand { id, .. }) => drop(self.errands.remove(&id)),
            Some(Take::Message { id, taker } | Take::Signal { id, taker }) => {
                self.taken.insert((id, taker));
            }
            Some(Take::StartTimer { event, next: None, .. }) => drop(self.starts.remove(&event)),
            Some(Take::StartTimer { event, next: Some((due, cycle)), .. }) => {
                let event = self.starts.get_mut(&event).expect("it was checked");
                event.wanted = StartWanted::Timer { due, cycle };
            }
        }
        for letter in mail.leaves {
            self.put(letter);
        }
    }

    fn put(&mut self, letter: Letter) {
        match letter {
            Letter::Errand(errand) => drop(self.errands.insert(errand.id, errand)),
            Letter::Message(message) => {
                self.by_name.insert((message.tenant.clone(), Arc::clone(&message.name), message.id));
                self.expiring.insert((message.expires_at, message.id));
                self.unexamined.extend(message.due.map(|due| (due, message.id)));
                self.messages.insert(message.id, message);
            }
            Letter::Signal(signal) => drop(self.signals.insert(signal.id, signal)),
        }
    }

    pub(super) fn post(&mut self, post: Post) -> bool {
        match post {
            Post::Message(message) => {
                let same = |old: &Message| {
                    old.message_id.is_some()
                        && (&old.name, &old.key, &old.message_id)
                            == (&message.name, &message.key, &message.message_id)
                };
                let waits = |old: &Message| old.id != message.id && old.expires_at >= message.published_at;
                if self.named(&message.tenant, &message.name).any(|old| waits(old) && same(old)) {
                    return false;
                }
                self.put(Letter::Message(message));
            }
            Post::Signal(signal) => self.put(Letter::Signal(signal)),
            Post::Examined(id, now) => {
                if let Some(message) = self.messages.get_mut(&id) {
                    if let Some(due) = message.due.take() {
                        self.unexamined.remove(&(due, id));
                    }
                    if message.expires_at <= now {
                        self.forget_message(id);
                    }
                }
            }
            Post::Delivered(id, Some(cursor)) => {
                if let Some(signal) = self.signals.get_mut(&id) {
                    signal.cursor = cursor;
                }
            }
            Post::Delivered(id, None) => {
                self.signals.remove(&id);
                self.forget_takers(id);
            }
            Post::Dropped(_, id) => drop(self.errands.remove(&id)),
        }
        true
    }

    fn named(&self, tenant: &Tenant, name: &Arc<str>) -> impl Iterator<Item = &Message> {
        let place = |id| (tenant.clone(), Arc::clone(name), id);
        self.by_name.range(place(i64::MIN)..=place(i64::MAX)).map(|(.., id)| &self.messages[id])
    }

    fn forget_message(&mut self, id: i64) {
        if let Some(message) = self.messages.remove(&id) {
            self.by_name.remove(&(message.tenant.clone(), Arc::clone(&message.name), id));
            self.expiring.remove(&(message.expires_at, id));
            self.unexamined.remove(&(message.due.unwrap_or_default(), id));
        }
        self.forget_takers(id);
    }

    fn forget_takers(&mut self, letter: i64) {
        let takers = self.taken.range((letter, String::new())..(letter + 1, String::new())).cloned();
        for taker in takers.collect::<Vec<_>>() {
            self.taken.remove(&taker);
        }
    }

    /// A new life of the store: nobody knows whether receivers were looked for.
    pub(super) fn examine_all(&mut self) {
        for (id, message) in &mut self.messages {
            if message.due.is_none() {
                message.due = Some(Timestamp(0));
                self.unexamined.insert((Timestamp(0), *id));
            }
        }
    }

    /// A subscription was opened or closed.
    pub(super) fn listen(
        &mut self,
        tenant: &Tenant,
        (id, n): (InstanceId, Number),
        old: Option<&Wanted>,
        new: Option<&Wanted>,
    ) {
        if let Some(heard) = old.and_then(heard) {
            self.listening.remove(&(tenant.clone(), heard, id, n));
        }
        if let Some(heard) = new.and_then(heard) {
            self.listening.insert((tenant.clone(), heard, id, n));
        }
    }

    fn listeners(
        &self,
        tenant: &Tenant,
        heard: Heard,
        after: (InstanceId, Number),
    ) -> impl Iterator<Item = (InstanceId, Number)> {
        let first = (tenant.clone(), heard.clone(), after.0, after.1 + 1);
        let last = (tenant.clone(), heard, InstanceId(i64::MAX), Number::MAX);
        self.listening.range(first..=last).map(|(.., id, n)| (*id, *n))
    }

    /// What nobody has seen to, oldest first.
    pub(super) fn due(&mut self, now: Timestamp, limit: usize) -> Vec<Letter> {
        let over: Vec<i64> = self.expiring.range(..(now, i64::MIN)).map(|(_, id)| *id).collect();
        for id in over {
            self.forget_message(id);
        }
        let errands = self.errands.values().filter(|errand| errand.due <= now).cloned().map(Letter::Errand);
        let messages = self.unexamined.range(..=(now, i64::MAX)).map(|(_, id)| self.messages[id].clone());
        let signals = self.signals.values().filter(|signal| signal.due <= now).cloned().map(Letter::Signal);
        errands.chain(messages.map(Letter::Message)).chain(signals).take(limit).collect()
    }

    /// Start events whose moment has come, and the next moment after those.
    pub(super) fn due_starts(&self, now: Timestamp, limit: usize) -> (Vec<StartEvent>, Option<Timestamp>) {
        let mut timed: Vec<(Timestamp, &StartEvent)> =
            self.starts.values().filter_map(|event| Some((due(&event.wanted)?, event))).collect();
        timed.sort_by_key(|(due, _)| *due);
        let next = timed.iter().map(|(due, _)| *due).find(|due| *due > now);
        let due = timed.into_iter().filter(|(due, _)| *due <= now).take(limit);
        (due.map(|(_, event)| event.clone()).collect(), next)
    }

    pub(super) fn start_events(&self, tenant: &Tenant, message: bool, name: &str) -> Vec<StartEvent> {
        let wants = |wanted: &StartWanted| match wanted {
            StartWanted::Message { name: waited } => message && **waited == *name,
            StartWanted::Signal { name: waited } => !message && **waited == *name,
            StartWanted::Timer { .. } => false,
        };
        let theirs = self.starts.values().filter(|event| event.tenant == *tenant);
        theirs.filter(|event| wants(&event.wanted)).cloned().collect()
    }

    pub(super) fn buffered(
        &self,
        tenant: &Tenant,
        name: &str,
        key: Option<&str>,
        taker: &str,
        now: Timestamp,
        limit: usize,
    ) -> Vec<Message> {
        let wanted = |message: &&Message| {
            (key.is_none() || message.key.as_deref() == key)
                && message.expires_at >= now
                && !self.taken.contains(&(message.id, taker.to_owned()))
        };
        self.named(tenant, &Arc::from(name)).filter(wanted).take(limit).cloned().collect()
    }
}

impl Tables {
    pub(in crate::memory) fn start_events(
        &self,
        tenant: &Tenant,
        message: bool,
        name: &str,
    ) -> Vec<StartEvent> {
        self.letters.start_events(tenant, message, name)
    }

    pub(in crate::memory) fn buffered(
        &self,
        tenant: &Tenant,
        name: &str,
        key: Option<&str>,
        taker: &str,
        now: Timestamp,
        limit: usize,
    ) -> Vec<Message> {
        self.letters.buffered(tenant, name, key, taker, now, limit)
    }

    pub(in crate::memory) fn post(&mut self, posts: Vec<Post>) -> Vec<bool> {
        posts.into_iter().map(|post| self.letters.post(post)).collect()
    }

    pub(in crate::memory) fn waiting(&self, sought: &Sought, limit: usize) -> Vec<Waiting> {
        let process = |id: InstanceId| self.instances[&id].process.id.clone();
        let waiting = |(id, n)| Waiting { instance: id, subscription: n, process: process(id) };
        match sought {
            Sought::Message { id: letter, tenant, name, key } => {
                let of = |key: Option<String>| {
                    self.letters.listeners(tenant, Heard::Message(Arc::clone(name), key), (InstanceId(0), 0))
                };
                let mut found: Vec<(InstanceId, Number)> = of(None).collect();
                found.extend(key.iter().flat_map(|key| of(Some(key.clone()))));
                found.sort_unstable();
                let has_it =
                    |waiting: &Waiting| self.letters.taken.contains(&(*letter, waiting.process.clone()));
                found.into_iter().map(waiting).filter(|waiting| !has_it(waiting)).take(limit).collect()
            }
            Sought::Signal(signal) => {
                let heard = Heard::Signal(Arc::clone(&signal.name));
                let in_time = |(id, n): &(InstanceId, Number)| {
                    Some(*id) != signal.sender
                        && self.instances[id].subscriptions[n].since <= signal.published_at
                };
                let listeners = self.letters.listeners(&signal.tenant, heard, signal.cursor);
                listeners.filter(in_time).take(limit).map(waiting).collect()
            }
        }
    }
}

fn due(wanted: &StartWanted) -> Option<Timestamp> {
    match wanted {
        StartWanted::Timer { due, .. } => Some(*due),
        StartWanted::Message { .. } | StartWanted::Signal { .. } => None,
    }
}
