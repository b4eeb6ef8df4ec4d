//! What stands behind the question mark, and the names inside a path.
//!
//! **Invariant:** a parameter that is not known is refused by its name.

use std::collections::BTreeMap;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde_json::json;
use tyer_engine::Timestamp;

use crate::code::Code;
use crate::error::Failure;
use crate::reply;

/// Things of one page, when nothing is said.
const PAGE: u64 = 100;
/// Things of one page, at most.
const LARGEST_PAGE: u64 = 1_000;

/// The parameters of a request, taken by name.
#[derive(Debug)]
pub(crate) struct Query(BTreeMap<String, String>);

/// The one name inside a path.
pub(crate) struct Name(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Query {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Query, Failure> {
        Query::parse(parts.uri.query().unwrap_or_default())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Name, Failure> {
        let malformed = || Failure::new(Code::IdMalformed, "the id in the path is not a text");
        let Path(name) = Path::<String>::from_request_parts(parts, state).await.map_err(|_| malformed())?;
        if name.chars().any(char::is_control) {
            return Err(malformed());
        }
        Ok(Name(name))
    }
}

impl Query {
    fn parse(query: &str) -> Result<Query, Failure> {
        let mut parameters = BTreeMap::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decoded(name)?, decoded(value)?);
            if parameters.insert(name.clone(), value).is_some() {
                return Err(invalid(&name, "it once"));
            }
        }
        Ok(Query(parameters))
    }

    /// A parameter that may be left out.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        self.0.remove(name)
    }

    /// A whole number within bounds.
    pub(crate) fn number(&mut self, name: &str, least: u64, most: u64) -> Result<Option<u64>, Failure> {
        let Some(text) = self.0.remove(name) else { return Ok(None) };
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.map(Some).ok_or_else(|| invalid(name, &format!("a whole number from {least} to {most}")))
    }

    /// A moment in RFC 3339.
    pub(crate) fn moment(&mut self, name: &str) -> Result<Option<Timestamp>, Failure> {
        let Some(text) = self.0.remove(name) else { return Ok(None) };
        let moment = reply::parse_moment(&text);
        moment.map(Some).ok_or_else(|| invalid(name, "a moment as in 2026-01-31T12:00:00Z"))
    }

    /// True or false, if it stands there.
    pub(crate) fn truth(&mut self, name: &str) -> Result<Option<bool>, Failure> {
        match self.0.contains_key(name) {
            true => self.flag(name).map(Some),
            false => Ok(None),
        }
    }

    /// Everything whose name begins like this, without the beginning.
    pub(crate) fn beginning_with(&mut self, prefix: &str) -> Vec<(String, String)> {
        let names: Vec<String> = self.0.keys().filter(|name| name.starts_with(prefix)).cloned().collect();
        let taken = names.into_iter().filter_map(|name| self.0.remove_entry(&name));
        taken.map(|(name, value)| (name[prefix.len()..].to_owned(), value)).collect()
    }

    /// How many things a page has.
    pub(crate) fn limit(&mut self) -> Result<usize, Failure> {
        let limit = self.number("limit", 1, LARGEST_PAGE)?.unwrap_or(PAGE);
        Ok(usize::try_from(limit).expect("bounded above"))
    }

    /// True when it stands there, alone or as `true`.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, Failure> {
        match self.0.remove(name).as_deref() {
            Some("" | "true") => Ok(true),
            None | Some("false") => Ok(false),
            Some(_) => Err(invalid(name, "true or false")),
        }
    }

    /// Nothing may be left.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Some(name) = self.0.keys().next() else { return Ok(()) };
        let message = format!("parameter `{name}` is not known here: remove it or check its spelling");
        Err(Failure::new(Code::FieldUnknown, message).with(json!({ "field": name })))
    }
}

pub(crate) fn invalid(name: &str, expected: &str) -> Failure {
    let message = format!("parameter `{name}` is wrong: expected {expected}");
    Failure::new(Code::FieldInvalid, message).with(json!({ "field": name, "expected": expected }))
}

/// `%41+b` is `A b`.
fn decoded(text: &str) -> Result<String, Failure> {
    let wrong =
        || Failure::new(Code::FieldInvalid, format!("`{text}` in the query is not percent-encoded text"));
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let (digits, after) = rest.split_at_checked(2).ok_or_else(wrong)?;
                rest = after;
                let high = char::from(digits[0]).to_digit(16).ok_or_else(wrong)?;
                let low = char::from(digits[1]).to_digit(16).ok_or_else(wrong)?;
                bytes.push(u8::try_from(high * 16 + low).map_err(|_| wrong())?);
            }
            other => bytes.push(*other),
        }
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong())?;
    if text.chars().any(char::is_control) { Err(wrong()) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_bounded() {
        let mut query = Query::parse("a=%41+b&limit=5").expect("it can be read");
        assert_eq!(query.text("a").as_deref(), Some("A b"));
        assert_eq!(query.number("limit", 1, 10).ok().flatten(), Some(5));
        assert!(query.finish().is_ok());
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for text in ["a=%", "a=%4", "a=%zz", "a=%ff", "a=%00", "a=1&a=2"] {
            assert!(Query::parse(text).is_err(), "{text}");
        }
        assert!(Query::parse("b=1").expect("it can be read").finish().is_err());
    }
}
