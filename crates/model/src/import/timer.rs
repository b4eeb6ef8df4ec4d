//! Timers: when, as a duration, a moment or a cycle.
//!
//! **Invariant:** a literal time in a compiled process can be read: durations and cycles as ISO 8601 (cycles as cron
//! too), moments as RFC 3339.

use std::sync::Arc;

use tyer_xml::Element;

use super::context::Context;
use super::expression;
use crate::code::Code;
use crate::namespace::BPMN;
use crate::process::{Text, TimerSpec};
use crate::report::{label, shortened};
use crate::time;

/// What a `timerEventDefinition` says.
pub(crate) fn compile(
    definition: Element<'_>,
    owner: Element<'_>,
    context: &mut Context<'_, '_>,
) -> Option<TimerSpec> {
    let is_time = |child: &Element<'_>| {
        child.name().namespace == BPMN
            && matches!(child.local_name(), "timeDate" | "timeDuration" | "timeCycle")
    };
    let times: Vec<_> = definition.children().filter(is_time).collect();
    let [time] = times[..] else {
        let message = || format!("timer of {} has {} times", label(owner), times.len());
        context.report.error(
            Code::TimerInvalid,
            owner,
            message(),
            "give it one of timeDate, timeDuration or timeCycle",
        );
        return None;
    };
    let value = time.text();
    match time.local_name() {
        "timeDuration" => literal_or_expression(&value, owner, context, duration).map(TimerSpec::Duration),
        "timeDate" => literal_or_expression(&value, owner, context, date).map(TimerSpec::Date),
        _ => literal_or_expression(&value, owner, context, cycle).map(TimerSpec::Cycle),
    }
}

type Read = fn(&str) -> Option<String>;

fn literal_or_expression(
    value: &str,
    owner: Element<'_>,
    context: &mut Context<'_, '_>,
    read: Read,
) -> Option<Text> {
    match expression::text(value.trim(), owner, context)? {
        Text::Literal(written) => match read(&written) {
            Some(understood) => Some(Text::Literal(Arc::from(understood))),
            None => {
                let message =
                    || format!("timer of {}: `{}` cannot be read", label(owner), shortened(&written));
                context.report.found(Code::TimerInvalid, owner, message);
                None
            }
        },
        computed @ Text::Expression(_) => Some(computed),
    }
}

fn duration(written: &str) -> Option<String> {
    time::duration(written).map(|_| written.to_owned())
}

/// Moments are kept in UTC, so that the engine has one form to read.
fn date(written: &str) -> Option<String> {
    time::moment(written).map(|moment| moment.to_string())
}

fn cycle(written: &str) -> Option<String> {
    time::is_cycle(written).then(|| written.to_owned())
}
