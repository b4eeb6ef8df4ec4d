//! The saga matrix: every transcript model that can undo something × a failure at every node × a crash at every write ×
//! every handler done twice.
//!
//! Models are found by what they compile to. What happens is written by nobody: it is judged by rules (`rules.rs`).
#![cfg(feature = "stages")]
#![allow(clippy::print_stdout, reason = "the count is part of the answer")]

mod case;
mod people;
mod rules;
mod stage;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use case::{Case, Happening, Mend};
use tyer_model::{Process, SubProcessKind, Trigger};
use tyer_testkit::Script;

/// Models that are gone through at once.
const AT_A_TIME: usize = 2;

#[test]
fn every_saga_undoes_each_step_once_in_reverse_whatever_fails_and_wherever_it_dies() {
    let models = models();
    let all = std::env::var("ONLY").is_err();
    assert!(models.len() > if all { 30 } else { 0 }, "there are models with compensation under conformance/");
    let (next, count, wrong) = (AtomicUsize::new(0), AtomicU64::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((name, script)) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
            for case in Case::all_of(script) {
                let (runs, failed) = every_crash(script, &case);
                count.fetch_add(runs, Ordering::Relaxed);
                if let Some(why) = failed {
                    wrong.lock().expect("nobody panics with it").push(format!("case {name}, {case}: {why}"));
                }
            }
        }
    };
    std::thread::scope(|scope| (0..AT_A_TIME).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().expect("nobody panics with it");
    let cases = count.into_inner();
    println!("saga matrix: {} models, {cases} cases, {} wrong", models.len(), wrong.len());
    assert!(wrong.is_empty(), "{} cases do not hold\n{}", wrong.len(), wrong.join("\n"));
    assert!(cases > 1_000 || !all, "the matrix is not empty: {cases}");
}

/// Without a crash, then with one at each write, before and after it is written. The first that does not hold is told.
fn every_crash(script: &Script, case: &Case) -> (u64, Option<String>) {
    let writes = match stage::run(script, case, None) {
        Ok(writes) => writes,
        Err(why) => return (1, Some(why)),
    };
    let mut runs = 1;
    for at in 0..writes {
        // Both sides of every write where work fails; elsewhere one, in turn, for the time it takes.
        let both = case.happening == Happening::Fails && !case.worker_dies && !case.all_held;
        let sides: &[bool] = if both { &[false, true] } else { &[at % 2 == 0] };
        for &written in sides {
            runs += 1;
            if let Err(why) = stage::run(script, case, Some((at, written))) {
                let side = if written { "after" } else { "before" };
                return (runs, Some(format!("dead {side} write {at} of {writes}: {why}")));
            }
        }
    }
    (runs, None)
}

/// Transcripts whose processes can undo something, each model once.
fn models() -> Vec<(String, Script)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut models: Vec<(String, Script)> = Vec::new();
    for path in transcripts(&root) {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        let script = Script::open(&path).unwrap_or_else(|why| panic!("{name}: {why}"));
        let is_new = models.iter().all(|(_, known)| known.bpmn != script.bpmn);
        if is_new && name.contains(&only) && script.processes.iter().any(|process| can_undo(process)) {
            models.push((name, script));
        }
    }
    models
}

fn can_undo(process: &Process) -> bool {
    process.nodes().any(|(_, node)| {
        let catches = node.body().is_some_and(|body| {
            body.events.iter().any(|event| is_compensation_event_sub_process(process, *event))
        });
        node.handler.is_some() || catches
    })
}

fn is_compensation_event_sub_process(process: &Process, node: tyer_model::NodeIx) -> bool {
    let tyer_model::NodeKind::SubProcess(sub) = &process.node(node).kind else { return false };
    let SubProcessKind::Event { start, .. } = &sub.kind else { return false };
    let tyer_model::NodeKind::Start(triggers) = &process.node(*start).kind else { return false };
    triggers.any.iter().any(|trigger| matches!(trigger, Trigger::Compensation))
}

fn transcripts(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("conformance/ stands at the root of the workspace");
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.expect("a folder can be read").path();
        if path.is_dir() {
            files.extend(transcripts(&path));
        } else if path.extension().is_some_and(|extension| extension == "txt") {
            files.push(path);
        }
    }
    files.sort();
    files
}
