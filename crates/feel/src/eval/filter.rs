//! `list[condition]` and `list[index]`.

use super::{Answer, Evaluator};
use crate::ast::Span;
use crate::node::FilterNode;
use crate::number::Number;
use crate::value::{List, Value};

impl Evaluator<'_> {
    #[inline(never)]
    pub(super) fn filter(&mut self, filter: &FilterNode, span: Span) -> Answer {
        let list = match self.evaluate(&filter.base)? {
            Value::List(list) => list,
            Value::Null => List::default(),
            single => List::new(vec![single]),
        };
        if !filter.reads_item {
            return self.filter_by_constant(filter, list, span);
        }
        let mut kept = Vec::new();
        for item in list.iter() {
            self.burn(1)?;
            self.set(filter.item, item.clone());
            match self.evaluate(&filter.condition)? {
                Value::Boolean(true) => kept.push(item.clone()),
                Value::Boolean(false) | Value::Null => {}
                // A name in brackets may turn out to be an index: list[position].
                Value::Number(index) => return self.index(&list, index, span),
                other => {
                    let message =
                        format!("a filter has to be true or false or a number, not a {}", other.type_name());
                    return self.null(filter.condition.span, message);
                }
            }
        }
        Ok(Value::list(kept))
    }

    #[inline(never)]
    fn filter_by_constant(&mut self, filter: &FilterNode, list: List, span: Span) -> Answer {
        match self.evaluate(&filter.condition)? {
            Value::Number(index) => self.index(&list, index, span),
            Value::Boolean(true) => Ok(Value::List(list)),
            Value::Boolean(false) | Value::Null => Ok(Value::list(Vec::new())),
            other => {
                let message =
                    format!("a filter has to be true or false or a number, not a {}", other.type_name());
                self.null(filter.condition.span, message)
            }
        }
    }

    /// Positions count from 1, or from the end when negative.
    #[inline(never)]
    pub(crate) fn index(&mut self, list: &[Value], index: Number, span: Span) -> Answer {
        let position = index.to_i64().and_then(|index| position(index, list.len()));
        match position {
            Some(position) => Ok(list[position].clone()),
            None => self.null(span, format!("there is no item {index} in a list of {}", list.len())),
        }
    }
}

/// The zero-based position of a one-based index that may count from the end.
pub(crate) fn position(index: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).ok()?;
    let position = if index > 0 { index - 1 } else { length + index };
    (index != 0 && (0..length).contains(&position)).then_some(position as usize)
}
