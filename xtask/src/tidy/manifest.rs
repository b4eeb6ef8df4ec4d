//! The dependencies that a `Cargo.toml` names, and on which lines.
//!
//! It reads the few forms that Cargo manifests have, line by line; a TOML parser would triple the build of xtask.
//!
//! **Invariant:** every dependency is found, whichever of Cargo's notations names it.

use super::File;

/// A manifest of a package.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) path: String,
    pub(super) package: String,
    pub(super) dependencies: Vec<Dependency>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Dependency {
    pub(super) package: String,
    pub(super) line: usize,
    pub(super) for_tests: bool,
}

impl Manifest {
    /// `None`: the file is no manifest of a package.
    pub(super) fn read(file: &File) -> Option<Manifest> {
        if !(file.path == "Cargo.toml" || file.path.ends_with("/Cargo.toml")) {
            return None;
        }
        let mut package = None;
        let mut dependencies: Vec<Dependency> = Vec::new();
        let mut section = Section::Other;
        for (index, line) in file.text.lines().enumerate() {
            let line = without_comment(line);
            if let Some(header) = line.strip_prefix('[') {
                section = Section::of(header.trim_end_matches(']'));
                if let Section::Dependency { name, for_tests } = &section {
                    dependencies.push(Dependency {
                        package: name.clone(),
                        line: index + 1,
                        for_tests: *for_tests,
                    });
                }
                continue;
            }
            let Some((key, value)) = line.split_once('=') else {
                continue;
            };
            let (key, value) = (key.trim(), value.trim());
            match &section {
                Section::Package if key == "name" => package = Some(unquoted(value)),
                Section::Dependencies { for_tests } => {
                    let name = unquoted(key.split('.').next().unwrap_or(key));
                    let package = renamed(value).unwrap_or(name);
                    dependencies.push(Dependency { package, line: index + 1, for_tests: *for_tests });
                }
                Section::Dependency { .. } if key == "package" => {
                    if let Some(last) = dependencies.last_mut() {
                        last.package = unquoted(value);
                    }
                }
                Section::Package | Section::Dependency { .. } | Section::Other => {}
            }
        }
        Some(Manifest { path: file.path.clone(), package: package?, dependencies })
    }

    /// `crates/xml/Cargo.toml` → `crates/xml`.
    pub(super) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

enum Section {
    Package,
    /// `[dependencies]`: a line is a dependency.
    Dependencies {
        for_tests: bool,
    },
    /// `[dependencies.name]`: the section is a dependency.
    Dependency {
        name: String,
        for_tests: bool,
    },
    Other,
}

impl Section {
    fn of(header: &str) -> Section {
        if header == "package" {
            return Section::Package;
        }
        // `[target.'cfg(unix)'.dependencies]` holds dependencies like any other; a workspace's table only offers them.
        let header = header.strip_prefix("target.").and_then(after_target).unwrap_or(header);
        let (kind, name) = header.split_once('.').unwrap_or((header, ""));
        let for_tests = match kind {
            "dependencies" | "build-dependencies" => false,
            "dev-dependencies" => true,
            _ => return Section::Other,
        };
        if name.is_empty() {
            Section::Dependencies { for_tests }
        } else {
            Section::Dependency { name: unquoted(name), for_tests }
        }
    }
}

/// `'cfg(unix)'.dependencies` → `dependencies`: a quoted condition may hold dots.
fn after_target(header: &str) -> Option<&str> {
    let quote = header.chars().next().filter(|first| matches!(first, '\'' | '"'));
    match quote {
        Some(quote) => header[1..].split_once(quote).map(|(_, rest)| rest.trim_start_matches('.')),
        None => header.split_once('.').map(|(_, rest)| rest),
    }
}

/// `{ package = "tyer-xml", … }` → `tyer-xml`.
fn renamed(value: &str) -> Option<String> {
    let fields = value.strip_prefix('{')?.trim_end_matches('}');
    let field = fields.split(',').find_map(|field| {
        let (key, value) = field.split_once('=')?;
        (key.trim() == "package").then_some(value)
    })?;
    Some(unquoted(field))
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).to_owned()
}

fn without_comment(line: &str) -> &str {
    let line = line.trim();
    if line.starts_with('#') { "" } else { line.split(" #").next().unwrap_or(line).trim() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dependencies(text: &str) -> Vec<(String, usize, bool)> {
        let text = format!("[package]\nname = \"tyer-model\"\n{text}");
        let manifest = Manifest::read(&File::fixture("crates/model/Cargo.toml", &text)).expect("a package");
        let flat = |dependency: Dependency| (dependency.package, dependency.line, dependency.for_tests);
        manifest.dependencies.into_iter().map(flat).collect()
    }

    #[test]
    fn every_notation_of_a_dependency_is_read() {
        let found = dependencies(
            "[dependencies]\ntyer-xml.workspace = true\nserde = \"1\" # why\nxml = { version = \"1\", package = \"tyer-feel\" }\n\
             # tokio = \"1\"\n[dependencies.jiff]\nversion = \"1\"\n[target.'cfg(a.b)'.dependencies]\nrand = \"1\"\n\
             [dev-dependencies]\ntyer-testkit.workspace = true\n[features]\nsqlite = []\n",
        );
        let expected =
            [("tyer-xml", 4, false), ("serde", 5, false), ("tyer-feel", 6, false), ("jiff", 8, false)];
        let more = [("rand", 11, false), ("tyer-testkit", 13, true)];
        let expected: Vec<_> =
            expected.iter().chain(&more).map(|(name, line, t)| ((*name).to_owned(), *line, *t)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_dependency_with_a_section_of_its_own_may_be_renamed_there() {
        let found = dependencies("[dev-dependencies.kit]\npackage = \"tyer-testkit\"\n");
        assert_eq!(found, [("tyer-testkit".to_owned(), 3, true)]);
    }

    #[test]
    fn a_workspace_without_a_package_is_no_manifest_of_a_room() {
        let text = "[workspace]\n[workspace.dependencies]\ntokio = \"1\"\n";
        assert_eq!(Manifest::read(&File::fixture("Cargo.toml", text)), None);
    }
}
