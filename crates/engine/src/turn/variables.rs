//! Variables: read from the nearest scope that has them, written where they are known.
//!
//! **Invariant:** without a mapping a value goes to the nearest scope that has its name, else to the root; it does not
//! leave a branch that has variables of its own.

use std::sync::Arc;

use serde_json::value::RawValue;
use tyer_feel::{Lookup, Value};
use tyer_model::{Mapping, Text};

use super::Turn;
use crate::nodes::text;
use crate::variables;
use crate::words::*;

/// What an expression sees: values of the moment, then the scopes from the inside out.
pub(crate) struct Seen<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) scope: Number,
    pub(crate) first: Option<&'a Variables>,
}

impl Lookup for Seen<'_> {
    fn lookup(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.first.and_then(|values| values.lookup(name)) {
            return Some(value);
        }
        let mut scope = self.scope;
        loop {
            let here = &self.instance.scopes[&scope];
            if let Some(value) = here.variables.lookup(name) {
                return Some(value);
            }
            if scope == ROOT {
                return None;
            }
            scope = here.parent;
        }
    }
}

impl Turn<'_> {
    pub(crate) fn seen(&self, scope: Number) -> Seen<'_> {
        Seen { instance: self.instance, scope, first: None }
    }

    /// Values go where their names are known, from this scope outwards, else to the root.
    pub(crate) fn write(&mut self, scope: Number, values: Variables) {
        if values.is_empty() {
            return;
        }
        if scope == ROOT {
            return self.write_local(ROOT, values);
        }
        let mut by_scope: Vec<(Number, Variables)> = Vec::new();
        for (name, value) in values.entries() {
            let home = self.home(scope, name);
            let at = by_scope.iter().position(|(scope, _)| *scope == home).unwrap_or_else(|| {
                by_scope.push((home, Variables::default()));
                by_scope.len() - 1
            });
            by_scope[at].1.insert(Arc::clone(name), Arc::clone(value));
        }
        for (scope, values) in by_scope {
            self.write_local(scope, values);
        }
    }

    /// Values go to exactly this scope.
    pub(crate) fn write_local(&mut self, scope: Number, mut values: Variables) {
        let before = &self.instance.scopes[&scope].variables;
        values.retain(|name, value| before.get(name) != Some(value));
        if values.is_empty() {
            return;
        }
        self.changed.extend(values.entries().map(|(name, _)| Arc::clone(name)));
        self.emit(EventKind::VariableUpdated { scope, values });
    }

    fn home(&self, mut scope: Number, name: &str) -> Number {
        while scope != ROOT {
            let here = &self.instance.scopes[&scope];
            if here.variables.get(name).is_some() || here.kind == ScopeKind::Branch {
                return scope;
            }
            scope = here.parent;
        }
        ROOT
    }

    /// The JSON text of a variable as this scope sees it.
    pub(crate) fn read(&self, mut scope: Number, name: &str) -> Option<&str> {
        loop {
            let here = &self.instance.scopes[&scope];
            if let Some(value) = here.variables.get(name) {
                return Some(value);
            }
            if scope == ROOT {
                return None;
            }
            scope = here.parent;
        }
    }

    /// Evaluates mappings in order; each sees the results of those before it. Paths build on `base` if it has the name.
    pub(crate) fn map(
        &self,
        scope: Number,
        first: &Variables,
        mappings: &[Mapping],
        base: Option<Number>,
    ) -> Variables {
        let mut mapped = Variables::default();
        let mut sees = first.clone();
        for mapping in mappings {
            let value = self.mapped_value(scope, &sees, &mapping.source);
            let [name, path @ ..] = &mapping.target[..] else { continue };
            let value = if path.is_empty() {
                value
            } else {
                let before = mapped.get(name).or_else(|| base.and_then(|base| self.read(base, name)));
                variables::with_leaf(before, path, &value)
            };
            mapped.insert(Arc::clone(name), Arc::clone(&value));
            sees.insert(Arc::clone(name), value);
        }
        mapped
    }

    fn mapped_value(&self, scope: Number, first: &Variables, source: &Text) -> Arc<RawValue> {
        let json = match source {
            Text::Literal(literal) => serde_json::to_string(&**literal).expect("a string is always JSON"),
            Text::Expression(expression) => {
                let seen = Seen { instance: self.instance, scope, first: Some(first) };
                expression.evaluate(&seen, &text::clock(self.now)).value.to_json()
            }
        };
        variables::raw(json)
    }
}
