//! Two threads, each with its own connection: work is handed in by message and answered by message.
//!
//! **Invariant:** commits that wait together are written together: one transaction, one fsync. So are letters.
//! **Invariant:** once the disk has failed the one who writes, it writes nothing more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;

use futures_channel::oneshot;
use rusqlite::Connection;

use crate::Answer;
use crate::error::Error;
use crate::mail::Post;
use crate::sqlite::{commit, mail};
use crate::turn::{Outcome, Turn};

type Task = Box<dyn FnOnce(&mut Connection) + Send>;

enum Request {
    Commit(Commit),
    Post(Posting),
    Run(Task),
}

struct Posting {
    posts: Vec<Post>,
    reply: oneshot::Sender<Result<Vec<bool>, Error>>,
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
        self.has_not_failed()?;
        let done = work();
        if let Err(error) = &done {
            self.note(error);
        }
        done
    }

    fn has_not_failed(&self) -> Result<(), Error> {
        self.failed.get().map_or(Ok(()), |how| Err(Error::DiskFailed(how.clone())))
    }

    fn note(&self, error: &Error) {
        if let Error::DiskFailed(how) = error {
            tracing::error!(how, "the disk failed: nothing is written until the file is opened anew");
            // Who fails first says how.
            let _ = self.failed.set(how.clone());
        }
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

    pub(super) fn post(&self, posts: Vec<Post>) -> Answer<'_, Vec<bool>> {
        let (reply, answer) = oneshot::channel();
        let sent = self.send(Request::Post(Posting { posts, reply }));
        Box::pin(
            async move { if sent { answer.await.unwrap_or_else(|_| Err(closed())) } else { Err(closed()) } },
        )
    }

    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, Error> + Send + 'static,
    ) -> Answer<'_, T> {
        let state = Arc::clone(&self.state);
        hand_in(
            move |connection: &mut Connection| state.guard(|| work(connection)),
            |task| self.send(Request::Run(task)),
        )
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
        hand_in(work, |task| self.tasks.as_ref().is_some_and(|tasks| tasks.send(task).is_ok()))
    }
}

/// What waits together.
#[derive(Default)]
struct Group {
    commits: Vec<Commit>,
    postings: Vec<Posting>,
}

impl Group {
    /// Takes all that waits, or the first alone; another task ends the group and is given back.
    fn gather(&mut self, first: Request, requests: &Receiver<Request>, alone: bool) -> Option<Task> {
        let mut next = Some(first);
        while let Some(request) = next {
            match request {
                Request::Commit(commit) => self.commits.push(commit),
                Request::Post(posting) => self.postings.push(posting),
                Request::Run(task) => return Some(task),
            }
            next = if alone { None } else { requests.try_recv().ok() };
        }
        None
    }
}

fn write_all(connection: &mut Connection, requests: &Receiver<Request>, state: &State) {
    // Turns of a transaction that was refused are tried one by one: until then nothing is written together.
    let mut apart: usize = 0;
    while let Ok(first) = requests.recv() {
        let mut group = Group::default();
        let task = group.gather(first, requests, apart > 0);
        if !group.commits.is_empty() {
            let turns: usize = group.commits.iter().map(|commit| commit.batch.len()).sum();
            apart = match commit_together(connection, group.commits, state) {
                Err(Error::Refused(_)) if turns > 1 => turns,
                _ => apart.saturating_sub(turns),
            };
        }
        post_together(connection, group.postings, state);
        if let Some(task) = task {
            task(connection);
        }
    }
}

fn post_together(connection: &mut Connection, postings: Vec<Posting>, state: &State) {
    let all: Vec<&Post> = postings.iter().flat_map(|posting| &posting.posts).collect();
    let mut together = if postings.len() > 1 {
        state.guard(|| mail::post(connection, &all)).map(Vec::into_iter).ok()
    } else {
        None
    };
    for Posting { posts, reply } in postings {
        let own = match &mut together {
            Some(posted) => Ok(posted.by_ref().take(posts.len()).collect()),
            // There is only one, or they were refused together: whose fault it was shows when each is alone.
            None => state.guard(|| mail::post(connection, &posts.iter().collect::<Vec<_>>())),
        };
        // Whoever asked may have gone away.
        let _ = reply.send(own);
    }
}

fn commit_together(connection: &mut Connection, commits: Vec<Commit>, state: &State) -> Result<(), Error> {
    let (batches, replies): (Vec<_>, Vec<_>) =
        commits.into_iter().map(|commit| (commit.batch, commit.reply)).unzip();
    let sizes: Vec<usize> = batches.iter().map(Vec::len).collect();
    let result = state.guard(|| commit::commit(connection, in_one(batches, sizes.iter().sum())));
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

/// So many turns, in order. What is long is not made longer bit by bit: the allocator has fresh memory for each length.
fn in_one(batches: Vec<Vec<Turn>>, count: usize) -> Vec<Turn> {
    let mut batches = batches.into_iter();
    let mut all = batches.next().unwrap_or_default();
    all.reserve_exact(count - all.len());
    batches.for_each(|batch| all.extend(batch));
    all
}

/// Hands in work as a task. What it answers lies in a place of its own, and the message says only that it does: a
/// channel for each kind of answer is much to compile.
fn hand_in<'a, T: Send + 'static>(
    work: impl FnOnce(&mut Connection) -> Result<T, Error> + Send + 'static,
    send: impl FnOnce(Task) -> bool,
) -> Answer<'a, T> {
    let place = Arc::new(Mutex::new(None));
    let theirs = Arc::clone(&place);
    let (done, heard) = oneshot::channel::<()>();
    let sent = send(Box::new(move |connection: &mut Connection| {
        *theirs.lock().expect("nobody panics with the answer") = Some(work(connection));
        // Whoever asked may have gone away.
        let _ = done.send(());
    }));
    Box::pin(async move {
        let answered = sent && heard.await.is_ok();
        let answer = place.lock().expect("nobody panics with the answer").take();
        answer.filter(|_| answered).unwrap_or_else(|| Err(closed()))
    })
}

fn closed() -> Error {
    Error::Unavailable("the SQLite thread has stopped".to_owned())
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Error> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.map_err(|error| Error::Unavailable(format!("cannot start a thread: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post() -> Request {
        Request::Post(Posting { posts: Vec::new(), reply: oneshot::channel().0 })
    }

    fn commit() -> Request {
        Request::Commit(Commit { batch: Vec::new(), reply: oneshot::channel().0 })
    }

    #[test]
    fn what_waits_together_is_one_group_up_to_another_task() {
        let (sender, requests) = channel();
        for request in [commit(), post(), Request::Run(Box::new(|_| ())), commit()] {
            sender.send(request).expect("somebody receives");
        }
        let mut group = Group::default();
        assert!(group.gather(post(), &requests, false).is_some(), "the task is given back");
        assert_eq!((group.commits.len(), group.postings.len()), (1, 2));
        let mut alone = Group::default();
        assert!(alone.gather(post(), &requests, true).is_none());
        assert_eq!((alone.commits.len(), alone.postings.len()), (0, 1));
        assert!(
            matches!(requests.try_recv(), Ok(Request::Commit(_))),
            "what came after the task still waits"
        );
    }
}
