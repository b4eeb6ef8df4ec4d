//! The variables of the caller: looked up when they are needed, read when they are touched.

use super::{Answer, Evaluator};
use crate::ast::Span;
use crate::node::{Node, NodeKind};
use crate::value::Value;

/// Most expressions read few variables: these need no allocation.
const INLINE_GLOBALS: usize = 4;

/// The variables of the caller, by index.
pub(super) enum Globals {
    Few([Global; INLINE_GLOBALS]),
    Many(Vec<Global>),
}

impl Globals {
    pub(super) fn new(count: usize) -> Globals {
        if count <= INLINE_GLOBALS {
            Globals::Few([const { Global::Unread }; INLINE_GLOBALS])
        } else {
            Globals::Many(vec![Global::Unread; count])
        }
    }
}

impl std::ops::Deref for Globals {
    type Target = [Global];

    fn deref(&self) -> &[Global] {
        match self {
            Globals::Few(few) => few,
            Globals::Many(many) => many,
        }
    }
}

impl std::ops::DerefMut for Globals {
    fn deref_mut(&mut self) -> &mut [Global] {
        match self {
            Globals::Few(few) => few,
            Globals::Many(many) => many,
        }
    }
}

/// What is known of one variable of the caller.
#[derive(Clone)]
pub(super) enum Global {
    Unread,
    Missing,
    Known(Value),
}

impl Evaluator<'_> {
    pub(super) fn global(&mut self, index: u32, span: Span) -> Value {
        let index = index as usize;
        if let Global::Known(value) = &self.globals[index]
            && !matches!(value, Value::Raw(_))
        {
            return value.clone();
        }
        match self.find(index) {
            Some(value) => {
                let value = value.read();
                self.globals[index] = Global::Known(value.clone());
                value
            }
            None => {
                let name = &self.names[index];
                self.warn(span, format!("no variable is called `{name}`"));
                Value::Null
            }
        }
    }

    /// The variable as the caller gave it.
    pub(super) fn find(&mut self, index: usize) -> Option<Value> {
        match &self.globals[index] {
            Global::Known(value) => Some(value.clone()),
            Global::Missing => None,
            Global::Unread => {
                let found = self.variables.lookup(&self.names[index]);
                if found.is_none() {
                    self.globals[index] = Global::Missing;
                }
                found
            }
        }
    }

    /// Whether the caller has a variable of that index.
    pub(crate) fn is_defined(&mut self, index: u32) -> bool {
        self.find(index as usize).is_some()
    }

    /// A bare variable is handed through unread.
    #[inline(never)]
    pub(crate) fn root(&mut self, node: &Node) -> Answer {
        match &node.kind {
            NodeKind::Global(index) => match self.find(*index as usize) {
                Some(value) => Ok(value),
                None => Ok(self.global(*index, node.span)),
            },
            _ => self.evaluate(node),
        }
    }
}
