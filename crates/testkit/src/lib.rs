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
//! # The diagram
//!
//! `process <id>`, then one line per node: `<id> : <what> -> <where to>`. `#` begins a comment.
//!
//! | written | BPMN |
//! |---|---|
//! | `start`, `end`, `a : start`, `b : end` | start event, end event; an arrow to `end` draws it |
//! | `a : pass` | a task without work |
//! | `a : job charge retries 3 backoff fixed PT10S` | a service task; also `linear PT1S PT30S`, `exponential PT1S PT30S` |
//! | `a : user assignee anna candidates "bob, carl" groups sales due … priority 75 form f` | a user task; everything may be left out |
//! | `a : exclusive -> b if amount > 100, c else` | an exclusive gateway; conditions in FEEL, `else` is the default flow |
//! | `a : parallel -> b, c` | a parallel gateway |
//! | `a : timer PT5S`, `a : timer until 2030-01-31T12:00:00Z`, `a : timer =pause` | a timer catch event |
//!
//! Any of them may be `named "Charge the card"`. Values that begin with `=` are expressions; quotes hold blanks
//! together. A flow is called `<source>-<target>`. Instead of a diagram, `bpmn order.bpmn` names a file beside the
//! transcript.
//!
//! # The commands
//!
//! | command | what it does |
//! |---|---|
//! | `start {"json": 1}` | begins the instance |
//! | `complete work by anna {"json": 1}` | completes the job or task at a node; `work#3` when several tokens wait there; also `job 4`, `task 4` |
//! | `fail work "why" retries 2 backoff PT5S` | a worker could not do it; the model decides what is left out |
//! | `claim work` | a worker takes the job and holds it for five minutes |
//! | `again` | the last result once more |
//! | `advance PT5S` | time passes, and what is due fires in due order; a token that made room goes on once |
//! | `fire 4` | the moment of a timer is said to have come |
//! | `pause "why"`, `resume`, `cancel "why"` | of the instance |
//! | `resolve work`, `resolve incident 4` | an incident has been dealt with |
//! | `show` | the instance as it stands |
//!
//! Moments are told from the beginning of the transcript (`+5s`), which is 2030-01-01T00:00:00Z.
//!
//! **Invariant:** after every line, folding the history gives the state, and the named invariants hold.

mod diagram;
mod invariants;
mod line;
mod play;
mod script;
mod stage;
mod tell;
mod transcript;

use std::path::Path;
use std::sync::Arc;

pub use diagram::{Diagram, Misread};
pub use invariants::invariants;
pub use play::Broken;
pub use script::Script;
pub use stage::{Bare, Embedded, Habit, Open, Page, Refusal, Stage};
pub use transcript::{Subject, Transcript};
pub use tyer_runtime::TestClock;

/// Plays a transcript on the bare engine and on the runtime in memory.
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

/// Plays the transcript in a file on the bare engine and on the runtime in memory. With `UPDATE=1` in the
/// environment, the answers of the bare engine are written into the file first.
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
        let played =
            script.play(&mut Bare::new(Arc::clone(&script.process))).map_err(|broken| broken.to_string())?;
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
    script.compare(&mut Bare::new(Arc::clone(&script.process)))?;
    let memory = Embedded::memory(&script.process.id, &script.bpmn);
    script.compare(&mut memory.map_err(|refusal| refusal.to_string())?)
}
