//! Events: every trigger in the positions that BPMN allows.

use tyer_model::{Code, MessageSpec, NodeKind, Text, Throw, TimerSpec, Trigger, Triggers};

use super::{Compiled, HEAD, between, compile, compile_mapped, errors, read, shown, written};

const ROOTS: &str = "<message id='m' name='paid'><extensionElements><zeebe:subscription correlationKey='=order'/></extensionElements></message>\
    <signal id='sig' name='alarm'/><error id='err' errorCode='E1'/><error id='plain'/><escalation id='esc' escalationCode='X'/>\
    <timerEventDefinition id='soon'><timeDuration>PT1S</timeDuration></timerEventDefinition>";

fn caught(compiled: &Compiled) -> &Triggers {
    let kind = &compiled.node("n").kind;
    let NodeKind::Catch(triggers) = kind else { panic!("no catching event: {kind:?}") };
    triggers
}

fn catch(trigger: &str) -> Compiled {
    compile(ROOTS, &between(&format!("<intermediateCatchEvent id='n'>{trigger}</intermediateCatchEvent>")))
}

fn thrown(trigger: &str) -> Compiled {
    compile(ROOTS, &between(&format!("<intermediateThrowEvent id='n'>{trigger}</intermediateThrowEvent>")))
}

fn message(spec: &MessageSpec) -> (String, Option<&str>) {
    (shown(&spec.name), written(spec.key.as_ref()))
}

#[test]
fn catching_events_wait_for_what_they_name() {
    let compiled = catch("<messageEventDefinition messageRef='m'/>");
    let [Trigger::Message(found)] = &caught(&compiled).any[..] else { panic!("a message") };
    assert_eq!(message(found), ("paid".to_owned(), Some("order")));
    let compiled = catch("<signalEventDefinition signalRef='sig'/>");
    assert!(matches!(&caught(&compiled).any[..], [Trigger::Signal(name)] if shown(name) == "alarm"));
    let compiled = catch("<eventDefinitionRef>soon</eventDefinitionRef>");
    assert!(matches!(&caught(&compiled).any[..], [Trigger::Timer(TimerSpec::Duration(_))]));
    let compiled =
        catch("<conditionalEventDefinition><condition>a &gt; 1</condition></conditionalEventDefinition>");
    let [Trigger::Condition(condition)] = &caught(&compiled).any[..] else { panic!("a condition") };
    assert_eq!((condition.condition.text(), condition.variables.len()), ("a > 1", 0));
}

#[test]
fn several_triggers_are_any_or_all() {
    let both = "<signalEventDefinition signalRef='sig'/><messageEventDefinition messageRef='m'/>";
    let compiled = catch(both);
    assert_eq!((caught(&compiled).any.len(), caught(&compiled).all), (2, false));
    let all =
        format!("<intermediateCatchEvent id='n' parallelMultiple='true'>{both}</intermediateCatchEvent>");
    let compiled = compile(ROOTS, &between(&all));
    assert_eq!((caught(&compiled).any.len(), caught(&compiled).all), (2, true));
}

