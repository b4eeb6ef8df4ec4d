//! A diagram as BPMN 2.0 XML.
//!
//! **Invariant:** a flow is called `<source>-<target>`, and a second one between the same nodes `<source>-<target>-2`.

use std::collections::BTreeSet;

use tyer_xml::Writer;

use super::says::Says;
use super::tree::Tree;
use super::words::open_words;
use super::{Misread, Spot, When, mark, node};

/// What stands beside the processes: messages, signals, errors, escalations.
#[derive(Default)]
pub(super) struct Shelf {
    trees: Vec<Tree>,
    /// Kind, name and key of what is there, with its id.
    known: Vec<(String, String)>,
    undoing: BTreeSet<String>,
    count: usize,
}

pub(super) fn write(processes: &[Spot]) -> Result<String, Misread> {
    let mut shelf = Shelf::default();
    processes.iter().for_each(|process| shelf.note_undoing(process));
    let drawn: Vec<Tree> =
        processes.iter().map(|process| draw(process, &mut shelf)).collect::<Result<_, _>>()?;
    let mut root = Tree::new("definitions")
        .with("xmlns", "http://www.omg.org/spec/BPMN/20100524/MODEL")
        .with("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance")
        .with("xmlns:tyer", "urn:tyer:bpmn:1")
        .with("xmlns:zeebe", "http://camunda.org/schema/zeebe/1.0")
        .with("targetNamespace", "urn:tyer:transcript");
    shelf.trees.into_iter().chain(drawn).for_each(|tree| root.push(tree));
    let mut xml = Writer::new();
    root.write(&mut xml);
    Ok(xml.finish())
}

fn draw(process: &Spot, shelf: &mut Shelf) -> Result<Tree, Misread> {
    let mut tree = Tree::new("process").with("id", process.id.as_str()).with("isExecutable", "true");
    let mut says = Says::of_process(&process.drawn);
    let misread = |message| Misread { line: process.line, message };
    for (keyword, attribute) in [("named", "name"), ("masked", "tyer:masked"), ("indexed", "tyer:indexed")] {
        if let Some(value) = says.text(keyword) {
            tree.set(attribute, value);
        }
    }
    if let Some(tag) = says.text("tag") {
        tree.extend(Tree::new("zeebe:versionTag").with("value", tag));
    }
    mark::put(&mut says, &mut tree, shelf).map_err(misread)?;
    mark::data(&mut says, shelf).into_iter().for_each(|data| tree.push(data));
    says.finish().map_err(misread)?;
    fill(&process.inside, &mut tree, shelf)?;
    Ok(tree)
}

/// Puts nodes, and flows behind them, into the process or sub-process that holds them.
fn fill(nodes: &[Spot], into: &mut Tree, shelf: &mut Shelf) -> Result<(), Misread> {
    let mut beside = Vec::new();
    for node in nodes {
        let misread = |message| Misread { line: node.line, message };
        let mut drawn = node::draw(node, shelf).map_err(misread)?;
        fill(&node.inside, &mut drawn.tree, shelf)?;
        into.push(drawn.tree);
        beside.append(&mut drawn.beside);
    }
    for node in nodes {
        for (id, arrow) in flow_ids(node).into_iter().zip(&node.arrows) {
            let mut flow = Tree::new("sequenceFlow").with("id", id).with("sourceRef", node.id.as_str());
            flow.set("targetRef", arrow.target.as_str());
            if let When::If(condition) = &arrow.when {
                flow.push(Tree::formal("conditionExpression", condition));
            }
            into.push(flow);
        }
    }
    beside.into_iter().for_each(|tree| into.push(tree));
    Ok(())
}

/// What the flows out of a node are called.
pub(super) fn flow_ids(node: &Spot) -> Vec<String> {
    let name = |position: usize| {
        let target = &node.arrows[position].target;
        let earlier = node.arrows[..position].iter().filter(|other| other.target == *target).count();
        let suffix = if earlier == 0 { String::new() } else { format!("-{}", earlier + 1) };
        format!("{}-{target}{suffix}", node.id)
    };
    (0..node.arrows.len()).map(name).collect()
}

impl Shelf {
    /// A message with this name; its key belongs to it.
    pub(super) fn message(&mut self, name: &str, key: Option<&str>) -> String {
        self.put("message", &format!("{name} {}", key.unwrap_or_default()), |id| {
            let mut tree = Tree::new("message").with("id", id).with("name", name);
            let key =
                key.map(|key| Tree::new("zeebe:subscription").with("correlationKey", format!("={key}")));
            key.into_iter().for_each(|key| tree.extend(key));
            tree
        })
    }

    pub(super) fn signal(&mut self, name: &str) -> String {
        self.put("signal", name, |id| Tree::new("signal").with("id", id).with("name", name))
    }

    /// An error or escalation with this code.
    pub(super) fn coded(&mut self, what: &str, code: &str) -> String {
        let attribute = format!("{what}Code");
        self.put(what, code, |id| Tree::new(what).with("id", id).with("name", code).with(&attribute, code))
    }

    /// An event definition that several may refer to.
    pub(super) fn definition(&mut self, definition: Tree) -> String {
        let id = self.next("definition");
        self.trees.push(definition.with("id", id.as_str()));
        id
    }

    /// An id that no node has.
    pub(super) fn next(&mut self, what: &str) -> String {
        self.count += 1;
        format!("_{what}-{}", self.count)
    }

    /// Does this node undo a step?
    pub(super) fn undoes(&self, node: &str) -> bool {
        self.undoing.contains(node)
    }

    fn note_undoing(&mut self, block: &Spot) {
        for node in &block.inside {
            let words = open_words(&node.drawn);
            let named = words.windows(2).filter(|pair| pair[0].1 == "undo").map(|pair| pair[1].1.to_owned());
            self.undoing.extend(named);
            self.note_undoing(node);
        }
    }

    fn put(&mut self, kind: &str, name: &str, draw: impl FnOnce(&str) -> Tree) -> String {
        let key = format!("{kind} {name}");
        if let Some((_, id)) = self.known.iter().find(|(known, _)| *known == key) {
            return id.clone();
        }
        let id = self.next(kind);
        self.trees.push(draw(&id));
        self.known.push((key, id.clone()));
        id
    }
}
