//! Rules about the text of one file: header, length, paths of a machine, leftovers, switched-off tests, sleeps.
//!
//! **Invariant:** a line may be excused only by a reason that stands on it: `tidy: why`. Switched-off tests, missing
//! headers and overlong files have no excuse.

use super::{File, Problem};
use std::path::Path;

const LONGEST: usize = 600;
const LOOK_AGAIN: usize = 400;

/// In two parts, or this very line would be found.
const SWITCHED_OFF: &str = concat!("#[", "ignore");

/// Every rule on one file.
pub(super) fn check(file: &File, forbidden: &[String]) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !is_made_by_a_machine(file) {
        if is_rust(file) {
            problems.extend(header(file).into_iter().chain(length(file)));
        }
        let lines = file.text.lines().enumerate();
        problems.extend(lines.flat_map(|(index, line)| check_line(file, index + 1, line, forbidden)));
    }
    problems
}

/// What could be split, but need not be yet.
pub(super) fn length_hint(file: &File) -> Option<String> {
    let lines = file.text.lines().count();
    let is_long = is_rust(file) && !is_made_by_a_machine(file) && lines > LOOK_AGAIN && lines <= LONGEST;
    is_long.then(|| format!("{} has {lines} lines: is it one thought?", file.path))
}

/// Paths that mean something on one machine only: homes, temporary folders, and where this checkout lies.
pub(super) fn forbidden_paths(root: &Path) -> Vec<String> {
    let common = ["/home/", "/root/", "/Users/", "/tmp/", "/var/tmp/"]; // tidy: these are the words it looks for
    let beside = root.parent().filter(|parent| parent.parent().is_some());
    let here = [Some(root), beside].into_iter().flatten().map(|path| format!("{}/", path.display()));
    common.into_iter().map(str::to_owned).chain(here).collect()
}

fn check_line(file: &File, number: usize, line: &str, forbidden: &[String]) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut problem = |what: String, fix: &str| found.push(Problem::new(&file.path, number, what, fix));
    if is_rust(file) && line.contains(SWITCHED_OFF) {
        problem(
            "a test is switched off".to_owned(),
            "mend it or delete it; a long one belongs to `cargo xtask soak`",
        );
    }
    if line.contains("tidy: ") {
        return found;
    }
    if let Some(path) = forbidden.iter().find(|path| names_path(line, path)) {
        problem(format!("a path of one machine: {path}"), "make it relative, or use std::env::temp_dir()");
    }
    if let Some(word) = leftover(file, line) {
        problem(format!("a leftover: {word}"), "do it now, or open an issue and delete the line");
    }
    if is_test(file) && sleeps(line) {
        let fix =
            "wait for the fact itself, or give the reason on the line: `// tidy: why nothing can be awaited`";
        problem("a test sleeps".to_owned(), fix);
    }
    found
}

fn header(file: &File) -> Option<Problem> {
    let fix = "open it with `//!`: what this file is, in one sentence, and its **Invariant:** lines";
    (!file.text.starts_with("//!"))
        .then(|| Problem::new(&file.path, 1, "the file does not say what it is", fix))
}

fn length(file: &File) -> Option<Problem> {
    let lines = file.text.lines().count();
    let what = format!("the file has {lines} lines; at most {LONGEST} are allowed");
    (lines > LONGEST).then(|| Problem::new(&file.path, LONGEST + 1, what, "split it: a file is one thought"))
}

/// `path` as the beginning of a path: `/api/home/` is an address of ours, and `/homework` is no home.
fn names_path(line: &str, path: &str) -> bool {
    let is_inside =
        |before: char| before.is_alphanumeric() || matches!(before, '.' | '_' | '-' | '}' | '~' | '$' | '*');
    line.match_indices(path).any(|(at, _)| !line[..at].ends_with(is_inside))
}

fn leftover<'line>(file: &File, line: &'line str) -> Option<&'line str> {
    // Documents may speak of leftovers.
    if file.path.ends_with(".md") {
        return None;
    }
    const WORDS: [&str; 4] = ["TODO", "FIXME", "XXX", "HACK"]; // tidy: these are the words it looks for
    line.split(|character: char| !character.is_alphanumeric() && character != '_')
        .find(|word| WORDS.contains(word))
}

fn sleeps(line: &str) -> bool {
    let is_name = |before: char| before.is_alphanumeric() || before == '_';
    let code = line.split("//").next().unwrap_or(line);
    ["sleep(", "sleep_until("]
        .iter()
        .any(|call| code.match_indices(call).any(|(at, _)| !code[..at].ends_with(is_name)))
}

fn is_rust(file: &File) -> bool {
    file.path.ends_with(".rs")
}

fn is_test(file: &File) -> bool {
    is_rust(file) && (format!("/{}", file.path).contains("/tests/") || file.path.ends_with("/tests.rs"))
}