#[test]
fn throwing_events_throw_what_they_name() {
    let throws = |trigger: &str| {
        let compiled = thrown(trigger);
        let kind = &compiled.node("n").kind;
        let NodeKind::Throw(throws) = kind else { panic!("no throwing event: {kind:?}") };
        format!("{:?}", throws.iter().map(kind_of).collect::<Vec<_>>())
    };
    assert_eq!(throws(""), "[]");
    assert_eq!(throws("<messageEventDefinition messageRef='m'/>"), r#"["message paid"]"#);
    assert_eq!(
        throws("<signalEventDefinition signalRef='sig'/><escalationEventDefinition escalationRef='esc'/>"),
        r#"["signal alarm", "escalation X"]"#
    );
    assert_eq!(
        throws("<compensateEventDefinition waitForCompletion='false'/>"),
        r#"["compensate all, goes on"]"#
    );
}

fn kind_of(throw: &Throw) -> String {
    let code = |code: &Option<Text>| code.as_ref().map(shown).unwrap_or_default();
    match throw {
        Throw::Message(spec) => format!("message {}", shown(&spec.name)),
        Throw::Job(job) => format!("job {}", shown(&job.job_type)),
        Throw::Signal(name) => format!("signal {}", shown(name)),
        Throw::Error(thrown) => format!("error {}", code(thrown)),
        Throw::Escalation(thrown) => format!("escalation {}", code(thrown)),
        Throw::Cancel => "cancel".to_owned(),
        Throw::Compensation { activity, wait } => {
            let what = if activity.is_some() { "one" } else { "all" };
            format!("compensate {what}, {}", if *wait { "waits" } else { "goes on" })
        }
        Throw::Terminate => "terminate".to_owned(),
    }
}

#[test]
fn end_events_throw_and_end() {
    let ends = |trigger: &str| {
        let end = format!("<endEvent id='n'>{trigger}</endEvent>");
        let content = format!(
            "<startEvent id='s'/><transaction id='t'><startEvent id='i'/>{end}<task id='u'/>
             <sequenceFlow id='g' sourceRef='i' targetRef='u'/><sequenceFlow id='h' sourceRef='u' targetRef='n'/></transaction>
             <sequenceFlow id='f' sourceRef='s' targetRef='t'/>"
        );
        let compiled = compile(ROOTS, &content);
        let NodeKind::End(throws) = &compiled.node("n").kind else { panic!("an end event") };
        throws.iter().map(kind_of).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(ends(""), "");
    assert_eq!(ends("<errorEventDefinition errorRef='err'/>"), "error E1");
    assert_eq!(
        ends("<errorEventDefinition errorRef='plain'/>"),
        "error plain",
        "the id stands in for the code"
    );
    assert_eq!(ends("<cancelEventDefinition/>"), "cancel");
    assert_eq!(ends("<terminateEventDefinition/>"), "terminate");
    assert_eq!(ends("<compensateEventDefinition activityRef='u'/>"), "compensate one, waits");
    let job = "<extensionElements><zeebe:taskDefinition type='mail'/></extensionElements><messageEventDefinition messageRef='m'/>";
    assert_eq!(ends(job), "job mail");
}

#[test]
fn boundary_events_know_their_host_and_what_they_catch() {
    let at = |attributes: &str, trigger: &str| {
        let event = format!("<boundaryEvent id='b' attachedToRef='n' {attributes}>{trigger}</boundaryEvent>");
        let flow = "<sequenceFlow id='f3' sourceRef='b' targetRef='e'/>";
        compile(ROOTS, &between(&format!("<userTask id='n'/>{event}{flow}")))
    };
    let compiled = at(
        "tyer:catchFailure='true'",
        "<errorEventDefinition errorRef='err' tyer:errorCodeVariable='code'/>",
    );
    let NodeKind::Boundary(boundary) = &compiled.node("b").kind else { panic!("a boundary event") };
    assert_eq!((boundary.host, boundary.interrupting), (compiled.ix("n"), true));
    assert!(boundary.catches_failures);
    let [Trigger::Error(error)] = &boundary.triggers.any[..] else { panic!("an error") };
    assert_eq!((error.code.as_deref(), error.code_variable.as_deref()), (Some("E1"), Some("code")));
    assert_eq!(compiled.node("n").boundary, [compiled.ix("b")]);
    let compiled = at("cancelActivity='false'", "<escalationEventDefinition/>");
    let NodeKind::Boundary(boundary) = &compiled.node("b").kind else { panic!("a boundary event") };
    assert!(!boundary.interrupting && !boundary.catches_failures);
    assert!(matches!(&boundary.triggers.any[..], [Trigger::Escalation(caught)] if caught.code.is_none()));
    let compiled = at("", "<errorEventDefinition errorRef='plain'/>");
    let NodeKind::Boundary(boundary) = &compiled.node("b").kind else { panic!("a boundary event") };
    assert!(
        matches!(&boundary.triggers.any[..], [Trigger::Error(caught)] if caught.code.is_none()),
        "any error"
    );
}

#[test]
fn a_border_belongs_to_its_scope() {
    let content = "<startEvent id='s'/><subProcess id='n'><task id='t'/></subProcess>
        <boundaryEvent id='b' attachedToRef='t'><errorEventDefinition/></boundaryEvent>";
    assert!(errors(read(HEAD, "", content)).contains(&Code::BoundaryNotAttached));
}

#[test]
fn links_lead_to_the_catching_side_of_their_scope() {
    let link = |name: &str| {
        format!(
            "<startEvent id='s'/><intermediateThrowEvent id='throw'><linkEventDefinition name='a'/></intermediateThrowEvent>
             <intermediateCatchEvent id='catch'><linkEventDefinition name='{name}'/></intermediateCatchEvent><endEvent id='e'/>
             <sequenceFlow id='f' sourceRef='s' targetRef='throw'/><sequenceFlow id='g' sourceRef='catch' targetRef='e'/>"
        )
    };
    let compiled = compile("", &link("a"));
    assert!(matches!(compiled.node("throw").kind, NodeKind::Link(target) if target == compiled.ix("catch")));
    assert!(matches!(&compiled.node("catch").kind, NodeKind::Catch(triggers) if triggers.any.is_empty()));
    assert_eq!(compiled.process().body(None).starts, [compiled.ix("s")], "a link does not begin by itself");
    assert_eq!(errors(read(HEAD, "", &link("b"))), [Code::LinkTargetMissing]);
}

#[test]
fn a_message_is_known_by_its_name_its_flow_or_its_event() {
    let compiled = catch("<messageEventDefinition/>");
    let [Trigger::Message(found)] = &caught(&compiled).any[..] else { panic!("a message") };
    assert_eq!(message(found), ("n".to_owned(), None));
    assert_eq!(compiled.warnings(), [Code::MessageReferenceMissing]);
    let pools = "<collaboration id='c'><participant id='p1' processRef='p'/><participant id='p2'/>\
        <messageFlow id='mf' name='order' sourceRef='p2' targetRef='n'/></collaboration>";
    let event = "<intermediateCatchEvent id='n'><messageEventDefinition/></intermediateCatchEvent>";
    let compiled = compile(pools, &between(event));
    let [Trigger::Message(found)] = &caught(&compiled).any[..] else { panic!("a message") };
    assert_eq!((message(found), compiled.warnings()), (("order".to_owned(), None), Vec::new()));
}

#[test]
fn a_correlation_subscription_gives_the_key() {
    let roots = "<message id='m' name='paid'/><correlationProperty id='cp'><correlationPropertyRetrievalExpression messageRef='m'>\
        <messagePath>orderNumber</messagePath></correlationPropertyRetrievalExpression></correlationProperty>\
        <collaboration id='c'><correlationKey id='ck'><correlationPropertyRef>cp</correlationPropertyRef></correlationKey></collaboration>";
    let event =
        "<intermediateCatchEvent id='n'><messageEventDefinition messageRef='m'/></intermediateCatchEvent>";
    let subscription = "<correlationSubscription id='cs' correlationKeyRef='ck'><correlationPropertyBinding correlationPropertyRef='cp'>\
        <dataPath>order.number</dataPath></correlationPropertyBinding></correlationSubscription>";
    let compiled = compile(roots, &(between(event) + subscription));
    let [Trigger::Message(found)] = &caught(&compiled).any[..] else { panic!("a message") };
    assert_eq!(message(found), ("paid".to_owned(), Some("order.number")));
    let send = compile(roots, &(between("<sendTask id='n' messageRef='m'/>") + subscription));
    let NodeKind::Send(sent) = &send.node("n").kind else { panic!("it sends") };
    assert_eq!(message(sent), ("paid".to_owned(), Some("orderNumber")));
}

#[test]
fn in_the_mapped_dialects_a_trigger_that_is_not_defined_is_known_by_its_name() {
    let event =
        "<intermediateCatchEvent id='n'><signalEventDefinition signalRef='alarm'/></intermediateCatchEvent>";
    let compiled = compile_mapped("", &between(event));
    assert!(matches!(&caught(&compiled).any[..], [Trigger::Signal(name)] if shown(name) == "alarm"));
    assert_eq!(compiled.warnings(), [Code::TriggerNotDefined]);
    assert_eq!(errors(read(HEAD, "", &between(event))), [Code::ReferenceUnknown]);
}
