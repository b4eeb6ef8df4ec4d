//! Ways through small graphs.

use super::*;
use crate::process::{Boundary, MergeMode, Triggers};

/// A graph written as `a>b b>c`; a node whose name begins with `+` is a parallel gateway, with `*` it merges.
fn graph(text: &str) -> (Vec<Node>, Vec<Flow>) {
    let (mut nodes, mut flows) = (Vec::<Node>::new(), Vec::new());
    for arrow in text.split(' ') {
        let (source, target) = arrow.split_once('>').expect("an arrow");
        let mut place = |name: &str| {
            let found = nodes.iter().position(|node| node.id == name);
            let place = found.unwrap_or_else(|| {
                let kind = if name.starts_with('+') { NodeKind::Parallel } else { NodeKind::Pass };
                nodes.push(Node::new(name, kind));
                nodes.len() - 1
            });
            NodeIx(u32::try_from(place).expect("a small graph"))
        };
        let (source, target) = (place(source), place(target));
        flows.push(Flow { id: arrow.to_owned(), source, target, condition: None });
    }
    for (ix, flow) in (0..).map(FlowIx).zip(&flows) {
        nodes[flow.source.0 as usize].outgoing.push(ix);
        nodes[flow.target.0 as usize].incoming.push(ix);
    }
    for node in nodes.iter_mut().filter(|node| node.id.starts_with('*')) {
        node.merge = Some(MergeMode::Race);
    }
    (nodes, flows)
}

fn node(nodes: &[Node], id: &str) -> NodeIx {
    let place = nodes.iter().position(|node| node.id == id).unwrap_or_else(|| panic!("{id} is a node"));
    NodeIx(u32::try_from(place).expect("a small graph"))
}

fn flow(flows: &[Flow], id: &str) -> FlowIx {
    let place = flows.iter().position(|flow| flow.id == id).unwrap_or_else(|| panic!("{id} is a flow"));
    FlowIx(u32::try_from(place).expect("a small graph"))
}

/// The nodes from which a flow can be reached.
fn reaching(text: &str, id: &str) -> String {
    let (nodes, flows) = graph(text);
    let (stored, walked) = (Reach::of(&nodes, &flows), Reach::with_at_most(0, &nodes, &flows));
    let mut names = Vec::new();
    for (ix, node) in (0..).map(NodeIx).zip(&nodes) {
        let answer = stored.reaches(ix, flow(&flows, id));
        assert_eq!(answer, walked.reaches(ix, flow(&flows, id)), "walking finds what was stored");
        names.extend(answer.then_some(node.id.as_str()));
    }
    names.join(" ")
}

/// The nodes from which a node can be reached without closing a loop.
fn forward(nodes: &[Node], flows: &[Flow], to: &str) -> String {
    let (stored, walked) = (Reach::of(nodes, flows), Reach::with_at_most(0, nodes, flows));
    let mut names = Vec::new();
    for (ix, from) in (0..).map(NodeIx).zip(nodes) {
        let answer = stored.reaches_forward(ix, node(nodes, to));
        assert_eq!(answer, walked.reaches_forward(ix, node(nodes, to)), "walking finds what was stored");
        names.extend(answer.then_some(from.id.as_str()));
    }
    names.join(" ")
}

#[test]
fn a_flow_is_reached_without_passing_its_target() {
    let text = "s>f f>a f>b a>+j b>+j +j>x x>a x>e";
    assert_eq!(reaching(text, "a>+j"), "s f a x", "x leads back to a");
    assert_eq!(reaching(text, "b>+j"), "s f b", "x comes to b only through the join");
}

#[test]
fn flows_that_close_loops_lead_back() {
    let (_, flows) = graph("s>a a>b b>c c>a c>e b>b");
    let (nodes, _) = graph("s>a a>b b>c c>a c>e b>b");
    let reach = Reach::of(&nodes, &flows);
    let back: Vec<_> = flows.iter().filter(|found| reach.is_back(flow(&flows, &found.id))).collect();
    assert_eq!(back.iter().map(|flow| flow.id.as_str()).collect::<Vec<_>>(), ["c>a", "b>b"]);
    assert_eq!(reach.longest_way(node(&nodes, "s")), 5);
}

