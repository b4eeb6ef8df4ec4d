//! What each code means: name, what it means for a deployment, what is wrong, what to do.

/// One line per code, in the order of the enum.
pub(super) const TEXT: &str = r#"
xml_malformed | refused | the file is not XML that is accepted | the file must be well-formed XML without DOCTYPE
json_malformed | refused | the file is not JSON in the workflow notation | see the JSON schema of the notation
json_invalid | refused | a node or edge of the JSON notation says something impossible | see the JSON schema of the notation
not_bpmn | refused | the file is XML, but not BPMN 2.0 | the outermost element must be `definitions` of BPMN 2.0
no_executable_process | refused | no process in the file can be executed | set isExecutable="true" on the process to run
process_not_executable | warned | a process says that it is not executable | set isExecutable="true" to run it
executable_not_said | warned | a process does not say whether it is executable | set isExecutable="true" to run it
duplicate_id | refused | two elements have the same id | give each element an id of its own
id_missing | warned | an element that running instances are known by has no id | give it an id: the one made up for it changes when the file does
id_invalid | warned | an id is not an XML name | begin it with a letter or `_`, without blanks
reference_unknown | refused | a reference names an element that is not there | name an element of this file
reference_wrong_type | refused | a reference names an element that cannot stand there | name an element of the expected kind
trigger_not_defined | warned | a message, signal, error or escalation is not defined; what is written is its name | define it among the root elements
import_missing | warned | an imported file cannot be read | imports are looked up beside the file
element_unknown | warned | an element of BPMN's namespace that BPMN does not have there | remove it or put it where it belongs
child_missing | silent | an element lacks a child that BPMN requires | add it
child_repeated | silent | a child stands more often than BPMN allows | keep one
child_order | silent | children stand in another order than BPMN's schema wants | put them in the order of the schema
attribute_missing | silent | an attribute that BPMN requires is missing | add it
attribute_unknown | silent | an attribute without namespace that BPMN does not have | remove it or give it a namespace
value_invalid | refused | a value cannot be read | write a value of the expected kind
mime_type_invalid | silent | a format is not a MIME type | write it as type/subtype, such as text/plain
uri_invalid | silent | a value is not a URI | write a URI
element_not_executable | refused | BPMN defines the element, and it is not executed | model it with elements that are
extension_not_supported | refused | an extension that would change what happens is not executed | remove it or model it another way
extension_ignored | warned | an attribute of another vocabulary that is not looked at | check that nothing depends on it
job_type_missing | refused | a task for workers does not say for which | set its job type to the name workers ask for
job_type_assumed | warned | a task for workers does not say for which; its id is the type | set its job type to the name workers ask for
timer_invalid | refused | a timer has no time, several, or one that cannot be read | give it one of timeDate, timeDuration or timeCycle in ISO 8601
expression_invalid | refused | an expression cannot be parsed | mend the expression
expression_not_supported | refused | an expression is in a language that is not evaluated | write it in FEEL
expression_not_formal | silent | an expression in an executable process is not marked as formal | add xsi:type="tFormalExpression"
expression_empty | warned | a formal expression says nothing | write the expression or remove the element
start_missing | refused | there is nowhere to begin | add a start event
start_missing_beside_end | silent | a process or sub-process has end events but no start event | add a start event or remove the end events
several_starts | refused | there are several start events without a trigger | keep one of them
start_has_incoming | refused | a start event has an incoming flow | let the flow end at another node
start_without_outgoing | silent | a start event has no outgoing flow | connect it
start_trigger_not_allowed | refused | a start event has a trigger that is not allowed there | use a message, timer, condition or signal
called_process_start | warned | a called process has no start event without trigger | add one
called_element_missing | refused | a call activity does not say what it calls | set calledElement to the id of a process
end_missing | silent | a process or sub-process has start events but no end event | add an end event
end_has_outgoing | refused | an end event has an outgoing flow | let the flow begin at another node
end_without_incoming | silent | an end event has no incoming flow | connect it
end_trigger_not_allowed | refused | an end event has a trigger that is not allowed there | use a message, escalation, error, cancel, compensation, signal or terminate
catch_trigger_not_allowed | refused | an intermediate catch event has no trigger or one that is not allowed there | use a message, timer, condition, link or signal
throw_trigger_not_allowed | refused | an intermediate throw event has a trigger that is not allowed there | use a message, escalation, compensation, link or signal
boundary_trigger_not_allowed | refused | a boundary event has no trigger or one that is not allowed there | use another trigger, or let it interrupt
boundary_has_incoming | refused | a boundary event has an incoming flow | let the flow end at another node
boundary_not_attached | refused | a boundary event is not attached to an activity of its scope | set attachedToRef to the activity
boundary_without_outgoing | warned | a boundary event leads nowhere | connect it
compensation_flow | refused | a compensation boundary event has an outgoing flow | connect it to its handler with an association
compensation_handler | warned | a compensation boundary event has no handler | connect it with an association to an activity that is for compensation
cancel_outside_transaction | refused | a cancel event is not in or at a transaction | put it in or at a transaction
link_flow | refused | a link event has flows on both sides | throwing links have no outgoing flow, catching ones no incoming
link_pair | silent | a link event is not paired with its other end by reference | name the other end in `source` and `target`
link_scope | silent | a link leads into another scope | keep both ends in one process or sub-process
link_target_missing | refused | a throwing link has no catching link in its scope | add a catching link with the same name
event_definition_shared | silent | a trigger that is defined in a throwing event is used elsewhere | define it among the root elements
event_data | silent | the data of an event does not match its triggers | give each trigger its data input or output, of the same item definition
message_reference_missing | silent | a message event in an executable process names no message | set messageRef
signal_reference_missing | warned | a signal event names no signal; its name or id is taken | set signalRef
operation_reference_missing | silent | a message event in an executable process names no operation | add operationRef
escalation_code_missing | silent | an escalation that is thrown has no code | give it an escalationCode
artifact_in_flow | refused | a flow begins or ends at an artifact | use an association
flow_not_listed | silent | a node does not list a flow as incoming or outgoing | list it
flow_not_immediate | silent | a flow of an executable process says that it is not immediate | remove isImmediate
flow_crosses_scope | refused | a sequence flow leaves its process or sub-process | use a message flow, an event or a link
condition_missing | warned | a way out of a gateway that decides has neither condition nor is it the default | give it a condition or make it the default flow
condition_ignored | warned | a condition that is never looked at | remove the condition
conditional_flow_alone | warned | the only flow out of a node is conditional | add a flow for the other case
default_flow_elsewhere | refused | a default flow does not begin at its node | name one of the outgoing flows
node_not_connected | silent | a node lacks an incoming or outgoing flow | connect it
node_unreachable | warned | no way leads to the node | connect it or remove it
loop_without_wait | warned | a loop that never waits | add a wait or a way out
gateway_direction | silent | a gateway has other flows than its direction says | correct gatewayDirection
gateway_without_branches | silent | a gateway neither splits nor joins | remove it
event_gateway_flows | warned | an event-based gateway has fewer than two ways out | add a second event
event_gateway_target | refused | an event-based gateway leads to something that does not wait for an event | let it lead to catching events or receive tasks
event_gateway_condition | warned | a flow out of an event-based gateway has a condition | remove it
event_gateway_mix | refused | an event-based gateway mixes message events and receive tasks | use one of them
event_gateway_boundary | refused | a receive task behind an event-based gateway has boundary events | remove them
event_gateway_incoming | refused | an event behind an event-based gateway has other incoming flows | give it only the one of the gateway
instantiating_has_incoming | refused | a node that starts the process has an incoming flow | remove the flow
event_sub_process_flow | refused | an event sub-process is connected by a flow | remove the flow
event_sub_process_start | refused | an event sub-process does not have exactly one start event | keep one start event
event_sub_process_trigger | refused | the start of an event sub-process has no trigger or one that is not allowed there | use a message, timer, error, escalation, compensation, condition or signal
ad_hoc_content | refused | an ad-hoc sub-process has no activity, or a start or end event | leave only activities in it
choreography_in_process | refused | a process contains a choreography activity | use a task
choreography_reference | silent | a choreography or global conversation refers to a choreography | remove the reference
choreography_closed_differs | silent | a collaboration and its choreography disagree on isClosed | give both the same value
global_conversation_content | silent | a global conversation contains more than messages between participants | move it to a collaboration
public_process_executable | silent | a public process is marked as executable | make it private or not executable
quantity_below_one | refused | a start or completion quantity is less than one | write one or more
multiplicity_invalid | silent | the numbers of participants contradict each other | 0 <= minimum <= maximum, maximum at least 1
resource_role_ambiguous | silent | a resource role both names a resource and computes one | keep one of them
message_flow_in_one_pool | silent | a message flow does not connect two pools | use a sequence flow or connect another pool
message_flow_end | silent | a message flow begins or ends at an event that cannot send or receive | connect it to a message event
script_format_missing | silent | a script does not say in which language it is | set scriptFormat
multi_instance_input | silent | a multi-instance activity says neither how often nor over what | add loopCardinality or loopDataInputRef
multi_instance_count | refused | a multi-instance activity says neither how often nor for which list it is done | add loopCardinality, loopDataInputRef or an input collection
multi_instance_data | silent | the data of a multi-instance activity does not fit its items | use an item definition that is not a collection, of the same structure
complex_behavior | silent | a complex behaviour that is never looked at or is not a condition | set behavior="Complex" and write a condition
operation_data | silent | a service task's data does not match its operation | one input set, at most one output set, with the items of the messages
message_data | silent | a send or receive task's data does not match its message | at most one data item, of the message's item definition
call_activity_data | silent | a call activity's data does not match what it calls | declare the same inputs and outputs
interface_binding | silent | a process or task offered as a service does not bind its data to an operation | add an ioBinding of matching items
sub_process_data | silent | a sub-process has an input and output specification | move it to an activity
data_not_in_set | silent | a data input or output is in no set | name it in an input or output set
data_set_reference | silent | a set names data as optional or while executing that it does not list | list it in the set too
data_set_pair | silent | an input and an output set do not name each other | name each in the other
data_association_direction | silent | data is written to an input or read from an output of the process | swap source and target
data_association_sources | silent | a data association without transformation has several sources | keep one or add a transformation
data_items_differ | silent | a data association joins data of different structure | use the same item definition or add a transformation
collection_differs | silent | data and its item definition disagree on isCollection | give both the same value
data_object_name | silent | a data object reference is not named after its object and state | name it `object [state]`
shared_too_large | refused | definitions that many elements refer to are too large to be read for each of them | make them smaller, or refer to them less often
too_many_problems | warned | there are more problems than are reported | mend those above first
"#;
