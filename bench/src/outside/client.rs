//! As much HTTP as a worker needs: one connection that stays open, one request at a time, a body of known length.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Speaks to the server.
pub(crate) struct Client {
    stream: TcpStream,
    host: SocketAddr,
    received: Vec<u8>,
}

impl Client {
    pub(crate) async fn connect(host: SocketAddr) -> Result<Client> {
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        Ok(Client { stream, host, received: Vec::new() })
    }

    /// A POST; whatever is not a success is an error.
    pub(crate) async fn post(&mut self, path: &str, kind: &str, body: &[u8]) -> Result<Value> {
        let (host, length) = (self.host, body.len());
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n"
        );
        self.stream.write_all(&[head.as_bytes(), body].concat()).await?;
        let (status, body) = self.answer().await?;
        let said = || format!("{path} answered {status}: {}", String::from_utf8_lossy(&body));
        anyhow::ensure!((200..300).contains(&status), said());
        serde_json::from_slice(&body).with_context(said)
    }

    async fn answer(&mut self) -> Result<(u16, Vec<u8>)> {
        loop {
            if let Some((status, head, length)) = head(&self.received)?
                && self.received.len() >= head + length
            {
                let body = self.received[head..head + length].to_vec();
                self.received.drain(..head + length);
                return Ok((status, body));
            }
            let mut buffer = [0; 16 * 1024];
            let size = self.stream.read(&mut buffer).await?;
            anyhow::ensure!(size > 0, "the server has hung up");
            self.received.extend_from_slice(&buffer[..size]);
        }
    }
}

/// The status, the length of the head and that of the body, once the head is there.
fn head(received: &[u8]) -> Result<Option<(u16, usize, usize)>> {
    let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let text = std::str::from_utf8(&received[..end])?.to_ascii_lowercase();
    let status = text.split_whitespace().nth(1).and_then(|status| status.parse().ok());
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    Ok(Some((status.context("a status")?, end + 4, length.context("the length of the answer")?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_when_its_head_is_there() {
        let answer = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(head(answer).expect("a head"), Some((201, answer.len() - 2, 2)));
        assert_eq!(head(&answer[..30]).expect("no head yet"), None);
    }
}
