//! Work for workers outside this process.
//!
//! **Invariant:** a result names the lease under which it was done.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use serde_json::json;
use tyer_engine::{ItemId, Variables};
use tyer_runtime::{ActivateJobs, ActiveJob, Error, JobError};

use crate::error::Failure;
use crate::fields::Fields;
use crate::past::explained;
use crate::query::Name;
use crate::reply;
use crate::router::App;

/// A worker may keep a job for a day before it must ask for more time.
const LONGEST_LEASE_MS: u64 = 24 * 60 * 60 * 1_000;
/// A poll may wait for a minute.
const LONGEST_WAIT_MS: u64 = 60_000;

/// A job as a worker gets it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JobView {
    id: String,
    lease: u32,
    lease_until: String,
    #[serde(rename = "type")]
    job_type: String,
    workflow_id: String,
    instance_id: String,
    node_id: String,
    attempt: u32,
    headers: BTreeMap<String, String>,
    variables: Variables,
}

/// `POST /api/jobs/activate`
pub(crate) async fn activate(State(app): State<Arc<App>>, mut fields: Fields) -> Result<Response, Failure> {
    let wanted = wanted(&mut fields)?;
    fields.finish()?;
    // A poll that waits ends empty when the server stops; a claim cut short is like an answer lost on its way: the
    // lease ends by itself.
    let jobs = tokio::select! {
        jobs = app.engine.activate_jobs(&wanted) => jobs?,
        () = app.closed() => Vec::new(),
    };
    let jobs: Vec<JobView> = jobs.into_iter().map(JobView::of).collect();
    Ok(reply::ok(Jobs { jobs }))
}

#[derive(Serialize)]
struct Jobs {
    jobs: Vec<JobView>,
}

/// `POST /api/jobs/:id/complete`
pub(crate) async fn complete(
    State(app): State<Arc<App>>,
    Name(id): Name,
    mut fields: Fields,
) -> Result<Response, Failure> {
    let (job, lease) = (ItemId::parse("job", &id)?, lease(&mut fields)?);
    let variables = fields.variables("variables")?;
    fields.finish()?;
    let done = app.engine.complete_job(job, lease, variables).await;
    answer(&app, &id, job, "completed", done).await
}

/// `POST /api/jobs/:id/fail`
pub(crate) async fn fail(
    State(app): State<Arc<App>>,
    Name(id): Name,
    mut fields: Fields,
) -> Result<Response, Failure> {
    let (job, lease) = (ItemId::parse("job", &id)?, lease(&mut fields)?);
    let message = fields.required_text("error", "a text")?;
    let retries = fields.number("retries", 0, u32::MAX.into())?;
    let retries = retries.map(|retries| u32::try_from(retries).expect("bounded above"));
    let backoff_ms = fields.number("backoffMs", 0, 366 * LONGEST_LEASE_MS)?;
    fields.finish()?;
    let done = app
        .engine
        .fail_job(job, lease, JobError { message, retries, backoff_ms, ..JobError::default() })
        .await;
    answer(&app, &id, job, "failed", done).await
}

/// `POST /api/jobs/:id/throw`: what the diagram calls an error.
pub(crate) async fn throw(
    State(app): State<Arc<App>>,
    Name(id): Name,
    mut fields: Fields,
) -> Result<Response, Failure> {
    let (job, lease) = (ItemId::parse("job", &id)?, lease(&mut fields)?);
    let code = fields.required_text("code", "the code of the error")?;
    let message = fields.text("message")?.unwrap_or_default();
    let variables = fields.variables("variables")?;
    fields.finish()?;
    let thrown = JobError { variables, ..JobError::thrown(code, message) };
    let done = app.engine.fail_job(job, lease, thrown).await;
    answer(&app, &id, job, "thrown", done).await
}

/// `POST /api/jobs/:id/extend`
pub(crate) async fn extend(
    State(app): State<Arc<App>>,
    Name(id): Name,
    mut fields: Fields,
) -> Result<Response, Failure> {
    let (job, lease) = (ItemId::parse("job", &id)?, lease(&mut fields)?);
    let timeout = fields.number("timeout", 1, LONGEST_LEASE_MS)?;
    let timeout = timeout.map_or_else(|| fields.required("timeout", "milliseconds"), Ok)?;
    fields.finish()?;
    app.engine.glance(job.instance).await?;
    let until = app.engine.extend_job(job, lease, Duration::from_millis(timeout)).await?;
    Ok(reply::ok(json!({ "job": { "id": id, "lease": lease, "leaseUntil": reply::moment(until) } })))
}

fn wanted(fields: &mut Fields) -> Result<ActivateJobs, Failure> {
    let expected = "a list of 1 to 100 names of job types";
    let types: Vec<String> = fields.required("types", expected)?;
    if types.is_empty() || types.len() > 100 || types.iter().any(|name| name.contains('\0')) {
        return Err(fields.invalid("types", expected));
    }
    let max = fields.number("max", 1, 1_000)?.unwrap_or(1);
    let timeout = fields.number("timeout", 1, LONGEST_LEASE_MS)?.unwrap_or(60_000);
    let wait = fields.number("waitMs", 0, LONGEST_WAIT_MS)?.unwrap_or(0);
    let worker = fields.text("worker")?.unwrap_or_else(|| "worker".to_owned());
    Ok(ActivateJobs {
        types,
        max: usize::try_from(max).expect("bounded above"),
        worker,
        timeout: Duration::from_millis(timeout),
        wait: Duration::from_millis(wait),
    })
}

fn lease(fields: &mut Fields) -> Result<u32, Failure> {
    let lease = fields.number("lease", 1, u32::MAX.into())?;
    let lease =
        lease.map_or_else(|| fields.required("lease", "the lease number that came with the job"), Ok)?;
    Ok(u32::try_from(lease).expect("bounded above"))
}

async fn answer(
    app: &App,
    id: &str,
    job: ItemId,
    status: &str,
    done: Result<tyer_runtime::Done, Error>,
) -> Result<Response, Failure> {
    match done {
        Ok(done) => Ok(reply::ok(json!({
            "job": { "id": id, "status": status, "at": reply::moment(done.at) },
            "instance": { "id": job.instance.to_string(), "status": done.status },
        }))),
        Err(error) => Err(explained(&app.engine, error).await),
    }
}

impl JobView {
    fn of(active: ActiveJob) -> JobView {
        let ActiveJob { job, lease, until } = active;
        JobView {
            id: job.id.to_text("job"),
            lease,
            lease_until: reply::moment(until),
            job_type: job.job_type.to_string(),
            workflow_id: job.process().to_owned(),
            instance_id: job.id.instance.to_string(),
            node_id: job.node().to_owned(),
            attempt: job.attempt,
            headers: job.headers().iter().cloned().collect(),
            variables: job.variables,
        }
    }
}
