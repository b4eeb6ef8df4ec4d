//! Bytes to [`Document`]: quick-xml's events, checked and put into the arena.
//!
//! **Invariant:** whatever quick-xml lets pass but XML does not (names, attributes, several roots, text outside,
//! unclosed elements, undeclared prefixes, entities) is refused here.

mod content;
mod tags;

use quick_xml::events::{BytesStart, Event};

use crate::attributes::Raw;
use crate::document::{AttributeData, ElementData, Kind, NodeData, Span};
use crate::escape::is_xml_character;
use crate::names::{Interner, Recent, Scope};
use crate::{Document, Error, Limits, Position, encoding};

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
    let Reader { tail, names, nodes, attributes, .. } = reader;
    let source_length = source.len();
    let mut text = source.into_owned();
    text.push_str(&tail);
    Ok(Document { text, source_length, names: names.into_texts(), nodes, attributes })
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
    limits: &'s Limits,
    names: Interner,
    recent: Recent<'s>,
    scope: Scope,
    nodes: Vec<NodeData>,
    attributes: Vec<AttributeData>,
    /// Values that differ from what stands in the source; their spans begin at the source's length.
    tail: String,
    /// The elements around the current place, each with the scope's mark before it.
    open: Vec<(u32, usize)>,
    root_seen: bool,
    /// The position of the last element, from where the next one's is counted.
    position: Position,
    position_offset: usize,
    /// Room for the attributes of one tag, kept from tag to tag.
    raws: Vec<Raw<'s>>,
}

impl<'s> Reader<'s> {
    fn new(source: &'s str, limits: &'s Limits) -> Reader<'s> {
        let mut names = Interner::new();
        let scope = Scope::new(&mut names);
        Reader {
            source,
            limits,
            names,
            recent: Recent::new(),
            scope,
            nodes: Vec::with_capacity(source.len() / 64),
            attributes: Vec::with_capacity(source.len() / 48),
            tail: String::new(),
            open: Vec::new(),
            root_seen: false,
            position: Position { line: 1, column: 1 },
            position_offset: 0,
            raws: Vec::new(),
        }
    }

    fn read_all(&mut self) -> Result<(), Error> {
        let mut events = quick_xml::Reader::from_str(self.source);
        events.config_mut().check_comments = true;
        loop {
            let start = offset_of(events.buffer_position());
            let event = events.read_event().map_err(|error| {
                let message = shortened(&error.to_string());
                Error::at(self.source, offset_of(events.error_position()), message)
            })?;
            let end = offset_of(events.buffer_position());
            match event {
                Event::Start(tag) => self.start(&tag, start)?,
                Event::Empty(tag) => {
                    self.start(&tag, start)?;
                    self.end(end);
                }
                Event::End(_) => self.end(end),
                Event::Text(text) => self.text(&text, start)?,
                Event::GeneralRef(reference) => self.reference(&reference, start)?,
                Event::CData(_) => self.cdata(start, end)?,
                Event::Comment(_) => self.aside(Kind::Comment, start + 4, end - 3)?,
                Event::PI(_) => self.aside(Kind::Instruction, start, end)?,
                Event::Decl(_) if start == 0 => {}
                Event::Decl(_) => {
                    return self.refuse(
                        start,
                        "XML declaration after the start; it must be the first thing in the file",
                    );
                }
                Event::DocType(_) => {
                    return self.refuse(
                        start,
                        "DOCTYPE is not allowed; remove it and write what its entities stand for",
                    );
                }
                Event::Eof => return self.finish(end),
            }
        }
    }

    fn finish(&self, end: usize) -> Result<(), Error> {
        match self.open.last() {
            Some(&(index, _)) => {
                let Kind::Element(data) = &self.nodes[index as usize].kind else {
                    unreachable!("only elements are open")
                };
                let name = self.names.text(data.name.local);
                self.refuse(end, &format!("element `{name}` of {} is never closed", data.position))
            }
            None if self.root_seen => Ok(()),
            None => self.refuse(end, "document has no element"),
        }
    }

    fn refuse<T>(&self, offset: usize, message: &str) -> Result<T, Error> {
        Err(Error::at(self.source, offset, shortened(message)))
    }

    fn start(&mut self, tag: &BytesStart<'_>, start: usize) -> Result<(), Error> {
        if self.open.is_empty() && self.root_seen {
            return self.refuse(start, "second outermost element; a document has one");
        }
        if self.open.len() >= self.limits.depth {
            return self.refuse(start, &format!("elements are nested deeper than {}", self.limits.depth));
        }
        let length = tag.name().into_inner().len();
        let qualified = &self.source[start + 1..start + 1 + length];
        let Some(parts) = self.recent.parts(qualified, &mut self.names) else {
            return self.refuse(start, &format!("`{qualified}` is not a name of an element"));
        };
        let mark = self.scope.mark();
        let attributes = self.read_attributes(tag.attributes_raw().len(), start + 1 + length)?;
        let name = self.resolve_name(parts, start)?;
        let position = self.position_at(start);
        let kind = Kind::Element(ElementData { name, attributes, position });
        self.drop_blanks();
        let index = u32_of(self.nodes.len());
        self.push(kind, self.span(start, start), start)?;
        self.open.push((index, mark));
        self.root_seen = true;
        Ok(())
    }

    fn end(&mut self, end: usize) {
        // quick-xml refuses end tags that match no start tag.
        let Some(&(index, mark)) = self.open.last() else {
            return;
        };
        let only_text = self.nodes.len() == index as usize + 2;
        if !only_text {
            self.drop_blanks();
        }
        self.open.pop();
        self.scope.leave(mark);
        let skip = u32_of(self.nodes.len());
        let node = &mut self.nodes[index as usize];
        node.skip = skip;
        node.span.end = u32_of(end);
    }
}

/// Keeps a text that is not in the source behind it.
fn store(tail: &mut String, source: &str, text: &str) -> Span {
    let start = u32_of(source.len() + tail.len());
    tail.push_str(text);
    Span { start, end: u32_of(source.len() + tail.len()) }
}

fn offset_of(position: u64) -> usize {
    usize::try_from(position).expect("a position inside the source is a usize")
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
