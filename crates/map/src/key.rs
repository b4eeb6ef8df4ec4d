//! Entries by their key: looked up, put in, taken out.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::mem;
use std::ops::{Bound, RangeBounds};

use crate::map::Place;
use crate::{Entry, Iter, Map};

/// So few entries are looked through one by one.
const FEW: usize = 8;

impl<K: Ord, V> Map<K, V> {
    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        // The newest key is asked for most.
        if let [.., (have, value)] = self.first.as_slice()
            && have.borrow() == key
        {
            return Some(value);
        }
        let page = self.page(self.page_of(key));
        find(page, key).ok().map(|at| &page[at].1)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let page = self.page_of(key);
        let page = self.page_mut(page);
        find(page, key).ok().map(|at| &mut page[at].1)
    }

    /// Is the key there?
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.get(key).is_some()
    }

    /// Sets the value of a key; gives back the value that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V>
    where
        K: Clone,
    {
        match self.search(&key) {
            Ok(place) => Some(mem::replace(&mut self.page_mut(place.page)[place.at].1, value)),
            Err(place) => {
                self.put(place, key, value);
                None
            }
        }
    }

    /// Takes a key out; gives back its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let place = self.search(key).ok()?;
        Some(self.take(place).1)
    }

    /// The place of a key, with a value or without.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        match self.search(&key) {
            Ok(place) => Entry { map: self, place, key: None },
            Err(place) => Entry { map: self, place, key: Some(key) },
        }
    }

    /// The entries whose keys are in a range; none where it ends before it begins.
    pub fn range<Q: Ord + ?Sized>(&self, range: impl RangeBounds<Q>) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let from = self.bound(range.start_bound(), Place { page: 0, at: 0 }, false);
        let to = self.bound(range.end_bound(), self.end(), true);
        Iter { map: self, from, to }
    }

    /// Before the key of a bound, or behind it.
    fn bound<Q: Ord + ?Sized>(&self, bound: Bound<&Q>, open: Place, upper: bool) -> Place
    where
        K: Borrow<Q>,
    {
        let (key, behind) = match bound {
            Bound::Unbounded => return open,
            Bound::Included(key) => (key, upper),
            Bound::Excluded(key) => (key, !upper),
        };
        match self.search(key) {
            Ok(place) if behind => Place { at: place.at + 1, ..place },
            Ok(place) | Err(place) => place,
        }
    }

    fn search<Q: Ord + ?Sized>(&self, key: &Q) -> Result<Place, Place>
    where
        K: Borrow<Q>,
    {
        let page = self.page_of(key);
        match find(self.page(page), key) {
            Ok(at) => Ok(Place { page, at }),
            Err(at) => Err(Place { page, at }),
        }
    }

    /// The page on which a key is, or would be.
    fn page_of<Q: Ord + ?Sized>(&self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        if self.rest.is_empty() { 0 } else { self.rest.partition_point(|page| page.from.borrow() <= key) }
    }
}

/// Where a key is in a page, or would be.
fn find<K: Borrow<Q>, V, Q: Ord + ?Sized>(entries: &[(K, V)], key: &Q) -> Result<usize, usize> {
    let (mut from, mut to) = (0, entries.len());
    while to - from > FEW {
        let at = usize::midpoint(from, to);
        if entries[at].0.borrow() <= key {
            from = at;
        } else {
            to = at;
        }
    }
    // The newest keys are the largest, and asked for most.
    while let Some(at) = to.checked_sub(1) {
        match entries[at].0.borrow().cmp(key) {
            Ordering::Equal => return Ok(at),
            Ordering::Less => break,
            Ordering::Greater => to = at,
        }
    }
    Err(to)
}
