//! Which flows a node may put tokens on when it completes.
//!
//! **Invariant:** a condition whose variable is not known may go either way; one that is known goes one way only.

use super::game::Game;
use crate::blueprint::{FlowId, Gateway, Kind, NodeId, SubProcess};

impl Game<'_> {
    /// Refuses a choice of flows that the node cannot make.
    pub(super) fn check_flows(&self, node: NodeId, flows: &[FlowId]) -> Result<(), String> {
        let outgoing = self.net.outgoing(node);
        if let Some(foreign) = flows.iter().find(|flow| !outgoing.contains(flow)) {
            return Err(format!("flow {} does not begin at `{}`", foreign.0, self.net.id(node)));
        }
        if flows.is_empty() && self.may_be_enough(node) {
            return Ok(());
        }
        let quantity = self.net.blueprint[node].completion_quantity as usize;
        let count = |flow: &FlowId| flows.iter().filter(|other| *other == flow).count();
        if let Some(wrong) = flows.iter().find(|flow| count(flow) != quantity) {
            let id = &self.net.blueprint[*wrong].id;
            return Err(format!("`{id}` got {} tokens instead of {quantity}", count(wrong)));
        }
        match self.net.kind(node) {
            Kind::Gateway(Gateway::Exclusive) => self.check_one(node, flows),
            Kind::Gateway(Gateway::EventBased { .. }) => {
                let is_one = flows.len() == 1;
                is_one.then_some(()).ok_or_else(|| format!("`{}` goes one way", self.net.id(node)))
            }
            Kind::Gateway(Gateway::Parallel) => {
                let is_all = flows.len() == outgoing.len();
                is_all.then_some(()).ok_or_else(|| format!("`{}` goes all ways", self.net.id(node)))
            }
            Kind::Gateway(Gateway::Inclusive | Gateway::Complex(_)) => {
                if flows.is_empty() && !outgoing.is_empty() {
                    return Err(format!("`{}` lost its token", self.net.id(node)));
                }
                self.check_several(node, flows)
            }
            Kind::Task(_)
            | Kind::Call(_)
            | Kind::Start { .. }
            | Kind::Catch(_)
            | Kind::Throw(_)
            | Kind::End(_)
            | Kind::Boundary { .. }
            | Kind::SubProcess(_) => self.check_several(node, flows),
        }
    }

    /// The ad-hoc sub-process around it may be over: then nothing goes on in it (BPMN 2.0.2 §13.3.5).
    fn may_be_enough(&self, node: NodeId) -> bool {
        let outer = self.net.blueprint[node].within.map(|outer| self.net.kind(outer));
        let Some(Kind::SubProcess(SubProcess::AdHoc { until, .. })) = outer else { return false };
        until.value(self.variables) != Some(false)
    }

    /// Some way out of the gateway can be taken.
    pub(super) fn can_split(&self, node: NodeId) -> bool {
        let outgoing = self.net.outgoing(node);
        let can = |flow: &FlowId| self.net.blueprint[*flow].is_default || self.holds(*flow) != Some(false);
        outgoing.is_empty() || outgoing.iter().any(can)
    }

    /// Some way out of the gateway can be taken, whatever is not known.
    pub(super) fn surely_splits(&self, node: NodeId) -> bool {
        let outgoing = self.net.outgoing(node);
        let can = |flow: &FlowId| self.net.blueprint[*flow].is_default || self.holds(*flow) == Some(true);
        outgoing.is_empty() || outgoing.iter().any(can)
    }

    /// The first whose condition holds, else the default.
    fn check_one(&self, node: NodeId, flows: &[FlowId]) -> Result<(), String> {
        let outgoing = self.net.outgoing(node);
        if outgoing.is_empty() && flows.is_empty() {
            return Ok(());
        }
        let [chosen] = flows else { return Err(format!("`{}` goes one way", self.net.id(node))) };
        let is_default = |flow: &&FlowId| self.net.blueprint[**flow].is_default;
        for flow in outgoing.iter().filter(|flow| !is_default(flow)) {
            match self.holds(*flow) {
                None | Some(true) if flow == chosen => return Ok(()),
                Some(true) => {
                    let id = &self.net.blueprint[*flow].id;
                    return Err(format!("the condition of `{id}` holds, and it comes first"));
                }
                None | Some(false) => {}
            }
        }
        let id = &self.net.blueprint[*chosen].id;
        is_default(&chosen).then_some(()).ok_or_else(|| format!("the condition of `{id}` does not hold"))
    }

    /// Every one whose condition holds; the default when no condition does.
    fn check_several(&self, node: NodeId, flows: &[FlowId]) -> Result<(), String> {
        let outgoing = self.net.outgoing(node);
        let mut has_conditional = false;
        for flow in outgoing.iter().filter(|flow| !self.net.blueprint[**flow].is_default) {
            let is_taken = flows.contains(flow);
            has_conditional |= is_taken && self.net.blueprint[*flow].condition.is_some();
            if self.holds(*flow).is_some_and(|holds| holds != is_taken) {
                let id = &self.net.blueprint[*flow].id;
                let what =
                    if is_taken { "does not hold, yet it is taken" } else { "holds, yet it is not taken" };
                return Err(format!("the condition of `{id}` {what}"));
            }
        }
        match outgoing.iter().find(|flow| self.net.blueprint[**flow].is_default) {
            Some(default) if flows.contains(default) == has_conditional => {
                let id = &self.net.blueprint[*default].id;
                Err(format!("the default `{id}` is taken when no condition holds, and only then"))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn holds(&self, flow: FlowId) -> Option<bool> {
        match &self.net.blueprint[flow].condition {
            None => Some(true),
            Some(condition) => condition.value(self.variables),
        }
    }
}
