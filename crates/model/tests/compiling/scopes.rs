//! Scopes: where they begin, what they hold, what undoes their steps.

use tyer_model::{Code, NodeKind, SubProcessKind, Trigger};

use super::{Compiled, HEAD, between, compile, errors, read, shown, written};

fn starts(compiled: &Compiled, scope: Option<&str>) -> Vec<String> {
    let process = compiled.process();
    let body = process.body(scope.map(|id| compiled.ix(id)));
    body.starts.iter().map(|ix| process.node(*ix).id.clone()).collect()
}

#[test]
fn nodes_of_all_depths_stand_in_one_list_with_their_parents() {
    let compiled = compile(
        "",
        &between(
            "<subProcess id='n'><task id='a'/><subProcess id='b'><task id='c'/></subProcess></subProcess>",
        ),
    );
    let parent = |id: &str| compiled.node(id).parent;
    assert_eq!(parent("n"), None);
    assert_eq!((parent("a"), parent("b")), (Some(compiled.ix("n")), Some(compiled.ix("n"))));
    assert_eq!(parent("c"), Some(compiled.ix("b")));
    assert_eq!(
        starts(&compiled, Some("n")),
        ["a", "b"],
        "without start events, what no flow leads to begins"
    );
}

#[test]
fn what_has_a_trigger_or_undoes_something_does_not_begin_by_itself() {
    let content = "<task id='a'/><task id='b'/><sequenceFlow id='f' sourceRef='a' targetRef='b'/>\
        <boundaryEvent id='x' attachedToRef='a'><compensateEventDefinition/></boundaryEvent><task id='undo' isForCompensation='true'/>\
        <association id='as' sourceRef='x' targetRef='undo'/>\
        <subProcess id='event' triggeredByEvent='true'><startEvent id='es' isInterrupting='false'><signalEventDefinition signalRef='sig'/></startEvent></subProcess>\
        <receiveTask id='r' messageRef='m' instantiate='true'/>";
    let compiled = compile("<signal id='sig' name='alarm'/><message id='m' name='m'/>", content);
    assert_eq!(starts(&compiled, None), ["a"]);
    assert_eq!(compiled.process().body(None).events, [compiled.ix("event")]);
    assert_eq!(starts(&compiled, Some("event")), Vec::<String>::new());
    let NodeKind::SubProcess(sub) = &compiled.node("event").kind else { panic!("a sub-process") };
    let SubProcessKind::Event { start, interrupting } = sub.kind else { panic!("an event sub-process") };
    assert_eq!((start, interrupting), (compiled.ix("es"), false));
    assert_eq!(compiled.node("a").handler, Some(compiled.ix("undo")));
    assert!(compiled.node("undo").for_compensation);
    assert!(matches!(compiled.node("r").kind, NodeKind::Receive { instantiate: true, .. }));
    assert_eq!(compiled.warnings(), [], "all of them can be reached");
}

#[test]
fn a_process_begins_somewhere_and_not_twice() {
    let triggered = "<startEvent id='s'><messageEventDefinition messageRef='m'/></startEvent>";
    let compiled = compile("<message id='m' name='m'/>", triggered);
    assert_eq!(starts(&compiled, None), Vec::<String>::new());
    let NodeKind::Start(triggers) = &compiled.node("s").kind else { panic!("a start event") };
    assert!(matches!(&triggers.any[..], [Trigger::Message(message)] if message.key.is_none()));
    let both = format!("{triggered}<startEvent id='plain'/>");
    assert_eq!(starts(&compile("<message id='m' name='m'/>", &both), None), ["plain"]);
    assert_eq!(errors(read(HEAD, "", "<startEvent id='a'/><startEvent id='b'/>")), [Code::SeveralStarts]);
    let circle = "<task id='a'/><task id='b'/><sequenceFlow id='f' sourceRef='a' targetRef='b'/><sequenceFlow id='g' sourceRef='b' targetRef='a'/>";
    assert_eq!(errors(read(HEAD, "", circle)), [Code::StartMissing]);
    let compiled = compile("", &between("<subProcess id='n'/>"));
    assert_eq!(starts(&compiled, Some("n")), Vec::<String>::new(), "an empty sub-process ends at once");
}

