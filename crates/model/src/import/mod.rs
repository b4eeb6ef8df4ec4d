//! BPMN 2.0 XML to executable processes, or everything that stands in the way.
//!
//! **Invariant:** a file is either refused with at least one error, or every process it calls executable is compiled.
//! **Invariant:** nothing that changes what happens is skipped silently.

mod body;
mod call;
mod context;
mod data;
mod event;
mod expression;
mod extension;
mod flows;
mod http;
mod job;
mod mapping;
mod message;
mod node;
mod own;
mod process;
mod repeat;
mod rules;
mod sub_process;
mod task;
mod timer;
mod user;

pub use extension::{ExtensionUse, Fate};
use tyer_xml::Element;

use crate::code::Code;
use crate::definitions::Definitions;
use crate::namespace::{BPMN, bpmn_children};
use crate::problem::{Problem, Problems};
use crate::process::Process;
use crate::report::{Report, Strictness, label};

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
    Definitions::read(xml)?.compile()
}

impl Definitions {
    /// Compiles the executable processes.
    ///
    /// # Errors
    /// All problems of the file, if one of them is an error.
    pub fn compile(&self) -> Result<Imported, Problems> {
        let mut report = Report::new(Strictness::Deployment);
        self.check_into(&mut report, &|_| None);
        let chosen = executable(self.root(), &mut report);
        for shared in self.root().children().filter(|child| is_shared(*child)) {
            extension::check(shared, &mut report);
        }
        let processes: Vec<_> =
            chosen.into_iter().filter_map(|element| process::compile(self, element, &mut report)).collect();
        let refused = report.has_errors();
        let problems = report.finish();
        if refused { Err(Problems(problems)) } else { Ok(Imported { processes, warnings: problems }) }
    }
}

/// Whether a root element is something that events and calls refer to.
fn is_shared(element: Element<'_>) -> bool {
    let name = element.name();
    let is_named = matches!(name.local, "message" | "signal" | "error" | "escalation");
    let is_definition = name.local.ends_with("EventDefinition") || name.local.starts_with("global");
    name.namespace == BPMN && (is_named || is_definition)
}

/// The processes to compile. A process that says nothing is executable unless another one says that it is.
fn executable<'d>(root: Element<'d>, report: &mut Report) -> Vec<Element<'d>> {
    let says = |process: &Element<'_>| {
        process.attribute("isExecutable").map(|said| matches!(said.trim(), "true" | "1"))
    };
    let any_said = bpmn_children(root, "process").any(|process| says(&process) == Some(true));
    let mut chosen = Vec::new();
    for process in bpmn_children(root, "process") {
        let (code, fate) = match says(&process) {
            Some(true) => {
                chosen.push(process);
                continue;
            }
            Some(false) => (Code::ProcessNotExecutable, "is not executable and is left out"),
            None if any_said => {
                (Code::ExecutableNotSaid, "does not say that it is executable and is left out")
            }
            None => {
                chosen.push(process);
                (Code::ExecutableNotSaid, "does not say whether it is executable and is taken as executable")
            }
        };
        report.found(code, process, || format!("{} {fate}", label(process)));
    }
    if chosen.is_empty() {
        report.found(Code::NoExecutableProcess, root, || "file has no executable process".to_owned());
    }
    chosen
}
