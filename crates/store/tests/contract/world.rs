//! A store of each kind, fresh for every test, and nodes that share it.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use tyer_store::memory::Memory;
use tyer_store::sqlite::Sqlite;
use tyer_store::{Mailbox, Outbox, Store, Upkeep, Views};

use crate::play::fresh_id;

/// What every implementation is.
pub(crate) trait AnyStore: Store + Mailbox + Outbox + Views + Upkeep {}
impl<T: Store + Mailbox + Outbox + Views + Upkeep> AnyStore for T {}

/// Where the nodes of one test meet.
pub(crate) struct World {
    first: Arc<dyn AnyStore>,
    place: Place,
}

enum Place {
    Memory,
    File,
    #[cfg(feature = "postgres")]
    Schema(crate::postgres_world::Schema),
}

impl World {
    /// The first node's store.
    pub(crate) fn store(&self) -> Arc<dyn AnyStore> {
        Arc::clone(&self.first)
    }

    /// Another node: with PostgreSQL its own connections, otherwise the same store, as the same process has it.
    pub(crate) async fn another_node(&self) -> Arc<dyn AnyStore> {
        match &self.place {
            Place::Memory | Place::File => self.store(),
            #[cfg(feature = "postgres")]
            Place::Schema(schema) => Arc::new(schema.connect(&schema.url, 8).await),
        }
    }

    /// Lets the leases of all nodes run out; says how far the store's clock must go for that.
    pub(crate) async fn kill_nodes(&self) -> i64 {
        match &self.place {
            Place::Memory | Place::File => {}
            #[cfg(feature = "postgres")]
            Place::Schema(schema) => {
                schema.run("UPDATE node SET until = 1, high_water = 1 WHERE owner IS NOT NULL").await
            }
        }
        60_000
    }

    /// Does it outlive the process?
    pub(crate) fn is_durable(&self) -> bool {
        !matches!(self.place, Place::Memory)
    }

    /// Does the store lease one number per node? The file has one node, by its lock.
    pub(crate) fn leases_numbers(&self) -> bool {
        !matches!(self.place, Place::File)
    }
}

pub(crate) fn on_memory<F: Future<Output = ()>>(case: impl FnOnce(Arc<World>) -> F) {
    run(async { case(Arc::new(World { first: Arc::new(Memory::default()), place: Place::Memory })).await });
}

pub(crate) fn on_sqlite<F: Future<Output = ()>>(case: impl FnOnce(Arc<World>) -> F) {
    let folder = folder();
    let first = Arc::new(Sqlite::open(folder.join("tyer.db")).expect("opens"));
    run(async { case(Arc::new(World { first, place: Place::File })).await });
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}

#[cfg(feature = "postgres")]
pub(crate) fn on_postgres<F: Future<Output = ()>>(case: impl FnOnce(Arc<World>) -> F) {
    run(async {
        let schema = crate::postgres_world::Schema::create().await;
        let first = Arc::new(schema.connect(&schema.url, 8).await);
        let world = Arc::new(World { first, place: Place::Schema(schema) });
        case(Arc::clone(&world)).await;
        if let Place::Schema(schema) = &world.place {
            schema.drop_all().await;
        }
    });
}

pub(crate) fn run(case: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(case);
}

/// A folder of one's own under the place for temporary files.
pub(crate) fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tyer-store-{}-{}", std::process::id(), fresh_id()));
    std::fs::create_dir_all(&folder).expect("the place for temporary files is writable");
    folder
}
