//! Processes: activities, gateways, flows, lanes and loops.

/// See [`super`] for how it is written.
pub(super) const TEXT: &str = "
process < callableElement ^ rootElement
    auditing? monitoring? property* laneSet* flowElement* artifact* resourceRole*
    correlationSubscription* supports*>process
    @ processType=None|Public|Private isClosed=boolean isExecutable=boolean
    @ definitionalCollaborationRef>collaboration
laneSet < baseElement
    lane*
    @ name
lane < baseElement
    partitionElement?=baseElement flowNodeRef*>flowNode childLaneSet?=laneSet
    @ name partitionElementRef>baseElement
flowElement < baseElement
    auditing? monitoring? categoryValueRef*>categoryValue
    @ name
flowNode < flowElement
    incoming*>sequenceFlow outgoing*>sequenceFlow
sequenceFlow < flowElement ^ flowElement
    conditionExpression?=expression
    @ !sourceRef>flowNode !targetRef>flowNode isImmediate=boolean
activity < flowNode
    ioSpecification? property* dataInputAssociation* dataOutputAssociation* resourceRole*
    loopCharacteristics?
    @ isForCompensation=boolean startQuantity=integer completionQuantity=integer default>sequenceFlow
task < activity ^ flowElement
manualTask < task ^ flowElement
serviceTask < task ^ flowElement
    @ implementation operationRef>operation
sendTask < task ^ flowElement
    @ implementation messageRef>message operationRef>operation
receiveTask < task ^ flowElement
    @ implementation instantiate=boolean messageRef>message operationRef>operation
userTask < task ^ flowElement
    rendering*
    @ implementation
scriptTask < task ^ flowElement
    script?
    @ scriptFormat
script
    **
businessRuleTask < task ^ flowElement
    @ implementation
callActivity < activity ^ flowElement
    @ calledElement>callableElement
subProcess < activity ^ flowElement
    laneSet* flowElement* artifact*
    @ triggeredByEvent=boolean
adHocSubProcess < subProcess ^ flowElement
    completionCondition?=expression
    @ cancelRemainingInstances=boolean ordering=Parallel|Sequential
transaction < subProcess ^ flowElement
    @ method
gateway < flowNode
    @ gatewayDirection=Unspecified|Converging|Diverging|Mixed
exclusiveGateway < gateway ^ flowElement
    @ default>sequenceFlow
inclusiveGateway < gateway ^ flowElement
    @ default>sequenceFlow
parallelGateway < gateway ^ flowElement
complexGateway < gateway ^ flowElement
    activationCondition?=expression
    @ default>sequenceFlow
eventBasedGateway < gateway ^ flowElement
    @ instantiate=boolean eventGatewayType=Exclusive|Parallel
loopCharacteristics < baseElement
standardLoopCharacteristics < loopCharacteristics ^ loopCharacteristics
    loopCondition?=expression
    @ testBefore=boolean loopMaximum=integer
multiInstanceLoopCharacteristics < loopCharacteristics ^ loopCharacteristics
    loopCardinality?=expression loopDataInputRef?>itemAware loopDataOutputRef?>itemAware
    inputDataItem?=dataInput outputDataItem?=dataOutput complexBehaviorDefinition*
    completionCondition?=expression
    @ isSequential=boolean behavior=None|One|All|Complex oneBehaviorEventRef>eventDefinition
    @ noneBehaviorEventRef>eventDefinition
complexBehaviorDefinition < baseElement
    condition=formalExpression event?=implicitThrowEvent
globalTask < callableElement ^ rootElement
    resourceRole*
globalBusinessRuleTask < globalTask ^ rootElement
    @ implementation
globalManualTask < globalTask ^ rootElement
globalScriptTask < globalTask ^ rootElement
    script?
    @ scriptLanguage
globalUserTask < globalTask ^ rootElement
    rendering*
    @ implementation
";
