//! Tasks for people: who, until when, with which form.

use tyer_xml::Element;

use super::expression;
use crate::code::Code;
use crate::namespace::{ZEEBE, extension, mapped_attribute};
use crate::process::{Text, UserSpec};
use crate::report::{Report, label};

/// What a user task says about the people and the form.
pub(crate) fn compile(task: Element<'_>, report: &mut Report) -> Option<UserSpec> {
    let assignment = extension(task, ZEEBE, "assignmentDefinition");
    let schedule = extension(task, ZEEBE, "taskSchedule");
    let priority = extension(task, ZEEBE, "priorityDefinition");
    let mut field = |native: Option<Element<'_>>, name: &str| {
        let written =
            native.and_then(|element| element.attribute(name)).or_else(|| mapped_attribute(task, name));
        optional_text(written, task, report)
    };
    let assignee = field(assignment, "assignee");
    let candidate_users = field(assignment, "candidateUsers");
    let candidate_groups = field(assignment, "candidateGroups");
    let due_date = field(schedule, "dueDate");
    let priority = field(priority, "priority");
    Some(UserSpec {
        assignee: assignee?,
        candidate_users: candidate_users?,
        candidate_groups: candidate_groups?,
        due_date: due_date?,
        priority: checked_priority(priority?, task, report)?,
        form: form(task),
    })
}

/// The outer `None` is a problem that has been reported; the inner one is a field left empty.
fn optional_text(written: Option<&str>, task: Element<'_>, report: &mut Report) -> Option<Option<Text>> {
    match written.map(str::trim).filter(|written| !written.is_empty()) {
        None => Some(None),
        Some(written) => expression::text(written, task, report).map(Some),
    }
}

fn checked_priority(priority: Option<Text>, task: Element<'_>, report: &mut Report) -> Option<Option<Text>> {
    if let Some(Text::Literal(written)) = &priority
        && !written.parse::<u8>().is_ok_and(|number| number <= 100)
    {
        let message = || format!("priority `{written}` of {} is not a number from 0 to 100", label(task));
        report.error(Code::ValueInvalid, task, message(), "write a number from 0 to 100");
        return None;
    }
    Some(priority)
}

fn form(task: Element<'_>) -> Option<String> {
    let native = extension(task, ZEEBE, "formDefinition");
    let reference = |definition: Element<'_>| {
        ["formId", "formKey", "externalReference"]
            .iter()
            .find_map(|name| definition.attribute(name))
            .map(str::to_owned)
    };
    let mapped =
        || ["formKey", "formRef"].iter().find_map(|name| mapped_attribute(task, name)).map(str::to_owned);
    native.and_then(reference).or_else(mapped)
}
