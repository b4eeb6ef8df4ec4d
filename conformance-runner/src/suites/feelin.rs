//! The examples of docs/feel.md, evaluated by us and by the npm package `feelin` (in the folder: `npm install feelin`).
//!
//! **Invariant:** the two agree, or the difference stands in docs/feel-differences.md with its reason.

use crate::report::Report;
use anyhow::{Context as _, Result, ensure};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use tyer_feel::{Clock, Expression, Names, Value};

const EXAMPLES: &str = include_str!("../../../docs/feel.md");
const DIFFERENCES: &str = include_str!("../../../docs/feel-differences.md");

pub(super) fn run(dir: &Path, report: &mut Report) -> Result<()> {
    let texts = examples();
    let theirs = feelin(dir, &texts)?;
    ensure!(theirs.len() == texts.len(), "feelin answered {} of {} expressions", theirs.len(), texts.len());
    for (text, theirs) in texts.iter().zip(theirs) {
        let ours = ours(text);
        let explained = DIFFERENCES.lines().any(|line| line.starts_with(&format!("| `{text}` |")));
        if same(&ours, &theirs) || explained {
            report.pass(text);
        } else {
            report.fail(text, &theirs.to_string(), &ours.to_string());
        }
    }
    Ok(())
}

/// The expressions on the page of FEEL.
fn examples() -> Vec<&'static str> {
    let blocks = EXAMPLES.split("```feel\n").skip(1).filter_map(|block| block.split("```").next());
    blocks.flat_map(str::lines).filter_map(|line| line.split_once(" → ")).map(|(text, _)| text).collect()
}

fn ours(text: &str) -> Value {
    match Expression::parse(text, &Names::default()) {
        Ok(expression) => {
            let json = expression.evaluate(&(), &Clock::epoch()).value.read().to_json();
            Value::from_json(&json).unwrap_or(Value::Null)
        }
        Err(_) => Value::from("cannot be read"),
    }
}

fn feelin(dir: &Path, texts: &[&str]) -> Result<Vec<Value>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("feelin.mjs");
    let mut node = Command::new("node")
        .arg(script)
        .arg(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("node could not be started; it runs the npm package `feelin`")?;
    let question = Value::list(texts.iter().map(|text| Value::from(*text)).collect()).to_json();
    node.stdin.take().context("node has no input")?.write_all(question.as_bytes())?;
    let output = node.wait_with_output()?;
    ensure!(
        output.status.success(),
        "feelin.mjs failed; has `npm install feelin` been run in {}?",
        dir.display()
    );
    match Value::from_json(std::str::from_utf8(&output.stdout)?.trim())? {
        Value::List(answers) => Ok(answers.to_vec()),
        other => anyhow::bail!("feelin.mjs answered with a {}", other.type_name()),
    }
}

/// Equal, with numbers to within what a 64-bit float holds.
fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(a), Value::Number(b)) => {
            (a.to_f64() - b.to_f64()).abs() <= 1e-9 * a.to_f64().abs().max(1.0)
        }
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b))
        }
        (Value::Context(a), Value::Context(b)) => {
            a.entries().len() == b.entries().len()
                && a.entries().iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        (a, b) => a.equals(b) == Some(true),
    }
}
