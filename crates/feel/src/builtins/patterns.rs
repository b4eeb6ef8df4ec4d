//! Functions that take a regular expression in the notation of XPath, matched in linear time.

use super::arguments::take;
use super::xpath::translate;
use super::{Builtin, Call, builtin};
use crate::eval::{Answer, Stop};
use crate::value::Value;
use regex_lite::{Regex, RegexBuilder};
use std::fmt::Write;

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
    match compile(call, text, pattern, flags)? {
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
    let Some(regex) = compile(call, text, pattern, flags)? else {
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
    let Some(regex) = compile(call, text, pattern, "")? else {
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

/// The pattern, paid for with what matching this text may take; none if it is not understood.
fn compile(call: &mut Call<'_, '_>, text: &str, pattern: &str, flags: &str) -> Result<Option<Regex>, Stop> {
    call.burn(pattern.len())?;
    if !flags.chars().all(|flag| matches!(flag, 's' | 'm' | 'i' | 'x' | 'q')) {
        return Ok(None);
    }
    let Some(translated) = translate(pattern, flags) else { return Ok(None) };
    call.burn(text.len() / 8 + text.len().saturating_mul(translated.places) / 16)?;
    let mut builder = RegexBuilder::new(&translated.out);
    Ok(builder.multi_line(flags.contains('m')).size_limit(PATTERN_BYTES).nest_limit(64).build().ok())
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
