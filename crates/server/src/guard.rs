//! What holds for every request: an id, no foreign pages, no panic that escapes, errors in one shape.
//!
//! **Invariant:** only so many requests are under way at a time.
//! **Invariant:** a page of another origin, or another name that was pointed at this machine, gets nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::code::Code;
use crate::error::{Failure, hidden};
use crate::reply;
use crate::router::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Around every handler.
pub(crate) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let id = request_id(request.headers());
    let (in_hand, full) = InHand::one_more(app);
    // Whoever asks whether the server is alive gets an answer all the same.
    let full = full && !request.uri().path().starts_with("/health/");
    let refusal = refused(request.headers(), request.uri()).or_else(|| full.then(too_many));
    let mut response = match refusal {
        Some(failure) => axum::response::IntoResponse::into_response(failure),
        None => caught(next.run(request)).await,
    };
    if let Some(failure) = response.extensions_mut().remove::<Failure>() {
        let extra: HeaderMap = std::mem::take(response.headers_mut());
        response = reply::json(failure.code.status(), &failure.body(&id));
        if let Some(allow) = extra.get(header::ALLOW) {
            response.headers_mut().insert(header::ALLOW, allow.clone());
        }
        if failure.code.status() == axum::http::StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
    }
    drop(in_hand);
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, id);
    }
    response
}

/// A request under way, until it is answered or its caller has gone.
struct InHand(Arc<App>);

impl InHand {
    /// Also whether there were as many as there may be.
    fn one_more(app: Arc<App>) -> (InHand, bool) {
        let full = app.in_hand.fetch_add(1, Ordering::SeqCst) >= app.options.requests;
        (InHand(app), full)
    }
}

impl Drop for InHand {
    fn drop(&mut self) {
        self.0.in_hand.fetch_sub(1, Ordering::SeqCst);
    }
}

fn too_many() -> Failure {
    Failure::new(Code::Overloaded, "as many requests are under way as there may be: try again later")
}

/// A panic is our fault: the caller gets a 500, everyone else goes on.
async fn caught(handling: impl Future<Output = Response>) -> Response {
    let mut handling = pin!(handling);
    std::future::poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| handling.as_mut().poll(context))) {
        Ok(polled) => polled,
        Err(_) => {
            let failure = hidden(Code::Internal, "the server failed on this request", "a handler panicked");
            Poll::Ready(axum::response::IntoResponse::into_response(failure))
        }
    })
    .await
}

/// The caller's own id for the request if it is a plain one, else a new one.
fn request_id(headers: &HeaderMap) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let plain = |text: &&str| {
        (1..=64).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    if let Some(given) = headers.get(&REQUEST_ID).and_then(|value| value.to_str().ok()).filter(plain) {
        return given.to_owned();
    }
    let micros = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    format!("req_{micros:x}-{:x}", COUNT.fetch_add(1, Ordering::Relaxed))
}

fn refused(headers: &HeaderMap, uri: &Uri) -> Option<Failure> {
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("?"));
    let host = text(header::HOST).or_else(|| uri.authority().map(axum::http::uri::Authority::as_str));
    if let Some(host) = host.filter(|host| !is_loopback(host)) {
        let message = format!("host `{host}` is not this machine: use 127.0.0.1 or localhost");
        return Some(Failure::new(Code::HostRefused, message));
    }
    let origin = text(header::ORIGIN)?;
    let ours = host.is_some_and(|host| origin == format!("http://{host}"));
    let message = format!("pages of `{origin}` may not use this server");
    (!ours).then(|| Failure::new(Code::OriginRefused, message))
}

/// `localhost`, `127.0.0.1` or `[::1]`, with or without a port.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:7878", "127.9.9.9", "[::1]", "[::1]:7878"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["", "example.org", "example.org:80", "localhost.example.org", "10.0.0.1", "[::2]:1", "?"]
        {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn a_page_of_another_origin_is_refused() {
        let headers = |host: &'static str, origin: &'static str| {
            HeaderMap::from_iter([
                (header::HOST, HeaderValue::from_static(host)),
                (header::ORIGIN, HeaderValue::from_static(origin)),
            ])
        };
        let code = |headers| refused(&headers, &Uri::from_static("/")).map(|failure| failure.code);
        assert_eq!(code(headers("127.0.0.1:7878", "http://127.0.0.1:7878")), None);
        assert_eq!(code(headers("127.0.0.1:7878", "http://evil.example")), Some(Code::OriginRefused));
        assert_eq!(code(headers("127.0.0.1:7878", "null")), Some(Code::OriginRefused));
        assert_eq!(code(headers("evil.example", "http://evil.example")), Some(Code::HostRefused));
    }
}
