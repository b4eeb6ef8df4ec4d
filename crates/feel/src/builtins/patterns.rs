//! Functions that take a regular expression in the notation of XPath, matched in linear time.

use super::arguments::take;
use super::{Builtin, Call, builtin};
use crate::eval::Answer;
use crate::value::Value;
use regex::{Regex, RegexBuilder};
use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

/// Bytes that a compiled pattern may take.
const PATTERN_BYTES: usize = 1 << 20;

pub(super) const TABLE: &[Builtin] = &[
    builtin("matches", &[&["input", "pattern", "flags?"]], matches),
    builtin("replace", &[&["input", "pattern", "replacement", "flags?"]], replace),
    builtin("split", &[&["string", "delimiter"]], split),
    builtin("extract", &[&["string", "pattern"]], extract),
];

fn matches(call: &mut Call<'_, '_>) -> Answer {
    let text = take!(call.string(0), "a string");
    let pattern = take!(call.string(1), "a string");
    let Some(flags) = flags(call, 2) else {
        return call.expected(2, "a string");
    };
    call.burn(text.len() / 8 + pattern.len())?;
    match compile(pattern, flags) {
        Some(regex) => Ok(Value::Boolean(regex.is_match(text))),
        None => call.null("does not understand this pattern or its flags"),
    }
}

fn replace(call: &mut Call<'_, '_>) -> Answer {
    let text = take!(call.string(0), "a string");
    let pattern = take!(call.string(1), "a string");
    let replacement = take!(call.string(2), "a string");
    let Some(flags) = flags(call, 3) else {
        return call.expected(3, "a string");
    };
    call.burn(text.len() / 8 + pattern.len())?;
    let Some(regex) = compile(pattern, flags) else {
        return call.null("does not understand this pattern or its flags");
    };
    // XPath F&O §5.6.4: a pattern that matches nothing at all is an error.
    if regex.is_match("") {
        return call.null("takes no pattern that matches the empty string");
    }
    let replacement = match flags.contains('q') {
        true => Some(replacement.replace('$', "$$")),
        false => replacement_of(replacement, regex.captures_len() - 1),
    };
    let Some(replacement) = replacement else {
        return call.null("does not understand this replacement");
    };
    let matches = regex.find_iter(text).count();
    // Each reference adds at most the whole text once over all matches.
    let references = replacement.matches("${").count();
    let size =
        text.len().saturating_mul(1 + references).saturating_add(matches.saturating_mul(replacement.len()));
    call.burn(matches + size / 64)?;
    call.check_size(size)?;
    Ok(Value::from(regex.replace_all(text, replacement.as_str()).into_owned()))
}

fn split(call: &mut Call<'_, '_>) -> Answer {
    pieces(call, |text, regex| {
        if regex.is_match("") {
            text.chars().map(|letter| Value::from(letter.to_string())).collect()
        } else {
            regex.split(text).map(Value::from).collect()
        }
    })
}

fn extract(call: &mut Call<'_, '_>) -> Answer {
    pieces(call, |text, regex| regex.find_iter(text).map(|found| Value::from(found.as_str())).collect())
}

/// The pieces of a text that a pattern makes.
fn pieces(call: &mut Call<'_, '_>, made: impl FnOnce(&str, &Regex) -> Vec<Value>) -> Answer {
    let text = take!(call.string(0), "a string");
    let pattern = take!(call.string(1), "a string");
    call.burn(text.len() / 8 + pattern.len())?;
    let Some(regex) = compile(pattern, "") else {
        return call.null("does not understand this pattern");
    };
    let pieces = made(text, &regex);
    call.burn(pieces.len())?;
    Ok(Value::list(pieces))
}

/// `None` when they are there and not a string.
fn flags<'e>(call: &Call<'e, '_>, index: usize) -> Option<&'e str> {
    match call.single(index) {
        Value::Null => Some(""),
        Value::String(flags) => Some(flags),
        _ => None,
    }
}

