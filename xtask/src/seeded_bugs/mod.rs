//! `cargo xtask seeded-bugs [NN..]`: mistakes are planted one by one, and the net must find them.
//!
//! Each `crates/sim/bugs/NN-name.patch` is applied to a scratch copy of the checkout; then come the transcripts on the
//! bare engine and in memory, the saga matrix, and the simulation.
//!
//! **Invariant:** what complains about the copy without a mistake has no say about those with one.
//! **Invariant:** what was found out is kept, and is found out anew when the patch or a file that it changes is another.

mod hunt;
mod ledger;
mod patch;
mod scratch;

use anyhow::{Result, bail};
use hunt::{Part, Verdict};
use ledger::Ledger;
use patch::Patch;
use scratch::Scratch;
use std::process::ExitCode;

/// Of a hundred planted mistakes, so many must be found.
const WANTED_PERCENT: usize = 95;

/// Plants what was named, or everything.
pub(crate) fn command(arguments: &[String]) -> Result<ExitCode> {
    let (words, numbers): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|argument| argument.starts_with("--"));
    if let Some(unknown) = words.iter().find(|word| **word != "--anew") {
        bail!("`{unknown}` is not known here: expected [--anew] and numbers of patches, or none for all");
    }
    let patches = patch::all()?;
    let chosen: Vec<&Patch> = patches.iter().filter(|patch| patch.is_one_of(&numbers)).collect();
    if chosen.is_empty() {
        bail!("no patch under {} has such a number", patch::FOLDER);
    }
    let scratch = Scratch::prepare()?;
    let mut ledger = Ledger::open(scratch.folder(), words.is_empty())?;
    // The quickest part looks at all of them first.
    for part in &hunt::NET {
        for patch in &chosen {
            if verdict(&ledger, patch) == Verdict::Missed {
                look(&scratch, &mut ledger, patch, part);
            }
        }
    }
    Ok(report(&chosen, &ledger))
}

/// Lets one part look at one mistake, if it has not done so before.
fn look(scratch: &Scratch, ledger: &mut Ledger, patch: &Patch, part: &Part) {
    match hunt::look(scratch, ledger, patch, part) {
        Ok(Verdict::Missed) => {}
        Ok(found) => println!("{:<52} {found}", patch.name),
        // The others can be judged all the same; this one counts as missed.
        Err(error) => println!("{:<52} {error:#}", patch.name),
    }
}

/// What all parts that have looked say of a mistake.
fn verdict(ledger: &Ledger, patch: &Patch) -> Verdict {
    let looked = hunt::NET.iter().filter_map(|part| ledger.known(&patch.seen_by(part.name)));
    looked.into_iter().find(|verdict| *verdict != Verdict::Missed).unwrap_or(Verdict::Missed)
}

fn report(chosen: &[&Patch], ledger: &Ledger) -> ExitCode {
    let is_missed = |patch: &&&Patch| verdict(ledger, patch) == Verdict::Missed;
    let missed: Vec<&str> = chosen.iter().filter(is_missed).map(|patch| patch.name.as_str()).collect();
    let (all, found) = (chosen.len(), chosen.len() - missed.len());
    println!("\n{found} of {all} planted mistakes were found ({} %)", found * 100 / all);
    for name in &missed {
        println!("missed: {name}");
    }
    if found * 100 >= all * WANTED_PERCENT { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
