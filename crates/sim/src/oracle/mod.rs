//! The oracle: a second token game, in the style of a Petri net, that accepts or refuses what an engine did.
//!
//! It keeps the *set* of markings that the observations so far allow. An observation is a transition; markings in which
//! it is not enabled are dropped; when none is left, the history is one that BPMN (and `SEMANTICS` §1–§3) does not allow.
//!
//! What it can judge: all gateways with joins, splits and conditions (when variables are told), merge modes by marks,
//! starvation, boundary events, event sub-processes, errors and escalations with their nearest catcher, cancel,
//! terminate, links, embedded, event, transaction and ad-hoc sub-processes, multi-instance, loops, and the order of
//! compensation, start and completion quantities, incidents and what follows when they are resolved. What it leaves to
//! others: variables and mappings, messages and signals (any waiting event may fire), time (a timer fires at most as often
//! as it says), retries, compensation event sub-processes, sagas, modification, migration to a changed version, rollback:
//! from there on it is not told anything. Where BPMN leaves a choice, it accepts every one.
//!
//! **Invariant:** nothing here is shared with the engine, and nothing is precomputed that a plain search can find.
//! **Invariant:** when the set grows over its limit the oracle says that it is lost, and accepts from then on.

mod compensate;
mod enabled;
mod enter;
mod events;
mod flows;
mod game;
mod joins;
mod leave;
mod marking;
mod net;
mod observation;
mod reset;
mod scopes;
mod settle;
mod walk;

pub use enabled::Urgency;
pub use marking::ROOT;
pub use observation::{Observation, Status, Violation};
pub use walk::{Walk, walk};

use crate::blueprint::{Blueprint, Variables};
use game::Game;
use marking::Marking;
use net::Net;
use std::cell::Cell;
use std::collections::BTreeSet;

/// So many markings at once; more means that observations say too little.
const MOST_MARKINGS: usize = 256;

/// Follows one instance of one process.
pub struct Oracle {
    net: Net,
    markings: BTreeSet<Marking>,
    variables: Variables,
    clock: u32,
    /// Told before their cause.
    early: Vec<Observation>,
    has_ended: bool,
    is_lost: bool,
}

impl Oracle {
    /// An instance that is about to start.
    pub fn new(blueprint: &Blueprint) -> Oracle {
        let net = Net::new(blueprint);
        let markings = Game::initial(&net);
        let variables = Variables::new();
        // Marks and `converge` speak of back edges; where it is open which ones they are, nothing can be said.
        let has_modes = blueprint.nodes.iter().any(|node| node.merge.is_some());
        let is_lost = net.has_two_heads && has_modes;
        Oracle { net, markings, variables, clock: 0, early: Vec::new(), has_ended: false, is_lost }
    }

    /// The next thing that happened, in the order of the history.
    pub fn observe(&mut self, observation: Observation) -> Result<(), Violation> {
        self.clock += 1;
        if self.has_ended {
            return Err(self.violation(&observation, "the instance has ended".to_owned()));
        }
        if let Observation::Ended { status } = observation {
            return self.ended(status);
        }
        if let Observation::Set { variable, value } = observation {
            self.variables.insert(variable, value);
            return Ok(());
        }
        if let Observation::Forgotten { variable } = observation {
            self.variables.remove(&variable);
            return Ok(());
        }
        self.step(observation)
    }

    /// The end of a turn: nothing that happens by itself may be left.
    pub fn settled(&mut self) -> Result<(), Violation> {
        if self.has_ended || self.is_lost {
            return Ok(());
        }
        if let Some(early) = self.early.first() {
            let reason = "nothing has happened that would cause it".to_owned();
            return Err(self.violation(early, reason));
        }
        let game = self.game();
        let mut reason = String::new();
        let mut settled = BTreeSet::new();
        for marking in &self.markings {
            match game.settle(marking) {
                Ok(marking) => _ = settled.insert(marking),
                Err(why) => reason = why,
            }
        }
        if settled.is_empty() {
            return Err(Violation { observation: None, reason });
        }
        self.markings = settled;
        Ok(())
    }

    /// The instance ended in this way.
    pub fn ended(&mut self, status: Status) -> Result<(), Violation> {
        let observation = Observation::Ended { status };
        if status == Status::Completed && !self.is_lost {
            if let Some(early) = self.early.first() {
                let reason = "nothing has happened that would cause it".to_owned();
                return Err(self.violation(early, reason));
            }
            if let Err(reason) = self.can_end() {
                return Err(self.violation(&observation, reason));
            }
        }
        self.has_ended = true;
        Ok(())
    }

    /// The observations left too much open: from here on everything is accepted.
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// How many markings are possible.
    pub fn breadth(&self) -> usize {
        self.markings.len()
    }

    fn game(&self) -> Game<'_> {
        let is_lost = Cell::new(false);
        Game { net: &self.net, variables: &self.variables, clock: self.clock, is_lost }
    }

    fn can_end(&self) -> Result<(), String> {
        let game = self.game();
        let mut result = Err("it never was".to_owned());
        for marking in &self.markings {
            result = game.check_end(marking);
            if result.is_ok() {
                break;
            }
        }
        result
    }

    fn step(&mut self, observation: Observation) -> Result<(), Violation> {
        if self.is_lost {
            return Ok(());
        }
        let Some(after) = self.after(&observation) else {
            self.is_lost = true;
            return Ok(());
        };
        match after {
            Ok(next) => self.go_to(next),
            Err(_) if observation.may_come_early() => {
                self.early.push(observation);
                return Ok(());
            }
            Err(reason) => return Err(self.violation(&observation, reason)),
        }
        self.catch_up();
        Ok(())
    }

    /// What was told early may have its cause now.
    fn catch_up(&mut self) {
        let mut place = 0;
        while let Some(early) = self.early.get(place).cloned() {
            match self.after(&early) {
                Some(Ok(next)) => {
                    self.early.remove(place);
                    self.go_to(next);
                    place = 0;
                }
                Some(Err(_)) => place += 1,
                None => return self.is_lost = true,
            }
        }
    }

    /// The markings that may follow, or why there are none; nothing if there are too many to follow.
    fn after(&self, observation: &Observation) -> Option<Result<BTreeSet<Marking>, String>> {
        let game = self.game();
        let mut next = BTreeSet::new();
        let mut reason = "no marking is possible".to_owned();
        for marking in &self.markings {
            match game.step(marking, observation) {
                Ok(found) => {
                    // When a gateway sees that nothing more is coming, at once or at the end of the turn, is left open.
                    next.extend(
                        found.iter().filter_map(|after| game.with_resets(after, false)).map(Marking::sorted),
                    );
                    next.extend(found.into_iter().map(Marking::sorted));
                }
                Err(why) => reason = why,
            }
            if game.is_lost.get() || next.len() > MOST_MARKINGS {
                return None;
            }
        }
        Some(if next.is_empty() { Err(reason) } else { Ok(next) })
    }

    fn go_to(&mut self, next: BTreeSet<Marking>) {
        self.markings = next;
    }

    fn violation(&self, observation: &Observation, reason: String) -> Violation {
        Violation { observation: Some(observation.describe(&self.net.blueprint)), reason }
    }
}
