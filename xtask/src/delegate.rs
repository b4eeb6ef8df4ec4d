//! Commands that need the engine: each is a program of its own, optimised and given the arguments untouched.
//!
//! **Invariant:** the program runs in the folder the developer stands in, so relative paths mean what they say.

use crate::checkout;
use crate::postgres::{Cluster, URL_VARIABLE};
use anyhow::{Context, Result};
use std::process::ExitCode;

/// A program of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    package: &'static str,
    profile: &'static str,
    /// It finds the private PostgreSQL in its environment.
    postgres: bool,
}

/// Command → program. One line makes a new one.
const DELEGATED: [(&str, Program); 5] = [
    ("conformance", Program { package: "tyer-conformance", profile: "release", postgres: false }),
    ("sim", Program { package: "tyer-sim", profile: "release", postgres: false }),
    // What is measured is what is given to users.
    ("bench", Program { package: "tyer-bench", profile: "dist", postgres: true }),
    ("soak", Program { package: "tyer-soak", profile: "release", postgres: true }),
    ("upgrade-sample", Program { package: "tyer-upgrade", profile: "release", postgres: true }),
];

/// The program behind `command`, if it is a delegated one.
pub(crate) fn program_for(command: &str) -> Option<Program> {
    DELEGATED.iter().find(|(name, _)| *name == command).map(|(_, program)| *program)
}

/// Builds and runs the program, and passes on how it ended.
pub(crate) fn run(program: Program, arguments: &[String]) -> Result<ExitCode> {
    let cluster = if program.postgres { Some(Cluster::acquire()?) } else { None };
    let mut command = checkout::cargo();
    command.args(["run", "--quiet", "--profile", program.profile, "--package", program.package]);
    command.arg("--manifest-path");
    command.arg(checkout::root().join("Cargo.toml")).arg("--").args(arguments);
    if let Some(cluster) = &cluster {
        command.env(URL_VARIABLE, cluster.url());
    }
    let status = command.status().context("cannot start cargo; is it on the PATH?");
    if let Some(cluster) = cluster {
        cluster.release()?;
    }
    Ok(if status?.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delegated_command_names_its_package_and_others_name_none() {
        assert_eq!(program_for("bench").map(|program| program.package), Some("tyer-bench"));
        assert_eq!(program_for("test"), None);
    }
}
