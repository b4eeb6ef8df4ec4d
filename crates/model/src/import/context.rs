//! What every part of the importer needs: the file, where its nodes stand, and where problems go.
//!
//! **Invariant:** whoever cannot read something reports an error and goes on with a part left out: no process is made
//! of a file with errors, so what is left out is never executed.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;

use tyer_feel::Names;
use tyer_xml::Element;

use super::message::Links;
use crate::code::Code;
use crate::definitions::Definitions;
use crate::namespace::{TYER, bpmn_children, is_mapped};
use crate::process::NodeIx;
use crate::report::{Report, label, shortened};

/// One process on its way from elements to nodes.
pub(super) struct Context<'c, 'd> {
    pub(super) definitions: &'d Definitions,
    pub(super) report: &'c mut Report,
    /// The process that is compiled.
    pub(super) process: Element<'d>,
    /// Whether the file speaks one of the mapped dialects.
    pub(super) is_mapped: bool,
    /// Names with blanks that expressions may use.
    pub(super) names: Names,
    /// How many of them there are.
    pub(super) declared: usize,
    /// For each element from the process on: where it stands among the nodes.
    places: Vec<Option<NodeIx>>,
    /// Catching links by their scope and name.
    link_catches: HashMap<(usize, &'d str), NodeIx>,
    links: OnceCell<Links<'d>>,
    /// How many bytes of definitions that many may refer to have been read so far.
    shared_bytes: Cell<usize>,
}

/// Reading a definition anew for each of its users must not cost more than this, however large both are.
const MOST_SHARED_BYTES: usize = 64 * 1024 * 1024;

impl<'c, 'd> Context<'c, 'd> {
    pub(super) fn new(definitions: &'d Definitions, process: Element<'d>, report: &'c mut Report) -> Self {
        let is_mapped = is_mapped(definitions.root());
        let (places, link_catches) = (Vec::new(), HashMap::new());
        let (names, links) = (Names::default(), OnceCell::new());
        Context {
            definitions,
            report,
            process,
            is_mapped,
            names,
            declared: 0,
            places,
            link_catches,
            links,
            shared_bytes: Cell::new(0),
        }
    }

    /// Gives an element its place among the nodes.
    pub(super) fn put(&mut self, element: Element<'_>, place: NodeIx) {
        let position = element.order() - self.process.order();
        if self.places.len() <= position {
            self.places.resize(position + 1, None);
        }
        self.places[position] = Some(place);
    }

    /// Remembers where links of this name go on in a scope; the first one counts.
    pub(super) fn put_link(&mut self, scope: Element<'_>, name: &'d str, place: NodeIx) {
        self.link_catches.entry((scope.order(), name)).or_insert(place);
    }

    /// Where links of this name go on in a scope.
    pub(super) fn link_catch(&self, scope: Element<'_>, name: &str) -> Option<NodeIx> {
        self.link_catches.get(&(scope.order(), name)).copied()
    }

    /// Where an element stands among the nodes.
    pub(super) fn place(&self, element: Element<'_>) -> Option<NodeIx> {
        let position = element.order().checked_sub(self.process.order())?;
        self.places.get(position).copied().flatten()
    }

    /// What the file says between messages and processes.
    pub(super) fn links(&self) -> &Links<'d> {
        self.links.get_or_init(|| Links::of(self.definitions, self.process))
    }

    /// The element that an attribute names.
    pub(super) fn target(&self, element: Element<'_>, attribute: &str) -> Option<Element<'d>> {
        self.definitions.target(element, attribute)
    }

    /// The element that a child such as `<sourceRef>a</sourceRef>` names.
    pub(super) fn named(&self, element: Element<'d>, child: &'static str) -> Option<Element<'d>> {
        bpmn_children(element, child).next().and_then(|reference| self.definitions.resolve(&reference.text()))
    }

    /// A definition that others may refer to as well; `None` when too much has been read that way.
    pub(super) fn shared(&self, definition: Element<'d>) -> Option<Element<'d>> {
        self.shared_bytes.set(self.shared_bytes.get().saturating_add(definition.range().len()));
        Some(definition).filter(|_| self.shared_bytes.get() <= MOST_SHARED_BYTES)
    }

    /// Reports that definitions were left out because too much was read.
    pub(super) fn report_shared(&mut self) {
        if self.shared_bytes.get() > MOST_SHARED_BYTES {
            let message = || format!("definitions that {} refers to are too large", label(self.process));
            self.report.found(Code::SharedTooLarge, self.process, message);
        }
    }

    /// A word of the `tyer:` vocabulary that must be one of these.
    pub(super) fn word<T: Copy>(
        &mut self,
        element: Element<'_>,
        attribute: &str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let written = element.attribute_ns(TYER, attribute)?.trim();
        let found = words.iter().find(|(word, _)| *word == written).map(|(_, meaning)| *meaning);
        if found.is_none() {
            let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            let message = format!("tyer:{attribute} of {} is `{}`", label(element), shortened(written));
            self.report.error(
                Code::ValueInvalid,
                element,
                message,
                &format!("write one of {}", known.join(", ")),
            );
        }
        found
    }

    /// Something that cannot be executed.
    pub(super) fn refuse(&mut self, element: Element<'_>, what: &str) {
        let message = format!("{}{what} is not executed", label(element));
        self.report.error(Code::ElementNotExecutable, element, message, "model it with elements that are");
    }
}

/// Whether a flag is set.
pub(super) fn is_true(element: Element<'_>, attribute: &str) -> bool {
    element.attribute(attribute).is_some_and(|value| matches!(value.trim(), "true" | "1"))
}

/// Whether a flag that is set when not mentioned is off.
pub(super) fn is_false(element: Element<'_>, attribute: &str) -> bool {
    element.attribute(attribute).is_some_and(|value| matches!(value.trim(), "false" | "0"))
}

/// The words of a list such as `a, b`.
pub(super) fn words(written: &str) -> impl Iterator<Item = &str> {
    written.split(',').map(str::trim).filter(|word| !word.is_empty())
}
