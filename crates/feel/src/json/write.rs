//! Values to JSON.

use crate::value::Value;

/// Writes a value as JSON.
pub(crate) fn write(value: &Value) -> String {
    let mut out = String::new();
    write_into(&mut out, value);
    out
}

fn write_into(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::Raw(raw) => out.push_str(raw.get()),
        Value::List(list) => {
            out.push('[');
            for (index, item) in list.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_into(out, item);
            }
            out.push(']');
        }
        Value::Context(context) => {
            out.push('{');
            for (index, (name, item)) in context.entries().iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(out, name);
                out.push(':');
                write_into(out, item);
            }
            out.push('}');
        }
        Value::String(text) => write_string(out, text),
        Value::Date(_)
        | Value::Time(_)
        | Value::DateTime(_)
        | Value::YearsAndMonths(_)
        | Value::DaysAndTime(_)
        | Value::Range(_)
        | Value::Function(_) => write_string(out, &value.to_string()),
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push_str(&serde_json::to_string(text).expect("a string is always JSON"));
}
