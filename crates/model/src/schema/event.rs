//! Events and what triggers them.

/// See [`super`] for how it is written.
pub(super) const TEXT: &str = "
event < flowNode ^ flowElement
    property*
catchEvent < event
    dataOutput* dataOutputAssociation* outputSet? eventDefinition* eventDefinitionRef*>eventDefinition
    @ parallelMultiple=boolean
throwEvent < event
    dataInput* dataInputAssociation* inputSet? eventDefinition* eventDefinitionRef*>eventDefinition
startEvent < catchEvent ^ flowElement
    @ isInterrupting=boolean
intermediateCatchEvent < catchEvent ^ flowElement
boundaryEvent < catchEvent ^ flowElement
    @ cancelActivity=boolean !attachedToRef>activity
intermediateThrowEvent < throwEvent ^ flowElement
implicitThrowEvent < throwEvent ^ flowElement
endEvent < throwEvent ^ flowElement
eventDefinition < rootElement ^ rootElement
messageEventDefinition < eventDefinition ^ eventDefinition
    operationRef?>operation
    @ messageRef>message
timerEventDefinition < eventDefinition ^ eventDefinition
    timeDate?=expression timeDuration?=expression timeCycle?=expression
errorEventDefinition < eventDefinition ^ eventDefinition
    @ errorRef>error
escalationEventDefinition < eventDefinition ^ eventDefinition
    @ escalationRef>escalation
cancelEventDefinition < eventDefinition ^ eventDefinition
compensateEventDefinition < eventDefinition ^ eventDefinition
    @ waitForCompletion=boolean activityRef>activity
conditionalEventDefinition < eventDefinition ^ eventDefinition
    condition=expression
linkEventDefinition < eventDefinition ^ eventDefinition
    source*>linkEventDefinition target?>linkEventDefinition
    @ !name
signalEventDefinition < eventDefinition ^ eventDefinition
    @ signalRef>signal
terminateEventDefinition < eventDefinition ^ eventDefinition
";
