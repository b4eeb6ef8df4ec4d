//! The ways of a process: flows, links, and the step from an activity to the events on its border.
//!
//! **Invariant:** no way leaves its scope.
//! **Invariant:** linear in the size of the graph; no recursion.

use super::loops::Loops;
use crate::process::{Flow, FlowIx, Node, NodeIx, NodeKind};

/// One step of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) from: NodeIx,
    pub(super) to: NodeIx,
    pub(super) by: By,
    /// It closes a loop.
    pub(super) is_back: bool,
}

/// What a step goes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Flow(FlowIx),
    Border,
    Link,
}

/// All ways of a process.
#[derive(Debug)]
pub(super) struct Ways {
    pub(super) all: Vec<Way>,
    /// For each node: the ways that begin there, in document order.
    after: Vec<Vec<usize>>,
    /// For each node: the ways that end there.
    before: Vec<Vec<usize>>,
    /// For each node: how many nodes the longest way to an end has, itself included, loops left out.
    pub(super) longest: Vec<u32>,
}

impl Ways {
    pub(super) fn of(nodes: &[Node], flows: &[Flow]) -> Ways {
        let number = nodes.len();
        let (after, before, longest) = (vec![Vec::new(); number], vec![Vec::new(); number], vec![1; number]);
        let mut ways = Ways { all: Vec::with_capacity(flows.len()), after, before, longest };
        for (from, node) in (0..).map(NodeIx).zip(nodes) {
            for ix in &node.outgoing {
                ways.add(from, flows[ix.0 as usize].target, By::Flow(*ix));
            }
            for event in &node.boundary {
                ways.add(from, *event, By::Border);
            }
            if let NodeKind::Link(target) = node.kind {
                ways.add(from, target, By::Link);
            }
        }
        ways.find_loops();
        ways
    }

    fn add(&mut self, from: NodeIx, to: NodeIx, by: By) {
        self.after[from.0 as usize].push(self.all.len());
        self.before[to.0 as usize].push(self.all.len());
        self.all.push(Way { from, to, by, is_back: false });
    }

    /// The ways that end at a node.
    pub(super) fn leading_to(&self, node: NodeIx) -> impl Iterator<Item = &Way> {
        self.before[node.0 as usize].iter().map(|way| &self.all[*way])
    }

    /// The ways that begin at a node.
    pub(super) fn leaving(&self, node: NodeIx) -> impl Iterator<Item = &Way> {
        self.after[node.0 as usize].iter().map(|way| &self.all[*way])
    }

    fn find_loops(&mut self) {
        let begins: Vec<usize> = (0..self.after.len()).filter(|node| self.before[*node].is_empty()).collect();
        if !self.walk_all(&begins) {
            return;
        }
        // The walk depends on the order in which the diagram lists its flows: it only tells that there are loops.
        self.all.iter_mut().for_each(|way| way.is_back = false);
        self.longest.fill(1);
        Loops { all: &mut self.all, after: &self.after }.mark(&begins);
        self.walk_all(&begins);
    }

    /// Depth first from where scopes begin, then from whatever is left; a way to a node that is still being worked on
    /// closes a loop. True if there is one.
    fn walk_all(&mut self, begins: &[usize]) -> bool {
        let mut visits = vec![Visit::New; self.after.len()];
        for root in begins.iter().copied().chain(0..self.after.len()) {
            if visits[root] == Visit::New {
                self.walk(root, &mut visits);
            }
        }
        self.all.iter().any(|way| way.is_back)
    }

    fn walk(&mut self, root: usize, visits: &mut [Visit]) {
        visits[root] = Visit::Open;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.pop() {
            let Some(way) = self.after[node].get(next).copied() else {
                visits[node] = Visit::Done;
                if let Some((before, _)) = path.last() {
                    self.longest[*before] = self.longest[*before].max(self.longest[node] + 1);
                }
                continue;
            };
            path.push((node, next + 1));
            if self.all[way].is_back {
                continue;
            }
            let target = self.all[way].to.0 as usize;
            match visits[target] {
                Visit::New => {
                    visits[target] = Visit::Open;
                    path.push((target, 0));
                }
                Visit::Open => self.all[way].is_back = true,
                Visit::Done => self.longest[node] = self.longest[node].max(self.longest[target] + 1),
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    Open,
    Done,
}