/// Lock files, what a build has bundled, and what declares itself generated: nobody writes those by hand.
fn is_made_by_a_machine(file: &File) -> bool {
    let path = &file.path;
    let is_lock = path.ends_with(".lock") || path.ends_with("package-lock.json");
    let is_bundle = format!("/{path}").contains("/dist/") || path.contains(".min.");
    is_lock || is_bundle || file.text.lines().take(5).any(|line| line.contains("@generated"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `line number: what` of every problem in `text`, as a file at `path`.
    fn problems(path: &str, text: &str) -> Vec<String> {
        let forbidden = forbidden_paths(Path::new("/yard/tyer"));
        let found = check(&File::fixture(path, text), &forbidden);
        found.into_iter().map(|problem| format!("{}: {}", problem.line, problem.what)).collect()
    }

    #[test]
    fn a_tidy_file_has_no_problems() {
        assert!(problems("crates/xml/src/lib.rs", "//! The reader.\nfn read() {}\n").is_empty());
    }

    #[test]
    fn a_rust_file_opens_with_what_it_is() {
        assert_eq!(problems("build.rs", "fn main() {}\n"), ["1: the file does not say what it is"]);
        assert_eq!(problems("build.rs", ""), ["1: the file does not say what it is"]);
        assert!(problems("a.sql", "SELECT 1;\n").is_empty());
    }

    #[test]
    fn a_file_over_600_lines_is_a_problem_and_one_over_400_a_hint() {
        let of_length = |lines: usize| format!("//! x\n{}", "\n".repeat(lines - 1));
        assert!(problems("a.rs", &of_length(600)).is_empty());
        assert_eq!(
            problems("a.rs", &of_length(601)),
            ["601: the file has 601 lines; at most 600 are allowed"]
        );
        let hint = |lines| length_hint(&File::fixture("a.rs", &of_length(lines)));
        assert_eq!(hint(400), None);
        assert_eq!(hint(401).as_deref(), Some("a.rs has 401 lines: is it one thought?"));
        assert_eq!(hint(601), None);
    }

    #[test]
    fn paths_of_one_machine_are_found_wherever_text_stands() {
        let home = concat!("/ho", "me/");
        assert_eq!(
            problems("README.md", &format!("a\ncd {home}anna\n")),
            [format!("2: a path of one machine: {home}")]
        );
        assert_eq!(problems("a.toml", "path = \"/yard/other\"\n"), ["1: a path of one machine: /yard/"]);
        assert_eq!(problems("a.json", "\"/yard/tyer/x\"\n").len(), 1);
    }

    #[test]
    fn an_address_that_only_looks_like_a_path_is_left_alone() {
        let routes = format!(
            "GET /api{}/1\nGET /homework\nsee {{base}}{}x\n/backyard/\n",
            concat!("/ho", "me"),
            concat!("/tm", "p/")
        );
        assert_eq!(problems("docs/api.md", &routes), Vec::<String>::new());
    }

    #[test]
    fn a_checkout_at_the_top_of_the_disk_forbids_only_itself() {
        let forbidden = forbidden_paths(Path::new("/tyer"));
        assert!(forbidden.contains(&"/tyer/".to_owned()) && !forbidden.contains(&"//".to_owned()));
    }

    #[test]
    fn leftovers_are_found_as_words_and_not_in_documents() {
        let word = concat!("TO", "DO");
        assert_eq!(problems("a.sql", &format!("-- {word}: index\n")), [format!("1: a leftover: {word}")]);
        assert!(problems("a.sql", &format!("SELECT {word}_LIST, \"Mastodon\";\n")).is_empty());
        assert!(problems("CONTRIBUTING.md", &format!("no {word} on main\n")).is_empty());
    }

    #[test]
    fn a_switched_off_test_has_no_excuse() {
        let text = format!("//! x\n    {} = \"slow\"] // tidy: it is slow\n", SWITCHED_OFF);
        assert_eq!(problems("a.rs", &text), ["2: a test is switched off"]);
    }

    #[test]
    fn a_sleep_in_a_test_needs_a_reason_on_its_line() {
        let sleeping =
            "//! x\n  tokio::time::sleep(second).await;\n  thread::sleep(second);\n  sleep_until(then);\n";
        let found = ["2: a test sleeps", "3: a test sleeps", "4: a test sleeps"];
        assert_eq!(problems("crates/store/tests/contract.rs", sleeping), found);
        assert_eq!(problems("crates/store/src/sqlite/tests.rs", sleeping), found);
        assert!(problems("crates/store/src/retry.rs", sleeping).is_empty());
        let excused = "//! x\nsleep(second); // tidy: the disk tells nobody\nno_sleep(); // sleep(1)\n";
        assert!(problems("tests/a.rs", excused).is_empty());
    }

    #[test]
    fn what_a_machine_wrote_is_not_read() {
        let text = concat!("fn a() {} // TO", "DO\n");
        assert!(problems("Cargo.lock", text).is_empty());
        assert!(problems("ui/dist/app.js", text).is_empty());
        assert!(problems("api.rs", &format!("// @generated by protox\n{text}")).is_empty());
    }
}
