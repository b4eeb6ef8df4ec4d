//! Scopes: opened, done, taken away with everything in them.

use tyer_model::NodeIx;

use super::Turn;
use crate::nodes;
use crate::words::*;

impl Turn<'_> {
    /// Opens a scope that a token owns, inside the scope where the token reads.
    pub(crate) fn open_scope(&mut self, token: Number, parent: Number, kind: ScopeKind) -> Number {
        let scope = self.next_number();
        self.emit_at(token, EventKind::ScopeOpened { scope, parent, kind });
        scope
    }

    /// The last token of a scope has ended.
    pub(super) fn scope_done(&mut self, scope: Number) {
        if scope == ROOT {
            return self.end_instance(EventKind::WorkflowCompleted);
        }
        let opened = &self.instance.scopes[&scope];
        let owner = opened.owner.expect("every scope but the root has an owner");
        match opened.kind {
            ScopeKind::Body => nodes::sub_process::done(self, owner, scope),
            ScopeKind::Round { .. } => nodes::repeat::round_done(self, owner, scope),
            ScopeKind::Undo { record } => nodes::compensation::undone(self, owner, scope, record),
            ScopeKind::Local | ScopeKind::Branch | ScopeKind::Rounds { .. } => {
                unreachable!("no token is in such a scope")
            }
        }
    }

    /// The sub-process in which the tokens of a scope walk; none = the process.
    pub(crate) fn body_of(&self, scope: Number) -> Option<NodeIx> {
        self.instance.scopes[&scope].node
    }

    /// Takes a token away, with whatever it waits for and whatever it has opened.
    pub(crate) fn terminate(&mut self, token: Number) {
        self.terminate_keeping(token, None);
    }

    /// As `terminate`, but completed steps inside can still be undone: they pass to this scope.
    pub(crate) fn terminate_keeping(&mut self, token: Number, records: Option<Number>) {
        self.stop_work(token, records);
        self.disarm(Owner::Token(token));
        self.gone(token, EventKind::TokenTerminated);
    }

    /// Ends whatever a token does at its node; it stands there still. Records of steps inside pass to a scope, or go.
    pub(crate) fn stop_work(&mut self, token: Number, records: Option<Number>) {
        match self.token(token).wait {
            Wait::Task(task) => self.emit_at(token, EventKind::TaskCancelled { task }),
            Wait::Timer(timer) => self.emit_at(token, EventKind::TimerCancelled { timer }),
            Wait::Incident(incident) => self.emit_at(token, EventKind::IncidentResolved { incident }),
            Wait::Call(call) => self.emit_at(token, EventKind::CallCancelled { call }),
            Wait::Saga(_)
            | Wait::Nothing
            | Wait::Job(_)
            | Wait::Event
            | Wait::Join
            | Wait::Turn
            | Wait::Scope => {}
        }
        if let Some(scope) = self.token(token).owns {
            self.drop_scope(scope, records);
        }
        let carried: Vec<Number> =
            self.instance.sagas.iter().filter(|(_, saga)| saga.token == token).map(|(n, _)| *n).collect();
        for saga in carried {
            self.emit_at(token, EventKind::SagaCompleted { saga });
        }
    }

    /// Closes the scope that a token owns, with everything in it.
    pub(crate) fn drop_owned(&mut self, token: Number) {
        if let Some(scope) = self.token(token).owns {
            self.drop_scope(scope, None);
        }
    }

    /// Takes a scope away with everything in it.
    pub(crate) fn drop_scope(&mut self, scope: Number, records: Option<Number>) {
        self.clear(scope, &[], records);
        self.disarm(Owner::Scope(scope));
        if let ScopeKind::Rounds { .. } = self.instance.scopes[&scope].kind {
            let rounds: Vec<Number> = self
                .instance
                .scopes
                .range(scope + 1..)
                .filter(|(_, s)| s.parent == scope)
                .map(|(n, _)| *n)
                .collect();
            for round in rounds {
                self.drop_scope(round, records);
            }
        }
        let node = self.instance.scopes[&scope].node.expect("every scope but the root is at a node");
        self.emit_of(None, node, EventKind::ScopeClosed { scope, records });
    }

    /// Takes every token of a scope away.
    pub(crate) fn clear_scope(&mut self, scope: Number) {
        self.clear(scope, &[], None);
    }

    /// Takes every token of a scope away but these.
    pub(crate) fn clear_scope_but(&mut self, scope: Number, spared: &[Number]) {
        self.clear(scope, spared, None);
    }

    fn clear(&mut self, scope: Number, spared: &[Number], records: Option<Number>) {
        let tokens: Vec<Number> =
            self.instance.members(scope).filter(|token| !spared.contains(token)).collect();
        for token in tokens {
            if self.lives(token) {
                self.terminate_keeping(token, records);
            }
        }
    }

    /// The scope of a process or sub-process in which a token walks: rounds and undoings are no such scope.
    pub(crate) fn flow_scope(&self, mut scope: Number) -> Number {
        loop {
            let here = &self.instance.scopes[&scope];
            match here.kind {
                ScopeKind::Body => return scope,
                ScopeKind::Round { .. } | ScopeKind::Rounds { .. } | ScopeKind::Undo { .. } => {
                    let owner = here.owner.expect("every scope but the root has an owner");
                    scope = self.token(owner).scope;
                }
                ScopeKind::Local | ScopeKind::Branch => scope = here.parent,
            }
        }
    }

    /// Is the token one round of a repeated activity, or an undoing, so that what stands around it is another's?
    pub(crate) fn is_inner(&self, token: Number) -> bool {
        let scope = &self.instance.scopes[&self.token(token).scope];
        matches!(scope.kind, ScopeKind::Round { .. }) && scope.node == Some(self.token(token).node)
    }
}
