//! Functions on numbers.

use super::arguments::take;
use super::{Builtin, Call, builtin};
use crate::eval::Answer;
use crate::number::{Number, Rounding};

pub(super) const TABLE: &[Builtin] = &[
    builtin("decimal", &[&["n", "scale"]], |call| scaled(call, Rounding::HalfEven)),
    builtin("floor", &[&["n", "scale?"]], |call| scaled(call, Rounding::Floor)),
    builtin("ceiling", &[&["n", "scale?"]], |call| scaled(call, Rounding::Ceiling)),
    builtin("round up", &[&["n", "scale"]], |call| scaled(call, Rounding::Up)),
    builtin("round down", &[&["n", "scale"]], |call| scaled(call, Rounding::Down)),
    builtin("round half up", &[&["n", "scale"]], |call| scaled(call, Rounding::HalfUp)),
    builtin("round half down", &[&["n", "scale"]], |call| scaled(call, Rounding::HalfDown)),
    builtin("round half even", &[&["n", "scale"]], |call| scaled(call, Rounding::HalfEven)),
    builtin("abs", &[&["n"]], absolute),
    builtin("modulo", &[&["dividend", "divisor"]], modulo),
    builtin("sqrt", &[&["number"]], square_root),
    builtin("log", &[&["number"]], logarithm),
    builtin("exp", &[&["number"]], exponential),
    builtin("odd", &[&["number"]], |call| parity(call, 1)),
    builtin("even", &[&["number"]], |call| parity(call, 0)),
];

fn scaled(call: &mut Call<'_, '_>, rounding: Rounding) -> Answer {
    let number = take!(call.number(0), "a number");
    let scale = if call.count() < 2 { Number::Int(0) } else { take!(call.number(1), "a number") };
    let scale = scale
        .round(0, Rounding::Down)
        .and_then(Number::to_i64)
        .filter(|scale| (-6111..=6176).contains(scale));
    let Some(scale) = scale else {
        return call.null("takes a scale from -6111 to 6176");
    };
    call.or_null(number.round(scale as i32, rounding), "has no result in range")
}

fn absolute(call: &mut Call<'_, '_>) -> Answer {
    use crate::temporal::DaysAndTime;
    use crate::value::Value;
    match call.single(0) {
        Value::Number(number) => {
            Ok(Value::Number(if number.is_negative() { number.negate() } else { *number }))
        }
        Value::YearsAndMonths(months) => Ok(Value::YearsAndMonths(months.saturating_abs())),
        Value::DaysAndTime(duration) => {
            Ok(DaysAndTime::from_nanos(duration.nanos().abs()).map_or(Value::Null, Value::DaysAndTime))
        }
        _ => call.expected(0, "a number or a duration"),
    }
}

fn modulo(call: &mut Call<'_, '_>) -> Answer {
    let dividend = take!(call.number(0), "a number");
    let divisor = take!(call.number(1), "a number");
    call.or_null(dividend.modulo(divisor), "cannot divide by zero")
}

fn square_root(call: &mut Call<'_, '_>) -> Answer {
    let number = take!(call.number(0), "a number");
    call.or_null(number.square_root(), "takes no negative number")
}

fn logarithm(call: &mut Call<'_, '_>) -> Answer {
    let number = take!(call.number(0), "a number");
    call.or_null(number.natural_logarithm(), "takes only positive numbers")
}

fn exponential(call: &mut Call<'_, '_>) -> Answer {
    let number = take!(call.number(0), "a number");
    call.or_null(number.exponential(), "has no result in range")
}

fn parity(call: &mut Call<'_, '_>, rest: i64) -> Answer {
    let number = take!(call.number(0), "a number");
    if !number.is_integer() {
        return call.null("takes only whole numbers");
    }
    call.or_null(number.modulo(Number::Int(2)).map(|modulo| modulo == Number::Int(rest)), "has no result")
}
