//! `cargo xtask test`: the one test command, for developers and for CI.
//!
//! **Invariant:** PostgreSQL is stopped however the run ends.
//! **Invariant:** the last line is `N passed, M failed`, over all test programs and doc tests.

use crate::count::Count;
use crate::postgres::{Cluster, URL_VARIABLE};
use crate::step::{self, Steps};
use crate::{checkout, tidy};
use anyhow::{Result, bail};
use std::io::Write;
use std::process::{Command, ExitCode};

/// Every step in order, then the summary and the count.
pub(crate) fn command(arguments: &[String]) -> Result<ExitCode> {
    if !arguments.is_empty() {
        bail!("`cargo xtask test` takes no arguments; for single tests use `cargo test -p <package>`");
    }
    let mut steps = Steps::default();
    let mut count = Count::default();
    steps.run("format", || step::check(cargo().args(["fmt", "--all", "--check"])));
    steps.run("tidy", tidy::check);
    let cluster = steps.run("postgres", Cluster::acquire);
    steps.run("clippy", clippy);
    match cluster {
        Some(cluster) => {
            steps.run("tests", || tests(cluster.url(), &mut count));
            steps.run("troubles", || troubles(cluster.url(), &mut count));
            steps.run("stop postgres", || cluster.release());
        }
        None => {
            steps.run("tests", || -> Result<()> { bail!("not run, because there is no PostgreSQL") });
        }
    }
    steps.run("simulation", simulation);
    let good = steps.summarise() && count.failed == 0;
    println!("\n{count}");
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn clippy() -> Result<()> {
    let arguments = ["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
    step::check(cargo().args(arguments))
}

/// Many simulated lives, each judged by the oracle: the short form of `cargo xtask sim`, with the same program.
fn simulation() -> Result<()> {
    let arguments = ["run", "--quiet", "--release", "--package", "tyer-sim", "--", "--seeds", "0..20000"];
    step::check(cargo().args(arguments))
}

/// All tests of all crates, doc tests too; a failing program does not keep the others from being counted.
fn tests(postgres: &str, count: &mut Count) -> Result<()> {
    counted(cargo().args(["test", "--workspace", "--all-features", "--no-fail-fast"]), postgres, count)
}

/// Short runs of the soaks that only root can make: lost power, broken disks, cut networks, databases that go away.
fn troubles(postgres: &str, count: &mut Count) -> Result<()> {
    if step::quiet(Command::new("id").arg("-u"))?.trim() != "0" {
        println!("    not run: they mount disks and cut networks, and you are not root");
        return Ok(());
    }
    let arguments = ["test", "--workspace", "--all-features", "--test", "troubles", "--", "--test-threads=1"];
    counted(cargo().args(arguments), postgres, count)
}

fn counted(command: &mut Command, postgres: &str, count: &mut Count) -> Result<()> {
    step::check_lines(command.env(URL_VARIABLE, postgres), |line| {
        // Nobody may be looking any more (`| head`); the tests go on all the same.
        let _ = std::io::stdout().write_all(line);
        count.add_line(String::from_utf8_lossy(line).trim_end());
    })
}

fn cargo() -> Command {
    let mut command = checkout::cargo();
    command.current_dir(checkout::root());
    command
}
