//! The tree of a document: one arena in document order.
//!
//! **Invariant:** the nodes of an element's subtree follow it directly and end before its `skip`, so walking,
//! dropping and skipping need no recursion.
//! **Invariant:** the attributes of an element end where those of the node after it begin.
//! **Invariant:** every span lies in `text` and on character boundaries.

use std::sync::OnceLock;

use crate::element::{Element, Node};
use crate::lines::Lines;
use crate::names::{NameIx, Names};
use crate::{Error, Limits, Position};

/// An XML document, read.
#[derive(Debug)]
pub struct Document {
    /// The source, followed by values that differ from what stands in it.
    pub(crate) text: String,
    pub(crate) source_length: usize,
    pub(crate) names: Names,
    /// The outermost element comes first.
    pub(crate) nodes: Vec<NodeData>,
    pub(crate) attributes: Vec<AttributeData>,
    /// Made when the first position is asked for: most documents are read without.
    pub(crate) lines: OnceLock<Lines>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

#[derive(Debug)]
pub(crate) struct NodeData {
    /// The element around it; the root is its own.
    pub(crate) parent: u32,
    /// The first node that is not inside it.
    pub(crate) skip: u32,
    /// Elements and instructions: their source. Texts and comments: what they say.
    pub(crate) span: Span,
    /// Where its attributes begin, or would.
    pub(crate) attributes: u32,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Element(NameIx),
    Text,
    Comment,
    Instruction,
}

#[derive(Debug)]
pub(crate) struct AttributeData {
    pub(crate) name: NameIx,
    pub(crate) value: Span,
}

impl Document {
    /// Reads a document.
    ///
    /// ```
    /// use tyer_xml::{Document, Limits};
    /// let document = Document::parse(b"<order id='7'><item>tea</item></order>", &Limits::default())?;
    /// assert_eq!(document.root().attribute("id"), Some("7"));
    /// assert_eq!(document.root().children().next().expect("one item").text(), "tea");
    /// # Ok::<(), tyer_xml::Error>(())
    /// ```
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Document, Error> {
        crate::reader::read(bytes, limits)
    }

    /// The outermost element.
    pub fn root(&self) -> Element<'_> {
        Element { document: self, index: 0 }
    }

    /// The element that [`Element::order`] gave this number.
    #[inline]
    pub fn element(&self, order: usize) -> Option<Element<'_>> {
        match self.nodes.get(order)?.kind {
            Kind::Element(_) => Some(Element { document: self, index: order }),
            Kind::Text | Kind::Comment | Kind::Instruction => None,
        }
    }

    /// How many nodes there are; the order of every element is less.
    pub fn length(&self) -> usize {
        self.nodes.len()
    }

    /// How many attributes there are in all.
    pub fn attribute_count(&self) -> usize {
        self.attributes.len()
    }

    /// The document as it was given, in UTF-8.
    pub fn source(&self) -> &str {
        &self.text[..self.source_length]
    }

    #[inline]
    pub(crate) fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    #[inline]
    pub(crate) fn attributes_of(&self, index: usize) -> std::ops::Range<usize> {
        let first = self.nodes[index].attributes as usize;
        let end = self.nodes.get(index + 1).map_or(self.attributes.len(), |next| next.attributes as usize);
        first..end
    }

    pub(crate) fn position(&self, offset: usize) -> Position {
        self.lines.get_or_init(|| Lines::of(self.source())).position(self.source(), offset)
    }

    pub(crate) fn node(&self, index: usize) -> Node<'_> {
        let node = &self.nodes[index];
        match node.kind {
            Kind::Element(_) => Node::Element(Element { document: self, index }),
            Kind::Text => Node::Text(self.slice(node.span)),
            Kind::Comment => Node::Comment(self.slice(node.span)),
            Kind::Instruction => Node::Instruction(self.slice(node.span)),
        }
    }
}
