//! What a handler of jobs takes: the job itself, or its variables as a type of the program's own.

use serde::de::DeserializeOwned;

use crate::job::{Job, JobError};

/// What a handler takes. [`Job`] is one such, and so is whatever its variables can be read into.
///
/// ```
/// # async fn example(engine: tyer_runtime::Engine) {
/// #[derive(serde::Deserialize)]
/// struct Order { amount: u32 }
/// #[derive(serde::Serialize)]
/// struct Receipt { charged: u32 }
///
/// engine.worker("charge-card", |order: Order| async move { Ok(Receipt { charged: order.amount }) });
/// # }
/// ```
pub trait JobInput: Sized {
    /// Reads the job. What cannot be read is not tried again: the data must be put right first.
    ///
    /// # Errors
    /// What is missing or of another type.
    fn of_job(job: Job) -> Result<Self, JobError>;
}

impl JobInput for Job {
    fn of_job(job: Job) -> Result<Job, JobError> {
        Ok(job)
    }
}

impl<T: DeserializeOwned> JobInput for T {
    fn of_job(job: Job) -> Result<T, JobError> {
        job.read().map_err(|error| {
            let expected = std::any::type_name::<T>();
            JobError::new(format!("the variables are no {expected}: {error}")).retries(0)
        })
    }
}
