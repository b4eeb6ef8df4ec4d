//! The tables of `docs/`: made by trying, and never older than the code. `UPDATE=1` writes them again.
#![allow(clippy::disallowed_methods, reason = "documentation is read and written as files")]

mod elements;
mod extensions;

use std::fmt::Write;
use std::path::Path;

use tyer_model::{Code, Deployment};

fn check(name: &str, fresh: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, fresh).expect("docs can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == fresh,
        "docs/{name} is not what the code says; run UPDATE=1 cargo test -p tyer-model --test docs"
    );
}

#[test]
fn the_table_of_problems_is_fresh() {
    let mut table = String::from(
        "# Problems\n\nEverything that can be wrong with a diagram. *Refused* diagrams are not deployed; a *warning* is \
         reported, and the diagram runs. The *letter* of BPMN is only looked at when somebody asks for it. Generated from \
         the code.\n\n| code | deployment | what is wrong | what to do |\n|---|---|---|---|\n",
    );
    for code in Code::ALL {
        let deployment = match code.deployment() {
            Deployment::Refused => "refused",
            Deployment::Warned => "warning",
            Deployment::Silent => "letter",
        };
        writeln!(table, "| `{code}` | {deployment} | {} | {} |", code.about(), code.hint())
            .expect("strings take everything");
    }
    check("problems.md", &table);
}
