//! Texts and conditions of the model, evaluated on the variables a token sees.

use std::sync::Arc;

use tyer_feel::{Clock, Evaluation, Expression};
use tyer_model::Text;

use crate::ids::{Number, Timestamp};
use crate::step::Turn;

/// Does the condition hold? What is neither true nor false is told with its reason.
pub(super) fn holds(turn: &Turn<'_>, token: Number, condition: &Expression) -> Result<bool, String> {
    let evaluation = evaluate(turn, token, condition);
    evaluation.value.as_bool().ok_or_else(|| complaint(condition, &evaluation, "true or false"))
}

/// The text as written, or as computed.
pub(super) fn text(turn: &Turn<'_>, token: Number, text: &Text) -> Result<Arc<str>, String> {
    match text {
        Text::Literal(literal) => Ok(Arc::clone(literal)),
        Text::Expression(expression) => {
            let evaluation = evaluate(turn, token, expression);
            let computed = evaluation.value.as_str().map(|text| Arc::from(&*text));
            computed.ok_or_else(|| complaint(expression, &evaluation, "a text"))
        }
    }
}

/// A list of names: written with commas, or computed as a list of texts.
pub(super) fn names(turn: &Turn<'_>, token: Number, names: &Text) -> Result<Vec<String>, String> {
    let listed = match names {
        Text::Literal(literal) => literal.to_string(),
        Text::Expression(expression) => {
            let evaluation = evaluate(turn, token, expression);
            if let Ok(list) = serde_json::from_str::<Vec<String>>(&evaluation.value.to_json()) {
                return Ok(list);
            }
            let single = evaluation.value.as_str().map(|text| text.to_string());
            single.ok_or_else(|| complaint(expression, &evaluation, "a list of texts"))?
        }
    };
    Ok(listed.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// A text that the model computes may also be a date or a duration: its ISO form is what counts.
pub(super) fn iso(turn: &Turn<'_>, token: Number, text: &Text) -> Result<Arc<str>, String> {
    match text {
        Text::Literal(literal) => Ok(Arc::clone(literal)),
        Text::Expression(expression) => {
            let evaluation = evaluate(turn, token, expression);
            let json = evaluation.value.to_json();
            let text: Result<String, _> = serde_json::from_str(&json);
            text.map(Arc::from)
                .map_err(|_| complaint(expression, &evaluation, "a date, a duration or a text"))
        }
    }
}

fn evaluate(turn: &Turn<'_>, token: Number, expression: &Expression) -> Evaluation {
    expression.evaluate(turn.variables_of(token), &clock(turn.now))
}

fn clock(now: Timestamp) -> Clock {
    Clock::utc(jiff::Timestamp::from_millisecond(now.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH))
}

fn complaint(expression: &Expression, evaluation: &Evaluation, expected: &str) -> String {
    let mut message =
        format!("`{}` gave {}, expected {expected}", expression.text(), evaluation.value.to_json());
    for warning in &evaluation.warnings {
        message.push_str(&format!(" ({})", warning.message));
    }
    message
}
