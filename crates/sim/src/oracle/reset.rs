//! A complex gateway after it has fired: it waits for what comes too late, and then begins anew.
//!
//! **Invariant:** a gateway that is not reset does not fire, and one that nothing is coming to any more is reset.

use super::game::Game;
use super::marking::{Marking, Scope, Token};
use super::net::Along;
use crate::blueprint::{FlowId, NodeId};

impl Game<'_> {
    /// A complex gateway that has fired waits for a token on every flow that had none (BPMN 2.0.2 §13.4.5).
    pub(super) fn waits_for_reset(&self, scope: &Scope, node: NodeId) -> bool {
        scope.stragglers.iter().any(|(gateway, _)| *gateway == node)
    }

    /// With the complex gateways reset for whose flows no token is on its way any more.
    /// Whether one that is stuck at a starved join is on its way is left open: `counts_stuck` says.
    pub(super) fn with_resets(&self, marking: &Marking, counts_stuck: bool) -> Option<Marking> {
        if marking.scopes.values().all(|scope| scope.stragglers.is_empty()) {
            return None;
        }
        let mut next = marking.clone();
        for scope in next.scopes.values_mut() {
            let is_over = |node: NodeId| !self.is_expected_late(scope, node, counts_stuck);
            let over: Vec<NodeId> =
                scope.stragglers.iter().map(|(node, _)| *node).filter(|node| is_over(*node)).collect();
            scope.stragglers.retain(|(node, _)| !over.contains(node));
        }
        (next != *marking).then_some(next)
    }

    /// A token is expected on a flow that had none when the gateway fired: as an inclusive gateway would expect it, so one
    /// that can also come to a flow that had one does not count.
    fn is_expected_late(&self, scope: &Scope, node: NodeId, counts_stuck: bool) -> bool {
        let is_empty = |flow: &FlowId| scope.stragglers.contains(&(node, *flow));
        let stands_at = |token: &Token, joins: &[NodeId]| {
            token.flow().is_some_and(|flow| joins.contains(&self.net.blueprint[flow].to))
        };
        // It waits at a join that only those can feed who wait at this gateway.
        let waits_in_vain = |token: &Token| {
            let join = token.flow().map(|flow| self.net.blueprint[flow].to);
            join.is_some_and(|join| self.lacks_flows(scope, join) && !self.is_fed(scope, join, &[node]))
        };
        let is_stuck = |token: &Token| stands_at(token, &scope.starved) || waits_in_vain(token);
        scope.living().any(|token| {
            if stands_at(token, &[node]) || (!counts_stuck && is_stuck(token)) {
                return false;
            }
            let reached = self.net.reachable(token, &[node], Along::Every);
            let reaches = |flow: &&FlowId| reached[flow.0 as usize];
            let (empty, full): (Vec<&FlowId>, Vec<&FlowId>) =
                self.net.incoming(node).iter().partition(|flow| is_empty(flow));
            empty.iter().any(reaches) && !full.iter().any(reaches)
        })
    }
}
