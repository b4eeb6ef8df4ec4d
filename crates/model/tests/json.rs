//! The JSON notation means what its BPMN means.

use tyer_model::{Backoff, Code, Definitions, NodeKind, Problems, Text, import_json};

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
    assert_eq!((job.retries, job.backoff), (4, Backoff::Linear { delay_ms: 1_000, cap_ms: 30_000 }));
    assert_eq!(job.headers[0].0, "config");
    let NodeKind::User(user) = &node("look").kind else { panic!("look is a user task") };
    assert!(matches!(&user.priority, Some(Text::Literal(number)) if &**number == "75"));
    assert!(matches!(node("wait").kind, NodeKind::Catch(_)));
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
