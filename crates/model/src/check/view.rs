//! What rules ask of a file: flows of a node, triggers of an event, the thing a reference names.
//!
//! **Invariant:** every answer costs no more than the size of the answer.

use std::collections::{HashMap, HashSet};

use tyer_xml::Element;

use crate::definitions::Definitions;
use crate::namespace::{BPMN, bpmn_children};

/// A file with its flows and attachments indexed.
pub(super) struct View<'d> {
    pub(super) definitions: &'d Definitions,
    /// By what they begin or end at, or are attached to.
    ends: HashMap<(End, usize), Vec<Element<'d>>>,
    /// The ids that `eventDefinitionRef` elements name.
    shared_triggers: HashSet<&'d str>,
    /// The data that sets name.
    in_sets: HashSet<usize>,
}

/// How one element hangs on another.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum End {
    FlowFrom,
    FlowTo,
    MessageFrom,
    MessageTo,
    Attached,
    AssociationFrom,
}

impl<'d> View<'d> {
    pub(super) fn of(definitions: &'d Definitions) -> View<'d> {
        let mut view = View {
            definitions,
            ends: HashMap::new(),
            shared_triggers: HashSet::new(),
            in_sets: HashSet::new(),
        };
        for (element, kind) in definitions.elements() {
            view.index(element, kind);
        }
        view
    }

    fn index(&mut self, element: Element<'d>, kind: &str) {
        let ends: &[(End, &str)] = match kind {
            "sequenceFlow" => &[(End::FlowFrom, "sourceRef"), (End::FlowTo, "targetRef")],
            "messageFlow" => &[(End::MessageFrom, "sourceRef"), (End::MessageTo, "targetRef")],
            "association" => &[(End::AssociationFrom, "sourceRef")],
            "boundaryEvent" => &[(End::Attached, "attachedToRef")],
            _ => &[],
        };
        for (end, attribute) in ends {
            if let Some(target) = self.target(element, attribute) {
                self.ends.entry((*end, target.order())).or_default().push(element);
            }
        }
        self.shared_triggers
            .extend(bpmn_children(element, "eventDefinitionRef").filter_map(only_text));
        let listed = match kind {
            "inputSet" => "dataInputRefs",
            "outputSet" => "dataOutputRefs",
            _ => "",
        };
        for listed in bpmn_children(element, listed) {
            self.in_sets.extend(self.named(listed).map(Element::order));
        }
    }

    fn hanging(&self, end: End, element: Element<'_>) -> &[Element<'d>] {
        self.ends.get(&(end, element.order())).map_or(&[], Vec::as_slice)
    }

    /// Sequence flows that begin at a node.
    pub(super) fn flows_from(&self, node: Element<'_>) -> &[Element<'d>] {
        self.hanging(End::FlowFrom, node)
    }

    /// Sequence flows that end at a node.
    pub(super) fn flows_to(&self, node: Element<'_>) -> &[Element<'d>] {
        self.hanging(End::FlowTo, node)
    }

    /// Whether a node has an incoming flow and says so.
    pub(super) fn is_entered(&self, node: Element<'_>) -> bool {
        !self.flows_to(node).is_empty() && count(node, "incoming") > 0
    }

    /// Whether a node has an outgoing flow and says so.
    pub(super) fn is_left(&self, node: Element<'_>) -> bool {
        !self.flows_from(node).is_empty() && count(node, "outgoing") > 0
    }

    /// Message flows that begin at an element.
    pub(super) fn messages_from(&self, element: Element<'_>) -> &[Element<'d>] {
        self.hanging(End::MessageFrom, element)
    }

    /// Message flows that end at an element.
    pub(super) fn messages_to(&self, element: Element<'_>) -> &[Element<'d>] {
        self.hanging(End::MessageTo, element)
    }

    /// Boundary events attached to an activity.
    pub(super) fn boundaries_of(&self, activity: Element<'_>) -> &[Element<'d>] {
        self.hanging(End::Attached, activity)
    }

    /// Associations that begin at an element.
    pub(super) fn associations_from(&self, element: Element<'_>) -> &[Element<'d>] {
        self.hanging(End::AssociationFrom, element)
    }

    /// Whether an `eventDefinitionRef` names this id.
    pub(super) fn is_shared_trigger(&self, id: &str) -> bool {
        self.shared_triggers.contains(id)
    }

    /// Whether a set lists this data.
    pub(super) fn is_in_set(&self, data: Element<'_>) -> bool {
        self.in_sets.contains(&data.order())
    }

    /// Whether an element is of one of these types, separated by `|`, or inherits from one.
    pub(super) fn is_a(&self, element: Element<'_>, names: &str) -> bool {
        self.definitions.is_a(element, names)
    }

    /// The element that an attribute names.
    pub(super) fn target(&self, element: Element<'_>, attribute: &str) -> Option<Element<'d>> {
        self.definitions.resolve(element, element.attribute(attribute)?)
    }

    /// The element that a child such as `<incoming>flow</incoming>` names.
    pub(super) fn named(&self, reference: Element<'_>) -> Option<Element<'d>> {
        self.definitions.resolve(reference, &reference.text())
    }

    /// The triggers of an event, its own and those it refers to.
    pub(super) fn triggers(&self, event: Element<'d>) -> Vec<Element<'d>> {
        let is_own = |child: &Element<'_>| self.is_a(*child, "eventDefinition");
        let own = event.children().filter(is_own);
        let shared = bpmn_children(event, "eventDefinitionRef").filter_map(|reference| self.named(reference));
        own.chain(shared).collect()
    }

    /// Whether an event has a trigger with one of these names.
    pub(super) fn has_trigger(&self, event: Element<'d>, names: &[&str]) -> bool {
        self.triggers(event)
            .iter()
            .any(|trigger| names.contains(&trigger.local_name()))
    }

    /// The process or global task around an element.
    pub(super) fn process(&self, element: Element<'d>) -> Option<Element<'d>> {
        around(element).find(|around| self.is_a(*around, "process"))
    }

    /// Whether an element belongs to a process that is marked as executable.
    pub(super) fn is_executable(&self, element: Element<'d>) -> bool {
        self.process(element)
            .is_some_and(|process| is_true(process, "isExecutable"))
    }
}

/// The elements around an element, innermost first.
pub(super) fn around<'d>(element: Element<'d>) -> impl Iterator<Item = Element<'d>> {
    std::iter::successors(element.parent(), |element| element.parent())
}

/// Whether a flag is set.
pub(super) fn is_true(element: Element<'_>, attribute: &str) -> bool {
    element
        .attribute(attribute)
        .is_some_and(|value| matches!(value.trim(), "true" | "1"))
}

/// Whether a flag that is set when not mentioned is off.
pub(super) fn is_false(element: Element<'_>, attribute: &str) -> bool {
    element
        .attribute(attribute)
        .is_some_and(|value| matches!(value.trim(), "false" | "0"))
}

/// How many BPMN children have this name.
pub(super) fn count(element: Element<'_>, local: &'static str) -> usize {
    bpmn_children(element, local).count()
}

/// The first BPMN child with this name.
pub(super) fn child<'d>(element: Element<'d>, local: &str) -> Option<Element<'d>> {
    element.child(BPMN, local)
}

/// The text of an element that has nothing else.
fn only_text<'d>(element: Element<'d>) -> Option<&'d str> {
    let mut texts = element.nodes().filter_map(tyer_xml::Node::text);
    texts.next().map(str::trim)
}
