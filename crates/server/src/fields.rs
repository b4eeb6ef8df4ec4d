//! The fields of a request, taken by name; what is left over is refused by name.
//!
//! **Invariant:** no field is ignored: [`Fields::finish`] refuses the unknown ones, with their path.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::json;
use serde_json::value::RawValue;
use tyer_engine::{Timestamp, Variables};

use crate::code::Code;
use crate::depth::{DEEPEST, is_too_deep};
use crate::error::Failure;
use crate::reply;

/// Bodies up to this are read.
const BODY_LIMIT: usize = 4 * 1024 * 1024;
/// A body that takes longer to arrive is given up.
const BODY_TIME: Duration = Duration::from_secs(30);

/// A JSON object whose fields have not been looked at yet.
#[derive(Debug)]
pub(crate) struct Fields {
    path: String,
    values: BTreeMap<String, Box<RawValue>>,
}

/// The bytes of a request.
pub(crate) struct Raw(pub(crate) Bytes);

impl<S: Send + Sync> FromRequest<S> for Raw {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &S) -> Result<Raw, Failure> {
        let reading = Limited::new(request.into_body(), BODY_LIMIT).collect();
        match tokio::time::timeout(BODY_TIME, reading).await {
            Ok(Ok(body)) => Ok(Raw(body.to_bytes())),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                let details = json!({ "limitBytes": BODY_LIMIT });
                Err(Failure::new(Code::BodyTooLarge, "the body is larger than 4 MiB").with(details))
            }
            Ok(Err(_)) => Err(Failure::new(Code::BodyBroken, "the body did not arrive whole")),
            Err(_) => Err(Failure::new(Code::BodyTimeout, "the body took longer than 30 seconds to arrive")),
        }
    }
}

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = Failure;

    async fn from_request(request: Request<Body>, state: &S) -> Result<Fields, Failure> {
        Fields::parse(&Raw::from_request(request, state).await?.0)
    }
}

impl Fields {
    /// Reads a JSON object; no body at all is an empty one.
    pub(crate) fn parse(json: &[u8]) -> Result<Fields, Failure> {
        if json.iter().all(u8::is_ascii_whitespace) {
            return Ok(Fields { path: String::new(), values: BTreeMap::new() });
        }
        if is_too_deep(json) {
            let message = format!("the JSON nests deeper than {DEEPEST} levels");
            return Err(Failure::new(Code::JsonTooDeep, message));
        }
        let values = serde_json::from_slice(json).map_err(|error| {
            let details = json!({ "line": error.line(), "column": error.column() });
            Failure::new(Code::JsonMalformed, format!("the body must be a JSON object: {error}"))
                .with(details)
        })?;
        Ok(Fields { path: String::new(), values })
    }

    /// A field that may be left out; `null` is left out.
    pub(crate) fn optional<T: DeserializeOwned>(
        &mut self,
        name: &str,
        expected: &str,
    ) -> Result<Option<T>, Failure> {
        let Some(raw) = self.values.remove(name).filter(|raw| raw.get() != "null") else { return Ok(None) };
        serde_json::from_str(raw.get()).map(Some).map_err(|_| self.invalid(name, expected))
    }

    /// A field that must be there.
    pub(crate) fn required<T: DeserializeOwned>(&mut self, name: &str, expected: &str) -> Result<T, Failure> {
        let found = self.optional(name, expected)?;
        found.ok_or_else(|| {
            let field = self.full(name);
            let message = format!("field `{field}` is missing: expected {expected}");
            Failure::new(Code::FieldMissing, message).with(json!({ "field": field }))
        })
    }

