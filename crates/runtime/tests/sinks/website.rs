//! A real HTTP server that answers well, fails, hangs or dies, and remembers what it was told.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// What it does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    Takes,
    Refuses,
    Hangs,
    Dies,
}

/// One request, as it came.
#[derive(Clone, Debug)]
pub(crate) struct Posted {
    pub(crate) head: String,
    pub(crate) body: String,
    pub(crate) mood: Mood,
}

#[derive(Clone)]
pub(crate) struct Website(Arc<State>);

struct State {
    mood: Mutex<Mood>,
    posted: Mutex<Vec<Posted>>,
    came: Notify,
}

impl Website {
    pub(crate) async fn open(mood: Mood) -> (Website, SocketAddr, JoinHandle<()>) {
        let state = State { mood: Mutex::new(mood), posted: Mutex::default(), came: Notify::new() };
        let site = Website(Arc::new(state));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it has an address");
        let serving = site.clone();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let site = serving.clone();
                tokio::spawn(async move { site.serve(stream).await });
            }
        });
        (site, address, serving)
    }

    pub(crate) fn turn(&self, mood: Mood) {
        *self.0.mood.lock().unwrap_or_else(PoisonError::into_inner) = mood;
    }

    pub(crate) fn posted(&self) -> Vec<Posted> {
        self.0.posted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until so many requests have come.
    pub(crate) async fn requests(&self, count: usize) {
        loop {
            let came = self.0.came.notified();
            if self.posted().len() >= count {
                return;
            }
            came.await;
        }
    }

    async fn serve(&self, mut stream: TcpStream) {
        while let Some((head, body)) = request(&mut stream).await {
            let mood = *self.0.mood.lock().unwrap_or_else(PoisonError::into_inner);
            self.0.posted.lock().unwrap_or_else(PoisonError::into_inner).push(Posted { head, body, mood });
            self.0.came.notify_waiters();
            let answer: &[u8] = match mood {
                Mood::Takes => b"HTTP/1.1 204 No Content\r\n\r\n",
                Mood::Refuses => b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 2\r\n\r\nno",
                Mood::Hangs => return std::future::pending().await,
                Mood::Dies => return,
            };
            if stream.write_all(answer).await.is_err() {
                return;
            }
        }
    }
}

/// The head and the body of one request; none when the caller is gone.
async fn request(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        let mut more = [0; 4096];
        let count = stream.read(&mut more).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&more[..count]);
    };
    let head = String::from_utf8(bytes[..end].to_vec()).expect("a head is text").to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
    let length: usize = length.trim().parse().expect("a number");
    let mut body = bytes[end..].to_vec();
    while body.len() < length {
        let mut more = [0; 4096];
        let count = stream.read(&mut more).await.ok().filter(|count| *count > 0)?;
        body.extend_from_slice(&more[..count]);
    }
    Some((head, String::from_utf8(body).expect("JSON is text")))
}
