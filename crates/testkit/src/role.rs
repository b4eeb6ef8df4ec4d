//! One instance of a transcript: its history, folded and told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tyer_engine::{EventKind, Instance, InstanceId, Number, Timestamp, Wait, pack, unpack};
use tyer_model::Process;

use crate::ask::Item;
use crate::line::Place;
use crate::script::Script;
use crate::stage::Page;
use crate::tell::Teller;
use tyer_store::invariants;

/// One instance of a transcript.
pub(crate) struct Role {
    pub(crate) id: InstanceId,
    /// What it runs now.
    pub(crate) process: Arc<Process>,
    /// Its history, folded.
    pub(crate) folded: Instance,
    /// How it was at its snapshots.
    pub(crate) bookmarks: BTreeMap<String, Instance>,
    /// How its lines begin; empty for the first instance of the transcript.
    label: String,
    count: usize,
    pages: Vec<(Page, Arc<Process>)>,
    fired: BTreeSet<Number>,
}

impl Role {
    /// An instance that has just been seen; its first page says what it runs.
    pub(crate) fn new(id: InstanceId, first: Option<&Page>, script: &Script) -> Result<Role, String> {
        let text = first.map(|page| page.events.as_str()).unwrap_or_default();
        let (name, version) = (field(text, "process"), field(text, "version"));
        let (name, version) = name.zip(version).ok_or_else(|| format!("{id} does not say what it runs"))?;
        let process = version_of(script, name, version.parse().unwrap_or(1));
        let process = process.ok_or_else(|| format!("{id} runs `{name}`, which is not drawn"))?;
        Ok(Role {
            id,
            process,
            folded: Instance::blank(id),
            bookmarks: BTreeMap::new(),
            label: String::new(),
            count: 1,
            pages: Vec::new(),
            fired: BTreeSet::new(),
        })
    }

    /// The first instance of all needs no name; another has that of its process, and a number from the second on.
    pub(crate) fn label(&mut self, count: usize, is_first: bool) {
        self.count = count;
        self.label = match count {
            _ if is_first => String::new(),
            1 => format!("{}: ", self.process.id),
            count => format!("{} {count}: ", self.process.id),
        };
    }

    pub(crate) fn is(&self, process: &str, count: usize) -> bool {
        self.process.id == process && self.count == count
    }

    /// Folds new turns, checks every promise and tells what happened.
    pub(crate) fn read(
        &mut self,
        pages: Vec<Page>,
        state: &Instance,
        script: &Script,
        began: Timestamp,
    ) -> Result<Vec<String>, String> {
        let mut told = Vec::new();
        for page in pages {
            // A turn that changes the version is written in the words of the new one.
            if let Some(at) = page.events.find("\"workflow.migrated\"") {
                let version = field(&page.events[at..], "version").and_then(|version| version.parse().ok());
                let process = version_of(script, &self.process.id, version.unwrap_or(1));
                self.process = process.ok_or("it goes on under a version that is not drawn")?;
            }
            let process = Arc::clone(&self.process);
            let mut teller = Teller::new(&process, began);
            self.fold(&page, &mut teller)?;
            told.extend(teller.finish());
            self.pages.push((page, process));
        }
        if self.folded != *state {
            return Err(format!(
                "I4: the history does not give the state\nfolded: {:#?}\nstate: {state:#?}",
                self.folded
            ));
        }
        match invariants(&self.process, state)[..] {
            [] => Ok(told.into_iter().map(|line| format!("{}{line}", self.label)).collect()),
            ref broken => Err(format!("{}\n{}", broken.join("\n"), told.join("\n"))),
        }
    }

    fn fold(&mut self, page: &Page, teller: &mut Teller<'_>) -> Result<(), String> {
        if page.first_seq != self.folded.version + 1 {
            return Err(format!("I4: event {} follows event {}", page.first_seq, self.folded.version));
        }
        let events = unpack(&self.process, &page.events).map_err(|error| error.to_string())?;
        if pack(&self.process, &events) != page.events {
            return Err(format!("a turn does not read back as it was packed: {}", page.events));
        }
        for event in &events {
            if let EventKind::TimerFired { timer } = &event.kind {
                self.check_timer(*timer, page.at)?;
            }
            teller.tell(&self.folded, page.at, event);
            self.folded.apply(event, page.at);
            if let EventKind::SnapshotTaken { name } = &event.kind {
                self.bookmarks.insert(name.clone(), self.folded.clone());
            }
        }
        Ok(())
    }

