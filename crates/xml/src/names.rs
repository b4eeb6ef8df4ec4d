//! Names: texts that occur many times, stored once, and what is a name at all.
//!
//! **Invariant:** two names of a document with the same number are written alike and mean the same.

use std::collections::HashMap;

use crate::element::Name;

/// The namespace of namespace declarations themselves.
pub(crate) const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// A text that occurs many times, stored once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Symbol(u32);

impl Symbol {
    /// The empty text: no prefix, no namespace.
    pub(crate) const EMPTY: Symbol = Symbol(0);

    pub(crate) fn number(self) -> usize {
        self.0 as usize
    }
}

/// A qualified name of a document, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NameIx(u32);

impl NameIx {
    pub(crate) fn number(self) -> usize {
        self.0 as usize
    }
}

/// A name with its namespace, and how it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct QualifiedName {
    pub(crate) prefix: Symbol,
    pub(crate) namespace: Symbol,
    pub(crate) local: Symbol,
}

/// Every name of a document.
#[derive(Debug, Default)]
pub(crate) struct Names {
    texts: Vec<Box<str>>,
    qualified: Vec<QualifiedName>,
}

impl Names {
    pub(crate) fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.number()]
    }

    #[inline]
    pub(crate) fn qualified(&self, name: NameIx) -> QualifiedName {
        self.qualified[name.number()]
    }

    #[inline]
    pub(crate) fn name(&self, name: NameIx) -> Name<'_> {
        Name { namespace: self.namespace(name), local: self.local(name) }
    }

    #[inline]
    pub(crate) fn local(&self, name: NameIx) -> &str {
        self.text(self.qualified(name).local)
    }

    #[inline]
    pub(crate) fn namespace(&self, name: NameIx) -> &str {
        self.text(self.qualified(name).namespace)
    }

    pub(crate) fn prefix(&self, name: NameIx) -> &str {
        self.text(self.qualified(name).prefix)
    }

    /// Whether it has no namespace.
    #[inline]
    pub(crate) fn is_plain(&self, name: NameIx) -> bool {
        self.qualified(name).namespace == Symbol::EMPTY
    }
}

/// Names while they are collected.
#[derive(Debug)]
pub(crate) struct Interner {
    pub(crate) names: Names,
    symbols: HashMap<Box<str>, Symbol>,
    known: HashMap<QualifiedName, NameIx>,
}

impl Interner {
    pub(crate) fn new() -> Interner {
        let mut interner =
            Interner { names: Names::default(), symbols: HashMap::new(), known: HashMap::new() };
        interner.intern("");
        interner
    }

    pub(crate) fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol(number(self.names.texts.len()));
        self.names.texts.push(text.into());
        self.symbols.insert(text.into(), symbol);
        symbol
    }

    pub(crate) fn qualified(&mut self, name: QualifiedName) -> NameIx {
        let next = NameIx(number(self.names.qualified.len()));
        let known = *self.known.entry(name).or_insert(next);
        if known == next {
            self.names.qualified.push(name);
        }
        known
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).expect("documents are limited to 2^30 bytes")
}

/// The prefix and local part of a qualified name, if it is one.
pub(crate) fn split_name(qualified: &str) -> Option<(&str, &str)> {
    let (prefix, local) = qualified.split_once(':').unwrap_or(("", qualified));
    let prefix_is_name = prefix.is_empty() && !qualified.starts_with(':') || is_name(prefix);
    (prefix_is_name && is_name(local)).then_some((prefix, local))
}

/// Whether a text is a name without colon (XML 1.0 §2.3, Namespaces §3).
pub(crate) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(begins_name) && characters.all(continues_name)
}

fn begins_name(character: char) -> bool {
    match character {
        'a'..='z' | 'A'..='Z' | '_' => true,
        '\u{D7}' | '\u{F7}' | '\u{37E}' => false,
        '\u{C0}'..='\u{2FF}' | '\u{370}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}' => {
            true
        }
        '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' => true,
        '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}' => true,
        _ => false,
    }
}

fn continues_name(character: char) -> bool {
    match character {
        '0'..='9' | '-' | '.' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}' => true,
        _ => begins_name(character),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_one_colon() {
        assert_eq!(split_name("bpmn:task"), Some(("bpmn", "task")));
        assert_eq!(split_name("täsk-1.a"), Some(("", "täsk-1.a")));
        for wrong in ["", ":a", "a:", "a:b:c", "1a", "a b", "-a", "a<b", "a:1"] {
            assert_eq!(split_name(wrong), None, "{wrong:?} is not a name");
        }
    }
}
