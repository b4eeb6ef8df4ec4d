//! The tree of a document: one arena in document order.
//!
//! **Invariant:** the nodes of an element's subtree follow it directly and end before its `skip`, so walking,
//! dropping and skipping need no recursion.
//! **Invariant:** every span lies in `text` and on character boundaries.

use std::borrow::Cow;

use crate::names::{Symbol, XMLNS, text_of};
use crate::{Error, Limits, Position};

/// An XML document, read.
#[derive(Debug)]
pub struct Document {
    /// The source, followed by values that differ from what stands in it.
    pub(crate) text: String,
    pub(crate) source_length: usize,
    pub(crate) names: Vec<Box<str>>,
    pub(crate) nodes: Vec<NodeData>,
    pub(crate) attributes: Vec<AttributeData>,
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
    pub(crate) kind: Kind,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Element(ElementData),
    Text,
    Comment,
    Instruction,
}

#[derive(Debug)]
pub(crate) struct ElementData {
    pub(crate) name: QualifiedName,
    pub(crate) attributes: Span,
    pub(crate) position: Position,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct QualifiedName {
    pub(crate) prefix: Symbol,
    pub(crate) namespace: Symbol,
    pub(crate) local: Symbol,
}

#[derive(Debug)]
pub(crate) struct AttributeData {
    pub(crate) name: QualifiedName,
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
        let root = self.nodes.iter().position(|node| matches!(node.kind, Kind::Element(_)));
        Element { document: self, index: root.expect("the reader refuses a document without element") }
    }

    /// The element that [`Element::order`] gave this number.
    pub fn element(&self, order: usize) -> Option<Element<'_>> {
        self.nodes.get(order)?;
        self.node(order).element()
    }

    /// The document as it was given, in UTF-8.
    pub fn source(&self) -> &str {
        &self.text[..self.source_length]
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    fn name(&self, name: QualifiedName) -> Name<'_> {
        Name { namespace: text_of(&self.names, name.namespace), local: text_of(&self.names, name.local) }
    }
}

/// A name with the namespace it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name<'d> {
    /// The namespace, empty if there is none.
    pub namespace: &'d str,
    /// The name in the namespace.
    pub local: &'d str,
}

/// An attribute of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'d> {
    /// Its name.
    pub name: Name<'d>,
    /// The prefix it was written with, empty if there was none.
    pub prefix: &'d str,
    /// What it says.
    pub value: &'d str,
}

/// Something inside an element.
#[derive(Clone, Copy, Debug)]
pub enum Node<'d> {
    /// An element.
    Element(Element<'d>),
    /// Character data. Blanks between elements are left out.
    Text(&'d str),
    /// A comment, without its marks.
    Comment(&'d str),
    /// A processing instruction, as written.
    Instruction(&'d str),
}

/// An element of a document: cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Element<'d> {
    document: &'d Document,
    index: usize,
}

impl PartialEq for Element<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.document, other.document) && self.index == other.index
    }
}

impl Eq for Element<'_> {}

