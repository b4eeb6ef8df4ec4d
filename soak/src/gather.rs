//! What the server has kept, read back over its own API.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tyer_server::client::Client;

use crate::ledger::Entry;

/// Everything that is known of one instance.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Its process.
    pub process: String,
    /// Its status.
    pub status: String,
    /// Its variables.
    pub variables: Value,
    /// Its history.
    pub events: Vec<Value>,
}

/// Instances that a ledger speaks of.
pub fn instances(ledger: &[Entry]) -> BTreeSet<&str> {
    let mut instances = BTreeSet::new();
    for entry in ledger {
        match entry {
            Entry::Started { instance, .. }
            | Entry::Effect { instance, .. }
            | Entry::JobCompleted { instance, .. }
            | Entry::JobFailed { instance, .. }
            | Entry::TaskClaimed { instance, .. }
            | Entry::TaskCompleted { instance, .. } => drop(instances.insert(instance.as_str())),
            Entry::Published { taken_by, .. } => instances.extend(taken_by.iter().map(String::as_str)),
            Entry::Broken { .. } => {}
        }
    }
    instances
}

/// Waits until all have ended, or for as long as `patience` lasts: who has not ended by then is told by the verdict.
pub async fn all_ended(address: SocketAddr, ids: &BTreeSet<&str>, patience: Duration) -> Result<()> {
    let mut client = Client::new(address);
    let begun = Instant::now();
    let mut left: Vec<&str> = ids.iter().copied().collect();
    while let Some(id) = left.pop() {
        let shown = client.get(&format!("/api/instances/{id}")).await?.json();
        if shown["instance"]["status"] == "running" && begun.elapsed() < patience {
            left.push(id);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    Ok(())
}

/// Reads everything about every instance; one that is not there has no record.
pub async fn records(address: SocketAddr, ids: &BTreeSet<&str>) -> Result<BTreeMap<String, Record>> {
    let mut client = Client::new(address);
    let mut records = BTreeMap::new();
    for id in ids {
        let answer = client.get(&format!("/api/instances/{id}")).await?;
        if answer.status == hyper::StatusCode::NOT_FOUND {
            continue;
        }
        let shown = answer.json();
        let status =
            shown["instance"]["status"].as_str().with_context(|| format!("{id} is {shown}"))?.to_owned();
        let events = history(&mut client, id).await?;
        let variables = shown["instance"]["variables"].clone();
        let process = shown["instance"]["workflowId"].as_str().unwrap_or("?").to_owned();
        records.insert((*id).to_owned(), Record { process, status, variables, events });
    }
    Ok(records)
}

async fn history(client: &mut Client, id: &str) -> Result<Vec<Value>> {
    let (mut events, mut after) = (Vec::new(), "0".to_owned());
    loop {
        let page = client.get(&format!("/api/instances/{id}/history?limit=1000&after={after}")).await?.json();
        let Some(more) = page["events"].as_array() else { bail!("the history of {id} is {page}") };
        events.extend(more.iter().cloned());
        match page["next"].as_str() {
            Some(next) => after = next.to_owned(),
            None => return Ok(events),
        }
    }
}
