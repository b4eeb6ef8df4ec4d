//! Sets of rules, and the rules that are in all of several sets.
//!
//! **Invariant:** a set takes memory in proportion to its members or to a table that is small.

/// Tables up to here have a bit for every rule in every set.
const DENSE_RULES: usize = 4_096;

/// A set of rules, filled in their order.
#[derive(Clone, Debug)]
pub(super) enum RuleSet {
    Bits(Vec<u64>),
    List(Vec<u32>),
}

impl RuleSet {
    /// A set that most rules may be in.
    pub(super) fn wide(rules: usize) -> RuleSet {
        RuleSet::Bits(vec![0; words(rules)])
    }

    /// One of very many sets of a table with so many rules.
    pub(super) fn narrow(rules: usize) -> RuleSet {
        if is_small(rules) { RuleSet::wide(rules) } else { RuleSet::List(Vec::new()) }
    }

    pub(super) fn insert(&mut self, rule: usize) {
        match self {
            RuleSet::Bits(words) => words[rule / 64] |= 1 << (rule % 64),
            RuleSet::List(list) if list.last() == Some(&(rule as u32)) => {}
            RuleSet::List(list) => list.push(rule as u32),
        }
    }

    pub(super) fn contains(&self, rule: usize) -> bool {
        match self {
            RuleSet::Bits(words) => words[rule / 64] >> (rule % 64) & 1 == 1,
            RuleSet::List(list) => list.binary_search(&(rule as u32)).is_ok(),
        }
    }

    pub(super) fn count(&self) -> usize {
        match self {
            RuleSet::Bits(words) => words.iter().map(|word| word.count_ones() as usize).sum(),
            RuleSet::List(list) => list.len(),
        }
    }
}

/// Whether each of many sets may have a bit for every rule.
pub(super) fn is_small(rules: usize) -> bool {
    rules <= DENSE_RULES
}

pub(super) fn words(rules: usize) -> usize {
    rules.div_ceil(64)
}

/// The rules that can match an input, in order, found word by word.
pub(super) struct Candidates<'a> {
    /// Per column, the rules that its value matches and the rules that match anything.
    columns: Vec<[Cursor<'a>; 2]>,
    words: usize,
    at: usize,
    rest: u64,
}

/// A set that is read from its lowest rule to its highest.
enum Cursor<'a> {
    Bits(&'a [u64]),
    List(&'a [u32]),
}

impl<'a> Cursor<'a> {
    fn new(set: Option<&'a RuleSet>) -> Cursor<'a> {
        match set {
            Some(RuleSet::Bits(words)) => Cursor::Bits(words),
            Some(RuleSet::List(list)) => Cursor::List(list),
            None => Cursor::List(&[]),
        }
    }

    /// The bits of a word; words are asked for in order.
    fn word(&mut self, at: usize) -> u64 {
        match self {
            Cursor::Bits(words) => words[at],
            Cursor::List(list) => {
                let mut word = 0;
                while let [first, rest @ ..] = *list
                    && *first as usize / 64 == at
                {
                    word |= 1 << (first % 64);
                    *list = rest;
                }
                word
            }
        }
    }
}

impl<'a> Candidates<'a> {
    pub(super) fn new(rules: usize, columns: usize) -> Candidates<'a> {
        Candidates { columns: Vec::with_capacity(columns), words: words(rules), at: 0, rest: 0 }
    }

    /// Of the rules so far, only those in one of these sets.
    pub(super) fn limit(&mut self, found: Option<&'a RuleSet>, always: &'a RuleSet) {
        self.columns.push([Cursor::new(found), Cursor::new(Some(always))]);
    }
}

impl Iterator for Candidates<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.rest == 0 {
            if self.at == self.words {
                return None;
            }
            let at = self.at;
            let columns = self.columns.iter_mut();
            self.rest =
                columns.fold(u64::MAX, |all, [found, always]| all & (found.word(at) | always.word(at)));
            self.at += 1;
        }
        let bit = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        Some((self.at - 1) * 64 + bit)
    }
}
