//! Small diagrams, and what they become: one file per family of elements.

mod calls;
mod events;
mod mappings;
mod own;
mod repeats;
mod scopes;
mod tasks;

use tyer_feel::Expression;
use tyer_model::{Code, Imported, Node, NodeIx, Problem, Problems, Process, Text, import};

const HEAD: &str = "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' \
    xmlns:zeebe='http://camunda.org/schema/zeebe/1.0' xmlns:tyer='urn:tyer:bpmn:1'>";
const MAPPED_HEAD: &str = "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' \
    xmlns:camunda='http://camunda.org/schema/1.0/bpmn' xmlns:flowable='http://flowable.org/bpmn'>";

/// Root elements and the content of a process.
fn read(head: &str, roots: &str, content: &str) -> Result<Imported, Problems> {
    let process = format!("<process id='p' isExecutable='true'>{content}</process>");
    import(format!("{head}{roots}{process}</definitions>").as_bytes())
}

/// A compiled process, with its warnings.
struct Compiled(Imported);

impl Compiled {
    fn process(&self) -> &Process {
        &self.0.processes[0]
    }

    fn ix(&self, id: &str) -> NodeIx {
        self.process().find_node(id).unwrap_or_else(|| panic!("{id} is compiled"))
    }

    fn node(&self, id: &str) -> &Node {
        self.process().node(self.ix(id))
    }

    fn warnings(&self) -> Vec<Code> {
        self.0.warnings.iter().map(|warning| warning.code).collect()
    }
}

fn compiled(outcome: Result<Imported, Problems>) -> Compiled {
    Compiled(outcome.unwrap_or_else(|problems| panic!("{problems}")))
}

/// Root elements and the content of a process, in plain BPMN, `zeebe:` and `tyer:`.
fn compile(roots: &str, content: &str) -> Compiled {
    compiled(read(HEAD, roots, content))
}

/// The same in the mapped dialects.
fn compile_mapped(roots: &str, content: &str) -> Compiled {
    compiled(read(MAPPED_HEAD, roots, content))
}

/// The node `n` between a start and an end.
fn between(node: &str) -> String {
    format!(
        "<startEvent id='s'/><endEvent id='e'/>{node}
         <sequenceFlow id='f1' sourceRef='s' targetRef='n'/><sequenceFlow id='f2' sourceRef='n' targetRef='e'/>"
    )
}

/// The errors for which a process is refused.
fn errors(outcome: Result<Imported, Problems>) -> Vec<Code> {
    let is_error = |problem: &Problem| problem.severity == tyer_model::Severity::Error;
    let problems = outcome.err().map(|problems| problems.0).unwrap_or_default();
    problems.into_iter().filter(is_error).map(|problem| problem.code).collect()
}

/// A text as people read it: expressions begin with `=`.
fn shown(text: &Text) -> String {
    match text {
        Text::Literal(written) => written.to_string(),
        Text::Expression(expression) => format!("={}", expression.text()),
    }
}

fn written(expression: Option<&Expression>) -> Option<&str> {
    expression.map(Expression::text)
}
