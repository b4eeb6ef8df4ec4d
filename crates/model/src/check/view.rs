//! What rules ask of a file: flows of a node, triggers of an event, the thing a reference names.
//!
//! **Invariant:** every answer costs no more than the size of the answer.

use std::collections::{HashMap, HashSet};

use tyer_xml::Element;

use crate::definitions::{Definitions, Role};
use crate::namespace::{BPMN, bpmn_children};
use crate::report::Strictness;
use crate::schema::Family;

/// A file with its flows and attachments indexed.
pub(super) struct View<'d> {
    pub(super) definitions: &'d Definitions,
    /// By what they begin or end at, or are attached to.
    keys: Vec<(End, usize)>,
    /// The elements that hang there, in the order of the keys.
    ends: Vec<Element<'d>>,
    /// The ids that `eventDefinitionRef` elements name.
    shared_triggers: HashSet<&'d str>,
    /// The data that sets name.
    in_sets: HashSet<usize>,
    /// Which element names which in a child of this name.
    lists: HashSet<(usize, &'d str, usize)>,
    /// How many start and end events a scope has.
    ends_of_scopes: HashMap<usize, (usize, usize)>,
}

/// How one element hangs on another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    FlowFrom,
    FlowTo,
    MessageFrom,
    MessageTo,
    Attached,
    AssociationFrom,
}

impl<'d> View<'d> {
    pub(super) fn of(definitions: &'d Definitions, strictness: Strictness) -> View<'d> {
        let mut view = View {
            definitions,
            keys: Vec::new(),
            ends: Vec::new(),
            shared_triggers: HashSet::new(),
            in_sets: HashSet::new(),
            lists: HashSet::new(),
            ends_of_scopes: HashMap::new(),
        };
        let mut hanging = Vec::new();
        for (element, kind) in definitions.elements() {
            view.index_ends(element, kind, &mut hanging);
            view.index_triggers_and_scopes(element, kind);
            if strictness == Strictness::Specification {
                view.index_lists(element, kind);
            }
        }
        hanging.sort_by_key(|(key, _)| *key);
        (view.keys, view.ends) = hanging.into_iter().unzip();
        view
    }

    fn index_ends(&self, element: Element<'d>, kind: &str, hanging: &mut Vec<((End, usize), Element<'d>)>) {
        let ends: &[(End, &str)] = match kind {
            "sequenceFlow" => &[(End::FlowFrom, "sourceRef"), (End::FlowTo, "targetRef")],
            "messageFlow" => &[(End::MessageFrom, "sourceRef"), (End::MessageTo, "targetRef")],
            "association" => &[(End::AssociationFrom, "sourceRef")],
            "boundaryEvent" => &[(End::Attached, "attachedToRef")],
            _ => &[],
        };
        for (end, attribute) in ends {
            if let Some(target) = self.target(element, attribute) {
                hanging.push(((*end, target.order()), element));
            }
        }
    }

    fn index_triggers_and_scopes(&mut self, element: Element<'d>, kind: &str) {
        if self.is_a(element, &[Family::Event]) {
            self.shared_triggers.extend(bpmn_children(element, "eventDefinitionRef").filter_map(only_text));
        }
        if let Some(scope) = element.parent().filter(|_| matches!(kind, "startEvent" | "endEvent")) {
            let (starts, ends) = self.ends_of_scopes.entry(scope.order()).or_default();
            *if kind == "startEvent" { starts } else { ends } += 1;
        }
    }

    /// Lists matter only to the letter of BPMN.
    fn index_lists(&mut self, element: Element<'d>, kind: &str) {
        for child in element.children() {
            let Some(named) =
                self.named(child).filter(|_| matches!(self.definitions.role(child), Role::Reference(_)))
            else {
                continue;
            };
            self.lists.insert((element.order(), child.local_name(), named.order()));
            if matches!(
                (kind, child.local_name()),
                ("inputSet", "dataInputRefs") | ("outputSet", "dataOutputRefs")
            ) {
                self.in_sets.insert(named.order());
            }
        }
    }

