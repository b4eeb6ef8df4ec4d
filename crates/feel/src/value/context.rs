//! Named values in the order they were written, found by name.

use super::Value;
use std::sync::Arc;

/// Above this many entries a name is found by binary search.
const INDEX_FROM: usize = 12;

/// Named values; a clone shares them.
#[derive(Clone, Debug, Default)]
pub struct Context(Arc<Entries>);

#[derive(Clone, Debug, Default)]
struct Entries {
    entries: Vec<(Arc<str>, Value)>,
    /// Positions in order of their names, when there are many.
    index: Vec<u32>,
    depth: u16,
}

impl Context {
    /// A context of these; of two entries with one name the later one counts.
    pub fn new(entries: Vec<(Arc<str>, Value)>) -> Context {
        let mut entries: Vec<(Arc<str>, Value)> =
            entries.into_iter().map(|(name, value)| (name, value.read())).collect();
        let mut index = Vec::new();
        if entries.len() > INDEX_FROM {
            index = sorted(&entries);
            let unique =
                index.windows(2).all(|pair| entries[pair[0] as usize].0 != entries[pair[1] as usize].0);
            if !unique {
                entries = without_duplicates(entries, &index);
                index = sorted(&entries);
            }
        } else {
            let mut at = 0;
            while at < entries.len() {
                let later = entries[at + 1..].iter().position(|(name, _)| *name == entries[at].0);
                match later {
                    Some(offset) => {
                        let (_, value) = entries.remove(at + 1 + offset);
                        entries[at].1 = value;
                    }
                    None => at += 1,
                }
            }
        }
        let depth = entries.iter().map(|(_, value)| value.depth()).max().unwrap_or(0).saturating_add(1);
        Context(Arc::new(Entries { entries, index, depth }))
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let Entries { entries, index, .. } = &*self.0;
        if index.is_empty() {
            return entries.iter().find(|(key, _)| **key == *name).map(|(_, value)| value);
        }
        let found = index.binary_search_by(|at| (*entries[*at as usize].0).cmp(name)).ok()?;
        Some(&entries[index[found] as usize].1)
    }

    /// The entries in order.
    pub fn entries(&self) -> &[(Arc<str>, Value)] {
        &self.0.entries
    }

    pub(crate) fn depth(&self) -> u16 {
        self.0.depth
    }
}

fn sorted(entries: &[(Arc<str>, Value)]) -> Vec<u32> {
    let mut index: Vec<u32> = (0..entries.len() as u32).collect();
    index.sort_by(|a, b| entries[*a as usize].0.cmp(&entries[*b as usize].0).then(a.cmp(b)));
    index
}

/// Keeps the first position and the last value of each name.
fn without_duplicates(mut entries: Vec<(Arc<str>, Value)>, index: &[u32]) -> Vec<(Arc<str>, Value)> {
    let mut keep = vec![true; entries.len()];
    let mut first = 0;
    for at in 1..index.len() {
        let (one, other) = (index[first] as usize, index[at] as usize);
        if entries[one].0 == entries[other].0 {
            entries[one].1 = std::mem::replace(&mut entries[other].1, Value::Null);
            keep[other] = false;
        } else {
            first = at;
        }
    }
    let mut kept = keep.into_iter();
    entries.retain(|_| kept.next().unwrap_or(true));
    entries
}

impl From<Context> for Value {
    fn from(context: Context) -> Value {
        Value::Context(context)
    }
}
