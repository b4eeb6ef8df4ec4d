//! Job tasks: work for a worker, tried again on the same token until the tries are used up.

use tyer_model::{Backoff, JobSpec, NodeKind, Throw};

use crate::nodes::{activity, error, failure, text};
use crate::words::*;

/// The token gets a new job, or an incident when the job has no type.
pub(crate) fn offer(turn: &mut Turn<'_>, token: Number) {
    let reads = turn.instance.reading_scope(turn.token(token));
    match text::text(turn, reads, &spec_of(turn, token).job_type) {
        Ok(job_type) => {
            let job = turn.next_number();
            turn.emit_at(token, EventKind::JobCreated { job, job_type });
        }
        Err(reason) => activity::give_up(turn, token, "the job type", &reason),
    }
}

/// The token has as many tries left as an earlier one at the same node had.
pub(crate) fn restore_tries(turn: &mut Turn<'_>, token: Number, earlier: &Token) {
    if let Some(spec) = find_spec(turn, token)
        && (earlier.attempt > 0 || earlier.tries.is_some())
    {
        let retries = earlier.tries.unwrap_or(spec.retries).saturating_sub(earlier.attempt);
        turn.emit_at(token, EventKind::JobRetries { retries });
    }
}

pub(crate) fn complete(turn: &mut Turn<'_>, job: Number, holder: Option<Holder>, variables: Variables) {
    let token = turn.instance.token_of_job(job).expect("accept has found the job");
    let (worker, since) = split(holder);
    turn.emit_at(token, EventKind::JobCompleted { job, worker, since });
    activity::complete(turn, token, variables);
}

pub(crate) fn throw(
    turn: &mut Turn<'_>,
    job: Number,
    holder: Option<Holder>,
    code: &str,
    message: Option<String>,
    variables: Variables,
) {
    let token = turn.instance.token_of_job(job).expect("accept has found the job");
    let (worker, since) = split(holder);
    turn.emit_at(token, EventKind::JobCompleted { job, worker, since });
    if turn.token(token).mode == Mode::Finishing {
        return turn.terminate(token);
    }
    error::throw(turn, token, Some(code).filter(|code| !code.is_empty()), message, variables);
}

pub(crate) fn fail(
    turn: &mut Turn<'_>,
    job: Number,
    holder: Option<Holder>,
    error: String,
    retries: Option<u32>,
    backoff_ms: Option<u64>,
) {
    let token = turn.instance.token_of_job(job).expect("accept has found the job");
    let (worker, since) = split(holder);
    turn.emit_at(token, EventKind::JobFailed { job, error: error.clone(), worker, since });
    if turn.token(token).mode == Mode::Finishing {
        return turn.terminate(token);
    }
    let spec = spec_of(turn, token);
    let attempt = turn.token(token).attempt;
    let tries = turn.token(token).tries.unwrap_or(spec.retries);
    let left = retries.unwrap_or_else(|| tries.saturating_sub(attempt));
    if left == 0 {
        let node = &turn.node_of(token).id;
        let message = match attempt {
            1 => format!("job `{node}` failed: {error}"),
            _ => format!("job `{node}` failed {attempt} times, the last time with: {error}"),
        };
        return failure::failed(turn, token, IncidentKind::JobFailed, message);
    }
    let delay_ms = backoff_ms.unwrap_or_else(|| delay_ms(spec.backoff, attempt, turn.instance.id, token));
    let due = turn.now.plus_ms(i64::try_from(delay_ms).unwrap_or(i64::MAX));
    turn.wait_until(token, due, TimerKind::Retry);
}

/// The job of a task, or of an event that a worker throws.
fn spec_of<'a>(turn: &Turn<'a>, token: Number) -> &'a JobSpec {
    find_spec(turn, token).expect("only a node with a job has one")
}

/// What a worker has to do at the token's node, if it is for a worker.
pub(crate) fn find_spec<'a>(turn: &Turn<'a>, token: Number) -> Option<&'a JobSpec> {
    let kind = &turn.node_of(token).kind;
    let of_throw = |thrown: &'a Throw| if let Throw::Job(spec) = thrown { Some(spec) } else { None };
    if let NodeKind::Job(spec) = kind {
        Some(spec)
    } else if let NodeKind::Throw(throws) | NodeKind::End(throws) = kind {
        throws.iter().find_map(of_throw)
    } else {
        None
    }
}

fn split(holder: Option<Holder>) -> (Option<String>, Option<crate::ids::Timestamp>) {
    holder.map_or((None, None), |holder| (Some(holder.worker), Some(holder.since)))
}

/// The wait before the next try. Up to a tenth is taken off by a hash, so that many failures at once do not all
/// come back at once, and replay still gives the same moment.
fn delay_ms(backoff: Backoff, attempt: u32, instance: InstanceId, token: Number) -> u64 {
    let full = match backoff {
        Backoff::Fixed { delay_ms } => return delay_ms,
        Backoff::Linear { delay_ms, cap_ms } => delay_ms.saturating_mul(u64::from(attempt)).min(cap_ms),
        Backoff::Exponential { delay_ms, cap_ms } => {
            delay_ms.saturating_mul(1u64.checked_shl(attempt - 1).unwrap_or(u64::MAX)).min(cap_ms)
        }
    };
    let tenth = full / 10;
    if tenth == 0 {
        full
    } else {
        full - mix(instance.0.cast_unsigned(), u64::from(token) << 32 | u64::from(attempt)) % tenth
    }
}

/// The finaliser of splitmix64: enough to spread retries.
fn mix(a: u64, b: u64) -> u64 {
    let mut x = a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_to_the_cap_and_are_stable() {
        let backoff = Backoff::Exponential { delay_ms: 1000, cap_ms: 30_000 };
        for (attempt, full) in [(1, 1000), (2, 2000), (5, 16_000), (6, 30_000), (200, 30_000)] {
            let delay = delay_ms(backoff, attempt, InstanceId(7), 1);
            assert!(delay <= full && delay > full - full / 10, "try {attempt}: {delay}");
            assert_eq!(delay, delay_ms(backoff, attempt, InstanceId(7), 1));
        }
        assert_eq!(delay_ms(Backoff::Fixed { delay_ms: 5 }, 9, InstanceId(7), 1), 5);
    }
}
