//! The DMN TCK: each folder holds a model, the models it imports, and files of test cases.
//!
//! **Invariant:** a case passes when all its result nodes come out as expected; an expected error is a null.

use crate::report::Report;
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use tyer_dmn::DecisionModel;
use tyer_feel::temporal::{Date, DateTime, Time};
use tyer_feel::{Clock, Context, Limits, Number, Value};
use tyer_xml::{Document, Element};

const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// Runs the two compliance levels that a folder holds, or the one that it is.
pub(super) fn run(dir: &Path, report: &mut Report) -> Result<()> {
    let levels = ["compliance-level-2", "compliance-level-3"].map(|level| dir.join(level));
    let levels: Vec<_> = levels.into_iter().filter(|level| level.is_dir()).collect();
    if levels.is_empty() {
        return run_level(dir, report);
    }
    levels.iter().try_for_each(|level| run_level(level, report))
}

fn run_level(level: &Path, report: &mut Report) -> Result<()> {
    for folder in entries(level)?.into_iter().filter(|entry| entry.is_dir()) {
        let documents = entries(&folder)?;
        for tests in documents.iter().filter(|file| has_extension(file, "xml")) {
            run_file(&folder, tests, report).with_context(|| tests.display().to_string())?;
        }
    }
    Ok(())
}

/// What a folder holds, in an order that does not depend on the machine.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut found = list.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    found.sort();
    Ok(found)
}

fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|found| found == extension)
}

fn run_file(folder: &Path, tests: &Path, report: &mut Report) -> Result<()> {
    let document = Document::parse(&std::fs::read(tests)?, &tyer_xml::Limits::default())?;
    let root = document.root();
    let name = children(root, "modelName").next().map(|name| name.text().trim().to_owned());
    let model = read_model(folder, &name.context("a file of test cases names its model")?)?;
    let prefix = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = tests.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    for case in children(root, "testCase") {
        let id = format!("{prefix}/{stem}/{}", case.attribute("id").unwrap_or_default());
        run_case(&model, case, &id, report);
    }
    Ok(())
}

fn read_model(folder: &Path, name: &str) -> Result<DecisionModel> {
    let own = folder.join(name);
    let mut imports = Vec::new();
    for file in entries(folder)? {
        if has_extension(&file, "dmn") && file != own {
            imports.push(std::fs::read(&file)?);
        }
    }
    let imports: Vec<&[u8]> = imports.iter().map(Vec::as_slice).collect();
    Ok(DecisionModel::parse(&std::fs::read(&own)?, &imports)?)
}

fn run_case(model: &DecisionModel, case: Element<'_>, id: &str, report: &mut Report) {
    let inputs: Vec<_> = children(case, "inputNode")
        .map(|node| {
            (node.attribute("name").unwrap_or_default().into(), value_of(node).unwrap_or(Value::Null))
        })
        .collect();
    let inputs = Context::new(inputs);
    let service =
        case.attribute("invocableName").filter(|_| case.attribute("type") == Some("decisionService"));
    for node in children(case, "resultNode") {
        let name = node.attribute("name").unwrap_or_default();
        let expected = children(node, "expected")
            .next()
            .and_then(|expected| value_of(expected).ok())
            .unwrap_or(Value::Null);
        let (got, why) = evaluate(model, service.unwrap_or(name), name, &inputs);
        if !same(&expected, &got) {
            return report.fail(&format!("{id} {name}"), &expected.to_string(), &format!("{got} {why}"));
        }
    }
    report.pass(id);
}

/// The value of a node, and why it is null.
fn evaluate(model: &DecisionModel, invoked: &str, node: &str, inputs: &Context) -> (Value, String) {
    let clock = Clock::epoch();
    let Some(outcome) = model.evaluate(invoked, inputs, &clock, &Limits::default()) else {
        return (Value::Null, format!("(there is no `{invoked}`)"));
    };
    let mut why: Vec<String> =
        outcome.audit.iter().flat_map(|audit| &audit.warnings).map(ToString::to_string).collect();
    why.extend(outcome.exceeded.map(|limit| limit.to_string()));
    let value = match &outcome.value {
        // A service with several outputs answers with a context of them.
        Value::Context(context) if invoked != node => context.get(node).cloned().unwrap_or(outcome.value),
        value => value.clone(),
    };
    (value, why.join("; "))
}

fn children<'d>(element: Element<'d>, name: &'static str) -> impl Iterator<Item = Element<'d>> {
    element.children().filter(move |child| child.local_name() == name)
}

/// The value inside of a node: simple, a list, or components.
fn value_of(node: Element<'_>) -> Result<Value> {
    let components: Vec<Element<'_>> = children(node, "component").collect();
    if !components.is_empty() {
        let entry = |component: &Element<'_>| {
            Ok((component.attribute("name").unwrap_or_default().into(), value_of(*component)?))
        };
        return Ok(Value::Context(Context::new(components.iter().map(entry).collect::<Result<_>>()?)));
    }
    if let Some(list) = children(node, "list").next() {
        return Ok(Value::list(children(list, "item").map(value_of).collect::<Result<_>>()?));
    }
    match children(node, "value").next() {
        Some(value) => simple(value),
        None => Ok(Value::Null),
    }
}

fn simple(value: Element<'_>) -> Result<Value> {
    if value.attribute_ns(INSTANCE, "nil") == Some("true") {
        return Ok(Value::Null);
    }
    let text = value.text();
    let kind = value.attribute_ns(INSTANCE, "type").unwrap_or("xsd:string");
    let kind = kind.split_once(':').map_or(kind, |(_, local)| local);
    let parsed = match kind {
        "string" => Some(Value::from(&*text)),
        "boolean" => match text.trim() {
            "true" | "1" => Some(Value::Boolean(true)),
            "false" | "0" => Some(Value::Boolean(false)),
            _ => None,
        },
        "decimal" | "double" | "integer" | "int" | "long" | "float" => {
            Number::parse(text.trim()).map(Value::Number)
        }
        "date" => Date::parse(text.trim()).map(Value::Date),
        "time" => Time::parse(text.trim()).map(|time| Value::Time(time.into())),
        "dateTime" => DateTime::parse(text.trim()).map(|moment| Value::DateTime(moment.into())),
        "duration" => tyer_feel::temporal::parse_duration(text.trim()),
        _ => None,
    };
    match parsed {
        Some(value) => Ok(value),
        None => bail!("`{text}` is not a value of type {kind}"),
    }
}

/// Equal; numbers to within a part in 10^8, as the expected ones are written with fewer digits than we compute.
fn same(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || (a.to_f64() - b.to_f64()).abs() <= 1e-8 * a.to_f64().abs().max(1.0)
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
