//! Tasks for people: who shall or may do them, until when, with which form.

use tyer_xml::Element;

use super::context::{Context, words};
use super::expression;
use crate::code::Code;
use crate::namespace::{BPMN, ZEEBE, bpmn_children, extension, mapped_attribute};
use crate::process::{Text, UserSpec};
use crate::report::label;

/// What a user task says about the people and the form.
pub(crate) fn compile(task: Element<'_>, context: &mut Context<'_, '_>) -> UserSpec {
    let assignment = extension(task, ZEEBE, "assignmentDefinition");
    let schedule = extension(task, ZEEBE, "taskSchedule");
    let priority = extension(task, ZEEBE, "priorityDefinition");
    let written = |native: Option<Element<'_>>, name: &str| {
        let said =
            native.and_then(|element| element.attribute(name)).or_else(|| mapped_attribute(task, name));
        said.map(str::trim).filter(|said| !said.is_empty()).map(str::to_owned)
    };
    let owners = Owners::of(task);
    let users = joined(written(assignment, "candidateUsers"), owners.users);
    let groups = joined(written(assignment, "candidateGroups"), owners.groups);
    let mut field = |written: Option<String>| expression::optional(written.as_deref(), task, context);
    UserSpec {
        assignee: field(written(assignment, "assignee").or(owners.performer)),
        candidate_users: field(users),
        candidate_groups: field(groups),
        due_date: field(written(schedule, "dueDate")),
        priority: field(written(priority, "priority"))
            .filter(|priority| checked_priority(priority, task, context)),
        form: form(task),
    }
}

/// The people that BPMN's own roles name.
#[derive(Default)]
struct Owners {
    performer: Option<String>,
    users: Vec<String>,
    groups: Vec<String>,
}

impl Owners {
    fn of(task: Element<'_>) -> Owners {
        let mut owners = Owners::default();
        for role in task.children().filter(|child| child.name().namespace == BPMN) {
            let Some(written) = assigned(role) else { continue };
            match role.local_name() {
                "humanPerformer" | "performer" => {
                    owners.performer.get_or_insert(written);
                }
                "potentialOwner" => owners.add(&written),
                _ => {}
            }
        }
        owners
    }

    /// `user(ann), group(sales), others`: a bare name is a group.
    fn add(&mut self, written: &str) {
        for name in words(written) {
            let inside = |kind: &str| {
                let rest = name.strip_prefix(kind)?.trim_start().strip_prefix('(')?;
                rest.strip_suffix(')').map(|inside| inside.trim().to_owned())
            };
            match (inside("user"), inside("group")) {
                (Some(user), _) => self.users.push(user),
                (None, Some(group)) => self.groups.push(group),
                (None, None) => self.groups.push(name.to_owned()),
            }
        }
    }
}

fn assigned(role: Element<'_>) -> Option<String> {
    let assignment = bpmn_children(role, "resourceAssignmentExpression").next()?;
    let formal = assignment.children().find(|child| child.name().namespace == BPMN);
    let written = formal.unwrap_or(assignment).text().trim().to_owned();
    Some(written).filter(|written| !written.is_empty())
}

/// A computed list cannot be added to: it wins.
fn joined(written: Option<String>, owners: Vec<String>) -> Option<String> {
    if written.as_ref().is_some_and(|written| written.starts_with('=')) {
        return written;
    }
    let all: Vec<_> = written.into_iter().chain(owners).collect();
    (!all.is_empty()).then(|| all.join(","))
}

fn checked_priority(priority: &Text, task: Element<'_>, context: &mut Context<'_, '_>) -> bool {
    let Text::Literal(written) = priority else { return true };
    let fits = written.parse::<u8>().is_ok_and(|number| number <= 100);
    if !fits {
        let message = format!("priority `{written}` of {} is not a number from 0 to 100", label(task));
        context.report.error(Code::ValueInvalid, task, message, "write a number from 0 to 100");
    }
    fits
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
