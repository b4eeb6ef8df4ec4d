//! The net: what is run on a copy with a mistake in it, until something notices.
//!
//! **Invariant:** what does not build is an error, never a find.
//! **Invariant:** a part has a say only if it is content with the copy without a mistake.
//! **Invariant:** what hangs, or takes all memory, was noticed: nobody would release it.

use super::ledger::Ledger;
use super::patch::Patch;
use super::scratch::Scratch;
use anyhow::{Context, Result, bail};
use std::fmt;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What became of a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Something noticed.
    Found {
        /// What, and the first that it said.
        by: String,
    },
    /// Nothing noticed.
    Missed,
}

impl Verdict {
    pub(super) fn read(text: &str) -> Verdict {
        match text.strip_prefix("found by ") {
            Some(by) => Verdict::Found { by: by.to_owned() },
            None => Verdict::Missed,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Found { by } => write!(formatter, "found by {by}"),
            Verdict::Missed => write!(formatter, "MISSED"),
        }
    }
}

/// One part of the net.
pub(super) struct Part {
    pub(super) name: &'static str,
    /// Arguments of cargo that build it.
    build: &'static [&'static str],
    /// Arguments of the program.
    run: &'static [&'static str],
    /// What takes more time of the processor than this goes in circles, however busy the machine is.
    processor_seconds: u32,
    /// When it does not end by itself: has it found something then, or run long enough?
    seconds: u64,
    endless: bool,
}

const BARE: &[&str] =
    &["test", "--no-run", "-p", "tyer-testkit", "--no-default-features", "--test", "conformance"];
const STAGES: &[&str] = &[
    "test",
    "--no-run",
    "-p",
    "tyer-testkit",
    "--no-default-features",
    "--features",
    "stages",
    "--test",
    "conformance",
];
const MATRIX: &[&str] = &[
    "test",
    "--no-run",
    "-p",
    "tyer-testkit",
    "--no-default-features",
    "--features",
    "stages",
    "--test",
    "saga_matrix",
];
const CONTRACT: &[&str] = &["test", "--no-run", "-p", "tyer-store", "--test", "contract"];
const SIM: &[&str] = &["test", "--no-run", "-p", "tyer-sim", "--bin", "tyer-sim"];

/// From the quickest to the slowest; the simulation has a minute in all.
pub(super) const NET: [Part; 6] = [
    Part {
        name: "transcripts on the bare engine",
        build: BARE,
        run: &["bare_engine"],
        processor_seconds: 60,
        seconds: 1_200,
        endless: false,
    },
    Part {
        name: "transcripts in memory",
        build: STAGES,
        run: &["in_memory"],
        processor_seconds: 240,
        seconds: 1_200,
        endless: false,
    },
    Part {
        name: "the contract of the store",
        build: CONTRACT,
        run: &["memory::"],
        processor_seconds: 60,
        seconds: 600,
        endless: false,
    },
    Part {
        name: "the saga matrix",
        build: MATRIX,
        run: &[],
        processor_seconds: 300,
        seconds: 1_200,
        endless: false,
    },
    Part {
        name: "the simulation",
        build: SIM,
        run: &["--seeds", "0..1000000", "--failures", "1"],
        processor_seconds: 120,
        seconds: 40,
        endless: true,
    },
    Part {
        name: "the simulation on a failing store",
        build: SIM,
        run: &["--store", "--seeds", "0..1000000", "--failures", "1"],
        processor_seconds: 120,
        seconds: 20,
        endless: true,
    },
];

/// More than any part needs.
const MEMORY_KB: &str = "4000000";

/// Lets a part look at a mistake. One that complains about the copy as it is has no say.
pub(super) fn look(scratch: &Scratch, ledger: &mut Ledger, patch: &Patch, part: &Part) -> Result<Verdict> {
    let (seen, overlooked) = (patch.seen_by(part.name), patch.overlooked_by(part.name)?);
    let known = ledger.known(&seen).filter(|verdict| *verdict != Verdict::Missed);
    if let Some(verdict) = known.or_else(|| ledger.known(&overlooked)) {
        return Ok(verdict);
    }
    if !is_content(scratch, ledger, part)? {
        return Ok(Verdict::Missed);
    }
    let (kept, verdict) = match scratch.with(patch, || complaint_of(scratch, part))? {
        Some(said) => (seen, Verdict::Found { by: format!("{}: {said}", part.name) }),
        None => (overlooked, Verdict::Missed),
    };
    ledger.keep(&kept, &verdict)?;
    Ok(verdict)
}

