//! What is between tags: character data, comments, instructions.
//!
//! **Invariant:** adjacent character data is one node, however it was written.

use std::borrow::Cow;

use super::scan::{ENDS_NAME, find, is_blank};
use super::{Reader, span, store, u32_of};
use crate::Error;
use crate::document::Kind;
use crate::escape::decode_text;

const CDATA: &str = "<![CDATA[";

impl Reader<'_> {
    /// Reads the character data between two tags.
    #[inline]
    pub(super) fn text(&mut self, start: usize, end: usize) -> Result<(), Error> {
        if start == end {
            return Ok(());
        }
        let raw = &self.source[start..end];
        let blank = is_blank(raw.as_bytes());
        if self.open.is_empty() {
            return if blank { Ok(()) } else { self.refuse(start, "text outside the outermost element") };
        }
        if blank && self.only_separates(end) {
            return Ok(());
        }
        match decode_text(raw) {
            Ok(Cow::Borrowed(_)) => self.append_text(None, start, end),
            Ok(Cow::Owned(decoded)) => self.append_text(Some(&decoded), start, start),
            Err(unresolved) => self.refuse(start + unresolved.offset, &unresolved.message),
        }
    }

    /// Whether white space before this place stands between elements, and is not all that an element says.
    fn only_separates(&self, end: usize) -> bool {
        let after = &self.bytes[end..];
        let follows_text =
            self.nodes.last().is_some_and(|last| last.kind == Kind::Text && last.parent == self.parent());
        let is_alone = after.starts_with(b"</") && self.nodes.len() == self.parent() as usize + 1;
        !follows_text && !is_alone && !after.starts_with(CDATA.as_bytes())
    }

    /// Reads what begins with `<!`: where it ends.
    pub(super) fn comment_or_cdata(&mut self, start: usize) -> Result<usize, Error> {
        let rest = &self.source[start..];
        if rest.starts_with("<!--") {
            return self.comment(start);
        }
        if rest.starts_with(CDATA) {
            return self.cdata(start);
        }
        let is_doctype = rest.get(2..9).is_some_and(|word| word.eq_ignore_ascii_case("doctype"));
        let message = if is_doctype {
            "DOCTYPE is not allowed; remove it and write what its entities stand for"
        } else {
            "`<!` that begins neither a comment nor CDATA; write `&lt;!`"
        };
        self.refuse(start, message)
    }

    fn comment(&mut self, start: usize) -> Result<usize, Error> {
        let content = start + "<!--".len();
        let Some(length) = memchr::memmem::find(&self.bytes[content..], b"--") else {
            return self.refuse(start, "comment that is never closed; write `-->`");
        };
        let end = content + length;
        if self.bytes.get(end + 2) != Some(&b'>') {
            return self.refuse(end, "`--` in a comment");
        }
        self.aside(Kind::Comment, content, end, start)?;
        Ok(end + "-->".len())
    }

    /// Reads a processing instruction or the declaration of XML: where it ends.
    pub(super) fn instruction(&mut self, start: usize) -> Result<usize, Error> {
        let Some(length) = memchr::memmem::find(&self.bytes[start + 2..], b"?>") else {
            return self.refuse(start, "instruction that is never closed; write `?>`");
        };
        let content = &self.source[start + 2..start + 2 + length];
        let end = start + 2 + length + 2;
        let target = &content[..find(content.as_bytes(), 0, ENDS_NAME)];
        match target {
            "xml" if start == 0 => {}
            "xml" => {
                let message = "XML declaration after the start; it must be the first thing in the file";
                return self.refuse(start, message);
            }
            "" => return self.refuse(start, "instruction without a name"),
            _ => self.aside(Kind::Instruction, start, end, start)?,
        }
        Ok(end)
    }

    fn cdata(&mut self, start: usize) -> Result<usize, Error> {
        if self.open.is_empty() {
            return self.refuse(start, "text outside the outermost element");
        }
        let content = start + CDATA.len();
        let Some(length) = memchr::memmem::find(&self.bytes[content..], b"]]>") else {
            return self.refuse(start, "CDATA that is never closed; write `]]>`");
        };
        let end = content + length;
        let raw = &self.source[content..end];
        if raw.contains('\r') {
            let decoded = raw.replace("\r\n", "\n").replace('\r', "\n");
            self.append_text(Some(&decoded), start, start)?;
        } else {
            self.append_text(None, content, end)?;
        }
        Ok(end + "]]>".len())
    }

    /// Adds character data: a piece of the source, or the decoded text if that differs. Joins it with text before it.
    fn append_text(&mut self, decoded: Option<&str>, start: usize, end: usize) -> Result<(), Error> {
        let source = self.source;
        let piece = decoded.unwrap_or(&source[start..end]);
        let parent = self.parent();
        let source_length = u32_of(source.len());
        let before = self.nodes.last_mut().filter(|node| node.parent == parent && node.kind == Kind::Text);
        let Some(node) = before else {
            let span =
                if decoded.is_some() { store(&mut self.tail, source, piece) } else { span(start, end) };
            return self.push(Kind::Text, span, self.attributes.len(), start);
        };
        if node.span.start < source_length {
            node.span =
                store(&mut self.tail, source, &source[node.span.start as usize..node.span.end as usize]);
        }
        node.span.end = store(&mut self.tail, source, piece).end;
        Ok(())
    }

    /// Adds a comment or an instruction; outside the outermost element they are not kept.
    fn aside(&mut self, kind: Kind, from: usize, to: usize, start: usize) -> Result<(), Error> {
        if self.open.is_empty() {
            return Ok(());
        }
        self.drop_blanks();
        self.push(kind, span(from, to), self.attributes.len(), start)
    }

    /// Forgets white space that only separates elements, however it was written.
    #[inline]
    pub(super) fn drop_blanks(&mut self) {
        self.drop_blanks_in(self.parent());
    }

    #[inline]
    pub(super) fn drop_blanks_in(&mut self, parent: u32) {
        let Some(last) = self.nodes.last().filter(|last| last.kind == Kind::Text && last.parent == parent)
        else {
            return;
        };
        let range = last.span.start as usize..last.span.end as usize;
        if self.bytes.get(range).is_some_and(is_blank) {
            self.nodes.pop();
        }
    }
}
