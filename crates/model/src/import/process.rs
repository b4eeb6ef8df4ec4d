//! One process: all its nodes and flows, however deep they stand, and where each scope begins.
//!
//! **Invariant:** a `Process` is made only if nothing in the file has been refused.
//! **Invariant:** no recursion: a scope stands before what it holds.

use tyer_xml::Element;

use super::context::Context;
use super::{body, data, event, extension, flows, node, own, rules};
use crate::code::Code;
use crate::definitions::Definitions;
use crate::namespace::{BPMN, TYER, ZEEBE, bpmn_children, mapped_attribute};
use crate::process::{Flow, FlowIx, Node, NodeIx, NodeKind, Parts, Process, Trigger};
use crate::report::{Report, label};

/// The nodes and flows of a process with the elements they come from, in document order.
pub(super) struct Graph<'d> {
    pub(super) nodes: Vec<(Element<'d>, Node)>,
    pub(super) flows: Vec<(Element<'d>, Flow)>,
}

/// Compiles a process; `None` when something in it has been refused.
pub(super) fn compile<'d>(
    definitions: &'d Definitions,
    process: Element<'d>,
    report: &mut Report,
) -> Option<Process> {
    let id = process.attribute("id").map(str::trim).filter(|id| !id.is_empty());
    if id.is_none() {
        let hint = "give it an id: instances are started by it";
        report.error(Code::IdMissing, process, "process has no id".to_owned(), hint);
    }
    let mut context = Context::new(definitions, process, report);
    let found = Found::of(process, &mut context);
    let mut graph = found.compile(&mut context);
    set_default_flows(&mut graph, &context);
    set_borders(&mut graph);
    set_handlers(&mut graph, &found.associations, &mut context);
    set_merge_modes(&mut graph, &mut context);
    set_beginnings(&mut graph);
    let body = body::compile(&mut graph, &mut context);
    context.report_shared();
    let report = context.report;
    rules::conditions(&graph, report);
    if report.has_errors() {
        return None;
    }
    rules::unreachable(&graph, &body, report);
    rules::loops_without_wait(&graph, report);
    let Graph { nodes, flows } = graph;
    Some(Process::new(Parts {
        id: id?.to_owned(),
        name: process.attribute("name").map(str::to_owned),
        version_tag: version_tag(process),
        nodes: nodes.into_iter().map(|(_, node)| node).collect(),
        flows: flows.into_iter().map(|(_, flow)| flow).collect(),
        body,
    }))
}

fn version_tag(process: Element<'_>) -> Option<String> {
    let native = crate::namespace::extension(process, ZEEBE, "versionTag");
    let own = process.attribute_ns(TYER, "versionTag");
    let native = || native.and_then(|native| native.attribute("value"));
    own.or_else(native).or_else(|| mapped_attribute(process, "versionTag")).map(|tag| tag.trim().to_owned())
}

/// What stands in a process, in document order.
struct Found<'d> {
    nodes: Vec<(Element<'d>, Option<NodeIx>)>,
    flows: Vec<Element<'d>>,
    associations: Vec<Element<'d>>,
}

impl<'d> Found<'d> {
    fn of(process: Element<'d>, context: &mut Context<'_, 'd>) -> Found<'d> {
        let mut found = Found { nodes: Vec::new(), flows: Vec::new(), associations: Vec::new() };
        for element in process.subtree().filter(|element| element.name().namespace == BPMN) {
            extension::check(element, context.report);
            let Some(around) = element.parent() else { continue };
            data::declare(element, context);
            let parent = context.place(around);
            if around != process && !parent.is_some_and(|_| is_scope(around)) {
                continue;
            }
            match element.local_name() {
                "sequenceFlow" => found.flows.push(element),
                "association" => found.associations.push(element),
                _ if node::is_flow_node(element) => {
                    let place =
                        u32::try_from(found.nodes.len()).expect("a document has fewer than 2^32 elements");
                    context.put(element, NodeIx(place));
                    put_links(element, around, NodeIx(place), context);
                    found.nodes.push((element, parent));
                }
                _ => {}
            }
        }
        let collaborations = bpmn_children(context.definitions.root(), "collaboration");
        found.associations.extend(collaborations.flat_map(|between| bpmn_children(between, "association")));
        found
    }

    fn compile(&self, context: &mut Context<'_, 'd>) -> Graph<'d> {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        for (element, parent) in &self.nodes {
            let id = node::identified(*element, context.report);
            nodes.push((*element, node::compile(*element, id, *parent, context)));
        }
        let flow = |element: &Element<'d>| Some((*element, flows::compile(*element, context)?));
        Graph { nodes, flows: self.flows.iter().filter_map(flow).collect() }
    }
}

