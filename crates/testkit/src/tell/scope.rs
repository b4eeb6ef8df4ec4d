//! What happens in scopes: variables, and rounds that are done.

use tyer_engine::{Instance, Number, ScopeKind, Variables};

use super::Teller;
use super::words::{scope_in_words, values_in_words};

impl Teller<'_> {
    pub(super) fn updated(&mut self, before: &Instance, scope: Number, values: &Variables) {
        let kind = before.scopes.get(&scope).map(|scope| (scope.kind, scope.owner));
        match kind {
            Some((ScopeKind::Rounds { .. }, _)) if values.get("loop items").is_some() => return,
            Some((ScopeKind::Round { index }, _)) if values.get("loop output").is_some() => {
                let given = values.get("loop output").unwrap_or("null");
                return self.say(&format!("round {index} gives {given}"));
            }
            Some((ScopeKind::Body, _)) if values.get("loop output").is_some() => {
                let given = values.get("loop output").filter(|given| *given != "[]");
                return given.map_or((), |given| self.say(&format!("given so far: {given}")));
            }
            // A round has as many variables as it needs before its token comes.
            Some((ScopeKind::Round { .. } | ScopeKind::Undo { .. }, _))
                if before.members(scope).next().is_none() =>
            {
                return drop(self.given.insert(scope, values_in_words(values, &["loopCounter"])));
            }
            Some((ScopeKind::Local | ScopeKind::Body, owner)) => {
                let walking = self.walk.as_mut().filter(|walk| Some(walk.token) == owner && walk.has_begun());
                if let Some(walk) = walking {
                    return walk.with(&values_in_words(values, &[]));
                }
            }
            _ => {}
        }
        let place = self.place(before, scope);
        self.say(&format!("{}{place}", values_in_words(values, &[])));
    }

    pub(super) fn counted(&mut self, before: &Instance, scope: Number, completed: u32, terminated: u32) {
        let rounds = &before.scopes[&scope];
        let node = rounds.node.map_or("", |node| &self.process.node(node).id);
        if completed > rounds.rounds.completed {
            let total =
                if let ScopeKind::Rounds { total: Some(total) } = rounds.kind { Some(total) } else { None };
            self.say(&match total {
                Some(total) => format!("{node}: {completed} of {total} rounds done"),
                None => format!("{node}: round {completed} done"),
            });
        }
        if terminated > rounds.rounds.terminated {
            self.say(&format!("{node}: {terminated} rounds taken away"));
        }
    }

    /// Where variables are, unless they are those of the instance.
    pub(super) fn place(&self, before: &Instance, scope: Number) -> String {
        scope_in_words(self.process, before, scope).map(|place| format!(" in {place}")).unwrap_or_default()
    }
}
