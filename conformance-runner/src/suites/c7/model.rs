//! A model of the suite: its processes, and what the recorder calls each of its elements.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use tyer_model::{Process, Severity, import};
use tyer_xml::{Document, Element, Limits};

use crate::suites::files::read;

/// One file.
pub(super) struct Model {
    /// Its processes, or the codes for which it was refused.
    pub(super) processes: Result<Vec<Arc<Process>>, Refused>,
    elements: HashMap<String, Known>,
}

/// Why a file is not run.
pub(super) struct Refused {
    pub(super) codes: String,
    pub(super) messages: String,
}

/// What the file says of an element.
#[derive(Clone, Debug, Default)]
struct Known {
    kind: String,
    waits_for_message: bool,
    external: bool,
    expression: Option<String>,
    undoes: bool,
    counted: bool,
}

impl Model {
    pub(super) fn read(path: &Path) -> Result<Model> {
        let bytes = read(path)?;
        let processes = import(&bytes)
            .map(|imported| imported.processes.into_iter().map(Arc::new).collect())
            .map_err(|problems| {
                let errors = problems.0.iter().filter(|problem| problem.severity == Severity::Error);
                let mut codes: Vec<&str> = errors.clone().map(|problem| problem.code.name()).collect();
                codes.sort_unstable();
                codes.dedup();
                let messages: Vec<String> = errors.map(ToString::to_string).collect();
                Refused { codes: codes.join(", "), messages: messages.join("\n") }
            });
        let mut elements = HashMap::new();
        if let Ok(document) = Document::parse(&bytes, &Limits::default()) {
            for element in document.root().subtree() {
                if let Some(id) = element.attribute("id") {
                    elements.insert(id.to_owned(), known(element));
                }
            }
        }
        Ok(Model { processes, elements })
    }

    /// The recorder's name for the type of an element.
    pub(super) fn kind(&self, id: &str) -> &str {
        self.elements.get(id).map_or("", |known| known.kind.as_str())
    }

    /// Does a receive task name a message?
    pub(super) fn waits_for_message(&self, id: &str) -> bool {
        self.elements.get(id).is_none_or(|known| known.waits_for_message)
    }

    /// Is the work of an element done by a worker outside, which the recorder did not have?
    pub(super) fn is_external(&self, id: &str) -> bool {
        self.elements.get(id).is_some_and(|known| known.external)
    }

    /// Does it call other processes?
    pub(super) fn calls(&self) -> bool {
        self.elements.values().any(|known| known.kind == "callActivity")
    }

    /// Is it a compensation handler, or inside of one?
    pub(super) fn undoes(&self, id: &str) -> bool {
        self.elements.get(id).is_some_and(|known| known.undoes)
    }

    /// Is it an event whose timer says how often it repeats?
    pub(super) fn is_counted(&self, id: &str) -> bool {
        self.elements.get(id).is_some_and(|known| known.counted)
    }

    /// The expression that does the work of an element.
    pub(super) fn expression(&self, id: &str) -> Option<&str> {
        self.elements.get(id)?.expression.as_deref()
    }
}

fn known(element: Element<'_>) -> Known {
    let foreign = |name: &str| {
        let mut attributes = element.attributes().filter(|attribute| !attribute.name.namespace.is_empty());
        attributes.find(|attribute| attribute.name.local == name).map(|attribute| attribute.value.to_string())
    };
    Known {
        kind: kind(element),
        waits_for_message: element.local_name() != "receiveTask" || element.attribute("messageRef").is_some(),
        external: foreign("type").is_some_and(|kind| kind == "external"),
        expression: foreign("expression"),
        undoes: is_in_handler(element),
        counted: is_counted(element),
    }
}

fn is_in_handler(element: Element<'_>) -> bool {
    let mut around = Some(element);
    while let Some(here) = around {
        if here.attribute("isForCompensation") == Some("true") {
            return true;
        }
        around = here.parent();
    }
    false
}

fn is_counted(event: Element<'_>) -> bool {
    let mut cycles = event.subtree().filter(|inner| inner.local_name() == "timeCycle");
    cycles.any(|cycle| {
        let written = cycle.text();
        let times = written.trim().strip_prefix('R').unwrap_or_default().to_owned();
        times.starts_with(|first: char| first.is_ascii_digit())
    })
}

fn kind(element: Element<'_>) -> String {
    let name = element.local_name();
    let definition = element.children().find_map(|child| child.local_name().strip_suffix("EventDefinition"));
    let kind = match (name, definition) {
        ("startEvent", Some("timer")) => "startTimerEvent".to_owned(),
        ("startEvent", Some(of)) => format!("{of}StartEvent"),
        ("endEvent", None) => "noneEndEvent".to_owned(),
        ("endEvent", Some("message")) if !is_work(element) => "endEvent".to_owned(),
        ("endEvent", Some("compensate")) => "compensationEndEvent".to_owned(),
        ("endEvent", Some(of)) => format!("{of}EndEvent"),
        ("boundaryEvent", Some("cancel")) => "cancelBoundaryCatch".to_owned(),
        ("boundaryEvent", Some(of)) => format!("boundary{}", capital(of)),
        ("intermediateCatchEvent", Some("timer")) => "intermediateTimer".to_owned(),
        ("intermediateCatchEvent", Some("conditional")) => "intermediateConditional".to_owned(),
        ("intermediateCatchEvent", Some(of)) => format!("intermediate{}Catch", capital(of)),
        // A message that no worker sends is not sent by the recorder's engine, and told so.
        ("intermediateThrowEvent", Some("message")) if !is_work(element) => {
            "intermediateNoneThrowEvent".to_owned()
        }
        ("intermediateThrowEvent", None) => "intermediateNoneThrowEvent".to_owned(),
        ("intermediateThrowEvent", Some("signal")) => "intermediateSignalThrow".to_owned(),
        ("intermediateThrowEvent", Some("compensate")) => "intermediateCompensationThrowEvent".to_owned(),
        ("intermediateThrowEvent", Some(of)) => format!("intermediate{}ThrowEvent", capital(of)),
        _ => name.to_owned(),
    };
    kind.replace("compensateStartEvent", "compensationStartEvent")
}

/// Does an event say how its message is sent?
fn is_work(event: Element<'_>) -> bool {
    let says = |attribute: tyer_xml::Attribute<'_>| {
        let named = ["class", "delegateExpression", "expression", "type", "topic"];
        !attribute.name.namespace.is_empty() && named.contains(&attribute.name.local)
    };
    event.children().any(|definition| definition.attributes().any(says))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
