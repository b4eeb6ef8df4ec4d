//! The codes of problems: a closed list, each with what it means and what to do.
//!
//! **Invariant:** a code never changes its meaning; `docs/problems.md` is generated from this list.

mod table;

use std::fmt;
use std::sync::OnceLock;

use serde::{Serialize, Serializer};

/// What a problem means for a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deployment {
    /// The diagram is refused.
    Refused,
    /// The diagram is deployed, and somebody should look.
    Warned,
    /// The diagram is deployed; only a check against the letter of BPMN reports it.
    Silent,
}

impl Code {
    /// The stable name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What it means for a deployment.
    pub fn deployment(self) -> Deployment {
        self.row().deployment
    }

    /// What is wrong, in a few words.
    pub fn about(self) -> &'static str {
        self.row().about
    }

    /// What to do about it.
    pub fn hint(self) -> &'static str {
        self.row().hint
    }

    fn row(self) -> &'static Row {
        static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
        &ROWS.get_or_init(|| table::TEXT.lines().filter_map(Row::read).collect())[self as usize]
    }
}

/// Everything about a code.
struct Row {
    name: &'static str,
    deployment: Deployment,
    about: &'static str,
    hint: &'static str,
}

impl Row {
    fn read(line: &'static str) -> Option<Row> {
        let mut cells = line.split(" | ").map(str::trim);
        let name = cells.next().filter(|name| !name.is_empty())?;
        let deployment = match cells.next()? {
            "refused" => Deployment::Refused,
            "warned" => Deployment::Warned,
            _ => Deployment::Silent,
        };
        Some(Row { name, deployment, about: cells.next()?, hint: cells.next()? })
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Code {
    /// Every code, in the order of the documentation.
    pub const ALL: &'static [Code] = &[
        Code::XmlMalformed,
        Code::JsonMalformed,
        Code::JsonInvalid,
        Code::NotBpmn,
        Code::NoExecutableProcess,
        Code::ProcessNotExecutable,
        Code::ExecutableNotSaid,
        Code::DuplicateId,
        Code::IdMissing,
        Code::IdInvalid,
        Code::ReferenceUnknown,
        Code::ReferenceWrongType,
        Code::TriggerNotDefined,
        Code::ImportMissing,
        Code::ElementUnknown,
        Code::ChildMissing,
        Code::ChildRepeated,
        Code::ChildOrder,
        Code::AttributeMissing,
        Code::AttributeUnknown,
        Code::ValueInvalid,
        Code::MimeTypeInvalid,
        Code::UriInvalid,
        Code::ElementNotExecutable,
        Code::ExtensionNotSupported,
        Code::ExtensionIgnored,
        Code::JobTypeMissing,
        Code::JobTypeAssumed,
        Code::TimerInvalid,
        Code::ExpressionInvalid,
        Code::ExpressionNotSupported,
        Code::ExpressionNotFormal,
        Code::ExpressionEmpty,
        Code::StartMissing,
        Code::StartMissingBesideEnd,
        Code::SeveralStarts,
        Code::StartHasIncoming,
        Code::StartWithoutOutgoing,
        Code::StartTriggerNotAllowed,
        Code::CalledProcessStart,
        Code::CalledElementMissing,
        Code::EndMissing,
        Code::EndHasOutgoing,
        Code::EndWithoutIncoming,
        Code::EndTriggerNotAllowed,
        Code::CatchTriggerNotAllowed,
        Code::ThrowTriggerNotAllowed,
        Code::BoundaryTriggerNotAllowed,
        Code::BoundaryHasIncoming,
        Code::BoundaryNotAttached,
        Code::BoundaryWithoutOutgoing,
        Code::CompensationFlow,
        Code::CompensationHandler,
        Code::CancelOutsideTransaction,
        Code::LinkFlow,
        Code::LinkPair,
        Code::LinkScope,
        Code::LinkTargetMissing,
        Code::EventDefinitionShared,
        Code::EventData,
        Code::MessageReferenceMissing,
        Code::SignalReferenceMissing,
        Code::OperationReferenceMissing,
        Code::EscalationCodeMissing,
        Code::ArtifactInFlow,
        Code::FlowNotListed,
        Code::FlowNotImmediate,
        Code::FlowCrossesScope,
        Code::ConditionMissing,
        Code::ConditionIgnored,
        Code::ConditionalFlowAlone,
        Code::DefaultFlowElsewhere,
        Code::NodeNotConnected,
        Code::NodeUnreachable,
        Code::LoopWithoutWait,
        Code::GatewayDirection,
        Code::GatewayWithoutBranches,
        Code::EventGatewayFlows,
        Code::EventGatewayTarget,
        Code::EventGatewayCondition,
        Code::EventGatewayMix,
        Code::EventGatewayBoundary,
        Code::EventGatewayIncoming,
        Code::InstantiatingHasIncoming,
        Code::EventSubProcessFlow,
        Code::EventSubProcessStart,
        Code::EventSubProcessTrigger,
        Code::AdHocContent,
        Code::ChoreographyInProcess,
        Code::ChoreographyReference,
        Code::ChoreographyClosedDiffers,
        Code::GlobalConversationContent,
        Code::PublicProcessExecutable,
        Code::QuantityBelowOne,
        Code::MultiplicityInvalid,
        Code::ResourceRoleAmbiguous,
        Code::MessageFlowInOnePool,
        Code::MessageFlowEnd,
        Code::ScriptFormatMissing,
        Code::MultiInstanceInput,
        Code::MultiInstanceCount,
        Code::MultiInstanceData,
        Code::ComplexBehavior,
        Code::OperationData,
        Code::MessageData,
        Code::CallActivityData,
        Code::InterfaceBinding,
        Code::SubProcessData,
        Code::DataNotInSet,
        Code::DataSetReference,
        Code::DataSetPair,
        Code::DataAssociationDirection,
        Code::DataAssociationSources,
        Code::DataItemsDiffer,
        Code::CollectionDiffers,
        Code::DataObjectName,
        Code::SharedTooLarge,
        Code::TooManyProblems,
    ];
}

/// Which rule a problem breaks; the table beside this file says more, in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the table says what each means")]
pub enum Code {
    XmlMalformed,
    JsonMalformed,
    JsonInvalid,
    NotBpmn,
    NoExecutableProcess,
    ProcessNotExecutable,
    ExecutableNotSaid,
    DuplicateId,
    IdMissing,
    IdInvalid,
    ReferenceUnknown,
    ReferenceWrongType,
    TriggerNotDefined,
    ImportMissing,
    ElementUnknown,
    ChildMissing,
    ChildRepeated,
    ChildOrder,
    AttributeMissing,
    AttributeUnknown,
    ValueInvalid,
    MimeTypeInvalid,
    UriInvalid,
    ElementNotExecutable,
    ExtensionNotSupported,
    ExtensionIgnored,
    JobTypeMissing,
    JobTypeAssumed,
    TimerInvalid,
    ExpressionInvalid,
    ExpressionNotSupported,
    ExpressionNotFormal,
    ExpressionEmpty,
    StartMissing,
    StartMissingBesideEnd,
    SeveralStarts,
    StartHasIncoming,
    StartWithoutOutgoing,
    StartTriggerNotAllowed,
    CalledProcessStart,
    CalledElementMissing,
    EndMissing,
    EndHasOutgoing,
    EndWithoutIncoming,
    EndTriggerNotAllowed,
    CatchTriggerNotAllowed,
    ThrowTriggerNotAllowed,
    BoundaryTriggerNotAllowed,
    BoundaryHasIncoming,
    BoundaryNotAttached,
    BoundaryWithoutOutgoing,
    CompensationFlow,
    CompensationHandler,
    CancelOutsideTransaction,
    LinkFlow,
    LinkPair,
    LinkScope,
    LinkTargetMissing,
    EventDefinitionShared,
    EventData,
    MessageReferenceMissing,
    SignalReferenceMissing,
    OperationReferenceMissing,
    EscalationCodeMissing,
    ArtifactInFlow,
    FlowNotListed,
    FlowNotImmediate,
    FlowCrossesScope,
    ConditionMissing,
    ConditionIgnored,
    ConditionalFlowAlone,
    DefaultFlowElsewhere,
    NodeNotConnected,
    NodeUnreachable,
    LoopWithoutWait,
    GatewayDirection,
    GatewayWithoutBranches,
    EventGatewayFlows,
    EventGatewayTarget,
    EventGatewayCondition,
    EventGatewayMix,
    EventGatewayBoundary,
    EventGatewayIncoming,
    InstantiatingHasIncoming,
    EventSubProcessFlow,
    EventSubProcessStart,
    EventSubProcessTrigger,
    AdHocContent,
    ChoreographyInProcess,
    ChoreographyReference,
    ChoreographyClosedDiffers,
    GlobalConversationContent,
    PublicProcessExecutable,
    QuantityBelowOne,
    MultiplicityInvalid,
    ResourceRoleAmbiguous,
    MessageFlowInOnePool,
    MessageFlowEnd,
    ScriptFormatMissing,
    MultiInstanceInput,
    MultiInstanceCount,
    MultiInstanceData,
    ComplexBehavior,
    OperationData,
    MessageData,
    CallActivityData,
    InterfaceBinding,
    SubProcessData,
    DataNotInSet,
    DataSetReference,
    DataSetPair,
    DataAssociationDirection,
    DataAssociationSources,
    DataItemsDiffer,
    CollectionDiffers,
    DataObjectName,
    SharedTooLarge,
    TooManyProblems,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_row_with_its_own_name() {
        assert_eq!(table::TEXT.lines().filter_map(Row::read).count(), Code::ALL.len());
        for (position, code) in Code::ALL.iter().enumerate() {
            assert_eq!(*code as usize, position);
            let words: String =
                code.name().split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
            assert_eq!(words, format!("{code:?}"), "the row is another code's");
        }
    }
}
