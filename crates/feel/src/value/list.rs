//! A shared list that knows how deep it nests.

use super::Value;
use std::ops::Deref;
use std::sync::Arc;

/// A list of values; a clone shares it.
#[derive(Clone, Debug, Default)]
pub struct List(Arc<Items>);

#[derive(Clone, Debug, Default)]
struct Items {
    values: Vec<Value>,
    depth: u16,
}

impl List {
    /// A list of these.
    pub fn new(values: Vec<Value>) -> List {
        let values: Vec<Value> = if values.iter().any(|value| matches!(value, Value::Raw(_))) {
            values.into_iter().map(Value::read).collect()
        } else {
            values
        };
        let depth = values.iter().map(Value::depth).max().unwrap_or(0).saturating_add(1);
        List(Arc::new(Items { values, depth }))
    }

    /// Adds an item, in place when nobody else holds the list.
    pub(crate) fn push(&mut self, value: Value) {
        let items = Arc::make_mut(&mut self.0);
        items.depth = items.depth.max(value.depth().saturating_add(1));
        items.values.push(value);
    }

    pub(crate) fn depth(&self) -> u16 {
        self.0.depth
    }

    /// The items, copied only when somebody else holds the list.
    pub(crate) fn into_vec(self) -> Vec<Value> {
        Arc::try_unwrap(self.0).map_or_else(|shared| shared.values.clone(), |items| items.values)
    }
}

impl Deref for List {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.0.values
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> List {
        List::new(values.into_iter().collect())
    }
}
