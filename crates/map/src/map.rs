//! The map: sorted pages of entries, in a row.
//!
//! A small map, as nearly all are, is one sorted vector. A large one is a tree of two levels: a row of pages. What
//! moves when an entry comes or goes is one page, and once in a page's worth of entries the row.
//!
//! **Invariant:** no page but the first is empty, and the first only when the map is.

use std::borrow::Borrow;
use std::ops::Index;

use crate::{Iter, IterMut};

/// Values by key, in the order of the keys.
///
/// ```
/// use tyer_map::Map;
///
/// let mut stock: Map<&str, u32> = Map::from([("pear", 3), ("apple", 5)]);
/// *stock.entry("plum").or_default() += 1;
/// assert_eq!(stock.get("apple"), Some(&5));
/// assert_eq!(stock.keys().copied().collect::<Vec<_>>(), ["apple", "pear", "plum"]);
/// ```
#[derive(Clone)]
pub struct Map<K, V> {
    pub(crate) first: Vec<(K, V)>,
    pub(crate) rest: Vec<Page<K, V>>,
}

/// A page behind the first.
#[derive(Clone)]
pub(crate) struct Page<K, V> {
    /// No key on it is smaller, and all keys before it are.
    pub(crate) from: K,
    pub(crate) entries: Vec<(K, V)>,
}

/// Where an entry is, or would be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) page: usize,
    pub(crate) at: usize,
}

impl<K, V> Map<K, V> {
    /// Entries of a full page: few if they are large, because all of them may have to be moved.
    const PAGE: usize = {
        let fit = 4096 / (size_of::<(K, V)>() + 1);
        if fit < 16 {
            16
        } else if fit > 128 {
            128
        } else {
            fit
        }
    };

    /// An empty map; it takes no memory.
    pub const fn new() -> Map<K, V> {
        Map { first: Vec::new(), rest: Vec::new() }
    }

    /// How many entries; the pages are counted.
    pub fn len(&self) -> usize {
        self.rest.iter().fold(self.first.len(), |sum, page| sum + page.entries.len())
    }

    /// Nothing in it?
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Every entry, by key.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { map: self, from: Place { page: 0, at: 0 }, to: self.end() }
    }

    /// Every entry, by key, the values to be changed.
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut { page: self.first.iter_mut(), rest: self.rest.iter_mut() }
    }

    /// The keys in their order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + Clone {
        self.iter().map(|(key, _)| key)
    }

    /// The values by key.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// The values by key, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.iter_mut().map(|(_, value)| value)
    }

    /// The values by key, the map being used up.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }

    /// The entry with the smallest key.
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.first.first().map(|(key, value)| (key, value))
    }

    /// The entry with the largest key.
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.page(self.rest.len()).last().map(|(key, value)| (key, value))
    }

    /// Takes out the entry with the smallest key.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        (!self.is_empty()).then(|| self.take(Place { page: 0, at: 0 }))
    }

    /// Keeps the entries for which `keep` says so.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        for page in 0..=self.rest.len() {
            self.page_mut(page).retain_mut(|(key, value)| keep(key, value));
        }
        self.rest.retain(|page| !page.entries.is_empty());
        if self.first.is_empty() && !self.rest.is_empty() {
            self.first = self.rest.remove(0).entries;
        }
    }

    pub(crate) fn page(&self, page: usize) -> &Vec<(K, V)> {
        if page == 0 { &self.first } else { &self.rest[page - 1].entries }
    }

    pub(crate) fn page_mut(&mut self, page: usize) -> &mut Vec<(K, V)> {
        if page == 0 { &mut self.first } else { &mut self.rest[page - 1].entries }
    }

    pub(crate) fn end(&self) -> Place {
        Place { page: self.rest.len(), at: self.page(self.rest.len()).len() }
    }

    /// Puts a new entry where it belongs. Keys that grow fill their pages; a full page among others is halved.
    pub(crate) fn put(&mut self, place: Place, key: K, value: V) -> Place
    where
        K: Clone,
    {
        let last = place.page == self.rest.len();
        let page = self.page_mut(place.page);
        let place = if page.len() < Self::PAGE {
            place
        } else if last && place.at == Self::PAGE {
            self.rest.push(Page { from: key.clone(), entries: Vec::with_capacity(Self::PAGE) });
            Place { page: place.page + 1, at: 0 }
        } else {
            let entries = page.split_off(Self::PAGE / 2);
            self.rest.insert(place.page, Page { from: entries[0].0.clone(), entries });
            match place.at.checked_sub(Self::PAGE / 2) {
                None | Some(0) => place,
                Some(at) => Place { page: place.page + 1, at },
            }
        };
        self.page_mut(place.page).insert(place.at, (key, value));
        place
    }

    pub(crate) fn take(&mut self, place: Place) -> (K, V) {
        let page = self.page_mut(place.page);
        let entry = page.remove(place.at);
        if page.is_empty() && !self.rest.is_empty() {
            let next = self.rest.remove(place.page.saturating_sub(1));
            if place.page == 0 {
                self.first = next.entries;
            }
        }
        entry
    }
}

impl<K: Borrow<Q> + Ord, V, Q: Ord + ?Sized> Index<&Q> for Map<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the key is in the map")
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Map<K, V> {
        Map::new()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Map<K, V>) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq> Eq for Map<K, V> {}
