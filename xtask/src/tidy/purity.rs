//! Pure rooms: they carry clippy's list of what is forbidden, and invite no guest that brings it in.
//!
//! **Invariant:** the list is one text: a pure room cannot loosen its own copy.

use super::manifest::Manifest;
use super::{File, Problem};

const PURE: [&str; 5] = ["xml", "feel", "dmn", "model", "engine"];

/// Guests that bring IO, threads, clocks, randomness or logging; `tokio` stands for its whole family.
const IMPURE: [&str; 12] = [
    "axum",
    "deadpool",
    "fastrand",
    "futures",
    "getrandom",
    "hyper",
    "log",
    "rand",
    "reqwest",
    "rusqlite",
    "tokio",
    "tracing",
];

/// Every pure room that exists.
pub(super) fn check(manifests: &[Manifest], files: &[File]) -> Vec<Problem> {
    let pure = manifests.iter().filter(|manifest| is_pure(manifest.folder()));
    pure.flat_map(|manifest| guests(manifest).chain(lint_list(manifest, files)).collect::<Vec<_>>()).collect()
}

fn is_pure(folder: &str) -> bool {
    folder.strip_prefix("crates/").is_some_and(|room| PURE.contains(&room))
}

fn guests(manifest: &Manifest) -> impl Iterator<Item = Problem> {
    // What tests use does not reach the product.
    let used = manifest.dependencies.iter().filter(|dependency| !dependency.for_tests);
    used.filter(|dependency| is_impure(&dependency.package)).map(|dependency| {
        let what = format!("`{}` is pure, and `{}` is not", manifest.folder(), dependency.package);
        Problem::new(
            &manifest.path,
            dependency.line,
            what,
            "pass the value in as a parameter, or do the work in `runtime`",
        )
    })
}

fn is_impure(package: &str) -> bool {
    IMPURE
        .iter()
        .any(|name| package.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')))
}

fn lint_list(manifest: &Manifest, files: &[File]) -> Option<Problem> {
    let text_of = |folder: &str| {
        let path = format!("{folder}/clippy.toml");
        files.iter().find(|file| file.path == path).map(|file| &file.text)
    };
    let path = format!("{}/clippy.toml", manifest.folder());
    // The first pure room's copy is the one that the others are held against.
    let example = "crates/xml";
    let fix = format!("cp {example}/clippy.toml {path}");
    match text_of(manifest.folder()) {
        None => Some(Problem::new(&path, 1, "a pure room has no clippy.toml", fix)),
        Some(text) if Some(text) != text_of(example) => {
            Some(Problem::new(&path, 1, format!("it differs from {example}/clippy.toml"), fix))
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(manifest: &str, lists: &[(&str, &str)]) -> Vec<String> {
        let text = format!("[package]\nname = \"tyer-feel\"\n{manifest}");
        let manifest = Manifest::read(&File::fixture("crates/feel/Cargo.toml", &text)).expect("a package");
        let files: Vec<File> = lists.iter().map(|(path, text)| File::fixture(path, text)).collect();
        check(&[manifest], &files).into_iter().map(|problem| problem.what).collect()
    }

    const SAME: [(&str, &str); 2] = [("crates/xml/clippy.toml", "a"), ("crates/feel/clippy.toml", "a")];

    #[test]
    fn a_pure_room_with_the_list_and_harmless_guests_is_fine() {
        let manifest =
            "[dependencies]\nserde = \"1\"\nrandom-name = \"1\"\n[dev-dependencies]\ntokio = \"1\"\n";
        assert!(problems(manifest, &SAME).is_empty());
    }

    #[test]
    fn an_impure_guest_and_its_family_are_refused() {
        let manifest = "[dependencies]\ntokio-postgres = \"1\"\nrand.workspace = true\n";
        assert_eq!(
            problems(manifest, &SAME),
            [
                "`crates/feel` is pure, and `tokio-postgres` is not",
                "`crates/feel` is pure, and `rand` is not"
            ]
        );
    }

    #[test]
    fn a_missing_or_loosened_list_is_a_problem() {
        assert_eq!(problems("", &SAME[..1]), ["a pure room has no clippy.toml"]);
        let loosened = [SAME[0], ("crates/feel/clippy.toml", "b")];
        assert_eq!(problems("", &loosened), ["it differs from crates/xml/clippy.toml"]);
    }
}
