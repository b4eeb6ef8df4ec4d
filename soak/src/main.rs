//! `cargo xtask soak kill`: prints its counters and ends with the verdict.
#![allow(clippy::print_stdout, reason = "the counters are what this program is for")]

use std::process::ExitCode;

use tyer_soak::arguments::{Arguments, USAGE};
use tyer_soak::{binary, kill};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let arguments = match Arguments::parse(&words) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("soak: {error:#}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("soak: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let program = binary::build(binary::Profile::Release)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let report = runtime.block_on(kill::run(&program, arguments))?;
    for complaint in report.verdict.complaints.iter().take(50) {
        println!("{complaint}");
    }
    println!("{report}");
    Ok(report.verdict.is_clean())
}