/// The flows that close loops.
fn back(text: &str) -> String {
    let (nodes, flows) = graph(text);
    let reach = Reach::of(&nodes, &flows);
    let back = flows.iter().filter(|found| reach.is_back(flow(&flows, &found.id)));
    back.map(|flow| flow.id.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_loop_with_several_entries_closes_at_the_one_nearest_to_the_start() {
    for order in ["s>a s>b a>c b>c c>d d>e e>b e>x", "s>b s>a b>c a>c e>b e>x d>e c>d"] {
        assert_eq!(back(order), "e>b", "{order}");
    }
}

#[test]
fn branches_of_different_lengths_in_a_loop_lead_forward() {
    assert_eq!(back("s>h h>a a>+j h>b b>c c>d d>+j +j>k k>h k>e"), "k>h");
    assert_eq!(back("s>h h>i i>a a>i a>h h>e"), "a>i a>h", "a loop in a loop has a head of its own");
}

#[test]
fn every_loop_of_a_deep_nest_closes() {
    let deep: Vec<String> =
        (0..20_000).flat_map(|n| [format!("n{n}>n{}", n + 1), format!("n{}>n{n}", n + 1)]).collect();
    let (nodes, flows) = ladder(&deep);
    let reach = Reach::of(&nodes, &flows);
    assert_eq!(flows.iter().filter(|found| reach.is_back(flow_of(found))).count(), 20_000);
}

/// Every second arrow of the ladder leads back.
fn flow_of(flow: &Flow) -> FlowIx {
    let (down, up) = (flow.source.0 < flow.target.0, flow.source.0.min(flow.target.0));
    FlowIx(2 * up + u32::from(!down))
}

/// As [`graph`], for many nodes called `n0`, `n1`, ….
fn ladder(arrows: &[String]) -> (Vec<Node>, Vec<Flow>) {
    let number = |name: &str| name[1..].parse::<u32>().expect("a number");
    let mut nodes: Vec<Node> =
        (0..=arrows.len() / 2).map(|n| Node::new(format!("n{n}"), NodeKind::Pass)).collect();
    let mut flows = Vec::new();
    for (ix, arrow) in (0..).map(FlowIx).zip(arrows) {
        let (source, target) = arrow.split_once('>').expect("an arrow");
        let (source, target) = (NodeIx(number(source)), NodeIx(number(target)));
        nodes[source.0 as usize].outgoing.push(ix);
        nodes[target.0 as usize].incoming.push(ix);
        flows.push(Flow { id: arrow.clone(), source, target, condition: None });
    }
    (nodes, flows)
}

#[test]
fn upstream_is_what_can_come_without_closing_a_loop() {
    let (nodes, flows) = graph("s>f f>a f>b a>*m b>*m *m>x x>f x>e");
    assert_eq!(forward(&nodes, &flows, "*m"), "s f a b", "x comes back only by closing the loop");
    assert_eq!(forward(&nodes, &flows, "e"), "s f a b *m x");
}

#[test]
fn events_on_the_border_and_links_are_ways() {
    let (mut nodes, flows) = graph("s>host host>*m late>*m other>throw catch>*m");
    let (host, late) = (node(&nodes, "host"), node(&nodes, "late"));
    let boundary =
        Boundary { host, interrupting: true, triggers: Triggers::default(), catches_failures: false };
    nodes[late.0 as usize].kind = NodeKind::Boundary(boundary);
    nodes[host.0 as usize].boundary.push(late);
    let (throw, catch) = (node(&nodes, "throw"), node(&nodes, "catch"));
    nodes[throw.0 as usize].kind = NodeKind::Link(catch);
    let reach = Reach::of(&nodes, &flows);
    assert!(reach.reaches(node(&nodes, "s"), flow(&flows, "late>*m")));
    assert!(!reach.reaches(late, flow(&flows, "host>*m")));
    assert!(reach.reaches(node(&nodes, "other"), flow(&flows, "catch>*m")));
    assert_eq!(forward(&nodes, &flows, "*m"), "s host late other throw catch");
    assert!(!reach.link_is_back(throw));
}

#[test]
fn a_link_can_close_a_loop() {
    let (mut nodes, flows) = graph("s>*m *m>throw catch>*m");
    let (throw, catch) = (node(&nodes, "throw"), node(&nodes, "catch"));
    nodes[throw.0 as usize].kind = NodeKind::Link(catch);
    let reach = Reach::of(&nodes, &flows);
    assert!(reach.is_back(flow(&flows, "catch>*m")), "the loop closes where the catching link leads");
    assert_eq!(forward(&nodes, &flows, "*m"), "s");
}

#[test]
fn a_node_does_not_come_to_itself() {
    let (nodes, flows) = graph("s>*m *m>*m *m>e");
    let reach = Reach::of(&nodes, &flows);
    assert!(!reach.reaches_forward(node(&nodes, "*m"), node(&nodes, "*m")));
    assert!(!reach.reaches(node(&nodes, "*m"), flow(&flows, "*m>*m")), "it stands there already");
    assert!(reach.is_back(flow(&flows, "*m>*m")));
}
