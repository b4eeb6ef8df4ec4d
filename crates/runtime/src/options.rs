//! How a worker works: how many jobs at once, for how long, and what follows a failure.

use std::time::Duration;

use crate::job::JobError;

/// How a worker works. What the model says about tries holds where the worker says nothing.
///
/// ```
/// # async fn example(engine: tyer_runtime::Engine) {
/// use std::time::Duration;
/// use tyer_runtime::{Job, WorkerOptions};
///
/// let options = WorkerOptions::default()
///     .concurrency(8)
///     .timeout(Duration::from_secs(30))
///     .tries(5)
///     .backoff(Duration::from_secs(1), Duration::from_secs(60));
/// engine.worker_with("charge-card", options, |_: Job| async { Ok(()) });
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct WorkerOptions {
    /// Jobs at once.
    pub concurrency: usize,
    /// A job that takes longer has failed.
    pub timeout: Option<Duration>,
    /// How often a job is tried in all before it becomes an incident.
    pub tries: Option<u32>,
    /// How long to wait after the first failure, and at most: the wait doubles from try to try.
    pub backoff: Option<(Duration, Duration)>,
}

impl Default for WorkerOptions {
    fn default() -> WorkerOptions {
        WorkerOptions { concurrency: 256, timeout: None, tries: None, backoff: None }
    }
}

impl WorkerOptions {
    /// So many jobs at once (256 when not said).
    ///
    /// ```
    /// # use tyer_runtime::WorkerOptions;
    /// assert_eq!(WorkerOptions::default().concurrency(4).concurrency, 4);
    /// ```
    #[must_use]
    pub fn concurrency(mut self, jobs: usize) -> WorkerOptions {
        self.concurrency = jobs.max(1);
        self
    }

    /// A job that takes longer has failed; its future is dropped.
    ///
    /// ```
    /// # use tyer_runtime::WorkerOptions;
    /// let options = WorkerOptions::default().timeout(std::time::Duration::from_secs(30));
    /// ```
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> WorkerOptions {
        self.timeout = Some(timeout);
        self
    }

    /// How often a job is tried in all; the model decides when not said.
    ///
    /// ```
    /// # use tyer_runtime::WorkerOptions;
    /// let once = WorkerOptions::default().tries(1);
    /// ```
    #[must_use]
    pub fn tries(mut self, tries: u32) -> WorkerOptions {
        self.tries = Some(tries.max(1));
        self
    }

    /// How long to wait before the next try: `first`, then twice as long each time, never longer than `longest`.
    ///
    /// ```
    /// # use tyer_runtime::WorkerOptions;
    /// # use std::time::Duration;
    /// let options = WorkerOptions::default().backoff(Duration::from_secs(1), Duration::from_secs(60));
    /// ```
    #[must_use]
    pub fn backoff(mut self, first: Duration, longest: Duration) -> WorkerOptions {
        self.backoff = Some((first, longest));
        self
    }

    /// What the handler did not say about a failure of this try (from 1), the options say.
    pub(crate) fn complete(&self, attempt: u32, mut error: JobError) -> JobError {
        if error.retries.is_none() {
            error.retries = self.tries.map(|tries| tries.saturating_sub(attempt));
        }
        if error.backoff_ms.is_none() {
            let wait = |(first, longest): (Duration, Duration)| {
                let doubled = first.saturating_mul(1 << attempt.saturating_sub(1).min(30));
                u64::try_from(doubled.min(longest).as_millis()).unwrap_or(u64::MAX)
            };
            error.backoff_ms = self.backoff.map(wait);
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_say_what_the_handler_did_not() {
        let options =
            WorkerOptions::default().tries(3).backoff(Duration::from_secs(2), Duration::from_secs(5));
        let said = |attempt| {
            let error = options.complete(attempt, JobError::new("no"));
            (error.retries, error.backoff_ms)
        };
        assert_eq!(said(1), (Some(2), Some(2_000)));
        assert_eq!(said(2), (Some(1), Some(4_000)));
        assert_eq!(said(3), (Some(0), Some(5_000)));
        let own = options.complete(1, JobError::new("no").retries(9).backoff(Duration::ZERO));
        assert_eq!((own.retries, own.backoff_ms), (Some(9), Some(0)));
    }
}
