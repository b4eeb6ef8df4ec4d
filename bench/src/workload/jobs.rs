//! Workers inside the process: what they do with the jobs of a workload.
//!
//! **Invariant:** no worker holds the engine, which holds the worker: the engine could never end.

use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;
use tyer_runtime::{Engine, Job, JobError, WorkerOptions};

use super::steps::Steps;
use super::{Work, Workload};

/// Registers a worker for every job type; the last one frees a place.
pub(crate) fn begin(
    engine: &Engine,
    workload: &Workload,
    concurrency: usize,
    places: &Arc<Semaphore>,
    steps: &Arc<Steps>,
    publisher: &Publisher,
) {
    let options = WorkerOptions::default().concurrency(concurrency);
    let in_sequence = workload.is_sequence();
    for (at, job_type) in workload.jobs.iter().enumerate() {
        let freed = (at + 1 == workload.jobs.len()).then(|| Arc::clone(places));
        let steps = in_sequence.then(|| Arc::clone(steps));
        match (workload.work, *job_type) {
            (Work::Saga, "pay") => engine.worker_with(job_type, options, move |job: Job| {
                looked_at(steps.as_deref(), &job);
                async { Err::<(), _>(JobError::thrown("refused", "the card is blocked").retries(0)) }
            }),
            (Work::Typical, "ask") => {
                let asked = publisher.asked.clone();
                engine.worker_with(job_type, options, move |job: Job| {
                    answered(asked.clone(), steps.clone(), job)
                });
            }
            _ => engine.worker_with(job_type, options, move |job: Job| {
                looked_at(steps.as_deref(), &job);
                if let Some(places) = &freed {
                    places.add_permits(1);
                }
                async { Ok(()) }
            }),
        }
    }
}

/// These jobs take no time: one ends when it begins.
fn looked_at(steps: Option<&Steps>, job: &Job) {
    if let Some(steps) = steps.filter(|steps| steps.looks_at(job.id.instance)) {
        steps.job_begins(job.id.instance);
        steps.job_ends(job.id.instance);
    }
}

/// The message is there before the job is done, so that every instance writes the same rows.
async fn answered(
    asked: mpsc::UnboundedSender<Asked>,
    steps: Option<Arc<Steps>>,
    job: Job,
) -> Result<(), JobError> {
    let steps = steps.filter(|steps| steps.looks_at(job.id.instance));
    if let Some(steps) = &steps {
        steps.job_begins(job.id.instance);
    }
    let order = job.variables.get("order").unwrap_or_default();
    let (sent, received) = oneshot::channel();
    asked.send((order.trim_matches('"').to_owned(), sent))?;
    received.await?;
    if let Some(steps) = &steps {
        steps.job_ends(job.id.instance);
    }
    Ok(())
}

/// An order, and who is told when the message about it has arrived.
type Asked = (String, oneshot::Sender<()>);

/// Answers orders with messages, for as long as it lives.
pub(crate) struct Publisher {
    asked: mpsc::UnboundedSender<Asked>,
    work: JoinHandle<()>,
}

impl Publisher {
    pub(crate) fn of(engine: &Engine) -> Publisher {
        let (asked, mut orders) = mpsc::unbounded_channel::<Asked>();
        let engine = engine.clone();
        let work = tokio::spawn(async move {
            while let Some((order, sent)) = orders.recv().await {
                let message =
                    engine.publish("answer").key(order).variables(serde_json::json!({ "yes": true }));
                tokio::spawn(async move {
                    // Who has taken it is not asked: the subscription itself may have found it first.
                    if message.send().await.is_ok() {
                        // Whoever asked may have gone away.
                        let _ = sent.send(());
                    }
                });
            }
        });
        Publisher { asked, work }
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.work.abort();
    }
}
