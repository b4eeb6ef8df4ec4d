//! Sinks: told of every turn at least once, in order, whatever fails in between.

#[cfg(feature = "postgres")]
mod nodes;
mod subscribers;
#[cfg(feature = "webhooks")]
mod webhooks;
#[cfg(feature = "webhooks")]
mod website;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tyer_runtime::{Engine, InstanceId, Job, Told};

/// Start, two jobs, an end: three turns.
pub(crate) const ORDER: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:tyer="urn:tyer:bpmn:1">
  <process id="order" isExecutable="true" tyer:masked="card">
    <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="pay"/>
    <serviceTask id="pay"><extensionElements><tyer:job type="work"/></extensionElements></serviceTask>
    <sequenceFlow id="b" sourceRef="pay" targetRef="send"/>
    <serviceTask id="send"><extensionElements><tyer:job type="work"/></extensionElements></serviceTask>
    <sequenceFlow id="c" sourceRef="send" targetRef="end"/><endEvent id="end"/>
  </process></definitions>"#;

/// What has arrived: of each instance the numbers of its events, in the order in which they came.
#[derive(Clone, Default)]
pub(crate) struct Arrived(Arc<Mutex<BTreeMap<InstanceId, Vec<u64>>>>);

impl Arrived {
    pub(crate) fn note(&self, told: &Told) {
        let mut arrived = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        arrived.entry(told.instance).or_default().extend(told.events.iter().map(|event| event.seq));
    }

    pub(crate) fn of(&self, instance: InstanceId) -> Vec<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&instance).cloned().unwrap_or_default()
    }

    /// Every event of these instances has come, and each for the first time only after the one before it.
    pub(crate) async fn is_complete(&self, engine: &Engine, instances: &[InstanceId]) -> bool {
        for id in instances {
            let version = engine.glance(*id).await.expect("it is there").version;
            let mut next = 1;
            for seq in self.of(*id) {
                assert!(seq <= next, "event {seq} of {id} came before event {next}");
                next = next.max(seq + 1);
            }
            if next != version + 1 {
                return false;
            }
        }
        true
    }

    pub(crate) async fn all_of(&self, engine: &Engine, instances: &[InstanceId]) {
        let waiting = async {
            while !self.is_complete(engine, instances).await {
                tokio::task::yield_now().await;
            }
        };
        let patience = std::time::Duration::from_secs(60);
        tokio::time::timeout(patience, waiting).await.expect("everything arrives within a minute");
    }
}

pub(crate) fn work(engine: &Engine) {
    engine.worker("work", |_: Job| async { Ok(()) });
}

pub(crate) async fn finish(engine: &Engine, count: usize) -> Vec<InstanceId> {
    let mut ids = Vec::new();
    for n in 0..count {
        let variables = serde_json::json!({ "n": n, "card": "4111-1111" });
        let order = engine.start("order").variables(variables).send().await.expect("begun");
        order.finished().await.expect("it ends");
        ids.push(order.id());
    }
    ids
}

/// A file of one's own.
pub(crate) fn file(name: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}-{count}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join("tyer.db")
}
