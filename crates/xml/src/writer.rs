//! XML written element by element, indented and escaped.
//!
//! **Invariant:** what is written reads back as the same names, attributes and text; characters that XML cannot
//! hold become U+FFFD.

use crate::escape::{encode_attribute, encode_text};
use crate::names::split_name;

/// Writes one document.
///
/// ```
/// let mut writer = tyer_xml::Writer::new();
/// writer.start("order");
/// writer.attribute("note", "a < b");
/// writer.start("item");
/// writer.text("tea & milk");
/// writer.end();
/// writer.end();
/// assert!(writer.finish().ends_with("<order note=\"a &lt; b\">\n  <item>tea &amp; milk</item>\n</order>\n"));
/// ```
#[derive(Debug)]
pub struct Writer {
    text: String,
    open: Vec<Open>,
    in_tag: bool,
}

#[derive(Debug)]
struct Open {
    name: String,
    has_elements: bool,
    has_text: bool,
}

impl Default for Writer {
    fn default() -> Writer {
        Writer::new()
    }
}

impl Writer {
    /// A writer that has written the XML declaration.
    pub fn new() -> Writer {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
        Writer { text, open: Vec::new(), in_tag: false }
    }

    /// Begins an element.
    ///
    /// # Panics
    /// If the name is not a qualified XML name: names come from the program, not from data.
    pub fn start(&mut self, name: &str) {
        assert!(split_name(name).is_some(), "`{name}` is a qualified XML name");
        self.close_tag();
        self.line_break();
        if let Some(parent) = self.open.last_mut() {
            parent.has_elements = true;
        }
        self.text.push('<');
        self.text.push_str(name);
        self.in_tag = true;
        self.open.push(Open { name: name.to_owned(), has_elements: false, has_text: false });
    }

    /// Adds an attribute to the element just begun.
    ///
    /// # Panics
    /// If the name is not a qualified XML name, or the element already has content.
    pub fn attribute(&mut self, name: &str, value: &str) {
        assert!(
            self.in_tag && split_name(name).is_some(),
            "`{name}` is an attribute of an element just begun"
        );
        self.text.push(' ');
        self.text.push_str(name);
        self.text.push_str("=\"");
        encode_attribute(value, &mut self.text);
        self.text.push('"');
    }

    /// Adds character data to the element.
    pub fn text(&mut self, text: &str) {
        self.close_tag();
        if let Some(parent) = self.open.last_mut() {
            parent.has_text = true;
        }
        encode_text(text, &mut self.text);
    }

    /// Adds an element that is already XML, as it stands.
    pub fn raw(&mut self, xml: &str) {
        self.close_tag();
        self.line_break();
        if let Some(parent) = self.open.last_mut() {
            parent.has_elements = true;
        }
        self.text.push_str(xml);
    }

    /// Ends the innermost element.
    ///
    /// # Panics
    /// If no element is open.
    pub fn end(&mut self) {
        let element = self.open.pop().expect("an element is open");
        if self.in_tag {
            self.text.push_str("/>");
            self.in_tag = false;
            return;
        }
        if element.has_elements && !element.has_text {
            self.line_break();
        }
        self.text.push_str("</");
        self.text.push_str(&element.name);
        self.text.push('>');
    }

    /// The document.
    ///
    /// # Panics
    /// If an element is still open.
    pub fn finish(mut self) -> String {
        assert!(self.open.is_empty(), "every element has been ended");
        self.text.push('\n');
        self.text
    }

    fn close_tag(&mut self) {
        if std::mem::take(&mut self.in_tag) {
            self.text.push('>');
        }
    }

    /// A new, indented line, unless that would change the text of the element around.
    fn line_break(&mut self) {
        let Some(parent) = self.open.last() else {
            if !self.text.ends_with('\n') {
                self.text.push('\n');
            }
            return;
        };
        if !parent.has_text {
            self.text.push('\n');
            self.text.push_str(&"  ".repeat(self.open.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Limits};

    #[test]
    fn what_is_written_reads_back() {
        let awkward = "a<b>&\"c'\r\n\td]]> ä \u{1F600}";
        let mut writer = Writer::new();
        writer.start("x:a");
        writer.attribute("xmlns:x", "urn:x");
        writer.attribute("v", awkward);
        writer.start("b");
        writer.text(awkward);
        writer.end();
        writer.end();
        let document =
            Document::parse(writer.finish().as_bytes(), &Limits::default()).expect("it is well-formed");
        assert_eq!(document.root().attribute("v"), Some(awkward));
        assert_eq!(document.root().child("", "b").expect("b was written").text(), awkward);
    }

    #[test]
    fn characters_that_xml_cannot_hold_are_replaced() {
        let mut writer = Writer::new();
        writer.start("a");
        writer.text("\u{0}\u{FFFF}");
        writer.end();
        assert!(writer.finish().contains("<a>\u{FFFD}\u{FFFD}</a>"));
    }
}
