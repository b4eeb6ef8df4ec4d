//! What is inside elements: character data, comments, instructions.
//!
//! **Invariant:** adjacent character data is one node, however it was written.

use std::borrow::Cow;

use super::{Reader, shortened, store, u32_of};
use crate::document::{Kind, NodeData, Span};
use crate::escape::{decode_text, resolve};
use crate::{Error, Position};

impl Reader<'_> {
    pub(super) fn text(&mut self, raw: &str, start: usize) -> Result<(), Error> {
        if self.open.is_empty() {
            let blank = raw.bytes().all(|byte| byte.is_ascii_whitespace());
            return if blank { Ok(()) } else { self.refuse(start, "text outside the outermost element") };
        }
        match decode_text(raw) {
            Ok(Cow::Borrowed(_)) => self.append_text(None, start, start + raw.len()),
            Ok(Cow::Owned(decoded)) => self.append_text(Some(&decoded), start, start),
            Err(unresolved) => self.refuse(start + unresolved.offset, &unresolved.message),
        }
    }

    pub(super) fn reference(&mut self, name: &str, start: usize) -> Result<(), Error> {
        if self.open.is_empty() {
            return self.refuse(start, "reference outside the outermost element");
        }
        let Some(character) = resolve(name) else {
            let message = "is not allowed; only amp, lt, gt, quot, apos and character references are";
            return self.refuse(start, &format!("reference `&{};` {message}", shortened(name)));
        };
        self.append_text(Some(character.encode_utf8(&mut [0; 4])), start, start)
    }

    pub(super) fn cdata(&mut self, start: usize, end: usize) -> Result<(), Error> {
        if self.open.is_empty() {
            return self.refuse(start, "text outside the outermost element");
        }
        let content = (start + "<![CDATA[".len(), end - "]]>".len());
        let raw = &self.source[content.0..content.1];
        if raw.contains('\r') {
            let decoded = raw.replace("\r\n", "\n").replace('\r', "\n");
            return self.append_text(Some(&decoded), start, start);
        }
        self.append_text(None, content.0, content.1)
    }

    /// Adds character data: a piece of the source, or the decoded text if that differs. Joins it with text before it.
    pub(super) fn append_text(
        &mut self,
        decoded: Option<&str>,
        start: usize,
        end: usize,
    ) -> Result<(), Error> {
        let source = self.source;
        let piece = decoded.unwrap_or(&source[start..end]);
        let parent = self.parent();
        let source_length = u32_of(source.len());
        let before =
            self.nodes.last_mut().filter(|node| node.parent == parent && matches!(node.kind, Kind::Text));
        let Some(node) = before else {
            let span =
                if decoded.is_some() { store(&mut self.tail, source, piece) } else { self.span(start, end) };
            return self.push(Kind::Text, span, start);
        };
        if node.span.start < source_length {
            node.span =
                store(&mut self.tail, source, &source[node.span.start as usize..node.span.end as usize]);
        }
        node.span.end = store(&mut self.tail, source, piece).end;
        Ok(())
    }

    /// Adds a comment or an instruction; outside the outermost element they are not kept.
    pub(super) fn aside(&mut self, kind: Kind, start: usize, end: usize) -> Result<(), Error> {
        if self.open.is_empty() {
            return Ok(());
        }
        self.drop_blanks();
        self.push(kind, self.span(start, end), start)
    }

    pub(super) fn push(&mut self, kind: Kind, span: Span, offset: usize) -> Result<(), Error> {
        if self.nodes.len() >= self.limits.nodes {
            return self.refuse(offset, &format!("document has more than {} nodes", self.limits.nodes));
        }
        let skip = u32_of(self.nodes.len() + 1);
        self.nodes.push(NodeData { parent: self.parent(), skip, span, kind });
        Ok(())
    }

    /// Forgets white space that only separates elements.
    pub(super) fn drop_blanks(&mut self) {
        let parent = self.parent();
        let Some(last) = self.nodes.last() else { return };
        let range = last.span.start as usize..last.span.end as usize;
        let is_text_here = matches!(last.kind, Kind::Text) && last.parent == parent;
        if is_text_here && self.source.get(range).is_some_and(|text| text.trim_ascii().is_empty()) {
            self.nodes.pop();
        }
    }

    pub(super) fn parent(&self) -> u32 {
        self.open.last().map_or(0, |&(index, _)| index)
    }

    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span { start: u32_of(start), end: u32_of(end) }
    }

    /// The position of an offset that is not before the last one asked for.
    pub(super) fn position_at(&mut self, offset: usize) -> Position {
        self.position.advance(&self.source[self.position_offset..offset]);
        self.position_offset = offset;
        self.position
    }
}
