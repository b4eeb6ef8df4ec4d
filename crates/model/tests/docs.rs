//! The tables of `docs/`: made by trying, and never older than the code. `UPDATE=1` writes them again.
#![allow(clippy::disallowed_methods, reason = "documentation is read and written as files")]

use std::fmt::Write;
use std::path::Path;

use tyer_model::{Code, Deployment, NODE_TYPES, Severity, import};

fn check(name: &str, fresh: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, fresh).expect("docs can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == fresh,
        "docs/{name} is not what the code says; run UPDATE=1 cargo test -p tyer-model --test docs"
    );
}

#[test]
fn the_table_of_problems_is_fresh() {
    let mut table = String::from(
        "# Problems\n\nEverything that can be wrong with a diagram. *Refused* diagrams are not deployed; a *warning* is \
         reported, and the diagram runs. The *letter* of BPMN is only looked at when somebody asks for it. Generated from \
         the code.\n\n| code | deployment | what is wrong | what to do |\n|---|---|---|---|\n",
    );
    for code in Code::ALL {
        let deployment = match code.deployment() {
            Deployment::Refused => "refused",
            Deployment::Warned => "warning",
            Deployment::Silent => "letter",
        };
        writeln!(table, "| `{code}` | {deployment} | {} | {} |", code.about(), code.hint())
            .expect("strings take everything");
    }
    check("problems.md", &table);
}

#[test]
fn the_json_schema_is_fresh() {
    let text = serde_json::json!({"type": "string"});
    let types: Vec<_> = NODE_TYPES.iter().map(|(name, _)| *name).collect();
    let data = serde_json::json!({
        "type": "object",
        "properties": {
            "label": text, "assignee": text, "candidateUsers": {"type": ["string", "array"]},
            "candidateGroups": {"type": ["string", "array"]}, "formId": text, "dueDate": text,
            "priority": {"type": ["string", "integer"]},
            "serviceConfig": {"type": "object"}, "jobType": text, "ruleId": text,
            "script": {"type": "object", "required": ["code"], "properties": {
                "code": text, "timeout": {"type": "integer", "minimum": 1}, "resultVariable": text}},
            "retry": {"type": "object", "properties": {
                "max": {"type": "integer", "minimum": 0}, "backoff": {"enum": ["exponential", "linear", "fixed"]}}},
            "errorBoundary": text, "calledElement": text, "duration": text, "date": text, "cycle": text,
            "message": text, "signal": text, "throw": {"type": "boolean"},
            "nodes": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            "edges": {"type": "array", "items": {"$ref": "#/$defs/edge"}}
        }
    });
    let schema = serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A workflow in Tyer's JSON notation",
        "type": "object",
        "required": ["id", "nodes", "edges"],
        "properties": {
            "id": text, "name": text,
            "nodes": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            "edges": {"type": "array", "items": {"$ref": "#/$defs/edge"}}
        },
        "$defs": {
            "node": {"type": "object", "required": ["id", "type"], "properties": {
                "id": text, "type": {"enum": types}, "data": data}},
            "edge": {"type": "object", "required": ["id", "source", "target"], "properties": {
                "id": text, "source": text, "target": text, "condition": text, "isDefault": {"type": "boolean"}}}
        }
    });
    let fresh = serde_json::to_string_pretty(&schema).expect("a value is JSON") + "\n";
    check("workflow.schema.json", &fresh);
}

/// Whether a process with this content can be deployed, as the table says it.
fn verdict(content: &str) -> &'static str {
    let xml = format!(
        "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' xmlns:zeebe='http://camunda.org/schema/zeebe/1.0' \
         targetNamespace='t'><message id='m' name='m'/><signal id='sig' name='s'/><error id='err' errorCode='e'/>\
         <escalation id='esc' escalationCode='e'/><process id='called'><startEvent id='c'/></process>\
         <process id='p' isExecutable='true'>{content}</process></definitions>"
    );
    let errors: Vec<_> = match import(xml.as_bytes()) {
        Ok(_) => return "executes",
        Err(problems) => {
            problems.0.into_iter().filter(|problem| problem.severity == Severity::Error).collect()
        }
    };
    let not_yet = |code: Code| matches!(code, Code::ElementNotExecutable | Code::ExtensionNotSupported);
    if errors.iter().all(|problem| not_yet(problem.code)) { "not yet" } else { "no BPMN" }
}

/// A node `n` between start and end.
fn between(node: &str) -> String {
    format!(
        "<startEvent id='s'/><endEvent id='e'/>{node}<sequenceFlow id='f' sourceRef='s' targetRef='n'/>\
         <sequenceFlow id='g' sourceRef='n' targetRef='e'/>"
    )
}

const JOB: &str = "<extensionElements><zeebe:taskDefinition type='t'/></extensionElements>";

