//! The one door: everything a developer does is `cargo xtask <command>`, and CI does the same.
//!
//! **Invariant:** no dependency but `anyhow`: the door opens in seconds on a cold machine. What needs the engine
//! lives in a crate of its own and is delegated to.
//! **Invariant:** the exit code is zero only when everything that was asked for has succeeded.
#![allow(clippy::print_stdout, reason = "xtask speaks to the developer at the terminal")]

mod checkout;
mod count;
mod delegate;
mod postgres;
mod seeded_bugs;
mod step;
mod test;
mod tidy;

use anyhow::{Result, bail};
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask <command>

  test                         format, tidy, clippy and all tests, with a private PostgreSQL
  tidy                         the rules that compilers do not know: rooms, headers, paths, lengths
  postgres start|stop|url      the private PostgreSQL by hand; `start` prints its URL
  conformance [SUITE --dir DIR [--min N]]
                               an outside suite; without a name it lists the known ones
  sim [--seeds A..B] [--commands N] [--failures N]
                               many simulated lives, judged by the oracle; a failure is shrunk
  sim --store …                lives on a store that fails, in an engine that dies
  seeded-bugs [--anew] [NN..]  mistakes planted in a scratch copy, one by one: does the net find them?
  bench …                      the benchmark, with its own arguments
  soak …                       the long reliability runs, with their own arguments
  upgrade-sample VERSION       a store of this version for tests/upgrade, that every later one must open
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode> {
    let Some((command, rest)) = arguments.split_first() else {
        print!("{USAGE}");
        return Ok(ExitCode::FAILURE);
    };
    match command.as_str() {
        "test" => test::command(rest),
        "tidy" => tidy::command(rest),
        "postgres" => postgres::command(rest),
        "seeded-bugs" => seeded_bugs::command(rest),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        other => match delegate::program_for(other) {
            Some(program) => delegate::run(program, rest),
            None => bail!("`{other}` is not a command; expected one of these:\n\n{USAGE}"),
        },
    }
}
