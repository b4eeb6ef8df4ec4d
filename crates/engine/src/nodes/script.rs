//! Script task whose script is FEEL: computed in the engine.

use tyer_model::ScriptSpec;

use crate::nodes::{activity, text};
use crate::words::*;

pub(super) fn enter(turn: &mut Turn<'_>, token: Number, spec: &ScriptSpec) {
    let evaluation = text::evaluate(turn, token, &spec.expression);
    if evaluation.value.is_null() && !evaluation.warnings.is_empty() {
        let reason = text::complaint(&spec.expression, &evaluation, "a value");
        return activity::give_up(turn, token, "the script", &reason);
    }
    let json = evaluation.value.to_json();
    let result = match &spec.result {
        Some(name) => Variables::of(name, json),
        None => Variables::parse(&json).unwrap_or_default(),
    };
    activity::complete(turn, token, result);
}
