//! The codes of problems: a closed list, each with what it means and what to do.
//!
//! **Invariant:** a code never changes its meaning; `docs/problems.md` is generated from this list.

use std::fmt;

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

/// Which rule a problem breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// The file is not XML that is accepted.
    XmlMalformed,
    /// The file is XML, but not BPMN 2.0.
    NotBpmn,
    /// No process in the file can be executed.
    NoExecutableProcess,
    /// A process says that it is not executable.
    ProcessNotExecutable,
    /// A process does not say whether it is executable.
    ExecutableNotSaid,
    /// Two elements have the same id.
    DuplicateId,
    /// An element that running instances are known by has no id.
    IdMissing,
    /// An id is not an XML name.
    IdInvalid,
    /// A reference names an element that is not there.
    ReferenceUnknown,
    /// A reference names an element that cannot stand there.
    ReferenceWrongType,
    /// An imported file cannot be read.
    ImportMissing,
    /// An element of BPMN's namespace that BPMN does not have there.
    ElementUnknown,
    /// An element lacks a child that BPMN requires.
    ChildMissing,
    /// A child stands more often than BPMN allows.
    ChildRepeated,
    /// Children stand in another order than BPMN's schema wants.
    ChildOrder,
    /// An attribute that BPMN requires is missing.
    AttributeMissing,
    /// An attribute without namespace that BPMN does not have.
    AttributeUnknown,
    /// A value cannot be read.
    ValueInvalid,
    /// A format is not a MIME type.
    MimeTypeInvalid,
    /// A value is not a URI.
    UriInvalid,
    /// BPMN defines the element, and it is not executed.
    ElementNotExecutable,
    /// An extension that would change what happens is not executed.
    ExtensionNotSupported,
    /// A task for workers does not say for which.
    JobTypeMissing,
    /// A timer has no time, several, or one that cannot be read.
    TimerInvalid,
    /// An expression cannot be parsed.
    ExpressionInvalid,
    /// An expression is in a language that is not evaluated.
    ExpressionNotSupported,
    /// An expression in an executable process is not marked as formal.
    ExpressionNotFormal,
    /// A formal expression says nothing.
    ExpressionEmpty,
    /// There is nowhere to begin.
    StartMissing,
    /// A process or sub-process has end events but no start event.
    StartMissingBesideEnd,
    /// There are several start events without a trigger.
    SeveralStarts,
    /// A start event has an incoming flow.
    StartHasIncoming,
    /// A start event has no outgoing flow.
    StartWithoutOutgoing,
    /// A start event has a trigger that is not allowed there.
    StartTriggerNotAllowed,
    /// A called process has no start event without trigger.
    CalledProcessStart,
    /// A process or sub-process has start events but no end event.
    EndMissing,
    /// An end event has an outgoing flow.
    EndHasOutgoing,
    /// An end event has no incoming flow.
    EndWithoutIncoming,
    /// An end event has a trigger that is not allowed there.
    EndTriggerNotAllowed,
    /// An intermediate catch event has no trigger or one that is not allowed there.
    CatchTriggerNotAllowed,
    /// An intermediate throw event has a trigger that is not allowed there.
    ThrowTriggerNotAllowed,
    /// A boundary event has no trigger or one that is not allowed there.
    BoundaryTriggerNotAllowed,
    /// A boundary event has an incoming flow.
    BoundaryHasIncoming,
    /// A boundary event leads nowhere.
    BoundaryWithoutOutgoing,
    /// A compensation boundary event has an outgoing flow.
    CompensationFlow,
    /// A compensation boundary event has no handler.
    CompensationHandler,
    /// A cancel event is not in or at a transaction.
    CancelOutsideTransaction,
    /// A link event has flows on both sides.
    LinkFlow,
    /// A link event is not paired with its other end by reference.
    LinkPair,
    /// A link leads into another scope.
    LinkScope,
    /// A trigger that is defined in a throwing event is used elsewhere.
    EventDefinitionShared,
    /// The data of an event does not match its triggers.
    EventData,
    /// A message event in an executable process names no message.
    MessageReferenceMissing,
    /// A message event in an executable process names no operation.
    OperationReferenceMissing,
    /// An escalation that is thrown has no code.
    EscalationCodeMissing,
    /// A flow begins or ends at an artifact.
    ArtifactInFlow,
    /// A node does not list a flow as incoming or outgoing.
    FlowNotListed,
    /// A flow of an executable process says that it is not immediate.
    FlowNotImmediate,
    /// A sequence flow leaves its process or sub-process.
    FlowCrossesScope,
    /// A way out of a gateway that decides has neither condition nor is it the default.
    ConditionMissing,
    /// A condition that is never looked at.
    ConditionIgnored,
    /// The only flow out of a node is conditional.
    ConditionalFlowAlone,
    /// A default flow does not begin at its node.
    DefaultFlowElsewhere,
    /// A node lacks an incoming or outgoing flow.
    NodeNotConnected,
    /// No way leads to the node.
    NodeUnreachable,
    /// A loop that never waits.
    LoopWithoutWait,
    /// A gateway has other flows than its direction says.
    GatewayDirection,
    /// A gateway neither splits nor joins.
    GatewayWithoutBranches,
    /// An event-based gateway has fewer than two ways out.
    EventGatewayFlows,
    /// An event-based gateway leads to something that does not wait for an event.
    EventGatewayTarget,
    /// A flow out of an event-based gateway has a condition.
    EventGatewayCondition,
    /// An event-based gateway mixes message events and receive tasks.
    EventGatewayMix,
    /// A receive task behind an event-based gateway has boundary events.
    EventGatewayBoundary,
    /// An event behind an event-based gateway has other incoming flows.
    EventGatewayIncoming,
    /// A node that starts the process has an incoming flow.
    InstantiatingHasIncoming,
    /// An event sub-process is connected by a flow.
    EventSubProcessFlow,
    /// An event sub-process does not have exactly one start event.
    EventSubProcessStart,
    /// The start of an event sub-process has no trigger or one that is not allowed there.
    EventSubProcessTrigger,
    /// An ad-hoc sub-process has no activity, or a start or end event.
    AdHocContent,
    /// A process contains a choreography activity.
    ChoreographyInProcess,
    /// A choreography or global conversation refers to a choreography.
    ChoreographyReference,
    /// A collaboration and its choreography disagree on isClosed.
    ChoreographyClosedDiffers,
    /// A global conversation contains more than messages between participants.
    GlobalConversationContent,
    /// A public process is marked as executable.
    PublicProcessExecutable,
    /// A start or completion quantity is less than one.
    QuantityBelowOne,
    /// The numbers of participants contradict each other.
    MultiplicityInvalid,
    /// A resource role both names a resource and computes one.
    ResourceRoleAmbiguous,
    /// A message flow does not connect two pools.
    MessageFlowInOnePool,
    /// A message flow begins or ends at an event that cannot send or receive.
    MessageFlowEnd,
    /// A script does not say in which language it is.
    ScriptFormatMissing,
    /// A multi-instance activity says neither how often nor over what.
    MultiInstanceInput,
    /// The data of a multi-instance activity does not fit its items.
    MultiInstanceData,
    /// A complex behaviour that is never looked at or is not a condition.
    ComplexBehavior,
    /// A service task's data does not match its operation.
    OperationData,
    /// A send or receive task's data does not match its message.
    MessageData,
    /// A call activity's data does not match what it calls.
    CallActivityData,
    /// A process or task offered as a service does not bind its data to an operation.
    InterfaceBinding,
    /// A sub-process has an input and output specification.
    SubProcessData,
    /// A data input or output is in no set.
    DataNotInSet,
    /// A set names data as optional or while executing that it does not list.
    DataSetReference,
    /// An input and an output set do not name each other.
    DataSetPair,
    /// Data is written to an input or read from an output of the process.
    DataAssociationDirection,
    /// A data association without transformation has several sources.
    DataAssociationSources,
    /// A data association joins data of different structure.
    DataItemsDiffer,
    /// Data and its item definition disagree on isCollection.
    CollectionDiffers,
    /// A data object reference is not named after its object and state.
    DataObjectName,
    /// There are more problems than are reported.
    TooManyProblems,
}

