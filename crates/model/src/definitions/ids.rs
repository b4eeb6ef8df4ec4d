//! The elements of a file by their ids, without a copy of these.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use tyer_xml::{Document, Element};

/// Where the element with an id is.
#[derive(Debug)]
pub(super) struct Ids {
    table: HashTable<Entry>,
    hasher: DefaultHashBuilder,
    /// The first element with an id, and another one.
    duplicates: Vec<(u32, u32)>,
}

/// The hash is kept: most other ids are told apart by it, and the table grows without a look at the ids.
#[derive(Clone, Copy, Debug)]
struct Entry {
    order: u32,
    hash: u32,
}

impl Entry {
    /// Where the table looks first.
    fn place(&self) -> u64 {
        place(self.hash)
    }
}

fn place(hash: u32) -> u64 {
    // The table takes high and low bits: both must be different for different hashes.
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Ids {
    /// The first element with an id is the one that is found.
    pub(super) fn of(document: &Document, orders: impl ExactSizeIterator<Item = u32>) -> Ids {
        let hasher = DefaultHashBuilder::default();
        let table = HashTable::with_capacity(orders.len() / 2);
        let mut ids = Ids { table, hasher, duplicates: Vec::new() };
        for order in orders {
            let Some(id) = document.element(order as usize).and_then(id_of) else { continue };
            let hash = ids.hash(id);
            match ids.position(document, hash, id) {
                Some(first) => ids.duplicates.push((first, order)),
                None => drop(ids.table.insert_unique(place(hash), Entry { order, hash }, Entry::place)),
            }
        }
        ids
    }

    pub(super) fn find<'d>(&self, document: &'d Document, id: &str) -> Option<Element<'d>> {
        let order = self.position(document, self.hash(id), id)?;
        document.element(order as usize)
    }

    pub(super) fn duplicates<'d>(
        &'d self,
        document: &'d Document,
    ) -> impl Iterator<Item = (Element<'d>, Element<'d>)> {
        let element = |order: u32| document.element(order as usize);
        self.duplicates.iter().filter_map(move |(first, other)| element(*first).zip(element(*other)))
    }

    fn position(&self, document: &Document, hash: u32, id: &str) -> Option<u32> {
        let is_it = |entry: &Entry| entry.hash == hash && by_order(document, entry.order) == id;
        self.table.find(place(hash), is_it).map(|entry| entry.order)
    }

    fn hash(&self, id: &str) -> u32 {
        self.hasher.hash_one(id) as u32
    }
}

fn id_of<'d>(element: Element<'d>) -> Option<&'d str> {
    element.attribute("id").map(str::trim)
}

fn by_order(document: &Document, order: u32) -> &str {
    document.element(order as usize).and_then(id_of).unwrap_or_default()
}
