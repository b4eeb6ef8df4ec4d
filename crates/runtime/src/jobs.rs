//! Jobs for workers outside this process: claimed with a lease that ends by itself.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tyer_engine::{Command, ItemId, Rejection, Timestamp, Variables};
use tyer_map::Set;
use tyer_store::{Claim, Lease};

use crate::engine::Engine;
use crate::error::Error;
use crate::job::{Job, JobError, Parsed};
use crate::track::{Done, Message};

/// Which jobs a worker outside wants, and for how long.
#[derive(Clone, Debug)]
pub struct ActivateJobs {
    /// Types of jobs.
    pub types: Vec<String>,
    /// At most so many.
    pub max: usize,
    /// Who asks.
    pub worker: String,
    /// The lease ends after this, unless extended.
    pub timeout: Duration,
    /// How long to wait for the first job.
    pub wait: Duration,
}

/// A job held by a worker outside.
#[derive(Clone, Debug)]
pub struct ActiveJob {
    /// The work.
    pub job: Job,
    /// The lease number: results must name it.
    pub lease: u32,
    /// When the lease ends.
    pub until: Timestamp,
}

impl Engine {
    /// Claims jobs for a worker outside this process; waits for the first one if asked to.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine) -> Result<(), tyer_runtime::Error> {
    /// use std::time::Duration;
    /// use tyer_runtime::ActivateJobs;
    /// let wanted = ActivateJobs {
    ///     types: vec!["charge-card".to_owned()],
    ///     max: 10,
    ///     worker: "till-3".to_owned(),
    ///     timeout: Duration::from_secs(60),
    ///     wait: Duration::from_secs(10),
    /// };
    /// for active in engine.activate_jobs(&wanted).await? {
    ///     engine.complete_job(active.job.id, active.lease, serde_json::json!({ "charged": true })).await?;
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn activate_jobs(&self, wanted: &ActivateJobs) -> Result<Vec<ActiveJob>, Error> {
        let deadline = tokio::time::Instant::now() + wanted.wait;
        loop {
            let arrived = self.shared.workers.arrived.notified();
            tokio::pin!(arrived);
            arrived.as_mut().enable();
            let jobs = self.claim_now(wanted).await?;
            if !jobs.is_empty() || tokio::time::Instant::now() >= deadline {
                return Ok(jobs);
            }
            // Other nodes' jobs come without a hint: look once a second.
            let look = deadline.min(tokio::time::Instant::now() + Duration::from_secs(1));
            let _ = tokio::time::timeout_at(look, arrived).await;
        }
    }

    async fn claim_now(&self, wanted: &ActivateJobs) -> Result<Vec<ActiveJob>, Error> {
        let now = self.shared.now();
        let until = now.plus_ms(i64::try_from(wanted.timeout.as_millis()).unwrap_or(i64::MAX));
        let worker: Arc<str> = wanted.worker.as_str().into();
        let lease = Lease { number: 0, worker, node: None, since: now, until: Some(until) };
        // A type that is named twice is looked for once, or its jobs would be handed out twice.
        let types: Set<Arc<str>> = wanted.types.iter().map(|job_type| job_type.as_str().into()).collect();
        let (tenant, types) = (Some(self.whose().clone()), types.into_iter().collect());
        let claim = Claim { tenant, types, max: wanted.max, lease: lease.clone() };
        let (mut jobs, mut parsed) = (Vec::new(), Parsed::default());
        for claimed in self.shared.store.claim(claim).await? {
            let compiled = self.shared.processes.by_id(&*self.shared.store, claimed.definition).await?;
            let held = Lease { number: claimed.lease, ..lease.clone() };
            let told = Message::Leased { instance: claimed.instance, job: claimed.job.number, lease: held };
            self.shared.send(told).await?;
            let job = Job::claimed(&compiled, &claimed, &mut parsed)?;
            jobs.push(ActiveJob { job, lease: claimed.lease, until });
        }
        if !jobs.is_empty() {
            // The end of these leases may be the next moment to wake for.
            self.shared.alarm.due(until);
        }
        Ok(jobs)
    }

    /// A worker outside did its job.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine, active: tyer_runtime::ActiveJob) -> Result<(), tyer_runtime::Error> {
    /// engine.complete_job(active.job.id, active.lease, serde_json::json!({ "charged": true })).await?;
    /// # Ok(()) }
    /// ```
    pub async fn complete_job(
        &self,
        job: ItemId,
        lease: u32,
        variables: impl Serialize,
    ) -> Result<Done, Error> {
        let variables = Variables::from_serialize(&variables)?;
        let command = Command::CompleteJob { job: job.number, holder: None, variables };
        self.command_under_lease(job.instance, command, Some(lease)).await
    }

    /// A worker outside could not do its job.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine, active: tyer_runtime::ActiveJob) -> Result<(), tyer_runtime::Error> {
    /// use tyer_runtime::JobError;
    /// engine.fail_job(active.job.id, active.lease, JobError::new("the bank does not answer")).await?;
    /// # Ok(()) }
    /// ```
    pub async fn fail_job(&self, job: ItemId, lease: u32, failure: JobError) -> Result<Done, Error> {
        self.command_under_lease(job.instance, failure.into_command(job.number), Some(lease)).await
    }

    /// A worker outside needs more time.
    ///
    /// ```no_run
    /// # async fn example(engine: tyer_runtime::Engine, active: tyer_runtime::ActiveJob) -> Result<(), tyer_runtime::Error> {
    /// use std::time::Duration;
    /// engine.extend_job(active.job.id, active.lease, Duration::from_secs(60)).await?;
    /// # Ok(()) }
    /// ```
    pub async fn extend_job(&self, job: ItemId, lease: u32, timeout: Duration) -> Result<Timestamp, Error> {
        let until = self.shared.now().plus_ms(i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX));
        match self.shared.store.extend(self.whose(), job, lease, until).await? {
            true => Ok(until),
            false => Err(Rejection::LeaseLost { instance: job.instance, job: job.number }.into()),
        }
    }
}