/// Everything about a code.
struct Row(Code, &'static str, Deployment, &'static str, &'static str);

impl Code {
    /// Every code, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Code> {
        TABLE.iter().map(|row| row.0)
    }

    /// The stable name.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// What it means for a deployment.
    pub fn deployment(self) -> Deployment {
        self.row().2
    }

    /// What is wrong, in a few words.
    pub fn about(self) -> &'static str {
        self.row().3
    }

    /// What to do about it.
    pub fn hint(self) -> &'static str {
        self.row().4
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
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

use Deployment::{Refused, Silent, Warned};

/// In the order of the enum: a test holds it.
const TABLE: &[Row] = &[
    Row(
        Code::XmlMalformed,
        "xml_malformed",
        Refused,
        "the file is not XML that is accepted",
        "the file must be well-formed XML without DOCTYPE",
    ),
    Row(
        Code::NotBpmn,
        "not_bpmn",
        Refused,
        "the file is XML, but not BPMN 2.0",
        "the outermost element must be `definitions` of BPMN 2.0",
    ),
    Row(
        Code::NoExecutableProcess,
        "no_executable_process",
        Refused,
        "no process in the file can be executed",
        "set isExecutable=\"true\" on the process to run",
    ),
    Row(
        Code::ProcessNotExecutable,
        "process_not_executable",
        Warned,
        "a process says that it is not executable",
        "set isExecutable=\"true\" to run it",
    ),
    Row(
        Code::ExecutableNotSaid,
        "executable_not_said",
        Warned,
        "a process does not say whether it is executable",
        "set isExecutable=\"true\" to run it",
    ),
    Row(
        Code::DuplicateId,
        "duplicate_id",
        Refused,
        "two elements have the same id",
        "give each element an id of its own",
    ),
    Row(
        Code::IdMissing,
        "id_missing",
        Refused,
        "an element that running instances are known by has no id",
        "give it an id",
    ),
    Row(
        Code::IdInvalid,
        "id_invalid",
        Warned,
        "an id is not an XML name",
        "begin it with a letter or `_`, without blanks",
    ),
    Row(
        Code::ReferenceUnknown,
        "reference_unknown",
        Refused,
        "a reference names an element that is not there",
        "name an element of this file",
    ),
    Row(
        Code::ReferenceWrongType,
        "reference_wrong_type",
        Refused,
        "a reference names an element that cannot stand there",
        "name an element of the expected kind",
    ),
    Row(
        Code::ImportMissing,
        "import_missing",
        Warned,
        "an imported file cannot be read",
        "imports are looked up beside the file",
    ),
    Row(
        Code::ElementUnknown,
        "element_unknown",
        Warned,
        "an element of BPMN's namespace that BPMN does not have there",
        "remove it or put it where it belongs",
    ),
    Row(
        Code::ChildMissing,
        "child_missing",
        Silent,
        "an element lacks a child that BPMN requires",
        "add it",
    ),
    Row(
        Code::ChildRepeated,
        "child_repeated",
        Silent,
        "a child stands more often than BPMN allows",
        "keep one",
    ),
    Row(
        Code::ChildOrder,
        "child_order",
        Silent,
        "children stand in another order than BPMN's schema wants",
        "put them in the order of the schema",
    ),
    Row(
        Code::AttributeMissing,
        "attribute_missing",
        Silent,
        "an attribute that BPMN requires is missing",
        "add it",
    ),
    Row(
        Code::AttributeUnknown,
        "attribute_unknown",
        Silent,
        "an attribute without namespace that BPMN does not have",
        "remove it or give it a namespace",
    ),
    Row(
        Code::ValueInvalid,
        "value_invalid",
        Refused,
        "a value cannot be read",
        "write a value of the expected kind",
    ),
    Row(
        Code::MimeTypeInvalid,
        "mime_type_invalid",
        Silent,
        "a format is not a MIME type",
        "write it as type/subtype, such as text/plain",
    ),
    Row(
        Code::UriInvalid,
        "uri_invalid",
        Silent,
        "a value is not a URI",
        "write a URI",
    ),
    Row(
        Code::ElementNotExecutable,
        "element_not_executable",
        Refused,
        "BPMN defines the element, and it is not executed",
        "model it with elements that are",
    ),
    Row(
        Code::ExtensionNotSupported,
        "extension_not_supported",
        Refused,
        "an extension that would change what happens is not executed",
        "remove it or model it another way",
    ),
    Row(
        Code::JobTypeMissing,
        "job_type_missing",
        Refused,
        "a task for workers does not say for which",
        "set its job type to the name workers ask for",
    ),
    Row(
        Code::TimerInvalid,
        "timer_invalid",
        Refused,
        "a timer has no time, several, or one that cannot be read",
        "give it one of timeDate, timeDuration or timeCycle in ISO 8601",
    ),
    Row(
        Code::ExpressionInvalid,
        "expression_invalid",
        Refused,
        "an expression cannot be parsed",
        "mend the expression",
    ),
    Row(
        Code::ExpressionNotSupported,
        "expression_not_supported",
        Refused,
        "an expression is in a language that is not evaluated",
        "write it in FEEL",
    ),
    Row(
        Code::ExpressionNotFormal,
        "expression_not_formal",
        Silent,
        "an expression in an executable process is not marked as formal",
        "add xsi:type=\"tFormalExpression\"",
    ),
    Row(
        Code::ExpressionEmpty,
        "expression_empty",
        Warned,
        "a formal expression says nothing",
        "write the expression or remove the element",
    ),
    Row(
        Code::StartMissing,
        "start_missing",
        Refused,
        "there is nowhere to begin",
        "add a start event",
    ),
    Row(
        Code::StartMissingBesideEnd,
        "start_missing_beside_end",
        Silent,
        "a process or sub-process has end events but no start event",
        "add a start event or remove the end events",
    ),
    Row(
        Code::SeveralStarts,
        "several_starts",
        Refused,
        "there are several start events without a trigger",
        "keep one of them",
    ),
    Row(
        Code::StartHasIncoming,
        "start_has_incoming",
        Refused,
        "a start event has an incoming flow",
        "let the flow end at another node",
    ),
    Row(
        Code::StartWithoutOutgoing,
        "start_without_outgoing",
        Silent,
        "a start event has no outgoing flow",
        "connect it",
    ),
    Row(
        Code::StartTriggerNotAllowed,
        "start_trigger_not_allowed",
        Refused,
        "a start event has a trigger that is not allowed there",
        "use a message, timer, condition or signal",
    ),
    Row(
        Code::CalledProcessStart,
        "called_process_start",
        Warned,
        "a called process has no start event without trigger",
        "add one",
    ),
    Row(
        Code::EndMissing,
        "end_missing",
        Silent,
        "a process or sub-process has start events but no end event",
        "add an end event",
    ),
    Row(
        Code::EndHasOutgoing,
        "end_has_outgoing",
        Refused,
        "an end event has an outgoing flow",
        "let the flow begin at another node",
    ),
    Row(
        Code::EndWithoutIncoming,
        "end_without_incoming",
        Silent,
        "an end event has no incoming flow",
        "connect it",
    ),
    Row(
        Code::EndTriggerNotAllowed,
        "end_trigger_not_allowed",
        Refused,
        "an end event has a trigger that is not allowed there",
        "use a message, escalation, error, cancel, compensation, signal or terminate",
    ),
    Row(
        Code::CatchTriggerNotAllowed,
        "catch_trigger_not_allowed",
        Refused,
        "an intermediate catch event has no trigger or one that is not allowed there",
        "use a message, timer, condition, link or signal",
    ),
    Row(
        Code::ThrowTriggerNotAllowed,
        "throw_trigger_not_allowed",
        Refused,
        "an intermediate throw event has a trigger that is not allowed there",
        "use a message, escalation, compensation, link or signal",
    ),
    Row(
        Code::BoundaryTriggerNotAllowed,
        "boundary_trigger_not_allowed",
        Refused,
        "a boundary event has no trigger or one that is not allowed there",
        "use another trigger, or let it interrupt",
    ),
    Row(
        Code::BoundaryHasIncoming,
        "boundary_has_incoming",
        Refused,
        "a boundary event has an incoming flow",
        "let the flow end at another node",
    ),
    Row(
        Code::BoundaryWithoutOutgoing,
        "boundary_without_outgoing",
        Warned,
        "a boundary event leads nowhere",
        "connect it",
    ),
    Row(
        Code::CompensationFlow,
        "compensation_flow",
        Refused,
        "a compensation boundary event has an outgoing flow",
        "connect it to its handler with an association",
    ),
    Row(
        Code::CompensationHandler,
        "compensation_handler",
        Refused,
        "a compensation boundary event has no handler",
        "connect it with an association to an activity that is for compensation",
    ),
    Row(
        Code::CancelOutsideTransaction,
        "cancel_outside_transaction",
        Refused,
        "a cancel event is not in or at a transaction",
        "put it in or at a transaction",
    ),
    Row(
        Code::LinkFlow,
        "link_flow",
        Refused,
        "a link event has flows on both sides",
        "throwing links have no outgoing flow, catching ones no incoming",
    ),
    Row(
        Code::LinkPair,
        "link_pair",
        Silent,
        "a link event is not paired with its other end by reference",
        "name the other end in `source` and `target`",
    ),
    Row(
        Code::LinkScope,
        "link_scope",
        Silent,
        "a link leads into another scope",
        "keep both ends in one process or sub-process",
    ),
    Row(
        Code::EventDefinitionShared,
        "event_definition_shared",
        Silent,
        "a trigger that is defined in a throwing event is used elsewhere",
        "define it among the root elements",
    ),
    Row(
        Code::EventData,
        "event_data",
        Silent,
        "the data of an event does not match its triggers",
        "give each trigger its data input or output, of the same item definition",
    ),
    Row(
        Code::MessageReferenceMissing,
        "message_reference_missing",
        Silent,
        "a message event in an executable process names no message",
        "set messageRef",
    ),
    Row(
        Code::OperationReferenceMissing,
        "operation_reference_missing",
        Silent,
        "a message event in an executable process names no operation",
        "add operationRef",
    ),
    Row(
        Code::EscalationCodeMissing,
        "escalation_code_missing",
        Silent,
        "an escalation that is thrown has no code",
        "give it an escalationCode",
    ),
    Row(
        Code::ArtifactInFlow,
        "artifact_in_flow",
        Refused,
        "a flow begins or ends at an artifact",
        "use an association",
    ),
    Row(
        Code::FlowNotListed,
        "flow_not_listed",
        Silent,
        "a node does not list a flow as incoming or outgoing",
        "list it",
    ),
    Row(
        Code::FlowNotImmediate,
        "flow_not_immediate",
        Silent,
        "a flow of an executable process says that it is not immediate",
        "remove isImmediate",
    ),
    Row(
        Code::FlowCrossesScope,
        "flow_crosses_scope",
        Refused,
        "a sequence flow leaves its process or sub-process",
        "use a message flow, an event or a link",
    ),
    Row(
        Code::ConditionMissing,
        "condition_missing",
        Warned,
        "a way out of a gateway that decides has neither condition nor is it the default",
        "give it a condition or make it the default flow",
    ),
    Row(
        Code::ConditionIgnored,
        "condition_ignored",
        Warned,
        "a condition that is never looked at",
        "remove the condition",
    ),
    Row(
        Code::ConditionalFlowAlone,
        "conditional_flow_alone",
        Warned,
        "the only flow out of a node is conditional",
        "add a flow for the other case",
    ),
    Row(
        Code::DefaultFlowElsewhere,
        "default_flow_elsewhere",
        Refused,
        "a default flow does not begin at its node",
        "name one of the outgoing flows",
    ),
    Row(
        Code::NodeNotConnected,
        "node_not_connected",
        Silent,
        "a node lacks an incoming or outgoing flow",
        "connect it",
    ),
    Row(
        Code::NodeUnreachable,
        "node_unreachable",
        Warned,
        "no way leads to the node",
        "connect it or remove it",
    ),
    Row(
        Code::LoopWithoutWait,
        "loop_without_wait",
        Warned,
        "a loop that never waits",
        "add a wait or a way out",
    ),
    Row(
        Code::GatewayDirection,
        "gateway_direction",
        Silent,
        "a gateway has other flows than its direction says",
        "correct gatewayDirection",
    ),
    Row(
        Code::GatewayWithoutBranches,
        "gateway_without_branches",
        Silent,
        "a gateway neither splits nor joins",
        "remove it",
    ),
    Row(
        Code::EventGatewayFlows,
        "event_gateway_flows",
        Warned,
        "an event-based gateway has fewer than two ways out",
        "add a second event",
    ),
    Row(
        Code::EventGatewayTarget,
        "event_gateway_target",
        Refused,
        "an event-based gateway leads to something that does not wait for an event",
        "let it lead to catching events or receive tasks",
    ),
    Row(
        Code::EventGatewayCondition,
        "event_gateway_condition",
        Warned,
        "a flow out of an event-based gateway has a condition",
        "remove it",
    ),
    Row(
        Code::EventGatewayMix,
        "event_gateway_mix",
        Refused,
        "an event-based gateway mixes message events and receive tasks",
        "use one of them",
    ),
    Row(
        Code::EventGatewayBoundary,
        "event_gateway_boundary",
        Refused,
        "a receive task behind an event-based gateway has boundary events",
        "remove them",
    ),
    Row(
        Code::EventGatewayIncoming,
        "event_gateway_incoming",
        Refused,
        "an event behind an event-based gateway has other incoming flows",
        "give it only the one of the gateway",
    ),
    Row(
        Code::InstantiatingHasIncoming,
        "instantiating_has_incoming",
        Refused,
        "a node that starts the process has an incoming flow",
        "remove the flow",
    ),
    Row(
        Code::EventSubProcessFlow,
        "event_sub_process_flow",
        Refused,
        "an event sub-process is connected by a flow",
        "remove the flow",
    ),
    Row(
        Code::EventSubProcessStart,
        "event_sub_process_start",
        Refused,
        "an event sub-process does not have exactly one start event",
        "keep one start event",
    ),
    Row(
        Code::EventSubProcessTrigger,
        "event_sub_process_trigger",
        Refused,
        "the start of an event sub-process has no trigger or one that is not allowed there",
        "use a message, timer, error, escalation, compensation, condition or signal",
    ),
    Row(
        Code::AdHocContent,
        "ad_hoc_content",
        Refused,
        "an ad-hoc sub-process has no activity, or a start or end event",
        "leave only activities in it",
    ),
    Row(
        Code::ChoreographyInProcess,
        "choreography_in_process",
        Refused,
        "a process contains a choreography activity",
        "use a task",
    ),
    Row(
        Code::ChoreographyReference,
        "choreography_reference",
        Silent,
        "a choreography or global conversation refers to a choreography",
        "remove the reference",
    ),
    Row(
        Code::ChoreographyClosedDiffers,
        "choreography_closed_differs",
        Silent,
        "a collaboration and its choreography disagree on isClosed",
        "give both the same value",
    ),
    Row(
        Code::GlobalConversationContent,
        "global_conversation_content",
        Silent,
        "a global conversation contains more than messages between participants",
        "move it to a collaboration",
    ),
    Row(
        Code::PublicProcessExecutable,
        "public_process_executable",
        Silent,
        "a public process is marked as executable",
        "make it private or not executable",
    ),
    Row(
        Code::QuantityBelowOne,
        "quantity_below_one",
        Refused,
        "a start or completion quantity is less than one",
        "write one or more",
    ),
    Row(
        Code::MultiplicityInvalid,
        "multiplicity_invalid",
        Silent,
        "the numbers of participants contradict each other",
        "0 <= minimum <= maximum, maximum at least 1",
    ),
    Row(
        Code::ResourceRoleAmbiguous,
        "resource_role_ambiguous",
        Silent,
        "a resource role both names a resource and computes one",
        "keep one of them",
    ),
    Row(
        Code::MessageFlowInOnePool,
        "message_flow_in_one_pool",
        Silent,
        "a message flow does not connect two pools",
        "use a sequence flow or connect another pool",
    ),
    Row(
        Code::MessageFlowEnd,
        "message_flow_end",
        Silent,
        "a message flow begins or ends at an event that cannot send or receive",
        "connect it to a message event",
    ),
    Row(
        Code::ScriptFormatMissing,
        "script_format_missing",
        Silent,
        "a script does not say in which language it is",
        "set scriptFormat",
    ),
    Row(
        Code::MultiInstanceInput,
        "multi_instance_input",
        Silent,
        "a multi-instance activity says neither how often nor over what",
        "add loopCardinality or loopDataInputRef",
    ),
    Row(
        Code::MultiInstanceData,
        "multi_instance_data",
        Silent,
        "the data of a multi-instance activity does not fit its items",
        "use an item definition that is not a collection, of the same structure",
    ),
    Row(
        Code::ComplexBehavior,
        "complex_behavior",
        Silent,
        "a complex behaviour that is never looked at or is not a condition",
        "set behavior=\"Complex\" and write a condition",
    ),
    Row(
        Code::OperationData,
        "operation_data",
        Silent,
        "a service task's data does not match its operation",
        "one input set, at most one output set, with the items of the messages",
    ),
    Row(
        Code::MessageData,
        "message_data",
        Silent,
        "a send or receive task's data does not match its message",
        "at most one data item, of the message's item definition",
    ),
    Row(
        Code::CallActivityData,
        "call_activity_data",
        Silent,
        "a call activity's data does not match what it calls",
        "declare the same inputs and outputs",
    ),
    Row(
        Code::InterfaceBinding,
        "interface_binding",
        Silent,
        "a process or task offered as a service does not bind its data to an operation",
        "add an ioBinding of matching items",
    ),
    Row(
        Code::SubProcessData,
        "sub_process_data",
        Silent,
        "a sub-process has an input and output specification",
        "move it to an activity",
    ),
    Row(
        Code::DataNotInSet,
        "data_not_in_set",
        Silent,
        "a data input or output is in no set",
        "name it in an input or output set",
    ),
    Row(
        Code::DataSetReference,
        "data_set_reference",
        Silent,
        "a set names data as optional or while executing that it does not list",
        "list it in the set too",
    ),
    Row(
        Code::DataSetPair,
        "data_set_pair",
        Silent,
        "an input and an output set do not name each other",
        "name each in the other",
    ),
    Row(
        Code::DataAssociationDirection,
        "data_association_direction",
        Silent,
        "data is written to an input or read from an output of the process",
        "swap source and target",
    ),
    Row(
        Code::DataAssociationSources,
        "data_association_sources",
        Silent,
        "a data association without transformation has several sources",
        "keep one or add a transformation",
    ),
    Row(
        Code::DataItemsDiffer,
        "data_items_differ",
        Silent,
        "a data association joins data of different structure",
        "use the same item definition or add a transformation",
    ),
    Row(
        Code::CollectionDiffers,
        "collection_differs",
        Silent,
        "data and its item definition disagree on isCollection",
        "give both the same value",
    ),
    Row(
        Code::DataObjectName,
        "data_object_name",
        Silent,
        "a data object reference is not named after its object and state",
        "name it `object [state]`",
    ),
    Row(
        Code::TooManyProblems,
        "too_many_problems",
        Warned,
        "there are more problems than are reported",
        "mend those above first",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_finds_its_own_row_and_no_name_stands_twice() {
        let mut names = std::collections::BTreeSet::new();
        for code in Code::all() {
            assert_eq!(code.row().0, code);
            assert!(names.insert(code.name()), "{code} stands twice");
        }
    }
}
