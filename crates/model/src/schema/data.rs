//! Data: objects, stores, inputs, outputs and how they are copied.

/// See [`super`] for how it is written.
pub(super) const TEXT: &str = "
dataObject < flowElement ^ flowElement
    dataState?
    @ itemSubjectRef>itemDefinition isCollection=boolean
dataObjectReference < flowElement ^ flowElement
    dataState?
    @ itemSubjectRef>itemDefinition dataObjectRef>dataObject
dataStore < rootElement ^ rootElement
    dataState?
    @ name capacity=integer isUnlimited=boolean itemSubjectRef>itemDefinition
dataStoreReference < flowElement ^ flowElement
    dataState?
    @ itemSubjectRef>itemDefinition dataStoreRef>dataStore
dataState < baseElement
    @ name
property < baseElement
    dataState?
    @ name itemSubjectRef>itemDefinition
ioSpecification < baseElement
    dataInput* dataOutput* inputSet+ outputSet+
ioBinding < baseElement
    @ !operationRef>operation !inputDataRef>inputSet|dataInput !outputDataRef>outputSet|dataOutput
dataInput < baseElement
    dataState?
    @ name itemSubjectRef>itemDefinition isCollection=boolean
dataOutput < baseElement
    dataState?
    @ name itemSubjectRef>itemDefinition isCollection=boolean
inputSet < baseElement
    dataInputRefs*>dataInput optionalInputRefs*>dataInput whileExecutingInputRefs*>dataInput
    outputSetRefs*>outputSet
    @ name
outputSet < baseElement
    dataOutputRefs*>dataOutput optionalOutputRefs*>dataOutput whileExecutingOutputRefs*>dataOutput
    inputSetRefs*>inputSet
    @ name
dataAssociation < baseElement
    sourceRef*>itemAware targetRef>itemAware transformation?=formalExpression assignment*
dataInputAssociation < dataAssociation
dataOutputAssociation < dataAssociation
assignment < baseElement
    from=expression to=expression
";
