//! Answers that would cost a scan, and notes of what has changed.
//!
//! **Invariant:** equal to what a scan of tokens, timers and subscriptions would give.

use tyer_map::{Map, Set};
use tyer_model::{FlowIx, NodeIx};

use super::{Instance, Job, Scope, ScopeKind, Subscription, Timer, Token, Wait};
use crate::ids::Number;

/// Answers that would cost a scan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    /// Token by the number of the job or call it waits for.
    pub(crate) jobs: Map<Number, Number>,
    /// Tokens by scope.
    pub(crate) members: Set<(Number, Number)>,
    /// How many tokens stand at a node of a scope and can go on from there.
    pub(crate) standing: Map<(Number, NodeIx), u32>,
    /// Tokens that wait at a join, by scope, node and flow.
    pub(crate) arrivals: Set<(Number, NodeIx, Option<FlowIx>, Number)>,
    /// Tokens, and branches inside, by the branch of a fork in which they are.
    pub(crate) inhabitants: Set<(Number, Number)>,
    /// Timers and subscriptions by who waits.
    pub(crate) sources: Set<(Owner, Number)>,
}

/// Who waits for a timer or a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    Token(Number),
    Scope(Number),
}

/// What the last turn has changed: numbers of rows, written or gone, some of them more than once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Touched {
    /// Tokens.
    pub tokens: Vec<Number>,
    /// Scopes, but for their variables.
    pub scopes: Vec<Number>,
    /// Variables of scopes.
    pub variables: Vec<Number>,
    /// Tasks.
    pub tasks: Vec<Number>,
    /// Timers.
    pub timers: Vec<Number>,
    /// Subscriptions.
    pub subscriptions: Vec<Number>,
    /// Compensation records.
    pub records: Vec<Number>,
    /// Sagas.
    pub sagas: Vec<Number>,
    /// Incidents.
    pub incidents: Vec<Number>,
    /// Paused (true) or resumed (false).
    pub held: Option<bool>,
}

impl Touched {
    /// Nothing has changed.
    pub(crate) fn clear(&mut self) {
        for numbers in [
            &mut self.tokens,
            &mut self.scopes,
            &mut self.variables,
            &mut self.tasks,
            &mut self.timers,
            &mut self.subscriptions,
            &mut self.records,
            &mut self.sagas,
            &mut self.incidents,
        ] {
            numbers.clear();
        }
        self.held = None;
    }
}

/// Notes a number, unless it was the last one noted.
pub(super) fn note(numbers: &mut Vec<Number>, number: Number) {
    if numbers.last() != Some(&number) {
        numbers.push(number);
    }
}

impl Timer {
    pub(crate) fn owner(&self) -> Owner {
        owner(self.token, self.scope)
    }
}

impl Subscription {
    pub(crate) fn owner(&self) -> Owner {
        owner(self.token, self.scope)
    }
}

fn owner(token: Option<Number>, scope: Option<Number>) -> Owner {
    match (token, scope) {
        (Some(token), _) => Owner::Token(token),
        (None, Some(scope)) => Owner::Scope(scope),
        (None, None) => unreachable!("somebody waits for every timer and subscription"),
    }
}

impl Instance {
    /// Tokens of a scope, oldest first.
    pub fn members(&self, scope: Number) -> impl Iterator<Item = Number> {
        self.index.members.range((scope, 0)..=(scope, Number::MAX)).map(|(_, token)| *token)
    }

    /// The oldest token that waits at a join of a scope on this flow.
    pub(crate) fn first_arrival(&self, scope: Number, join: NodeIx, flow: FlowIx) -> Option<Number> {
        let flow = Some(flow);
        let mut waiting =
            self.index.arrivals.range((scope, join, flow, 0)..=(scope, join, flow, Number::MAX));
        waiting.next().map(|(_, _, _, token)| *token)
    }

    /// All tokens that wait at a join of a scope.
    pub(crate) fn arrivals(
        &self,
        scope: Number,
        join: NodeIx,
    ) -> impl Iterator<Item = (Option<FlowIx>, Number)> {
        let (first, last) = ((scope, join, None, 0), (scope, NodeIx(join.0 + 1), None, 0));
        self.index.arrivals.range(first..last).map(|(_, _, flow, token)| (*flow, *token))
    }

    /// Joins of a scope at which tokens wait.
    pub(crate) fn joins(&self, scope: Number) -> Vec<NodeIx> {
        let (first, last) = ((scope, NodeIx(0), None, 0), (scope + 1, NodeIx(0), None, 0));
        let mut joins: Vec<NodeIx> =
            self.index.arrivals.range(first..last).map(|(_, join, _, _)| *join).collect();
        joins.dedup();
        joins
    }

