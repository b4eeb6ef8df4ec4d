//! Variables: names with JSON values that stay raw text until an expression reads them.
//!
//! **Invariant:** a value is written out byte for byte as it came in.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tyer_feel::{Lookup, Value};
use tyer_map::Map;

/// A JSON object whose fields are shared and unread.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Variables(Map<Arc<str>, Arc<RawValue>>);

/// A text that should have been a JSON object.
#[derive(Debug, thiserror::Error)]
#[error("variables must be a JSON object: {0}")]
pub struct VariablesError(#[from] serde_json::Error);

impl Variables {
    /// Reads a JSON object.
    ///
    /// ```
    /// let variables = tyer_engine::Variables::parse(r#"{"amount": 120}"#)?;
    /// assert_eq!(variables.get("amount"), Some("120"));
    /// # Ok::<(), tyer_engine::VariablesError>(())
    /// ```
    pub fn parse(json: &str) -> Result<Variables, VariablesError> {
        Ok(serde_json::from_str(json)?)
    }

    /// Turns anything that serialises to a JSON object into variables; `()` is none.
    pub fn from_serialize(value: &impl Serialize) -> Result<Variables, VariablesError> {
        match &*serde_json::to_string(value)? {
            "null" => Ok(Variables::default()),
            json => Variables::parse(json),
        }
    }

    /// The JSON text of one value.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|raw| raw.get())
    }

    /// Nothing in it?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names and JSON texts, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, raw)| (&**name, raw.get()))
    }

    /// Names and shared values, by name.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<RawValue>)> {
        self.0.iter()
    }

    /// Sets one value.
    pub fn insert(&mut self, name: Arc<str>, value: Arc<RawValue>) {
        self.0.insert(name, value);
    }

    /// Keeps only what fits.
    pub(crate) fn retain(&mut self, fits: impl Fn(&str, &str) -> bool) {
        self.0.retain(|name, value| fits(name, value.get()));
    }

    /// Takes these names away.
    pub(crate) fn remove(&mut self, names: &[Arc<str>]) {
        for name in names {
            self.0.remove(name);
        }
    }

    /// A single value, from its JSON text.
    ///
    /// # Panics
    /// If the text is not JSON.
    pub fn of(name: &str, json: String) -> Variables {
        Variables([(Arc::from(name), raw(json))].into())
    }

    /// Takes over every value of `other`.
    pub fn merge(&mut self, other: &Variables) {
        for (name, value) in &other.0 {
            self.0.insert(Arc::clone(name), Arc::clone(value));
        }
    }

    /// The whole as one JSON object.
    pub fn to_json(&self) -> String {
        let mut json =
            String::with_capacity(2 + self.0.iter().map(|(n, v)| n.len() + v.get().len() + 4).sum::<usize>());
        json.push('{');
        for (name, value) in &self.0 {
            if json.len() > 1 {
                json.push(',');
            }
            json.push_str(&serde_json::to_string(&**name).expect("a string is always JSON"));
            json.push(':');
            json.push_str(value.get());
        }
        json.push('}');
        json
    }
}

/// A JSON text as a value.
pub(crate) fn raw(json: String) -> Arc<RawValue> {
    Arc::from(RawValue::from_string(json).expect("a value is written as JSON"))
}

/// The JSON context `before` with one leaf set: what is no context on the way is replaced by one.
pub(crate) fn with_leaf(before: Option<&str>, path: &[Arc<str>], value: &RawValue) -> Arc<RawValue> {
    let [name, rest @ ..] = path else { return Arc::from(value.to_owned()) };
    let mut fields: Map<Arc<str>, Arc<RawValue>> =
        before.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    let inner = with_leaf(fields.get(name).map(|raw| raw.get()), rest, value);
    fields.insert(Arc::clone(name), inner);
    raw(Variables(fields).to_json())
}

impl Lookup for Variables {
    fn lookup(&self, name: &str) -> Option<Value> {
        self.0.get(name).map(|raw| Value::raw(Arc::clone(raw)))
    }

    fn unread(&self, name: &str) -> Option<&Arc<RawValue>> {
        self.0.get(name)
    }
}

impl PartialEq for Variables {
    fn eq(&self, other: &Variables) -> bool {
        self.iter().eq(other.iter())
    }
}
