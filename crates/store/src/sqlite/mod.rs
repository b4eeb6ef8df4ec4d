//! The embedded default: one SQLite file, written by one thread, read by another.
//!
//! **Invariant:** WAL with `synchronous=FULL`: what is acknowledged survives a power cut.
//! **Invariant:** after a write that the disk failed, nothing is written until the file is opened anew.
//! **Invariant:** one runtime per file, held by an operating-system lock that dies with the process.

pub(crate) mod backup;
mod commit;
mod desk;
#[cfg(test)]
mod faults;
mod find;
mod forget;
mod lists;
mod load;
mod mail;
mod outbox;
mod people;
#[cfg(test)]
mod plans;
pub(crate) mod schema;
mod views;
mod work;
mod write;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tyer_engine::{InstanceId, ItemId, Timestamp};

use crate::error::Error;
use crate::filter::{InstanceFilter, InstancePlace, TaskFilter, TaskPlace};
use crate::mail::{Mailbox, Message, Post, Sought, StartEvent, Waiting};
use crate::outbox::{Delivered, Deliveries, Delivery, Outbox, Sink, Stream};
use crate::rows::{Claim, Claimed, Definition, Deployment, Loaded, NodeLease, Which, Woken};
use crate::tenant::Tenant;
use crate::turn::{Outcome, Turn, TurnKey};
use crate::upkeep::{ForgetPlace, Forgotten, Over, Upkeep};
use crate::views::{HistoryRow, ListedDefinition, ListedIncident, ListedInstance, OpenTask, Standing, Views};
use crate::{Answer, Store};
pub use backup::{backup, restore};
use desk::{Reader, Writer};

/// A store in one file.
pub struct Sqlite {
    writer: Writer,
    reader: Reader,
    path: PathBuf,
    // Held for as long as the store lives: a second runtime on the file is refused.
    _lock: File,
}

impl Sqlite {
    /// Opens the file, or makes it.
    pub fn open(path: impl AsRef<Path>) -> Result<Sqlite, Error> {
        let path = path.as_ref();
        let lock = lock(path)?;
        let mut connection = schema::connect(path)?;
        schema::writable(&connection, path)?;
        schema::migrate(&mut connection)?;
        let reader = Reader::start(schema::connect(path)?)?;
        let path = path.to_owned();
        Ok(Sqlite { writer: Writer::start(connection)?, reader, path, _lock: lock })
    }
}

fn lock(path: &Path) -> Result<File, Error> {
    let mut name = path.as_os_str().to_owned();
    name.push("-lock");
    let name = PathBuf::from(name);
    let file = File::create(&name)
        .map_err(|error| Error::Unavailable(format!("cannot create {}: {error}", name.display())))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::InUse(path.display().to_string())),
        Err(std::fs::TryLockError::Error(error)) => {
            Err(Error::Unavailable(format!("cannot lock {}: {error}", name.display())))
        }
    }
}

impl Store for Sqlite {
    fn commit(&self, batch: Vec<Turn>) -> Answer<'_, Vec<Outcome>> {
        self.writer.commit(batch)
    }

    fn settle(&self, turns: Vec<TurnKey>) -> Answer<'_, Vec<bool>> {
        self.writer.run(move |connection| commit::settle(connection, &turns))
    }

    fn load(&self, ids: Vec<InstanceId>) -> Answer<'_, Vec<Option<Loaded>>> {
        self.reader.run(move |connection| load::load(connection, &ids))
    }

    fn claim(&self, claim: Claim) -> Answer<'_, Vec<Claimed>> {
        self.writer.run(move |connection| work::claim(connection, &claim))
    }

    fn extend(&self, tenant: &Tenant, job: ItemId, lease: u32, until: Timestamp) -> Answer<'_, bool> {
        let tenant = tenant.clone();
        self.writer.run(move |connection| work::extend(connection, &tenant, job, lease, until))
    }

    fn wake(&self, now: Timestamp, limit: usize) -> Answer<'_, Woken> {
        Box::pin(async move {
            let woken = self.reader.run(move |connection| work::due(connection, now, limit)).await?;
            let freed = match woken.expired {
                true => self.writer.run(move |connection| work::expire(connection, now)).await?,
                false => Vec::new(),
            };
            if woken.messages_over {
                self.writer.run(move |connection| mail::forget_old(connection, now)).await?;
            }
            let work::DueNow { due, next, in_doubt, starts, letters, .. } = woken;
            Ok(Woken { due, next, freed, in_doubt, starts, letters, ready: Vec::new() })
        })
    }

    fn hold_node(&self, held: Option<NodeLease>, owner: &str, now: Timestamp) -> Answer<'_, NodeLease> {
        let owner = owner.to_owned();
        self.writer.run(move |connection| work::hold_node(connection, held, &owner, now))
    }

    fn deploy(&self, deployment: Deployment) -> Answer<'_, Vec<Definition>> {
        self.writer.run(move |connection| views::deploy(connection, &deployment))
    }
}

