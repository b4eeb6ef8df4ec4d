//! One PostgreSQL, shared by any number of equal nodes.
//!
//! Runs on tokio. Connections are not encrypted yet: keep the database on a network you trust.
//!
//! **Invariant:** nodes meet only in compare-and-swap and in numbered leases; a foreign lock never stalls a batch.
//! **Invariant:** what the answer calls committed was committed with `synchronous_commit` on.

#[cfg(feature = "sqlite")]
mod backup;
mod check;
mod commit;
mod connection;
mod find;
mod forget;
mod glance;
mod lists;
mod load;
mod mail;
mod node;
mod outbox;
mod people;
#[cfg(test)]
mod plans;
mod pool;
mod posting;
mod schema;
mod views;
mod work;
mod write;

use std::path::PathBuf;
use std::sync::Arc;

use tokio_postgres::error::SqlState;
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
use node::Lives;
use pool::Pool;
use posting::LetterBox;

/// A store in a PostgreSQL database.
pub struct Postgres {
    pool: Pool,
    lives: Lives,
    letters: LetterBox,
}

impl Postgres {
    /// Connects (`postgres://user:password@host:port/database`) and brings the tables to the version that this program
    /// knows. At most so many connections are open at a time; each carries one transaction.
    ///
    /// # Errors
    /// The server is not there, refuses us, or holds data of a newer program.
    pub async fn connect(url: &str, connections: usize) -> Result<Postgres, Error> {
        let pool = Pool::new(url, connections)?;
        schema::migrate(&pool).await?;
        Ok(Postgres { pool, lives: Lives::default(), letters: LetterBox::default() })
    }
}

/// Fills an empty database from a backup, of whichever store.
///
/// # Errors
/// The database is not empty, the backup is not whole, or it is of another version.
#[cfg(feature = "sqlite")]
pub async fn restore(backup: &std::path::Path, url: &str) -> Result<(), Error> {
    let pool = Pool::new(url, 1)?;
    schema::migrate(&pool).await?;
    backup::restore(&pool, backup).await
}

impl Upkeep for Postgres {
    #[cfg(feature = "sqlite")]
    fn backup(&self, target: PathBuf) -> Answer<'_, ()> {
        Box::pin(async move { backup::backup(&self.pool, &target).await })
    }

    #[cfg(not(feature = "sqlite"))]
    fn backup(&self, _target: PathBuf) -> Answer<'_, ()> {
        let needs = "a backup is a SQLite file: build this program with the feature `sqlite`";
        Box::pin(std::future::ready(Err(Error::Refused(needs.to_owned()))))
    }

    fn forget(&self, over: Over, after: Option<ForgetPlace>, limit: usize) -> Answer<'_, Forgotten> {
        Box::pin(async move { forget::forget(&self.pool, &over, after, limit).await })
    }
}

impl Store for Postgres {
    fn commit(&self, batch: Vec<Turn>) -> Answer<'_, Vec<Outcome>> {
        Box::pin(commit::commit(&self.pool, &self.lives, batch))
    }

    fn settle(&self, turns: Vec<TurnKey>) -> Answer<'_, Vec<bool>> {
        Box::pin(async move { commit::settle(&self.pool, &turns).await })
    }

    fn load(&self, ids: Vec<InstanceId>) -> Answer<'_, Vec<Option<Loaded>>> {
        Box::pin(async move { load::load(&self.pool, &ids).await })
    }

    fn claim(&self, claim: Claim) -> Answer<'_, Vec<Claimed>> {
        Box::pin(async move { work::claim(&self.pool, &self.lives, &claim).await })
    }

    fn extend(&self, tenant: &Tenant, job: ItemId, lease: u32, until: Timestamp) -> Answer<'_, bool> {
        let tenant = tenant.clone();
        Box::pin(async move { work::extend(&self.pool, &tenant, job, lease, until).await })
    }

    fn wake(&self, now: Timestamp, limit: usize) -> Answer<'_, Woken> {
        Box::pin(work::wake(&self.pool, now, limit))
    }

    fn hold_node(&self, held: Option<NodeLease>, owner: &str, now: Timestamp) -> Answer<'_, NodeLease> {
        let owner = owner.to_owned();
        Box::pin(async move { node::hold(&self.pool, &self.lives, held, &owner, now).await })
    }

    fn deploy(&self, deployment: Deployment) -> Answer<'_, Vec<Definition>> {
        Box::pin(async move { views::deploy(&self.pool, &deployment).await })
    }
}