fn compile(pattern: &str, flags: &str) -> Option<Regex> {
    if !flags.chars().all(|flag| matches!(flag, 's' | 'm' | 'i' | 'x' | 'q')) {
        return None;
    }
    let has = |flag| flags.contains(flag);
    let pattern = if has('q') { regex::escape(pattern) } else { translate(pattern, flags)? };
    RegexBuilder::new(&pattern)
        .dot_matches_new_line(has('s'))
        .multi_line(has('m'))
        .case_insensitive(has('i'))
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(PATTERN_BYTES)
        .nest_limit(64)
        .build()
        .ok()
}

/// From the notation of XPath to that of the regex crate; `None` for what neither knows.
fn translate(pattern: &str, flags: &str) -> Option<String> {
    let pattern = if flags.contains('x') { without_space(pattern) } else { pattern.to_owned() };
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut letters = pattern.chars().peekable();
    let mut class_depth = 0;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => escape(&mut letters, &mut out, class_depth > 0)?,
            '[' => {
                // Subtraction: [a-z-[aeiou]] is written [a-z--[aeiou]].
                if class_depth > 0 && out.ends_with('-') {
                    out.push('-');
                }
                class_depth += 1;
                out.push('[');
            }
            ']' if class_depth > 0 => {
                class_depth -= 1;
                out.push(']');
            }
            '&' | '~' if class_depth > 0 => {
                out.push('\\');
                out.push(letter);
            }
            '.' if class_depth == 0 && !flags.contains('s') => out.push_str("[^\\n\\r]"),
            '(' if letters.peek() == Some(&'?') => {
                out.push('(');
                letters.next();
                // Only the group that captures nothing is XPath.
                if letters.peek() != Some(&':') {
                    return None;
                }
                out.push('?');
            }
            letter => out.push(letter),
        }
    }
    Some(out)
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
fn escape(letters: &mut Peekable<Chars<'_>>, out: &mut String, in_class: bool) -> Option<()> {
    let class = |out: &mut String, inside: &str| match in_class {
        true => out.push_str(inside),
        false => out.extend(["[", inside, "]"]),
    };
    match letters.next()? {
        'i' => class(out, "\\p{L}_:"),
        'I' => out.push_str("[^\\p{L}_:]"),
        'c' => class(out, "\\w\\-.:"),
        'C' => out.push_str("[^\\w\\-.:]"),
        // A reference back cannot be matched in linear time.
        '1'..='9' => return None,
        // What the regex crate knows and XPath does not.
        'b' | 'B' | 'A' | 'z' | 'Z' | 'x' | 'u' | 'U' => return None,
        property @ ('p' | 'P') => {
            let name: String = letters.by_ref().skip(1).take_while(|letter| *letter != '}').collect();
            match name.strip_prefix("Is") {
                Some(block) => {
                    let (_, first, last) = BLOCKS.iter().find(|(name, _, _)| *name == block)?;
                    let not = if property == 'P' { "^" } else { "" };
                    write!(out, "[{not}\\x{{{first:x}}}-\\x{{{last:x}}}]").ok()?;
                }
                None => write!(out, "\\{property}{{{name}}}").ok()?,
            }
        }
        other => {
            out.push('\\');
            out.push(other);
        }
    }
    Some(())
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

/// `$1` to `${1}`, `\$` to `$$`; `None` when it is malformed.
fn replacement_of(text: &str, groups: usize) -> Option<String> {
    let mut out = String::with_capacity(text.len() + 8);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next()? {
                '$' => out.push_str("$$"),
                '\\' => out.push('\\'),
                _ => return None,
            },
            '$' => {
                let mut group = letters.next()?.to_digit(10)? as usize;
                // The longest number that is a group; the digits after it are text.
                while let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(10)) {
                    let longer = group * 10 + digit as usize;
                    if longer > groups {
                        break;
                    }
                    group = longer;
                    letters.next();
                }
                if group <= groups {
                    write!(out, "${{{group}}}").ok()?;
                }
            }
            letter => out.push(letter),
        }
    }
    Some(out)
}