#[test]
fn transactions_and_ad_hoc_sub_processes_say_how_they_go() {
    let compiled = compile("", &between("<transaction id='n'><task id='a'/></transaction>"));
    let NodeKind::SubProcess(sub) = &compiled.node("n").kind else { panic!("a sub-process") };
    assert!(matches!(sub.kind, SubProcessKind::Transaction));
    let ad_hoc = "<adHocSubProcess id='n' ordering='Sequential' cancelRemainingInstances='false'><extensionElements>\
        <zeebe:adHoc activeElementsCollection='=[\"a\"]' outputCollection='all' outputElement='=x'/></extensionElements>\
        <task id='a'/><task id='b'/><completionCondition>done</completionCondition></adHocSubProcess>";
    let compiled = compile("", &between(ad_hoc));
    let NodeKind::SubProcess(sub) = &compiled.node("n").kind else { panic!("a sub-process") };
    let SubProcessKind::AdHoc(ad_hoc) = &sub.kind else { panic!("ad hoc") };
    assert!(ad_hoc.sequential && !ad_hoc.cancel_remaining);
    assert_eq!(
        (written(ad_hoc.completion.as_ref()), written(ad_hoc.active.as_ref())),
        (Some("done"), Some("[\"a\"]"))
    );
    assert_eq!(ad_hoc.gathered.as_ref().map(|gathered| &*gathered.collection), Some("all"));
    assert_eq!(starts(&compiled, Some("n")), ["a", "b"]);
}

#[test]
fn gateways_keep_their_conditions_defaults_and_kinds() {
    let content = "<startEvent id='s'/><task id='t' default='d'/><inclusiveGateway id='or'/><complexGateway id='c'>\
        <activationCondition>activationCount &gt;= 2</activationCondition></complexGateway><endEvent id='e'/>\
        <sequenceFlow id='f' sourceRef='s' targetRef='t'/><sequenceFlow id='d' sourceRef='t' targetRef='or'/>\
        <sequenceFlow id='g' sourceRef='t' targetRef='c'><conditionExpression>a</conditionExpression></sequenceFlow>\
        <sequenceFlow id='h' sourceRef='or' targetRef='c'/><sequenceFlow id='i' sourceRef='c' targetRef='e'/>";
    let compiled = compile("", content);
    let process = compiled.process();
    assert_eq!(compiled.node("t").default, process.find_flow("d"), "activities decide too");
    let condition = process.flow(process.find_flow("g").expect("g is a flow")).condition.as_ref();
    assert_eq!(written(condition), Some("a"));
    assert!(matches!(compiled.node("or").kind, NodeKind::Inclusive));
    let NodeKind::Complex { activation } = &compiled.node("c").kind else { panic!("a complex gateway") };
    assert_eq!(written(activation.as_ref()), Some("activationCount >= 2"));
}

#[test]
fn an_event_gateway_can_begin_the_process() {
    let roots = "<message id='m' name='m'><extensionElements><zeebe:subscription correlationKey='=k'/></extensionElements></message>";
    let content = "<eventBasedGateway id='g' instantiate='true' eventGatewayType='Parallel'/>\
        <intermediateCatchEvent id='a'><messageEventDefinition messageRef='m'/></intermediateCatchEvent>\
        <intermediateCatchEvent id='b'><messageEventDefinition messageRef='m'/></intermediateCatchEvent>\
        <sequenceFlow id='f' sourceRef='g' targetRef='a'/><sequenceFlow id='h' sourceRef='g' targetRef='b'/>";
    let compiled = compile(roots, content);
    assert!(matches!(compiled.node("g").kind, NodeKind::EventBased { instantiate: true, parallel: true }));
    assert_eq!(starts(&compiled, None), Vec::<String>::new());
    let NodeKind::Catch(triggers) = &compiled.node("a").kind else { panic!("a catching event") };
    assert!(
        matches!(&triggers.any[..], [Trigger::Message(message)] if message.key.is_none()),
        "nothing to compute it from"
    );
}

#[test]
fn data_objects_and_properties_are_variables_of_their_scope() {
    let content = "<property id='p1' name='count'/><dataObject id='d1' name='the order'/><dataObject id='d2' itemSubjectRef='i'/>\
        <dataObject id='drawn'/><dataObjectReference id='r' dataObjectRef='d1'/>";
    let inner = "<subProcess id='n'><property id='p2' name='own'/><dataObject id='d3' name='inner'/><task id='t'/></subProcess>";
    let compiled = compile("<itemDefinition id='i'/>", &(content.to_owned() + &between(inner)));
    let names = |scope: Option<&str>| {
        let body = compiled.process().body(scope.map(|id| compiled.ix(id)));
        body.data.iter().map(|data| format!("{}{}", data.target[0], shown(&data.source))).collect::<Vec<_>>()
    };
    assert_eq!(names(None), ["count=null", "the order=null", "d2=null"]);
    assert_eq!(names(Some("n")), ["own=null", "inner=null"]);
    assert!(compiled.node("n").inputs.is_empty());
}
