//! Work for workers: which job, how often it may be tried, how long to wait between two tries.
//!
//! **Invariant:** the words of three vocabularies become one [`JobSpec`]; `tyer:job` wins over `zeebe:`, that over the rest.

use std::sync::Arc;

use tyer_xml::Element;

use super::context::Context;
use super::{expression, http};
use crate::code::Code;
use crate::namespace::{TYER, ZEEBE, extension, mapped_attribute, mapped_extension};
use crate::process::{Backoff, JobSpec, Text};
use crate::report::{label, shortened};
use crate::time::milliseconds;

/// Tries in all, when the diagram does not say.
const DEFAULT_RETRIES: u32 = 3;
/// The wait between two tries, when the diagram does not say.
const DEFAULT_BACKOFF: Backoff = Backoff::Exponential { delay_ms: 1_000, cap_ms: 30_000 };

/// The job that an element says it is, if it says so; the mapped dialects say it at `says`, which is the trigger of a
/// throwing event, or the element itself.
pub(super) fn said(
    element: Element<'_>,
    says: Element<'_>,
    context: &mut Context<'_, '_>,
) -> Option<JobSpec> {
    let http = http::header(element);
    if let Some(job) = extension(element, TYER, "job") {
        let usual = http.is_some().then_some(http::HTTP_JOB);
        let job_type = job_type(job.attribute("type").or(usual), element, context)?;
        let backoff = job.attribute("backoff").map(|written| own_backoff(written, element, context));
        let retries = retries(job.attribute("retries"), element, context);
        let mut spec = spec(element, job_type, (retries, backoff.unwrap_or(DEFAULT_BACKOFF)), context);
        spec.headers.extend(http);
        return Some(spec);
    }
    if let Some(header) = http {
        let mut spec = called(http::HTTP_JOB, element, context);
        spec.headers.push(header);
        return Some(spec);
    }
    if let Some(definition) = extension(element, ZEEBE, "taskDefinition") {
        let job_type = job_type(definition.attribute("type"), element, context)?;
        let retries = retries(definition.attribute("retries"), element, context);
        return Some(spec(element, job_type, (retries, DEFAULT_BACKOFF), context));
    }
    mapped_name(element, says).map(|name| called(&name, element, context))
}

/// A job of this type, with whatever else the element says of jobs.
pub(super) fn called(job_type: &str, element: Element<'_>, context: &mut Context<'_, '_>) -> JobSpec {
    let tries = mapped_tries(element, context);
    spec(element, Text::Literal(Arc::from(job_type)), tries, context)
}

fn spec(
    element: Element<'_>,
    job_type: Text,
    tries: (u32, Backoff),
    context: &mut Context<'_, '_>,
) -> JobSpec {
    let native =
        extension(element, ZEEBE, "jobPriorityDefinition").and_then(|said| said.attribute("priority"));
    let written = native.or_else(|| mapped_attribute(element, "jobPriority"));
    let priority = expression::optional(written, element, context);
    let (retries, backoff) = tries;
    JobSpec { job_type, retries, backoff, headers: headers(element), priority }
}

fn own_backoff(written: &str, element: Element<'_>, context: &mut Context<'_, '_>) -> Backoff {
    backoff(written).unwrap_or_else(|| {
        let message = format!("backoff `{}` of {} cannot be read", shortened(written), label(element));
        let hint = "write `fixed PT10S`, `linear PT1S PT30S` or `exponential PT1S PT30S`";
        context.report.error(Code::ValueInvalid, element, message, hint);
        DEFAULT_BACKOFF
    })
}

fn mapped_tries(element: Element<'_>, context: &mut Context<'_, '_>) -> (u32, Backoff) {
    let usual = (usual_tries(element), DEFAULT_BACKOFF);
    let Some(cycle) = mapped_extension(element, "failedJobRetryTimeCycle") else {
        return usual;
    };
    let written = cycle.text();
    let written = written.trim();
    if expression::is_juel(written) {
        let message =
            || format!("retry cycle `{}` of {} is not computed", shortened(written), label(element));
        context.report.found(Code::ExtensionIgnored, element, message);
        return usual;
    }
    retry_cycle(written).unwrap_or_else(|| {
        let message = format!("retry cycle `{}` of {} cannot be read", shortened(written), label(element));
        context.report.error(Code::ValueInvalid, element, message, "write it as R3/PT10S");
        usual
    })
}

/// The name that the mapped dialects give to work.
fn mapped_name(element: Element<'_>, says: Element<'_>) -> Option<String> {
    let named = ["topic", "class", "delegateExpression", "expression"];
    let named = named.iter().find_map(|name| mapped_attribute(says, name));
    let kind =
        || mapped_attribute(says, "type").filter(|kind| !matches!(*kind, "external" | "external-worker"));
    let connector = || {
        let connector = mapped_extension(element, "connector")?;
        let id = connector.children().find(|child| child.local_name() == "connectorId")?;
        Some(id.text().trim().to_owned())
    };
    let name = named.or_else(kind).map(|name| bare(name).to_owned()).or_else(connector)?;
    Some(name).filter(|name| !name.is_empty())
}

/// What stands in `${…}`, if that is all there is.
fn bare(name: &str) -> &str {
    let name = name.trim();
    let inner = name.strip_prefix("${").or_else(|| name.strip_prefix("#{"));
    inner.and_then(|rest| rest.strip_suffix('}')).unwrap_or(name).trim()
}

fn job_type(written: Option<&str>, element: Element<'_>, context: &mut Context<'_, '_>) -> Option<Text> {
    match written.map(str::trim) {
        None | Some("") => {
            let message = format!("job of {} has no type", label(element));
            context.report.error(
                Code::JobTypeMissing,
                element,
                message,
                "set its type to the name workers ask for",
            );
            None
        }
        Some(written) => expression::text(written, element, context),
    }
}

fn retries(written: Option<&str>, task: Element<'_>, context: &mut Context<'_, '_>) -> u32 {
    let Some(written) = written else {
        return usual_tries(task);
    };
    // `=3` is an expression, but a fixed one.
    written.trim().trim_start_matches('=').trim().parse().unwrap_or_else(|_| {
        let message = format!("retries `{}` of {} is not a number", shortened(written), label(task));
        context.report.error(
            Code::ValueInvalid,
            task,
            message,
            "write how often the job may be tried, such as 3",
        );
        DEFAULT_RETRIES
    })
}

/// What undoes a step is tried again only if it says so.
fn usual_tries(task: Element<'_>) -> u32 {
    if task.attribute("isForCompensation") == Some("true") { 1 } else { DEFAULT_RETRIES }
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

/// `R3/PT10S`: three tries, ten seconds apart; `PT1M,PT5M`: the waits after each try, of which the longest is kept.
fn retry_cycle(written: &str) -> Option<(u32, Backoff)> {
    if let Some((times, delay)) = written.strip_prefix('R').and_then(|rest| rest.split_once('/')) {
        return Some((times.parse().ok()?, Backoff::Fixed { delay_ms: milliseconds(delay)? }));
    }
    let waits: Option<Vec<u64>> = written.split(',').map(milliseconds).collect();
    let waits = waits?;
    let tries = u32::try_from(waits.len()).ok()?.saturating_add(1);
    Some((tries, Backoff::Fixed { delay_ms: waits.into_iter().max()? }))
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
        assert_eq!(retry_cycle("PT1M, PT5M"), Some((3, Backoff::Fixed { delay_ms: 300_000 })));
        assert_eq!(retry_cycle("R/PT10S"), None);
    }
}
