//! Names and attributes of start tags, with their namespaces.
//!
//! **Invariant:** no two attributes of an element have the same namespace and name.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Reader, shortened, store};
use crate::Error;
use crate::attributes::{Attributes, Raw};
use crate::document::{AttributeData, QualifiedName, Span};
use crate::escape::decode_attribute;
use crate::names::{Parts, Symbol, XMLNS};

impl<'s> Reader<'s> {
    pub(super) fn read_attributes(&mut self, length: usize, offset: usize) -> Result<Span, Error> {
        let first = self.attributes.len();
        let mut raws = std::mem::take(&mut self.raws);
        raws.clear();
        self.scan_attributes(length, offset, &mut raws)?;
        for raw in &raws {
            self.declare(raw, offset)?;
        }
        for raw in &raws {
            self.attribute(raw, offset)?;
        }
        self.raws = raws;
        self.refuse_duplicates(first, offset)?;
        Ok(self.span(first, self.attributes.len()))
    }

    fn scan_attributes(&self, length: usize, offset: usize, raws: &mut Vec<Raw<'s>>) -> Result<(), Error> {
        let mut scanner = Attributes::new(&self.source[offset..offset + length]);
        loop {
            match scanner.next() {
                Ok(Some(raw)) if raws.len() < self.limits.attributes => raws.push(raw),
                Ok(Some(_)) => {
                    let message = format!("element has more than {} attributes", self.limits.attributes);
                    return self.refuse(offset, &message);
                }
                Ok(None) => return Ok(()),
                Err((at, message)) => return self.refuse(offset + at, message),
            }
        }
    }

    fn declare(&mut self, raw: &Raw<'_>, offset: usize) -> Result<(), Error> {
        let prefix = match raw.name.strip_prefix("xmlns") {
            Some("") => "",
            Some(rest) if rest.starts_with(':') => &rest[1..],
            _ => return Ok(()),
        };
        let value = self.decoded(raw, offset)?;
        if matches!(prefix, "xml" | "xmlns") || value.is_empty() && !prefix.is_empty() {
            return self.refuse(offset + raw.offset, &format!("prefix `{prefix}` cannot be declared so"));
        }
        let (prefix, namespace) = (self.names.intern(prefix), self.names.intern(&value));
        self.scope.declare(prefix, namespace);
        Ok(())
    }

    fn attribute(&mut self, raw: &Raw<'s>, offset: usize) -> Result<(), Error> {
        let at = offset + raw.offset;
        let Some(parts) = self.recent.parts(raw.name, &mut self.names) else {
            let message = format!("`{}` is not a name of an attribute", shortened(raw.name));
            return self.refuse(at, &message);
        };
        let name = match raw.name {
            "xmlns" => QualifiedName {
                prefix: Symbol::EMPTY,
                namespace: self.names.intern(XMLNS),
                local: parts.local,
            },
            // An attribute without prefix has no namespace (Namespaces §6.2).
            _ if parts.prefix == Symbol::EMPTY => {
                QualifiedName { prefix: Symbol::EMPTY, namespace: Symbol::EMPTY, local: parts.local }
            }
            _ => self.resolve_name(parts, at)?,
        };
        let value = match self.decoded(raw, offset)? {
            Cow::Borrowed(value) => {
                let start = offset + raw.value_offset;
                self.span(start, start + value.len())
            }
            Cow::Owned(value) => store(&mut self.tail, self.source, &value),
        };
        self.attributes.push(AttributeData { name, value });
        Ok(())
    }

    fn decoded<'r>(&self, raw: &Raw<'r>, offset: usize) -> Result<Cow<'r, str>, Error> {
        let at = offset + raw.value_offset;
        decode_attribute(raw.value)
            .or_else(|unresolved| self.refuse(at + unresolved.offset, &unresolved.message))
    }

    pub(super) fn resolve_name(&mut self, parts: Parts, offset: usize) -> Result<QualifiedName, Error> {
        let Parts { prefix, local } = parts;
        let Some(namespace) = self.scope.namespace(prefix) else {
            let prefix = self.names.text(prefix);
            let message = format!("prefix `{prefix}` is not declared; add xmlns:{prefix}=\"…\"");
            return self.refuse(offset, &message);
        };
        Ok(QualifiedName { prefix, namespace, local })
    }

    fn refuse_duplicates(&self, first: usize, offset: usize) -> Result<(), Error> {
        let names = || {
            self.attributes[first..].iter().map(|attribute| (attribute.name.namespace, attribute.name.local))
        };
        let twice = if self.attributes.len() - first <= 8 {
            names()
                .enumerate()
                .find(|(position, name)| names().take(*position).any(|before| before == *name))
                .map(|(_, name)| name)
        } else {
            let mut seen = HashSet::new();
            names().find(|&name| !seen.insert(name))
        };
        match twice {
            None => Ok(()),
            Some((_, local)) => {
                self.refuse(offset, &format!("attribute `{}` stands twice", self.names.text(local)))
            }
        }
    }
}
