//! The JSON notation means what its BPMN means.

use tyer_model::{
    Backoff, BranchMerge, Code, Definitions, Imported, InFlight, MergeMode, NodeKind, OnFailure, Problems,
    Saga, Text, Throw, Trigger, import_json,
};

const ORDER: &str = r#"{
  "id": "order", "name": "Handle an order",
  "nodes": [
    {"id": "start", "type": "startProcess", "data": {"label": "Ordered"}},
    {"id": "pay", "type": "serviceTask",
     "data": {"label": "Pay", "serviceConfig": {"url": "https://pay", "method": "POST"}, "retry": {"max": 3, "backoff": "linear"}}},
    {"id": "choice", "type": "exclusiveGateway"},
    {"id": "look", "type": "userTask", "data": {"label": "Look at it", "assignee": "ann", "formId": "f1", "priority": "high"}},
    {"id": "wait", "type": "timerEvent", "data": {"duration": "PT1H"}},
    {"id": "end", "type": "endProcess"}
  ],
  "edges": [
    {"id": "e1", "source": "start", "target": "pay"},
    {"id": "e2", "source": "pay", "target": "choice"},
    {"id": "e3", "source": "choice", "target": "look", "condition": "amount > 100"},
    {"id": "e4", "source": "choice", "target": "wait"},
    {"id": "e5", "source": "look", "target": "end"},
    {"id": "e6", "source": "wait", "target": "end"}
  ]
}"#;

fn refusal(json: &str) -> Problems {
    import_json(json.as_bytes()).expect_err("it must be refused")
}

