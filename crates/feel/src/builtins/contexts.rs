//! Functions on contexts.

use super::arguments::take;
use super::{Builtin, Call, builtin};
use crate::eval::Answer;
use crate::value::{Context, Value};
use std::sync::Arc;

pub(super) const TABLE: &[Builtin] = &[
    builtin("get value", &[&["m", "key"], &["context", "key"], &["context", "keys"]], get_value),
    builtin("get entries", &[&["m"], &["context"]], get_entries),
    builtin("context", &[&["entries"]], context),
    builtin("context put", &[&["context", "key", "value"], &["context", "keys", "value"]], put),
    builtin("put", &[&["context", "key", "value"]], put),
    builtin("context merge", &[&["contexts"], &["c…"]], merge),
    builtin("put all", &[&["contexts"], &["c…"]], merge),
    builtin("get or else", &[&["value", "default"]], |call| {
        Ok(if call.value(0).is_null() { call.value(1).clone() } else { call.value(0).clone() })
    }),
    builtin("is defined", &[&["value"]], |call| Ok(Value::Boolean(!call.value(0).is_null()))),
];

fn get_value(call: &mut Call<'_, '_>) -> Answer {
    let Value::Context(context) = call.single(0) else {
        return call.expected(0, "a context");
    };
    match call.value(1) {
        Value::String(key) => Ok(context.get(key).cloned().unwrap_or(Value::Null)),
        Value::List(keys) => {
            let mut value = Value::Context(context.clone());
            for key in keys.iter() {
                let next = match (&value, key) {
                    (Value::Context(context), Value::String(key)) => context.get(key).cloned(),
                    _ => None,
                };
                let Some(next) = next else {
                    return call.null("found no entry of these keys");
                };
                value = next;
            }
            Ok(if keys.is_empty() { Value::Null } else { value })
        }
        _ => call.expected(1, "a key or a list of keys"),
    }
}

fn get_entries(call: &mut Call<'_, '_>) -> Answer {
    let Value::Context(context) = call.single(0) else {
        return call.expected(0, "a context");
    };
    call.burn(context.entries().len())?;
    let entry = |(key, value): &(Arc<str>, Value)| {
        let parts = vec![("key".into(), Value::String(key.clone())), ("value".into(), value.clone())];
        Value::Context(Context::new(parts))
    };
    Ok(Value::list(context.entries().iter().map(entry).collect()))
}

fn context(call: &mut Call<'_, '_>) -> Answer {
    let list = take!(call.list(0), "a list of entries");
    call.burn(list.len())?;
    let mut entries: Vec<(Arc<str>, Value)> = Vec::with_capacity(list.len());
    for item in list.iter() {
        let Value::Context(entry) = item else {
            return call.null("takes entries with key and value");
        };
        let (Some(Value::String(key)), Some(value)) = (entry.get("key"), entry.get("value")) else {
            return call.null("takes entries with key and value");
        };
        entries.push((key.clone(), value.clone()));
    }
    let count = entries.len();
    let context = Context::new(entries);
    if context.entries().len() < count {
        return call.null("takes each key once");
    }
    Ok(Value::Context(context))
}

fn put(call: &mut Call<'_, '_>) -> Answer {
    let Value::Context(context) = call.single(0) else {
        return call.expected(0, "a context");
    };
    call.burn(context.entries().len())?;
    let result = match call.value(1) {
        Value::String(key) => {
            put_at(context, std::slice::from_ref(&Value::String(key.clone())), call.value(2))
        }
        Value::List(keys) => put_at(context, keys, call.value(2)),
        _ => None,
    };
    call.or_null(result, "takes a key, or the keys of nested contexts")
}

/// Lists of keys are as short as contexts are deep, or they lead nowhere.
fn put_at(context: &Context, keys: &[Value], value: &Value) -> Option<Context> {
    let (Value::String(key), rest) = keys.split_first()? else {
        return None;
    };
    let value = if rest.is_empty() {
        value.clone()
    } else {
        match context.get(key) {
            Some(Value::Context(inner)) => Value::Context(put_at(inner, rest, value)?),
            _ => return None,
        }
    };
    let mut entries = context.entries().to_vec();
    entries.push((key.clone(), value));
    Some(Context::new(entries))
}

fn merge(call: &mut Call<'_, '_>) -> Answer {
    let list = take!(call.items(), "a list of contexts");
    let mut entries = Vec::new();
    for item in list.iter() {
        let Value::Context(context) = item else {
            return call.null("takes only contexts");
        };
        call.burn(context.entries().len())?;
        entries.extend_from_slice(context.entries());
    }
    Ok(Value::Context(Context::new(entries)))
}