fn put_links<'d>(element: Element<'d>, scope: Element<'d>, place: NodeIx, context: &mut Context<'_, 'd>) {
    if element.local_name() != "intermediateCatchEvent" {
        return;
    }
    let definitions = event::definitions_of(element, context);
    for link in definitions.iter().filter(|definition| definition.local_name() == "linkEventDefinition") {
        if let Some(name) = link.attribute("name") {
            context.put_link(scope, name.trim(), place);
        }
    }
}

fn is_scope(element: Element<'_>) -> bool {
    matches!(element.local_name(), "subProcess" | "transaction" | "adHocSubProcess")
}

fn set_default_flows(graph: &mut Graph<'_>, context: &Context<'_, '_>) {
    for (place, (element, node)) in (0..).map(NodeIx).zip(&mut graph.nodes) {
        let Some(named) = context.target(*element, "default") else { continue };
        // Flows stand in document order.
        let found = graph.flows.binary_search_by_key(&named.order(), |(flow, _)| flow.order());
        let leaves = found.ok().filter(|position| graph.flows[*position].1.source == place);
        node.default = leaves.map(|position| FlowIx(index(position).0));
    }
}

fn set_borders(graph: &mut Graph<'_>) {
    for place in 0..graph.nodes.len() {
        if let NodeKind::Boundary(boundary) = &graph.nodes[place].1.kind {
            let host = boundary.host.0 as usize;
            graph.nodes[host].1.boundary.push(index(place));
        }
    }
}

/// BPMN 2.0.2 §10.7: an association leads from the compensation event on the border to the activity that undoes.
fn set_handlers<'d>(graph: &mut Graph<'d>, associations: &[Element<'d>], context: &mut Context<'_, 'd>) {
    for association in associations {
        let end = |name| context.target(*association, name).and_then(|node| context.place(node));
        let (Some(source), Some(target)) = (end("sourceRef"), end("targetRef")) else { continue };
        let host_of = |event: NodeIx| {
            let NodeKind::Boundary(boundary) = &graph.nodes[event.0 as usize].1.kind else { return None };
            let undoes = boundary.triggers.any.iter().any(|trigger| matches!(trigger, Trigger::Compensation));
            undoes.then_some(boundary.host)
        };
        let forward = host_of(source).map(|host| (host, target));
        let Some((host, handler)) = forward.or_else(|| host_of(target).map(|host| (host, source))) else {
            continue;
        };
        // A handler in another scope could be asked for when its scope is gone.
        if graph.nodes[host.0 as usize].1.parent != graph.nodes[handler.0 as usize].1.parent {
            let message =
                || format!("handler of {} is in another scope", label(graph.nodes[host.0 as usize].0));
            context.report.found(Code::CompensationHandler, *association, message);
            continue;
        }
        graph.nodes[host.0 as usize].1.handler = Some(handler);
        graph.nodes[handler.0 as usize].1.for_compensation = true;
    }
}

/// What the process says of merging holds for every node but gateways, which say it by their type.
fn set_merge_modes(graph: &mut Graph<'_>, context: &mut Context<'_, '_>) {
    let Some(mode) = own::merge_mode(context.process, context) else { return };
    let mut ways_in = vec![0_usize; graph.nodes.len()];
    for (_, flow) in &graph.flows {
        ways_in[flow.target.0 as usize] += 1;
    }
    for ((element, node), ways_in) in graph.nodes.iter_mut().zip(ways_in) {
        if ways_in > 1 && node.merge.is_none() && !element.local_name().ends_with("Gateway") {
            node.merge = Some(mode);
        }
    }
}

/// Behind a gateway that begins the process there are no variables yet from which a key could be computed.
fn set_beginnings(graph: &mut Graph<'_>) {
    for (_, flow) in &graph.flows {
        if !matches!(
            graph.nodes[flow.source.0 as usize].1.kind,
            NodeKind::EventBased { instantiate: true, .. }
        ) {
            continue;
        }
        let kind = &mut graph.nodes[flow.target.0 as usize].1.kind;
        if let NodeKind::Receive { message, .. } = kind {
            message.key = None;
        } else if let NodeKind::Catch(triggers) = kind {
            for trigger in &mut triggers.any {
                if let Trigger::Message(message) = trigger {
                    message.key = None;
                }
            }
        }
    }
}

pub(super) fn index(place: usize) -> NodeIx {
    NodeIx(u32::try_from(place).expect("a document has fewer than 2^32 elements"))
}
