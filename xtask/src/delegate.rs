//! Commands that need the engine: each is a program of its own, built for release and given the arguments untouched.
//!
//! **Invariant:** the program runs in the folder the developer stands in, so relative paths mean what they say.

use crate::checkout;
use anyhow::{Context, Result};
use std::process::ExitCode;

/// Command → package. One line makes a new one.
const DELEGATED: [(&str, &str); 3] = [
    ("conformance", "tyer-conformance"),
    ("bench", "tyer-bench"),
    ("soak", "tyer-soak"),
];

/// The package behind `command`, if it is a delegated one.
pub(crate) fn package_for(command: &str) -> Option<&'static str> {
    DELEGATED
        .iter()
        .find(|(name, _)| *name == command)
        .map(|(_, package)| *package)
}

/// Builds and runs `package`, and passes on how it ended.
pub(crate) fn run(package: &str, arguments: &[String]) -> Result<ExitCode> {
    let manifest = checkout::root().join("Cargo.toml");
    let status = checkout::cargo()
        .args([
            "run",
            "--quiet",
            "--release",
            "--package",
            package,
            "--manifest-path",
        ])
        .arg(manifest)
        .arg("--")
        .args(arguments)
        .status()
        .context("cannot start cargo; is it on the PATH?")?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delegated_command_names_its_package_and_others_name_none() {
        assert_eq!(package_for("bench"), Some("tyer-bench"));
        assert_eq!(package_for("test"), None);
    }
}
