//! Functions on strings. Positions and lengths count characters, not bytes.

use super::arguments::take;
use super::{Builtin, Call, builtin};
use crate::eval::Answer;
use crate::value::Value;

pub(super) const TABLE: &[Builtin] = &[
    builtin("substring", &[&["string", "start position", "length?"]], substring),
    builtin("string length", &[&["string"]], length),
    builtin("upper case", &[&["string"]], |call| mapped(call, |text| text.to_uppercase())),
    builtin("lower case", &[&["string"]], |call| mapped(call, |text| text.to_lowercase())),
    builtin("trim", &[&["string"]], |call| mapped(call, |text| text.trim().to_owned())),
    builtin("substring before", &[&["string", "match"]], substring_before),
    builtin("substring after", &[&["string", "match"]], substring_after),
    builtin("contains", &[&["string", "match"]], |call| tested(call, |text, part| text.contains(part))),
    builtin("starts with", &[&["string", "match"]], |call| tested(call, |text, part| text.starts_with(part))),
    builtin("ends with", &[&["string", "match"]], |call| tested(call, |text, part| text.ends_with(part))),
    builtin("string join", &[&["list", "delimiter?"], &["list", "delimiter", "prefix", "suffix"]], join),
    builtin("is blank", &[&["string"]], is_blank),
    builtin("repeat", &[&["string", "times"]], repeat),
];

fn substring(call: &mut Call<'_, '_>) -> Answer {
    let text = take!(call.string(0), "a string");
    let start = take!(call.integer(1), "a whole number");
    let length = if call.count() > 2 { Some(take!(call.number(2), "a number")) } else { None };
    let count = text.chars().count() as i64;
    call.burn(text.len() / 64)?;
    let first = if start > 0 { start - 1 } else { count + start };
    if start == 0 || first < 0 || first >= count.max(1) {
        return call.null("has no such start position");
    }
    let wanted = match length {
        None => count,
        Some(length) => {
            match length.round(0, crate::number::Rounding::Down).and_then(|length| length.to_i64()) {
                Some(length) if length >= 1 => length,
                _ => return call.null("takes a length of at least 1"),
            }
        }
    };
    Ok(Value::from(text.chars().skip(first as usize).take(wanted as usize).collect::<String>()))
}

fn length(call: &mut Call<'_, '_>) -> Answer {
    let text = take!(call.string(0), "a string");
    call.burn(text.len() / 64)?;
    Ok(Value::from(text.chars().count() as i64))
}

fn mapped(call: &mut Call<'_, '_>, map: fn(&str) -> String) -> Answer {
    let text = take!(call.string(0), "a string");
    call.burn(text.len() / 64)?;
    Ok(Value::from(map(text)))
}

fn tested(call: &mut Call<'_, '_>, test: fn(&str, &str) -> bool) -> Answer {
    let text = take!(call.string(0), "a string");
    let part = take!(call.string(1), "a string");
    call.burn(text.len() / 64)?;
    Ok(Value::Boolean(test(text, part)))
}

fn substring_before(call: &mut Call<'_, '_>) -> Answer {
    let text = take!(call.string(0), "a string");
    let part = take!(call.string(1), "a string");
    call.burn(text.len() / 64)?;
    Ok(Value::from(text.find(&**part).map_or("", |at| &text[..at])))
}

fn substring_after(call: &mut Call<'_, '_>) -> Answer {
    let text = take!(call.string(0), "a string");
    let part = take!(call.string(1), "a string");
    call.burn(text.len() / 64)?;
    Ok(Value::from(text.find(&**part).map_or("", |at| &text[at + part.len()..])))
}

/// Nulls in the list are left out.
fn join(call: &mut Call<'_, '_>) -> Answer {
    let list = take!(call.list(0), "a list of strings");
    let mut extra = [""; 3];
    for (index, text) in extra.iter_mut().enumerate() {
        *text = match call.single(index + 1) {
            Value::Null => "",
            Value::String(text) => text,
            _ => return call.expected(index + 1, "a string"),
        };
    }
    let mut parts: Vec<&str> = Vec::with_capacity(list.len());
    for item in list.iter() {
        match item {
            Value::String(text) => parts.push(text),
            Value::Null => {}
            _ => return call.null("joins only strings"),
        }
    }
    let size = parts.iter().map(|part| part.len()).sum::<usize>() + parts.len() * extra[0].len();
    call.burn(list.len() + size / 64)?;
    call.check_size(size)?;
    Ok(Value::from([extra[1], &parts.join(extra[0]), extra[2]].concat()))
}

fn is_blank(call: &mut Call<'_, '_>) -> Answer {
    let text = take!(call.string(0), "a string");
    Ok(Value::Boolean(text.trim().is_empty()))
}

fn repeat(call: &mut Call<'_, '_>) -> Answer {
    let text = take!(call.string(0), "a string");
    let times = take!(call.integer(1), "a whole number");
    let Ok(times) = usize::try_from(times) else {
        return call.null("cannot repeat less than zero times");
    };
    let size = text.len().saturating_mul(times);
    call.check_size(size)?;
    call.burn(size / 64)?;
    Ok(Value::from(text.repeat(times)))
}