impl Mailbox for Postgres {
    fn post(&self, posts: Vec<Post>) -> Answer<'_, Vec<bool>> {
        Box::pin(async move {
            match &posts[..] {
                [one] if posting::goes_with_others(one) => {
                    self.letters.post(&self.pool, one).await.map(|posted| vec![posted])
                }
                _ => mail::post(&self.pool, &posts).await,
            }
        })
    }

    fn waiting(&self, sought: Sought, limit: usize) -> Answer<'_, Vec<Waiting>> {
        Box::pin(async move { mail::waiting(&self.pool, &sought, limit).await })
    }

    fn start_events(&self, tenant: &Tenant, message: bool, name: &str) -> Answer<'_, Vec<StartEvent>> {
        let (tenant, name) = (tenant.clone(), name.to_owned());
        Box::pin(async move { mail::start_events(&self.pool, &tenant, message, &name).await })
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
        Box::pin(async move {
            mail::buffered(&self.pool, &tenant, &name, key.as_deref(), &taker, now, limit).await
        })
    }
}

impl Outbox for Postgres {
    fn keep_sink(&self, sink: Sink) -> Answer<'_, bool> {
        Box::pin(async move { outbox::keep_sink(&self.pool, &sink).await })
    }

    fn drop_sink(&self, name: &str) -> Answer<'_, bool> {
        let name = name.to_owned();
        Box::pin(async move { outbox::drop_sink(&self.pool, &name).await })
    }

    fn sinks(&self) -> Answer<'_, Vec<Sink>> {
        Box::pin(outbox::sinks(&self.pool))
    }

    fn take_deliveries(
        &self,
        sink: &str,
        now: Timestamp,
        until: Timestamp,
        limit: usize,
    ) -> Answer<'_, Deliveries> {
        let sink = Arc::from(sink);
        Box::pin(async move { outbox::take(&self.pool, &sink, now, until, limit).await })
    }

    fn mark(&self, outcomes: Vec<(Delivery, Delivered)>, now: Timestamp) -> Answer<'_, Vec<bool>> {
        Box::pin(async move { outbox::mark(&self.pool, &outcomes, now).await })
    }

    fn dead_streams(&self, sink: &str, after: InstanceId, limit: usize) -> Answer<'_, Vec<Stream>> {
        let sink = Arc::from(sink);
        Box::pin(async move { outbox::dead_streams(&self.pool, &sink, after, limit).await })
    }

    fn redeliver(&self, sink: &str, instance: Option<InstanceId>, now: Timestamp) -> Answer<'_, u64> {
        let sink = sink.to_owned();
        Box::pin(async move { outbox::redeliver(&self.pool, &sink, instance, now).await })
    }
}

