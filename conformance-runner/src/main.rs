//! `cargo xtask conformance <suite> --dir DIR [--min N]`.
//!
//! **Invariant:** a suite that found no case has not passed.
#![allow(clippy::print_stdout, reason = "the report is what this program is for")]

mod arguments;

use anyhow::{Context, Result, bail};
use arguments::{Arguments, Run};
use std::process::ExitCode;
use tyer_conformance::report::Report;
use tyer_conformance::suites::{self, Suite};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match Arguments::parse(&words).and_then(act) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("conformance: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn act(arguments: Arguments) -> Result<ExitCode> {
    match arguments {
        Arguments::List => {
            println!("{}", suites::known());
            Ok(ExitCode::SUCCESS)
        }
        Arguments::Run(run) => {
            let suite = suites::find(&run.suite)?;
            run_suite(suite, &run)
        }
    }
}

fn run_suite(suite: Suite, run: &Run) -> Result<ExitCode> {
    let dir = run.dir.as_deref().context("--dir is missing; it names the folder of the suite's files")?;
    if !dir.is_dir() {
        bail!("{} is not a folder; --dir names the folder of the suite's files", dir.display());
    }
    let mut report = Report::to(Box::new(std::io::stdout()));
    let outcome = suite(dir, &mut report);
    // The count is printed even when the suite broke off: what was found so far counts.
    println!("{}", report.summary());
    outcome.with_context(|| format!("suite `{}` broke off", run.suite))?;
    Ok(if report.is_success(run.min) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
