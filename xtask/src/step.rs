//! One announced and timed step of a longer command.
//!
//! **Invariant:** a step's output reaches the terminal while it runs, not after it.
//! **Invariant:** a failed step does not hide the next one's findings: it is remembered, and named at the end.

use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The steps done so far, and how each ended.
#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<Done>,
}

struct Done {
    name: &'static str,
    took: Duration,
    problem: Option<String>,
}

impl Steps {
    /// Announces `name`, does the work, and says how long it took. `None`: it failed.
    pub(crate) fn run<T>(&mut self, name: &'static str, work: impl FnOnce() -> Result<T>) -> Option<T> {
        println!("==> {name}");
        let start = Instant::now();
        let result = work();
        let took = start.elapsed();
        let (value, problem) = match result {
            Ok(value) => (Some(value), None),
            Err(error) => (None, Some(format!("{error:#}"))),
        };
        match &problem {
            None => println!("    {name}: {:.1} s", took.as_secs_f64()),
            Some(problem) => println!("    {name}: FAILED after {:.1} s: {problem}", took.as_secs_f64()),
        }
        self.done.push(Done { name, took, problem });
        value
    }

    /// Prints one line for each step; true when all of them succeeded.
    pub(crate) fn summarise(&self) -> bool {
        println!();
        for Done { name, took, problem } in &self.done {
            let outcome = problem.as_deref().map_or("ok", |_| "FAILED");
            println!("{outcome:>7}  {:>7.1} s  {name}", took.as_secs_f64());
        }
        self.done.iter().all(|done| done.problem.is_none())
    }
}

/// Runs a program with the terminal as its own; a bad end is an error.
pub(crate) fn check(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", shown(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    Ok(())
}

/// Like [`check`], but each line of the program's standard output goes to `on_line` as soon as it comes.
///
/// A process that the program left behind keeps its output open: once the program has ended, silence ends the wait.
pub(crate) fn check_lines(command: &mut Command, mut on_line: impl FnMut(&[u8])) -> Result<()> {
    const SILENCE: Duration = Duration::from_millis(300);
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {}", shown(command)))?;
    let lines = lines_of(child.stdout.take().context("a piped standard output is always there")?);
    loop {
        match lines.recv_timeout(SILENCE) {
            Ok(line) => on_line(&line),
            Err(RecvTimeoutError::Timeout) if child.try_wait()?.is_none() => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    Ok(())
}

/// Bytes, not `lines()`: a test may print what is no UTF-8, and that must not end the run.
fn lines_of(output: ChildStdout) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(output);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            if sender.send(std::mem::take(&mut line)).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Runs a program silently; what it said is part of the error if it ends badly. Answers with its standard output.
pub(crate) fn quiet(command: &mut Command) -> Result<String> {
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {}", shown(command)))?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!("{} ended with {}: {} {said}", shown(command), output.status, complaint.trim());
    }
    Ok(said)
}

/// The command as one would type it: the program without its folder, and its arguments.
fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program()).to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    let words: Vec<String> = std::iter::once(name).chain(arguments).collect();
    format!("`{}`", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_is_remembered_and_the_next_one_still_runs() {
        let mut steps = Steps::default();
        assert_eq!(steps.run("one that fails", || -> Result<u8> { bail!("as planned") }), None);
        assert_eq!(steps.run("one that works", || Ok(7)), Some(7));
        assert!(!steps.summarise());
    }

    fn lines_of_script(script: &str) -> (Vec<Vec<u8>>, Result<()>) {
        let mut lines = Vec::new();
        let result = check_lines(Command::new("sh").args(["-c", script]), |line| lines.push(line.to_vec()));
        (lines, result)
    }

    #[test]
    fn every_line_comes_even_when_the_program_fails_and_prints_no_utf8() {
        let (lines, result) = lines_of_script(r"printf 'a\n\377\nb'; exit 3");
        assert_eq!(lines, [&b"a\n"[..], &b"\xff\n"[..], &b"b"[..]]);
        assert!(result.is_err_and(|error| error.to_string().contains("exit status: 3")));
    }

    #[test]
    fn a_process_left_behind_does_not_hold_up_the_run() {
        let start = Instant::now();
        let (lines, result) = lines_of_script("sleep 60 & echo $!");
        assert!(result.is_ok() && start.elapsed() < Duration::from_secs(30));
        let left_behind = String::from_utf8_lossy(&lines[0]).trim().to_owned();
        quiet(Command::new("sh").args(["-c", "kill $0", &left_behind]))
            .expect("it was left behind, and runs");
    }

    #[test]
    fn a_quiet_program_says_in_its_error_what_it_complained_about() {
        let error = quiet(Command::new("sh").args(["-c", "echo no room >&2; exit 1"]));
        assert!(error.is_err_and(|error| error.to_string().contains("no room")));
    }
}