impl Views for Postgres {
    fn definition(&self, id: i64) -> Answer<'_, Option<Arc<Definition>>> {
        Box::pin(views::definition(&self.pool, id))
    }

    fn version(&self, tenant: &Tenant, key: &str, which: Which) -> Answer<'_, Option<i64>> {
        let (tenant, key) = (tenant.clone(), key.to_owned());
        Box::pin(async move { views::version(&self.pool, &tenant, &key, &which).await })
    }

    fn instances(
        &self,
        tenant: Option<&Tenant>,
        called_by: Option<InstanceId>,
        after: InstanceId,
        limit: usize,
    ) -> Answer<'_, Vec<ListedInstance>> {
        let tenant = tenant.cloned();
        Box::pin(async move { views::instances(&self.pool, tenant.as_ref(), called_by, after, limit).await })
    }

    fn history(
        &self,
        tenant: &Tenant,
        instance: InstanceId,
        after: u64,
        limit: usize,
    ) -> Answer<'_, Vec<HistoryRow>> {
        let tenant = tenant.clone();
        Box::pin(async move { views::history(&self.pool, &tenant, instance, after, limit).await })
    }

    fn find_instances(
        &self,
        filter: InstanceFilter,
        after: Option<InstancePlace>,
        limit: usize,
    ) -> Answer<'_, Vec<ListedInstance>> {
        Box::pin(async move { find::instances(&self.pool, &filter, after, limit).await })
    }

    fn count_instances(&self, filter: InstanceFilter) -> Answer<'_, u64> {
        Box::pin(async move { find::count(&self.pool, &filter).await })
    }

    fn tasks(&self, filter: TaskFilter, after: Option<TaskPlace>, limit: usize) -> Answer<'_, Vec<OpenTask>> {
        Box::pin(async move { people::tasks(&self.pool, &filter, after, limit).await })
    }

    fn incidents(
        &self,
        tenant: &Tenant,
        instance: Option<InstanceId>,
        below: Option<ItemId>,
        limit: usize,
    ) -> Answer<'_, Vec<ListedIncident>> {
        let tenant = tenant.clone();
        Box::pin(async move { lists::incidents(&self.pool, &tenant, instance, below, limit).await })
    }

    fn unmatched(
        &self,
        tenant: &Tenant,
        below: Option<i64>,
        now: Timestamp,
        limit: usize,
    ) -> Answer<'_, Vec<Message>> {
        let tenant = tenant.clone();
        Box::pin(async move { lists::unmatched(&self.pool, &tenant, below, now, limit).await })
    }

    fn definitions(&self, tenant: &Tenant, key: Option<&str>) -> Answer<'_, Vec<ListedDefinition>> {
        let (tenant, key) = (tenant.clone(), key.map(str::to_owned));
        Box::pin(async move { lists::definitions(&self.pool, &tenant, key.as_deref()).await })
    }

    fn standing(&self, definition: i64) -> Answer<'_, Vec<Standing>> {
        Box::pin(lists::standing(&self.pool, definition))
    }
}

/// What whoever reads the message can do about it.
fn remedy(code: &SqlState) -> &'static str {
    let known = [
        (SqlState::TOO_MANY_CONNECTIONS, ": raise max_connections, or give each node fewer"),
        (SqlState::DISK_FULL, ": make room on the server's disk, and work goes on"),
        (SqlState::READ_ONLY_SQL_TRANSACTION, ": this is a standby, name the server that takes writes"),
        (
            SqlState::INSUFFICIENT_PRIVILEGE,
            ": give this user the right to create and write tables in its schema",
        ),
    ];
    known.into_iter().find(|(known, _)| known == code).map_or("", |(_, remedy)| remedy)
}

/// PostgreSQL's complaint, by what it means for us. For everything but `COMMIT`: nothing was written.
fn complaint(error: tokio_postgres::Error) -> Error {
    let Some(database) = error.as_db_error() else {
        let reason = std::error::Error::source(&error).map(|source| format!(": {source}"));
        return Error::Unavailable(format!("PostgreSQL: {error}{}", reason.unwrap_or_default()));
    };
    let code = database.code();
    let text = format!("PostgreSQL: {} ({}){}", database.message(), code.code(), remedy(code));
    // https://www.postgresql.org/docs/current/errcodes-appendix.html
    match &code.code()[..2] {
        "22" | "23" | "42" => Error::Refused(text),
        "XX" if [SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED].contains(code) => Error::Damaged(text),
        _ => Error::Unavailable(text),
    }
}
