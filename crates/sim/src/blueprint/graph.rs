//! Questions about the graph of a blueprint, answered by plain search.
//!
//! **Invariant:** answers come in the order of the lists, so that everything built on them is the same every time.

use super::{Blueprint, FlowId, Gateway, Kind, MergeMode, NodeId, SubProcess, Task, Throw, Trigger};

impl Blueprint {
    /// Every node.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Every flow.
    pub fn flow_ids(&self) -> impl Iterator<Item = FlowId> + use<> {
        (0..self.flows.len() as u32).map(FlowId)
    }

    /// The node of this BPMN id.
    pub fn node_named(&self, id: &str) -> Option<NodeId> {
        self.node_ids().find(|node| self[*node].id == id)
    }

    /// The flow of this BPMN id.
    pub fn flow_named(&self, id: &str) -> Option<FlowId> {
        self.flow_ids().find(|flow| self[*flow].id == id)
    }

    /// Flows that lead to the node.
    pub fn incoming(&self, node: NodeId) -> impl Iterator<Item = FlowId> + '_ {
        self.flow_ids().filter(move |flow| self[*flow].to == node)
    }

    /// Flows that begin at the node.
    pub fn outgoing(&self, node: NodeId) -> impl Iterator<Item = FlowId> + '_ {
        self.flow_ids().filter(move |flow| self[*flow].from == node)
    }

    /// Nodes that stand directly in this container; `None` is the process.
    pub fn children(&self, container: Option<NodeId>) -> impl Iterator<Item = NodeId> + '_ {
        self.node_ids().filter(move |node| self[*node].within == container)
    }

    /// Boundary events of the activity.
    pub fn boundaries(&self, activity: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.node_ids()
            .filter(move |node| matches!(self[*node].kind, Kind::Boundary { host, .. } if host == activity))
    }

    /// Event sub-processes that stand directly in this container.
    pub fn event_sub_processes(&self, container: Option<NodeId>) -> impl Iterator<Item = NodeId> + '_ {
        self.children(container)
            .filter(|node| matches!(self[*node].kind, Kind::SubProcess(SubProcess::Event)))
    }

    /// Start events of the container.
    pub fn starts(&self, container: Option<NodeId>) -> impl Iterator<Item = NodeId> + '_ {
        self.children(container).filter(|node| matches!(self[*node].kind, Kind::Start { .. }))
    }

    /// The task or sub-process that undoes the activity.
    pub fn handler(&self, activity: NodeId) -> Option<NodeId> {
        let events = self.boundaries(activity).filter(|boundary| {
            matches!(self[*boundary].kind, Kind::Boundary { trigger: Trigger::Compensation, .. })
        });
        events
            .into_iter()
            .find_map(|boundary| self.node_ids().find(|node| self[*node].compensates == Some(boundary)))
    }

    /// The catch event that a link leads to.
    pub fn link_target(&self, container: Option<NodeId>, name: &str) -> Option<NodeId> {
        self.children(container)
            .find(|node| matches!(&self[*node].kind, Kind::Catch(Trigger::Link(link)) if link == name))
    }

    /// Whether the node stands in the container, however deep.
    pub fn is_inside(&self, node: NodeId, container: NodeId) -> bool {
        let mut outer = self[node].within;
        while let Some(step) = outer {
            if step == container {
                return true;
            }
            outer = self[step].within;
        }
        false
    }

    /// Where a token at the node can be next, without leaving its scope: flows, events on the activity, links.
    pub fn next_nodes(&self, node: NodeId) -> Vec<NodeId> {
        let mut next: Vec<NodeId> = self.outgoing(node).map(|flow| self[flow].to).collect();
        next.extend(self.boundaries(node));
        if let Kind::Throw(Throw::Link(name)) | Kind::End(Throw::Link(name)) = &self[node].kind {
            next.extend(self.link_target(self[node].within, name));
        }
        next
    }
}

impl Kind {
    /// Something that does work: it may carry markers and boundary events.
    pub fn is_activity(&self) -> bool {
        match self {
            Kind::SubProcess(sub_process) => *sub_process != SubProcess::Event,
            Kind::Task(_) | Kind::Call(_) => true,
            Kind::Gateway(_)
            | Kind::Start { .. }
            | Kind::Catch(_)
            | Kind::Throw(_)
            | Kind::End(_)
            | Kind::Boundary { .. } => false,
        }
    }

    /// A worker does it.
    pub fn is_job(&self) -> bool {
        let tasks = [Task::Service, Task::Send, Task::ScriptJob, Task::BusinessRule];
        matches!(self, Kind::Task(task) if tasks.contains(task))
    }

    /// What the event waits for.
    pub fn trigger(&self) -> Option<&Trigger> {
        match self {
            Kind::Start { trigger, .. } | Kind::Catch(trigger) | Kind::Boundary { trigger, .. } => {
                Some(trigger)
            }
            Kind::Task(_)
            | Kind::Call(_)
            | Kind::Gateway(_)
            | Kind::Throw(_)
            | Kind::End(_)
            | Kind::SubProcess(_) => None,
        }
    }

    /// What the event does.
    pub fn throws(&self) -> Option<&Throw> {
        match self {
            Kind::Throw(throw) | Kind::End(throw) => Some(throw),
            Kind::Task(_)
            | Kind::Call(_)
            | Kind::Gateway(_)
            | Kind::Start { .. }
            | Kind::Catch(_)
            | Kind::Boundary { .. }
            | Kind::SubProcess(_) => None,
        }
    }

    /// A gateway where tokens wait for others, or a node that is told to.
    pub fn waits_for_others(&self, merge: Option<MergeMode>) -> bool {
        match merge {
            Some(MergeMode::Converge | MergeMode::Merge) => true,
            Some(MergeMode::Stream | MergeMode::Race | MergeMode::Cascade) => false,
            None => {
                matches!(self, Kind::Gateway(Gateway::Parallel | Gateway::Inclusive | Gateway::Complex(_)))
            }
        }
    }
}
