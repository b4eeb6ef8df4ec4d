//! A wire to PostgreSQL that counts the statements that pass over it.
//!
//! **Invariant:** what passes is not changed: only the letters that begin messages are read.

use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_postgres::config::Host;

/// Counts for as long as it lives; connections stay open after it.
pub(crate) struct Wire {
    /// Where to connect instead.
    pub(crate) url: String,
    counted: Arc<AtomicU64>,
    listening: tokio::task::JoinHandle<()>,
}

impl Wire {
    /// Listens on loopback, and passes everything on to the server of this URL.
    pub(crate) async fn to(url: &str) -> Result<Wire> {
        let config = tokio_postgres::Config::from_str(url)?;
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let host = config.get_hosts().iter().find_map(name_of).context("a host in the URL of PostgreSQL")?;
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let (from, to) = (format!("{host}:{port}"), listener.local_addr()?.to_string());
        anyhow::ensure!(url.contains(&from), "the URL of PostgreSQL must name its host and port: {from}");
        let counted = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&counted);
        let target = from.clone();
        let listening = tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                tokio::spawn(pass(caller, target.clone(), Arc::clone(&counter)));
            }
        });
        Ok(Wire { url: url.replacen(&from, &to, 1), counted, listening })
    }

    /// Statements so far.
    pub(crate) fn statements(&self) -> u64 {
        self.counted.load(Ordering::Relaxed)
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

fn name_of(host: &Host) -> Option<String> {
    if let Host::Tcp(name) = host { Some(name.clone()) } else { None }
}

async fn pass(caller: TcpStream, target: String, counter: Arc<AtomicU64>) -> Result<()> {
    let server = TcpStream::connect(target).await?;
    caller.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let ((mut asked, mut answer), (mut answered, mut ask)) = (caller.into_split(), server.into_split());
    tokio::spawn(async move { tokio::io::copy(&mut answered, &mut answer).await });
    let mut reader = Reader::default();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let size = asked.read(&mut buffer).await?;
        if size == 0 {
            return Ok(());
        }
        counter.fetch_add(reader.statements(&buffer[..size]), Ordering::Relaxed);
        ask.write_all(&buffer[..size]).await?;
    }
}

/// Where one message ends and the next begins. The first has no letter.
#[derive(Default)]
struct Reader {
    begun: bool,
    /// The letter and the length, as far as they have come.
    head: Vec<u8>,
    /// Bytes of the message that are still to come.
    rest: usize,
}

impl Reader {
    /// Messages in these bytes that carry out a statement.
    fn statements(&mut self, mut bytes: &[u8]) -> u64 {
        let mut count = 0;
        while !bytes.is_empty() {
            let skipped = self.rest.min(bytes.len());
            self.rest -= skipped;
            bytes = &bytes[skipped..];
            let Some((next, after)) = bytes.split_first() else { break };
            self.head.push(*next);
            bytes = after;
            let letters = usize::from(self.begun);
            if self.head.len() == letters + 4 {
                let length =
                    self.head[letters..].iter().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
                count += u64::from(self.begun && matches!(self.head[0], b'E' | b'Q'));
                self.rest = length.saturating_sub(4);
                self.head.clear();
                self.begun = true;
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(letter: Option<u8>, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).expect("short").to_be_bytes();
        letter.into_iter().chain(length).chain(body.iter().copied()).collect()
    }

    #[test]
    fn statements_are_counted_however_the_bytes_are_cut() {
        let sent = [
            message(None, b"user\0tyer\0"),
            message(Some(b'Q'), b"BEGIN\0"),
            message(Some(b'B'), b"EEEEQQQQ"),
            message(Some(b'E'), b"\0\0\0\0\0"),
            message(Some(b'S'), b""),
        ]
        .concat();
        for size in [1, 2, 3, 7, sent.len()] {
            let mut reader = Reader::default();
            let count: u64 = sent.chunks(size).map(|bytes| reader.statements(bytes)).sum();
            assert_eq!(count, 2, "in pieces of {size}");
        }
    }
}