    /// Nodes of a scope at which tokens stand.
    pub(crate) fn standing(&self, scope: Number) -> impl Iterator<Item = NodeIx> {
        self.index.standing.range((scope, NodeIx(0))..(scope + 1, NodeIx(0))).map(|((_, node), _)| *node)
    }

    /// Is a token, or a branch inside, in this branch of a fork?
    pub(crate) fn is_inhabited(&self, branch: Number) -> bool {
        self.index.inhabitants.range((branch, 0)..=(branch, Number::MAX)).next().is_some()
    }

    /// A scope inside a branch, if it is such a one and a branch itself.
    pub(super) fn nested(&self, number: Number, scope: &Scope) -> Option<(Number, Number)> {
        let is_branch = |scope: &Scope| scope.kind == ScopeKind::Branch;
        let around = self.scopes.get(&scope.parent).filter(|around| is_branch(around) && is_branch(scope));
        around.map(|_| (scope.parent, number))
    }

    /// Timers and subscriptions of a token or scope.
    pub(crate) fn sources(&self, owner: Owner) -> Vec<Number> {
        self.index.sources.range((owner, 0)..=(owner, Number::MAX)).map(|(_, source)| *source).collect()
    }

    /// Puts a token into the indexes.
    pub(super) fn index_token(&mut self, number: Number) {
        let token = &self.tokens[&number];
        let (scope, node) = (token.scope, token.node);
        let key = waits(number, token);
        let (is_used, branch) = (token.is_used(), token.branch);
        self.index.members.insert((scope, number));
        self.index.inhabitants.extend(branch.map(|branch| (branch, number)));
        if !is_used {
            self.stands(scope, node);
        }
        self.index_wait(key);
    }

    /// Whether a gateway has used the token has changed: one that is used does not count as standing there.
    pub(super) fn recount(&mut self, number: Number) {
        let token = &self.tokens[&number];
        let (scope, node) = (token.scope, token.node);
        match token.is_used() {
            true => self.stands_no_more(scope, node),
            false => self.stands(scope, node),
        }
    }

    pub(super) fn unindex_token(&mut self, number: Number, token: &Token) {
        self.index.members.remove(&(token.scope, number));
        if let Some(branch) = token.branch {
            self.index.inhabitants.remove(&(branch, number));
        }
        if !token.is_used() {
            self.stands_no_more(token.scope, token.node);
        }
        let key = waits(number, token);
        self.unindex_wait(&key);
    }

    pub(super) fn stands(&mut self, scope: Number, node: NodeIx) {
        *self.index.standing.entry((scope, node)).or_default() += 1;
    }

    pub(super) fn stands_no_more(&mut self, scope: Number, node: NodeIx) {
        let standing = self.index.standing.get_mut(&(scope, node)).expect("a live token is counted");
        *standing -= 1;
        if *standing == 0 {
            self.index.standing.remove(&(scope, node));
        }
    }

    pub(super) fn index_wait(&mut self, key: Option<WaitKey>) {
        match key {
            Some(WaitKey::Number(number, token)) => drop(self.index.jobs.insert(number, token)),
            Some(WaitKey::Join(arrival)) => drop(self.index.arrivals.insert(arrival)),
            None => {}
        }
    }

    pub(super) fn unindex_wait(&mut self, key: &Option<WaitKey>) {
        match key {
            Some(WaitKey::Number(number, _)) => drop(self.index.jobs.remove(number)),
            Some(WaitKey::Join(arrival)) => drop(self.index.arrivals.remove(arrival)),
            None => {}
        }
    }

    /// Makes all indexes anew. For those who load an instance.
    pub fn reindex(&mut self) {
        self.index = Index::default();
        let tokens: Vec<Number> = self.tokens.keys().copied().collect();
        for token in tokens {
            self.index_token(token);
        }
        let nested: Vec<_> =
            self.scopes.iter().filter_map(|(number, scope)| self.nested(*number, scope)).collect();
        self.index.inhabitants.extend(nested);
        let timers = self.timers.iter().map(|(number, timer)| (timer.owner(), *number));
        let subscriptions = self.subscriptions.iter().map(|(number, wanted)| (wanted.owner(), *number));
        self.index.sources = timers.chain(subscriptions).collect();
    }
}

/// Where a waiting token is found again.
pub(super) enum WaitKey {
    Number(Number, Number),
    Join((Number, NodeIx, Option<FlowIx>, Number)),
}

pub(super) fn waits(number: Number, token: &Token) -> Option<WaitKey> {
    if let Wait::Job(Job { number: waited, .. }) | Wait::Call(waited) = &token.wait {
        return Some(WaitKey::Number(*waited, number));
    }
    (token.wait == Wait::Join).then_some(WaitKey::Join((token.scope, token.node, token.flow, number)))
}
