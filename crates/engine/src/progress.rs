//! How far an instance has come: a fold of its events.

use tyer_map::{Map, Set};
use tyer_model::{NodeIx, Process};

use crate::words::*;

/// What has happened at each node so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    nodes: Map<NodeIx, NodeProgress>,
}

/// What has happened at one node so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeProgress {
    /// How often it was entered.
    pub started: u32,
    /// How often it did its work.
    pub completed: u32,
}

impl Progress {
    /// Takes one more event into account.
    pub fn apply(&mut self, event: &Event) {
        if let EventKind::WorkflowMigrated(migrated) = &event.kind {
            let renamed = |node: NodeIx| {
                let pair = migrated.nodes.iter().find(|(old, _)| *old == node.0);
                pair.map(|(_, new)| NodeIx(*new))
            };
            let nodes = std::mem::take(&mut self.nodes);
            self.nodes =
                nodes.into_iter().filter_map(|(node, so_far)| Some((renamed(node)?, so_far))).collect();
        }
        let Some(node) = event.node else { return };
        if let EventKind::NodeStarted = event.kind {
            self.nodes.entry(node).or_default().started += 1;
        } else if let EventKind::NodeCompleted = event.kind {
            self.nodes.entry(node).or_default().completed += 1;
        }
    }

    /// Nodes that have done their work, in document order.
    pub fn completed(&self) -> impl Iterator<Item = NodeIx> {
        self.nodes.iter().filter(|(_, node)| node.completed > 0).map(|(ix, _)| *ix)
    }

    /// A percentage: nodes completed over those and the longest way still to go. 100 only when completed.
    pub fn percent(&self, process: &Process, instance: &Instance) -> u8 {
        if instance.status == Status::Completed {
            return 100;
        }
        let current: Set<NodeIx> = instance.occupied().collect();
        let done = self.completed().filter(|ix| !current.contains(ix)).count();
        let to_go = current.iter().map(|ix| process.longest_way(*ix)).max().unwrap_or(0) as usize;
        let whole = (done + to_go).max(1);
        u8::try_from((done * 100 / whole).min(99)).expect("at most 99")
    }
}
