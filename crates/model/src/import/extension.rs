//! Extensions on flow nodes: those that are read elsewhere, those without effect, and those that must not be skipped.

use tyer_xml::Element;

use crate::code::Code;
use crate::namespace::{MAPPED, TYER, ZEEBE, extensions};
use crate::report::{Report, label};

/// Extension elements that another file of this folder reads.
const READ: [&str; 9] = [
    "taskDefinition",
    "taskHeaders",
    "assignmentDefinition",
    "taskSchedule",
    "priorityDefinition",
    "formDefinition",
    "failedJobRetryTimeCycle",
    "userTask",
    "job",
];
/// Extension elements that change nothing that happens: notes for people, tools and forms.
const WITHOUT_EFFECT: [&str; 6] =
    ["properties", "formData", "userTaskForm", "versionTag", "template", "potentialStarter"];

/// Refuses extensions that would change what happens and are not executed.
pub(crate) fn check(element: Element<'_>, report: &mut Report) {
    for extension in extensions(element) {
        let name = extension.name();
        let known = name.namespace == ZEEBE || name.namespace == TYER || MAPPED.contains(&name.namespace);
        if known && !READ.contains(&name.local) && !WITHOUT_EFFECT.contains(&name.local) {
            let message = || {
                format!(
                    "extension `{}:{}` of {} is not executed",
                    extension.prefix(),
                    name.local,
                    label(element)
                )
            };
            report.error(
                Code::ExtensionNotSupported,
                element,
                message(),
                "remove it or model it another way",
            );
        }
    }
}
