//! Answers that went well, and how moments and ids are written in them.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tyer_engine::Timestamp;

/// `{"success": true, …}`.
#[derive(Serialize)]
struct Success<T> {
    success: bool,
    #[serde(flatten)]
    body: T,
}

/// Done: the body's fields beside `success`.
pub(crate) fn ok(body: impl Serialize) -> Response {
    json(StatusCode::OK, &Success { success: true, body })
}

/// Something new is there.
pub(crate) fn created(body: impl Serialize) -> Response {
    json(StatusCode::CREATED, &Success { success: true, body })
}

/// A page of more than was asked for: what belongs to it, and where the next one goes on.
pub(crate) fn page<T>(
    mut found: Vec<T>,
    limit: usize,
    place: impl Fn(&T) -> String,
) -> (Vec<T>, Option<String>) {
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(place);
    (found, next)
}

pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    let body = serde_json::to_vec(body).expect("an answer is always JSON");
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// Reads RFC 3339.
pub(crate) fn parse_moment(text: &str) -> Option<Timestamp> {
    let moment: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp(moment.as_millisecond()))
}

/// RFC 3339 in UTC.
pub(crate) fn moment(at: Timestamp) -> String {
    at.to_string()
}
