//! One process: its nodes, its flows, and what must hold between them.
//!
//! **Invariant:** a `Process` is made only if nothing in it has been refused.

use std::collections::HashMap;

use tyer_xml::Element;

use super::flows::{self, Places};
use super::namespace::bpmn_children;
use super::report::{Report, label};
use super::{extension, node};
use crate::problem::Code;
use crate::process::{Flow, FlowIx, Node, NodeIx, NodeKind, Parts, Process};

/// Compiles a process; `None` when something in it has been refused.
pub(crate) fn compile(process: Element<'_>, report: &mut Report) -> Option<Process> {
    let id = identified(process, report);
    extension::check(process, report);
    let elements: Vec<_> = process
        .children()
        .filter(|element| node::is_flow_node(*element))
        .collect();
    let (mut nodes, places) = compile_nodes(&elements, report);
    let flows = flows::compile(process, &places, report);
    let by_id: HashMap<&str, FlowIx> = (0..)
        .zip(&flows)
        .map(|(ix, (_, flow))| (flow.id.as_str(), FlowIx(ix)))
        .collect();
    let compiled: Vec<_> = elements
        .into_iter()
        .filter(|element| is_compiled(*element, &places))
        .collect();
    for (node, element) in nodes.iter_mut().zip(&compiled) {
        node.default = default_flow(*element, &by_id, &flows, &places, report);
    }
    drop(by_id);
    check_flows(&nodes, &compiled, &flows, report);
    let start = single_start(process, &nodes, &compiled, report)?;
    if report.has_errors() {
        return None;
    }
    unreachable_nodes(start, &compiled, &flows, report);
    let flows = flows.into_iter().map(|(_, flow)| flow).collect();
    let name = process.attribute("name").map(str::to_owned);
    Some(Process::new(Parts {
        id: id?,
        name,
        nodes,
        flows,
        start,
    }))
}

fn identified(element: Element<'_>, report: &mut Report) -> Option<String> {
    let id = element.attribute("id").map(str::trim).filter(|id| !id.is_empty());
    if id.is_none() {
        let message = format!("{} has no id", element.local_name());
        report.error(
            Code::IdMissing,
            element,
            message,
            "give it an id: running instances are known by it",
        );
    }
    id.map(str::to_owned)
}

fn compile_nodes<'d>(elements: &[Element<'d>], report: &mut Report) -> (Vec<Node>, Places<'d>) {
    let mut nodes = Vec::new();
    let mut places = Places::new();
    for &element in elements {
        let id = identified(element, report);
        let kind = node::compile(element, report);
        let node = id.zip(kind).map(|(id, kind)| {
            let name = element.attribute("name").map(str::to_owned);
            Node {
                id,
                name,
                kind,
                incoming: Vec::new(),
                outgoing: Vec::new(),
                default: None,
            }
        });
        let place = node.map(|node| {
            nodes.push(node);
            NodeIx(u32::try_from(nodes.len() - 1).expect("a document has fewer than 2^32 elements"))
        });
        if let Some(id) = element.attribute("id") {
            places.insert(id, place);
        }
    }
    (nodes, places)
}

fn is_compiled(element: Element<'_>, places: &Places<'_>) -> bool {
    element
        .attribute("id")
        .is_some_and(|id| places.get(id).copied().flatten().is_some())
}

