//! Which ways close loops, whatever the order in which a diagram lists them.
//!
//! A loop is left at the ways that lead back to its head: of the nodes that can reach each other, the one nearest to where the
//! scope begins. What is left inside is looked at again, so inner loops have heads of their own; and a loop that can be
//! entered in several places has one all the same.
//! **Invariant:** linear in the size of the graph, times [`MOST_NESTED`]; no recursion.

use std::collections::VecDeque;

use super::ways::Way;

/// Loops inside loops that are told apart; more than any diagram that people draw has.
const MOST_NESTED: usize = 32;

/// The graph as the search sees it.
pub(super) struct Loops<'a> {
    pub(super) all: &'a mut [Way],
    /// For each node: the ways that begin there.
    pub(super) after: &'a [Vec<usize>],
}

impl Loops<'_> {
    /// Marks the ways that close loops, as deep as [`MOST_NESTED`].
    pub(super) fn mark(&mut self, begins: &[usize]) {
        let distance = self.distances(begins);
        for _ in 0..MOST_NESTED {
            let group = self.groups();
            let mut heads: Vec<Option<usize>> = vec![None; self.after.len()];
            for node in 0..self.after.len() {
                let head = &mut heads[group[node]];
                let nearer = head.is_none_or(|head| (distance[node], node) < (distance[head], head));
                *head = if nearer { Some(node) } else { *head };
            }
            let mut found = false;
            for way in self.all.iter_mut().filter(|way| !way.is_back) {
                let (from, to) = (way.from.0 as usize, way.to.0 as usize);
                way.is_back = group[from] == group[to] && heads[group[to]] == Some(to);
                found |= way.is_back;
            }
            if !found {
                return;
            }
        }
    }

    /// How many steps each node is from where its scope begins, or from the first node of a ring without a beginning.
    fn distances(&self, begins: &[usize]) -> Vec<usize> {
        let mut distance = vec![usize::MAX; self.after.len()];
        let mut open: VecDeque<usize> = begins.iter().copied().collect();
        begins.iter().for_each(|node| distance[*node] = 0);
        for first in 0..self.after.len() {
            while let Some(node) = open.pop_front() {
                for way in &self.after[node] {
                    let target = self.all[*way].to.0 as usize;
                    if distance[target] == usize::MAX {
                        distance[target] = distance[node] + 1;
                        open.push_back(target);
                    }
                }
            }
            if distance[first] == usize::MAX {
                distance[first] = 0;
                open.push_back(first);
            }
        }
        distance
    }

    /// For each node the group of nodes that it can reach and that can reach it, by Tarjan's walk.
    fn groups(&self) -> Vec<usize> {
        let mut walk = Walk::new(self.after.len());
        for root in 0..self.after.len() {
            if walk.number[root] == usize::MAX {
                walk.enter(root);
                self.follow(&mut walk);
            }
        }
        walk.group
    }

    fn follow(&self, walk: &mut Walk) {
        while let Some((node, next)) = walk.path.pop() {
            let Some(way) = self.after[node].get(next) else {
                walk.leave(node);
                continue;
            };
            walk.path.push((node, next + 1));
            let target = self.all[*way].to.0 as usize;
            if self.all[*way].is_back {
                continue;
            }
            if walk.number[target] == usize::MAX {
                walk.enter(target);
            } else if walk.group[target] == usize::MAX {
                walk.lowest[node] = walk.lowest[node].min(walk.number[target]);
            }
        }
    }
}

struct Walk {
    /// When each node was entered.
    number: Vec<usize>,
    /// The earliest node that is reached from it and not grouped yet.
    lowest: Vec<usize>,
    group: Vec<usize>,
    ungrouped: Vec<usize>,
    path: Vec<(usize, usize)>,
    entered: usize,
}

impl Walk {
    fn new(nodes: usize) -> Walk {
        let none = || vec![usize::MAX; nodes];
        Walk { number: none(), lowest: none(), group: none(), ungrouped: vec![], path: vec![], entered: 0 }
    }

    fn enter(&mut self, node: usize) {
        (self.number[node], self.lowest[node]) = (self.entered, self.entered);
        self.entered += 1;
        self.ungrouped.push(node);
        self.path.push((node, 0));
    }

    fn leave(&mut self, node: usize) {
        if self.lowest[node] == self.number[node] {
            while let Some(member) = self.ungrouped.pop() {
                self.group[member] = node;
                if member == node {
                    break;
                }
            }
        }
        if let Some((before, _)) = self.path.last() {
            self.lowest[*before] = self.lowest[*before].min(self.lowest[node]);
        }
    }
}
