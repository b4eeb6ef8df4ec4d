//! Sets of characters, as the classes of a pattern name them.
//!
//! **Invariant:** ranges are in order, apart from each other, and hold no surrogate.

use std::sync::OnceLock;

use unicode_general_category::{GeneralCategory, get_general_category};

/// Characters as ranges of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Letters(Vec<(u32, u32)>);

/// Every character: all numbers but those of surrogates.
const ALL: [(u32, u32); 2] = [(0, 0xd7ff), (0xe000, 0x10_ffff)];

impl Letters {
    pub(super) fn of(ranges: &[(u32, u32)]) -> Letters {
        let mut set = Letters::default();
        ranges.iter().for_each(|(first, last)| set.add(*first, *last));
        set.settled()
    }

    pub(super) fn one(letter: char) -> Letters {
        Letters(vec![(letter.into(), letter.into())])
    }

    /// The characters of the categories whose short names begin so: `L` is `Lu`, `Ll`, `Lt`, `Lm` and `Lo`.
    pub(super) fn category(name: &str) -> Option<Letters> {
        let fits = |(_, _, category): &&(u32, u32, &str)| category.starts_with(name);
        let found: Vec<_> =
            categories().iter().filter(fits).map(|(first, last, _)| (*first, *last)).collect();
        (matches!(name.len(), 1 | 2) && !found.is_empty()).then(|| Letters(found).settled())
    }

    pub(super) fn and(mut self, other: &Letters) -> Letters {
        self.0.extend_from_slice(&other.0);
        self.settled()
    }

    /// Every character that is not among these.
    pub(super) fn others(&self) -> Letters {
        let mut others = Letters::default();
        let mut next = 0;
        for (first, last) in &self.0 {
            if next < *first {
                others.add(next, first - 1);
            }
            next = last + 1;
        }
        others.add(next, 0x10_ffff);
        others.settled()
    }

    pub(super) fn without(&self, other: &Letters) -> Letters {
        self.others().and(other).others()
    }

    /// With the capital and the small form of each.
    pub(super) fn in_any_case(self) -> Letters {
        let mut all = self;
        loop {
            let has = |letter: char| all.has(letter);
            let new: Vec<_> = cases().iter().filter(|(a, b)| has(*a) != has(*b)).collect();
            if new.is_empty() {
                return all;
            }
            let both = new.iter().flat_map(|(a, b)| [*a, *b]);
            let new = Letters(both.map(|letter| (letter.into(), letter.into())).collect());
            all = all.and(&new);
        }
    }

    /// The number of the only character.
    pub(super) fn only(&self) -> Option<u32> {
        match self.0[..] {
            [(first, last)] if first == last => Some(first),
            _ => None,
        }
    }

    fn has(&self, letter: char) -> bool {
        let number = u32::from(letter);
        let at = self.0.partition_point(|(_, last)| *last < number);
        self.0.get(at).is_some_and(|(first, _)| *first <= number)
    }

    /// As a class in brackets. No character at all is a word's edge that is none.
    pub(super) fn write(&self, out: &mut String) {
        if self.0.is_empty() {
            return out.push_str("(?:\\b\\B)");
        }
        let in_brackets = self.only().is_none();
        out.push_str(if in_brackets { "[" } else { "" });
        for (first, last) in &self.0 {
            write_one(*first, out);
            if first < last {
                out.push('-');
                write_one(*last, out);
            }
        }
        out.push_str(if in_brackets { "]" } else { "" });
    }

    /// A range, without the surrogates in it.
    fn add(&mut self, first: u32, last: u32) {
        for (from, to) in ALL {
            let (first, last) = (first.max(from), last.min(to));
            if first <= last {
                self.0.push((first, last));
            }
        }
    }

    fn settled(mut self) -> Letters {
        self.0.sort_unstable();
        let mut settled: Vec<(u32, u32)> = Vec::with_capacity(self.0.len());
        for (first, last) in self.0 {
            match settled.last_mut() {
                Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
                _ => settled.push((first, last)),
            }
        }
        Letters(settled)
    }
}

fn write_one(number: u32, out: &mut String) {
    let letter = char::from_u32(number).expect("no surrogate is in a set");
    if letter.is_ascii_punctuation() {
        out.push('\\');
    }
    out.push(letter);
}

/// Every character with its category, in runs.
fn categories() -> &'static [(u32, u32, &'static str)] {
    static RUNS: OnceLock<Vec<(u32, u32, &'static str)>> = OnceLock::new();
    RUNS.get_or_init(|| {
        let mut runs: Vec<(u32, u32, &str)> = Vec::new();
        for letter in '\0'..=char::MAX {
            let (number, category) = (u32::from(letter), short_name(get_general_category(letter)));
            match runs.last_mut() {
                Some(run) if run.2 == category && run.1 + 1 == number => run.1 = number,
                _ => runs.push((number, number, category)),
            }
        }
        runs
    })
}

/// Every character with its other case, where that is one character.
fn cases() -> &'static [(char, char)] {
    static PAIRS: OnceLock<Vec<(char, char)>> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let mut pairs = Vec::new();
        for letter in '\0'..=char::MAX {
            let (mut small, mut capital) = (letter.to_lowercase(), letter.to_uppercase());
            for (form, more) in [(small.next(), small.next()), (capital.next(), capital.next())] {
                if let (Some(form), None) = (form, more)
                    && form != letter
                {
                    pairs.push((letter, form));
                }
            }
        }
        pairs
    })
}

#[allow(clippy::wildcard_enum_match_arm, reason = "the enum may grow")]
fn short_name(category: GeneralCategory) -> &'static str {
    use GeneralCategory::*;
    match category {
        UppercaseLetter => "Lu",
        LowercaseLetter => "Ll",
        TitlecaseLetter => "Lt",
        ModifierLetter => "Lm",
        OtherLetter => "Lo",
        NonspacingMark => "Mn",
        SpacingMark => "Mc",
        EnclosingMark => "Me",
        DecimalNumber => "Nd",
        LetterNumber => "Nl",
        OtherNumber => "No",
        ConnectorPunctuation => "Pc",
        DashPunctuation => "Pd",
        OpenPunctuation => "Ps",
        ClosePunctuation => "Pe",
        InitialPunctuation => "Pi",
        FinalPunctuation => "Pf",
        OtherPunctuation => "Po",
        SpaceSeparator => "Zs",
        LineSeparator => "Zl",
        ParagraphSeparator => "Zp",
        MathSymbol => "Sm",
        CurrencySymbol => "Sc",
        ModifierSymbol => "Sk",
        OtherSymbol => "So",
        Control => "Cc",
        Format => "Cf",
        Surrogate => "Cs",
        PrivateUse => "Co",
        // Unassigned, and what a later Unicode may add.
        _ => "Cn",
    }
}
