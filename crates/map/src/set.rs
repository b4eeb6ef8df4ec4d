//! The set: a map whose values say nothing.

use std::borrow::Borrow;
use std::ops::RangeBounds;

use crate::{IntoIter, Iter, Map};

/// Values in their order, each once.
///
/// ```
/// use tyer_map::Set;
///
/// let mut seen = Set::from([3, 1, 2]);
/// assert!(!seen.insert(2), "it was there");
/// assert_eq!(seen.range(2..).copied().collect::<Vec<_>>(), [2, 3]);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Set<T>(Map<T, ()>);

impl<T> Set<T> {
    /// An empty set; it takes no memory.
    pub const fn new() -> Set<T> {
        Set(Map::new())
    }

    /// How many values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Nothing in it?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every value, in order.
    pub fn iter(&self) -> Values<'_, T> {
        Values(self.0.iter())
    }

    /// The smallest value.
    pub fn first(&self) -> Option<&T> {
        self.0.first_key_value().map(|(value, ())| value)
    }

    /// The largest value.
    pub fn last(&self) -> Option<&T> {
        self.0.last_key_value().map(|(value, ())| value)
    }

    /// Takes out the smallest value.
    pub fn pop_first(&mut self) -> Option<T> {
        self.0.pop_first().map(|(value, ())| value)
    }

    /// Keeps the values for which `keep` says so.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.0.retain(|value, ()| keep(value));
    }
}

impl<T: Ord> Set<T> {
    /// Puts a value in; false if it was there.
    pub fn insert(&mut self, value: T) -> bool
    where
        T: Clone,
    {
        self.0.insert(value, ()).is_none()
    }

    /// Takes a value out; false if it was not there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.remove(value).is_some()
    }

    /// Is it there?
    pub fn contains<Q: Ord + ?Sized>(&self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(value)
    }

    /// The values in a range; none where it ends before it begins.
    pub fn range<Q: Ord + ?Sized>(&self, range: impl RangeBounds<Q>) -> Values<'_, T>
    where
        T: Borrow<Q>,
    {
        Values(self.0.range(range))
    }
}

impl<T> Default for Set<T> {
    fn default() -> Set<T> {
        Set::new()
    }
}

/// Values of a set: see [`Set::iter`] and [`Set::range`].
pub struct Values<'s, T>(Iter<'s, T, ()>);

impl<T> Clone for Values<'_, T> {
    fn clone(&self) -> Self {
        Values(self.0.clone())
    }
}

impl<'s, T> Iterator for Values<'s, T> {
    type Item = &'s T;

    fn next(&mut self) -> Option<&'s T> {
        self.0.next().map(|(value, ())| value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<'s, T> DoubleEndedIterator for Values<'s, T> {
    fn next_back(&mut self) -> Option<&'s T> {
        self.0.next_back().map(|(value, ())| value)
    }
}

/// Values taken out of their set.
pub struct IntoValues<T>(IntoIter<T, ()>);

impl<T> Iterator for IntoValues<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.next().map(|(value, ())| value)
    }
}

impl<'s, T> IntoIterator for &'s Set<T> {
    type Item = &'s T;
    type IntoIter = Values<'s, T>;

    fn into_iter(self) -> Values<'s, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = IntoValues<T>;

    fn into_iter(self) -> IntoValues<T> {
        IntoValues(self.0.into_iter())
    }
}

impl<T: Ord + Clone> Extend<T> for Set<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        for value in values {
            self.insert(value);
        }
    }
}

impl<T: Ord + Clone> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Set<T> {
        let mut set = Set::new();
        set.extend(values);
        set
    }
}

impl<T: Ord + Clone, const N: usize> From<[T; N]> for Set<T> {
    fn from(values: [T; N]) -> Set<T> {
        Set::from_iter(values)
    }
}
