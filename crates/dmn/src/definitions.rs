//! One document: its namespace, its imports, and how its parts are found.

use tyer_xml::{Document, Element};

/// A parsed document and what it says about itself.
pub(crate) struct Definitions {
    pub(crate) document: Document,
    pub(crate) namespace: String,
    /// Name here, namespace there.
    pub(crate) imports: Vec<(String, String)>,
}

impl Definitions {
    pub(crate) fn new(document: Document) -> Definitions {
        let root = document.root();
        let imports = children(root, "import")
            .filter_map(|import| {
                let namespace = import.attribute("namespace")?;
                Some((import.attribute("name").unwrap_or_default().trim().to_owned(), namespace.to_owned()))
            })
            .collect();
        let namespace = root.attribute("namespace").unwrap_or_default().to_owned();
        Definitions { document, namespace, imports }
    }

    /// The name under which a namespace was imported.
    pub(crate) fn import_of(&self, namespace: &str) -> Option<&str> {
        self.imports.iter().find(|(_, imported)| imported == namespace).map(|(name, _)| name.as_str())
    }
}

/// The children of that name, in any DMN namespace.
pub(crate) fn children<'d>(element: Element<'d>, local: &'static str) -> impl Iterator<Item = Element<'d>> {
    element.children().filter(move |child| child.local_name() == local)
}

pub(crate) fn child<'d>(element: Element<'d>, local: &'static str) -> Option<Element<'d>> {
    children(element, local).next()
}

/// The text of a `<text>` child, or of the element itself.
pub(crate) fn text_of(element: Element<'_>) -> String {
    child(element, "text").unwrap_or(element).text().trim().to_owned()
}

/// The name of an element: that of its variable, or its own.
pub(crate) fn variable_name(element: Element<'_>) -> String {
    let variable = child(element, "variable").and_then(|variable| variable.attribute("name"));
    variable.or_else(|| element.attribute("name")).unwrap_or_default().trim().to_owned()
}

/// What problems call an element.
pub(crate) fn label(element: Element<'_>) -> String {
    let own = |element: Element<'_>| {
        element.attribute("id").or_else(|| element.attribute("name")).map(str::to_owned)
    };
    let around = std::iter::successors(Some(element), |element| element.parent());
    around.filter_map(own).next().unwrap_or_default()
}
