//! What everything in BPMN is made of: definitions, expressions, artifacts, resources, services.

/// See [`super`] for how it is written.
pub(super) const TEXT: &str = "
definitions
    import* extension* rootElement* BPMNDiagram* relationship*
    @ id=id name !targetNamespace expressionLanguage typeLanguage exporter exporterVersion
import
    @ !namespace !location !importType
extension
    documentation*
    @ definition> mustUnderstand=boolean
baseElement
    documentation* extensionElements?
    @ id=id
baseElementWithMixedContent
    documentation* extensionElements?
    @ id=id
rootElement < baseElement
documentation
    **
    @ id=id textFormat
extensionElements
    **
expression < baseElementWithMixedContent
formalExpression < expression ^ expression
    @ language evaluatesToTypeRef>
auditing < baseElement
monitoring < baseElement
category < rootElement ^ rootElement
    categoryValue*
    @ name
categoryValue < baseElement
    @ value
artifact < baseElement
association < artifact ^ artifact
    @ !sourceRef>baseElement !targetRef>baseElement associationDirection=None|One|Both
group < artifact ^ artifact
    @ categoryValueRef>categoryValue
textAnnotation < artifact ^ artifact
    text?
    @ textFormat
text
    **
callableElement < rootElement
    supportedInterfaceRef*>interface ioSpecification? ioBinding*
    @ name
interface < rootElement ^ rootElement
    operation+
    @ !name implementationRef>
operation < baseElement
    inMessageRef>message outMessageRef?>message errorRef*>error
    @ !name implementationRef>
endPoint < rootElement ^ rootElement
error < rootElement ^ rootElement
    @ name errorCode structureRef>itemDefinition
escalation < rootElement ^ rootElement
    @ name escalationCode structureRef>itemDefinition
signal < rootElement ^ rootElement
    @ name structureRef>itemDefinition
message < rootElement ^ rootElement
    @ name itemRef>itemDefinition
itemDefinition < rootElement ^ rootElement
    @ structureRef> isCollection=boolean itemKind=Information|Physical
correlationKey < baseElement
    correlationPropertyRef*>correlationProperty
    @ name
correlationProperty < rootElement ^ rootElement
    correlationPropertyRetrievalExpression+
    @ name type>
correlationPropertyBinding < baseElement
    dataPath=formalExpression
    @ !correlationPropertyRef>correlationProperty
correlationPropertyRetrievalExpression < baseElement
    messagePath=formalExpression
    @ !messageRef>message
correlationSubscription < baseElement
    correlationPropertyBinding*
    @ !correlationKeyRef>correlationKey
resource < rootElement ^ rootElement
    resourceParameter*
    @ !name
resourceParameter < baseElement
    @ name type> isRequired=boolean
resourceParameterBinding < baseElement
    expression
    @ !parameterRef>resourceParameter
resourceAssignmentExpression < baseElement
    expression
resourceRole < baseElement
    resourceRef?>resource resourceParameterBinding* resourceAssignmentExpression?
    @ name
performer < resourceRole ^ resourceRole
humanPerformer < performer ^ performer
potentialOwner < humanPerformer ^ performer
partnerEntity < rootElement ^ rootElement
    participantRef*>participant
    @ name
partnerRole < rootElement ^ rootElement
    participantRef*>participant
    @ name
rendering < baseElement
relationship < baseElement
    source+> target+>
    @ !type direction=None|Forward|Backward|Both
";
