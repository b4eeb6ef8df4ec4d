//! The map: sorted pages of entries, in a row.
//!
//! A small map, as nearly all are, is one sorted vector. A large one is a tree of two levels: a row of pages. What
//! moves when an entry comes or goes is one page, and once in a page's worth of entries the row.
//!
//! **Invariant:** no page but the first is empty, and the first only when the map is.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::mem;
use std::ops::{Bound, Index, RangeBounds};

use crate::{Entry, Iter, IterMut};

/// So few entries are looked through one by one.
const FEW: usize = 8;

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
    from: K,
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

    fn end(&self) -> Place {
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

    fn take(&mut self, place: Place) -> (K, V) {
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
