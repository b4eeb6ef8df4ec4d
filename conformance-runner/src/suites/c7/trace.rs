//! What was recorded: one run of one model, action by action.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::value::RawValue;
use tyer_engine::Variables;

use crate::suites::files::read;

/// One recorded run.
#[derive(Deserialize)]
pub(super) struct Trace {
    /// The file, below the folder of models.
    pub(super) model: String,
    /// The id of the process.
    pub(super) process: String,
    pub(super) mode: Mode,
    variables: Box<RawValue>,
    /// `complete:task`, `timer:event`, …
    pub(super) actions: Vec<String>,
    /// Where the run stood after the start and after each action.
    pub(super) open_after_each: Vec<Vec<String>>,
    /// `id#type#outcome` and how often.
    pub(super) history: BTreeMap<String, u32>,
}

/// Which of the possible actions comes first.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Mode {
    TasksFirst,
    EventsFirst,
}

/// The recorder stopped after so many actions.
const MOST_ACTIONS: usize = 25;

impl Trace {
    pub(super) fn name(&self) -> String {
        let mode = match self.mode {
            Mode::TasksFirst => "tasks first",
            Mode::EventsFirst => "events first",
        };
        format!("{} ({mode})", self.model)
    }

    pub(super) fn variables(&self) -> Result<Variables> {
        Variables::parse(self.variables.get()).context("start variables are an object")
    }

    /// Did the recorder stop because it had nothing more to do?
    pub(super) fn is_whole(&self) -> bool {
        self.actions.len() < MOST_ACTIONS
    }
}

/// All recorded runs of the suite.
pub(super) fn read_all(dir: &Path) -> Result<Vec<Trace>> {
    let bytes = read(&dir.join("traces.jsonl"))?;
    let text = std::str::from_utf8(&bytes).context("traces.jsonl is not UTF-8")?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).with_context(|| format!("line {} of traces.jsonl", at + 1))
        })
        .collect()
}
