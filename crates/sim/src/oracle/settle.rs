//! The end of a turn: what happens by itself has happened.
//!
//! **Invariant:** a settled marking holds only tokens that wait for somebody, and no leftovers of what was cancelled.

use super::game::Game;
use super::marking::{Doom, Marking, Owed, Place, ROOT, Scope, Token, Work};
use crate::blueprint::{Gateway, Kind, NodeId, SubProcess, Task, Trigger};

impl Game<'_> {
    /// The marking without leftovers, or what should have happened.
    pub(super) fn settle(&self, marking: &Marking) -> Result<Marking, String> {
        let reset = self.with_resets(marking, true);
        let marking = reset.as_ref().unwrap_or(marking);
        for (number, scope) in &marking.scopes {
            if let Some(token) = scope.tokens.iter().find(|token| token.doom == Doom::Must) {
                return Err(format!("{} in scope {number} is not cancelled", self.whereabouts(token)));
            }
        }
        for (number, scope) in marking.scopes.iter().filter(|(_, scope)| !scope.is_stale) {
            self.check_scope(marking, *number, scope)?;
        }
        let mut settled = marking.clone();
        settled.scopes.retain(|_, scope| !scope.is_stale);
        // What came too late for a complex gateway may be told to vanish at once, or when the gateway is reset.
        let is_late = |token: &Token| {
            token.flow().is_some_and(|flow| self.net.needed(self.net.blueprint[flow].to).is_some())
        };
        for scope in settled.scopes.values_mut() {
            scope.tokens.retain(|token| token.lives() || is_late(token));
        }
        Ok(settled)
    }

    /// The instance may end by itself.
    pub(super) fn check_end(&self, marking: &Marking) -> Result<(), String> {
        for (number, scope) in &marking.scopes {
            if let Some(token) = scope.tokens.iter().find(|token| token.doom != Doom::May) {
                return Err(format!("{} is left in scope {number}", self.whereabouts(token)));
            }
            if *number != ROOT && !scope.is_stale {
                return Err(format!("scope {number} is still open"));
            }
            if !scope.owed.is_empty() {
                return Err(format!("something was thrown in scope {number} that nobody has caught"));
            }
        }
        Ok(())
    }

    fn check_scope(&self, marking: &Marking, number: u32, scope: &Scope) -> Result<(), String> {
        if let Some(owed) = scope.owed.iter().find(|owed| self.is_due(scope, owed)) {
            return Err(format!("`{}` has not fired", self.net.id(owed.catcher)));
        }
        for token in scope.living() {
            self.check_token(marking, number, scope, token)?;
        }
        let owner = scope.owner.map(|owner| self.net.kind(owner));
        let waits_for_people =
            matches!(owner, Some(Kind::SubProcess(SubProcess::AdHoc { .. }))) && !scope.is_over;
        if scope.living().next().is_none() && !waits_for_people {
            return Err(match number {
                ROOT => "no token is left, and the instance has not ended".to_owned(),
                _ => format!("no token is left in scope {number}, and it is not closed"),
            });
        }
        Ok(())
    }

    /// The one who is hit is still there.
    fn is_due(&self, scope: &Scope, owed: &Owed) -> bool {
        let Kind::Boundary { host, .. } = self.net.kind(owed.catcher) else { return true };
        scope.living().any(|token| {
            let is_hit = |work: &Work| owed.through.is_none_or(|through| work.scopes.contains(&through));
            token.work_at(*host).is_some_and(is_hit)
        })
    }

    fn check_token(
        &self,
        marking: &Marking,
        number: u32,
        scope: &Scope,
        token: &Token,
    ) -> Result<(), String> {
        match &token.place {
            Place::Entry(node) => Err(format!("`{}` has not started in scope {number}", self.net.id(*node))),
            Place::Flow { flow, .. } => {
                let to = self.net.blueprint[*flow].to;
                self.check_waiting(marking, number, scope, to)
            }
            Place::Active(_, work) if work.is_stuck => Ok(()),
            Place::Active(node, work) => self.check_active(marking, number, *node, work),
        }
    }

    fn check_waiting(
        &self,
        marking: &Marking,
        number: u32,
        scope: &Scope,
        node: NodeId,
    ) -> Result<(), String> {
        let id = self.net.id(node);
        if !self.net.is_join(node) {
            return Err(format!("a token is on its way to `{id}` in scope {number}"));
        }
        if scope.starved.contains(&node) {
            return Ok(());
        }
        if self.must_fire(marking, number, node) {
            return Err(format!("`{id}` has all its tokens in scope {number} and has not fired"));
        }
        if self.net.needed(node).is_none() && self.is_starved(scope, node) {
            return Err(format!("`{id}` waits in vain in scope {number}, and no incident says so"));
        }
        Ok(())
    }

    fn check_active(&self, marking: &Marking, number: u32, node: NodeId, work: &Work) -> Result<(), String> {
        let error = |what: &str| Err(format!("`{}` {what} in scope {number}", self.net.id(node)));
        if work.is_round {
            return self.check_passing(number, node, work);
        }
        let is_container = matches!(self.net.kind(node), Kind::SubProcess(_));
        let has_rounds = self.net.blueprint[node].marker != crate::blueprint::Marker::Once;
        if is_container || has_rounds {
            if work.is_cancelled && self.has_cancel_event(node) {
                let is_waiting = !self.can_cancel(marking, work);
                return if is_waiting { Ok(()) } else { error("was cancelled, and nobody was told") };
            }
            if self.is_done_at(marking, number, node, work) {
                return error("is done and has not completed");
            }
            let must_open = self.may_open(node, work) && work.goes_on.is_some();
            return if must_open { error("has not opened its scope") } else { Ok(()) };
        }
        match &work.run {
            Some(run) if run.is_done() => error("has undone everything and has not completed"),
            Some(run) if run.running.is_none() => error("does not go on undoing"),
            Some(_) => Ok(()),
            None => self.check_passing(number, node, work),
        }
    }

    fn is_done_at(&self, marking: &Marking, number: u32, node: NodeId, work: &Work) -> bool {
        let scope = &marking.scopes[&number];
        let place = scope.tokens.iter().position(|token| token.lives() && token.work_at(node) == Some(work));
        let is_event = self.net.kind(node) == &Kind::SubProcess(SubProcess::Event);
        !is_event
            && place.is_some_and(|place| {
                self.check_done(marking, number, place).is_ok() && work.goes_on.is_some()
            })
    }

    /// What does not wait for anybody has passed.
    fn check_passing(&self, number: u32, node: NodeId, work: &Work) -> Result<(), String> {
        let waits = match self.net.kind(node) {
            Kind::Task(Task::None | Task::Manual) => false,
            Kind::Task(_) | Kind::Call(_) | Kind::SubProcess(_) => !work.has_fired,
            Kind::Catch(Trigger::Link(_)) => false,
            Kind::Catch(_) => !work.has_fired,
            Kind::Gateway(Gateway::EventBased { .. }) => true,
            Kind::Gateway(_) | Kind::Start { .. } | Kind::Throw(_) | Kind::End(_) | Kind::Boundary { .. } => {
                false
            }
        };
        let error = || format!("`{}` stands still in scope {number}", self.net.id(node));
        waits.then_some(()).ok_or_else(error)
    }

    fn whereabouts(&self, token: &Token) -> String {
        match &token.place {
            Place::Entry(node) | Place::Active(node, _) => format!("a token in `{}`", self.net.id(*node)),
            Place::Flow { flow, .. } => format!("a token on `{}`", self.net.blueprint[*flow].id),
        }
    }
}
