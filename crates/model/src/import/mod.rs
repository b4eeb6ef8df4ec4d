//! BPMN 2.0 XML to executable processes, or everything that stands in the way.
//!
//! **Invariant:** a file is either refused with at least one error, or every process it calls executable is compiled.
//! **Invariant:** nothing that changes what happens is skipped silently.

mod expression;
mod extension;
mod flows;
mod job;
mod namespace;
mod node;
mod process;
mod report;
mod timer;
mod user;

use tyer_xml::{Document, Element, Limits};

use crate::problem::{Code, Problem, Problems};
use crate::process::Process;
use namespace::{BPMN, bpmn_children};
use report::Report;

/// The executable processes of a file, and what people should know of it.
#[derive(Debug)]
pub struct Imported {
    /// The processes that can be started.
    pub processes: Vec<Process>,
    /// What is odd but does not stand in the way, in document order.
    pub warnings: Vec<Problem>,
}

/// Compiles the executable processes of a BPMN 2.0 file.
///
/// # Errors
/// All problems of the file, if one of them is an error.
///
/// ```
/// let xml = br#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
///   <process id="hello" isExecutable="true">
///     <startEvent id="start"/><endEvent id="end"/>
///     <sequenceFlow id="go" sourceRef="start" targetRef="end"/>
///   </process>
/// </definitions>"#;
/// assert_eq!(tyer_model::import(xml)?.processes[0].id, "hello");
/// # Ok::<(), tyer_model::Problems>(())
/// ```
pub fn import(xml: &[u8]) -> Result<Imported, Problems> {
    let document = Document::parse(xml, &Limits::default()).map_err(report::malformed)?;
    let root = document.root();
    let mut report = Report::new();
    if !root.is(BPMN, "definitions") {
        let found = root.name();
        let message = format!(
            "outermost element is `{}` of namespace {:?}",
            found.local, found.namespace
        );
        report.error(Code::NotBpmn, root, message, "expected `definitions` of BPMN 2.0");
        return report.finish(Vec::new());
    }
    duplicate_ids(root, &mut report);
    let processes = executable(root, &mut report)
        .into_iter()
        .filter_map(|element| process::compile(element, &mut report))
        .collect();
    report.finish(processes)
}

fn duplicate_ids(root: Element<'_>, report: &mut Report) {
    let mut seen = std::collections::HashMap::new();
    for element in root.subtree().filter(|element| element.name().namespace == BPMN) {
        let Some(id) = element.attribute("id") else {
            continue;
        };
        let Some(first) = seen.insert(id, element) else {
            continue;
        };
        let message = format!(
            "id `{id}` is already taken by the {} of {}",
            first.local_name(),
            first.position()
        );
        report.error(
            Code::DuplicateId,
            element,
            message,
            "give each element an id of its own",
        );
    }
}

/// The processes to compile. A process that says nothing is executable unless another one says that it is.
fn executable<'d>(root: Element<'d>, report: &mut Report) -> Vec<Element<'d>> {
    let processes: Vec<_> = bpmn_children(root, "process").collect();
    let says = |process: &Element<'_>| {
        process
            .attribute("isExecutable")
            .map(|said| matches!(said.trim(), "true" | "1"))
    };
    let any_said = processes.iter().any(|process| says(process) == Some(true));
    let mut chosen = Vec::new();
    for process in processes {
        let name = report::label(process);
        match says(&process) {
            Some(true) => chosen.push(process),
            Some(false) => report.warning(
                Code::ProcessNotExecutable,
                process,
                format!("{name} is not executable and left out"),
                "set isExecutable=\"true\" to run it",
            ),
            None if any_said => report.warning(
                Code::ExecutableNotSaid,
                process,
                format!("{name} does not say that it is executable and is left out"),
                "set isExecutable=\"true\" to run it",
            ),
            None => {
                report.warning(
                    Code::ExecutableNotSaid,
                    process,
                    format!("{name} does not say whether it is executable and is taken as executable"),
                    "set isExecutable=\"true\"",
                );
                chosen.push(process);
            }
        }
    }
    if chosen.is_empty() {
        report.error(
            Code::NoExecutableProcess,
            root,
            "file has no executable process".to_owned(),
            "set isExecutable=\"true\" on the process to run",
        );
    }
    chosen
}
