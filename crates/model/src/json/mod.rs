//! The JSON notation: `{"id","name","nodes":[…],"edges":[…]}`, translated to BPMN and then read like any other file.
//!
//! **Invariant:** what the notation says and BPMN can say means the same; there is one importer.
//! **Invariant:** problems name the node or edge and its place in the JSON text.

mod notation;
mod trigger;
mod work;
mod write;

use std::collections::HashMap;

use crate::code::Code;
use crate::definitions::Definitions;
use crate::import::Imported;
use crate::problem::{Problem, Problems, Severity};
pub use notation::NODE_TYPES;
use notation::Workflow;

/// The longest workflow that is read.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// Compiles a workflow in the JSON notation.
///
/// # Errors
/// All problems of the workflow, if one of them is an error.
///
/// ```
/// let json = br#"{"id": "hello",
///   "nodes": [{"id": "a", "type": "startProcess"}, {"id": "b", "type": "endProcess"}],
///   "edges": [{"id": "f", "source": "a", "target": "b"}]}"#;
/// assert_eq!(tyer_model::import_json(json)?.processes[0].id, "hello");
/// # Ok::<(), tyer_model::Problems>(())
/// ```
pub fn import_json(json: &[u8]) -> Result<Imported, Problems> {
    let text = std::str::from_utf8(json).map_err(|_| malformed("it is not UTF-8".to_owned(), 1, 1))?;
    let placed = |problems: Vec<Problem>| Places::of(text).apply(problems, text);
    let definitions = Definitions::from_json(json)?;
    match definitions.compile() {
        Ok(Imported { processes, warnings }) => Ok(Imported { processes, warnings: placed(warnings) }),
        Err(problems) => Err(Problems(placed(problems.0))),
    }
}

impl Definitions {
    /// Translates a workflow in the JSON notation to BPMN.
    ///
    /// # Errors
    /// If it is not JSON, or not a workflow.
    pub fn from_json(json: &[u8]) -> Result<Definitions, Problems> {
        if json.len() > MOST_BYTES {
            return Err(malformed(
                format!("it has {} bytes; at most {MOST_BYTES} are read", json.len()),
                1,
                1,
            ));
        }
        let workflow: Workflow = serde_json::from_slice(json).map_err(|error| {
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default().to_owned();
            malformed(message, line_of(error.line()), line_of(error.column()))
        })?;
        let text = String::from_utf8_lossy(json);
        let wrong = workflow.graph.problems();
        if !wrong.is_empty() {
            return Err(Problems(Places::of(&text).apply(wrong, &text)));
        }
        Definitions::read(write::bpmn(&workflow).as_bytes())
    }
}

fn line_of(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX).max(1)
}

fn malformed(message: String, line: u32, column: u32) -> Problems {
    let (severity, code) = (Severity::Error, Code::JsonMalformed);
    Problems(vec![Problem {
        severity,
        code,
        element: None,
        line,
        column,
        message,
        hint: code.hint().to_owned(),
    }])
}

/// Where the nodes and edges of a JSON text say their ids.
struct Places(HashMap<String, usize>);

impl Places {
    fn of(text: &str) -> Places {
        let mut places = HashMap::new();
        for (offset, key) in text.match_indices("\"id\"") {
            let value = text[offset + key.len()..].trim_start().strip_prefix(':').map(str::trim_start);
            let id = value
                .and_then(|value| serde_json::Deserializer::from_str(value).into_iter::<String>().next());
            if let Some(Ok(id)) = id {
                places.entry(id).or_insert(offset);
            }
        }
        Places(places)
    }

    /// Moves problems from their place in the BPMN nobody sees to the node or edge in the JSON text.
    fn apply(&self, problems: Vec<Problem>, text: &str) -> Vec<Problem> {
        let place = |mut problem: Problem| {
            let offset = problem.element.as_ref().and_then(|id| self.0.get(id));
            let before = &text[..offset.copied().unwrap_or(0)];
            problem.line = line_of(before.matches('\n').count() + 1);
            problem.column = line_of(before.rsplit('\n').next().unwrap_or_default().chars().count() + 1);
            problem
        };
        problems.into_iter().map(place).collect()
    }
}
