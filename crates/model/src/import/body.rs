//! Scopes: where a process or sub-process begins, what can interrupt it, and which data it has.
//!
//! **Invariant:** a scope that holds nodes has somewhere to begin, or it is refused.

use tyer_xml::Element;

use super::context::Context;
use super::process::{Graph, index};
use super::{data, own};
use crate::code::Code;
use crate::process::{Body, Node, NodeIx, NodeKind, SubProcessKind};
use crate::report::label;

/// Fills in the bodies of all sub-processes and gives back that of the process.
pub(super) fn compile<'d>(graph: &mut Graph<'d>, context: &mut Context<'_, 'd>) -> Body {
    let mut inside = vec![Vec::new(); graph.nodes.len() + 1];
    for (place, (_, node)) in graph.nodes.iter().enumerate() {
        inside[node.parent.map_or(0, |parent| parent.0 as usize + 1)].push(index(place));
    }
    let entered = entered(graph);
    let process = context.process;
    let root = of_scope(process, None, &inside[0], graph, &entered, context);
    for place in 0..graph.nodes.len() {
        let (element, node) = &graph.nodes[place];
        if node.body().is_none() {
            continue;
        }
        // A scope stands before what it holds, so the scope around it is filled in already.
        let around = node.parent.and_then(|parent| graph.nodes[parent.0 as usize].1.body()).unwrap_or(&root);
        let around = Some((around.in_flight, around.on_failure));
        let body = of_scope(*element, around, &inside[place + 1], graph, &entered, context);
        if let NodeKind::SubProcess(sub) = &mut graph.nodes[place].1.kind {
            sub.body = body;
        }
    }
    root
}

type Around = Option<(crate::process::InFlight, crate::process::OnFailure)>;

fn of_scope<'d>(
    scope: Element<'d>,
    around: Around,
    inside: &[NodeIx],
    graph: &Graph<'d>,
    entered: &[bool],
    context: &mut Context<'_, 'd>,
) -> Body {
    let mut body = Body { data: data::of_scope(scope, context), ..Body::default() };
    own::of_scope(scope, around, &mut body, context);
    let node = |ix: &NodeIx| &graph.nodes[ix.0 as usize].1;
    body.events = inside.iter().copied().filter(|ix| is_event_sub_process(node(ix))).collect();
    let is_start = |ix: &&NodeIx| matches!(node(ix).kind, NodeKind::Start(_));
    if inside.iter().any(|ix| is_start(&ix)) {
        body.starts = inside.iter().filter(is_start).filter(|ix| !is_triggered(node(ix))).copied().collect();
        several(scope, &body.starts, graph, context);
        return body;
    }
    // BPMN 2.0.2 §13.2: without start events, everything that no flow leads to begins.
    let begins = |ix: &&NodeIx| !entered[ix.0 as usize] && begins_by_itself(node(ix));
    body.starts = inside.iter().filter(begins).copied().collect();
    let instantiates = inside.iter().any(|ix| is_instantiating(node(ix)));
    let is_empty = inside.is_empty() && around.is_some();
    if body.starts.is_empty() && !instantiates && !is_empty {
        let message = || format!("{} has nowhere to begin", label(scope));
        context.report.found(Code::StartMissing, scope, message);
    }
    body
}

fn several(scope: Element<'_>, starts: &[NodeIx], graph: &Graph<'_>, context: &mut Context<'_, '_>) {
    for extra in starts.iter().skip(1) {
        let (element, _) = &graph.nodes[extra.0 as usize];
        let message = || format!("{} has several start events without trigger", label(scope));
        context.report.found(Code::SeveralStarts, *element, message);
    }
}

fn entered(graph: &Graph<'_>) -> Vec<bool> {
    let mut entered = vec![false; graph.nodes.len()];
    for (_, flow) in &graph.flows {
        entered[flow.target.0 as usize] = true;
    }
    entered
}

fn is_triggered(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::Start(triggers) if !triggers.any.is_empty())
}

pub(super) fn is_event_sub_process(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::SubProcess(sub) if matches!(sub.kind, SubProcessKind::Event { .. }))
}

/// Whether a message to this node begins an instance.
pub(super) fn is_instantiating(node: &Node) -> bool {
    matches!(
        node.kind,
        NodeKind::Receive { instantiate: true, .. } | NodeKind::EventBased { instantiate: true, .. }
    )
}

/// Whether a node without incoming flow gets a token when its scope begins.
fn begins_by_itself(node: &Node) -> bool {
    let catches_link = matches!(&node.kind, NodeKind::Catch(triggers) if triggers.any.is_empty());
    let on_border = matches!(node.kind, NodeKind::Boundary(_));
    !(on_border
        || catches_link
        || node.for_compensation
        || is_event_sub_process(node)
        || is_instantiating(node))
}