    /// How it was after this many events.
    pub(crate) fn state_at(&self, seq: u64) -> Result<(Arc<Process>, Instance), String> {
        let (mut instance, mut last) = (Instance::blank(self.id), Arc::clone(&self.process));
        for (page, process) in &self.pages {
            let events = unpack(process, &page.events).map_err(|error| error.to_string())?;
            for event in &events {
                if instance.version < seq {
                    instance.apply(event, page.at);
                    last = Arc::clone(process);
                }
            }
        }
        Ok((last, instance))
    }

    /// I8: a timer fires once, and never early.
    fn check_timer(&mut self, number: Number, at: Timestamp) -> Result<(), String> {
        let timer = self.folded.timers.get(&number);
        let timer = timer.ok_or_else(|| format!("I8: timer {number} fired and was not armed"))?;
        if timer.due > at {
            return Err(format!("I8: timer {number} fired at {at}, before its moment {}", timer.due));
        }
        if self.fired.insert(number) { Ok(()) } else { Err(format!("I8: timer {number} fired twice")) }
    }

    /// The job or task at a place.
    pub(crate) fn item(&self, place: &Place) -> Result<Item, String> {
        self.waiting(place, "a result", |wait| {
            if let Wait::Task(task) = wait {
                return Some(Item::Task(*task));
            }
            if let Wait::Job(job) = wait { Some(Item::Job(job.number)) } else { None }
        })
    }

    /// The incident at a place.
    pub(crate) fn incident(&self, place: &Place) -> Result<Number, String> {
        if let Place::Incident(incident) = place {
            return Ok(*incident);
        }
        self.waiting(
            place,
            "help",
            |wait| if let Wait::Incident(incident) = wait { Some(*incident) } else { None },
        )
    }

    /// The token at a place; one that is named by its number need not live.
    pub(crate) fn token(&self, place: &Place) -> Result<Number, String> {
        match place {
            Place::Token(token) => Ok(*token),
            Place::Node(..) => Ok(self.found(place, "anything", |_| Some(()))?.0),
            Place::Job(_) | Place::Task(_) | Place::Incident(_) => Err("say which node or token".to_owned()),
        }
    }

    fn waiting<T>(
        &self,
        place: &Place,
        what: &str,
        wanted: impl Fn(&Wait) -> Option<T>,
    ) -> Result<T, String> {
        Ok(self.found(place, what, wanted)?.1)
    }

    /// The one thing that a token at this place waits for.
    fn found<T>(
        &self,
        place: &Place,
        what: &str,
        wanted: impl Fn(&Wait) -> Option<T>,
    ) -> Result<(Number, T), String> {
        let (name, wanted_node, token) = match place {
            Place::Node(node, token) => {
                let ix = self.process.find_node(node).ok_or_else(|| format!("there is no node {node}"))?;
                (node.clone(), Some(ix), *token)
            }
            Place::Token(token) => (format!("token {token}"), None, Some(*token)),
            Place::Job(_) | Place::Task(_) | Place::Incident(_) => return Err("say which node".to_owned()),
        };
        let here = self.folded.tokens.iter().filter(|(number, standing)| {
            wanted_node.is_none_or(|node| standing.node == node)
                && token.is_none_or(|token| token == **number)
        });
        let mut found: Vec<(Number, T)> =
            here.filter_map(|(number, token)| Some((*number, wanted(&token.wait)?))).collect();
        match found.len() {
            0 => Err(format!("no token at {name} waits for {what}")),
            1 => Ok(found.remove(0)),
            _ => {
                let choices: Vec<String> =
                    found.iter().map(|(number, _)| format!("{name}#{number}")).collect();
                Err(format!("several tokens wait there: {}", choices.join(", ")))
            }
        }
    }
}

/// A process of the script in one of its versions.
fn version_of(script: &Script, name: &str, version: usize) -> Option<Arc<Process>> {
    let later = script.later.iter().flat_map(|(_, processes)| processes);
    let mut versions = script.processes.iter().chain(later).filter(|process| process.id == name);
    versions.nth(version.saturating_sub(1)).cloned()
}

/// The value of the first field of this name in a JSON text.
pub(crate) fn field<'t>(json: &'t str, name: &str) -> Option<&'t str> {
    let from = json.find(&format!("\"{name}\":"))? + name.len() + 3;
    let value = json[from..].trim_start_matches('"');
    value.split(['"', ',', '}']).next()
}
