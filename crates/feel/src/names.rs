//! The names with spaces or operators in them that a text may use.
//!
//! **Invariant:** a plain identifier needs no declaration; a declared name is found by longest match.

use crate::Type;
use crate::lexer::Token;
use crate::lexicon::{KnownName, Lexicon};
use std::sync::Arc;

use tyer_map::{Map, Set};

/// Known names; `Default` knows none.
#[derive(Clone, Debug, Default)]
pub struct Names {
    lexicon: Lexicon,
    types: Map<Arc<str>, Type>,
    declared: Set<Arc<str>>,
    /// Names that are known too, shared with others.
    base: Option<Arc<Names>>,
}

impl Names {
    /// No names.
    pub fn new() -> Names {
        Names::default()
    }

    /// All names of another set, without a copy of them; more can be declared.
    pub fn over(base: Arc<Names>) -> Names {
        Names { base: Some(base), ..Names::default() }
    }

    /// Makes a name known. Plain identifiers may be declared too.
    pub fn declare(&mut self, name: &str) {
        if let Some(known) = KnownName::new(name) {
            self.declared.insert(known.name.clone());
            self.insert(&known);
        }
    }

    fn insert(&mut self, known: &KnownName) {
        if !self.lexicon.contains(known) {
            self.lexicon.insert(known);
        }
    }

    /// Makes the name of an entry or a local variable known: it is matched as a whole, but hides no built-in function.
    pub fn declare_property(&mut self, name: &str) {
        if let Some(known) = KnownName::new(name) {
            self.insert(&known);
        }
    }

    /// Makes a type known by name, for `instance of` and parameters.
    pub fn declare_type(&mut self, name: &str, kind: Type) {
        self.declare_property(name);
        self.types.insert(name.into(), kind);
    }

    pub(crate) fn type_named(&self, name: &str) -> Option<&Type> {
        self.types.get(name).or_else(|| self.base.as_ref()?.type_named(name))
    }

    pub(crate) fn is_declared(&self, name: &str) -> bool {
        self.declared.contains(name) || self.base.as_ref().is_some_and(|base| base.is_declared(name))
    }

    /// The longest name that the tokens begin with, and how many of them it takes.
    pub(crate) fn longest(&self, text: &str, tokens: &[Token]) -> Option<(Arc<str>, usize)> {
        let own = self.lexicon.longest(text, tokens);
        let Some(base) = &self.base else { return own };
        // Of equal length the own name wins.
        [base.longest(text, tokens), own].into_iter().flatten().max_by_key(|(_, length)| *length)
    }
}

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Names {
        let mut result = Names::new();
        names.into_iter().for_each(|name| result.declare(name.as_ref()));
        result
    }
}