impl Mailbox for Sqlite {
    fn post(&self, posts: Vec<Post>) -> Answer<'_, Vec<bool>> {
        self.writer.post(posts)
    }

    fn waiting(&self, sought: Sought, limit: usize) -> Answer<'_, Vec<Waiting>> {
        self.reader.run(move |connection| mail::waiting(connection, &sought, limit))
    }

    fn start_events(&self, tenant: &Tenant, message: bool, name: &str) -> Answer<'_, Vec<StartEvent>> {
        let (tenant, name) = (tenant.clone(), name.to_owned());
        self.reader.run(move |connection| mail::start_events(connection, &tenant, message, &name))
    }

    fn buffered(
        &self,
        tenant: &Tenant,
        name: &str,
        key: Option<&str>,
        taker: &str,
        now: Timestamp,
        limit: usize,
    ) -> Answer<'_, Vec<Message>> {
        let (name, key, taker) = (name.to_owned(), key.map(str::to_owned), taker.to_owned());
        let tenant = tenant.clone();
        self.reader.run(move |connection| {
            mail::buffered(connection, &tenant, &name, key.as_deref(), &taker, now, limit)
        })
    }
}

impl Outbox for Sqlite {
    fn keep_sink(&self, sink: Sink) -> Answer<'_, bool> {
        self.writer.run(move |connection| outbox::keep_sink(connection, &sink))
    }

    fn drop_sink(&self, name: &str) -> Answer<'_, bool> {
        let name = name.to_owned();
        self.writer.run(move |connection| outbox::drop_sink(connection, &name))
    }

    fn sinks(&self) -> Answer<'_, Vec<Sink>> {
        self.reader.run(outbox::sinks)
    }

    fn take_deliveries(
        &self,
        sink: &str,
        now: Timestamp,
        until: Timestamp,
        limit: usize,
    ) -> Answer<'_, Deliveries> {
        let sink = Arc::from(sink);
        self.writer.run(move |connection| outbox::take(connection, &sink, now, until, limit))
    }

    fn mark(&self, outcomes: Vec<(Delivery, Delivered)>, now: Timestamp) -> Answer<'_, Vec<bool>> {
        self.writer.run(move |connection| outbox::mark(connection, &outcomes, now))
    }

    fn dead_streams(&self, sink: &str, after: InstanceId, limit: usize) -> Answer<'_, Vec<Stream>> {
        let sink = Arc::from(sink);
        self.reader.run(move |connection| outbox::dead_streams(connection, &sink, after, limit))
    }

    fn redeliver(&self, sink: &str, instance: Option<InstanceId>, now: Timestamp) -> Answer<'_, u64> {
        let sink = sink.to_owned();
        self.writer.run(move |connection| outbox::redeliver(connection, &sink, instance, now))
    }
}

