//! Where the elements of a model come from, and how references find them.

use crate::definitions::Definitions;
use crate::model::ElementKind;
use tyer_map::Map;
use tyer_xml::Element;

/// Where an element comes from.
pub(crate) struct Source<'a> {
    pub(crate) document: usize,
    pub(crate) namespace: &'a str,
    pub(crate) kind: ElementKind,
    pub(crate) xml: Element<'a>,
}

/// The elements of all documents, in order.
pub(crate) struct Sources<'a> {
    all: Vec<Source<'a>>,
    by_document: Map<(usize, &'a str), usize>,
    by_namespace: Map<(&'a str, &'a str), usize>,
}

impl<'a> Sources<'a> {
    pub(crate) fn of(documents: &'a [Definitions]) -> Sources<'a> {
        let mut sources = Sources { all: Vec::new(), by_document: Map::new(), by_namespace: Map::new() };
        for (document, definitions) in documents.iter().enumerate() {
            for xml in definitions.document.root().children() {
                if let Some(kind) = kind_of(xml) {
                    sources.push(Source { document, namespace: &definitions.namespace, kind, xml });
                }
            }
        }
        sources
    }

    fn push(&mut self, source: Source<'a>) {
        let place = self.all.len();
        if let Some(id) = source.xml.attribute("id") {
            self.by_document.entry((source.document, id)).or_insert(place);
            self.by_namespace.entry((source.namespace, id)).or_insert(place);
        }
        self.all.push(source);
    }

    /// The element that a reference means: `#id`, or `namespace#id`.
    pub(crate) fn find(&self, from: &Source<'_>, href: &str) -> Option<usize> {
        let (namespace, id) = href.split_once('#').unwrap_or(("", href));
        let found = if namespace.is_empty() || namespace == from.namespace {
            self.by_document.get(&(from.document, id))
        } else {
            self.by_namespace.get(&(namespace, id))
        };
        found.copied()
    }
}

impl<'a> std::ops::Deref for Sources<'a> {
    type Target = [Source<'a>];

    fn deref(&self) -> &[Source<'a>] {
        &self.all
    }
}

fn kind_of(xml: Element<'_>) -> Option<ElementKind> {
    match xml.local_name() {
        "inputData" => Some(ElementKind::Input),
        "decision" => Some(ElementKind::Decision),
        "businessKnowledgeModel" => Some(ElementKind::Knowledge),
        "decisionService" => Some(ElementKind::Service),
        _ => None,
    }
}
