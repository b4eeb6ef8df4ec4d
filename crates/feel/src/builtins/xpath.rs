//! Patterns in the notation of XPath, rewritten in that of the regex crate.
//!
//! **Invariant:** what comes out names every class of characters by its ranges: of Unicode the regex crate needs to
//! know nothing.

use std::iter::Peekable;
use std::str::Chars;
use std::sync::OnceLock;

use super::letters::Letters;

/// The same pattern for the regex crate; `None` for what is not XPath, or cannot be matched in linear time.
pub(super) fn translate(pattern: &str, flags: &str) -> Option<Translation> {
    let has = |flag| flags.contains(flag);
    let mut to = Translation { any_case: has('i'), ..Translation::default() };
    if has('q') {
        pattern.chars().for_each(|letter| to.class(Letters::one(letter)));
        return Some(to);
    }
    let pattern = if has('x') { without_space(pattern) } else { pattern.to_owned() };
    let line_ends = Letters::of(&[(0xa, 0xa), (0xd, 0xd)]);
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => to.class(escape(&mut letters)?),
            '[' => to.class(class(&mut letters, to.any_case, 0)?),
            '.' if has('s') => to.class(Letters::default().others()),
            '.' => to.class(line_ends.others()),
            '(' if letters.peek() == Some(&'?') => {
                // Only the group that captures nothing is XPath.
                letters.next();
                letters.next_if_eq(&':')?;
                to.open("(?:");
            }
            '(' => to.open("("),
            ')' => to.close()?,
            '{' => to.count(&mut letters)?,
            ']' | '}' => return None,
            '|' | '^' | '$' | '*' | '+' | '?' => to.out.push(letter),
            letter => to.class(Letters::one(letter)),
        }
    }
    to.around.is_empty().then_some(to)
}

/// A pattern for the regex crate.
#[derive(Default)]
pub(super) struct Translation {
    pub(super) out: String,
    /// Places in it, those that are counted as often as they may be repeated: so many may have to be looked at for
    /// every character.
    pub(super) places: usize,
    any_case: bool,
    /// Places of the last character, class or group.
    last: usize,
    /// Places before each open group.
    around: Vec<usize>,
}

impl Translation {
    fn class(&mut self, letters: Letters) {
        let letters = if self.any_case { letters.in_any_case() } else { letters };
        letters.write(&mut self.out);
        self.last = 1;
        self.places = self.places.saturating_add(1);
    }

    fn open(&mut self, how: &str) {
        self.out.push_str(how);
        self.around.push(std::mem::take(&mut self.places));
    }

    fn close(&mut self) -> Option<()> {
        self.out.push(')');
        self.last = self.places.saturating_add(1);
        self.places = self.around.pop()?.saturating_add(self.last);
        Some(())
    }

    /// `{2,3}`, as it is.
    fn count(&mut self, letters: &mut Peekable<Chars<'_>>) -> Option<()> {
        let mut counts = String::new();
        loop {
            match letters.next()? {
                '}' => break,
                letter => counts.push(letter),
            }
        }
        let (least, most) = counts.split_once(',').unwrap_or((&counts, ""));
        let least: usize = least.parse().ok()?;
        let most = if most.is_empty() { least } else { most.parse().ok()? };
        self.places = self.places.saturating_add(self.last.saturating_mul(most.saturating_sub(1)));
        self.last = self.last.saturating_mul(most);
        self.out.extend(["{", &counts, "}"]);
        Some(())
    }
}

/// Classes in classes that are read.
const DEEPEST: usize = 64;

/// What follows an opening bracket: `[^a-z\d-[aeiou]]`.
fn class(letters: &mut Peekable<Chars<'_>>, any_case: bool, depth: usize) -> Option<Letters> {
    let is_others = letters.next_if_eq(&'^').is_some();
    let mut set = Letters::default();
    let mut without = None;
    let mut is_first = true;
    loop {
        let next = match letters.next()? {
            ']' if !is_first => break,
            '-' if letters.peek() == Some(&'[') && !is_first => {
                letters.next();
                without = Some(class(letters, any_case, depth + 1).filter(|_| depth < DEEPEST)?);
                letters.next_if_eq(&']')?;
                break;
            }
            '\\' => escape(letters)?,
            '[' => return None,
            letter => Letters::one(letter),
        };
        set = set.and(&range(next, letters)?);
        is_first = false;
    }
    let set = if any_case { set.in_any_case() } else { set };
    let set = if is_others { set.others() } else { set };
    Some(without.map_or(set.clone(), |without| set.without(&without)))
}

/// A character and, if `-` and another follow, all between them.
fn range(first: Letters, letters: &mut Peekable<Chars<'_>>) -> Option<Letters> {
    let mut ahead = letters.clone();
    let is_range = ahead.next() == Some('-') && !matches!(ahead.next(), Some(']' | '['));
    let Some(from) = first.only().filter(|_| is_range) else { return Some(first) };
    letters.next();
    let last = match letters.next()? {
        '\\' => escape(letters)?.only()?,
        letter => letter.into(),
    };
    (from <= last).then(|| Letters::of(&[(from, last)]))
}

