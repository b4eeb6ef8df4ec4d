//! A wire to PostgreSQL that can be cut at the worst moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, oneshot};

/// What happens to the client when it sends `COMMIT`: the connection is cut, and …
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cut {
    /// … the server has got everything.
    AnswerLost,
    /// … the client has got every answer but the last, which says that it is committed.
    LastAnswerLost,
    /// … the server has got nothing of what came with the commit, and sees the connection end.
    CommitLost,
    /// … the server gets it all, but only when the test says so.
    CommitLate,
}

pub(crate) struct Proxy {
    pub(crate) port: u16,
    armed: Arc<AtomicBool>,
    release: Arc<Notify>,
}

impl Proxy {
    pub(crate) async fn start(server: String, cut: Cut) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("bound").port();
        let armed = Arc::new(AtomicBool::new(false));
        let release = Arc::new(Notify::new());
        let shared = (Arc::clone(&armed), Arc::clone(&release));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.expect("the server is there");
                tokio::spawn(join(client, server, cut, shared.clone()));
            }
        });
        Proxy { port, armed, release }
    }

    /// From now on, once.
    pub(crate) fn arm(&self) {
        self.armed.store(true, Ordering::SeqCst);
    }

    /// Lets a late commit go on.
    pub(crate) fn release(&self) {
        self.release.notify_one();
    }
}

type Switches = (Arc<AtomicBool>, Arc<Notify>);

async fn join(client: TcpStream, server: TcpStream, cut: Cut, (armed, release): Switches) {
    let (from_client, to_client) = client.into_split();
    let (from_server, mut to_server) = server.into_split();
    let (cut_client, is_cut) = oneshot::channel();
    let (stop, stopped) = oneshot::channel();
    let answers = tokio::spawn(pass_answers(from_server, to_client, is_cut, stop));
    let Some(last) = until_commit(from_client, &mut to_server, &armed).await else {
        return;
    };
    // Whether it still listens does not matter. Only when it has stopped may the server be given something to answer.
    let _ = cut_client.send(cut);
    let _ = stopped.await;
    match cut {
        Cut::CommitLost => return answers.abort(),
        Cut::AnswerLost | Cut::LastAnswerLost => {}
        Cut::CommitLate => release.notified().await,
    }
    to_server.write_all(&last).await.expect("the server listens");
    // What was sent is worked off before the end of the stream is seen.
    to_server.shutdown().await.expect("the server listens");
    answers.await.expect("no panic");
}

/// Passes everything on until the commit comes by; returns what came with it.
async fn until_commit(
    mut from: OwnedReadHalf,
    to: &mut OwnedWriteHalf,
    armed: &AtomicBool,
) -> Option<Vec<u8>> {
    let mut buffer = vec![0; 1 << 20];
    loop {
        let length = from.read(&mut buffer).await.ok().filter(|length| *length > 0)?;
        let bytes = &buffer[..length];
        let is_commit = bytes.windows(12).any(|window| window == b"Q\0\0\0\x0bCOMMIT\0");
        if is_commit && armed.swap(false, Ordering::SeqCst) {
            return Some(bytes.to_vec());
        }
        to.write_all(bytes).await.ok()?;
    }
}

/// Passes answers on until the client is cut; then nobody gets them, but the server may go on speaking.
async fn pass_answers(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    is_cut: oneshot::Receiver<Cut>,
    stopped: oneshot::Sender<()>,
) {
    let cut = tokio::select! {
        _ = tokio::io::copy(&mut from, &mut to) => return,
        cut = is_cut => cut,
    };
    drop(stopped);
    if let Ok(Cut::LastAnswerLost) = cut {
        pass_until_committed(&mut from, &mut to).await;
    }
    drop(to);
    // However the server ends the conversation.
    let _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
}

async fn pass_until_committed(from: &mut OwnedReadHalf, to: &mut OwnedWriteHalf) {
    let mut buffer = vec![0; 1 << 20];
    loop {
        let length = from.read(&mut buffer).await.expect("the server answers");
        let bytes = &buffer[..length];
        let committed = bytes.windows(12).position(|window| window == b"C\0\0\0\x0bCOMMIT\0");
        to.write_all(&bytes[..committed.unwrap_or(length)]).await.expect("the client listens");
        if committed.is_some() || length == 0 {
            return;
        }
    }
}
