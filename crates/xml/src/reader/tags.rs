//! Start tags with their attributes, and end tags.
//!
//! **Invariant:** no two attributes of an element have the same namespace and name.

use std::borrow::Cow;
use std::collections::HashSet;

use super::scan::{DECODED, DOUBLE, ENDS_NAME, SINGLE, find, is, skip_blanks};
use super::{Reader, shortened, span, store, u32_of};
use crate::Error;
use crate::document::{AttributeData, Kind};
use crate::escape::decode_attribute;
use crate::names::NameIx;
use crate::resolve::Meaningless;

/// An element whose end tag has not come yet.
pub(super) struct Open<'s> {
    pub(super) index: u32,
    pub(super) name: &'s str,
    /// The resolver's mark before it.
    mark: usize,
}

/// One attribute as it stands in the tag.
pub(super) struct Raw<'s> {
    name: &'s str,
    /// Where the name begins.
    offset: usize,
    /// The value between the quotes.
    value: &'s str,
    value_offset: usize,
    /// Whether the value means something else than it says.
    decoded: bool,
}

impl<'s> Reader<'s> {
    /// Reads a start tag: where it ends.
    pub(super) fn start_tag(&mut self, start: usize) -> Result<usize, Error> {
        self.check_place(start)?;
        let name_end = find(self.bytes, start + 1, ENDS_NAME);
        let written = &self.source[start + 1..name_end];
        let (end, is_empty) = self.scan_attributes(start, name_end)?;
        let mark = self.resolver.mark();
        let first = self.attributes.len();
        self.put_attributes(name_end)?;
        let name = self
            .resolver
            .element(written)
            .or_else(|reason| self.meaningless(start, "an element", written, &reason))?;
        self.drop_blanks();
        let index = u32_of(self.nodes.len());
        self.push(Kind::Element(name), span(start, end), first, start)?;
        if is_empty {
            self.resolver.leave(mark);
        } else {
            self.open.push(Open { index, name: written, mark });
        }
        Ok(end)
    }

    fn check_place(&self, start: usize) -> Result<(), Error> {
        if self.open.is_empty() && !self.nodes.is_empty() {
            return self.refuse(start, "second outermost element; a document has one");
        }
        if self.open.len() >= self.limits.depth {
            return self.refuse(start, &format!("elements are nested deeper than {}", self.limits.depth));
        }
        Ok(())
    }

    /// Reads an end tag: where it ends.
    pub(super) fn end_tag(&mut self, start: usize) -> Result<usize, Error> {
        let Some(open) = self.open.pop() else {
            return self.refuse(start, "end tag of an element that was not begun");
        };
        let name_end = start + 2 + open.name.len();
        let is_same = self.bytes.get(start + 2..name_end) == Some(open.name.as_bytes());
        let end = skip_blanks(self.bytes, name_end);
        if !is_same || self.bytes.get(end) != Some(&b'>') {
            let message =
                format!("end tag of another element; `</{}>` is expected here", shortened(open.name));
            return self.refuse(start, &message);
        }
        if self.nodes.len() != open.index as usize + 2 {
            self.drop_blanks_in(open.index);
        }
        self.resolver.leave(open.mark);
        let skip = u32_of(self.nodes.len());
        let node = &mut self.nodes[open.index as usize];
        node.skip = skip;
        node.span.end = u32_of(end + 1);
        Ok(end + 1)
    }

    /// Collects the attributes from `at` on: where the tag ends, and whether the element ends with it.
    fn scan_attributes(&mut self, start: usize, mut at: usize) -> Result<(usize, bool), Error> {
        self.raws.clear();
        loop {
            let before = at;
            at = skip_blanks(self.bytes, at);
            match self.bytes.get(at) {
                Some(b'>') => return Ok((at + 1, false)),
                Some(b'/') if self.bytes.get(at + 1) == Some(&b'>') => return Ok((at + 2, true)),
                Some(b'<') | None => return self.refuse(start, "tag that is never closed; write `>`"),
                Some(_) if at == before => {
                    return self.refuse(at, "white space is missing before an attribute");
                }
                Some(_) => {}
            }
            if self.raws.len() == self.limits.attributes {
                let message = format!("element has more than {} attributes", self.limits.attributes);
                return self.refuse(start, &message);
            }
            at = self.scan_attribute(at)?;
        }
    }

