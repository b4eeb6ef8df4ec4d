//! Which slot a name stands for, frame by frame.

use super::Compiler;
use crate::ast::Span;
use crate::node::{Node, NodeKind};
use std::sync::Arc;

use tyer_map::Map;

/// The slots of one function body, or of the expression itself.
#[derive(Default)]
pub(super) struct Frame {
    scopes: Vec<Binding>,
    /// Where in the scopes a name is bound, innermost last.
    by_name: Map<Arc<str>, Vec<usize>>,
    /// Where in the scopes the items of filters are bound.
    items: Vec<usize>,
    pub(super) slots: u32,
    /// The slot of `?`, once there is one.
    pub(super) input: Option<u32>,
    pub(super) captures: Vec<(u32, Node)>,
    captured: Map<Arc<str>, u32>,
}

struct Binding {
    name: Arc<str>,
    slot: u32,
    /// Whether any name may be an entry of the value in the slot.
    item: bool,
    reads: u32,
    /// Whether the name is that of the function itself.
    own: bool,
}

impl Frame {
    /// Binds a name to a new slot.
    pub(super) fn bind(&mut self, name: Arc<str>) -> u32 {
        let slot = self.slots;
        self.slots += 1;
        self.bind_to(name, slot);
        slot
    }

    /// Binds a name to a slot that is there already.
    pub(super) fn bind_to(&mut self, name: Arc<str>, slot: u32) {
        self.push(Binding { name, slot, item: false, reads: 0, own: false });
    }

    /// From here on any name may be an entry of the value in a slot.
    pub(super) fn bind_entries(&mut self, slot: u32) {
        self.items.push(self.scopes.len());
        self.scopes.push(Binding { name: "".into(), slot, item: true, reads: 0, own: false });
    }

    /// Binds the name of the function whose body this is.
    pub(super) fn bind_own(&mut self, name: Arc<str>) {
        self.push(Binding { name, slot: u32::MAX, item: false, reads: 0, own: true });
    }

    fn push(&mut self, binding: Binding) {
        self.by_name.entry(binding.name.clone()).or_default().push(self.scopes.len());
        self.scopes.push(binding);
    }

    fn truncate(&mut self, length: usize) {
        for binding in self.scopes.drain(length..) {
            if binding.item {
                self.items.pop();
            } else if let Some(places) = self.by_name.get_mut(&binding.name) {
                places.pop();
            }
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.by_name.get(name)?.last().copied()
    }

    /// Whether a name is bound here.
    pub(super) fn binds(&self, name: &str) -> bool {
        self.place(name).is_some()
    }
}

impl Compiler<'_> {
    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the frame of the expression itself is never left")
    }

    pub(super) fn enter(&mut self) -> usize {
        self.frame().scopes.len()
    }

    pub(super) fn leave(&mut self, scope: usize) {
        self.frame().truncate(scope);
    }

    /// Leaves the scope of a filter: whether its condition looked at the item.
    pub(super) fn leave_item(&mut self, scope: usize) -> bool {
        let read = self.frame().scopes[scope..].iter().any(|binding| binding.reads > 0);
        self.leave(scope);
        read
    }

    pub(super) fn is_read(&mut self, slot: u32) -> bool {
        // It was bound just now: from the end it is near.
        let bound = self.frame().scopes.iter().rev().find(|binding| binding.slot == slot);
        bound.is_some_and(|binding| binding.reads > 0)
    }

    pub(super) fn count_reads(&mut self, name: &str) -> u32 {
        let frame = self.frame();
        frame.place(name).map_or(0, |place| frame.scopes[place].reads)
    }

    /// What a name means in the innermost frame; `None` when it is bound nowhere.
    pub(super) fn resolve(&mut self, name: &Arc<str>, span: Span) -> Option<NodeKind> {
        self.resolve_in(self.frames.len() - 1, name, span)
    }

    fn resolve_in(&mut self, frame: usize, name: &Arc<str>, span: Span) -> Option<NodeKind> {
        let here = &mut self.frames[frame];
        let place = here.place(name);
        let is_nearer = |item: &&usize| place.is_none_or(|place| **item > place);
        let items: Vec<usize> = here.items.iter().rev().take_while(is_nearer).copied().collect();
        let mut found = place.map(|place| {
            let binding = &mut here.scopes[place];
            binding.reads += 1;
            if binding.own { NodeKind::Own } else { NodeKind::Local(binding.slot) }
        });
        if found.is_none() && frame > 0 {
            found = self.capture(frame, name, span);
        }
        if items.is_empty() {
            return found;
        }
        let mut kind = match found {
            Some(kind) => kind,
            None => self.outermost(frame, name, span),
        };
        for index in items.into_iter().rev() {
            let binding = &mut self.frames[frame].scopes[index];
            binding.reads += 1;
            kind = NodeKind::ItemOr(binding.slot, name.clone(), Box::new(Node { kind, span }));
        }
        Some(kind)
    }

    /// A variable of the caller, as the given frame sees it.
    fn outermost(&mut self, frame: usize, name: &Arc<str>, span: Span) -> NodeKind {
        if frame == 0 {
            return self.variable(name);
        }
        let outer = self.outermost(frame - 1, name, span);
        self.add_capture(frame, name, outer, span)
    }

    /// What the name means outside of the function, if anything, brought into its frame.
    fn capture(&mut self, frame: usize, name: &Arc<str>, span: Span) -> Option<NodeKind> {
        if let Some(slot) = self.frames[frame].captured.get(name) {
            return Some(NodeKind::Local(*slot));
        }
        let outer = self.resolve_in(frame - 1, name, span)?;
        Some(self.add_capture(frame, name, outer, span))
    }

    fn add_capture(&mut self, frame: usize, name: &Arc<str>, outer: NodeKind, span: Span) -> NodeKind {
        let frame = &mut self.frames[frame];
        let slot = frame.slots;
        frame.slots += 1;
        frame.captures.push((slot, Node { kind: outer, span }));
        frame.captured.entry(name.clone()).or_insert(slot);
        NodeKind::Local(slot)
    }

    /// A variable of the caller, for the innermost frame.
    pub(super) fn global(&mut self, name: &Arc<str>, span: Span) -> NodeKind {
        let frame = self.frames.len() - 1;
        if let Some(slot) = self.frames[frame].captured.get(name) {
            return NodeKind::Local(*slot);
        }
        self.outermost(frame, name, span)
    }

    fn variable(&mut self, name: &Arc<str>) -> NodeKind {
        let next = self.variables.len() as u32;
        let index = *self.variable_indices.entry(name.clone()).or_insert(next);
        if index == next {
            self.variables.push(name.clone());
        }
        NodeKind::Global(index)
    }
}
