//! Runs that were recorded on another engine: the same actions, the same open activities, the same history.
//!
//! **Invariant:** the next action is chosen by the recorder's own rule, on what our engine offers; the recorded one must be the
//! same.
//! **Invariant:** continuations that only the recorder's engine has (`async:`) are skipped, and what lies between them is not
//! compared.

mod activities;
mod compare;
mod drive;
mod explained;
mod model;
mod run;
mod trace;

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use tyer_model::Process;

use crate::report::Report;
use compare::Difference;
use model::Model;

/// Runs every recorded run of the folder.
pub(super) fn run(dir: &Path, report: &mut Report) -> Result<()> {
    let mut models = Models { dir: dir.join("models"), read: HashMap::new() };
    let mut causes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut headings: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut agreed, mut explained, mut all) = (0_u32, 0_u32, 0_u32);
    for trace in trace::read_all(dir)? {
        all += 1;
        let name = trace.name();
        let model = models.get(&trace.model)?;
        let others = models.called_by(&model, &trace.model)?;
        let found = catch_unwind(AssertUnwindSafe(|| run::compare(&trace, &model, &others)));
        let difference = found.unwrap_or_else(|_| Some(Difference::crash()));
        let Some(difference) = difference else {
            agreed += 1;
            report.pass(&name);
            continue;
        };
        if let Some(heading) = explained::reason(&difference, &model) {
            explained += 1;
            report.explain(&name, heading);
            headings.entry(heading).and_modify(|runs| *runs += 1).or_insert(1_u32);
        } else {
            report.fail(&name, &difference.expected, &difference.got);
            causes.entry(difference.cause).or_default().push(name);
        }
    }
    tell(report, &causes);
    for (heading, runs) in headings {
        report.note(&format!("{runs:>4} explained: {heading}"));
    }
    report.note(&format!(
        "{agreed} of {all} agree ({:.1} %), {explained} explained, {} differ",
        f64::from(agreed) * 100.0 / f64::from(all.max(1)),
        all - agreed - explained
    ));
    Ok(())
}

/// Failing runs by what went wrong first, most frequent first.
fn tell(report: &mut Report, causes: &BTreeMap<String, Vec<String>>) {
    let mut causes: Vec<_> = causes.iter().collect();
    causes.sort_by_key(|(cause, runs)| (std::cmp::Reverse(runs.len()), (*cause).clone()));
    for (cause, runs) in causes {
        report.note(&format!("{:>4} x {cause}", runs.len()));
        for run in runs.iter().take(4) {
            report.note(&format!("         {run}"));
        }
    }
}

/// Models that have been read.
struct Models {
    dir: PathBuf,
    read: HashMap<String, Arc<Model>>,
}

impl Models {
    fn get(&mut self, name: &str) -> Result<Arc<Model>> {
        if let Some(model) = self.read.get(name) {
            return Ok(Arc::clone(model));
        }
        let model = Arc::new(Model::read(&self.dir.join(name))?);
        self.read.insert(name.to_owned(), Arc::clone(&model));
        Ok(model)
    }

    /// Processes of other files of the same folder, if the model calls any.
    fn called_by(&mut self, model: &Model, name: &str) -> Result<Vec<Arc<Process>>> {
        if !model.calls() {
            return Ok(Vec::new());
        }
        let folder = Path::new(name).parent().unwrap_or(Path::new(""));
        let mut found = Vec::new();
        for path in crate::suites::files::all_files(&self.dir.join(folder))? {
            let other = path.strip_prefix(&self.dir).unwrap_or(&path).to_string_lossy().into_owned();
            if other != name
                && let Ok(processes) = &self.get(&other)?.processes
            {
                found.extend(processes.iter().cloned());
            }
        }
        Ok(found)
    }
}
