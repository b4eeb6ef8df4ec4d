//! History as lines of JSON, for other systems: one event a line.

use std::ops::ControlFlow;

use serde::Serialize;
use serde_json::value::RawValue;
use tyer_engine::{InstanceId, Timestamp};
use tyer_store::ListedInstance;

use crate::engine::Engine;
use crate::error::Error;
use crate::events::split;

/// Instances and turns read at once.
const PAGE: usize = 500;

/// Which events. Everything that is said must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Export {
    /// Of instances of this process, by BPMN id.
    pub process: Option<String>,
    /// Not before this moment.
    pub since: Option<Timestamp>,
    /// Before this moment.
    pub until: Option<Timestamp>,
}

/// One line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    tenant: &'a str,
    process: &'a str,
    process_version: u32,
    instance: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    business_key: Option<&'a str>,
    seq: u64,
    at: String,
    event: &'a RawValue,
}

impl Export {
    /// It may have events that fit.
    fn may_have(&self, listed: &ListedInstance) -> bool {
        self.process.as_ref().is_none_or(|process| *process == listed.process)
            && self.until.is_none_or(|until| listed.started_at < until)
            && self.since.is_none_or(|since| listed.ended_at.is_none_or(|ended| ended >= since))
    }

    fn has(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
    }
}

impl Engine {
    /// Gives the history of a tenant, one event a line of JSON: instance by instance, oldest first, in the order of each.
    /// Nothing is gathered in memory. Values of masked variables are in it. Says how many lines there were; whoever takes
    /// them may break off.
    ///
    /// ```
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// use std::ops::ControlFlow;
    /// use tyer_runtime::Export;
    /// let orders = Export { process: Some("order".into()), ..Export::default() };
    /// engine.export(&orders, |line| { println!("{line}"); ControlFlow::Continue(()) }).await?;
    /// # Ok(()) }
    /// ```
    pub async fn export(
        &self,
        what: &Export,
        mut each: impl FnMut(&str) -> ControlFlow<()>,
    ) -> Result<u64, Error> {
        let (mut after, mut lines) = (InstanceId(0), 0);
        loop {
            let page = self.shared.store.instances(Some(self.whose()), None, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(lines) };
            after = last.id;
            for listed in page.iter().filter(|listed| what.may_have(listed)) {
                if self.export_one(what, listed, &mut lines, &mut each).await?.is_break() {
                    return Ok(lines);
                }
            }
        }
    }

    async fn export_one(
        &self,
        what: &Export,
        listed: &ListedInstance,
        lines: &mut u64,
        each: &mut impl FnMut(&str) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Error> {
        let mut after = 0;
        loop {
            let turns = self.turns(listed.id, after, PAGE).await?;
            let Some(last) = turns.last() else { return Ok(ControlFlow::Continue(())) };
            after = last.first_seq + u64::from(last.count) - 1;
            for turn in turns.iter().filter(|turn| what.has(turn.at)) {
                for event in split(turn)? {
                    *lines += 1;
                    let line = line(listed, event.seq, event.at, &event.event);
                    if each(&line).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
        }
    }
}

fn line(listed: &ListedInstance, seq: u64, at: Timestamp, event: &RawValue) -> String {
    let line = Line {
        tenant: listed.tenant.as_str(),
        process: &listed.process,
        process_version: listed.process_version,
        instance: listed.id.to_string(),
        business_key: listed.business_key.as_deref(),
        seq,
        at: at.to_string(),
        event,
    };
    serde_json::to_string(&line).expect("a line is always JSON")
}
