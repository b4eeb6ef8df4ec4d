//! A job as a worker sees it, and what it may say when it could not do it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tyer_engine::{Command, InstanceId, ItemId, Number, Variables, VariablesError};
use tyer_model::{JobSpec, NodeIx, NodeKind, Throw};
use tyer_store::Claimed;

use crate::error::Error;
use crate::processes::Compiled;

/// Work for a worker.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its id: stable over deliveries of the same try.
    pub id: ItemId,
    /// The type that the worker asked for.
    pub job_type: Arc<str>,
    /// Which try this is, from 1.
    pub attempt: u32,
    /// The variables it sees.
    pub variables: Variables,
    compiled: Arc<Compiled>,
    node: NodeIx,
}

/// Why a job could not be done.
#[derive(Clone, Debug, Default)]
pub struct JobError {
    /// What went wrong.
    pub message: String,
    /// How many more tries; the model decides when not said.
    pub retries: Option<u32>,
    /// How long to wait before the next; the model decides when not said.
    pub backoff_ms: Option<u64>,
    /// Set when this is an error of the diagram: catchers look at it, and nothing is tried again.
    pub code: Option<String>,
    /// What the catcher of an error of the diagram gets.
    pub variables: Variables,
}

impl<E: std::error::Error> From<E> for JobError {
    fn from(error: E) -> JobError {
        JobError { message: error.to_string(), ..JobError::default() }
    }
}

impl JobError {
    /// Failed for this reason; the model decides what follows.
    ///
    /// ```no_run
    /// # fn example() -> Result<(), tyer_runtime::Error> {
    /// let failed = tyer_runtime::JobError::new("the bank does not answer");
    /// # Ok(()) }
    /// ```
    pub fn new(message: impl Into<String>) -> JobError {
        JobError { message: message.into(), ..JobError::default() }
    }

    /// What the diagram calls an error, with the code that catchers look at.
    ///
    /// ```no_run
    /// # fn example() -> Result<(), tyer_runtime::Error> {
    /// let refused = tyer_runtime::JobError::thrown("refused", "the bank says no");
    /// # Ok(()) }
    /// ```
    pub fn thrown(code: impl Into<String>, message: impl Into<String>) -> JobError {
        JobError { message: message.into(), code: Some(code.into()), ..JobError::default() }
    }

    /// So many more tries, whatever the model and the worker's options say.
    ///
    /// ```
    /// # use tyer_runtime::JobError;
    /// let hopeless = JobError::new("there is no such account").retries(0);
    /// ```
    #[must_use]
    pub fn retries(mut self, more: u32) -> JobError {
        self.retries = Some(more);
        self
    }

    /// So long until the next try.
    ///
    /// ```
    /// # use tyer_runtime::JobError;
    /// let busy = JobError::new("come back later").backoff(std::time::Duration::from_secs(60));
    /// ```
    #[must_use]
    pub fn backoff(mut self, wait: Duration) -> JobError {
        self.backoff_ms = Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// What the catcher of an error of the diagram gets: anything that serialises to a JSON object.
    ///
    /// ```
    /// # fn example() -> Result<(), tyer_runtime::Error> {
    /// # use tyer_runtime::JobError;
    /// let refused = JobError::thrown("refused", "the bank says no").with(serde_json::json!({ "limit": 100 }))?;
    /// # Ok(()) }
    /// ```
    pub fn with(mut self, variables: impl Serialize) -> Result<JobError, Error> {
        self.variables = Variables::from_serialize(&variables)?;
        Ok(self)
    }

    /// What the instance is told.
    pub(crate) fn into_command(self, job: Number) -> Command {
        let JobError { message, retries, backoff_ms, code, variables } = self;
        match code {
            Some(code) => {
                let message = Some(message).filter(|message| !message.is_empty());
                Command::ThrowError { job, holder: None, code, message, variables }
            }
            None => Command::FailJob { job, holder: None, error: message, retries, backoff_ms },
        }
    }
}

fn thrown_by_a_worker(thrown: &Throw) -> Option<&JobSpec> {
    if let Throw::Job(spec) = thrown { Some(spec) } else { None }
}

impl Job {
    /// Reads the variables into a type of yours.
    ///
    /// ```no_run
    /// # fn example(job: tyer_runtime::Job) -> Result<(), Box<dyn std::error::Error>> {
    /// #[derive(serde::Deserialize)]
    /// struct Order { amount: u32 }
    /// let order: Order = job.read()?;
    /// # Ok(()) }
    /// ```
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, VariablesError> {
        serde_json::from_str(&self.variables.to_json()).map_err(VariablesError::from)
    }

