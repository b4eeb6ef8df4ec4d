//! A small HTTP/1 client for a server on this machine: the command line, the tests and the soak speak through it.
//!
//! **Invariant:** one connection, one request at a time; after any error the next request opens a new connection.

use std::net::SocketAddr;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::HOST;
use hyper::{HeaderMap, Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// Why there is no answer: nobody knows whether the request was done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody listens there: the request was not done.
    #[error("cannot connect to {0}: {1}; is `tyer serve` running?")]
    Connect(SocketAddr, std::io::Error),
    /// The connection broke on the way.
    #[error("the connection broke: {0}")]
    Broken(#[from] hyper::Error),
    /// Not a request that can be sent.
    #[error("not a request: {0}")]
    Request(#[from] hyper::http::Error),
}

/// An answer, whatever its status.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// Speaks to one address.
#[derive(Debug)]
pub struct Client {
    address: SocketAddr,
    connection: Option<SendRequest<Full<Bytes>>>,
}

impl Answer {
    /// The body as JSON; null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

impl Client {
    /// Connects with the first request.
    pub fn new(address: SocketAddr) -> Client {
        Client { address, connection: None }
    }

    /// Reads something.
    pub async fn get(&mut self, path: &str) -> Result<Answer, Error> {
        self.send(Method::GET, path, &[], Bytes::new()).await
    }

    /// Asks for something, with a JSON body.
    pub async fn post(&mut self, path: &str, body: &Value) -> Result<Answer, Error> {
        let json = [("content-type", "application/json")];
        self.send(Method::POST, path, &json, body.to_string().into()).await
    }

    /// Any request.
    pub async fn send(
        &mut self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Bytes,
    ) -> Result<Answer, Error> {
        let mut request = Request::builder().method(method).uri(path);
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            request = request.header(HOST, self.address.to_string());
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(body))?;
        let mut connection = self.connect().await?;
        let response = connection.send_request(request).await?;
        let (head, body) = response.into_parts();
        let body = body.collect().await?.to_bytes();
        self.connection = Some(connection);
        Ok(Answer { status: head.status, headers: head.headers, body })
    }

    /// The open connection if it still is, else a new one.
    async fn connect(&mut self) -> Result<SendRequest<Full<Bytes>>, Error> {
        if let Some(mut open) = self.connection.take()
            && open.ready().await.is_ok()
        {
            return Ok(open);
        }
        let stream = TcpStream::connect(self.address).await;
        let stream = stream.map_err(|error| Error::Connect(self.address, error))?;
        let _ = stream.set_nodelay(true);
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(sender)
    }
}
