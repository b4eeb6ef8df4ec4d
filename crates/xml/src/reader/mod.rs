//! Bytes to [`Document`]: one pass over the text, each piece checked and put into the arena.
//!
//! **Invariant:** what is not well-formed XML with namespaces is refused (but that `]]>` may stand in text), and so is a
//! DOCTYPE; nothing is repaired.
//! **Invariant:** every byte is looked at a bounded number of times.

mod content;
mod scan;
mod tags;

use std::sync::OnceLock;

use crate::document::{AttributeData, Kind, NodeData, Span};
use crate::escape::is_xml_character;
use crate::resolve::Resolver;
use crate::{Document, Error, Limits, encoding};
use tags::{Open, Raw};

/// Reads a document; see [`Document::parse`].
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Error> {
    if bytes.len() > limits.bytes.min(u32::MAX as usize / 4) {
        let message = format!("document has {} bytes; at most {} are read", bytes.len(), limits.bytes);
        return Err(Error { line: 1, column: 1, message });
    }
    let source = encoding::decode(bytes)?;
    refuse_illegal_characters(&source)?;
    let mut reader = Reader::new(&source, limits);
    reader.read_all()?;
    let Reader { tail, resolver, nodes, attributes, .. } = reader;
    let (source_length, names) = (source.len(), resolver.interner.names);
    let mut text = source.into_owned();
    text.push_str(&tail);
    Ok(Document { text, source_length, names, nodes, attributes, lines: OnceLock::new() })
}

fn refuse_illegal_characters(source: &str) -> Result<(), Error> {
    let control = |byte: u8| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    // Without early return, so that many bytes are looked at in one step.
    let any_control = source.bytes().fold(false, |any, byte| any | control(byte));
    let suspicious = any_control || !source.is_ascii() && source.contains(['\u{FFFE}', '\u{FFFF}']);
    if !suspicious {
        return Ok(());
    }
    let illegal = source.char_indices().find(|&(_, character)| !is_xml_character(character));
    let (offset, character) = illegal.expect("a suspicious character is an illegal one");
    let message = format!("character U+{:04X} is not allowed in XML; remove it", u32::from(character));
    Err(Error::at(source, offset, message))
}

struct Reader<'s> {
    source: &'s str,
    bytes: &'s [u8],
    limits: &'s Limits,
    resolver: Resolver<'s>,
    nodes: Vec<NodeData>,
    attributes: Vec<AttributeData>,
    /// Values that differ from what stands in the source; their spans begin at the source's length.
    tail: String,
    /// The elements around the current place.
    open: Vec<Open<'s>>,
    /// Room for the attributes of one tag, kept from tag to tag.
    raws: Vec<Raw<'s>>,
}

impl<'s> Reader<'s> {
    fn new(source: &'s str, limits: &'s Limits) -> Reader<'s> {
        Reader {
            source,
            bytes: source.as_bytes(),
            limits,
            resolver: Resolver::new(),
            nodes: Vec::with_capacity(source.len() / 64),
            attributes: Vec::with_capacity(source.len() / 48),
            tail: String::new(),
            open: Vec::new(),
            raws: Vec::new(),
        }
    }

    fn read_all(&mut self) -> Result<(), Error> {
        let mut at = 0;
        while let Some(distance) = memchr::memchr(b'<', &self.bytes[at..]) {
            let tag = at + distance;
            let next = self.bytes.get(tag + 1);
            self.text(at, tag)?;
            at = match next {
                Some(b'/') => self.end_tag(tag)?,
                Some(b'!') => self.comment_or_cdata(tag)?,
                Some(b'?') => self.instruction(tag)?,
                _ => self.start_tag(tag)?,
            };
        }
        self.text(at, self.bytes.len())?;
        self.finish()
    }

    fn finish(&self) -> Result<(), Error> {
        let end = self.bytes.len();
        match self.open.last() {
            Some(open) => {
                let start = self.nodes[open.index as usize].span.start as usize;
                let position = crate::Position::at(self.source, start);
                self.refuse(end, &format!("element `{}` of {position} is never closed", open.name))
            }
            None if self.nodes.is_empty() => self.refuse(end, "document has no element"),
            None => Ok(()),
        }
    }

    #[cold]
    fn refuse<T>(&self, offset: usize, message: &str) -> Result<T, Error> {
        Err(Error::at(self.source, offset, shortened(message)))
    }

    fn push(&mut self, kind: Kind, span: Span, attributes: usize, offset: usize) -> Result<(), Error> {
        if self.nodes.len() >= self.limits.nodes {
            return self.refuse(offset, &format!("document has more than {} nodes", self.limits.nodes));
        }
        let (skip, attributes) = (u32_of(self.nodes.len() + 1), u32_of(attributes));
        self.nodes.push(NodeData { parent: self.parent(), skip, span, attributes, kind });
        Ok(())
    }

    /// The innermost open element; outside of all, the outermost one.
    fn parent(&self) -> u32 {
        self.open.last().map_or(0, |open| open.index)
    }
}

fn span(start: usize, end: usize) -> Span {
    Span { start: u32_of(start), end: u32_of(end) }
}

/// Keeps a text that is not in the source behind it.
fn store(tail: &mut String, source: &str, text: &str) -> Span {
    let start = source.len() + tail.len();
    tail.push_str(text);
    span(start, source.len() + tail.len())
}

fn u32_of(number: usize) -> u32 {
    u32::try_from(number).expect("documents are limited to 2^30 bytes")
}

/// A message of bearable length, whatever names the document chose.
fn shortened(message: &str) -> String {
    let limit = 240;
    if message.len() <= limit {
        return message.to_owned();
    }
    message.chars().take(limit).chain(['…']).collect()
}
