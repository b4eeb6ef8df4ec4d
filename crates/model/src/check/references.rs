//! References: every name must name something that is there and can stand there; no two elements share an id.

use std::collections::HashMap;

use tyer_xml::Element;

use super::view::View;
use crate::code::Code;
use crate::definitions::Definitions;
use crate::namespace::{BPMN, bpmn_children, is_mapped};
use crate::report::{Report, Strictness, label, shortened};
use crate::schema::{Family, Targets};

/// The imported files that are BPMN, by namespace.
pub(super) struct Imports {
    files: HashMap<String, Definitions>,
    /// What the prefixes of the file mean, as its outermost element declares them.
    namespaces: HashMap<String, String>,
}

impl Imports {
    pub(super) fn load(
        definitions: &Definitions,
        load: &dyn Fn(&str) -> Option<Definitions>,
        report: &mut Report,
    ) -> Imports {
        let mut files = HashMap::new();
        for import in bpmn_children(definitions.root(), "import") {
            let [Some(kind), Some(location), Some(namespace)] =
                ["importType", "location", "namespace"].map(|name| import.attribute(name))
            else {
                continue;
            };
            if kind != BPMN {
                continue;
            }
            match load(location) {
                Some(file) => drop(files.insert(namespace.to_owned(), file)),
                None => {
                    let message = || format!("imported file `{}` cannot be read", shortened(location));
                    report.found(Code::ImportMissing, import, message);
                }
            }
        }
        let declared = definitions.root().declarations();
        let namespaces =
            declared.map(|(prefix, namespace)| (prefix.to_owned(), namespace.to_owned())).collect();
        Imports { files, namespaces }
    }

    fn find(&self, reference: &str) -> Found<'_> {
        let Some((prefix, local)) = reference.split_once(':') else {
            return Found::Nothing;
        };
        let Some(namespace) = self.namespaces.get(prefix) else {
            return Found::Nothing;
        };
        match self.files.get(namespace) {
            Some(file) => file.find(local).map_or(Found::Nothing, |element| Found::In(file, element)),
            // Another file's namespace, but not one we were given: nothing can be said.
            None => Found::Elsewhere,
        }
    }
}

/// References that execution follows. An error that is not declared is known by the name it is called.
const EXECUTED: [&str; 13] = [
    "sourceRef",
    "targetRef",
    "default",
    "attachedToRef",
    "eventDefinitionRef",
    "messageRef",
    "escalationRef",
    "signalRef",
    "activityRef",
    "loopDataInputRef",
    "loopDataOutputRef",
    "oneBehaviorEventRef",
    "noneBehaviorEventRef",
];

enum Found<'f> {
    In(&'f Definitions, Element<'f>),
    Elsewhere,
    Nothing,
}

/// Ids must be unique in the file.
pub(super) fn duplicate_ids(definitions: &Definitions, report: &mut Report) {
    for (first, element) in definitions.duplicates() {
        let id = element.attribute("id").unwrap_or_default();
        let message = || format!("id `{}` is already taken by the {}", shortened(id), place(first));
        report.found(Code::DuplicateId, element, message);
    }
}

fn place(element: Element<'_>) -> String {
    format!("{} of {}", element.local_name(), element.position())
}

/// Something in an element that names another one.
pub(super) struct Reference<'d> {
    pub(super) owner: Element<'d>,
    pub(super) name: &'d str,
    pub(super) targets: &'d Targets,
    /// What stands there.
    pub(super) written: &'d str,
    /// What it names, if that is in the file.
    pub(super) target: Option<Element<'d>>,
}

impl Reference<'_> {
    /// It must name something that is there and can stand there.
    pub(super) fn check(&self, view: &View<'_>, imports: &Imports, report: &mut Report) {
        let written = self.written.trim();
        if self.targets.names.is_empty() {
            return;
        }
        let (definitions, target) = match self.target {
            Some(target) => (view.definitions, target),
            None => match imports.find(written) {
                Found::In(definitions, target) => (definitions, target),
                Found::Elsewhere => return,
                Found::Nothing if self.may_be_elsewhere(report) => return,
                Found::Nothing if self.is_name(view) && report.strictness() == Strictness::Deployment => {
                    let message =
                        || format!("{} of {} is `{}`", self.name, label(self.owner), shortened(written));
                    return report.found(Code::TriggerNotDefined, self.owner, message);
                }
                Found::Nothing => {
                    return self.report(Code::ReferenceUnknown, written, "which is not there", report);
                }
            },
        };
        if definitions.kind(target).is_some_and(|kind| self.targets.kinds.contains(kind)) {
            return self.check_called(target, report);
        }
        let is_flow = matches!(self.owner.local_name(), "sequenceFlow" | "messageFlow");
        let code = if is_flow && definitions.is_a(target, &[Family::Artifact]) {
            Code::ArtifactInFlow
        } else {
            Code::ReferenceWrongType
        };
        let targets = self.targets.names.replace('|', " or ");
        self.report(code, written, &format!("a {}; expected {targets}", target.local_name()), report);
    }

    /// A called process begins without waiting for anything.
    fn check_called(&self, target: Element<'_>, report: &mut Report) {
        let is_trigger = |child: Element<'_>| {
            child.local_name().ends_with("EventDefinition") || child.local_name() == "eventDefinitionRef"
        };
        if self.name != "calledElement" {
            return;
        }
        let mut starts = bpmn_children(target, "startEvent").peekable();
        if starts.peek().is_some() && starts.all(|start| start.children().any(is_trigger)) {
            let message =
                || format!("{} calls {}, which starts only by triggers", label(self.owner), label(target));
            report.found(Code::CalledProcessStart, self.owner, message);
        }
    }

    /// A call activity may call what another file has deployed.
    fn may_be_elsewhere(&self, report: &Report) -> bool {
        self.name == "calledElement" && report.strictness() == Strictness::Deployment
    }

    /// In the mapped dialects, a message, signal, error or escalation that is defined nowhere is known by what is written.
    fn is_name(&self, view: &View<'_>) -> bool {
        let is_trigger = matches!(self.name, "messageRef" | "signalRef" | "errorRef" | "escalationRef");
        is_trigger && is_mapped(view.definitions.root())
    }

    fn report(&self, code: Code, written: &str, what: &str, report: &mut Report) {
        let message =
            || format!("{} of {} names `{}`, {what}", self.name, label(self.owner), shortened(written));
        if report.strictness() == Strictness::Deployment && !self.changes_what_happens() {
            report.warning(code, self.owner, message(), code.hint());
        } else {
            report.found(code, self.owner, message);
        }
    }

    /// Whether execution depends on the reference; lanes, categories, services and pictures do not count.
    fn changes_what_happens(&self) -> bool {
        let is_connection =
            matches!(self.owner.local_name(), "association" | "conversationLink" | "messageFlow");
        EXECUTED.contains(&self.name) && !is_connection
    }
}
