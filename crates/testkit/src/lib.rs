//! Transcripts: tests of processes that everybody can read, and a clock that stands still.
//!
//! A transcript is a text: a diagram in arrows, then commands after `>`, each with the engine's answer below it,
//! indented. [`check`] plays it and compares; with `UPDATE=1` in the environment, [`check_file`] writes the answers.
//!
//! ```
//! tyer_testkit::check(r#"
//! process order
//!   start                      -> charge
//!   charge  : job charge-card  -> big
//!   big     : exclusive        -> approve if amount > 1000, end else
//!   approve : user             -> end
//!
//! > start {"amount": 1200}
//!   instance of order started
//!   amount = 1200
//!   token 1 passed start, entered charge, ready for job charge-card (job 2)
//! > complete charge {"paid": true}
//!   job 2 completed by worker
//!   paid = true
//!   token 1 left charge, passed big, entered approve, waits for a person (task 3)
//! > complete approve by anna
//!   task 3 completed by anna
//!   token 1 left approve, ended at end
//!   instance completed
//! "#);
//! ```
//!
//! Who tests the engine of a program, with its own workers, uses [`FakeWorker`] and [`assert_story`].
//!
//! The language of diagrams and commands is described in `conformance/README.md`; the transcripts beside it document
//! what every element does.
//!
//! **Invariant:** after every line, folding the history gives the state, and the named invariants hold.

mod ask;
mod diagram;
#[cfg(feature = "stages")]
mod fake;
mod line;
mod play;
mod rest;
mod role;
mod script;
mod stage;
#[cfg(feature = "stages")]
mod story;
mod tell;
mod transcript;
pub mod world;

use std::path::Path;

pub use diagram::{Diagram, Misread};
#[cfg(feature = "stages")]
pub use fake::FakeWorker;
pub use play::Broken;
pub use script::Script;
pub use stage::{Bare, Page, Published, Refusal, Stage};
#[cfg(feature = "stages")]
pub use stage::{Embedded, Habit, Open};
#[cfg(feature = "stages")]
pub use story::{assert_story, story};
pub use transcript::{Subject, Transcript};
#[cfg(feature = "stages")]
pub use tyer_runtime::TestClock;
pub use tyer_store::{audit, invariants};

/// Plays a transcript on the bare engine, and on the runtime in memory if the feature `stages` is on.
///
/// # Panics
/// If it cannot be read, a promise is broken, or an answer is another than the one written.
pub fn check(text: &str) {
    let outcome =
        Script::read(text.trim_start_matches('\n'), Path::new(".")).and_then(|script| check_script(&script));
    if let Err(what) = outcome {
        panic!("{what}");
    }
}

/// Plays the transcript in a file as [`check`] does. With `UPDATE=1` in the environment, the answers of the bare engine
/// are written into the file first.
///
/// # Panics
/// If it cannot be read, a promise is broken, or an answer is another than the one written.
pub fn check_file(path: impl AsRef<Path>) {
    let path = path.as_ref();
    if let Err(what) = update(path).and_then(|script| check_script(&script)) {
        panic!("{}: {what}", path.display());
    }
}

/// Reads a transcript; with `UPDATE=1`, writes the answers of the bare engine into the file.
///
/// # Errors
/// What cannot be read or written, or what is broken.
pub fn update(path: &Path) -> Result<Script, String> {
    let script = Script::open(path)?;
    if std::env::var("UPDATE").is_ok_and(|said| said == "1") {
        let played = script.play(&mut script.bare()).map_err(|broken| broken.to_string())?;
        if played != script.text {
            replace(path, &played).map_err(|error| error.to_string())?;
            return Script::open(path);
        }
    }
    Ok(script)
}

/// Whole or not at all: several tests may read and write the same transcript at once.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let beside = path.with_extension(format!("{:?}.new", std::thread::current().id()));
    std::fs::write(&beside, text)?;
    std::fs::rename(&beside, path)
}

fn check_script(script: &Script) -> Result<(), String> {
    script.compare(&mut script.bare())?;
    #[cfg(feature = "stages")]
    {
        let memory = Embedded::memory(&script.bpmn);
        script.compare(&mut memory.map_err(|refusal| refusal.to_string())?)?;
    }
    Ok(())
}
