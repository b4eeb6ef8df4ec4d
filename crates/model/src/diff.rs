//! What changed between two versions of a file, as people would say it: elements, conditions, timers, job types.
//!
//! **Invariant:** pictures, order, prefixes and derived lists (`incoming`, `outgoing`) do not count.

use std::collections::HashMap;
use std::fmt;

use serde::Serialize;
use tyer_map::Map;
use tyer_xml::Element;

use crate::definitions::{Definitions, Role};
use crate::schema::Family;

/// What changed between two versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Elements of the new version in document order, then those that are gone.
    pub elements: Vec<ElementChange>,
}

/// What happened to one element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ElementChange {
    /// Its id.
    pub id: String,
    /// What it is, such as `userTask`.
    pub kind: String,
    /// What people call it.
    pub name: Option<String>,
    /// What happened.
    pub change: Kind,
    /// What it says differently; empty if it is new or gone.
    pub details: Vec<Detail>,
}

/// What happened to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It says something else.
    Changed,
}

/// One thing that an element says differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Detail {
    /// What, as a path: `name`, `conditionExpression`, `extensionElements/taskDefinition@type`.
    pub what: String,
    /// What it said.
    pub before: Option<String>,
    /// What it says now.
    pub after: Option<String>,
}

impl Definitions {
    /// What changed from an older version to this one.
    pub fn difference_from(&self, older: &Definitions) -> Difference {
        let (before, after) = (older.subjects(), self.subjects());
        let known: HashMap<&str, Element<'_>> = before.iter().copied().collect();
        let kept: HashMap<&str, Element<'_>> = after.iter().copied().collect();
        let of_new = after.iter().filter_map(|(id, element)| match known.get(id) {
            None => Some(change(*element, id, Kind::Added, Vec::new())),
            Some(old) => {
                let details = details(&older.says(*old), &self.says(*element));
                (!details.is_empty()).then(|| change(*element, id, Kind::Changed, details))
            }
        });
        let gone = before.iter().filter(|(id, _)| !kept.contains_key(id));
        let gone = gone.map(|(id, element)| change(*element, id, Kind::Removed, Vec::new()));
        Difference { elements: of_new.chain(gone).collect() }
    }

    /// The elements that people talk about; everything else is part of one of them.
    fn subjects(&self) -> Vec<(&str, Element<'_>)> {
        let with_id = self.elements().filter(|(element, _)| self.is_subject(*element));
        with_id.filter_map(|(element, _)| Some((element.attribute("id")?, element))).collect()
    }

    fn is_subject(&self, element: Element<'_>) -> bool {
        let is_root = element.parent() == Some(self.root());
        is_root
            || self
                .is_a(element, &[Family::FlowElement, Family::Participant, Family::Lane, Family::MessageFlow])
    }

    /// Everything an element says, by path.
    fn says<'d>(&'d self, subject: Element<'d>) -> Map<String, String> {
        let mut said = Map::from([("element".to_owned(), subject.local_name().to_owned())]);
        let scope = subject.parent().and_then(|parent| parent.attribute("id"));
        said.extend(scope.map(|scope| ("scope".to_owned(), scope.to_owned())));
        let mut waiting = vec![(String::new(), subject)];
        while let Some((path, element)) = waiting.pop() {
            say(&path, element, &mut said);
            let mut numbers: HashMap<&str, usize> = HashMap::new();
            for child in element.children().filter(|child| self.belongs(*child)) {
                let number = numbers.entry(child.local_name()).or_default();
                *number += 1;
                let repeated = if *number == 1 { String::new() } else { format!("[{number}]") };
                let separator = if path.is_empty() { "" } else { "/" };
                waiting.push((format!("{path}{separator}{}{repeated}", child.local_name()), child));
            }
        }
        said
    }

    /// Whether a child is part of what its parent says, rather than a subject of its own or derived.
    fn belongs(&self, child: Element<'_>) -> bool {
        let derived = matches!(child.local_name(), "incoming" | "outgoing" | "BPMNDiagram");
        let own = self.role(child) == Role::Foreign || !self.is_subject(child);
        own && !derived
    }
}

fn say(path: &str, element: Element<'_>, said: &mut Map<String, String>) {
    for attribute in element.attributes().filter(|attribute| attribute.name.local != "id") {
        let separator = if path.is_empty() { "" } else { "@" };
        said.insert(format!("{path}{separator}{}", attribute.name.local), attribute.value.to_owned());
    }
    let text = element.text();
    if !text.trim().is_empty() {
        said.insert(path.to_owned(), text.trim().to_owned());
    }
}

fn details(before: &Map<String, String>, after: &Map<String, String>) -> Vec<Detail> {
    let mut names: Vec<_> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let differs = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    let detail = |name: &String| Detail {
        what: name.clone(),
        before: before.get(name).cloned(),
        after: after.get(name).cloned(),
    };
    differs.map(detail).collect()
}

fn change(element: Element<'_>, id: &str, change: Kind, details: Vec<Detail>) -> ElementChange {
    let name = element.attribute("name").map(str::to_owned);
    ElementChange { id: id.to_owned(), kind: element.local_name().to_owned(), name, change, details }
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ElementChange { id, kind, name, change, details } in &self.elements {
            let mark = match change {
                Kind::Added => '+',
                Kind::Removed => '-',
                Kind::Changed => '~',
            };
            let name = name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
            writeln!(formatter, "{mark} {kind} {id}{name}")?;
            for Detail { what, before, after } in details {
                let shown = |value: &Option<String>| {
                    value.as_ref().map_or("nothing".to_owned(), |value| format!("`{value}`"))
                };
                writeln!(formatter, "    {what}: {} -> {}", shown(before), shown(after))?;
            }
        }
        Ok(())
    }
}