    /// The same for every delivery of this try, and for no other: give it to systems that deduplicate.
    ///
    /// ```no_run
    /// # async fn example(job: tyer_runtime::Job) -> Result<(), tyer_runtime::Error> {
    /// println!("Idempotency-Key: {}", job.idempotency_key());
    /// # Ok(()) }
    /// ```
    pub fn idempotency_key(&self) -> String {
        self.id.to_text("job")
    }

    /// Whose it is; the default tenant's name is empty.
    pub fn tenant(&self) -> &str {
        self.compiled.definition.tenant.as_str()
    }

    /// The BPMN id of the process.
    ///
    /// ```no_run
    /// # async fn example(job: tyer_runtime::Job) -> Result<(), tyer_runtime::Error> {
    /// println!("a job of {}", job.process());
    /// # Ok(()) }
    /// ```
    pub fn process(&self) -> &str {
        &self.compiled.process.id
    }

    /// The BPMN id of the node.
    ///
    /// ```no_run
    /// # async fn example(job: tyer_runtime::Job) -> Result<(), tyer_runtime::Error> {
    /// println!("a job at {}", job.node());
    /// # Ok(()) }
    /// ```
    pub fn node(&self) -> &str {
        &self.compiled.process.node(self.node).id
    }

    /// Fixed pairs from the model.
    ///
    /// ```no_run
    /// # async fn example(job: tyer_runtime::Job) -> Result<(), tyer_runtime::Error> {
    /// for (name, value) in job.headers() {
    ///     println!("{name}: {value}");
    /// }
    /// # Ok(()) }
    /// ```
    pub fn headers(&self) -> &[(String, String)] {
        let kind = &self.compiled.process.node(self.node).kind;
        let spec = if let NodeKind::Job(spec) = kind {
            Some(spec)
        } else if let NodeKind::Throw(throws) | NodeKind::End(throws) = kind {
            throws.iter().find_map(thrown_by_a_worker)
        } else {
            None
        };
        spec.map_or(&[], |spec| &spec.headers)
    }

    pub(crate) fn describe(
        compiled: &Arc<Compiled>,
        instance: InstanceId,
        node: NodeIx,
        job: &tyer_engine::Job,
        failures: u32,
        variables: Variables,
    ) -> Job {
        Job {
            id: ItemId { instance, number: job.number },
            job_type: Arc::clone(&job.job_type),
            attempt: failures + 1,
            variables,
            compiled: Arc::clone(compiled),
            node,
        }
    }

    /// A job that was claimed; `parsed` has what jobs of the same claim see too.
    pub(crate) fn claimed(
        compiled: &Arc<Compiled>,
        claimed: &Claimed,
        parsed: &mut Parsed,
    ) -> Result<Job, Error> {
        let node = compiled.process.find_node(&claimed.node);
        let node = node.ok_or_else(|| Error::Damaged(format!("no node `{}`", claimed.node)))?;
        let mut variables = Variables::default();
        for around in claimed.variables.iter().rev() {
            variables.merge(parsed.of(around)?);
        }
        Ok(Job::describe(compiled, claimed.instance, node, &claimed.job, claimed.attempt, variables))
    }
}

/// Documents of a claim, and of the one before it, that were parsed, by their addresses: many jobs see the same ones, and
/// they may be long.
#[derive(Default)]
pub(crate) struct Parsed {
    now: Documents,
    before: Documents,
}

/// Whoever holds a document keeps its address from being another's.
type Documents = HashMap<usize, (Arc<str>, Variables)>;

impl Parsed {
    /// Another claim begins: what the last one did not see is forgotten.
    pub(crate) fn next_claim(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }

    fn of(&mut self, document: &Arc<str>) -> Result<&Variables, Error> {
        let address = Arc::as_ptr(document).addr();
        match self.now.entry(address) {
            Entry::Occupied(known) => Ok(&known.into_mut().1),
            Entry::Vacant(new) => {
                let parsed = match self.before.remove(&address) {
                    Some(parsed) => parsed,
                    None => (Arc::clone(document), Variables::parse(document)?),
                };
                Ok(&new.insert(parsed).1)
            }
        }
    }
}