/// Has the part nothing to say when nothing is planted?
fn is_content(scratch: &Scratch, ledger: &mut Ledger, part: &Part) -> Result<bool> {
    let nothing = Patch::nothing(part.name)?;
    let verdict = match ledger.known(&nothing) {
        Some(verdict) => verdict,
        None => {
            println!("({} without a mistake)", part.name);
            let verdict = match complaint_of(scratch, part)? {
                Some(by) => Verdict::Found { by },
                None => Verdict::Missed,
            };
            ledger.keep(&nothing, &verdict)?;
            if let Verdict::Found { by } = &verdict {
                println!("({} is left out: it complains although nothing is planted: {by})", part.name);
            }
            verdict
        }
    };
    Ok(verdict == Verdict::Missed)
}

/// Builds and runs a part on the copy as it stands.
fn complaint_of(scratch: &Scratch, part: &Part) -> Result<Option<String>> {
    let program = build(scratch, part)?;
    let limits =
        format!("ulimit -v {MEMORY_KB} && ulimit -t {} && exec nice -n 10 \"$@\"", part.processor_seconds);
    let mut command = Command::new("sh");
    command.args(["-c", &limits, "sh", &program]);
    command.args(part.run).current_dir(scratch.tree()).env_remove("UPDATE").env_remove("ONLY");
    run(&mut command, part)
}

/// Builds a part; gives back the path of its program.
fn build(scratch: &Scratch, part: &Part) -> Result<String> {
    let is_program = part.build.contains(&"--bin");
    let mut cargo = scratch.cargo();
    if is_program {
        cargo.args(["build", "-p", "tyer-sim"]);
    } else {
        cargo.args(part.build);
    }
    let output = cargo.output().context("cannot start cargo")?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("{} cannot be built:\n{said}", part.name);
    }
    if is_program {
        let program = scratch.folder().join("target/debug/tyer-sim");
        return Ok(program.to_string_lossy().into_owned());
    }
    let executable = said.lines().find_map(|line| line.trim().strip_prefix("Executable "));
    let path = executable.and_then(|line| line.split_once('(')).and_then(|(_, rest)| rest.strip_suffix(')'));
    let path =
        path.with_context(|| format!("cargo did not say where the program of {} is:\n{said}", part.name))?;
    Ok(scratch.tree().join(path).to_string_lossy().into_owned())
}

/// What the part complains about; none if it is content.
fn run(command: &mut Command, part: &Part) -> Result<Option<String>> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let reader = read_in_background(&mut child)?;
    let until = Instant::now() + Duration::from_secs(part.seconds);
    loop {
        if let Some(status) = child.try_wait()? {
            let said = reader.join().unwrap_or_default();
            let circles = || "it took too long, or too much memory".to_owned();
            let complaint = || if status.code().is_none() { circles() } else { complaint(&said) };
            return Ok((!status.success()).then(complaint));
        }
        if Instant::now() >= until {
            child.kill().context("cannot end a part of the net")?;
            child.wait()?;
            return Ok((!part.endless).then(|| format!("it did not end in {} s", part.seconds)));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn read_in_background(child: &mut Child) -> Result<std::thread::JoinHandle<String>> {
    let mut output = child.stdout.take().context("a piped standard output is always there")?;
    Ok(std::thread::spawn(move || {
        let mut said = Vec::new();
        // A program that is killed in the middle of a line has said enough.
        let _ = output.read_to_end(&mut said);
        String::from_utf8_lossy(&said).into_owned()
    }))
}

/// The line that says most: how many transcripts do not hold, or the seed.
fn complaint(said: &str) -> String {
    let telling =
        |line: &&str| line.starts_with("seed ") || line.contains("do not hold") || line.contains("case");
    let line = said.lines().find(telling).or_else(|| said.lines().find(|line| line.contains("panicked")));
    let words: String = line.unwrap_or("it ended badly").chars().take(110).collect();
    words.replace('\t', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_read_as_it_was_written() {
        let found = Verdict::Found { by: "the simulation: seed 7: it hangs".to_owned() };
        assert_eq!(Verdict::read(&found.to_string()), found);
        assert_eq!(Verdict::read(&Verdict::Missed.to_string()), Verdict::Missed);
    }

    #[test]
    fn what_hangs_was_noticed_and_what_runs_for_ever_without_a_complaint_was_not() {
        let part = |endless| Part {
            name: "a sleeper",
            build: &[],
            run: &[],
            processor_seconds: 60,
            seconds: 0,
            endless,
        };
        let sleeper = || {
            let mut command = Command::new("sh");
            command.args(["-c", "exec sleep 60"]);
            command
        };
        assert!(run(&mut sleeper(), &part(false)).expect("sh is there").is_some());
        assert!(run(&mut sleeper(), &part(true)).expect("sh is there").is_none());
    }
}
