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

/// The hash is kept so that most other ids are told apart without a look at them.
#[derive(Clone, Copy, Debug)]
struct Entry {
    order: u32,
    hash: u32,
}

impl Ids {
    /// The first element with an id is the one that is found.
    pub(super) fn of(document: &Document, orders: impl ExactSizeIterator<Item = u32>) -> Ids {
        let hasher = DefaultHashBuilder::default();
        let mut ids = Ids { table: HashTable::with_capacity(orders.len()), hasher, duplicates: Vec::new() };
        for order in orders {
            let Some(id) = document.element(order as usize).and_then(id_of) else { continue };
            let hash = ids.hasher.hash_one(id);
            match ids.position(document, hash, id) {
                Some(first) => ids.duplicates.push((first, order)),
                None => {
                    let hash_of = |entry: &Entry| ids.hasher.hash_one(by_order(document, entry.order));
                    ids.table.insert_unique(hash, Entry { order, hash: short(hash) }, hash_of);
                }
            }
        }
        ids
    }

    pub(super) fn find<'d>(&self, document: &'d Document, id: &str) -> Option<Element<'d>> {
        let order = self.position(document, self.hasher.hash_one(id), id)?;
        document.element(order as usize)
    }

    pub(super) fn duplicates<'d>(
        &'d self,
        document: &'d Document,
    ) -> impl Iterator<Item = (Element<'d>, Element<'d>)> {
        let element = |order: u32| document.element(order as usize);
        self.duplicates.iter().filter_map(move |(first, other)| element(*first).zip(element(*other)))
    }

    fn position(&self, document: &Document, hash: u64, id: &str) -> Option<u32> {
        let is_it = |entry: &Entry| entry.hash == short(hash) && by_order(document, entry.order) == id;
        self.table.find(hash, is_it).map(|entry| entry.order)
    }
}

/// A part of the hash that does not choose the place in the table.
fn short(hash: u64) -> u32 {
    (hash >> 25) as u32
}

fn id_of<'d>(element: Element<'d>) -> Option<&'d str> {
    element.attribute("id").map(str::trim)
}

fn by_order(document: &Document, order: u32) -> &str {
    document.element(order as usize).and_then(id_of).unwrap_or_default()
}
