//! What the names in tags mean: which namespace a prefix stands for at the current element.
//!
//! **Invariant:** a name costs the same however many namespaces are declared.

use crate::names::{Interner, NameIx, QualifiedName, Symbol, XMLNS, split_name};

/// The namespace of `xml:lang` and its kin.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// Why a name means nothing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Meaningless {
    /// It is no name.
    Malformed,
    /// Nobody has declared its prefix.
    Undeclared(String),
}

/// The names of a document, and the declarations that hold at the current place.
#[derive(Debug)]
pub(crate) struct Resolver<'s> {
    pub(crate) interner: Interner,
    /// What a prefix means, by the number of its symbol.
    namespaces: Vec<Option<Symbol>>,
    /// What each declaration has hidden, to be restored when its element ends.
    hidden: Vec<(Symbol, Option<Symbol>)>,
    elements: Recent<'s>,
    attributes: Recent<'s>,
}

impl<'s> Resolver<'s> {
    pub(crate) fn new() -> Resolver<'s> {
        let mut resolver = Resolver {
            interner: Interner::new(),
            namespaces: Vec::new(),
            hidden: Vec::new(),
            elements: Recent::new(),
            attributes: Recent::new(),
        };
        for (prefix, namespace) in [("", ""), ("xml", XML), ("xmlns", XMLNS)] {
            resolver.declare(prefix, namespace);
        }
        resolver
    }

    pub(crate) fn declare(&mut self, prefix: &str, namespace: &str) {
        let (prefix, namespace) = (self.interner.intern(prefix), self.interner.intern(namespace));
        if self.namespaces.len() <= prefix.number() {
            self.namespaces.resize(prefix.number() + 1, None);
        }
        let before = self.namespaces[prefix.number()].replace(namespace);
        self.hidden.push((prefix, before));
    }

    /// A mark to [`Resolver::leave`] to.
    pub(crate) fn mark(&self) -> usize {
        self.hidden.len()
    }

    /// Forgets every declaration since the mark.
    pub(crate) fn leave(&mut self, mark: usize) {
        while self.hidden.len() > mark
            && let Some((prefix, before)) = self.hidden.pop()
        {
            self.namespaces[prefix.number()] = before;
        }
    }

    /// The name of an element.
    #[inline]
    pub(crate) fn element(&mut self, written: &'s str) -> Result<NameIx, Meaningless> {
        if let Some(known) = self.elements.find(written)
            && self.namespace(known.prefix) == Some(known.namespace)
        {
            return Ok(known.name);
        }
        let (prefix, local) = self.parts(written)?;
        let namespace = self.declared(prefix)?;
        Ok(self.elements.keep(written, QualifiedName { prefix, namespace, local }, &mut self.interner))
    }

    /// The name of an attribute; one without prefix has no namespace (Namespaces §6.2), but for `xmlns`.
    #[inline]
    pub(crate) fn attribute(&mut self, written: &'s str) -> Result<NameIx, Meaningless> {
        if let Some(known) = self.attributes.find(written)
            && (known.prefix == Symbol::EMPTY || self.namespace(known.prefix) == Some(known.namespace))
        {
            return Ok(known.name);
        }
        let (prefix, local) = self.parts(written)?;
        let namespace = match written {
            "xmlns" => self.interner.intern(XMLNS),
            _ if prefix == Symbol::EMPTY => Symbol::EMPTY,
            _ => self.declared(prefix)?,
        };
        Ok(self.attributes.keep(written, QualifiedName { prefix, namespace, local }, &mut self.interner))
    }

    fn parts(&mut self, written: &str) -> Result<(Symbol, Symbol), Meaningless> {
        let (prefix, local) = split_name(written).ok_or(Meaningless::Malformed)?;
        Ok((self.interner.intern(prefix), self.interner.intern(local)))
    }

    fn declared(&self, prefix: Symbol) -> Result<Symbol, Meaningless> {
        let undeclared = || Meaningless::Undeclared(self.interner.names.text(prefix).to_owned());
        self.namespace(prefix).ok_or_else(undeclared)
    }

    #[inline]
    fn namespace(&self, prefix: Symbol) -> Option<Symbol> {
        *self.namespaces.get(prefix.number())?
    }
}

/// Names that were met before, found again without hashing: documents use few names, many times.
#[derive(Debug)]
struct Recent<'s> {
    slots: Vec<Option<Known<'s>>>,
}

#[derive(Clone, Copy, Debug)]
struct Known<'s> {
    written: &'s str,
    prefix: Symbol,
    namespace: Symbol,
    name: NameIx,
}

impl<'s> Recent<'s> {
    const SLOTS: usize = 256;

    fn new() -> Recent<'s> {
        Recent { slots: vec![None; Recent::SLOTS] }
    }

    #[inline]
    fn find(&self, written: &str) -> Option<Known<'s>> {
        self.slots[Recent::slot(written)].filter(|known| known.written == written)
    }

    fn keep(&mut self, written: &'s str, qualified: QualifiedName, interner: &mut Interner) -> NameIx {
        let QualifiedName { prefix, namespace, .. } = qualified;
        let name = interner.qualified(qualified);
        self.slots[Recent::slot(written)] = Some(Known { written, prefix, namespace, name });
        name
    }

    /// Any function will do: two names of one slot only push each other out.
    #[inline]
    fn slot(name: &str) -> usize {
        let bytes = name.as_bytes();
        let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return 0 };
        let [middle, near] =
            [bytes.len() / 2, bytes.len().saturating_sub(4)].map(|at| usize::from(bytes[at]));
        let mixed =
            bytes.len() + usize::from(*first) * 3 + middle * 31 + usize::from(*last) * 61 + near * 127;
        mixed % Recent::SLOTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn namespace<'n>(resolver: &'n mut Resolver<'_>, element: &'static str) -> Option<&'n str> {
        let name = resolver.element(element).ok()?;
        Some(resolver.interner.names.namespace(name))
    }

    #[test]
    fn leaving_an_element_restores_what_its_declarations_hid() {
        let mut resolver = Resolver::new();
        let outside = resolver.mark();
        resolver.declare("p", "urn:outer");
        assert_eq!(namespace(&mut resolver, "p:a"), Some("urn:outer"));
        let mark = resolver.mark();
        resolver.declare("p", "urn:inner");
        assert_eq!(namespace(&mut resolver, "p:a"), Some("urn:inner"));
        resolver.declare("p", "urn:outer");
        resolver.leave(mark);
        assert_eq!(namespace(&mut resolver, "p:a"), Some("urn:outer"));
        resolver.leave(outside);
        assert_eq!(namespace(&mut resolver, "p:a"), None);
    }

    #[test]
    fn an_attribute_without_prefix_is_in_no_namespace() {
        let mut resolver = Resolver::new();
        resolver.declare("", "urn:default");
        assert_eq!(namespace(&mut resolver, "a"), Some("urn:default"));
        let attribute = resolver.attribute("a").expect("it is a name");
        assert!(resolver.interner.names.is_plain(attribute));
        let declaration = resolver.attribute("xmlns").expect("it is a name");
        assert_eq!(resolver.interner.names.namespace(declaration), XMLNS);
        assert_eq!(resolver.attribute("p:a"), Err(Meaningless::Undeclared("p".to_owned())));
    }
}