    /// Collects one attribute: where it ends.
    fn scan_attribute(&mut self, offset: usize) -> Result<usize, Error> {
        let name_end = find(self.bytes, offset, ENDS_NAME);
        let equals = skip_blanks(self.bytes, name_end);
        if self.bytes.get(equals) != Some(&b'=') {
            return self.refuse(offset, "attribute without value; write name=\"value\"");
        }
        let quote_offset = skip_blanks(self.bytes, equals + 1);
        let (ends, quote) = match self.bytes.get(quote_offset) {
            Some(b'"') => (DOUBLE, b'"'),
            Some(b'\'') => (SINGLE, b'\''),
            _ => return self.refuse(quote_offset, "attribute value without quotes"),
        };
        let value_offset = quote_offset + 1;
        let mut end = find(self.bytes, value_offset, ends | DECODED);
        let decoded = self.bytes.get(end).is_some_and(|byte| is(*byte, DECODED));
        if decoded {
            end = find(self.bytes, end, ends);
        }
        match self.bytes.get(end) {
            Some(byte) if *byte == quote => {}
            Some(_) => return self.refuse(end, "`<` in an attribute value; write `&lt;`"),
            None => return self.refuse(quote_offset, "attribute value without closing quote"),
        }
        let (name, value) = (&self.source[offset..name_end], &self.source[value_offset..end]);
        self.raws.push(Raw { name, offset, value, value_offset, decoded });
        Ok(end + 1)
    }

    /// Puts what was collected into the arena, declarations first: they hold for the tag they stand in.
    fn put_attributes(&mut self, offset: usize) -> Result<(), Error> {
        let first = self.attributes.len();
        let raws = std::mem::take(&mut self.raws);
        for raw in raws.iter().filter(|raw| raw.name.starts_with("xmlns")) {
            self.declare(raw)?;
        }
        for raw in &raws {
            let name = self
                .resolver
                .attribute(raw.name)
                .or_else(|reason| self.meaningless(raw.offset, "an attribute", raw.name, &reason))?;
            let value = match self.decode(raw)? {
                Cow::Borrowed(value) => span(raw.value_offset, raw.value_offset + value.len()),
                Cow::Owned(value) => store(&mut self.tail, self.source, &value),
            };
            self.attributes.push(AttributeData { name, value });
        }
        self.raws = raws;
        self.refuse_duplicates(first, offset)
    }

    fn declare(&mut self, raw: &Raw<'_>) -> Result<(), Error> {
        let prefix = match raw.name.strip_prefix("xmlns") {
            Some("") => "",
            Some(rest) if rest.starts_with(':') => &rest[1..],
            _ => return Ok(()),
        };
        let namespace = self.decode(raw)?;
        if matches!(prefix, "xml" | "xmlns") || namespace.is_empty() && !prefix.is_empty() {
            return self.refuse(raw.offset, &format!("prefix `{prefix}` cannot be declared so"));
        }
        self.resolver.declare(prefix, &namespace);
        Ok(())
    }

    fn decode<'r>(&self, raw: &Raw<'r>) -> Result<Cow<'r, str>, Error> {
        if !raw.decoded {
            return Ok(Cow::Borrowed(raw.value));
        }
        decode_attribute(raw.value)
            .or_else(|unresolved| self.refuse(raw.value_offset + unresolved.offset, &unresolved.message))
    }

    #[cold]
    fn meaningless(
        &self,
        offset: usize,
        of: &str,
        written: &str,
        reason: &Meaningless,
    ) -> Result<NameIx, Error> {
        let message = match reason {
            Meaningless::Malformed => format!("`{}` is not a name of {of}", shortened(written)),
            Meaningless::Undeclared(prefix) => {
                let prefix = shortened(prefix);
                format!("prefix `{prefix}` is not declared; add xmlns:{prefix}=\"…\"")
            }
        };
        self.refuse(offset, &message)
    }

    fn refuse_duplicates(&self, first: usize, offset: usize) -> Result<(), Error> {
        let own = &self.attributes[first..];
        let names = &self.resolver.interner.names;
        let expanded = |attribute: &AttributeData| {
            let name = names.qualified(attribute.name);
            (name.namespace, name.local)
        };
        let twice = if own.len() <= 8 {
            let is_before = |at: usize| own[..at].iter().any(|other| expanded(other) == expanded(&own[at]));
            (1..own.len()).find(|at| is_before(*at)).map(|at| &own[at])
        } else {
            let mut seen = HashSet::new();
            own.iter().find(|attribute| !seen.insert(expanded(attribute)))
        };
        match twice {
            None => Ok(()),
            Some(attribute) => {
                let local = names.local(attribute.name);
                self.refuse(offset, &format!("attribute `{local}` stands twice"))
            }
        }
    }
}
