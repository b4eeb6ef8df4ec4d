//! Every transcript under `conformance/` on every stage: the same text from each.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tyer_testkit::{Bare, Embedded, Script, Stage, update};

#[test]
fn every_transcript_holds_on_the_bare_engine() {
    on_each(|script, _| Ok(Box::new(Bare::new(Arc::clone(&script.process)))));
}

#[test]
fn every_transcript_holds_in_memory() {
    on_each(|script, _| boxed(Embedded::memory(&script.process.id, &script.bpmn)));
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use super::{boxed, on_each};
    use tyer_runtime::Engine;
    use tyer_testkit::{Embedded, Habit, Open, Script, Stage};

    #[test]
    fn every_transcript_holds_on_sqlite_closed_after_every_line() {
        on_each(|script, name| on_file(script, &format!("close-{name}"), Habit::Close));
    }

    #[test]
    fn every_transcript_holds_on_sqlite_dropped_after_every_line() {
        on_each(|script, name| on_file(script, &format!("drop-{name}"), Habit::Drop));
    }

    fn on_file(script: &Script, name: &str, habit: Habit) -> Result<Box<dyn Stage>, String> {
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
        }
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let file = folder.join("tyer.db");
        let open: Open = Box::new(move |clock| {
            let file = file.clone();
            Box::pin(async move { Engine::builder().clock(&clock).open(&file).await })
        });
        boxed(Embedded::new(&script.process.id, &script.bpmn, 1, habit, open))
    }
}

fn boxed(stage: Result<Embedded, tyer_testkit::Refusal>) -> Result<Box<dyn Stage>, String> {
    match stage {
        Ok(stage) => Ok(Box::new(stage)),
        Err(refusal) => Err(refusal.to_string()),
    }
}

/// Plays every transcript on a stage of its own, and names all that differ at once.
fn on_each(stage: impl Fn(&Script, &str) -> Result<Box<dyn Stage>, String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let only = std::env::var("ONLY").unwrap_or_default();
    let files: Vec<PathBuf> =
        transcripts(&root).into_iter().filter(|path| path.to_string_lossy().contains(&only)).collect();
    assert!(!files.is_empty(), "there are transcripts under conformance/ that match `{only}`");
    let mut wrong = Vec::new();
    for path in &files {
        let name = path.strip_prefix(&root).unwrap_or(path).display().to_string();
        let played = update(path).and_then(|script| {
            let mut stage = stage(&script, &name.replace(['/', '.'], "-"))?;
            script.compare(&mut *stage)
        });
        if let Err(what) = played {
            wrong.push(format!("{name}: {what}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} transcripts do not hold\n\n{}",
        wrong.len(),
        files.len(),
        wrong.join("\n")
    );
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
