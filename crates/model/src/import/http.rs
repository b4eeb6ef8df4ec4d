//! `tyer:http`: a call over HTTP as a job of the built-in executor.
//!
//! **Invariant:** it says the same as `serviceConfig` of the JSON notation, in the same header.

use serde_json::{Map, Value};
use tyer_xml::Element;

use crate::namespace::{TYER, extension};

/// The job type of calls over HTTP.
pub(super) const HTTP_JOB: &str = "tyer.http";

/// The header that says what is called, if an element calls something over HTTP.
pub(super) fn header(element: Element<'_>) -> Option<(String, String)> {
    let http = extension(element, TYER, "http")?;
    let text = |written: &str| Value::String(written.to_owned());
    let plain = http.attributes().filter(|attribute| attribute.name.namespace.is_empty());
    let mut config: Map<String, Value> =
        plain.map(|attribute| (attribute.name.local.to_owned(), text(attribute.value))).collect();
    let headers = http.children().filter(|child| child.is(TYER, "header"));
    let pair = |header: Element<'_>| {
        Some((header.attribute("name")?.to_owned(), text(header.attribute("value").unwrap_or_default())))
    };
    let headers: Map<String, Value> = headers.filter_map(pair).collect();
    if !headers.is_empty() {
        config.insert("headers".to_owned(), Value::Object(headers));
    }
    if let Some(body) = http.child(TYER, "body") {
        config.insert("requestBody".to_owned(), text(body.text().trim()));
    }
    Some(("config".to_owned(), Value::Object(config).to_string()))
}
