//! The line of rooms: a crate may use only rooms above it.
//!
//! **Invariant:** a crate under `crates/` stands in this table or the check fails.

use super::Problem;
use super::manifest::{Dependency, Manifest};

/// Top to bottom. The order is the architecture (docs/ARCHITECTURE.md).
const LINE: [&str; 11] =
    ["map", "xml", "feel", "dmn", "model", "engine", "store", "runtime", "connectors", "server", "tyer"];

/// Beside the line: they may use every room; of them rooms may use `testkit` alone, and only in tests.
const BESIDE: [&str; 2] = ["testkit", "sim"];

/// Every room's place and every dependency between rooms.
pub(super) fn check(manifests: &[Manifest]) -> Vec<Problem> {
    let in_line = manifests.iter().filter(|manifest| manifest.folder().starts_with("crates/"));
    in_line.flat_map(|manifest| check_room(manifest, manifests)).collect()
}

fn check_room(manifest: &Manifest, all: &[Manifest]) -> Vec<Problem> {
    let room = manifest.folder().trim_start_matches("crates/");
    if manifest.package != package_of(room) {
        let what = format!("the package of `{}` is called `{}`", manifest.folder(), manifest.package);
        return vec![Problem::new(&manifest.path, 1, what, format!("call it `{}`", package_of(room)))];
    }
    if BESIDE.contains(&room) {
        return Vec::new();
    }
    if place(room).is_none() {
        let fix = "give it a place in xtask/src/tidy/rooms.rs and in docs/ARCHITECTURE.md";
        return vec![Problem::new(&manifest.path, 1, format!("`{room}` is not in the line of rooms"), fix)];
    }
    let ours = |dependency: &&Dependency| all.iter().any(|other| other.package == dependency.package);
    let named = manifest.dependencies.iter().filter(ours);
    named.filter_map(|dependency| check_dependency(manifest, room, dependency)).collect()
}

fn check_dependency(manifest: &Manifest, room: &str, dependency: &Dependency) -> Option<Problem> {
    let used = room_of(&dependency.package);
    let is_above = place(used).is_some_and(|used| Some(used) < place(room));
    let is_testkit = dependency.for_tests && used == "testkit";
    if is_above || is_testkit {
        return None;
    }
    let above = &LINE[..place(room).unwrap_or(0)];
    let above = if above.is_empty() { "no other room".to_owned() } else { above.join(", ") };
    let what = format!("`{room}` uses `{used}`, which does not stand above it");
    let fix =
        format!("`{room}` may use {above}, and testkit in tests: move the code to where both may use it");
    Some(Problem::new(&manifest.path, dependency.line, what, fix))
}

fn place(room: &str) -> Option<usize> {
    LINE.iter().position(|name| *name == room)
}

fn package_of(room: &str) -> String {
    if room == "tyer" { room.to_owned() } else { format!("tyer-{room}") }
}

fn room_of(package: &str) -> &str {
    package.strip_prefix("tyer-").unwrap_or(package)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(folder: &str, package: &str, uses: &[(&str, bool)]) -> Manifest {
        let dependency = |(index, (package, for_tests)): (usize, &(&str, bool))| Dependency {
            package: (*package).to_owned(),
            line: index + 10,
            for_tests: *for_tests,
        };
        Manifest {
            path: format!("{folder}/Cargo.toml"),
            package: package.to_owned(),
            dependencies: uses.iter().enumerate().map(dependency).collect(),
        }
    }

    fn problems_of_engine(uses: &[(&str, bool)]) -> Vec<(usize, String)> {
        let mut all = vec![manifest("crates/engine", "tyer-engine", uses)];
        for room in ["model", "store", "testkit", "sim"] {
            all.push(manifest(&format!("crates/{room}"), &package_of(room), &[]));
        }
        all.push(manifest("bench", "tyer-bench", &[("tyer-store", false)]));
        check(&all).into_iter().map(|problem| (problem.line, problem.what)).collect()
    }

    #[test]
    fn a_room_may_use_what_stands_above_it_and_testkit_in_its_tests() {
        assert_eq!(
            problems_of_engine(&[("tyer-model", false), ("serde", false), ("tyer-testkit", true)]),
            []
        );
    }

    #[test]
    fn a_room_may_not_use_what_stands_below_it_not_even_in_tests() {
        let below = "`engine` uses `store`, which does not stand above it".to_owned();
        assert_eq!(
            problems_of_engine(&[("tyer-model", false), ("tyer-store", false)]),
            [(11, below.clone())]
        );
        assert_eq!(problems_of_engine(&[("tyer-store", true)]), [(10, below)]);
    }

    #[test]
    fn a_room_may_not_use_what_stands_beside_the_line() {
        assert_eq!(problems_of_engine(&[("tyer-testkit", false)]).len(), 1);
        assert_eq!(problems_of_engine(&[("tyer-sim", true), ("tyer-bench", true)]).len(), 2);
    }

    #[test]
    fn a_crate_without_a_place_or_with_a_foreign_name_is_a_problem() {
        let unknown = check(&[manifest("crates/cellar", "tyer-cellar", &[])]);
        assert_eq!(unknown[0].what, "`cellar` is not in the line of rooms");
        let misnamed = check(&[manifest("crates/store", "store", &[])]);
        assert_eq!(misnamed[0].fix, "call it `tyer-store`");
    }
}
