//! Elements of a document, and what is in them.

use std::borrow::Cow;

use crate::Position;
use crate::document::{AttributeData, Document, Kind};
use crate::names::{NameIx, XMLNS};

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

/// An attribute without namespace, and its place in the document.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'d> {
    /// Its name.
    pub local: &'d str,
    /// A number of its name: attributes of a document with the same number have the same name.
    pub name_number: usize,
    /// What it says.
    pub value: &'d str,
    /// Its position among all attributes of the document.
    pub number: usize,
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
    pub(crate) document: &'d Document,
    pub(crate) index: usize,
}

impl PartialEq for Element<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.document, other.document) && self.index == other.index
    }
}

impl Eq for Element<'_> {}

impl<'d> Element<'d> {
    /// The name with its namespace.
    #[inline]
    pub fn name(self) -> Name<'d> {
        self.document.names.name(self.name_ix())
    }

    /// The name without its namespace.
    #[inline]
    pub fn local_name(self) -> &'d str {
        self.document.names.local(self.name_ix())
    }

    /// The prefix it was written with, empty if there was none.
    pub fn prefix(self) -> &'d str {
        self.document.names.prefix(self.name_ix())
    }

    /// A number of its name: elements of a document with the same number have the same name.
    #[inline]
    pub fn name_number(self) -> usize {
        self.name_ix().number()
    }

    /// Whether it is this element of this namespace.
    #[inline]
    pub fn is(self, namespace: &str, local: &str) -> bool {
        // Local names differ sooner than namespaces.
        self.local_name() == local && self.document.names.namespace(self.name_ix()) == namespace
    }

    /// A number that orders the elements of a document as they stand in it.
    #[inline]
    pub fn order(self) -> usize {
        self.index
    }

    /// Where its start tag begins.
    pub fn position(self) -> Position {
        self.document.position(self.range().start)
    }

    /// The value of an attribute without namespace.
    #[inline]
    pub fn attribute(self, local: &str) -> Option<&'d str> {
        let number = self.attribute_number(local)?;
        Some(self.document.slice(self.document.attributes[number].value))
    }

    /// The position of an attribute without namespace among all attributes of the document.
    #[inline]
    pub fn attribute_number(self, local: &str) -> Option<usize> {
        let (document, mut numbers) = (self.document, self.document.attributes_of(self.index));
        numbers.find(|number| {
            let name = document.attributes[*number].name;
            document.names.local(name) == local && document.names.is_plain(name)
        })
    }

    /// All attributes without namespace.
    #[inline]
    pub fn plain_attributes(self) -> impl Iterator<Item = Plain<'d>> {
        let document = self.document;
        let plain = move |number: usize| {
            let data = &document.attributes[number];
            let (local, name_number) = (document.names.local(data.name), data.name.number());
            let value = document.slice(data.value);
            document.names.is_plain(data.name).then_some(Plain { local, name_number, value, number })
        };
        document.attributes_of(self.index).filter_map(plain)
    }

    /// The value of an attribute of a namespace.
    pub fn attribute_ns(self, namespace: &str, local: &str) -> Option<&'d str> {
        let mut own = self.attributes();
        own.find(|attribute| attribute.name == Name { namespace, local }).map(|found| found.value)
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
        self.inside().map(move |index| document.node(index))
    }

    /// The elements directly inside.
    #[inline]
    pub fn children(self) -> impl Iterator<Item = Element<'d>> {
        let document = self.document;
        self.inside().filter_map(move |index| document.element(index))
    }

    /// The first element directly inside with this name.
    #[inline]
    pub fn child(self, namespace: &str, local: &str) -> Option<Element<'d>> {
        self.children().find(|child| child.is(namespace, local))
    }

    /// This element and all elements inside it, in document order.
    #[inline]
    pub fn subtree(self) -> impl Iterator<Item = Element<'d>> {
        let document = self.document;
        let end = document.nodes[self.index].skip as usize;
        (self.index..end).filter_map(move |index| document.element(index))
    }

    /// The element around it.
    #[inline]
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

    #[inline]
    fn name_ix(self) -> NameIx {
        match self.document.nodes[self.index].kind {
            Kind::Element(name) => name,
            Kind::Text | Kind::Comment | Kind::Instruction => unreachable!("an Element names an element"),
        }
    }

    /// The numbers of the nodes directly inside.
    #[inline]
    fn inside(self) -> impl Iterator<Item = usize> {
        let document = self.document;
        let end = document.nodes[self.index].skip as usize;
        let first = Some(self.index + 1).filter(|&first| first < end);
        std::iter::successors(first, move |&index| {
            Some(document.nodes[index].skip as usize).filter(|&next| next < end)
        })
    }

    fn all_attributes(self) -> impl Iterator<Item = Attribute<'d>> {
        let document = self.document;
        let attribute = |data: &AttributeData| Attribute {
            name: document.names.name(data.name),
            prefix: document.names.prefix(data.name),
            value: document.slice(data.value),
        };
        document.attributes_of(self.index).map(move |number| attribute(&document.attributes[number]))
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
