//! Two threads, each with its own connection: work is handed in by message and answered by message.
//!
//! **Invariant:** commits that wait together are written together: one transaction, one fsync.
//! **Invariant:** once the disk has failed the one who writes, it writes nothing more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
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
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

/// How the one who writes fares.
#[derive(Default)]
struct State {
    /// Transactions that have written turns.
    transactions: AtomicU64,
    /// How the disk failed.
    failed: OnceLock<String>,
}

impl State {
    /// Does the work, unless the disk has failed before.
    fn guard<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        if let Some(how) = self.failed.get() {
            return Err(Error::DiskFailed(how.clone()));
        }
        let done = work();
        if let Err(Error::DiskFailed(how)) = &done {
            tracing::error!(how, "the disk failed: nothing is written until the file is opened anew");
            // Who fails first says how.
            let _ = self.failed.set(how.clone());
        }
        done
    }
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
        let state = Arc::new(State::default());
        let own = Arc::clone(&state);
        let thread = spawn("tyer-sqlite-write", move || write_all(&mut connection, &requests, &own))?;
        Ok(Writer { requests: Some(sender), state, thread: Some(thread) })
    }

    /// How many transactions have written turns.
    pub(super) fn transactions(&self) -> u64 {
        self.state.transactions.load(Ordering::Relaxed)
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
        let state = Arc::clone(&self.state);
        let (task, answer) = task(move |connection: &mut Connection| state.guard(|| work(connection)));
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

fn write_all(connection: &mut Connection, requests: &Receiver<Request>, state: &State) {
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
                let turns: usize = together.iter().map(|commit| commit.batch.len()).sum();
                apart = match commit_together(connection, together, state) {
                    Err(Error::Refused(_)) if turns > 1 => turns,
                    _ => apart.saturating_sub(turns),
                };
            }
        }
        next = next.or_else(|| requests.recv().ok());
    }
}

fn commit_together(connection: &mut Connection, commits: Vec<Commit>, state: &State) -> Result<(), Error> {
    let (batches, replies): (Vec<_>, Vec<_>) =
        commits.into_iter().map(|commit| (commit.batch, commit.reply)).unzip();
    let sizes: Vec<usize> = batches.iter().map(Vec::len).collect();
    let result = state.guard(|| commit::commit(connection, batches.into_iter().flatten().collect()));
    state.transactions.fetch_add(1, Ordering::Relaxed);
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