#[test]
fn the_table_of_elements_is_fresh() {
    let mut table = String::from(
        "# Elements\n\nWhat of BPMN 2.0 is executed. Everything else is refused at deployment, by name, id and line. \
         Generated by deploying each of them.\n\n| element | |\n|---|---|\n",
    );
    for (name, node) in activities() {
        writeln!(table, "| {name} | {} |", verdict(&between(&node))).expect("strings take everything");
    }
    table += "| boundary event | see below |\n| lanes, pools, groups, annotations, data stores | kept and ignored |\n";
    table += "\n## Events\n\n| trigger | start | catch | throw | boundary | boundary, goes on | end |\n|---|---|---|---|---|---|---|\n";
    for (name, trigger) in triggers() {
        let cells: Vec<_> = positions(trigger).iter().map(|content| verdict(content)).collect();
        writeln!(table, "| {name} | {} |", cells.join(" | ")).expect("strings take everything");
    }
    check("elements.md", &table);
}

fn activities() -> Vec<(&'static str, String)> {
    let task = |name: &str, content: &str| format!("<{name} id='n'>{content}</{name}>");
    let expression = |name: &str, text: &str| format!("<{name}>{text}</{name}>");
    let loops = format!(
        "<multiInstanceLoopCharacteristics>{}</multiInstanceLoopCharacteristics>",
        expression("loopCardinality", "3")
    );
    vec![
        ("task without type", task("task", "")),
        ("manual task", task("manualTask", "")),
        ("service task (job)", task("serviceTask", JOB)),
        ("send task (job)", task("sendTask", JOB)),
        ("script task (job)", task("scriptTask", JOB)),
        ("business rule task (job)", task("businessRuleTask", JOB)),
        ("user task", task("userTask", "")),
        ("receive task", "<receiveTask id='n' messageRef='m'/>".to_owned()),
        ("script task (own script)", task("scriptTask", "<script>1</script>")),
        ("call activity", "<callActivity id='n' calledElement='called'/>".to_owned()),
        ("sub-process", task("subProcess", "<startEvent id='i'/>")),
        ("transaction", task("transaction", "<startEvent id='i'/>")),
        ("ad-hoc sub-process", task("adHocSubProcess", "<task id='i'/>")),
        ("multi-instance", task("task", &loops)),
        ("standard loop", task("task", "<standardLoopCharacteristics/>")),
        ("exclusive gateway", task("exclusiveGateway", "")),
        ("parallel gateway", task("parallelGateway", "")),
        ("inclusive gateway", task("inclusiveGateway", "")),
        ("complex gateway", task("complexGateway", "")),
    ]
}

fn triggers() -> Vec<(&'static str, &'static str)> {
    vec![
        ("none", ""),
        ("message", "<messageEventDefinition messageRef='m'/>"),
        ("timer", "<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>"),
        ("error", "<errorEventDefinition errorRef='err'/>"),
        ("escalation", "<escalationEventDefinition escalationRef='esc'/>"),
        ("cancel", "<cancelEventDefinition/>"),
        ("compensation", "<compensateEventDefinition/>"),
        ("conditional", "<conditionalEventDefinition><condition>a</condition></conditionalEventDefinition>"),
        ("link", "<linkEventDefinition name='l'/>"),
        ("signal", "<signalEventDefinition signalRef='sig'/>"),
        ("terminate", "<terminateEventDefinition/>"),
    ]
}

/// The same trigger in every position, with what each position needs to be BPMN.
fn positions(trigger: &str) -> [String; 6] {
    let (link, cancel) = (trigger.contains("link"), trigger.contains("cancel"));
    let flow = |id: &str, from: &str, to: &str| {
        format!("<sequenceFlow id='{id}' sourceRef='{from}' targetRef='{to}'/>")
    };
    let ends = "<startEvent id='s'/><endEvent id='e'/>";
    let (into, out) = (flow("f", "s", "n"), flow("g", "n", "e"));
    let catch = format!("{ends}<intermediateCatchEvent id='n'>{trigger}</intermediateCatchEvent>{out}");
    let throw = format!("{ends}<intermediateThrowEvent id='n'>{trigger}</intermediateThrowEvent>{into}");
    let boundary = |attributes: &str| {
        let host =
            if cancel { "<transaction id='n'><startEvent id='i'/></transaction>" } else { "<task id='n'/>" };
        let event = format!("<boundaryEvent id='b' attachedToRef='n' {attributes}>{trigger}</boundaryEvent>");
        let out = if trigger.contains("compensate") {
            "<task id='h' isForCompensation='true'/><association id='a' sourceRef='b' targetRef='h'/>"
                .to_owned()
        } else {
            flow("h", "b", "e")
        };
        between(host) + &event + &out
    };
    let end = format!("<startEvent id='s'/><endEvent id='e'>{trigger}</endEvent>{}", flow("x", "s", "e"));
    let in_transaction =
        format!("<startEvent id='t0'/><transaction id='t'>{end}</transaction>{}", flow("y", "t0", "t"));
    [
        format!("<startEvent id='s'>{trigger}</startEvent>"),
        if link { catch } else { catch + &into },
        if link { throw } else { throw + &out },
        boundary(""),
        boundary("cancelActivity='false'"),
        if cancel { in_transaction } else { end },
    ]
}
