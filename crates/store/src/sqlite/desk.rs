//! Two threads, each with its own connection: work is handed in by message and answered by message.
//!
//! **Invariant:** commits that wait together are written together: one transaction, one fsync.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use futures_channel::oneshot;
use rusqlite::Connection;

use crate::Answer;
use crate::error::Error;
use crate::sqlite::commit;
use crate::turn::{Outcome, Turn};

type Task = Box<dyn FnOnce(&mut Connection) + Send>;

enum Request {
    Commit(Commit),
    Run(Task),
}

struct Commit {
    batch: Vec<Turn>,
    reply: oneshot::Sender<Result<Vec<Outcome>, Error>>,
}

/// The one who writes.
pub(super) struct Writer {
    requests: Option<Sender<Request>>,
    transactions: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

/// One who only reads.
pub(super) struct Reader {
    tasks: Option<Sender<Task>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Writer {
    /// What was handed in is written before the file is let go.
    fn drop(&mut self) {
        drop(self.requests.take());
        if let Some(thread) = self.thread.take() {
            // A thread that died has answered nobody; there is nothing left to wait for.
            let _ = thread.join();
        }
    }
}

impl Drop for Reader {
    /// The last connection that closes moves the log into the file: whoever opens it next finds it whole.
    fn drop(&mut self) {
        drop(self.tasks.take());
        if let Some(thread) = self.thread.take() {
            // As above.
            let _ = thread.join();
        }
    }
}

impl Writer {
    pub(super) fn start(mut connection: Connection) -> Result<Writer, Error> {
        let (sender, requests) = channel();
        let transactions = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&transactions);
        let thread = spawn("tyer-sqlite-write", move || write_all(&mut connection, &requests, &count))?;
        Ok(Writer { requests: Some(sender), transactions, thread: Some(thread) })
    }

    /// How many transactions have written turns.
    pub(super) fn transactions(&self) -> u64 {
        self.transactions.load(Ordering::Relaxed)
    }

    pub(super) fn commit(&self, batch: Vec<Turn>) -> Answer<'_, Vec<Outcome>> {
        let (reply, answer) = oneshot::channel();
        let sent = self.send(Request::Commit(Commit { batch, reply }));
        Box::pin(async move {
            if !sent {
                return Err(closed());
            }
            // The thread died in the middle: whether the commit happened is what the file says.
            answer.await.unwrap_or_else(|_| Err(Error::Unknown("the writing thread has died".to_owned())))
        })
    }

    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, Error> + Send + 'static,
    ) -> Answer<'_, T> {
        let (task, answer) = task(work);
        let sent = self.send(Request::Run(task));
        wait_for(sent, answer)
    }
}

impl Writer {
    fn send(&self, request: Request) -> bool {
        self.requests.as_ref().is_some_and(|requests| requests.send(request).is_ok())
    }
}

impl Reader {
    pub(super) fn start(mut connection: Connection) -> Result<Reader, Error> {
        let (sender, tasks): (Sender<Task>, Receiver<Task>) = channel();
        let thread = spawn("tyer-sqlite-read", move || {
            while let Ok(task) = tasks.recv() {
                task(&mut connection);
            }
        })?;
        Ok(Reader { tasks: Some(sender), thread: Some(thread) })
    }

    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, Error> + Send + 'static,
    ) -> Answer<'_, T> {
        let (task, answer) = task(work);
        let sent = self.tasks.as_ref().is_some_and(|tasks| tasks.send(task).is_ok());
        wait_for(sent, answer)
    }
}

fn write_all(connection: &mut Connection, requests: &Receiver<Request>, transactions: &AtomicU64) {
    let mut next = requests.recv().ok();
    // Turns of a transaction that was refused are tried one by one: until then nothing is written together.
    let mut apart: usize = 0;
    while let Some(request) = next.take() {
        match request {
            Request::Run(task) => task(connection),
            Request::Commit(first) => {
                let mut together = vec![first];
                while next.is_none() && apart == 0 {
                    match requests.try_recv() {
                        Ok(Request::Commit(commit)) => together.push(commit),
                        Ok(other) => next = Some(other),
                        Err(_) => break,
                    }
                }
                transactions.fetch_add(1, Ordering::Relaxed);
                let turns: usize = together.iter().map(|commit| commit.batch.len()).sum();
                apart = match commit_together(connection, together) {
                    Err(Error::Refused(_)) if turns > 1 => turns,
                    _ => apart.saturating_sub(turns),
                };
            }
        }
        next = next.or_else(|| requests.recv().ok());
    }
}

fn commit_together(connection: &mut Connection, commits: Vec<Commit>) -> Result<(), Error> {
    let (batches, replies): (Vec<_>, Vec<_>) =
        commits.into_iter().map(|commit| (commit.batch, commit.reply)).unzip();
    let sizes: Vec<usize> = batches.iter().map(Vec::len).collect();
    let result = commit::commit(connection, batches.into_iter().flatten().collect());
    let (mut outcomes, written) = match result {
        Ok((outcomes, written)) => (Ok(outcomes.into_iter()), written),
        Err(error) => (Err(error), Vec::new()),
    };
    for (reply, size) in replies.into_iter().zip(sizes) {
        // Whoever asked may have gone away: the file has the truth.
        let _ = reply.send(match &mut outcomes {
            Ok(outcomes) => Ok(outcomes.by_ref().take(size).collect()),
            Err(error) => Err(error.clone()),
        });
    }
    drop(written);
    outcomes.map(drop)
}

fn task<T: Send + 'static>(
    work: impl FnOnce(&mut Connection) -> Result<T, Error> + Send + 'static,
) -> (Task, oneshot::Receiver<Result<T, Error>>) {
    let (reply, answer) = oneshot::channel();
    let task = Box::new(move |connection: &mut Connection| {
        // Whoever asked may have gone away.
        let _ = reply.send(work(connection));
    });
    (task, answer)
}

fn wait_for<'a, T: Send + 'static>(sent: bool, answer: oneshot::Receiver<Result<T, Error>>) -> Answer<'a, T> {
    Box::pin(async move { if sent { answer.await.unwrap_or_else(|_| Err(closed())) } else { Err(closed()) } })
}

fn closed() -> Error {
    Error::Unavailable("the SQLite thread has stopped".to_owned())
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Error> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.map_err(|error| Error::Unavailable(format!("cannot start a thread: {error}")))
}
