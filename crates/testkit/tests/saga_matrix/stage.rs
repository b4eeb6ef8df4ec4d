//! Plays a case on the runtime, in an engine that dies at a write, and in the next one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;
use tyer_engine::{Instance, InstanceId};
use tyer_model::Process;
use tyer_runtime::{Engine, TestClock};
use tyer_store::intercept::Intercepted;
use tyer_store::memory::Memory;
use tyer_store::{Error as StoreError, Mailbox, Store, Views, restore};
use tyer_testkit::Script;

use crate::Case;
use crate::people::{Ended, People};
use crate::rules;

/// Every instance with its process.
pub(crate) type All = BTreeMap<InstanceId, (Arc<Process>, Instance)>;

/// Runs a case; dies at this write, if any, before or after it is written. Gives back how many writes there were.
pub(crate) fn run(script: &Script, case: &Case, crash: Option<(u64, bool)>) -> Result<u64, String> {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let tokio = tokio.map_err(|error| error.to_string())?;
    let world = Arc::new(World {
        memory: Arc::default(),
        clock: TestClock::default(),
        writes: AtomicU64::new(0),
        died: Notify::new(),
    });
    let mut people = People::new(script, case);
    let first = tokio.block_on(async {
        let engine = world.open(crash).await?;
        engine.deploy(&script.bpmn).await.map_err(|error| error.to_string())?;
        // Whoever waits for a store that is gone would wait long.
        Ok::<_, String>(tokio::select! {
            biased;
            () = world.died.notified() => Err(Ended::Dead),
            lived = people.live(&engine, &world) => lived,
        })
    })?;
    let Err(Ended::Dead) = first else {
        let judged = first.map_err(|ended| ended.to_string());
        return judged.and_then(|()| tokio.block_on(rules::judge(script, &world))).map(|()| world.written());
    };
    // What the dead engine still ran is gone with its runtime.
    drop(tokio);
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build();
    tokio.map_err(|error| error.to_string())?.block_on(async {
        let engine = world.open(None).await?;
        people.live(&engine, &world).await.map_err(|ended| ended.to_string())?;
        rules::judge(script, &world).await
    })?;
    Ok(world.written())
}

/// What outlives an engine.
pub(crate) struct World {
    pub(crate) memory: Arc<Memory>,
    pub(crate) clock: TestClock,
    writes: AtomicU64,
    died: Notify,
}

impl World {
    fn written(&self) -> u64 {
        self.writes.load(Ordering::SeqCst)
    }

    /// An engine that dies at this write, or never.
    async fn open(self: &Arc<World>, crash: Option<(u64, bool)>) -> Result<Engine, String> {
        let (commits, posts) = (Arc::clone(self), Arc::clone(self));
        let store = Intercepted::writes(
            Arc::clone(&self.memory),
            move |store, batch| {
                let fate = commits.fate(crash);
                Box::pin(async move {
                    let answer = if fate == Fate::Dead { Err(gone()) } else { store.commit(batch).await };
                    if fate == Fate::LastWords { Err(gone()) } else { answer }
                })
            },
            move |store, batch| {
                let fate = posts.fate(crash);
                Box::pin(async move {
                    let answer = if fate == Fate::Dead { Err(gone()) } else { store.post(batch).await };
                    if fate == Fate::LastWords { Err(gone()) } else { answer }
                })
            },
        );
        let opened = Engine::builder().tracks(1).clock(&self.clock).on(Arc::new(store), false).await;
        opened.map_err(|error| error.to_string())
    }

    fn fate(&self, crash: Option<(u64, bool)>) -> Fate {
        let write = self.writes.fetch_add(1, Ordering::SeqCst);
        if crash.is_some_and(|(at, _)| write >= at) {
            self.died.notify_one();
        }
        match crash {
            Some((at, true)) if write == at => Fate::LastWords,
            Some((at, _)) if write >= at => Fate::Dead,
            Some(_) | None => Fate::Well,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Well,
    /// Written, and nobody hears of it.
    LastWords,
    Dead,
}

/// Not worth another try: the engine gives up at once.
fn gone() -> StoreError {
    StoreError::Damaged("the power is off".to_owned())
}

/// Every stored instance, read past the engine.
pub(crate) async fn all(world: &World, script: &Script) -> Result<All, String> {
    let (memory, mut all) = (&world.memory, BTreeMap::new());
    let listed =
        memory.instances(None, None, InstanceId(0), 1_000).await.map_err(|error| error.to_string())?;
    let ids = listed.into_iter().map(|listed| listed.id).collect();
    for loaded in memory.load(ids).await.map_err(|error| error.to_string())?.into_iter().flatten() {
        let definition =
            memory.definition(loaded.instance.definition).await.map_err(|error| error.to_string())?;
        let key = definition.map(|definition| definition.key.clone()).unwrap_or_default();
        let process = script.processes.iter().find(|process| process.id == key);
        let process =
            process.ok_or_else(|| format!("an instance is of `{key}`, which is not in the file"))?;
        let (instance, _) = restore(process, loaded).map_err(|error| error.to_string())?;
        all.insert(instance.id, (Arc::clone(process), instance));
    }
    Ok(all)
}
