//! What becomes of extensions, found out by writing each into a file.

use std::fmt::Write;

use tyer_model::{Definitions, Fate};

/// Vocabularies with the elements and attributes that models use.
const VOCABULARIES: &[(&str, &str, &[&str], &[&str])] = &[
    (
        "tyer",
        "urn:tyer:bpmn:1",
        &["job", "http", "input"],
        &[
            "mergeMode",
            "saga",
            "sagaInFlight",
            "onFailure",
            "catchFailure",
            "branchScope",
            "masked",
            "indexed",
            "versionTag",
            "errorCodeVariable",
            "errorMessageVariable",
            "escalationCodeVariable",
        ],
    ),
    (
        "zeebe",
        "http://camunda.org/schema/zeebe/1.0",
        &[
            "taskDefinition",
            "taskHeaders",
            "ioMapping",
            "subscription",
            "publishMessage",
            "loopCharacteristics",
            "calledElement",
            "calledDecision",
            "script",
            "userTask",
            "assignmentDefinition",
            "taskSchedule",
            "priorityDefinition",
            "formDefinition",
            "userTaskForm",
            "adHoc",
            "conditionalFilter",
            "versionTag",
            "jobPriorityDefinition",
            "properties",
            "executionListeners",
            "taskListeners",
            "linkedResources",
            "agentDefinition",
        ],
        &["modelerTemplate"],
    ),
    (
        "camunda",
        "http://camunda.org/schema/1.0/bpmn",
        &[
            "inputOutput",
            "in",
            "out",
            "connector",
            "failedJobRetryTimeCycle",
            "formData",
            "properties",
            "field",
            "executionListener",
            "taskListener",
            "errorEventDefinition",
        ],
        &[
            "topic",
            "class",
            "delegateExpression",
            "expression",
            "type",
            "resultVariable",
            "assignee",
            "candidateUsers",
            "candidateGroups",
            "dueDate",
            "priority",
            "formKey",
            "formRef",
            "decisionRef",
            "decisionRefBinding",
            "decisionRefVersion",
            "mapDecisionResult",
            "collection",
            "elementVariable",
            "calledElementBinding",
            "calledElementVersion",
            "calledElementVersionTag",
            "errorCodeVariable",
            "errorMessageVariable",
            "escalationCodeVariable",
            "variableName",
            "jobPriority",
            "versionTag",
            "asyncBefore",
            "asyncAfter",
            "exclusive",
            "historyTimeToLive",
            "followUpDate",
            "initiator",
            "variableEvents",
        ],
    ),
];

/// One table per vocabulary.
pub(super) fn tables() -> String {
    let mut tables = String::new();
    for (prefix, namespace, elements, attributes) in VOCABULARIES {
        write!(tables, "\n### `{prefix}:`\n\n| extension | |\n|---|---|\n").expect("strings take everything");
        for name in *elements {
            let content = format!("<extensionElements><{prefix}:{name}/></extensionElements>");
            let fate = fate(prefix, namespace, "", &content);
            writeln!(tables, "| `<{prefix}:{name}>` | {fate} |").expect("strings take everything");
        }
        for name in *attributes {
            let fate = fate(prefix, namespace, &format!("{prefix}:{name}='x'"), "");
            writeln!(tables, "| `{prefix}:{name}=\"…\"` | {fate} |").expect("strings take everything");
        }
    }
    tables
}

fn fate(prefix: &str, namespace: &str, attribute: &str, content: &str) -> &'static str {
    let xml = format!(
        "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' xmlns:{prefix}='{namespace}'>\
         <process id='p'><task id='t' {attribute}>{content}</task></process></definitions>"
    );
    let definitions = Definitions::read(xml.as_bytes()).expect("it is BPMN");
    match definitions.extensions()[..] {
        [ref one] => match one.fate {
            Fate::Understood => "executed",
            Fate::Mapped => "mapped",
            Fate::Ignored => "ignored",
            Fate::Refused => "refused",
        },
        ref others => panic!("one extension, not {others:?}"),
    }
}
