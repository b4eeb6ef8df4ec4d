//! The place of one key, with a value or without.

use crate::Map;
use crate::map::Place;

/// The place of a key in a map: see [`Map::entry`].
pub struct Entry<'m, K, V> {
    pub(crate) map: &'m mut Map<K, V>,
    pub(crate) place: Place,
    /// Of an entry that is not there.
    pub(crate) key: Option<K>,
}

impl<'m, K: Clone, V> Entry<'m, K, V> {
    /// The value, this one where there is none.
    pub fn or_insert(self, value: V) -> &'m mut V {
        self.or_insert_with(|| value)
    }

    /// The value, a made one where there is none.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'m mut V {
        let place = match self.key {
            None => self.place,
            Some(key) => self.map.put(self.place, key, make()),
        };
        &mut self.map.page_mut(place.page)[place.at].1
    }

    /// The value, an empty one where there is none.
    pub fn or_default(self) -> &'m mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}
