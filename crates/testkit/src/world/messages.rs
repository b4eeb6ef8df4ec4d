//! Messages and signals: who gets them, and who waits for them.

use std::sync::Arc;

use tyer_engine::{Command, InstanceId, Number, StartTrigger, StartWanted, Timestamp, Variables, Wanted};

use super::letters::Letter;
use super::{Member, World};

/// A message that nobody has taken yet.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) name: Arc<str>,
    pub(super) key: Option<String>,
    pub(super) id: Option<String>,
    pub(super) variables: Variables,
    pub(super) until: Timestamp,
    pub(super) taken_by: Vec<String>,
}

impl World {
    /// Publishes a message that waits some time for its receiver. One with an id that still waits is published once.
    pub fn publish(
        &mut self,
        name: &str,
        key: Option<&str>,
        id: Option<&str>,
        variables: Variables,
        ttl_ms: i64,
    ) {
        let (name, key, id) = (Arc::from(name), key.map(str::to_owned), id.map(str::to_owned));
        let until = self.now.plus_ms(ttl_ms);
        let known = |old: &Message| old.id.is_some() && (&old.name, &old.key, &old.id) == (&name, &key, &id);
        if self.messages.iter().any(|old| old.until >= self.now && known(old)) {
            return;
        }
        self.correlate(Message { name, key, id, variables, until, taken_by: Vec::new() });
        self.settle();
        if ttl_ms == 0 {
            // Nobody wanted it at once: it does not wait.
            self.messages.retain(|message| message.until != until || message.until > self.now);
        }
    }

    /// Sends a signal to everybody.
    pub fn signal(&mut self, name: &str, variables: Variables) {
        self.letters.push_back(Letter::Signal { from: None, name: Arc::from(name), variables });
        self.settle();
    }

    /// A message goes to one instance of each process that waits for it, else it waits itself.
    pub(super) fn correlate(&mut self, message: Message) {
        self.messages.push(message);
        while self.take_waiting_message() {}
    }

    /// Gives one waiting message to one that waits for it.
    pub(super) fn take_waiting_message(&mut self) -> bool {
        self.messages.retain(|message| message.until >= self.now);
        for position in 0..self.messages.len() {
            let message = self.messages[position].clone();
            if let Some((id, subscription, process)) = self.waiting_for(&message) {
                self.messages[position].taken_by.push(process);
                let (variables, name) = (message.variables, Some(message.name.to_string()));
                drop(self.turn(id, Command::Trigger { subscription, variables, message: name }));
                return true;
            }
            let begins = |(process, trigger): &&(String, StartTrigger)| {
                let wanted =
                    matches!(&trigger.wanted, StartWanted::Message { name } if *name == message.name);
                wanted
                    && !message.taken_by.contains(process)
                    && !self.is_busy(process, message.key.as_deref())
            };
            if let Some((process, trigger)) = self.starts.iter().find(begins).cloned() {
                self.messages[position].taken_by.push(process.clone());
                let begun = self.start_at(&process, &trigger, message.variables);
                self.keyed.extend(message.key.map(|key| ((process, key), begun)));
                return true;
            }
        }
        false
    }

    /// Has a message with this key begun an instance that still goes on?
    fn is_busy(&self, process: &str, key: Option<&str>) -> bool {
        let begun = key.and_then(|key| self.keyed.get(&(process.to_owned(), key.to_owned())));
        begun.is_some_and(|id| !self.instances[id].instance.status.is_ended())
    }

    fn waiting_for(&self, message: &Message) -> Option<(InstanceId, Number, String)> {
        let wants = |wanted: &Wanted| match wanted {
            Wanted::Message { name, key } => *name == message.name && (key.is_none() || *key == message.key),
            Wanted::Signal { .. } | Wanted::Condition { .. } => false,
        };
        let open = |member: &&Member| !message.taken_by.contains(&member.process.id);
        self.instances.values().filter(open).find_map(|member| {
            let mut waiting = member.instance.subscriptions.iter();
            let (number, _) = waiting.find(|(_, subscription)| wants(&subscription.wanted))?;
            Some((member.instance.id, *number, member.process.id.clone()))
        })
    }

    pub(super) fn broadcast(&mut self, from: Option<InstanceId>, name: &str, variables: &Variables) {
        let wants = |wanted: &Wanted| matches!(wanted, Wanted::Signal { name: waited } if **waited == *name);
        let mut reached = Vec::new();
        for (id, member) in self.instances.iter().filter(|(id, _)| Some(**id) != from) {
            let waiting = member.instance.subscriptions.iter().filter(|(_, waits)| wants(&waits.wanted));
            reached.extend(waiting.map(|(number, _)| (*id, *number)));
        }
        for (id, subscription) in reached {
            let trigger = Command::Trigger { subscription, variables: variables.clone(), message: None };
            drop(self.turn(id, trigger));
        }
        let begins = |trigger: &StartTrigger| matches!(&trigger.wanted, StartWanted::Signal { name: waited } if **waited == *name);
        let starts: Vec<_> = self.starts.iter().filter(|(_, trigger)| begins(trigger)).cloned().collect();
        for (process, trigger) in starts {
            self.start_at(&process, &trigger, variables.clone());
        }
    }
}
