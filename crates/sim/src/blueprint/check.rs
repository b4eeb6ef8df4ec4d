//! What makes a blueprint a process that BPMN allows.
//!
//! **Invariant:** what passes here may be deployed; what an engine then refuses is a fault of one of the two.

use super::{Blueprint, FlowId, Gateway, Kind, NodeId, SubProcess, Task, Throw, Trigger};
use std::collections::BTreeSet;

impl Blueprint {
    /// The first thing that BPMN does not allow.
    pub fn check(&self) -> Result<(), String> {
        let all = || std::iter::once(self).chain(&self.called);
        let nodes = all().flat_map(|process| process.nodes.iter().map(|node| &node.id));
        let flows = all().flat_map(|process| process.flows.iter().map(|flow| &flow.id));
        let mut names = nodes.chain(flows);
        let mut seen = BTreeSet::new();
        if let Some(twice) = names.find(|name| !seen.insert((*name).clone())) {
            return Err(format!("`{twice}` is used twice"));
        }
        if self.starts(None).next().is_none() && !self.node_ids().any(|node| self.is_instantiating(node)) {
            return Err("the process has no start".to_owned());
        }
        let node_problem = self
            .node_ids()
            .find_map(|node| self.node_problem(node).map(|what| format!("`{}`: {what}", self[node].id)));
        let flow_problem = self
            .flow_ids()
            .find_map(|flow| self.flow_problem(flow).map(|what| format!("`{}`: {what}", self[flow].id)));
        node_problem.or(flow_problem).map_or(Ok(()), Err)
    }

    /// The node starts the process although it is no start event.
    pub fn is_instantiating(&self, node: NodeId) -> bool {
        matches!(
            self[node].kind,
            Kind::Task(Task::Receive { instantiates: true })
                | Kind::Gateway(Gateway::EventBased { instantiates: true })
        )
    }

    /// The node is entered by something else than a flow.
    pub fn is_entered_otherwise(&self, node: NodeId) -> bool {
        let in_ad_hoc = self[node]
            .within
            .is_some_and(|outer| matches!(self[outer].kind, Kind::SubProcess(SubProcess::AdHoc { .. })));
        let by_kind = matches!(
            self[node].kind,
            Kind::Start { .. }
                | Kind::Boundary { .. }
                | Kind::Catch(Trigger::Link(_))
                | Kind::SubProcess(SubProcess::Event)
        );
        by_kind || in_ad_hoc || self[node].compensates.is_some() || self.is_instantiating(node)
    }

