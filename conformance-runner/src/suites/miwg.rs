//! The reference models of the BPMN Model Interchange Working Group: read whole, written again as valid BPMN.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use tyer_model::Definitions;

use super::files::{bpmn_files, read};
use super::inventory::{self, Inventory};
use crate::report::Report;

/// Reads, counts, writes and reads again every model of `Reference` below the folder.
pub(super) fn run(dir: &Path, report: &mut Report) -> Result<()> {
    let schema = dir.join("xsd/BPMN20.xsd");
    for path in bpmn_files(&dir.join("Reference"))? {
        let case = path.strip_prefix(dir).unwrap_or(&path).display().to_string();
        let bytes = read(&path)?;
        match Definitions::read(&bytes) {
            Err(problems) => report.fail(&case, "imported", &problems.to_string()),
            Ok(definitions) => {
                let text = String::from_utf8(bytes).context("the models are UTF-8")?;
                match differences(&definitions, &text, &schema)? {
                    None => report.pass(&case),
                    Some((expected, got)) => report.fail(&case, &expected, &got),
                }
            }
        }
    }
    Ok(())
}

/// What was expected of a model and what came instead, if that differs.
fn differences(definitions: &Definitions, text: &str, schema: &Path) -> Result<Option<(String, String)>> {
    let (counted, found) = (inventory::count(text), ours(definitions));
    if counted != found {
        return Ok(Some((format!("{counted:#?}"), format!("{found:#?}"))));
    }
    let exported = definitions.to_xml();
    match Definitions::read(exported.as_bytes()) {
        Ok(again) if again == *definitions => {}
        Ok(_) => return Ok(Some(("an equal model after export".to_owned(), exported))),
        Err(problems) => return Ok(Some(("a readable export".to_owned(), problems.to_string()))),
    }
    let invalid = validate(&exported, schema)?;
    Ok(invalid.map(|errors| ("an export that is valid by BPMN20.xsd".to_owned(), errors)))
}

/// Elements by name and resolved references by name, as the importer sees them.
fn ours(definitions: &Definitions) -> Inventory {
    let mut inventory = Inventory::default();
    for (element, _) in definitions.elements() {
        *inventory.elements.entry(element.local_name().to_owned()).or_default() += 1;
    }
    for reference in definitions.references() {
        if reference.is_element {
            *inventory.elements.entry(reference.name.to_owned()).or_default() += 1;
        }
        if reference.target.is_some() {
            *inventory.references.entry(reference.name.to_owned()).or_default() += 1;
        }
    }
    inventory
}

/// The complaints of xmllint, if it has any.
fn validate(xml: &str, schema: &Path) -> Result<Option<String>> {
    let file = std::env::temp_dir().join(format!("tyer-miwg-{}.bpmn", std::process::id()));
    std::fs::write(&file, xml).with_context(|| format!("cannot write {}", file.display()))?;
    let answer = Command::new("xmllint").arg("--noout").arg("--schema").arg(schema).arg(&file).output();
    let removed = std::fs::remove_file(&file);
    let answer = answer.context("xmllint is missing; install the Debian package libxml2-utils")?;
    removed.with_context(|| format!("cannot remove {}", file.display()))?;
    Ok((!answer.status.success()).then(|| String::from_utf8_lossy(&answer.stderr).into_owned()))
}
