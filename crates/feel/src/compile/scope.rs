//! Which slot a name stands for, frame by frame.

use super::Compiler;
use crate::ast::Span;
use crate::node::{Node, NodeKind};
use std::sync::Arc;

/// The slots of one function body, or of the expression itself.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) scopes: Vec<Binding>,
    pub(super) slots: u32,
    /// The slot of `?`, once there is one.
    pub(super) input: Option<u32>,
    pub(super) captures: Vec<(u32, Node)>,
    captured: Vec<(Arc<str>, u32)>,
}

pub(super) struct Binding {
    pub(super) name: Arc<str>,
    pub(super) slot: u32,
    /// Whether any name may be an entry of the value in the slot.
    pub(super) item: bool,
    pub(super) reads: u32,
    /// Whether the name is that of the function itself.
    pub(super) own: bool,
}

impl Frame {
    pub(super) fn bind(&mut self, name: Arc<str>, item: bool) -> u32 {
        let slot = self.slots;
        self.slots += 1;
        self.scopes.push(Binding { name, slot, item, reads: 0, own: false });
        slot
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
        self.frame().scopes.truncate(scope);
    }

    /// Leaves the scope of a filter: whether its condition looked at the item.
    pub(super) fn leave_item(&mut self, scope: usize) -> bool {
        let read = self.frame().scopes[scope..].iter().any(|binding| binding.reads > 0);
        self.leave(scope);
        read
    }

    pub(super) fn is_read(&mut self, slot: u32) -> bool {
        self.frame().scopes.iter().any(|binding| binding.slot == slot && binding.reads > 0)
    }

    pub(super) fn count_reads(&mut self, name: &str) -> u32 {
        let own = self.frame().scopes.iter().rev().find(|binding| &*binding.name == name);
        own.map_or(0, |binding| binding.reads)
    }

    /// What a name means in the innermost frame; `None` when it is bound nowhere.
    pub(super) fn resolve(&mut self, name: &Arc<str>, span: Span) -> Option<NodeKind> {
        self.resolve_in(self.frames.len() - 1, name, span)
    }

    fn resolve_in(&mut self, frame: usize, name: &Arc<str>, span: Span) -> Option<NodeKind> {
        let mut items = Vec::new();
        let mut found = None;
        for (index, binding) in self.frames[frame].scopes.iter_mut().enumerate().rev() {
            if binding.item {
                items.push(index);
            } else if binding.name == *name {
                binding.reads += 1;
                found = Some(if binding.own { NodeKind::Own } else { NodeKind::Local(binding.slot) });
                break;
            }
        }
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
        let known = self.frames[frame].captured.iter().find(|(captured, _)| captured == name);
        if let Some((_, slot)) = known {
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
        frame.captured.push((name.clone(), slot));
        NodeKind::Local(slot)
    }

    /// A variable of the caller, for the innermost frame.
    pub(super) fn global(&mut self, name: &Arc<str>, span: Span) -> NodeKind {
        let frame = self.frames.len() - 1;
        if let Some((_, slot)) = self.frames[frame].captured.iter().find(|(captured, _)| captured == name) {
            return NodeKind::Local(*slot);
        }
        self.outermost(frame, name, span)
    }

    fn variable(&mut self, name: &Arc<str>) -> NodeKind {
        let known = self.variables.iter().position(|variable| variable == name);
        let index = known.unwrap_or_else(|| {
            self.variables.push(name.clone());
            self.variables.len() - 1
        });
        NodeKind::Global(index as u32)
    }
}
