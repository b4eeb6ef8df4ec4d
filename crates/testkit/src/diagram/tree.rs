//! An XML element on its way into a file.

use tyer_xml::Writer;

/// An element with what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    name: String,
    attributes: Vec<(String, String)>,
    inside: Vec<Tree>,
    text: Option<String>,
}

impl Tree {
    pub(super) fn new(name: &str) -> Tree {
        Tree { name: name.to_owned(), attributes: Vec::new(), inside: Vec::new(), text: None }
    }

    /// An element that holds an expression.
    pub(super) fn formal(name: &str, expression: &str) -> Tree {
        let mut tree = Tree::new(name).with("xsi:type", "tFormalExpression");
        tree.text = Some(expression.to_owned());
        tree
    }

    #[must_use]
    pub(super) fn with(mut self, name: &str, value: impl Into<String>) -> Tree {
        self.set(name, value);
        self
    }

    pub(super) fn set(&mut self, name: &str, value: impl Into<String>) {
        self.attributes.push((name.to_owned(), value.into()));
    }

    /// As `with`, if there is a value.
    #[must_use]
    pub(super) fn with_some(self, name: &str, value: Option<impl Into<String>>) -> Tree {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    #[must_use]
    pub(super) fn holding(mut self, inner: Tree) -> Tree {
        self.inside.push(inner);
        self
    }

    pub(super) fn push(&mut self, inner: Tree) {
        self.inside.push(inner);
    }

    /// Extensions stand first, in one element.
    pub(super) fn extend(&mut self, extension: Tree) {
        if self.inside.first().is_none_or(|first| first.name != "extensionElements") {
            self.inside.insert(0, Tree::new("extensionElements"));
        }
        self.inside[0].push(extension);
    }

    pub(super) fn write(&self, xml: &mut Writer) {
        xml.start(&self.name);
        for (name, value) in &self.attributes {
            xml.attribute(name, value);
        }
        if let Some(text) = &self.text {
            xml.text(text);
        }
        for inner in &self.inside {
            inner.write(xml);
        }
        xml.end();
    }
}
