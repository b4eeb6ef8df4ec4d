//! betsy's processes: each case is run with its input until its time is up, and the trace its scripts leave is compared.
//!
//! **Invariant:** traces are compared as the suite itself does it: sorted.
//! **Invariant:** what is not BPMN in the suite's files (pseudo-scripts, conditions) is mapped here and nowhere else.

mod errata;
mod errors;
mod script;
mod stage;
mod translate;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use serde::Deserialize;
use tyer_model::{Process, Severity, import};

use super::files::read;
use crate::report::Report;
use stage::Stage;

/// A process of the suite.
#[derive(Deserialize)]
struct Expected {
    name: String,
    file: String,
    cases: Vec<Case>,
}

/// One way to run it.
#[derive(Deserialize)]
struct Case {
    input: Option<String>,
    trace: Vec<String>,
    delay_ms: i64,
    #[serde(rename = "integerVariable")]
    integer: i64,
    #[serde(rename = "parallelProcess")]
    parallel: bool,
}

/// How the suite's files are read where they say something else than the suite expects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As the suite means them.
    AsMeant,
    /// As BPMN says.
    ByTheLetter,
}

/// Runs every case as the suite means it.
pub(super) fn run(dir: &Path, report: &mut Report) -> Result<()> {
    run_all(dir, Reading::AsMeant, report)
}

/// Runs every case as it is written: some expectations contradict BPMN, and fail.
pub(super) fn run_by_the_letter(dir: &Path, report: &mut Report) -> Result<()> {
    run_all(dir, Reading::ByTheLetter, report)
}

fn run_all(dir: &Path, reading: Reading, report: &mut Report) -> Result<()> {
    let list = read(&dir.join("expectations.json"))?;
    let list: Vec<Expected> =
        serde_json::from_slice(&list).context("expectations.json is not as expected")?;
    for expected in list {
        let xml = read(&dir.join(&expected.file))?;
        let xml = String::from_utf8(xml).with_context(|| format!("{} is not UTF-8", expected.file))?;
        let (xml, reasons) = match reading {
            Reading::AsMeant => errata::correct(&expected.name, &xml),
            Reading::ByTheLetter => (xml, Vec::new()),
        };
        for reason in reasons {
            report.note(&format!("read as it is meant: {}: {reason}", expected.name));
        }
        let imported = import(translate::translate(&xml).as_bytes());
        let processes = imported.map(|imported| imported.processes.into_iter().map(Arc::new).collect());
        let processes: Result<Vec<Arc<Process>>, String> = processes.map_err(|problems| {
            let errors = problems.0.iter().filter(|problem| problem.severity == Severity::Error);
            errors.map(|problem| format!("\n{problem}")).collect()
        });
        for case in &expected.cases {
            judge(&expected.name, case, &processes, report);
        }
    }
    Ok(())
}

fn judge(name: &str, case: &Case, processes: &Result<Vec<Arc<Process>>, String>, report: &mut Report) {
    let label = match (&case.input, case.integer) {
        (Some(input), _) => format!("{name} with {input}"),
        (None, 0) => name.to_owned(),
        (None, integer) => format!("{name} with {integer}"),
    };
    let (mut got, notes) = match processes {
        Ok(processes) => Stage::run(name, case, processes),
        Err(problems) => (vec!["ERROR_deployment".to_owned()], problems.clone()),
    };
    let mut expected = case.trace.clone();
    expected.sort();
    got.sort();
    if is_met(&expected, &got) {
        report.pass(&label);
    } else {
        report.fail(&label, &format!("{expected:?}"), &format!("{got:?}{notes}"));
    }
}

/// `ERROR` alone is met by any error at all, as long as nothing was done. A model that is refused does not fail later.
fn is_met(expected: &[String], got: &[String]) -> bool {
    if matches!(expected, [only] if only == "ERROR" || only == "ERROR_generic") {
        return !got.is_empty() && got.iter().all(|line| line.starts_with("ERROR"));
    }
    let refused = |lines: &[String]| matches!(lines, [only] if REFUSALS.contains(&only.as_str()));
    expected == got || refused(expected) && refused(got)
}

/// An error that is found when the model is deployed, when it runs, or when it is stopped: it is not run to its end.
const REFUSALS: [&str; 3] = ["ERROR_deployment", "ERROR_runtime", "ERROR_processAborted"];

#[cfg(test)]
mod tests {
    use super::*;

    fn case(input: &str, trace: &[&str]) -> Case {
        let trace = trace.iter().map(|line| (*line).to_owned()).collect();
        Case { input: Some(input.to_owned()), trace, delay_ms: 25_000, integer: 0, parallel: false }
    }

    /// What a process leaves; its expressions and scripts are the suite's.
    fn trace_of(inside: &str, case: &Case) -> Vec<String> {
        let xml = format!(
            r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
            <escalation id="esc" name="esc" escalationCode="esc"/><process id="p" isExecutable="true">{inside}</process></definitions>"#
        );
        let imported = import(translate::translate(&xml).as_bytes()).expect("the model is good");
        let processes: Vec<Arc<Process>> = imported.processes.into_iter().map(Arc::new).collect();
        let (mut trace, _) = Stage::run("p", case, &processes);
        trace.sort();
        trace
    }

    #[test]
    fn a_process_that_waits_for_a_condition_begins_when_it_holds() {
        let inside = r#"<startEvent id="s"><conditionalEventDefinition id="c">
              <condition xsi:type="tFormalExpression">test.contains("a")</condition>
            </conditionalEventDefinition></startEvent>
            <sequenceFlow id="f" sourceRef="s" targetRef="t"/><scriptTask id="t"><script>SCRIPT_task1</script></scriptTask>
            <sequenceFlow id="g" sourceRef="t" targetRef="e"/><endEvent id="e"/>"#;
        assert_eq!(trace_of(inside, &case("a", &[])), ["SCRIPT_task1"]);
        assert!(trace_of(inside, &case("b", &[])).is_empty());
    }

    #[test]
    fn an_escalation_that_nobody_hears_is_told_to_those_who_ask() {
        let inside = r#"<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="e"/>
            <endEvent id="e"><escalationEventDefinition id="d" escalationRef="esc"/></endEvent>"#;
        assert!(trace_of(inside, &case("", &[])).is_empty());
        assert_eq!(
            trace_of(inside, &case("", &["ERROR_thrownEscalationEvent"])),
            ["ERROR_thrownEscalationEvent"]
        );
    }

    #[test]
    fn a_refusal_is_met_by_a_refusal_and_any_error_by_every_error() {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        assert!(is_met(&lines(&["ERROR"]), &lines(&["ERROR_deployment"])));
        assert!(!is_met(&lines(&["ERROR"]), &lines(&["ERROR_runtime", "SCRIPT_task1"])));
        assert!(!is_met(&lines(&["ERROR"]), &[]));
        assert!(is_met(&lines(&["ERROR_runtime"]), &lines(&["ERROR_deployment"])));
        assert!(!is_met(&lines(&["ERROR_thrownErrorEvent"]), &lines(&["ERROR_runtime"])));
    }
}