/// Flag x: blanks mean nothing outside of brackets, wherever they stand.
fn without_space(pattern: &str) -> String {
    let mut depth = 0;
    let mut escaped = false;
    let mut out = String::with_capacity(pattern.len());
    for letter in pattern.chars() {
        match letter {
            _ if depth == 0 && letter.is_whitespace() => continue,
            _ if escaped => {}
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        escaped = letter == '\\' && !escaped;
        out.push(letter);
    }
    out
}

/// What follows a backslash.
fn escape(letters: &mut Peekable<Chars<'_>>) -> Option<Letters> {
    let category = |name| Letters::category(name).unwrap_or_default();
    let name = || category("L").and(&Letters::of(&[(0x3a, 0x3a), (0x5f, 0x5f)]));
    let in_name = || word().clone().and(&Letters::of(&[(0x2d, 0x2e), (0x3a, 0x3a)]));
    let space = || Letters::of(&[(0x9, 0xa), (0xd, 0xd), (0x20, 0x20)]);
    Some(match letters.next()? {
        'n' => Letters::one('\n'),
        'r' => Letters::one('\r'),
        't' => Letters::one('\t'),
        'i' => name(),
        'I' => name().others(),
        'c' => in_name(),
        'C' => in_name().others(),
        'd' => category("Nd"),
        'D' => category("Nd").others(),
        's' => space(),
        'S' => space().others(),
        'w' => word().clone(),
        'W' => word().others(),
        'p' => property(letters)?,
        'P' => property(letters)?.others(),
        // A reference back cannot be matched in linear time; other letters mean nothing in XPath.
        letter if letter.is_ascii_alphanumeric() => return None,
        letter => Letters::one(letter),
    })
}

/// Letters, digits, their marks, and what joins them.
fn word() -> &'static Letters {
    static WORD: OnceLock<Letters> = OnceLock::new();
    WORD.get_or_init(|| {
        let parts = ["L", "M", "Nd", "Nl", "Pc"].into_iter().filter_map(Letters::category);
        parts.fold(Letters::default(), |all, part| all.and(&part))
    })
}

/// What follows `\p`: a category such as `{Lu}`, or a block such as `{IsGreek}`.
fn property(letters: &mut Peekable<Chars<'_>>) -> Option<Letters> {
    letters.next_if_eq(&'{')?;
    let name: String = letters.by_ref().take_while(|letter| *letter != '}').collect();
    match name.strip_prefix("Is") {
        None => Letters::category(&name),
        Some(block) => {
            let (_, first, last) = BLOCKS.iter().find(|(name, _, _)| *name == block)?;
            Some(Letters::of(&[(*first, *last)]))
        }
    }
}

/// The Unicode blocks that patterns name most.
const BLOCKS: &[(&str, u32, u32)] = &[
    ("BasicLatin", 0x0, 0x7f),
    ("Latin-1Supplement", 0x80, 0xff),
    ("LatinExtended-A", 0x100, 0x17f),
    ("LatinExtended-B", 0x180, 0x24f),
    ("IPAExtensions", 0x250, 0x2af),
    ("SpacingModifierLetters", 0x2b0, 0x2ff),
    ("CombiningDiacriticalMarks", 0x300, 0x36f),
    ("Greek", 0x370, 0x3ff),
    ("GreekandCoptic", 0x370, 0x3ff),
    ("Cyrillic", 0x400, 0x4ff),
    ("Armenian", 0x530, 0x58f),
    ("Hebrew", 0x590, 0x5ff),
    ("Arabic", 0x600, 0x6ff),
    ("Devanagari", 0x900, 0x97f),
    ("Thai", 0xe00, 0xe7f),
    ("LatinExtendedAdditional", 0x1e00, 0x1eff),
    ("GreekExtended", 0x1f00, 0x1fff),
    ("GeneralPunctuation", 0x2000, 0x206f),
    ("SuperscriptsandSubscripts", 0x2070, 0x209f),
    ("CurrencySymbols", 0x20a0, 0x20cf),
    ("LetterlikeSymbols", 0x2100, 0x214f),
    ("NumberForms", 0x2150, 0x218f),
    ("Arrows", 0x2190, 0x21ff),
    ("MathematicalOperators", 0x2200, 0x22ff),
    ("BoxDrawing", 0x2500, 0x257f),
    ("CJKSymbolsandPunctuation", 0x3000, 0x303f),
    ("Hiragana", 0x3040, 0x309f),
    ("Katakana", 0x30a0, 0x30ff),
    ("CJKUnifiedIdeographs", 0x4e00, 0x9fff),
    ("HangulSyllables", 0xac00, 0xd7af),
    ("PrivateUse", 0xe000, 0xf8ff),
];
