//! What the engine executes and the runtime cannot deliver yet: refused at the door, because a token would wait for ever.

use tyer_engine::{Timestamp, start_triggers};
use tyer_model::{Code, Definitions, Imported, NodeKind, Problem, Severity, Throw};

/// Every element of the file that speaks to other instances, or begins one by itself.
pub(crate) fn problems(definitions: &Definitions, imported: &Imported) -> Vec<Problem> {
    let mut problems = Vec::new();
    for process in &imported.processes {
        let begins = start_triggers(process, Timestamp(0)).unwrap_or_default();
        for (ix, node) in process.nodes() {
            let what = if begins.iter().any(|trigger| trigger.node == ix) {
                Some("begins instances by itself")
            } else {
                speaks(&node.kind)
            };
            problems.extend(what.map(|what| problem(definitions, &node.id, what)));
        }
    }
    problems
}

fn speaks(kind: &NodeKind) -> Option<&'static str> {
    let said = |thrown: &Throw| match thrown {
        Throw::Message(_) => Some("sends a message"),
        Throw::Signal(_) => Some("sends a signal"),
        Throw::Job(_)
        | Throw::Error(_)
        | Throw::Escalation(_)
        | Throw::Cancel
        | Throw::Compensation { .. }
        | Throw::Terminate => None,
    };
    if let NodeKind::Call(_) = kind {
        Some("calls another process")
    } else if let NodeKind::Send(_) = kind {
        Some("sends a message")
    } else if let NodeKind::Throw(throws) | NodeKind::End(throws) = kind {
        throws.iter().find_map(said)
    } else {
        None
    }
}

fn problem(definitions: &Definitions, id: &str, what: &str) -> Problem {
    let found = definitions.elements().find(|(element, _)| element.attribute("id") == Some(id));
    let (line, column) = found.map_or((0, 0), |(element, _)| {
        let position = element.position();
        (position.line, position.column)
    });
    Problem {
        severity: Severity::Error,
        code: Code::ElementNotExecutable,
        element: Some(id.to_owned()),
        line,
        column,
        message: format!("`{id}` {what}, which the engine does and the runtime does not deliver yet"),
        hint: "let a worker do it: give it a job type".to_owned(),
    }
}
