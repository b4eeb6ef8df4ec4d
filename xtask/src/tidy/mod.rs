//! Tidy: the rules of this project that no compiler knows.
//!
//! Every rule is a function from text to problems; this file finds the text and prints what they found.
//!
//! **Invariant:** all problems are shown at once, each with its place and what to do.
//! **Invariant:** rules see text, never the disk: their tests are strings.

mod manifest;
mod purity;
mod rooms;
mod text;

use crate::checkout;
use anyhow::{Context, Result, bail};
use manifest::Manifest;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;

/// Something that is not as it should be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    file: String,
    line: usize,
    what: String,
    fix: String,
}

impl Problem {
    fn new(file: &str, line: usize, what: impl Into<String>, fix: impl Into<String>) -> Problem {
        Problem { file: file.to_owned(), line, what: what.into(), fix: fix.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { file, line, what, fix } = self;
        write!(formatter, "{file}:{line}: {what}\n    fix: {fix}")
    }
}

/// One file of the checkout; `path` is relative to its root, with `/` between the folders.
pub(crate) struct File {
    path: String,
    text: String,
}

/// `cargo xtask tidy`.
pub(crate) fn command(arguments: &[String]) -> Result<ExitCode> {
    if !arguments.is_empty() {
        bail!("`cargo xtask tidy` takes no arguments");
    }
    check().map(|()| ExitCode::SUCCESS)
}

/// Looks at the whole checkout.
pub(crate) fn check() -> Result<()> {
    let root = checkout::root();
    let files = read_all(&root)?;
    let forbidden = text::forbidden_paths(&root);
    let mut problems: Vec<Problem> = files.iter().flat_map(|file| text::check(file, &forbidden)).collect();
    let manifests: Vec<Manifest> = files.iter().filter_map(Manifest::read).collect();
    problems.extend(rooms::check(&manifests));
    problems.extend(purity::check(&manifests, &files));
    problems.sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
    problems.iter().for_each(|problem| println!("{problem}"));
    files.iter().filter_map(text::length_hint).for_each(|hint| println!("hint: {hint}"));
    if !problems.is_empty() {
        bail!("tidy looked at {} files; problems: {}", files.len(), problems.len());
    }
    println!("    {} files are tidy", files.len());
    Ok(())
}

/// Every text file; what is no UTF-8 is an image or a database, and no rule speaks of those.
fn read_all(root: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    for path in checkout::files(root)? {
        let bytes = match std::fs::read(root.join(&path)) {
            Ok(bytes) => bytes,
            // Others work in the same checkout: a file may go between the listing and the reading.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        if let Ok(text) = String::from_utf8(bytes) {
            files.push(File { path: path.to_string_lossy().replace('\\', "/"), text });
        }
    }
    Ok(files)
}

#[cfg(test)]
impl File {
    fn fixture(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_its_place_and_its_fix() {
        let problem = Problem::new("crates/xml/src/lib.rs", 3, "it is wrong", "mend it");
        assert_eq!(problem.to_string(), "crates/xml/src/lib.rs:3: it is wrong\n    fix: mend it");
    }
}
