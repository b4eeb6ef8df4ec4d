//! Functions that take lists apart and put them together.

use super::arguments::take;
use super::{Builtin, Call, builtin};
use crate::eval::{Answer, Stop, position};
use crate::value::{List, Value};

pub(super) const TABLE: &[Builtin] = &[
    builtin("list contains", &[&["list", "element"]], list_contains),
    builtin("count", &[&["list"], &["c…"]], |call| {
        let items = take!(call.items(), "a list");
        Ok(Value::from(items.len() as i64))
    }),
    builtin("sublist", &[&["list", "start position", "length?"]], sublist),
    builtin("append", &[&["list", "item…"]], append),
    builtin("concatenate", &[&["list…"]], concatenate),
    builtin("insert before", &[&["list", "position", "newItem"]], insert_before),
    builtin("remove", &[&["list", "position"]], remove),
    builtin("list replace", &[&["list", "position", "newItem"], &["list", "match", "newItem"]], replace),
    builtin("reverse", &[&["list"]], |call| {
        let list = take!(call.list(0), "a list");
        call.burn(list.len())?;
        Ok(Value::list(list.iter().rev().cloned().collect()))
    }),
    builtin("index of", &[&["list", "match"]], index_of),
    builtin("union", &[&["list…"]], |call| {
        let all = concatenated(call)?;
        match all {
            Some(items) => distinct(call, items),
            None => call.null("takes only lists"),
        }
    }),
    builtin("distinct values", &[&["list"]], |call| {
        let list = take!(call.list(0), "a list");
        distinct(call, list.into_vec())
    }),
    builtin("duplicate values", &[&["list"]], duplicates),
    builtin("flatten", &[&["list"]], |call| {
        let list = take!(call.list(0), "a list");
        let mut items = Vec::new();
        flatten(call, &list, &mut items)?;
        Ok(Value::list(items))
    }),
    builtin("is empty", &[&["list"]], |call| {
        Ok(Value::Boolean(match call.value(0) {
            Value::Null => true,
            Value::List(list) => list.is_empty(),
            Value::Context(context) => context.entries().is_empty(),
            Value::String(text) => text.is_empty(),
            _ => false,
        }))
    }),
    builtin("partition", &[&["list", "size"]], partition),
];

fn list_contains(call: &mut Call<'_, '_>) -> Answer {
    let list = take!(call.list(0), "a list");
    call.burn(list.len())?;
    let element = call.value(1);
    Ok(Value::Boolean(list.iter().any(|item| item.equals(element) == Some(true))))
}

fn sublist(call: &mut Call<'_, '_>) -> Answer {
    let list = take!(call.list(0), "a list");
    let start = take!(call.integer(1), "a whole number");
    let Some(first) = position(start, list.len()) else {
        return call.null("has no such start position");
    };
    let wanted = if call.count() < 3 {
        list.len() - first
    } else {
        let length = take!(call.integer(2), "a whole number");
        match usize::try_from(length) {
            Ok(length) if first + length <= list.len() => length,
            _ => return call.null("has no such length"),
        }
    };
    call.burn(wanted)?;
    Ok(Value::list(list[first..first + wanted].to_vec()))
}

fn append(call: &mut Call<'_, '_>) -> Answer {
    let list = take!(call.list(0), "a list");
    call.burn(list.len() + call.count())?;
    let mut items = list.into_vec();
    items.extend_from_slice(&call.arguments[1..]);
    Ok(Value::list(items))
}

fn concatenate(call: &mut Call<'_, '_>) -> Answer {
    match concatenated(call)? {
        Some(items) => Ok(Value::list(items)),
        None => call.null("takes only lists"),
    }
}

fn concatenated(call: &mut Call<'_, '_>) -> Result<Option<Vec<Value>>, Stop> {
    let mut items = Vec::new();
    for index in 0..call.count() {
        let Some(list) = call.list(index) else {
            return Ok(None);
        };
        call.burn(list.len())?;
        items.extend_from_slice(&list);
    }
    Ok(Some(items))
}

