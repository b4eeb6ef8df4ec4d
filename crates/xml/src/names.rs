//! Names: interned texts, name syntax, and which namespace a prefix stands for.
//!
//! **Invariant:** looking up a prefix costs the same however many namespaces are declared.

use std::collections::HashMap;

/// The namespace of `xml:lang` and its kin.
const XML: &str = "http://www.w3.org/XML/1998/namespace";
/// The namespace of namespace declarations themselves.
pub(crate) const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// A text that occurs many times, stored once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Symbol(u32);

impl Symbol {
    /// The empty text: no prefix, no namespace.
    pub(crate) const EMPTY: Symbol = Symbol(0);
}

/// Every distinct name of a document.
#[derive(Debug)]
pub(crate) struct Interner {
    texts: Vec<Box<str>>,
    symbols: HashMap<Box<str>, Symbol>,
}

impl Interner {
    pub(crate) fn new() -> Interner {
        let mut interner = Interner { texts: Vec::new(), symbols: HashMap::new() };
        interner.intern("");
        interner
    }

    pub(crate) fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol(u32::try_from(self.texts.len()).expect("documents are limited to 2^32 bytes"));
        self.texts.push(text.into());
        self.symbols.insert(text.into(), symbol);
        symbol
    }

    pub(crate) fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.0 as usize]
    }

    /// The texts alone, for a document that is complete.
    pub(crate) fn into_texts(self) -> Vec<Box<str>> {
        self.texts
    }
}

/// The text of a symbol among the texts of its interner.
pub(crate) fn text_of(texts: &[Box<str>], symbol: Symbol) -> &str {
    &texts[symbol.0 as usize]
}

/// The parts of a qualified name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    pub(crate) prefix: Symbol,
    pub(crate) local: Symbol,
}

/// Names that were taken apart before, found again without hashing: documents use few names, many times.
#[derive(Debug)]
pub(crate) struct Recent<'s> {
    slots: Vec<Option<(&'s str, Parts)>>,
}

impl<'s> Recent<'s> {
    const SLOTS: usize = 512;

    pub(crate) fn new() -> Recent<'s> {
        Recent { slots: vec![None; Recent::SLOTS] }
    }

    /// The parts of a name, if it is one.
    pub(crate) fn parts(&mut self, qualified: &'s str, names: &mut Interner) -> Option<Parts> {
        let slot = &mut self.slots[Recent::slot(qualified)];
        if let Some((known, parts)) = slot
            && *known == qualified
        {
            return Some(*parts);
        }
        let (prefix, local) = split_name(qualified)?;
        let parts = Parts { prefix: names.intern(prefix), local: names.intern(local) };
        *slot = Some((qualified, parts));
        Some(parts)
    }

    /// Any function will do: two names of one slot only push each other out.
    fn slot(name: &str) -> usize {
        let bytes = name.as_bytes();
        let at = |position: usize| usize::from(bytes.get(position).copied().unwrap_or_default());
        let length = bytes.len();
        let mixed = length
            + at(0) * 3
            + at(length / 2) * 31
            + at(length.wrapping_sub(1)) * 61
            + at(length.wrapping_sub(3)) * 127;
        mixed % Recent::SLOTS
    }
}

/// What prefixes mean at the current element.
#[derive(Debug)]
pub(crate) struct Scope {
    namespaces: HashMap<Symbol, Symbol>,
    /// What each declaration has hidden, to be restored when its element ends.
    hidden: Vec<(Symbol, Option<Symbol>)>,
}

impl Scope {
    pub(crate) fn new(names: &mut Interner) -> Scope {
        let namespaces = HashMap::from([
            (Symbol::EMPTY, Symbol::EMPTY),
            (names.intern("xml"), names.intern(XML)),
            (names.intern("xmlns"), names.intern(XMLNS)),
        ]);
        Scope { namespaces, hidden: Vec::new() }
    }

    pub(crate) fn declare(&mut self, prefix: Symbol, namespace: Symbol) {
        let before = self.namespaces.insert(prefix, namespace);
        self.hidden.push((prefix, before));
    }

    pub(crate) fn namespace(&self, prefix: Symbol) -> Option<Symbol> {
        self.namespaces.get(&prefix).copied()
    }

    /// A mark to [`Scope::leave`] to.
    pub(crate) fn mark(&self) -> usize {
        self.hidden.len()
    }

    /// Forgets every declaration since the mark.
    pub(crate) fn leave(&mut self, mark: usize) {
        for (prefix, before) in self.hidden.drain(mark..).rev() {
            match before {
                Some(namespace) => self.namespaces.insert(prefix, namespace),
                None => self.namespaces.remove(&prefix),
            };
        }
    }
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

    #[test]
    fn leaving_an_element_restores_what_its_declarations_hid() {
        let mut names = Interner::new();
        let mut scope = Scope::new(&mut names);
        let [prefix, outer, inner] = ["p", "urn:outer", "urn:inner"].map(|text| names.intern(text));
        scope.declare(prefix, outer);
        let mark = scope.mark();
        scope.declare(prefix, inner);
        scope.declare(prefix, outer);
        scope.leave(mark);
        assert_eq!(scope.namespace(prefix), Some(outer));
        scope.leave(0);
        assert_eq!(scope.namespace(prefix), None);
    }
}
