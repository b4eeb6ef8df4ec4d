//! `for`, `some` and `every`.

use super::{Answer, Evaluator, Stop};
use crate::ast::Span;
use crate::limits::Exceeded;
use crate::node::{ForNode, IterationNode, QuantifiedNode};
use crate::number::Number;
use crate::temporal::Date;
use crate::value::{List, Range, Value};

/// What one iteration variable runs over, without being laid out in memory.
enum Items {
    List(List),
    Integers(i64, i64),
    Days(i64, i64),
}

impl Items {
    fn count(&self) -> u64 {
        match self {
            Items::List(list) => list.len() as u64,
            Items::Integers(from, to) | Items::Days(from, to) => from.abs_diff(*to).saturating_add(1),
        }
    }

    fn get(&self, index: u64) -> Value {
        match self {
            Items::List(list) => list[index as usize].clone(),
            Items::Integers(from, to) => Value::from(at(*from, *to, index)),
            Items::Days(from, to) => {
                Date::from_epoch_day(at(*from, *to, index)).map_or(Value::Null, Value::Date)
            }
        }
    }
}

fn at(from: i64, to: i64, index: u64) -> i64 {
    if from <= to { from.wrapping_add_unsigned(index) } else { from.wrapping_sub_unsigned(index) }
}

impl Evaluator<'_> {
    #[inline(never)]
    pub(super) fn for_loop(&mut self, node: &ForNode) -> Answer {
        if let Some(slot) = node.partial {
            self.set(slot, Value::List(List::default()));
        }
        let mut results = Vec::new();
        let done = self.each(&node.iterations, &mut |evaluator| {
            let value = evaluator.evaluate(&node.body)?;
            if results.len() >= evaluator.limits.list_items {
                return Err(evaluator.stop(Exceeded::ListItems(evaluator.limits.list_items)));
            }
            if let Some(slot) = node.partial {
                evaluator.push_partial(slot, value.clone())?;
            }
            results.push(value);
            Ok(true)
        })?;
        match done {
            Some(_) => self.checked(Value::list(results)),
            None => Ok(Value::Null),
        }
    }

    /// Taken out of its slot to be changed in place: the list is ours unless the body kept it.
    fn push_partial(&mut self, slot: u32, value: Value) -> Result<(), Stop> {
        let at = self.base + slot as usize;
        let Value::List(mut list) = std::mem::replace(&mut self.stack[at], Value::Null) else {
            return Ok(());
        };
        list.push(value);
        self.stack[at] = self.checked(Value::List(list))?;
        Ok(())
    }

    #[inline(never)]
    pub(super) fn quantified(&mut self, node: &QuantifiedNode) -> Answer {
        let decisive = !node.every;
        let mut certain = true;
        let mut decided = false;
        let mut nonsense = false;
        let done = self.each(&node.iterations, &mut |evaluator| {
            match evaluator.evaluate(&node.condition)? {
                Value::Boolean(value) => decided |= value == decisive,
                Value::Null => certain = false,
                _ => nonsense = true,
            }
            // What is no truth value at all spoils the whole, so that it has to be looked for.
            Ok(!nonsense)
        })?;
        Ok(match done {
            None => Value::Null,
            Some(_) if nonsense => Value::Null,
            Some(_) if decided => Value::Boolean(decisive),
            Some(_) if certain => Value::Boolean(!decisive),
            Some(_) => Value::Null,
        })
    }

    /// Runs `body` for each combination, the last variable fastest, until it answers false.
    /// `None` when something cannot be iterated.
    #[inline(never)]
    fn each(
        &mut self,
        iterations: &[IterationNode],
        body: &mut dyn FnMut(&mut Self) -> Result<bool, Stop>,
    ) -> Result<Option<bool>, Stop> {
        let Some((first, rest)) = iterations.split_first() else {
            return body(self).map(Some);
        };
        let Some(items) = self.items(first)? else {
            return Ok(None);
        };
        self.deepen()?;
        let mut done = Ok(Some(true));
        for index in 0..items.count() {
            self.burn(1)?;
            self.set(first.slot, items.get(index));
            done = self.each(rest, body);
            if done != Ok(Some(true)) {
                break;
            }
        }
        self.depth -= 1;
        done
    }

    #[inline(never)]
    fn items(&mut self, iteration: &IterationNode) -> Result<Option<Items>, Stop> {
        let from = self.evaluate(&iteration.from)?;
        let span = iteration.from.span;
        if let Some(to) = &iteration.to {
            let to = self.evaluate(to)?;
            let items = between(&from, &to, true, true);
            if items.is_none() {
                self.warn(span, format!("a loop cannot run from {} to {}", from.type_name(), to.type_name()));
            }
            return Ok(items);
        }
        Ok(match from {
            Value::List(list) => Some(Items::List(list)),
            Value::Range(range) => self.range_items(&range, span),
            Value::Null => {
                self.warn(span, "null cannot be iterated");
                None
            }
            single => Some(Items::List(List::new(vec![single]))),
        })
    }

    fn range_items(&mut self, range: &Range, span: Span) -> Option<Items> {
        let descends = range.start.compare(&range.end).is_some_and(|order| order.is_gt());
        let items =
            between(&range.start, &range.end, range.start_included, range.end_included).filter(|_| !descends);
        if items.is_none() {
            self.warn(
                span,
                "only a range of whole numbers or dates, from the lower to the higher, can be iterated",
            );
        }
        items
    }
}

fn between(from: &Value, to: &Value, from_included: bool, to_included: bool) -> Option<Items> {
    let (from, to, days) = match (from, to) {
        (Value::Number(from), Value::Number(to)) => (whole(*from)?, whole(*to)?, false),
        (Value::Date(from), Value::Date(to)) => (from.epoch_day(), to.epoch_day(), true),
        _ => return None,
    };
    let direction = if from <= to { 1 } else { -1 };
    let first = if from_included { from } else { from.checked_add(direction)? };
    let last = if to_included { to } else { to.checked_sub(direction)? };
    // Open ends may leave nothing between them.
    if (last - first).signum() == -direction {
        return Some(Items::List(List::default()));
    }
    Some(if days { Items::Days(first, last) } else { Items::Integers(first, last) })
}

fn whole(number: Number) -> Option<i64> {
    number.to_i64().filter(|value| value.unsigned_abs() < 1 << 62)
}
