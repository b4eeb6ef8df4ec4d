//! How a process does: where its tokens stand, and how long its nodes have taken lately.

use tyer_engine::{EventKind, Number, Status, Timestamp};
use tyer_map::Map;
use tyer_store::InstanceFilter;

use crate::engine::Engine;
use crate::error::Error;
use crate::start::which;

/// Durations are those of this many instances that ended last.
const SAMPLE: usize = 200;

/// How one version of a process does.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// The version.
    pub version: u32,
    /// How many instances of it there are in each status.
    pub instances: Vec<(Status, u64)>,
    /// Instances whose history the durations come from: the newest that have ended.
    pub sampled: usize,
    /// Its nodes, in document order.
    pub nodes: Vec<NodeStatistics>,
}

/// How one node does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeStatistics {
    /// Its BPMN id.
    pub node: String,
    /// Tokens that stand there now.
    pub active: u64,
    /// Of those, with an open incident.
    pub incidents: u64,
    /// How often it did its work in the sample.
    pub completed: u64,
    /// Half of the times it took no longer, in milliseconds.
    pub p50_ms: Option<u64>,
    /// Of twenty times it took longer once.
    pub p95_ms: Option<u64>,
}

impl Engine {
    /// How a process does: its newest version, or the one named.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// for node in engine.statistics("order", None).await?.nodes {
    ///     println!("{}: {} tokens, p95 {:?} ms", node.node, node.active, node.p95_ms);
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn statistics(&self, process: &str, version: Option<u32>) -> Result<Statistics, Error> {
        let shared = &self.shared;
        if shared.several_nodes {
            // Another node may have deployed since we looked.
            shared.processes.deployed(self.whose(), process);
        }
        let compiled =
            shared.processes.version(&*shared.store, self.whose(), process, which(version)).await?;
        let definition = &compiled.definition;
        let standing = shared.store.standing(definition.id).await?;
        let standing: Map<_, _> = standing.iter().map(|one| (one.node.as_str(), one)).collect();
        let (sampled, mut durations) = self.durations(process, definition.version).await?;
        let nodes = compiled.process.nodes().map(|(_, node)| {
            let mut took = durations.remove(&node.id).unwrap_or_default();
            took.sort_unstable();
            let standing = standing.get(node.id.as_str());
            NodeStatistics {
                node: node.id.clone(),
                active: standing.map_or(0, |one| one.tokens),
                incidents: standing.map_or(0, |one| one.incidents),
                completed: took.len() as u64,
                p50_ms: part(&took, 50),
                p95_ms: part(&took, 95),
            }
        });
        let nodes = nodes.collect();
        let instances = self.statuses(process, Some(definition.version)).await?;
        Ok(Statistics { version: definition.version, instances, sampled, nodes })
    }

    /// How long nodes took in the newest instances that have ended.
    async fn durations(&self, process: &str, version: u32) -> Result<(usize, Map<String, Vec<u64>>), Error> {
        let filter = InstanceFilter {
            statuses: vec![Status::Completed, Status::Failed, Status::Cancelled],
            process: Some(process.to_owned()),
            version: Some(version),
            ..InstanceFilter::default()
        };
        let sample = self.find_instances(filter, None, SAMPLE).await?;
        let mut durations: Map<String, Vec<u64>> = Map::new();
        for one in &sample {
            let mut begun: Map<(Option<Number>, u32), Timestamp> = Map::new();
            self.instance(one.id)
                .fold(|past| {
                    let Some(node) = past.event.node else { return };
                    let visit = (past.event.token, node.0);
                    if past.event.kind == EventKind::NodeStarted {
                        begun.insert(visit, past.at);
                    } else if past.event.kind == EventKind::NodeCompleted
                        && let Some(since) = begun.remove(&visit)
                    {
                        let took = past.at.0.saturating_sub(since.0).max(0).cast_unsigned();
                        durations.entry(past.compiled.process.node(node).id.clone()).or_default().push(took);
                    }
                })
                .await?;
        }
        Ok((sample.len(), durations))
    }
}

/// The value below which so many in a hundred lie (nearest rank).
fn part(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn a_part_is_the_nearest_rank() {
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!((part(&hundred, 50), part(&hundred, 95)), (Some(50), Some(95)));
        assert_eq!((part(&[7], 50), part(&[7], 95), part(&[], 50)), (Some(7), Some(7), None));
        assert_eq!(part(&[1, 2, 3], 50), Some(2));
    }
}