    fn flow_problem(&self, flow: FlowId) -> Option<&'static str> {
        let (from, to) = (self[flow].from, self[flow].to);
        if self[from].within != self[to].within {
            return Some("it leaves its scope");
        }
        if matches!(self[from].kind, Kind::End(_) | Kind::SubProcess(SubProcess::Event)) {
            return Some("nothing goes on from where it begins");
        }
        if self.is_entered_otherwise(to) && !self.is_in_ad_hoc(to) {
            return Some("what it leads to is entered in another way");
        }
        let defaults = self.outgoing(from).filter(|other| self[*other].is_default).count();
        if defaults > 1 || (self[flow].is_default && self[flow].condition.is_some()) {
            return Some("a default flow is the only one and has no condition");
        }
        None
    }

    fn is_in_ad_hoc(&self, node: NodeId) -> bool {
        let outer = self[node].within;
        outer.is_some_and(|outer| matches!(self[outer].kind, Kind::SubProcess(SubProcess::AdHoc { .. })))
    }

    fn node_problem(&self, node: NodeId) -> Option<&'static str> {
        if self[node].within.is_some_and(|outer| outer >= node) {
            return Some("it stands before its container");
        }
        if !self.is_entered_otherwise(node) && self.incoming(node).next().is_none() {
            return Some("nothing leads to it");
        }
        match &self[node].kind {
            Kind::Gateway(gateway) => self.gateway_problem(node, *gateway),
            Kind::Boundary { host, trigger, .. } => self.boundary_problem(node, *host, trigger),
            Kind::SubProcess(sub_process) => self.sub_process_problem(node, sub_process),
            Kind::Start { .. } => self.outgoing(node).next().is_none().then_some("it starts nothing"),
            Kind::Catch(Trigger::Link(name)) => {
                let is_first = self.link_target(self[node].within, name) == Some(node);
                let leads = self.outgoing(node).next().is_some();
                (!leads || !is_first).then_some("it leads nowhere, or is not the only one of its name")
            }
            Kind::Throw(throw) | Kind::End(throw) => self.throw_problem(node, throw),
            Kind::Call(process) => {
                let is_there = self.called.iter().any(|called| called.id == *process);
                (!is_there).then_some("it calls an unknown process")
            }
            Kind::Task(_) | Kind::Catch(_) => None,
        }
    }

    fn gateway_problem(&self, node: NodeId, gateway: Gateway) -> Option<&'static str> {
        let outgoing: Vec<FlowId> = self.outgoing(node).collect();
        if outgoing.is_empty() {
            return Some("it leads nowhere");
        }
        match gateway {
            Gateway::Exclusive | Gateway::Inclusive if outgoing.len() > 1 => {
                let is_open = |flow: &FlowId| self[*flow].condition.is_none() && !self[*flow].is_default;
                outgoing.iter().any(is_open).then_some("one of its flows has no condition")
            }
            Gateway::EventBased { .. } => {
                let is_event = |flow: &FlowId| self.may_follow_event_based(self[*flow].to);
                (outgoing.len() < 2 || !outgoing.iter().all(is_event))
                    .then_some("it needs two events after it, each reached by it alone")
            }
            Gateway::Exclusive | Gateway::Inclusive | Gateway::Parallel | Gateway::Complex(_) => {
                let has_condition = |flow: &FlowId| self[*flow].condition.is_some();
                let is_parallel = gateway == Gateway::Parallel;
                (is_parallel && outgoing.iter().any(has_condition)).then_some("it takes no conditions")
            }
        }
    }

    fn may_follow_event_based(&self, node: NodeId) -> bool {
        let waits = match &self[node].kind {
            Kind::Catch(trigger) => !matches!(trigger, Trigger::Link(_) | Trigger::None),
            Kind::Task(Task::Receive { instantiates: false }) => self.boundaries(node).next().is_none(),
            Kind::Task(_)
            | Kind::Call(_)
            | Kind::Gateway(_)
            | Kind::Start { .. }
            | Kind::Throw(_)
            | Kind::End(_)
            | Kind::Boundary { .. }
            | Kind::SubProcess(_) => false,
        };
        waits && self.incoming(node).count() == 1
    }

    fn boundary_problem(&self, node: NodeId, host: NodeId, trigger: &Trigger) -> Option<&'static str> {
        if !self[host].kind.is_activity() || self[host].within != self[node].within || host >= node {
            return Some("it is not on an activity of its scope");
        }
        let has_outgoing = self.outgoing(node).next().is_some();
        if *trigger == Trigger::Compensation {
            return (has_outgoing || self.handler(host).is_none())
                .then_some("it needs a handler and no flow");
        }
        if *trigger == Trigger::Cancel && self[host].kind != Kind::SubProcess(SubProcess::Transaction) {
            return Some("only a transaction is cancelled");
        }
        (!has_outgoing).then_some("it leads nowhere")
    }

    fn sub_process_problem(&self, node: NodeId, sub_process: &SubProcess) -> Option<&'static str> {
        let starts: Vec<NodeId> = self.starts(Some(node)).collect();
        let is_plain =
            |start: &NodeId| matches!(self[*start].kind, Kind::Start { trigger: Trigger::None, .. });
        match sub_process {
            SubProcess::Embedded | SubProcess::Transaction => {
                (starts.len() != 1 || !starts.iter().all(is_plain)).then_some("it needs one plain start")
            }
            SubProcess::Event => (starts.len() != 1 || starts.iter().any(is_plain))
                .then_some("it needs one start with an event"),
            SubProcess::AdHoc { .. } => {
                let has_end = self.children(Some(node)).any(|child| matches!(self[child].kind, Kind::End(_)));
                let is_empty = self.children(Some(node)).next().is_none();
                (!starts.is_empty() || has_end || is_empty)
                    .then_some("it contains activities, no start, no end")
            }
        }
    }

    fn throw_problem(&self, node: NodeId, throw: &Throw) -> Option<&'static str> {
        let within = self[node].within;
        match throw {
            Throw::Link(name) => self.link_target(within, name).is_none().then_some("its link leads nowhere"),
            Throw::Cancel => {
                let is_transaction =
                    |outer: NodeId| self[outer].kind == Kind::SubProcess(SubProcess::Transaction);
                (!within.is_some_and(is_transaction)).then_some("it cancels no transaction")
            }
            Throw::Compensation(Some(target)) => {
                let can_be_undone =
                    self.handler(*target).is_some() || matches!(self[*target].kind, Kind::SubProcess(_));
                (!can_be_undone || self[*target].within != within).then_some("it undoes nothing")
            }
            Throw::None
            | Throw::Message(_)
            | Throw::Error(_)
            | Throw::Escalation(_)
            | Throw::Compensation(None)
            | Throw::Signal(_)
            | Throw::Terminate => None,
            Throw::Multiple(parts) => parts.iter().find_map(|part| self.throw_problem(node, part)),
        }
    }
}
