//! The variables of the caller: looked up when they are needed, read when they are touched.

use super::{Answer, Evaluator};
use crate::ast::Span;
use crate::builtins;
use crate::function::Function;
use crate::json;
use crate::node::{Node, NodeKind};
use crate::value::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

/// Most expressions read few variables: these need no allocation.
const INLINE_GLOBALS: usize = 4;

/// The variables of the caller, by index.
pub(super) enum Globals<'a> {
    Few([Global<'a>; INLINE_GLOBALS]),
    Many(Vec<Global<'a>>),
}

impl Globals<'_> {
    #[inline]
    pub(super) fn new(count: usize) -> Self {
        if count <= INLINE_GLOBALS {
            Globals::Few([const { Global::Unasked }; INLINE_GLOBALS])
        } else {
            Globals::Many(vec![Global::Unasked; count])
        }
    }
}

impl<'a> std::ops::Index<u32> for Globals<'a> {
    type Output = Global<'a>;

    #[inline]
    fn index(&self, index: u32) -> &Global<'a> {
        match self {
            Globals::Few(few) => &few[index as usize],
            Globals::Many(many) => &many[index as usize],
        }
    }
}

impl std::ops::IndexMut<u32> for Globals<'_> {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut Self::Output {
        match self {
            Globals::Few(few) => &mut few[index as usize],
            Globals::Many(many) => &mut many[index as usize],
        }
    }
}

/// What is known of one variable of the caller.
#[derive(Clone)]
pub(super) enum Global<'a> {
    Unasked,
    Missing,
    /// JSON of the caller, and how many paths were looked up in it.
    Unread(Shared<'a>, u8),
    Known(Value),
}

/// JSON that the caller keeps, or that it handed out.
#[derive(Clone)]
pub(super) enum Shared<'a> {
    Kept(&'a Arc<RawValue>),
    Handed(Arc<RawValue>),
}

impl std::ops::Deref for Shared<'_> {
    type Target = Arc<RawValue>;

    #[inline]
    fn deref(&self) -> &Arc<RawValue> {
        match self {
            Shared::Kept(raw) => raw,
            Shared::Handed(raw) => raw,
        }
    }
}

impl<'a> Evaluator<'a> {
    pub(super) fn global(&mut self, index: u32, span: Span) -> Value {
        match self.find(index) {
            Global::Known(value) => value.clone(),
            Global::Unread(raw, _) => {
                let value = json::read(raw.get());
                // A scalar is read again as fast as it is found.
                if !matches!(value, Value::Number(_) | Value::Boolean(_) | Value::Null) {
                    self.globals[index] = Global::Known(value.clone());
                }
                value
            }
            Global::Missing | Global::Unasked => {
                let name = &self.names[index as usize];
                self.warn(span, format!("no variable is called `{name}`"));
                Value::Null
            }
        }
    }

    /// The variable as the caller keeps it; never `Unasked`.
    #[inline]
    pub(super) fn find(&mut self, index: u32) -> &mut Global<'a> {
        let global = &mut self.globals[index];
        if let Global::Unasked = global {
            let name = &self.names[index as usize];
            *global = match self.variables.unread(name) {
                Some(raw) => Global::Unread(Shared::Kept(raw), 0),
                None => match self.variables.lookup(name) {
                    Some(Value::Raw(raw)) => Global::Unread(Shared::Handed(raw), 0),
                    Some(value) => Global::Known(value),
                    // A variable hides the built-in function of the same name.
                    None => builtins::find(name).map_or(Global::Missing, |builtin| {
                        Global::Known(Value::Function(Function::BuiltIn(builtin)))
                    }),
                },
            };
        }
        global
    }

    /// Whether the caller has a variable of that index.
    pub(crate) fn is_defined(&mut self, index: u32) -> bool {
        !matches!(self.find(index), Global::Missing)
    }

    /// A bare variable is handed through unread.
    #[inline(never)]
    pub(crate) fn root(&mut self, node: &Node) -> Answer {
        match &node.kind {
            NodeKind::Global(index) => match self.find(*index) {
                Global::Unread(raw, _) => Ok(Value::raw(Arc::clone(raw))),
                _ => Ok(self.global(*index, node.span)),
            },
            _ => self.evaluate(node),
        }
    }
}
