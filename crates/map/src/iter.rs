//! Walks over the entries.

use std::{slice, vec};

use crate::Map;
use crate::map::{Page, Place};

/// Entries by key: see [`Map::iter`] and [`Map::range`].
pub struct Iter<'m, K, V> {
    pub(crate) map: &'m Map<K, V>,
    pub(crate) from: Place,
    pub(crate) to: Place,
}

/// Entries by key, the values to be changed: see [`Map::iter_mut`].
pub struct IterMut<'m, K, V> {
    pub(crate) page: slice::IterMut<'m, (K, V)>,
    pub(crate) rest: slice::IterMut<'m, Page<K, V>>,
}

/// Entries by key, taken out of their map.
pub struct IntoIter<K, V> {
    page: vec::IntoIter<(K, V)>,
    rest: vec::IntoIter<Page<K, V>>,
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter { map: self.map, from: self.from, to: self.to }
    }
}

impl<'m, K, V> Iterator for Iter<'m, K, V> {
    type Item = (&'m K, &'m V);

    fn next(&mut self) -> Option<(&'m K, &'m V)> {
        while self.from < self.to {
            if let Some((key, value)) = self.map.page(self.from.page).get(self.from.at) {
                self.from.at += 1;
                return Some((key, value));
            }
            self.from = Place { page: self.from.page + 1, at: 0 };
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let within = self.from.page == self.to.page;
        (if within { self.to.at.saturating_sub(self.from.at) } else { 0 }, None)
    }
}

impl<'m, K, V> DoubleEndedIterator for Iter<'m, K, V> {
    fn next_back(&mut self) -> Option<(&'m K, &'m V)> {
        while self.from < self.to {
            if let Some(at) = self.to.at.checked_sub(1) {
                self.to.at = at;
                let (key, value) = &self.map.page(self.to.page)[at];
                return Some((key, value));
            }
            let page = self.to.page - 1;
            self.to = Place { page, at: self.map.page(page).len() };
        }
        None
    }
}

impl<'m, K, V> Iterator for IterMut<'m, K, V> {
    type Item = (&'m K, &'m mut V);

    fn next(&mut self) -> Option<(&'m K, &'m mut V)> {
        loop {
            if let Some((key, value)) = self.page.next() {
                return Some((key, value));
            }
            self.page = self.rest.next()?.entries.iter_mut();
        }
    }
}

impl<K, V> Iterator for IntoIter<K, V> {
    type Item = (K, V);

    fn next(&mut self) -> Option<(K, V)> {
        loop {
            if let Some(entry) = self.page.next() {
                return Some(entry);
            }
            self.page = self.rest.next()?.entries.into_iter();
        }
    }
}

impl<'m, K, V> IntoIterator for &'m Map<K, V> {
    type Item = (&'m K, &'m V);
    type IntoIter = Iter<'m, K, V>;

    fn into_iter(self) -> Iter<'m, K, V> {
        self.iter()
    }
}

impl<'m, K, V> IntoIterator for &'m mut Map<K, V> {
    type Item = (&'m K, &'m mut V);
    type IntoIter = IterMut<'m, K, V>;

    fn into_iter(self) -> IterMut<'m, K, V> {
        self.iter_mut()
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> IntoIter<K, V> {
        IntoIter { page: self.first.into_iter(), rest: self.rest.into_iter() }
    }
}

impl<K: Ord + Clone, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord + Clone, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Map<K, V> {
        let mut map = Map::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord + Clone, V, const N: usize> From<[(K, V); N]> for Map<K, V> {
    fn from(entries: [(K, V); N]) -> Map<K, V> {
        Map::from_iter(entries)
    }
}
