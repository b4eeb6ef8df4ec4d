//! Functions that make one value of a list, and the sort.

use super::arguments::take;
use super::{Builtin, Call, builtin};
use crate::eval::{Answer, Stop};
use crate::function::Function;
use crate::number::Number;
use crate::value::{List, Value};
use std::cmp::Ordering;

pub(super) const TABLE: &[Builtin] = &[
    builtin("min", &[&["list"], &["c…"]], |call| extreme(call, Ordering::Less)),
    builtin("max", &[&["list"], &["c…"]], |call| extreme(call, Ordering::Greater)),
    builtin("sum", &[&["list"], &["n…"]], sum),
    builtin("product", &[&["list"], &["n…"]], |call| {
        let numbers = numbers(call)?;
        let product =
            numbers.and_then(|numbers| numbers.into_iter().try_fold(Number::Int(1), Number::multiply));
        call.or_null(product, "takes a list of numbers")
    }),
    builtin("mean", &[&["list"], &["n…"]], |call| {
        let numbers = numbers(call)?;
        call.or_null(numbers.and_then(|numbers| mean(&numbers)), "takes a list of numbers")
    }),
    builtin("median", &[&["list"], &["n…"]], |call| {
        let numbers = numbers(call)?;
        call.or_null(numbers.and_then(median), "takes a list of numbers")
    }),
    builtin("stddev", &[&["list"], &["n…"]], |call| {
        let numbers = numbers(call)?;
        call.or_null(numbers.and_then(|numbers| deviation(&numbers)), "takes a list of at least two numbers")
    }),
    builtin("mode", &[&["list"], &["n…"]], mode),
    builtin("all", &[&["list"], &["b…"]], |call| quantify(call, false)),
    builtin("any", &[&["list"], &["b…"]], |call| quantify(call, true)),
    builtin("sort", &[&["list", "precedes?"]], sort),
];

fn extreme(call: &mut Call<'_, '_>, wanted: Ordering) -> Answer {
    let items = take!(call.items(), "a list");
    call.burn(items.len())?;
    let mut best: Option<&Value> = None;
    for item in items.iter() {
        match best.map_or_else(|| item.compare(item).map(|_| wanted), |best| item.compare(best)) {
            Some(order) if order == wanted => best = Some(item),
            Some(_) => {}
            None => return call.null("takes values that can be compared"),
        }
    }
    Ok(best.cloned().unwrap_or(Value::Null))
}

/// `None` when the list is empty or holds something else.
fn numbers(call: &mut Call<'_, '_>) -> Result<Option<Vec<Number>>, Stop> {
    let Some(items) = call.items() else {
        return Ok(None);
    };
    call.burn(items.len())?;
    let numbers: Option<Vec<Number>> = items.iter().map(Value::as_number).collect();
    Ok(numbers.filter(|numbers| !numbers.is_empty()))
}

/// Durations have a sum too.
fn sum(call: &mut Call<'_, '_>) -> Answer {
    let items = take!(call.items(), "a list");
    call.burn(items.len())?;
    let Some((first, rest)) = items.split_first() else {
        return Ok(Value::Null);
    };
    if !matches!(first, Value::Number(_) | Value::YearsAndMonths(_) | Value::DaysAndTime(_)) {
        return call.null("takes a list of numbers");
    }
    let total = rest.iter().try_fold(first.clone(), |total, item| match (&total, item) {
        (Value::Number(a), Value::Number(b)) => a.add(*b).map(Value::Number),
        (
            Value::YearsAndMonths(_) | Value::DaysAndTime(_),
            Value::YearsAndMonths(_) | Value::DaysAndTime(_),
        ) => crate::temporal::add(&total, item),
        _ => None,
    });
    call.or_null(total, "takes a list of numbers")
}

fn mean(numbers: &[Number]) -> Option<Number> {
    let total = numbers.iter().copied().try_fold(Number::Int(0), Number::add)?;
    total.divide(Number::Int(numbers.len() as i64))
}

fn median(mut numbers: Vec<Number>) -> Option<Number> {
    numbers.sort_unstable();
    let middle = numbers.len() / 2;
    if numbers.len() % 2 == 1 { Some(numbers[middle]) } else { mean(&numbers[middle - 1..=middle]) }
}

/// Of a sample: divided by one less than the count.
fn deviation(numbers: &[Number]) -> Option<Number> {
    if numbers.len() < 2 {
        return None;
    }
    let mean = mean(numbers)?;
    let squares = numbers.iter().try_fold(Number::Int(0), |total, number| {
        let distance = number.subtract(mean)?;
        total.add(distance.multiply(distance)?)
    })?;
    squares.divide(Number::Int(numbers.len() as i64 - 1))?.square_root()
}

fn mode(call: &mut Call<'_, '_>) -> Answer {
    if call.items().is_some_and(|items| items.is_empty()) {
        return Ok(Value::list(Vec::new()));
    }
    let Some(mut numbers) = numbers(call)? else {
        return call.null("takes a list of numbers");
    };
    numbers.sort_unstable();
    let groups: Vec<&[Number]> = numbers.chunk_by(|a, b| a == b).collect();
    let most = groups.iter().map(|group| group.len()).max().unwrap_or(0);
    let modes = groups.into_iter().filter(|group| group.len() == most).map(|group| Value::Number(group[0]));
    Ok(Value::list(modes.collect()))
}

fn quantify(call: &mut Call<'_, '_>, decisive: bool) -> Answer {
    let items = take!(call.items(), "a list");
    call.burn(items.len())?;
    let mut certain = true;
    for item in items.iter() {
        match item {
            Value::Boolean(value) if *value == decisive => return Ok(Value::Boolean(decisive)),
            Value::Boolean(_) => {}
            _ => certain = false,
        }
    }
    if certain { Ok(Value::Boolean(!decisive)) } else { call.null("takes a list of true and false") }
}

fn sort(call: &mut Call<'_, '_>) -> Answer {
    let list = take!(call.list(0), "a list");
    let precedes = match call.value(1) {
        Value::Null => None,
        Value::Function(function) => Some(function.clone()),
        _ => return call.expected(1, "a function of two values"),
    };
    let sorted = merge_sort(call, list, precedes.as_ref())?;
    call.or_null(sorted.map(Value::list), "needs an order: a function that answers true or false")
}

/// Stable, bottom up; `None` when two items have no order.
fn merge_sort(
    call: &mut Call<'_, '_>,
    list: List,
    precedes: Option<&Function>,
) -> Result<Option<Vec<Value>>, Stop> {
    let mut items = list.into_vec();
    let mut width = 1;
    while width < items.len() {
        let mut merged = Vec::with_capacity(items.len());
        for pair in items.chunks(width * 2) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let (Some(a), Some(b)) = (left.first(), right.first()) {
                match before(call, b, a, precedes)? {
                    None => return Ok(None),
                    Some(true) => {
                        merged.push(b.clone());
                        right = &right[1..];
                    }
                    Some(false) => {
                        merged.push(a.clone());
                        left = &left[1..];
                    }
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        items = merged;
        width *= 2;
    }
    Ok(Some(items))
}

fn before(
    call: &mut Call<'_, '_>,
    a: &Value,
    b: &Value,
    precedes: Option<&Function>,
) -> Result<Option<bool>, Stop> {
    call.burn(1)?;
    match precedes {
        None => Ok(a.compare(b).map(Ordering::is_lt)),
        Some(function) => {
            let answer = call.evaluator.call(function, vec![a.clone(), b.clone()], call.span)?;
            Ok(answer.as_bool())
        }
    }
}
