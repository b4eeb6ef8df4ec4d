//! A walk through the net that the oracle makes by itself, in the role of both engine and driver.
//!
//! **Invariant:** between two turns the walk stands where `settled` agrees that everything waits.

use super::enabled::Urgency;
use super::{Observation, Oracle, Violation};
use crate::blueprint::{Blueprint, NodeId, Outcome};
use crate::random::Random;

/// A turn of so many observations is a loop that nobody can leave.
const MOST_IN_A_TURN: usize = 1_000;

/// All loops together go on so often: a fork inside a loop makes more tokens every round.
const MOST_ROUNDS: u32 = 6;

/// What happened on a walk, turn by turn.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// The observations of every turn.
    pub turns: Vec<Vec<Observation>>,
    /// The instance ended.
    pub has_ended: bool,
    /// Nothing can happen any more: it waits for the resolution of an incident.
    pub waits: bool,
    /// More markings were possible than the oracle keeps.
    pub is_lost: bool,
}

/// Walks from the start until the instance ends, nothing is enabled, or so many turns have gone by.
pub fn walk(blueprint: &Blueprint, seed: u64, most_turns: usize) -> Result<Walk, (Walk, Violation)> {
    let mut walker = Walker {
        oracle: Oracle::new(blueprint),
        blueprint,
        random: Random::new(seed),
        walk: Walk::default(),
        tires_at: most_turns / 2,
        rounds_left: MOST_ROUNDS,
    };
    walker.walk.turns.push(Vec::new());
    match walker.go(most_turns) {
        Ok(()) => Ok(walker.walk),
        Err(violation) => Err((walker.walk, violation)),
    }
}

struct Walker<'blueprint> {
    oracle: Oracle,
    blueprint: &'blueprint Blueprint,
    random: Random,
    walk: Walk,
    /// From this turn on, loops are left and nothing is set off that need not be.
    tires_at: usize,
    rounds_left: u32,
}

impl Walker<'_> {
    fn go(&mut self, most_turns: usize) -> Result<(), Violation> {
        for (variable, value) in self.blueprint.variables.clone() {
            self.take(Observation::Set { variable, value })?;
        }
        while self.walk.turns.len() < most_turns && !self.is_over() {
            if self.walk.turns.last().is_some_and(|turn| turn.len() > MOST_IN_A_TURN) {
                let reason = "the turn does not end".to_owned();
                return Err(Violation { observation: None, reason });
            }
            let enabled = self.oracle.enabled();
            let automatic: Vec<&Observation> = of(&enabled, Urgency::Automatic);
            if !automatic.is_empty() {
                let chosen = (*self.random.pick(&automatic)).clone();
                self.take(chosen)?;
                continue;
            }
            self.oracle.settled()?;
            self.walk.turns.push(Vec::new());
            let outside = self.wanted(of(&enabled, Urgency::Outside));
            if outside.is_empty() {
                self.walk.waits = true;
            } else {
                let chosen = self.random.pick(&outside).clone();
                self.act(chosen)?;
            }
        }
        Ok(())
    }

    fn is_over(&mut self) -> bool {
        self.walk.is_lost = self.oracle.is_lost();
        self.walk.has_ended || self.walk.waits || self.walk.is_lost
    }

    /// A tired driver only completes things.
    fn wanted(&self, enabled: Vec<&Observation>) -> Vec<Observation> {
        let is_tired = self.walk.turns.len() > self.tires_at;
        let completes = |observation: &&&Observation| matches!(observation, Observation::Completed { .. });
        let calm: Vec<Observation> = enabled.iter().filter(completes).map(|found| (*found).clone()).collect();
        if is_tired && !calm.is_empty() { calm } else { enabled.into_iter().cloned().collect() }
    }

    /// Completing a task writes its outcome first, and that may change which way it goes on.
    fn act(&mut self, chosen: Observation) -> Result<(), Violation> {
        let Observation::Completed { node, scope, .. } = chosen else { return self.take(chosen) };
        self.write_outcome(node)?;
        let same: Vec<Observation> = self
            .oracle
            .enabled()
            .into_iter()
            .map(|(observation, _)| observation)
            .filter(|other| {
                matches!(other, Observation::Completed { node: at, scope: within, .. } if (*at, *within) == (node, scope))
            })
            .collect();
        if same.is_empty() {
            return Ok(());
        }
        let chosen = self.random.pick(&same).clone();
        self.take(chosen)
    }

    fn write_outcome(&mut self, node: NodeId) -> Result<(), Violation> {
        let is_tired = self.walk.turns.len() > self.tires_at;
        for Outcome { variable, values, exit } in self.blueprint[node].results.clone() {
            let mut value = self.random.pick(&values).clone();
            if let Some(exit) = exit {
                if is_tired || self.rounds_left == 0 {
                    value = exit;
                } else if value != exit {
                    self.rounds_left -= 1;
                }
            }
            self.take(Observation::Set { variable, value })?;
        }
        Ok(())
    }

    fn take(&mut self, observation: Observation) -> Result<(), Violation> {
        self.walk.has_ended |= matches!(observation, Observation::Ended { .. });
        let turn = self.walk.turns.last_mut().expect("a walk begins with a turn");
        turn.push(observation.clone());
        self.oracle.observe(observation)
    }
}

fn of(enabled: &[(Observation, Urgency)], urgency: Urgency) -> Vec<&Observation> {
    enabled.iter().filter(|(_, other)| *other == urgency).map(|(observation, _)| observation).collect()
}
