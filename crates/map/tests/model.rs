//! The map against the standard library's: the same operations, the same answers.

use std::collections::BTreeMap;

use tyer_map::{Map, Set};

/// A small generator of numbers: the same ones in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[test]
fn a_map_answers_as_the_standard_library_does() {
    for (seed, keys) in [(1, 10), (2, 200), (3, 1_000), (4, 100_000)] {
        let mut dice = Dice(seed * 0x9E37_79B9);
        let (mut ours, mut theirs) = (Map::new(), BTreeMap::new());
        for turn in 0..20_000_u64 {
            let key = dice.below(keys);
            match dice.below(if turn / 4_000 % 2 == 0 { 6 } else { 14 }) {
                0..3 => assert_eq!(ours.insert(key, turn), theirs.insert(key, turn)),
                3 => {
                    *ours.entry(key).or_default() += turn;
                    *theirs.entry(key).or_default() += turn;
                }
                4 => assert_eq!(ours.get(&key), theirs.get(&key)),
                5 => between(&ours, &theirs, key, key + dice.below(keys)),
                6 => assert_eq!(ours.pop_first(), theirs.pop_first()),
                _ => assert_eq!(ours.remove(&key), theirs.remove(&key)),
            }
            assert_eq!(ours.len(), theirs.len());
        }
        same(&ours, &theirs);
        ours.retain(|key, value| key % 3 == 0 && *value > 7);
        theirs.retain(|key, value| key % 3 == 0 && *value > 7);
        same(&ours, &theirs);
    }
}

fn between(ours: &Map<u64, u64>, theirs: &BTreeMap<u64, u64>, from: u64, to: u64) {
    assert!(ours.range(from..to).eq(theirs.range(from..to)));
    assert!(ours.range(from..=to).rev().eq(theirs.range(from..=to).rev()));
    assert!(ours.range(..to).eq(theirs.range(..to)));
    assert!(ours.range(from + 1..).eq(theirs.range(from + 1..)));
    assert_eq!(ours.range(to + 1..from).next(), None, "a range that ends before it begins");
}

fn same(ours: &Map<u64, u64>, theirs: &BTreeMap<u64, u64>) {
    assert!(ours.iter().eq(theirs.iter()) && ours.iter().rev().eq(theirs.iter().rev()));
    assert_eq!(
        (ours.first_key_value(), ours.last_key_value()),
        (theirs.first_key_value(), theirs.last_key_value())
    );
    assert_eq!(ours.len(), theirs.len());
    assert!(ours.clone().into_iter().eq(theirs.clone()));
    assert!(ours.clone().iter_mut().map(|(key, value)| (*key, *value)).eq(theirs.clone()));
    assert_eq!(*ours, theirs.clone().into_iter().collect::<Map<u64, u64>>());
}

#[test]
fn a_walk_meets_itself_in_the_middle() {
    let map: Map<u32, u32> = (0..1_000).map(|n| (n, n)).collect();
    let mut walk = map.iter();
    for n in 0..500 {
        assert_eq!(walk.next(), Some((&n, &n)));
        assert_eq!(walk.next_back(), Some((&(999 - n), &(999 - n))));
    }
    assert_eq!((walk.next(), walk.next_back()), (None, None));
}

#[test]
fn keys_that_fall_or_grow_or_leave_from_the_front_keep_their_order() {
    let mut set: Set<u32> = (0..10_000).rev().collect();
    set.extend(10_000..20_000);
    assert!(set.iter().copied().eq(0..20_000));
    for n in 0..19_999 {
        assert_eq!(set.pop_first(), Some(n));
    }
    assert_eq!((set.first(), set.last(), set.len()), (Some(&19_999), Some(&19_999), 1));
}
