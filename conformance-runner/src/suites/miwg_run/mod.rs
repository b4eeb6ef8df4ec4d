//! The executable reference models of the working group, run to their ends by mock people and workers.
//!
//! **Invariant:** a scenario says every step; nothing is done that it does not say.

mod player;
mod scenarios;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use tyer_model::{Process, import};

use super::files::read;
use crate::report::Report;
use player::Player;
use scenarios::{SCENARIOS, Scenario};

/// Plays every scenario on the models of `Reference` below the folder.
pub(super) fn run(dir: &Path, report: &mut Report) -> Result<()> {
    for scenario in SCENARIOS {
        let mut processes = Vec::new();
        let mut problems = String::new();
        for file in scenario.files {
            let path = dir.join("Reference").join(format!("{file}.bpmn"));
            let xml = String::from_utf8(read(&path)?).context("the models are UTF-8")?;
            match import(as_meant(&xml).as_bytes()) {
                Ok(imported) => processes.extend(imported.processes.into_iter().map(Arc::new)),
                Err(refused) => problems.push_str(&refused.to_string()),
            }
        }
        let case = format!("{} {}", scenario.files.join("+"), scenario.name);
        let got = if problems.is_empty() { play(scenario, &processes) } else { problems };
        report.compare(&case, &format!("ends {:?}", scenario.ends), &got);
    }
    Ok(())
}

fn play(scenario: &Scenario, processes: &[Arc<Process>]) -> String {
    let mut player = Player::on(processes);
    for step in scenario.steps {
        if let Err(reason) = player.step(step) {
            return format!("`{step}`: {reason}{}", player.standing());
        }
    }
    match player.is_over() {
        true => format!("ends {:?}", player.ends()),
        false => format!("not over{}", player.standing()),
    }
}

/// Conditions of the models that are in no language that Tyer evaluates, in FEEL. Data transformations that are whole
/// decision models are left out: the same tasks say their mappings in another vocabulary, too.
fn as_meant(xml: &str) -> String {
    let mut meant = xml.to_owned();
    for name in ["approved", "clarified"] {
        meant = meant.replace(&format!("bpmn:getDataObject('{name}')"), name);
    }
    for (written, feel) in [
        ("= 'yes'", "= \"yes\""),
        ("= 'no'", "= \"no\""),
        ("Service Level == 'Premium'", "level = \"Premium\""),
    ] {
        meant = meant.replace(written, feel);
    }
    without_transformations(&meant)
}

fn without_transformations(xml: &str) -> String {
    let (open, close) = ("<semantic:dataOutputAssociation", "</semantic:dataOutputAssociation>");
    let mut out = String::with_capacity(xml.len());
    let mut rest = xml;
    while let Some((before, from)) = rest.split_once(open) {
        let Some((inside, after)) = from.split_once(close) else { break };
        out.push_str(before);
        if !inside.contains("<semantic:transformation") {
            out.extend([open, inside, close]);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}
