//! Inner scopes: sub-processes and the rounds of activities with markers.
//!
//! **Invariant:** a scope closes when nothing lives in it, and its activity completes when nothing of it is open.

use super::game::{Game, Step};
use super::marking::{Doom, Marking, Place, ROOT, Record, Scope, Token, Work};
use crate::blueprint::{FlowId, Kind, Marker, NodeId, SubProcess, Trigger};

impl Game<'_> {
    pub(super) fn open(&self, marking: &Marking, number: u32, parent: u32, node: NodeId) -> Step {
        if marking.scopes.contains_key(&number) {
            return Err(format!("scope {number} is already open"));
        }
        let found = self.openers(marking, parent, node);
        if !found.is_empty() {
            return Ok(found.iter().map(|(at, place)| self.opened(marking, number, *at, *place)).collect());
        }
        if self.net.kind(node) == &Kind::SubProcess(SubProcess::Event) {
            let triggered = self.trigger_event_sub_process(marking, node, parent)?;
            let open = |next: &Marking| {
                let openers = self.openers(next, parent, node);
                openers.iter().map(|(at, place)| self.opened(next, number, *at, *place)).collect::<Vec<_>>()
            };
            return Ok(triggered.iter().flat_map(open).collect());
        }
        Err(format!("`{}` opens no scope in scope {parent}", self.net.id(node)))
    }

    /// Tokens that may open a scope; a compensation handler may be told to run elsewhere than it does here.
    fn openers(&self, marking: &Marking, parent: u32, node: NodeId) -> Vec<(u32, usize)> {
        let may = |token: &Token| token.work_at(node).is_some_and(|work| self.may_open(node, work));
        let here = marking
            .scopes
            .get(&parent)
            .map_or(Vec::new(), |scope| scope.find(|token| token.lives() && may(token)));
        if !here.is_empty() || self.net.blueprint[node].compensates.is_none() {
            return here.into_iter().map(|place| (parent, place)).collect();
        }
        let everywhere = marking.scopes.iter().flat_map(|(number, scope)| {
            scope.find(|token| token.lives() && may(token)).into_iter().map(|place| (*number, place))
        });
        everywhere.collect()
    }

    pub(super) fn may_open(&self, node: NodeId, work: &Work) -> bool {
        match &self.net.blueprint[node].marker {
            Marker::Once => matches!(self.net.kind(node), Kind::SubProcess(_)) && work.opened == 0,
            Marker::Multiple(multiple) => {
                let is_turn = !multiple.is_sequential || work.opened == work.closed;
                !work.is_enough && work.opened < multiple.count && is_turn
            }
            Marker::Loop { .. } => work.opened == work.closed && work.goes_on != Some(false),
        }
    }

    fn opened(&self, marking: &Marking, number: u32, parent: u32, place: usize) -> Marking {
        let mut next = marking.clone();
        let mut owner = None;
        if let Place::Active(node, work) = &mut next.scope_mut(parent).tokens[place].place {
            work.opened += 1;
            work.scopes.push(number);
            work.is_unannounced = false;
            owner = Some(*node);
        }
        let tokens = owner.map_or(Vec::new(), |node| self.first_tokens(node));
        next.scopes.insert(number, Scope { parent: Some(parent), owner, tokens, ..Scope::default() });
        next
    }

    fn first_tokens(&self, node: NodeId) -> Vec<Token> {
        if let Kind::SubProcess(_) = self.net.kind(node) {
            let starts = self.net.blueprint.starts(Some(node));
            return starts.map(|start| Token::new(Place::Entry(start), Vec::new())).collect();
        }
        let work = Work { is_round: true, is_unannounced: true, ..Work::default() };
        vec![Token::new(Place::Active(node, work), Vec::new())]
    }

    pub(super) fn close(&self, marking: &Marking, number: u32) -> Step {
        let mut next = marking.clone();
        if let Some(place) = next.gone.iter().position(|gone| *gone == number) {
            next.gone.remove(place);
            return Ok(vec![next]);
        }
        let scope = marking.scope(number)?;
        let unfinished = scope.tokens.iter().find(|token| token.doom == Doom::Must);
        let living = scope.living().find(|token| !is_silent_round(token));
        if number == ROOT || unfinished.is_some() || (living.is_some() && !scope.is_stale) {
            return Err(format!("scope {number} is not finished"));
        }
        if scope.is_stale {
            next.scopes.remove(&number);
            return Ok(vec![next]);
        }
        let outer = scope.parent.and_then(|parent| marking.scopes.get(&parent));
        let is_on_its_way =
            outer.is_some_and(|outer| outer.owed.iter().any(|owed| owed.through == Some(number)));
        if !scope.owed.is_empty() || is_on_its_way {
            return Err(format!("something was thrown in scope {number} that nobody has caught yet"));
        }
        let (parent, place) =
            marking.owner_of(number).ok_or_else(|| format!("scope {number} belongs to nobody"))?;
        let records = scope.records.clone();
        next.scopes.remove(&number);
        Ok(self.return_to_owner(next, number, parent, place, records))
    }

    /// The activity learns that a scope of it has ended, and decides whether it goes on.
    fn return_to_owner(
        &self,
        mut marking: Marking,
        number: u32,
        parent: u32,
        place: usize,
        records: Vec<Record>,
    ) -> Vec<Marking> {
        let token = &mut marking.scope_mut(parent).tokens[place];
        let Place::Active(node, work) = &mut token.place else { return Vec::new() };
        let node = *node;
        work.scopes.retain(|other| *other != number);
        work.closed += 1;
        if self.net.kind(node) == &Kind::SubProcess(SubProcess::Event) {
            token.doom = Doom::May;
            return self.keep_or_drop(marking, parent, node, records);
        }
        work.records.extend(records);
        match &self.net.blueprint[node].marker {
            Marker::Once => vec![marking],
            Marker::Loop { while_holds, at_most, .. } => {
                let is_last = at_most.is_some_and(|most| work.closed >= most);
                work.goes_on = if is_last { Some(false) } else { while_holds.value(self.variables) };
                vec![marking]
            }
            Marker::Multiple(multiple) => match &multiple.until {
                None => vec![marking],
                Some(until) => self.perhaps_enough(marking, parent, place, until.value(self.variables)),
            },
        }
    }

    /// Whether what an event sub-process did is undone with its scope is left open.
    fn keep_or_drop(&self, marking: Marking, parent: u32, node: NodeId, inner: Vec<Record>) -> Vec<Marking> {
        if inner.is_empty() {
            return vec![marking];
        }
        let mut kept = marking.clone();
        let record = Record { at: self.clock, activity: node, handler: None, inner };
        kept.scope_mut(parent).records.push(record);
        vec![marking, kept]
    }

    fn perhaps_enough(
        &self,
        marking: Marking,
        parent: u32,
        place: usize,
        is_enough: Option<bool>,
    ) -> Vec<Marking> {
        let mut enough = marking.clone();
        let mut left = Vec::new();
        if let Some(work) = enough.scope_mut(parent).tokens[place].work_mut() {
            work.is_enough = true;
            left.clone_from(&work.scopes);
        }
        for number in left {
            self.doom_scope(&mut enough, number);
        }
        match is_enough {
            Some(true) => vec![enough],
            Some(false) => vec![marking],
            None => vec![marking, enough],
        }
    }

    /// An activity that completes has seen its inner scopes end, even if that is told later.
    pub(super) fn with_finished_closed(&self, marking: &Marking, number: u32, place: usize) -> Vec<Marking> {
        let inner = marking.scopes[&number].tokens[place].work().map(|(_, work)| work.scopes.clone());
        let mut all = vec![marking.clone()];
        for scope in inner.unwrap_or_default() {
            // A round whose end is told by its scope alone has not ended until that is told.
            let can_close = |scope: &Scope| !scope.is_stale && scope.is_finished();
            if !marking.scopes.get(&scope).is_some_and(can_close) {
                continue;
            }
            if let Ok(closed) =
                all.iter().map(|marking| self.close(marking, scope)).collect::<Result<Vec<_>, _>>()
            {
                all = closed.into_iter().flatten().collect();
                all.iter_mut().for_each(|marking| marking.gone.push(scope));
            }
        }
        all
    }

    /// Everything that the node waits for is over.
    pub(super) fn check_done(&self, marking: &Marking, number: u32, place: usize) -> Result<(), String> {
        let scope = marking.scope(number)?;
        let Some((node, work)) = scope.tokens[place].work() else { return Err("nobody is there".to_owned()) };
        let error = |why: &str| Err(format!("`{}` cannot complete: {why}", self.net.id(node)));
        if work.run.as_ref().is_some_and(|run| !run.is_done()) {
            return error("not everything is undone");
        }
        if work.is_cancelled && self.has_cancel_event(node) {
            return error("it was cancelled");
        }
        let is_open = |number: &u32| marking.scopes.get(number).is_some_and(|scope| !scope.is_stale);
        if work.scopes.iter().any(is_open) {
            return error("something in it still runs");
        }
        let is_done = match &self.net.blueprint[node].marker {
            Marker::Once => !matches!(self.net.kind(node), Kind::SubProcess(_)) || work.opened > 0,
            Marker::Multiple(multiple) => work.is_enough || work.closed >= multiple.count,
            Marker::Loop { .. } => work.goes_on != Some(true),
        };
        if is_done { Ok(()) } else { error("it has rounds left") }
    }

    pub(super) fn has_cancel_event(&self, node: NodeId) -> bool {
        let is_cancel = |event: NodeId| self.net.kind(event).trigger() == Some(&Trigger::Cancel);
        self.net.blueprint.boundaries(node).any(is_cancel)
    }

    /// Whether a loop has a first round.
    pub(super) fn goes_on_at_first(&self, node: NodeId) -> Option<bool> {
        match &self.net.blueprint[node].marker {
            Marker::Loop { while_holds, tests_before: true, .. } => while_holds.value(self.variables),
            Marker::Loop { .. } | Marker::Once | Marker::Multiple(_) => Some(true),
        }
    }

    /// The start of a round may be told, with its completion then.
    pub(super) fn announce_round(&self, marking: &Marking, node: NodeId, number: u32) -> Step {
        let scope = marking.scope(number)?;
        let tries_again =
            |token: &Token| token.work().is_some_and(|(_, work)| work.is_round && work.tries_again);
        let found = scope.find(|token| token.lives() && (is_silent_round(token) || tries_again(token)));
        if found.is_empty() {
            return Err(format!("the round of `{}` has begun", self.net.id(node)));
        }
        Ok(self.each(marking, number, &found, |next, place| {
            if let Some(work) = next.scope_mut(number).tokens[place].work_mut() {
                (work.is_unannounced, work.tries_again) = (false, false);
            }
        }))
    }

    pub(super) fn finish_round(
        &self,
        marking: &Marking,
        node: NodeId,
        number: u32,
        flows: &[FlowId],
    ) -> Step {
        let scope = marking.scope(number)?;
        let is_round = |token: &Token| token.work().is_some_and(|(_, work)| work.is_round);
        let found = scope.find(|token| token.lives() && is_round(token));
        if found.is_empty() || !flows.is_empty() {
            return Err(format!("scope {number} is no running round of `{}`", self.net.id(node)));
        }
        Ok(self.each(marking, number, &found, |next, place| {
            next.scope_mut(number).tokens.remove(place);
        }))
    }
}

/// A round whose start was not told: its end may be told by the end of its scope.
fn is_silent_round(token: &Token) -> bool {
    token.work().is_some_and(|(_, work)| work.is_round && work.is_unannounced)
}
