//! Records the rows that one instance of a workload writes, so that the floor program can write exactly the same.
//!
//! The engine works on a SQLite file whose tables have triggers that write down every row that is inserted, updated or
//! deleted. Turns are committed one at a time, so that it is known what belongs to which.
//!
//! **Invariant:** what is recorded is what the store wrote, not what the engine meant to write.

mod notebook;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use tyer_runtime::Engine;
use tyer_store::Store;
use tyer_store::intercept::Intercepted;
use tyer_store::sqlite::Sqlite;

use crate::floor::rows::Commit;
use crate::workload::{Driver, Steps, Workload};
use notebook::Notebook;

/// What one instance writes, commit by commit.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    pub(crate) commits: Vec<Commit>,
}

impl Recording {
    /// Turns of an instance.
    pub(crate) fn turns(&self) -> u64 {
        self.commits.iter().map(|commit| commit.turns).sum()
    }

    /// Rows inserted, updated or deleted.
    pub(crate) fn row_changes(&self) -> usize {
        self.commits.iter().map(|commit| commit.changes.len()).sum()
    }
}

/// One instance of a workload, on a file of its own.
pub(crate) async fn record(workload: &Workload, file: &Path) -> Result<Recording> {
    let store = Arc::new(Sqlite::open(file)?);
    let notebook = Arc::new(Mutex::new(Notebook::open(file)?));
    let (turns, posts) = (Arc::clone(&notebook), Arc::clone(&notebook));
    let recorder = Intercepted::writes(
        store,
        move |store, batch| {
            let notebook = Arc::clone(&turns);
            Box::pin(async move {
                let mut outcomes = Vec::new();
                for turn in batch {
                    outcomes.extend(store.commit(vec![turn]).await?);
                    notebook.lock().unwrap_or_else(PoisonError::into_inner).end_of_commit(1);
                }
                Ok(outcomes)
            })
        },
        move |store, batch| {
            let notebook = Arc::clone(&posts);
            Box::pin(async move {
                let posted = tyer_store::Mailbox::post(&*store, batch).await?;
                notebook.lock().unwrap_or_else(PoisonError::into_inner).end_of_commit(0);
                Ok(posted)
            })
        },
    );
    let engine = Engine::builder().tracks(1).on(Arc::new(recorder), false).await?;
    let driver = Driver::new(&engine, workload, 1, Steps::some()).await?;
    // The first instance meets workers that still look for old jobs; the second is as all others.
    driver.run(1).await?;
    notebook.lock().unwrap_or_else(PoisonError::into_inner).begin()?;
    driver.run(1).await?;
    drop(driver);
    engine.shutdown().await;
    let notebook = notebook.lock().unwrap_or_else(PoisonError::into_inner);
    notebook.recording().with_context(|| format!("the recording of {}", workload.name))
}