#[test]
fn a_workflow_becomes_a_process() {
    let imported = import_json(ORDER.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(imported.warnings, []);
    let process = &imported.processes[0];
    assert_eq!((process.id.as_str(), process.name.as_deref()), ("order", Some("Handle an order")));
    let node = |id: &str| process.node(process.find_node(id).unwrap_or_else(|| panic!("{id} is compiled")));
    assert_eq!(node("choice").default, process.find_flow("e4"));
    let NodeKind::Job(job) = &node("pay").kind else { panic!("pay is a job") };
    assert!(matches!(&job.job_type, Text::Literal(name) if &**name == "tyer.http"));
    assert_eq!((job.retries, job.backoff), (4, Backoff::Linear { delay_ms: 1_000, cap_ms: u64::MAX }));
    assert_eq!(job.headers[0].0, "config");
    let NodeKind::User(user) = &node("look").kind else { panic!("look is a user task") };
    assert!(matches!(&user.priority, Some(Text::Literal(number)) if &**number == "75"));
    assert!(matches!(node("wait").kind, NodeKind::Catch(_)));
}

/// Everything that the notation can say, compiled.
fn everything() -> Imported {
    import_json(include_bytes!("everything.json")).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn failures_sagas_and_merging_are_said_in_data() {
    let imported = everything();
    let process = &imported.processes[0];
    let node = |id: &str| process.node(process.find_node(id).unwrap_or_else(|| panic!("{id} is compiled")));
    let body = process.body(None);
    assert_eq!((body.saga, body.in_flight), (Saga::Global, InFlight::Terminate));
    assert_eq!(body.on_failure, OnFailure::Fail, "a workflow fails unless it says otherwise");
    assert_eq!((&*body.masked[0], &*body.indexed[0]), ("card", "order"));
    assert_eq!(node("pay").on_failure, Some(OnFailure::Incident));
    assert_eq!(node("pay").branch_scope, Some(BranchMerge::Collect));
    assert_eq!((node("ship").merge, node("end").merge), (Some(MergeMode::Race), Some(MergeMode::Merge)));
    let inside = process.body(process.find_node("inside"));
    assert_eq!(
        (inside.saga, inside.in_flight, inside.on_failure),
        (Saga::Local, InFlight::Wait, OnFailure::Fail)
    );
    let NodeKind::Boundary(boundary) = &node("pay-failed").kind else { panic!("a boundary event") };
    assert!(boundary.catches_failures && boundary.interrupting);
    let declared = &node("pay").declared;
    assert_eq!(
        (&*declared[0].name, declared[0].type_name.as_deref(), declared[0].required),
        ("amount", Some("number"), true)
    );
    assert_eq!((declared[1].type_name.as_deref(), declared[1].required), (Some("list"), false));
    let pay = node("pay");
    assert_eq!((pay.inputs.len(), &pay.outputs[0].target[..]), (1, &["payment".into(), "id".into()][..]));
}

#[test]
fn scripts_rules_and_events_become_what_bpmn_calls_them() {
    let imported = everything();
    let process = &imported.processes[0];
    let node = |id: &str| process.node(process.find_node(id).unwrap_or_else(|| panic!("{id} is compiled")));
    let NodeKind::Job(script) = &node("compute").kind else { panic!("a job") };
    let headers: Vec<_> = script.headers.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(
        headers,
        [
            ("language", "javascript"),
            ("code", "return 1;\nreturn 2;"),
            ("timeout", "1000"),
            ("resultVariable", "x")
        ]
    );
    let NodeKind::Job(rule) = &node("decide").kind else { panic!("a job") };
    assert_eq!(rule.headers[0], ("decisionId".to_owned(), "discount".to_owned()));
    let NodeKind::Boundary(late) = &node("late").kind else { panic!("a boundary event") };
    assert!(!late.interrupting && !late.catches_failures);
    assert_eq!(node("look").boundary, [process.find_node("late").expect("late is there")]);
    let NodeKind::Catch(paid) = &node("paid").kind else { panic!("a catching event") };
    assert!(matches!(&paid.any[..], [Trigger::Message(message)] if message.key.is_some()));
    assert!(
        matches!(&node("tell").kind, NodeKind::Throw(thrown) if matches!(thrown[..], [Throw::Signal(_)]))
    );
    let inner = node("inner-wait").parent.expect("it stands in a sub-process");
    assert_eq!(process.node(inner).id, "inside");
    let NodeKind::Call(call) = &node("call-again").kind else { panic!("a call") };
    assert!(matches!(&call.process, Text::Literal(called) if &**called == "another"));
}

#[test]
fn what_is_wrong_is_named_where_it_stands_in_the_json() {
    let problems = refusal(&ORDER.replace("\"userTask\"", "\"robotTask\"")).0;
    assert_eq!((problems[0].code, problems[0].line), (Code::JsonInvalid, 8));
    assert_eq!(problems[0].element.as_deref(), Some("look"));
    let problems = refusal(&ORDER.replace("\"target\": \"look\"", "\"target\": \"nowhere\"")).0;
    assert_eq!((problems[0].code, problems[0].element.as_deref()), (Code::ReferenceUnknown, Some("e3")));
    assert_eq!(problems[0].line, 15);
    let problems = refusal(&ORDER.replace(", \"condition\": \"amount > 100\"", "")).0;
    assert_eq!((problems[0].code, problems[0].element.as_deref()), (Code::JsonInvalid, Some("e4")));
    let problems = refusal(&ORDER.replace("\"label\": \"Pay\"", "\"errorBoundary\": \"nobody\"")).0;
    assert_eq!((problems[0].code, problems[0].line), (Code::JsonInvalid, 5));
    let problems = refusal("{\n \"id\": 7}").0;
    assert_eq!((problems[0].code, problems[0].line), (Code::JsonMalformed, 2));
    assert_eq!(refusal("\u{0}").0[0].code, Code::JsonMalformed);
    assert_eq!(refusal(&"[".repeat(100_000)).0[0].code, Code::JsonMalformed);
}

#[test]
fn a_workflow_can_be_exported_as_bpmn() {
    let definitions = Definitions::from_json(ORDER.as_bytes()).expect("it is a workflow");
    let again = Definitions::read(definitions.to_xml().as_bytes()).expect("it is BPMN");
    assert!(again == definitions);
}
