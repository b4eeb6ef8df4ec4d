//! Rules of BPMN, each on a small diagram that breaks it.

use tyer_model::{Code, Definitions, Severity, Strictness};

const HEAD: &str = "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' \
    xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' targetNamespace='urn:t'>";

fn codes(content: &str, strictness: Strictness) -> Vec<Code> {
    let xml = format!("{HEAD}{content}</definitions>");
    let definitions = Definitions::read(xml.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
    definitions.check(strictness).into_iter().map(|problem| problem.code).collect()
}

fn in_process(content: &str) -> Vec<Code> {
    codes(&format!("<process id='p' isExecutable='true'>{content}</process>"), Strictness::Specification)
}

/// Nodes `a` and `b` on a way from start to end, listed as BPMN wants it.
fn way(a: &str, b: &str) -> String {
    let mut content = String::from(
        "<startEvent id='s'><outgoing>f1</outgoing></startEvent><endEvent id='e'><incoming>f3</incoming></endEvent>",
    );
    for (id, node, incoming, outgoing) in [("a", a, "f1", "f2"), ("b", b, "f2", "f3")] {
        let (name, rest) = node.split_once('|').unwrap_or((node, ""));
        let tag = name.split(' ').next().unwrap_or(name);
        let flows = format!("<incoming>{incoming}</incoming><outgoing>{outgoing}</outgoing>");
        content += &format!("<{name} id='{id}'>{flows}{rest}</{tag}>");
    }
    for (id, source, target) in [("f1", "s", "a"), ("f2", "a", "b"), ("f3", "b", "e")] {
        content += &format!("<sequenceFlow id='{id}' sourceRef='{source}' targetRef='{target}'/>");
    }
    content
}

#[test]
fn a_plain_process_breaks_no_rule() {
    assert_eq!(in_process(&way("task", "userTask")), []);
}

#[test]
fn each_broken_rule_is_named() {
    let cancel = "<boundaryEvent id='x' attachedToRef='a'><outgoing>f4</outgoing><cancelEventDefinition/></boundaryEvent>\
        <sequenceFlow id='f4' sourceRef='x' targetRef='e'/>";
    for (content, expected) in [
        (way("task", "task") + "<task id='lost'/>", vec![Code::NodeNotConnected, Code::NodeNotConnected]),
        (way("task startQuantity='0'", "task"), vec![Code::QuantityBelowOne]),
        (way("task default='f3'", "task"), vec![Code::DefaultFlowElsewhere]),
        (way("exclusiveGateway", "task"), vec![Code::GatewayWithoutBranches]),
        (way("intermediateThrowEvent|<timerEventDefinition/>", "task"), vec![Code::ThrowTriggerNotAllowed]),
        (way("intermediateCatchEvent", "task"), vec![Code::CatchTriggerNotAllowed]),
        (way("scriptTask|<script>x</script>", "task"), vec![Code::ScriptFormatMissing]),
        (way("adHocSubProcess", "task"), vec![Code::AdHocContent]),
        (way("transaction method='no uri'", "task"), vec![Code::UriInvalid]),
        (way("callActivity calledElement='nowhere'", "task"), vec![Code::ReferenceUnknown]),
        (way("sendTask messageRef='b'", "task"), vec![Code::ReferenceWrongType]),
        (way("task isForCompensation='maybe'", "task"), vec![Code::ValueInvalid]),
        (way("task", "task|<multiInstanceLoopCharacteristics/>"), vec![Code::MultiInstanceInput]),
        (way("task|<extensionElements/>", "task"), vec![Code::ChildOrder]),
        (way("task|<nonsense/>", "task"), vec![Code::ElementUnknown]),
        (way("task", "task") + cancel, vec![Code::FlowNotListed, Code::CancelOutsideTransaction]),
    ] {
        let mut found = in_process(&content);
        found.sort();
        let mut expected = expected;
        expected.sort();
        assert_eq!(found, expected, "{content}");
    }
}

#[test]
fn formal_expressions_say_something_and_times_can_be_read() {
    let timer = |time: &str| {
        way(&format!("intermediateCatchEvent|<timerEventDefinition>{time}</timerEventDefinition>"), "task")
    };
    let formal = "xsi:type='tFormalExpression'";
    assert_eq!(in_process(&timer(&format!("<timeDuration {formal}>PT5S</timeDuration>"))), []);
    assert_eq!(in_process(&timer("<timeDuration>PT5S</timeDuration>")), [Code::ExpressionNotFormal]);
    assert_eq!(in_process(&timer(&format!("<timeDuration {formal}/>"))), [Code::ExpressionEmpty]);
    assert_eq!(in_process(&timer(&format!("<timeCycle {formal}>often</timeCycle>"))), [Code::TimerInvalid]);
}

#[test]
fn a_deployment_does_not_mind_what_execution_does_not_need() {
    let sloppy = "<process id='p' isExecutable='true'><startEvent id='s'/><task id='t'><extensionElements/></task>\
        <sequenceFlow id='f' sourceRef='s' targetRef='t'/><laneSet id='l'><lane id='l1'><flowNodeRef>x</flowNodeRef></lane>\
        </laneSet></process>";
    assert!(codes(sloppy, Strictness::Specification).len() > 3);
    assert_eq!(
        codes(sloppy, Strictness::Deployment),
        [Code::ReferenceUnknown],
        "an unknown member of a lane is a warning"
    );
}

#[test]
fn references_into_imported_files_are_followed() {
    let imported = format!("{HEAD}<category id='c'><categoryValue id='v'/></category></definitions>");
    let file = |reference: &str| {
        format!(
            "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' xmlns:o='urn:o' targetNamespace='urn:t'>\
             <import importType='http://www.omg.org/spec/BPMN/20100524/MODEL' location='there' namespace='urn:o'/>\
             <process id='p'><group id='g' categoryValueRef='{reference}'/></process></definitions>"
        )
    };
    let check = |reference: &str| {
        let definitions = Definitions::read(file(reference).as_bytes()).expect("it is BPMN");
        let load = |location: &str| {
            (location == "there").then(|| Definitions::read(imported.as_bytes()).expect("it is BPMN"))
        };
        let found = definitions.check_with_imports(Strictness::Specification, &load);
        found.into_iter().map(|problem| (problem.code, problem.severity)).collect::<Vec<_>>()
    };
    assert_eq!(check("o:v"), []);
    assert_eq!(check("o:c"), [(Code::ReferenceWrongType, Severity::Error)]);
    assert_eq!(check("o:w"), [(Code::ReferenceUnknown, Severity::Error)]);
}
