//! Tasks for workers: which job, how often it may be tried, how long to wait between two tries.
//!
//! **Invariant:** the words of three vocabularies become one [`JobSpec`]; `tyer:job` wins over `zeebe:`, that over the rest.

use std::sync::Arc;

use tyer_xml::Element;

use super::expression;
use crate::code::Code;
use crate::namespace::{TYER, ZEEBE, extension, mapped_attribute, mapped_extension};
use crate::process::{Backoff, JobSpec, Text};
use crate::report::{Report, label};
use crate::time::milliseconds;

/// Tries in all, when the diagram does not say.
const DEFAULT_RETRIES: u32 = 3;
/// The wait between two tries, when the diagram does not say.
const DEFAULT_BACKOFF: Backoff = Backoff::Exponential { delay_ms: 1_000, cap_ms: 30_000 };

/// What a task says about the job it is, if it says so.
pub(crate) fn compile(task: Element<'_>, report: &mut Report) -> Option<JobSpec> {
    let (job_type, retries, backoff) = if let Some(job) = extension(task, TYER, "job") {
        own(job, task, report)?
    } else if let Some(definition) = extension(task, ZEEBE, "taskDefinition") {
        native(definition, task, report)?
    } else {
        mapped(task, report)?
    };
    Some(JobSpec { job_type, retries, backoff, headers: headers(task) })
}

type Job = (Text, u32, Backoff);

fn own(job: Element<'_>, task: Element<'_>, report: &mut Report) -> Option<Job> {
    let job_type = job_type(job.attribute("type"), task, report)?;
    let retries = retries(job.attribute("retries"), task, report)?;
    match job.attribute("backoff") {
        None => Some((job_type, retries, DEFAULT_BACKOFF)),
        Some(written) => match backoff(written) {
            Some(backoff) => Some((job_type, retries, backoff)),
            None => {
                let message = || format!("backoff `{written}` of {} cannot be read", label(task));
                let hint = "write `fixed PT10S`, `linear PT1S PT30S` or `exponential PT1S PT30S`";
                report.error(Code::ValueInvalid, task, message(), hint);
                None
            }
        },
    }
}

fn native(definition: Element<'_>, task: Element<'_>, report: &mut Report) -> Option<Job> {
    let job_type = job_type(definition.attribute("type"), task, report);
    let retries = retries(definition.attribute("retries"), task, report);
    Some((job_type?, retries?, DEFAULT_BACKOFF))
}

fn mapped(task: Element<'_>, report: &mut Report) -> Option<Job> {
    let Some(name) = mapped_job_name(task) else {
        let message = || format!("{} does not say which job it is", label(task));
        report.error(
            Code::JobTypeMissing,
            task,
            message(),
            "add <zeebe:taskDefinition type=\"…\"/> or <tyer:job type=\"…\"/>",
        );
        return None;
    };
    let job_type = Text::Literal(Arc::from(name));
    let Some(cycle) = mapped_extension(task, "failedJobRetryTimeCycle") else {
        return Some((job_type, DEFAULT_RETRIES, DEFAULT_BACKOFF));
    };
    let written = cycle.text();
    let Some((retries, backoff)) = retry_cycle(written.trim()) else {
        let message = || format!("retry cycle `{}` of {} cannot be read", written.trim(), label(task));
        report.error(Code::ValueInvalid, task, message(), "write it as R3/PT10S");
        return None;
    };
    Some((job_type, retries, backoff))
}

/// The name a task of the mapped dialects gives its work.
fn mapped_job_name(task: Element<'_>) -> Option<String> {
    let named = ["topic", "class", "delegateExpression"].iter().find_map(|name| mapped_attribute(task, name));
    let kind =
        || mapped_attribute(task, "type").filter(|kind| !matches!(*kind, "external" | "external-worker"));
    let name = named.or_else(kind)?.trim();
    let bare =
        name.strip_prefix("${").or_else(|| name.strip_prefix("#{")).and_then(|rest| rest.strip_suffix('}'));
    Some(bare.unwrap_or(name).trim().to_owned()).filter(|name| !name.is_empty())
}

fn job_type(written: Option<&str>, task: Element<'_>, report: &mut Report) -> Option<Text> {
    match written.map(str::trim) {
        None | Some("") => {
            let message = || format!("job of {} has no type", label(task));
            report.error(Code::JobTypeMissing, task, message(), "set its type to the name workers ask for");
            None
        }
        Some(written) => expression::text(written, task, report),
    }
}

fn retries(written: Option<&str>, task: Element<'_>, report: &mut Report) -> Option<u32> {
    let Some(written) = written else {
        return Some(DEFAULT_RETRIES);
    };
    // `=3` is an expression, but a fixed one.
    let number = written.trim().trim_start_matches('=').trim().parse().ok();
    if number.is_none() {
        let message = || format!("retries `{written}` of {} is not a number", label(task));
        report.error(Code::ValueInvalid, task, message(), "write how often the job may be tried, such as 3");
    }
    number
}

fn headers(task: Element<'_>) -> Vec<(String, String)> {
    let Some(headers) = extension(task, ZEEBE, "taskHeaders") else {
        return Vec::new();
    };
    let pairs = headers.children().filter(|header| header.is(ZEEBE, "header"));
    pairs
        .filter_map(|header| {
            Some((
                header.attribute("key")?.to_owned(),
                header.attribute("value").unwrap_or_default().to_owned(),
            ))
        })
        .collect()
}

/// `fixed PT10S`, `linear PT1S PT30S`, `exponential PT1S PT30S`; the longest wait may be left out.
fn backoff(written: &str) -> Option<Backoff> {
    let mut words = written.split_ascii_whitespace();
    let kind = words.next()?;
    let delay_ms = milliseconds(words.next()?)?;
    let cap_ms = words.next().map_or(Some(u64::MAX), milliseconds)?;
    match (kind, words.next()) {
        ("fixed", None) => Some(Backoff::Fixed { delay_ms }),
        ("linear", None) => Some(Backoff::Linear { delay_ms, cap_ms }),
        ("exponential", None) => Some(Backoff::Exponential { delay_ms, cap_ms }),
        _ => None,
    }
}

/// `R3/PT10S`: three tries, ten seconds apart.
fn retry_cycle(written: &str) -> Option<(u32, Backoff)> {
    let (times, delay) = written.strip_prefix('R')?.split_once('/')?;
    Some((times.parse().ok()?, Backoff::Fixed { delay_ms: milliseconds(delay)? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_between_tries_are_read() {
        assert_eq!(backoff("fixed PT10S"), Some(Backoff::Fixed { delay_ms: 10_000 }));
        assert_eq!(backoff("linear PT1S PT30S"), Some(Backoff::Linear { delay_ms: 1_000, cap_ms: 30_000 }));
        assert_eq!(
            backoff("exponential PT1S"),
            Some(Backoff::Exponential { delay_ms: 1_000, cap_ms: u64::MAX })
        );
        for wrong in ["", "fixed", "fixed x", "linear PT1S PT2S PT3S", "sometimes PT1S"] {
            assert_eq!(backoff(wrong), None, "{wrong:?} is no backoff");
        }
        assert_eq!(retry_cycle("R3/PT10S"), Some((3, Backoff::Fixed { delay_ms: 10_000 })));
        assert_eq!(retry_cycle("R/PT10S"), None);
    }
}