impl Views for Sqlite {
    fn definition(&self, id: i64) -> Answer<'_, Option<Arc<Definition>>> {
        self.reader.run(move |connection| views::definition(connection, id))
    }

    fn version(&self, tenant: &Tenant, key: &str, which: Which) -> Answer<'_, Option<i64>> {
        let (tenant, key) = (tenant.clone(), key.to_owned());
        self.reader.run(move |connection| views::version(connection, &tenant, &key, &which))
    }

    fn instances(
        &self,
        tenant: Option<&Tenant>,
        called_by: Option<InstanceId>,
        after: InstanceId,
        limit: usize,
    ) -> Answer<'_, Vec<ListedInstance>> {
        let tenant = tenant.cloned();
        self.reader
            .run(move |connection| views::instances(connection, tenant.as_ref(), called_by, after, limit))
    }

    fn history(
        &self,
        tenant: &Tenant,
        instance: InstanceId,
        after: u64,
        limit: usize,
    ) -> Answer<'_, Vec<HistoryRow>> {
        let tenant = tenant.clone();
        self.reader.run(move |connection| views::history(connection, &tenant, instance, after, limit))
    }

    fn find_instances(
        &self,
        filter: InstanceFilter,
        after: Option<InstancePlace>,
        limit: usize,
    ) -> Answer<'_, Vec<ListedInstance>> {
        self.reader.run(move |connection| find::instances(connection, &filter, after, limit))
    }

    fn count_instances(&self, filter: InstanceFilter) -> Answer<'_, u64> {
        self.reader.run(move |connection| find::count(connection, &filter))
    }

    fn tasks(&self, filter: TaskFilter, after: Option<TaskPlace>, limit: usize) -> Answer<'_, Vec<OpenTask>> {
        self.reader.run(move |connection| people::tasks(connection, &filter, after, limit))
    }

    fn incidents(
        &self,
        tenant: &Tenant,
        instance: Option<InstanceId>,
        below: Option<ItemId>,
        limit: usize,
    ) -> Answer<'_, Vec<ListedIncident>> {
        let tenant = tenant.clone();
        self.reader.run(move |connection| lists::incidents(connection, &tenant, instance, below, limit))
    }

    fn unmatched(
        &self,
        tenant: &Tenant,
        below: Option<i64>,
        now: Timestamp,
        limit: usize,
    ) -> Answer<'_, Vec<Message>> {
        let tenant = tenant.clone();
        self.reader.run(move |connection| lists::unmatched(connection, &tenant, below, now, limit))
    }

    fn definitions(&self, tenant: &Tenant, key: Option<&str>) -> Answer<'_, Vec<ListedDefinition>> {
        let (tenant, key) = (tenant.clone(), key.map(str::to_owned));
        self.reader.run(move |connection| lists::definitions(connection, &tenant, key.as_deref()))
    }

    fn standing(&self, definition: i64) -> Answer<'_, Vec<Standing>> {
        self.reader.run(move |connection| lists::standing(connection, definition))
    }
}

/// A number of rows as SQLite counts them: all there can be, when it is more.
fn at_most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

impl Upkeep for Sqlite {
    fn backup(&self, target: PathBuf) -> Answer<'_, ()> {
        let (path, (reply, answer)) = (self.path.clone(), futures_channel::oneshot::channel());
        // A thread of its own: neither who writes nor who reads waits for it.
        let copying = move || drop(reply.send(backup(&path, &target)));
        let started = std::thread::Builder::new().name("tyer-backup".to_owned()).spawn(copying);
        Box::pin(async move {
            started.map_err(|error| Error::Unavailable(format!("cannot start a thread: {error}")))?;
            answer.await.unwrap_or_else(|_| Err(Error::Unavailable("the backup was given up".to_owned())))
        })
    }

    fn forget(&self, over: Over, after: Option<ForgetPlace>, limit: usize) -> Answer<'_, Forgotten> {
        self.writer.run(move |connection| forget::forget(connection, &over, after, limit))
    }

    fn transactions(&self) -> Option<u64> {
        Some(self.writer.transactions())
    }
}

/// SQLite's complaint, by what it means for us.
pub(crate) fn complaint(error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode;
    let text = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig | ErrorCode::TypeMismatch) => {
            Error::Refused(text)
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Error::Damaged(format!("{text}: restore a backup"))
        }
        Some(ErrorCode::SystemIoFailure) => Error::DiskFailed(format!("SQLite: {text}")),
        Some(code) => Error::Unavailable(format!("SQLite: {text}{}", remedy(code))),
        None => Error::Damaged(text),
    }
}

/// What whoever reads the message can do about it.
fn remedy(code: rusqlite::ErrorCode) -> &'static str {
    use rusqlite::ErrorCode;
    if code == ErrorCode::DiskFull {
        ": make room on the disk, and work goes on"
    } else if code == ErrorCode::ReadOnly {
        ": give this user the right to write the file and its folder"
    } else {
        ""
    }
}
