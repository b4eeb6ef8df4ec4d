//! Prints every problem of the files given.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "an example talks and reads files"
)]

fn main() -> std::io::Result<()> {
    for path in std::env::args().skip(1) {
        match tyer_model::import(&std::fs::read(&path)?) {
            Ok(imported) => println!(
                "{path}: {} executable, {} warnings",
                imported.processes.len(),
                imported.warnings.len()
            ),
            Err(problems) => println!("{path}: refused\n{problems}"),
        }
    }
    Ok(())
}