    /// A text without the character NUL, which no database keeps.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Failure> {
        let expected = "a text";
        let found: Option<String> = self.optional(name, expected)?;
        match found {
            Some(text) if text.contains('\0') => Err(self.invalid(name, "a text without NUL")),
            found => Ok(found),
        }
    }

    /// A whole number within bounds.
    pub(crate) fn number(&mut self, name: &str, least: u64, most: u64) -> Result<Option<u64>, Failure> {
        let expected = format!("a whole number from {least} to {most}");
        let found: Option<u64> = self.optional(name, &expected)?;
        match found {
            Some(number) if number < least || number > most => Err(self.invalid(name, &expected)),
            found => Ok(found),
        }
    }

    /// A text that must be there.
    pub(crate) fn required_text(&mut self, name: &str, expected: &str) -> Result<String, Failure> {
        match self.text(name)? {
            Some(text) => Ok(text),
            None => self.required(name, expected),
        }
    }

    /// A moment in RFC 3339.
    pub(crate) fn moment(&mut self, name: &str) -> Result<Option<Timestamp>, Failure> {
        let expected = "a moment as in 2026-01-31T12:00:00Z";
        let Some(text) = self.optional::<String>(name, expected)? else { return Ok(None) };
        reply::parse_moment(&text).map(Some).ok_or_else(|| self.invalid(name, expected))
    }

    /// A list of objects with fields of their own; empty when left out.
    pub(crate) fn objects(&mut self, name: &str) -> Result<Vec<Fields>, Failure> {
        let all: Option<Vec<BTreeMap<String, Box<RawValue>>>> = self.optional(name, "a list of objects")?;
        let full = self.full(name);
        let path = |at: usize| format!("{full}[{at}].");
        let all = all.unwrap_or_default().into_iter().enumerate();
        Ok(all.map(|(at, values)| Fields { path: path(at), values }).collect())
    }

    /// An object whose fields become variables.
    pub(crate) fn variables(&mut self, name: &str) -> Result<Variables, Failure> {
        let found: Option<Variables> = self.optional(name, "an object")?;
        let found = found.unwrap_or_default();
        if found.iter().any(|(name, _)| name.contains('\0')) {
            return Err(self.invalid(name, "an object without NUL in its names"));
        }
        Ok(found)
    }

    /// An object with fields of its own; empty when left out.
    pub(crate) fn object(&mut self, name: &str) -> Result<Fields, Failure> {
        let values: Option<BTreeMap<String, Box<RawValue>>> = self.optional(name, "an object")?;
        Ok(Fields { path: format!("{}.", self.full(name)), values: values.unwrap_or_default() })
    }

    /// Nothing may be left.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Some(name) = self.values.keys().next() else { return Ok(()) };
        let field = self.full(name);
        let message = format!("field `{field}` is not known here: remove it or check its spelling");
        Err(Failure::new(Code::FieldUnknown, message).with(json!({ "field": field })))
    }

    pub(crate) fn invalid(&self, name: &str, expected: &str) -> Failure {
        let field = self.full(name);
        let message = format!("field `{field}` is wrong: expected {expected}");
        Failure::new(Code::FieldInvalid, message).with(json!({ "field": field, "expected": expected }))
    }

    fn full(&self, name: &str) -> String {
        format!("{}{name}", self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_nobody_took_is_refused_by_its_path() {
        let mut fields = Fields::parse(br#"{"data": {}, "options": {"speed": 1}}"#).expect("an object");
        assert!(fields.variables("data").is_ok());
        let options = fields.object("options").expect("an object");
        assert!(fields.finish().is_ok());
        let refused = options.finish().expect_err("nobody took speed");
        assert_eq!(refused.code, Code::FieldUnknown);
        assert_eq!(refused.details["field"], "options.speed");
    }

    #[test]
    fn numbers_keep_their_bounds_and_texts_have_no_nul() {
        let mut fields =
            Fields::parse(br#"{"a": 3, "b": 2.5, "c": "\u0000", "d": null}"#).expect("an object");
        assert_eq!(fields.number("a", 1, 2).expect_err("too large").code, Code::FieldInvalid);
        assert!(fields.number("b", 1, 9).is_err());
        assert!(fields.text("c").is_err());
        assert_eq!(fields.text("d").expect("left out"), None);
        assert!(fields.finish().is_ok());
    }

    #[test]
    fn variables_keep_every_byte_of_a_number() {
        let mut fields = Fields::parse(br#"{"data": {"amount": 100.00}}"#).expect("an object");
        assert_eq!(fields.variables("data").expect("an object").get("amount"), Some("100.00"));
    }
}