impl<'d> Element<'d> {
    /// The name with its namespace.
    pub fn name(self) -> Name<'d> {
        self.document.name(self.data().name)
    }

    /// The name without its namespace.
    pub fn local_name(self) -> &'d str {
        self.name().local
    }

    /// The prefix it was written with, empty if there was none.
    pub fn prefix(self) -> &'d str {
        text_of(&self.document.names, self.data().name.prefix)
    }

    /// Whether it is this element of this namespace.
    pub fn is(self, namespace: &str, local: &str) -> bool {
        // Local names differ sooner than namespaces.
        let name = self.name();
        name.local == local && name.namespace == namespace
    }

    /// A number that orders the elements of a document as they stand in it.
    pub fn order(self) -> usize {
        self.index
    }

    /// Where its start tag begins.
    pub fn position(self) -> Position {
        self.data().position
    }

    /// The value of an attribute without namespace.
    pub fn attribute(self, local: &str) -> Option<&'d str> {
        let Span { start, end } = self.data().attributes;
        let document = self.document;
        let mut own = document.attributes[start as usize..end as usize].iter();
        let is_asked = |data: &&AttributeData| {
            data.name.namespace == Symbol::EMPTY && text_of(&document.names, data.name.local) == local
        };
        own.find(is_asked).map(|data| document.slice(data.value))
    }

    /// The value of an attribute of a namespace.
    pub fn attribute_ns(self, namespace: &str, local: &str) -> Option<&'d str> {
        self.attributes()
            .find(|attribute| attribute.name == Name { namespace, local })
            .map(|found| found.value)
    }

    /// All attributes but namespace declarations, as written.
    pub fn attributes(self) -> impl Iterator<Item = Attribute<'d>> {
        self.all_attributes().filter(|attribute| attribute.name.namespace != XMLNS)
    }

    /// The namespaces declared here, as (prefix, namespace).
    pub fn declarations(self) -> impl Iterator<Item = (&'d str, &'d str)> {
        self.all_attributes().filter(|attribute| attribute.name.namespace == XMLNS).map(|declaration| {
            let prefix = if declaration.prefix.is_empty() { "" } else { declaration.name.local };
            (prefix, declaration.value)
        })
    }

    /// The namespace that a prefix stands for here.
    pub fn namespace_of(self, prefix: &str) -> Option<&'d str> {
        let around = std::iter::successors(Some(self), |element| element.parent());
        let mut declared = around.flat_map(|element| element.declarations());
        declared.find(|(declared, _)| *declared == prefix).map(|(_, namespace)| namespace)
    }

    /// What is directly inside, in document order.
    pub fn nodes(self) -> impl Iterator<Item = Node<'d>> {
        let document = self.document;
        let end = document.nodes[self.index].skip as usize;
        let first = Some(self.index + 1).filter(|&first| first < end);
        let indices = std::iter::successors(first, move |&index| {
            Some(document.nodes[index].skip as usize).filter(|&next| next < end)
        });
        indices.map(move |index| document.node(index))
    }

    /// The elements directly inside.
    pub fn children(self) -> impl Iterator<Item = Element<'d>> {
        self.nodes().filter_map(Node::element)
    }

    /// The first element directly inside with this name.
    pub fn child(self, namespace: &str, local: &str) -> Option<Element<'d>> {
        self.children().find(|child| child.is(namespace, local))
    }

    /// This element and all elements inside it, in document order.
    pub fn subtree(self) -> impl Iterator<Item = Element<'d>> {
        let document = self.document;
        let end = document.nodes[self.index].skip as usize;
        (self.index..end).filter_map(move |index| document.node(index).element())
    }

    /// The element around it.
    pub fn parent(self) -> Option<Element<'d>> {
        let parent = self.document.nodes[self.index].parent as usize;
        (parent != self.index).then_some(Element { document: self.document, index: parent })
    }

    /// The character data directly inside.
    pub fn text(self) -> Cow<'d, str> {
        let mut texts = self.nodes().filter_map(Node::text);
        let first = texts.next().unwrap_or_default();
        texts.fold(Cow::Borrowed(first), |all, next| all + next)
    }

    /// The element as it stands in the document, from `<` to `>`.
    pub fn source(self) -> &'d str {
        self.document.slice(self.document.nodes[self.index].span)
    }

    /// The bytes of [`Document::source`] that the element takes.
    pub fn range(self) -> std::ops::Range<usize> {
        let span = self.document.nodes[self.index].span;
        span.start as usize..span.end as usize
    }

    fn data(self) -> &'d ElementData {
        match &self.document.nodes[self.index].kind {
            Kind::Element(data) => data,
            Kind::Text | Kind::Comment | Kind::Instruction => unreachable!("an Element names an element"),
        }
    }

    fn all_attributes(self) -> impl Iterator<Item = Attribute<'d>> {
        let Span { start, end } = self.data().attributes;
        let document = self.document;
        document.attributes[start as usize..end as usize].iter().map(move |data| Attribute {
            name: document.name(data.name),
            prefix: text_of(&document.names, data.name.prefix),
            value: document.slice(data.value),
        })
    }
}

impl Document {
    fn node(&self, index: usize) -> Node<'_> {
        let node = &self.nodes[index];
        match node.kind {
            Kind::Element(_) => Node::Element(Element { document: self, index }),
            Kind::Text => Node::Text(self.slice(node.span)),
            Kind::Comment => Node::Comment(self.slice(node.span)),
            Kind::Instruction => Node::Instruction(self.slice(node.span)),
        }
    }
}

impl<'d> Node<'d> {
    /// The element, if it is one.
    pub fn element(self) -> Option<Element<'d>> {
        if let Node::Element(element) = self { Some(element) } else { None }
    }

    /// The character data, if it is some.
    pub fn text(self) -> Option<&'d str> {
        if let Node::Text(text) = self { Some(text) } else { None }
    }
}
