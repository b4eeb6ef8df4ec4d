//! Between processes: collaborations, conversations, choreographies. Kept, not executed.

/// See [`super`] for how it is written.
pub(super) const TEXT: &str = "
collaboration < rootElement ^ rootElement
    participant* messageFlow* artifact* conversationNode* conversationAssociation*
    participantAssociation* messageFlowAssociation* correlationKey* choreographyRef*>choreography
    conversationLink*
    @ name isClosed=boolean
participant < baseElement
    interfaceRef*>interface endPointRef*>endPoint participantMultiplicity?
    @ name processRef>process
participantMultiplicity < baseElement
    @ minimum=integer maximum=integer
participantAssociation < baseElement
    innerParticipantRef>participant outerParticipantRef>participant
messageFlow < baseElement
    @ name !sourceRef>interactionNode !targetRef>interactionNode messageRef>message
messageFlowAssociation < baseElement
    @ !innerMessageFlowRef>messageFlow !outerMessageFlowRef>messageFlow
conversationNode < baseElement
    participantRef*>participant messageFlowRef*>messageFlow correlationKey*
    @ name
conversation < conversationNode ^ conversationNode
subConversation < conversationNode ^ conversationNode
    conversationNode*
callConversation < conversationNode ^ conversationNode
    participantAssociation*
    @ calledCollaborationRef>collaboration
conversationAssociation < baseElement
    @ !innerConversationNodeRef>conversationNode !outerConversationNodeRef>conversationNode
conversationLink < baseElement
    @ name !sourceRef>interactionNode !targetRef>interactionNode
globalConversation < collaboration ^ collaboration
choreography < collaboration ^ collaboration
    flowElement*
choreographyActivity < flowNode
    participantRef+>participant correlationKey*
    @ !initiatingParticipantRef>participant
    @ loopType=None|Standard|MultiInstanceSequential|MultiInstanceParallel
choreographyTask < choreographyActivity ^ flowElement
    messageFlowRef+>messageFlow
subChoreography < choreographyActivity ^ flowElement
    flowElement* artifact*
callChoreography < choreographyActivity ^ flowElement
    participantAssociation*
    @ calledChoreographyRef>choreography
globalChoreographyTask < choreography ^ choreography
    @ initiatingParticipantRef>participant
";
