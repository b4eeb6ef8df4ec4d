//! A transcript: a diagram, then commands and the engine's answers.
//!
//! **Invariant:** what is not an answer (diagram, comments, blank lines) is written back as it was read.

use crate::diagram::{Diagram, Misread};
use crate::line::Line;

/// A transcript as read from a text.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Everything before the first command.
    head: String,
    /// What runs.
    subject: Subject,
    pub(crate) entries: Vec<Entry>,
}

/// What a transcript is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A diagram in arrows.
    Drawn(Diagram),
    /// A BPMN file, named relative to the transcript.
    File(String),
}

/// One command with its answer.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) asked: String,
    pub(crate) line: Line,
    pub(crate) answer: Vec<String>,
    /// Blank lines and comments before the next command.
    after: Vec<String>,
}

impl Transcript {
    /// Reads a transcript.
    ///
    /// # Errors
    /// The first line that could not be read.
    pub fn parse(text: &str) -> Result<Transcript, Misread> {
        let commands = text.lines().position(|line| line.starts_with('>'));
        let count = commands.unwrap_or_else(|| text.lines().count());
        let head: String = text.lines().take(count).flat_map(|line| [line, "\n"]).collect();
        let mut entries: Vec<Entry> = Vec::new();
        for (number, text) in (1..).zip(text.lines()).skip(count) {
            let misread = |message| Misread { line: number, message };
            if let Some(asked) = text.strip_prefix('>') {
                let asked = asked.trim().to_owned();
                let line = Line::parse(&asked).map_err(misread)?;
                entries.push(Entry { asked, line, answer: Vec::new(), after: Vec::new() });
                continue;
            }
            let entry = entries.last_mut().expect("the first of these lines is a command");
            let is_comment = text.trim().is_empty() || text.starts_with('#');
            if !is_comment && text.starts_with("  ") && entry.after.is_empty() {
                entry.answer.push(text[2..].trim_end().to_owned());
            } else if is_comment {
                entry.after.push(text.trim_end().to_owned());
            } else {
                return Err(misread(
                    "expected a command after `>`, an indented answer or a `#` comment".to_owned(),
                ));
            }
        }
        Ok(Transcript { subject: subject(&head)?, head, entries })
    }

    /// What runs in it.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The text, with these answers in place of those that were read.
    pub(crate) fn with_answers(&self, answers: &[Vec<String>]) -> String {
        let mut text = self.head.clone();
        for (entry, answer) in self.entries.iter().zip(answers) {
            text.push_str(&format!("> {}\n", entry.asked));
            for line in answer {
                text.push_str(&format!("  {line}\n"));
            }
            for line in &entry.after {
                text.push_str(&format!("{line}\n"));
            }
        }
        text
    }
}

fn subject(head: &str) -> Result<Subject, Misread> {
    let said = head.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    match said.and_then(|line| line.strip_prefix("bpmn ")) {
        Some(path) => Ok(Subject::File(path.trim().to_owned())),
        None => Diagram::parse(head).map(Subject::Drawn),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_is_written_back_as_it_was_read() {
        let text = "# why\nprocess p\n  start -> end\n\n> start {}\n  instance completed\n\n# and then\n> state\n  done\n";
        let transcript = Transcript::parse(text).expect("a transcript");
        let answers: Vec<_> = transcript.entries.iter().map(|entry| entry.answer.clone()).collect();
        assert_eq!(transcript.with_answers(&answers), text);
    }

    #[test]
    fn a_line_that_is_nothing_is_told_with_its_number() {
        let text = "process p\n  start -> end\n> start\nwhat?\n";
        let misread = Transcript::parse(text).expect_err("the last line is nothing");
        assert_eq!(misread.line, 4);
    }
}
