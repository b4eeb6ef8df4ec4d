//! A transcript with its processes, and where two transcripts differ.

use std::path::Path;
use std::sync::Arc;

use tyer_model::Process;

use crate::play::Broken;
use crate::stage::{Bare, Stage};
use crate::transcript::{Subject, Transcript};

/// A transcript with the processes it is about, ready to be played.
#[derive(Clone, Debug)]
pub struct Script {
    /// The text as read.
    pub text: String,
    /// The commands and their answers.
    pub transcript: Transcript,
    /// The processes, as one BPMN file.
    pub bpmn: Vec<u8>,
    /// The process that `start` begins: the first of the file.
    pub process: Arc<Process>,
    /// All processes of the file, compiled.
    pub processes: Vec<Arc<Process>>,
    /// Later versions, each as a BPMN file and compiled.
    pub later: Vec<(Vec<u8>, Vec<Arc<Process>>)>,
}

impl Script {
    /// Reads a transcript; a BPMN file that it names is looked for in `folder`.
    ///
    /// # Errors
    /// A sentence on what cannot be read.
    pub fn read(text: &str, folder: &Path) -> Result<Script, String> {
        let transcript = Transcript::parse(text).map_err(|misread| misread.to_string())?;
        let (bpmn, later) = match transcript.subject() {
            Subject::Drawn(diagram) => (diagram.to_bpmn().into_bytes(), diagram.later_versions()),
            Subject::File(name) => {
                let path = folder.join(name);
                (std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?, &[][..])
            }
        };
        let processes = compiled(&bpmn)?;
        let process = Arc::clone(processes.first().ok_or("the file has no executable process")?);
        let later = later.iter().map(|bpmn| Ok((bpmn.clone().into_bytes(), compiled(bpmn.as_bytes())?)));
        let later = later.collect::<Result<_, String>>()?;
        Ok(Script { text: text.to_owned(), transcript, bpmn, process, processes, later })
    }

    /// Reads a transcript from a file.
    ///
    /// # Errors
    /// A sentence on what cannot be read.
    pub fn open(path: &Path) -> Result<Script, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        Script::read(&text, path.parent().unwrap_or(Path::new(".")))
    }

    /// A stage of the bare engine for it.
    pub fn bare(&self) -> Bare {
        Bare::new(&self.processes)
    }

    /// Plays it on a stage: the text with the answers of that stage.
    ///
    /// # Errors
    /// If a promise of the engine is broken.
    pub fn play(&self, stage: &mut dyn Stage) -> Result<String, Broken> {
        self.transcript.play(self, stage)
    }

    /// Plays it on a stage and compares.
    ///
    /// # Errors
    /// What is broken, or where the answers differ.
    pub fn compare(&self, stage: &mut dyn Stage) -> Result<(), String> {
        let played = self.play(stage).map_err(|broken| broken.to_string())?;
        let hint = |differs| format!("{differs}(UPDATE=1 writes the answers of the engine)\n");
        difference(&self.text, &played).map_or(Ok(()), |differs| Err(hint(differs)))
    }
}

fn compiled(bpmn: &[u8]) -> Result<Vec<Arc<Process>>, String> {
    let imported = tyer_model::import(bpmn).map_err(|problems| problems.to_string())?;
    Ok(imported.processes.into_iter().map(Arc::new).collect())
}

/// Where two texts differ, line by line; none when they are equal.
pub(crate) fn difference(expected: &str, got: &str) -> Option<String> {
    if expected == got {
        return None;
    }
    let (expected, got): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), got.lines().collect());
    let before = expected.iter().zip(&got).take_while(|(one, other)| one == other).count();
    let rest = expected.len().min(got.len()) - before;
    let endings = expected.iter().rev().zip(got.iter().rev());
    let after = endings.take_while(|(one, other)| one == other).count().min(rest);
    let mut told = format!("the answers differ at line {}:\n", before + 1);
    let context = expected[..before].iter().skip(before.saturating_sub(4));
    told.extend(context.map(|line| format!("    {line}\n")));
    told.extend(expected[before..expected.len() - after].iter().map(|line| format!("  - {line}\n")));
    told.extend(got[before..got.len() - after].iter().map(|line| format!("  + {line}\n")));
    Some(told)
}
