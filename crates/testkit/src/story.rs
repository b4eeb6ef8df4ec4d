//! What has happened to an instance of an engine, told in the words of transcripts.

use std::sync::Arc;

use tyer_engine::{Instance, InstanceId, unpack};
use tyer_model::Process;
use tyer_runtime::{Engine, Error, HistoryRow};

use crate::role::field;
use crate::script::difference;
use crate::tell::Teller;

/// Turns read at once.
const PAGE: usize = 1000;

/// Everything that has happened to an instance, one sentence a line.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tyer_runtime::{Engine, TestClock};
/// use tyer_testkit::{Diagram, story};
///
/// let engine = Engine::memory().clock(TestClock::default()).await?;
/// engine.deploy(Diagram::parse("process hello\n start -> end")?.to_bpmn()).await?;
/// let hello = engine.start("hello").send().await?;
/// let told = story(&engine, hello.id()).await?;
/// assert_eq!(told, "instance of hello started\ntoken 1 passed start, ended at end\ninstance completed\n");
/// # Ok(()) }
/// ```
///
/// # Errors
/// When the store does not answer, or there is no such instance.
pub async fn story(engine: &Engine, instance: InstanceId) -> Result<String, Error> {
    let mut folded = Instance::blank(instance);
    let mut process: Option<Arc<Process>> = None;
    let (mut began, mut lines) = (None, Vec::new());
    loop {
        let turns = engine.turns(instance, folded.version, PAGE).await?;
        if turns.is_empty() {
            break;
        }
        for turn in turns {
            let began = *began.get_or_insert(turn.at);
            let process = process_of(engine, &turn, &mut process).await?;
            let mut teller = Teller::new(&process, began);
            let events = unpack(&process, &turn.events).map_err(|error| Error::Damaged(error.to_string()))?;
            for event in &events {
                teller.tell(&folded, turn.at, event);
                folded.apply(event, turn.at);
            }
            lines.extend(teller.finish());
        }
    }
    if lines.is_empty() {
        return Err(tyer_engine::Rejection::InstanceUnknown { id: instance }.into());
    }
    Ok(lines.into_iter().flat_map(|line| [line, "\n".to_owned()]).collect())
}

/// The story of an instance is this one; indentation and blank lines around do not matter.
///
/// # Panics
/// If the story is another one: the panic shows where. Also if it cannot be read.
pub async fn assert_story(engine: &Engine, instance: InstanceId, expected: &str) {
    let told = match story(engine, instance).await {
        Ok(told) => told,
        Err(error) => panic!("the story of {instance} cannot be read: {error}"),
    };
    let expected: String =
        expected.trim().lines().flat_map(|line| [line.trim().to_owned(), "\n".to_owned()]).collect();
    if let Some(different) = difference(&expected, &told) {
        panic!("the story of {instance} is another one; {different}");
    }
}

/// The process that a turn is written in the words of: it is named where the instance begins, and where it changes.
async fn process_of(
    engine: &Engine,
    turn: &HistoryRow,
    known: &mut Option<Arc<Process>>,
) -> Result<Arc<Process>, Error> {
    let migrated = turn.events.find("\"workflow.migrated\"");
    if let (Some(known), None) = (&*known, migrated) {
        return Ok(Arc::clone(known));
    }
    let said = &turn.events[migrated.unwrap_or(0)..];
    let damaged = || Error::Damaged("a history that does not say what it runs".to_owned());
    let name = match &*known {
        Some(known) => known.id.clone(),
        None => field(said, "process").ok_or_else(damaged)?.to_owned(),
    };
    let version: u32 = field(said, "version").and_then(|version| version.parse().ok()).ok_or_else(damaged)?;
    let file = engine.resource(&name, Some(version)).await?;
    let process = tyer_model::import(&file)?.processes.into_iter().find(|process| process.id == name);
    let process = Arc::new(process.ok_or_else(damaged)?);
    *known = Some(Arc::clone(&process));
    Ok(process)
}
