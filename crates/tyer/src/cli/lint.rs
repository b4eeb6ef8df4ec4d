//! `tyer lint`: reads files and runs nothing.

use std::path::PathBuf;

use super::exit::{Exit, Stop};
use super::{output, problems};

#[derive(clap::Args)]
pub(crate) struct Lint {
    /// BPMN files
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Lint {
    pub(crate) fn go(self) -> Result<(), Stop> {
        let mut wrong = false;
        for file in &self.files {
            let bytes = problems::read(file)?;
            match problems::import(file, &bytes, output::line) {
                Ok(imported) => {
                    let names: Vec<_> =
                        imported.processes.iter().map(|process| process.id.as_str()).collect();
                    eprintln!("{}: can be deployed, with {}", file.display(), names.join(", "));
                }
                Err(_) => wrong = true,
            }
        }
        if wrong { Err(Stop::silent(Exit::Validation)) } else { Ok(()) }
    }
}
