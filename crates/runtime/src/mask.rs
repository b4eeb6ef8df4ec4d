//! Values of masked variables are hidden wherever an event shows variables.

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use tyer_map::Map;

/// What stands in the place of a value.
const MASK: &str = "***";

type Raw = Box<RawValue>;

/// The value of one field of an event, with the values of masked variables hidden.
pub(crate) fn masked(field: &str, value: Raw, masked: &[Arc<str>]) -> Result<Raw, serde_json::Error> {
    if masked.is_empty() {
        return Ok(value);
    }
    match field {
        "values" | "variables" => hide(&value, masked),
        // How a called process ended: its variables lie one level deeper.
        "answer" => {
            let mut answer: Map<String, Map<String, Raw>> = serde_json::from_str(value.get())?;
            for fields in answer.values_mut() {
                if let Some(variables) = fields.get_mut("variables") {
                    *variables = hide(variables, masked)?;
                }
            }
            to_raw_value(&answer)
        }
        _ => Ok(value),
    }
}

fn hide(object: &RawValue, masked: &[Arc<str>]) -> Result<Raw, serde_json::Error> {
    let mut fields: Map<String, Raw> = serde_json::from_str(object.get())?;
    for (name, value) in &mut fields {
        if masked.iter().any(|hidden| **hidden == **name) {
            *value = to_raw_value(MASK)?;
        }
    }
    to_raw_value(&fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(field: &str, value: &str) -> String {
        let value = RawValue::from_string(value.to_owned()).expect("it is JSON");
        masked(field, value, &[Arc::from("pin")]).expect("it is an object").get().to_owned()
    }

    #[test]
    fn masked_values_are_hidden_and_others_keep_every_byte() {
        assert_eq!(shown("values", r#"{"pin": 1234, "sum": 1.00}"#), r#"{"pin":"***","sum":1.00}"#);
        assert_eq!(shown("variables", r#"{"sum":1}"#), r#"{"sum":1}"#);
        let answer = r#"{"completed":{"variables":{"pin":[1]}}}"#;
        assert_eq!(shown("answer", answer), r#"{"completed":{"variables":{"pin":"***"}}}"#);
        assert_eq!(shown("message", r#""pin""#), r#""pin""#);
    }
}
