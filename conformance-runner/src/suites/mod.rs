//! The suites by name. A new one is a file beside this one and a line in the table.
//!
//! **Invariant:** a suite reads its cases from the folder it is given; none of its files are copied into this repository.

mod betsy;
mod betsy_constraints;
mod bpmnspector;
mod c7;
mod feelin;
mod files;
mod import;
mod inventory;
mod jobs;
mod miwg;
mod miwg_run;
mod tck;

use crate::report::Report;
use anyhow::{Result, bail};
use std::path::Path;

/// Reads the cases in the folder, runs each, and tells the report. An error means that the suite itself could not go
/// on (its files are missing or not as expected), not that a case failed.
pub type Suite = fn(dir: &Path, report: &mut Report) -> Result<()>;

/// Name → suite.
const SUITES: &[(&str, Suite)] = &[
    ("betsy", betsy::run),
    ("betsy-by-the-letter", betsy::run_by_the_letter),
    ("betsy-constraints", betsy_constraints::run),
    ("bpmnspector", bpmnspector::run),
    ("c7", c7::run),
    ("feelin", feelin::run),
    ("import", import::run),
    ("miwg", miwg::run),
    ("miwg-run", miwg_run::run),
    ("tck", tck::run),
];

/// The suite called `name`.
pub fn find(name: &str) -> Result<Suite> {
    match SUITES.iter().find(|(known, _)| *known == name) {
        Some((_, suite)) => Ok(*suite),
        None => bail!("there is no suite `{name}`; {}", known()),
    }
}

/// The known names, in one sentence.
pub fn known() -> String {
    let names: Vec<&str> = SUITES.iter().map(|(name, _)| *name).collect();
    if names.is_empty() {
        "no suite is known yet".to_owned()
    } else {
        format!("known suites: {}", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_suite_is_refused_with_the_known_names() {
        let error = find("no such suite").expect_err("there is no such suite").to_string();
        assert_eq!(error, format!("there is no suite `no such suite`; {}", known()));
    }

    #[test]
    fn every_name_stands_once() {
        let mut names: Vec<&str> = SUITES.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SUITES.len());
    }
}