fn default_flow(
    element: Element<'_>,
    by_id: &HashMap<&str, FlowIx>,
    flows: &[(Element<'_>, Flow)],
    places: &Places<'_>,
    report: &mut Report,
) -> Option<FlowIx> {
    let written = element.attribute("default")?;
    let place = places.get(element.attribute("id")?).copied().flatten()?;
    let found = by_id
        .get(written)
        .copied()
        .filter(|ix| flows[ix.0 as usize].1.source == place);
    if found.is_none() {
        let message = format!(
            "default of {} names `{written}`, which is no flow that begins there",
            label(element)
        );
        report.error(
            Code::ReferenceUnknown,
            element,
            message,
            "name one of its outgoing flows",
        );
    }
    found
}

/// What must hold between a node and its flows.
fn check_flows(nodes: &[Node], elements: &[Element<'_>], flows: &[(Element<'_>, Flow)], report: &mut Report) {
    let mut ways_out = vec![0_usize; nodes.len()];
    for (_, flow) in flows {
        ways_out[flow.source.0 as usize] += 1;
    }
    for (ix, (element, flow)) in (0..).map(FlowIx).zip(flows) {
        let (source, target) = (flow.source.0 as usize, flow.target.0 as usize);
        if matches!(nodes[target].kind, NodeKind::Start) {
            let message = format!("{} has an incoming flow", label(elements[target]));
            report.error(
                Code::StartHasIncoming,
                *element,
                message,
                "let the flow end at another node",
            );
        }
        let is_default = nodes[source].default == Some(ix);
        let conditional = bpmn_children(*element, "conditionExpression").next().is_some();
        check_condition(
            &nodes[source],
            *element,
            conditional,
            is_default,
            ways_out[source],
            report,
        );
    }
}

fn check_condition(
    source: &Node,
    flow: Element<'_>,
    conditional: bool,
    is_default: bool,
    ways_out: usize,
    report: &mut Report,
) {
    match source.kind {
        NodeKind::End => {
            let message = format!("end event `{}` has an outgoing flow", source.id);
            report.error(
                Code::EndHasOutgoing,
                flow,
                message,
                "let the flow begin at another node",
            );
        }
        NodeKind::Exclusive if !conditional && !is_default && ways_out > 1 => {
            let message = format!(
                "{} leaves a gateway that decides, without condition, and is not its default",
                label(flow)
            );
            report.warning(
                Code::ConditionMissing,
                flow,
                message,
                "give it a condition or make it the default flow",
            );
        }
        NodeKind::Exclusive => {
            if conditional && is_default {
                let message = format!(
                    "{} is the default flow; its condition is never looked at",
                    label(flow)
                );
                report.warning(Code::ConditionIgnored, flow, message, "remove the condition");
            }
        }
        NodeKind::Parallel | NodeKind::Start if conditional => {
            let message = format!(
                "condition of {} is never looked at: its source takes all ways",
                label(flow)
            );
            report.warning(
                Code::ConditionIgnored,
                flow,
                message,
                "remove the condition or use an exclusive gateway",
            );
        }
        NodeKind::Pass | NodeKind::Job(_) | NodeKind::User(_) | NodeKind::Timer(_)
            if conditional || is_default =>
        {
            let message = format!(
                "conditional or default {} behind `{}` is not executed",
                label(flow),
                source.id
            );
            report.error(
                Code::ElementNotExecutable,
                flow,
                message,
                "put an exclusive gateway in between",
            );
        }
        NodeKind::Parallel
        | NodeKind::Start
        | NodeKind::Pass
        | NodeKind::Job(_)
        | NodeKind::User(_)
        | NodeKind::Timer(_) => {}
    }
}

fn single_start(
    process: Element<'_>,
    nodes: &[Node],
    elements: &[Element<'_>],
    report: &mut Report,
) -> Option<NodeIx> {
    let starts: Vec<_> = (0..)
        .zip(nodes)
        .filter(|(_, node)| matches!(node.kind, NodeKind::Start))
        .collect();
    match starts[..] {
        [] => {
            // A start event that was refused has been reported as such.
            if bpmn_children(process, "startEvent").next().is_none() {
                let message = format!("{} has no start event", label(process));
                report.error(Code::StartMissing, process, message, "add a start event");
            }
            None
        }
        [(ix, _)] => Some(NodeIx(ix)),
        _ => {
            for (ix, _) in &starts[1..] {
                let element = elements[*ix as usize];
                let message = format!("{} has several start events without trigger", label(process));
                report.error(Code::SeveralStarts, element, message, "keep one of them");
            }
            None
        }
    }
}

fn unreachable_nodes(
    start: NodeIx,
    elements: &[Element<'_>],
    flows: &[(Element<'_>, Flow)],
    report: &mut Report,
) {
    let mut next = vec![Vec::new(); elements.len()];
    for (_, flow) in flows {
        next[flow.source.0 as usize].push(flow.target.0 as usize);
    }
    let mut reached = vec![false; elements.len()];
    let mut waiting = vec![start.0 as usize];
    while let Some(place) = waiting.pop() {
        if !std::mem::replace(&mut reached[place], true) {
            waiting.extend(&next[place]);
        }
    }
    for (element, _) in elements.iter().zip(reached).filter(|(_, reached)| !reached) {
        let message = format!("no way leads from the start to {}", label(*element));
        report.warning(
            Code::NodeUnreachable,
            *element,
            message,
            "connect it or remove it",
        );
    }
}
