//! Families of elements: an element belongs to its own and to those of all it inherits from.
//!
//! **Invariant:** asking whether an element belongs to a family costs a few instructions.

use super::Kind;

/// A set of elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds([u64; 3]);

impl Kinds {
    pub(super) fn insert(&mut self, kind: Kind) {
        self.0[usize::from(kind.0 / 64)] |= 1 << (kind.0 % 64);
    }

    #[inline]
    pub(crate) fn contains(self, kind: Kind) -> bool {
        self.0[usize::from(kind.0 / 64)] & (1 << (kind.0 % 64)) != 0
    }
}

/// A family that rules ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are named like the elements of BPMN")]
pub(crate) enum Family {
    Activity,
    Artifact,
    BoundaryEvent,
    CallableElement,
    CatchEvent,
    ChoreographyActivity,
    ConversationAssociation,
    ConversationNode,
    DataInput,
    DataOutput,
    EndEvent,
    Event,
    EventDefinition,
    Expression,
    FlowElement,
    FlowNode,
    FormalExpression,
    Gateway,
    IntermediateCatchEvent,
    IntermediateThrowEvent,
    IoSpecification,
    ItemDefinition,
    Lane,
    LinkEventDefinition,
    MessageFlow,
    MessageFlowAssociation,
    Operation,
    Participant,
    ParticipantAssociation,
    Process,
    ReceiveTask,
    ResourceRole,
    SequenceFlow,
    StartEvent,
    SubProcess,
    ThrowEvent,
    Transaction,
}

impl Family {
    /// The elements the families are named after, in their order.
    pub(super) const NAMES: &'static [&'static str] = &[
        "activity",
        "artifact",
        "boundaryEvent",
        "callableElement",
        "catchEvent",
        "choreographyActivity",
        "conversationAssociation",
        "conversationNode",
        "dataInput",
        "dataOutput",
        "endEvent",
        "event",
        "eventDefinition",
        "expression",
        "flowElement",
        "flowNode",
        "formalExpression",
        "gateway",
        "intermediateCatchEvent",
        "intermediateThrowEvent",
        "ioSpecification",
        "itemDefinition",
        "lane",
        "linkEventDefinition",
        "messageFlow",
        "messageFlowAssociation",
        "operation",
        "participant",
        "participantAssociation",
        "process",
        "receiveTask",
        "resourceRole",
        "sequenceFlow",
        "startEvent",
        "subProcess",
        "throwEvent",
        "transaction",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_named_in_their_order() {
        let last = Family::Transaction as usize;
        assert_eq!(Family::NAMES.len(), last + 1);
        assert_eq!(Family::NAMES[last], "transaction");
        assert_eq!(Family::NAMES[Family::Process as usize], "process");
    }
}
