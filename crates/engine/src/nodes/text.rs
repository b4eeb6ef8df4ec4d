//! Texts and conditions of the model, evaluated on the variables that a scope sees.

use std::sync::Arc;

use tyer_feel::{Clock, Evaluation, Expression};
use tyer_model::{MessageSpec, Text};

use crate::words::*;

/// Does the condition hold where the token reads? What is neither true nor false is told with its reason.
pub(crate) fn holds(turn: &Turn<'_>, token: Number, condition: &Expression) -> Result<bool, String> {
    holds_in(turn, turn.instance.reading_scope(turn.token(token)), condition)
}

pub(crate) fn holds_in(turn: &Turn<'_>, scope: Number, condition: &Expression) -> Result<bool, String> {
    truth(condition, &evaluate_in(turn, scope, condition))
}

/// As `holds_in`, with values of the moment that hide those of the scopes.
pub(crate) fn holds_with(
    turn: &Turn<'_>,
    scope: Number,
    first: &Variables,
    condition: &Expression,
) -> Result<bool, String> {
    let seen = Seen { instance: turn.instance, scope, first: Some(first) };
    truth(condition, &condition.evaluate(&seen, &clock(turn.now)))
}

fn truth(condition: &Expression, evaluation: &Evaluation) -> Result<bool, String> {
    evaluation.value.as_bool().ok_or_else(|| complaint(condition, evaluation, "true or false"))
}

/// The text as written, or as computed.
pub(crate) fn text(turn: &Turn<'_>, scope: Number, text: &Text) -> Result<Arc<str>, String> {
    match text {
        Text::Literal(literal) => Ok(Arc::clone(literal)),
        Text::Expression(expression) => {
            let evaluation = evaluate_in(turn, scope, expression);
            let computed = evaluation.value.as_str().map(|text| Arc::from(&*text));
            computed.ok_or_else(|| complaint(expression, &evaluation, "a text"))
        }
    }
}

/// A list of names: written with commas, or computed as a list of texts. A computed null is none.
pub(crate) fn names(turn: &Turn<'_>, scope: Number, names: &Text) -> Result<Vec<String>, String> {
    let listed = match names {
        Text::Literal(literal) => literal.to_string(),
        Text::Expression(expression) => {
            let evaluation = evaluate_in(turn, scope, expression);
            if let Ok(list) = serde_json::from_str::<Vec<String>>(&evaluation.value.to_json()) {
                return Ok(list);
            }
            if evaluation.value.is_null() {
                return Ok(Vec::new());
            }
            let single = written(&evaluation).map(|text| text.to_string());
            single.ok_or_else(|| complaint(expression, &evaluation, "a list of texts"))?
        }
    };
    Ok(listed.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// A list of texts, computed.
pub(crate) fn texts(turn: &Turn<'_>, scope: Number, list: &Expression) -> Result<Vec<String>, String> {
    let evaluation = evaluate_in(turn, scope, list);
    serde_json::from_str(&evaluation.value.to_json())
        .map_err(|_| complaint(list, &evaluation, "a list of texts"))
}

/// A text that the model computes may also be a date, a duration or a number: its written form is what counts.
pub(crate) fn iso(turn: &Turn<'_>, scope: Number, text: &Text) -> Result<Arc<str>, String> {
    match text {
        Text::Literal(literal) => Ok(Arc::clone(literal)),
        Text::Expression(expression) => {
            let evaluation = evaluate_in(turn, scope, expression);
            let expected = "a date, a duration, a number or a text";
            written(&evaluation).ok_or_else(|| complaint(expression, &evaluation, expected))
        }
    }
}

/// As `iso`, for what need not be said: a computed null says nothing.
pub(crate) fn optional(
    turn: &Turn<'_>,
    scope: Number,
    text: Option<&Text>,
) -> Result<Option<Arc<str>>, String> {
    match text {
        Some(Text::Expression(expression)) if evaluate_in(turn, scope, expression).value.is_null() => {
            Ok(None)
        }
        said => said.map(|said| iso(turn, scope, said)).transpose(),
    }
}

/// Texts, dates and durations without quotes, numbers as their digits.
fn written(evaluation: &Evaluation) -> Option<Arc<str>> {
    let json = evaluation.value.to_json();
    if let Ok(text) = serde_json::from_str::<String>(&json) {
        return Some(Arc::from(text));
    }
    json.parse::<f64>().is_ok().then(|| Arc::from(json))
}

/// The message that is waited for. Its key is a text or a number.
pub(crate) fn message(turn: &Turn<'_>, scope: Number, message: &MessageSpec) -> Result<Wanted, String> {
    let name = text(turn, scope, &message.name)?;
    Ok(Wanted::Message { name, key: key(turn, scope, message)? })
}

/// The key of a message, as a text.
pub(crate) fn key(turn: &Turn<'_>, scope: Number, message: &MessageSpec) -> Result<Option<String>, String> {
    let Some(key) = &message.key else { return Ok(None) };
    let evaluation = evaluate_in(turn, scope, key);
    let text = written(&evaluation).map(|text| Some(text.to_string()));
    text.ok_or_else(|| complaint(key, &evaluation, "a text or a number as key"))
}

pub(crate) fn evaluate(turn: &Turn<'_>, token: Number, expression: &Expression) -> Evaluation {
    evaluate_in(turn, turn.instance.reading_scope(turn.token(token)), expression)
}

pub(crate) fn evaluate_in(turn: &Turn<'_>, scope: Number, expression: &Expression) -> Evaluation {
    expression.evaluate(&turn.seen(scope), &clock(turn.now))
}

pub(crate) fn clock(now: Timestamp) -> Clock {
    Clock::utc(jiff::Timestamp::from_millisecond(now.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH))
}

pub(crate) fn complaint(expression: &Expression, evaluation: &Evaluation, expected: &str) -> String {
    let mut message =
        format!("`{}` gave {}, expected {expected}", expression.text(), evaluation.value.to_json());
    for warning in &evaluation.warnings {
        message.push_str(&format!(" ({})", warning.message));
    }
    message
}
