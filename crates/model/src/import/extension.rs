//! Extensions of other vocabularies: which are understood, mapped, ignored or refused.
//!
//! **Invariant:** an extension that would change what happens is understood, mapped, refused, or at least warned about.

use serde::Serialize;
use tyer_xml::{Element, Name};

use super::own;
use crate::code::Code;
use crate::definitions::Definitions;
use crate::namespace::{BPMN, MAPPED, TYER, ZEEBE, extensions};
use crate::report::{Report, label};

/// What becomes of an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It is executed as it is meant.
    Understood,
    /// It is executed as the closest thing there is.
    Mapped,
    /// Nothing depends on it, or nobody here knows it.
    Ignored,
    /// The diagram is refused for it.
    Refused,
}

/// One extension in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExtensionUse {
    /// The id of the element that has it.
    pub element: Option<String>,
    /// The line of that element.
    pub line: u32,
    /// Its name as written: `zeebe:taskDefinition`, or `@camunda:topic` for an attribute.
    pub name: String,
    /// What becomes of it.
    pub fate: Fate,
}

/// Extension elements of `tyer:` that other files of this folder read.
const OWN: [&str; 3] = ["job", "input", "http"];
/// Extension elements of `zeebe:` that other files of this folder read.
const NATIVE: [&str; 18] = [
    "taskDefinition",
    "taskHeaders",
    "assignmentDefinition",
    "taskSchedule",
    "priorityDefinition",
    "formDefinition",
    "userTask",
    "ioMapping",
    "subscription",
    "publishMessage",
    "loopCharacteristics",
    "calledElement",
    "calledDecision",
    "script",
    "adHoc",
    "conditionalFilter",
    "jobPriorityDefinition",
    "versionTag",
];
/// Extension elements of the mapped dialects that other files of this folder read.
const READ: [&str; 5] = ["failedJobRetryTimeCycle", "inputOutput", "connector", "in", "out"];
/// Extension elements that change nothing that happens: notes for people, tools and forms.
const WITHOUT_EFFECT: [&str; 8] = [
    "properties",
    "property",
    "formData",
    "formProperty",
    "userTaskForm",
    "template",
    "potentialStarter",
    "translation",
];
/// Attributes that other files of this folder read.
const READ_ATTRIBUTES: [&str; 38] = [
    "topic",
    "class",
    "delegateExpression",
    "expression",
    "type",
    "assignee",
    "candidateUsers",
    "candidateGroups",
    "dueDate",
    "priority",
    "formKey",
    "formRef",
    "resultVariable",
    "resultVariableName",
    "resource",
    "decisionRef",
    "decisionRefBinding",
    "decisionRefVersion",
    "decisionRefVersionTag",
    "mapDecisionResult",
    "collection",
    "elementVariable",
    "calledElementBinding",
    "calledElementVersion",
    "calledElementVersionTag",
    "inheritVariables",
    "errorCodeVariable",
    "errorMessageVariable",
    "escalationCodeVariable",
    "variableName",
    "jobPriority",
    "versionTag",
    "autoStoreVariables",
    "sourceExpression",
    "source",
    "target",
    "variables",
    "businessKey",
];
/// Attributes that change nothing that happens here: every step is saved before the next one begins.
const ATTRIBUTES_WITHOUT_EFFECT: [&str; 14] = [
    "async",
    "asyncBefore",
    "asyncAfter",
    "exclusive",
    "historyTimeToLive",
    "isStartableInTasklist",
    "candidateStarterUsers",
    "candidateStarterGroups",
    "diagramRelationId",
    "modelerTemplate",
    "modelerTemplateVersion",
    "modelerTemplateIcon",
    "formRefBinding",
    "formRefVersion",
];

impl Definitions {
    /// What becomes of every extension of the file, in document order.
    pub fn extensions(&self) -> Vec<ExtensionUse> {
        let mut uses = Vec::new();
        for (element, _) in self.elements() {
            let mut tell = |name: String, fate: Fate| {
                let line = element.position().line;
                uses.push(ExtensionUse {
                    element: element.attribute("id").map(str::to_owned),
                    line,
                    name,
                    fate,
                });
            };
            for attribute in element.attributes() {
                if let Some(fate) = attribute_fate(attribute.name) {
                    tell(format!("@{}:{}", attribute.prefix, attribute.name.local), fate);
                }
            }
            for extension in extensions(element) {
                tell(
                    format!("{}:{}", extension.prefix(), extension.local_name()),
                    element_fate(extension.name()),
                );
            }
        }
        uses
    }
}

fn element_fate(name: Name<'_>) -> Fate {
    let local = &name.local;
    match name.namespace {
        TYER if OWN.contains(local) => Fate::Understood,
        ZEEBE if NATIVE.contains(local) => Fate::Understood,
        ZEEBE if WITHOUT_EFFECT.contains(local) => Fate::Ignored,
        TYER | ZEEBE => Fate::Refused,
        mapped if MAPPED.contains(&mapped) && READ.contains(local) => Fate::Mapped,
        _ => Fate::Ignored,
    }
}

/// What becomes of an attribute; `None` for BPMN's own.
fn attribute_fate(name: Name<'_>) -> Option<Fate> {
    match name.namespace {
        "" | BPMN | "http://www.w3.org/2001/XMLSchema-instance" | "http://www.w3.org/XML/1998/namespace" => {
            None
        }
        TYER if own::ATTRIBUTES.contains(&name.local) => Some(Fate::Understood),
        TYER => Some(Fate::Refused),
        namespace if MAPPED.contains(&namespace) && READ_ATTRIBUTES.contains(&name.local) => {
            Some(Fate::Mapped)
        }
        _ => Some(Fate::Ignored),
    }
}

/// Refuses extensions that would change what happens and are not executed, and warns of attributes that might.
pub(super) fn check(element: Element<'_>, report: &mut Report) {
    for extension in extensions(element) {
        let name = extension.name();
        let written = || format!("extension `{}:{}` of {}", extension.prefix(), name.local, label(element));
        match element_fate(name) {
            Fate::Refused => {
                report
                    .found(Code::ExtensionNotSupported, element, || format!("{} is not executed", written()));
            }
            Fate::Ignored if MAPPED.contains(&name.namespace) && !WITHOUT_EFFECT.contains(&name.local) => {
                report.found(Code::ExtensionIgnored, element, || format!("{} is not looked at", written()));
            }
            Fate::Understood | Fate::Mapped | Fate::Ignored => {}
        }
    }
    for attribute in element.attributes().filter(|attribute| !attribute.name.namespace.is_empty()) {
        let name = attribute.name;
        let written = || format!("attribute `{}:{}` of {}", attribute.prefix, name.local, label(element));
        let is_mapped = MAPPED.contains(&name.namespace);
        match attribute_fate(name) {
            Some(Fate::Refused) => {
                report
                    .found(Code::ExtensionNotSupported, element, || format!("{} is not executed", written()));
            }
            Some(Fate::Ignored) if is_mapped && !ATTRIBUTES_WITHOUT_EFFECT.contains(&name.local) => {
                report.found(Code::ExtensionIgnored, element, || format!("{} is not looked at", written()));
            }
            Some(Fate::Understood | Fate::Mapped | Fate::Ignored) | None => {}
        }
    }
}
