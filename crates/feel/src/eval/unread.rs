//! Comparisons of a variable with a literal, straight on the JSON that the caller keeps: most conditions are no more.
//!
//! **Invariant:** answers only where reading the value would give the same answer without a warning.

use super::Evaluator;
use super::globals::{Global, Shared};
use crate::ast::Comparison;
use crate::json;
use crate::node::{Node, NodeKind};
use crate::number::Number;
use crate::value::Value;

/// So many paths are looked up in the text of a variable before the whole is read.
pub(super) const SEARCHES: u8 = 3;

impl<'a> Evaluator<'a> {
    /// `None` where the value has to be read.
    #[inline]
    pub(super) fn compare_unread(
        &mut self,
        operator: Comparison,
        left: &Node,
        literal: &Value,
    ) -> Option<bool> {
        let text = self.unread_text(left)?;
        let order = match literal {
            Value::Number(Number::Int(number)) => Number::short_integer(text)?.cmp(number),
            Value::String(literal) => json::plain_string(text)?.cmp(literal),
            Value::Boolean(literal) if operator.is_equality() => json::boolean(text)?.cmp(literal),
            _ => return None,
        };
        Some(operator.holds(order))
    }

    /// The text of what a variable or a path names, if the caller keeps it as JSON.
    #[inline]
    fn unread_text(&mut self, node: &Node) -> Option<&'a str> {
        match &node.kind {
            NodeKind::Global(index) => match self.find(*index) {
                Global::Unread(Shared::Kept(raw), _) => Some(raw.get()),
                _ => None,
            },
            NodeKind::GlobalPath(index, path) => match self.find(*index) {
                Global::Unread(Shared::Kept(raw), searches) if *searches < SEARCHES => {
                    *searches += 1;
                    json::follow(raw.get(), path)
                }
                _ => None,
            },
            _ => None,
        }
    }
}
