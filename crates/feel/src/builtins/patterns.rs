//! Functions that take a regular expression in the notation of XPath, matched in linear time.

use super::arguments::take;
use super::{Builtin, Call, builtin};
use crate::eval::Answer;
use crate::value::Value;
use regex::{Regex, RegexBuilder};
use std::fmt::Write;

/// Bytes that a compiled pattern may take.
const PATTERN_BYTES: usize = 1 << 20;

pub(super) const TABLE: &[Builtin] = &[
    builtin("matches", &[&["input", "pattern", "flags?"]], matches),
    builtin(
        "replace",
        &[&["input", "pattern", "replacement", "flags?"]],
        replace,
    ),
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
    let size = text
        .len()
        .saturating_mul(1 + references)
        .saturating_add(matches.saturating_mul(replacement.len()));
    call.burn(matches + size / 64)?;
    call.check_size(size)?;
    Ok(Value::from(
        regex.replace_all(text, replacement.as_str()).into_owned(),
    ))
}

fn split(call: &mut Call<'_, '_>) -> Answer {
    let text = take!(call.string(0), "a string");
    let pattern = take!(call.string(1), "a string");
    call.burn(text.len() / 8 + pattern.len())?;
    let Some(regex) = compile(pattern, "") else {
        return call.null("does not understand this pattern");
    };
    let parts: Vec<Value> = if regex.is_match("") {
        text.chars()
            .map(|letter| Value::from(letter.to_string()))
            .collect()
    } else {
        regex.split(text).map(Value::from).collect()
    };
    call.burn(parts.len())?;
    Ok(Value::list(parts))
}

fn extract(call: &mut Call<'_, '_>) -> Answer {
    let text = take!(call.string(0), "a string");
    let pattern = take!(call.string(1), "a string");
    call.burn(text.len() / 8 + pattern.len())?;
    let Some(regex) = compile(pattern, "") else {
        return call.null("does not understand this pattern");
    };
    let found: Vec<Value> = regex
        .find_iter(text)
        .map(|found| Value::from(found.as_str()))
        .collect();
    call.burn(found.len())?;
    Ok(Value::list(found))
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
    if !flags
        .chars()
        .all(|flag| matches!(flag, 's' | 'm' | 'i' | 'x' | 'q'))
    {
        return None;
    }
    let has = |flag| flags.contains(flag);
    let pattern = if has('q') {
        regex::escape(pattern)
    } else {
        translate(pattern, has('x'))?
    };
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
fn translate(pattern: &str, extended: bool) -> Option<String> {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut letters = pattern.chars().peekable();
    let mut class_depth = 0;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next()? {
                'i' => out.push_str(if class_depth > 0 { "\\p{L}_:" } else { "[\\p{L}_:]" }),
                'I' => out.push_str("[^\\p{L}_:]"),
                'c' => out.push_str(if class_depth > 0 { "\\w\\-.:" } else { "[\\w\\-.:]" }),
                'C' => out.push_str("[^\\w\\-.:]"),
                // A reference back cannot be matched in linear time.
                '1'..='9' => return None,
                // What the regex crate knows and XPath does not.
                'b' | 'B' | 'A' | 'z' | 'Z' | 'x' | 'u' | 'U' => return None,
                other => {
                    out.push('\\');
                    out.push(other);
                }
            },
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
            letter if extended && class_depth == 0 && letter.is_whitespace() => {}
            '&' | '~' if class_depth > 0 => {
                out.push('\\');
                out.push(letter);
            }
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
