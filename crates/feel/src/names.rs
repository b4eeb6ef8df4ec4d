//! The names with spaces or operators in them that a text may use.
//!
//! **Invariant:** a plain identifier needs no declaration; a declared name is found by longest match.

use crate::Type;
use crate::lexer::{Token, TokenKind, tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Known names; `Default` knows none.
#[derive(Clone, Debug, Default)]
pub struct Names {
    by_first_word: BTreeMap<Box<str>, Vec<KnownName>>,
    types: BTreeMap<Arc<str>, Type>,
    declared: BTreeSet<Arc<str>>,
}

#[derive(Clone, Debug)]
pub(crate) struct KnownName {
    words: Vec<Box<str>>,
    name: Arc<str>,
}

impl Names {
    /// No names.
    pub fn new() -> Names {
        Names::default()
    }

    /// Makes a name known. Plain identifiers may be declared too.
    pub fn declare(&mut self, name: &str) {
        if let Some(known) = KnownName::new(name) {
            self.declared.insert(known.name.clone());
            self.insert(known);
        }
    }

    fn insert(&mut self, known: KnownName) {
        let names = self.by_first_word.entry(known.words[0].clone()).or_default();
        if names.iter().any(|other| other.name == known.name) {
            return;
        }
        // Longest first, so that the first match is the longest.
        let at = names.partition_point(|other| other.words.len() > known.words.len());
        names.insert(at, known);
    }

    /// Makes the name of an entry or a local variable known: it is matched as a whole, but hides no built-in function.
    pub fn declare_property(&mut self, name: &str) {
        if let Some(known) = KnownName::new(name) {
            self.insert(known);
        }
    }

    /// Makes a type known by name, for `instance of` and parameters.
    pub fn declare_type(&mut self, name: &str, kind: Type) {
        self.declare_property(name);
        self.types.insert(name.into(), kind);
    }

    pub(crate) fn type_named(&self, name: &str) -> Option<&Type> {
        self.types.get(name)
    }

    pub(crate) fn is_declared(&self, name: &str) -> bool {
        self.declared.contains(name)
    }

    pub(crate) fn longest(&self, text: &str, tokens: &[Token]) -> Option<(&Arc<str>, usize)> {
        if self.by_first_word.is_empty() {
            return None;
        }
        let first = word(text, tokens.first()?);
        let known = self.by_first_word.get(first)?.iter().find(|known| known.matches(text, tokens))?;
        Some((&known.name, known.words.len()))
    }
}

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Names {
        let mut result = Names::new();
        names.into_iter().for_each(|name| result.declare(name.as_ref()));
        result
    }
}

impl KnownName {
    /// `None` when the name holds characters that no name in a text can.
    pub(crate) fn new(name: &str) -> Option<KnownName> {
        let tokens = tokens(name).ok()?;
        let words: Vec<Box<str>> = tokens
            .iter()
            .filter(|token| token.kind != TokenKind::End)
            .map(|token| word(name, token).into())
            .collect();
        if words.is_empty() { None } else { Some(KnownName { words, name: name.into() }) }
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.words.len() == 1
    }

    pub(crate) fn length(&self) -> usize {
        self.words.len()
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(crate) fn matches(&self, text: &str, tokens: &[Token]) -> bool {
        self.words.len() <= tokens.len()
            && self.words.iter().zip(tokens).all(|(known, token)| {
                matches!(token.kind, TokenKind::Word | TokenKind::Number | TokenKind::Symbol(_))
                    && **known == *word(text, token)
            })
    }
}

fn word<'a>(text: &'a str, token: &Token) -> &'a str {
    &text[token.span.start as usize..token.span.end as usize]
}