    fn hanging(&self, end: End, element: Element<'_>) -> &[Element<'d>] {
        let asked = (end, element.order());
        let first = self.keys.partition_point(|key| *key < asked);
        let number = self.keys[first..].partition_point(|key| *key == asked);
        &self.ends[first..first + number]
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
        !self.flows_to(node).is_empty() && child(node, "incoming").is_some()
    }

    /// Whether a node has an outgoing flow and says so.
    pub(super) fn is_left(&self, node: Element<'_>) -> bool {
        !self.flows_from(node).is_empty() && child(node, "outgoing").is_some()
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

    /// Whether an element names another in a child of this name.
    pub(super) fn lists(&self, element: Element<'_>, name: &'d str, named: Element<'_>) -> bool {
        self.lists.contains(&(element.order(), name, named.order()))
    }

    /// Whether a process or sub-process has start events.
    pub(super) fn has_start(&self, scope: Element<'_>) -> bool {
        self.ends_of_scopes.get(&scope.order()).is_some_and(|(starts, _)| *starts > 0)
    }

    /// Whether a process or sub-process has end events.
    pub(super) fn has_end(&self, scope: Element<'_>) -> bool {
        self.ends_of_scopes.get(&scope.order()).is_some_and(|(_, ends)| *ends > 0)
    }

    /// Whether a set lists this data.
    pub(super) fn is_in_set(&self, data: Element<'_>) -> bool {
        self.in_sets.contains(&data.order())
    }

    /// Whether an element belongs to one of these families.
    pub(super) fn is_a(&self, element: Element<'_>, families: &[Family]) -> bool {
        self.definitions.is_a(element, families)
    }

    /// The element that an attribute names.
    pub(super) fn target(&self, element: Element<'_>, attribute: &str) -> Option<Element<'d>> {
        self.definitions.target(element, attribute)
    }

    /// The element that a child such as `<incoming>flow</incoming>` names.
    pub(super) fn named(&self, reference: Element<'_>) -> Option<Element<'d>> {
        self.definitions.resolve(&reference.text())
    }

    /// The triggers of an event, its own and those it refers to.
    pub(super) fn triggers(&self, event: Element<'d>) -> Vec<Element<'d>> {
        let is_own = |child: &Element<'_>| self.is_a(*child, &[Family::EventDefinition]);
        let own = event.children().filter(is_own);
        let shared = bpmn_children(event, "eventDefinitionRef").filter_map(|reference| self.named(reference));
        own.chain(shared).collect()
    }

    /// Whether an event has a trigger with one of these names.
    pub(super) fn has_trigger(&self, event: Element<'d>, names: &[&str]) -> bool {
        self.triggers(event).iter().any(|trigger| names.contains(&trigger.local_name()))
    }

    /// The process or global task around an element.
    pub(super) fn process(&self, element: Element<'d>) -> Option<Element<'d>> {
        around(element).find(|around| self.is_a(*around, &[Family::Process]))
    }

    /// Whether an element belongs to a process that is marked as executable.
    pub(super) fn is_executable(&self, element: Element<'d>) -> bool {
        self.process(element).is_some_and(|process| is_true(process, "isExecutable"))
    }
}

/// The elements around an element, innermost first.
pub(super) fn around<'d>(element: Element<'d>) -> impl Iterator<Item = Element<'d>> {
    std::iter::successors(element.parent(), |element| element.parent())
}

/// Whether a flag is set.
pub(super) fn is_true(element: Element<'_>, attribute: &str) -> bool {
    element.attribute(attribute).is_some_and(|value| matches!(value.trim(), "true" | "1"))
}

/// Whether a flag that is set when not mentioned is off.
pub(super) fn is_false(element: Element<'_>, attribute: &str) -> bool {
    element.attribute(attribute).is_some_and(|value| matches!(value.trim(), "false" | "0"))
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