fn insert_before(call: &mut Call<'_, '_>) -> Answer {
    let inserted = call.value(2).clone();
    at_position(call, |items, at| items.insert(at, inserted))
}

fn remove(call: &mut Call<'_, '_>) -> Answer {
    at_position(call, |items, at| drop(items.remove(at)))
}

/// Changes a list at the position that the second argument names.
fn at_position(call: &mut Call<'_, '_>, change: impl FnOnce(&mut Vec<Value>, usize)) -> Answer {
    let list = take!(call.list(0), "a list");
    let index = take!(call.integer(1), "a whole number");
    let Some(at) = position(index, list.len()) else {
        return call.null("has no such position");
    };
    call.burn(list.len())?;
    let mut items = list.into_vec();
    change(&mut items, at);
    Ok(Value::list(items))
}

fn replace(call: &mut Call<'_, '_>) -> Answer {
    let list = take!(call.list(0), "a list");
    call.burn(list.len())?;
    let mut items = list.into_vec();
    let replacement = call.value(2).clone();
    if let Some(function) = call.function(1).cloned() {
        for item in &mut items {
            let arguments = vec![item.clone(), replacement.clone()];
            match call.evaluator.call(&function, arguments, call.span)? {
                Value::Boolean(true) => *item = replacement.clone(),
                Value::Boolean(false) => {}
                _ => return call.null("needs a function that answers true or false"),
            }
        }
        return Ok(Value::list(items));
    }
    let index = take!(call.integer(1), "a whole number or a function");
    match position(index, items.len()) {
        Some(at) => items[at] = replacement,
        None => return call.null("has no such position"),
    }
    Ok(Value::list(items))
}

fn index_of(call: &mut Call<'_, '_>) -> Answer {
    let list = take!(call.list(0), "a list");
    call.burn(list.len())?;
    let wanted = call.value(1);
    let found = list.iter().enumerate().filter(|(_, item)| item.equals(wanted) == Some(true));
    Ok(Value::list(found.map(|(index, _)| Value::from(index as i64 + 1)).collect()))
}

fn distinct(call: &mut Call<'_, '_>, items: Vec<Value>) -> Answer {
    let mut kept: Vec<Value> = Vec::new();
    for item in items {
        call.burn(kept.len() + 1)?;
        if !kept.iter().any(|other| other.equals(&item) == Some(true)) {
            kept.push(item);
        }
    }
    Ok(Value::list(kept))
}

fn duplicates(call: &mut Call<'_, '_>) -> Answer {
    let list = take!(call.list(0), "a list");
    let mut found = Vec::new();
    for (index, item) in list.iter().enumerate() {
        call.burn(list.len())?;
        let same = |other: &Value| other.equals(item) == Some(true);
        if list[index + 1..].iter().any(same) && !found.iter().any(same) {
            found.push(item.clone());
        }
    }
    Ok(Value::list(found))
}

/// Lists nest only as deep as a value may, so that this recursion is bounded.
fn flatten(call: &mut Call<'_, '_>, list: &List, into: &mut Vec<Value>) -> Result<(), Stop> {
    call.burn(list.len())?;
    for item in list.iter() {
        match item {
            Value::List(inner) => flatten(call, inner, into)?,
            item => into.push(item.clone()),
        }
    }
    Ok(())
}

fn partition(call: &mut Call<'_, '_>) -> Answer {
    let list = take!(call.list(0), "a list");
    let size = take!(call.integer(1), "a whole number");
    let Some(size) = usize::try_from(size).ok().filter(|size| *size > 0) else {
        return call.null("takes a size of at least 1");
    };
    call.burn(list.len())?;
    Ok(Value::list(list.chunks(size).map(|chunk| Value::list(chunk.to_vec())).collect()))
}
