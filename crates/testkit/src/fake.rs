//! A worker that does what a test tells it, and remembers what it was asked.
//!
//! **Invariant:** answers are given in the order in which they were planned; the last one is given again and again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tyer_engine::Variables;
use tyer_runtime::{Engine, Job, JobError};

type Answer = Result<Variables, JobError>;

/// A worker for tests. Without a plan it completes every job and sets nothing.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use serde_json::json;
/// use tyer_runtime::{Engine, JobError, Status, TestClock};
/// use tyer_testkit::{Diagram, FakeWorker};
///
/// let engine = Engine::memory().clock(TestClock::default()).await?;
/// engine.deploy(Diagram::parse("process p\n start -> pay\n pay : job charge-card -> end")?.to_bpmn()).await?;
/// let bank = FakeWorker::hire(&engine, "charge-card");
/// bank.then_fails(JobError::new("no answer").retries(1).backoff(std::time::Duration::ZERO));
/// bank.then_completes(json!({ "charged": true }));
///
/// let order = engine.start("p").variables(json!({ "amount": 120 })).send().await?;
/// engine.run_until_idle().await?;
/// assert_eq!(order.finished().await?.status, Status::Completed);
/// assert_eq!(bank.jobs().len(), 2);
/// assert_eq!(bank.jobs()[1].variables.get("amount"), Some("120"));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct FakeWorker(Arc<Mutex<Desk>>);

#[derive(Debug, Default)]
struct Desk {
    planned: VecDeque<Answer>,
    seen: Vec<Job>,
}

impl FakeWorker {
    /// A worker for jobs of this type, in place of any other.
    pub fn hire(engine: &Engine, job_type: &str) -> FakeWorker {
        let fake = FakeWorker::default();
        let desk = fake.clone();
        engine.worker(job_type, move |job: Job| {
            let answer = desk.answer(job);
            async move { answer }
        });
        fake
    }

    /// The next job whose answer is not planned yet is completed with these variables.
    ///
    /// # Panics
    /// If they are no JSON object.
    pub fn then_completes(&self, variables: impl Serialize) -> &FakeWorker {
        let variables = Variables::from_serialize(&variables).expect("variables are a JSON object");
        self.plan(Ok(variables))
    }

    /// The next job whose answer is not planned yet fails like this; `JobError::thrown` is an error of the diagram.
    pub fn then_fails(&self, error: JobError) -> &FakeWorker {
        self.plan(Err(error))
    }

    /// The jobs it was given, oldest first.
    pub fn jobs(&self) -> Vec<Job> {
        self.desk().seen.clone()
    }

    fn plan(&self, answer: Answer) -> &FakeWorker {
        self.desk().planned.push_back(answer);
        self
    }

    fn answer(&self, job: Job) -> Answer {
        let mut desk = self.desk();
        desk.seen.push(job);
        match desk.planned.len() {
            0 => Ok(Variables::default()),
            1 => desk.planned[0].clone(),
            _ => desk.planned.pop_front().expect("there are several"),
        }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
