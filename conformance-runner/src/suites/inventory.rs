//! Counts the elements and references of a BPMN file without Tyer's reader: a second opinion.
//!
//! **Invariant:** shares no code with the importer it judges.

use std::collections::{BTreeMap, BTreeSet};

/// How often each BPMN element stands in a file, and how often each reference names an element of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Inventory {
    /// By local name.
    pub(super) elements: BTreeMap<String, u64>,
    /// By the name of the attribute or element that refers.
    pub(super) references: BTreeMap<String, u64>,
}

const BPMN: &str = "http://www.omg.org/spec/BPMN/20100524/MODEL";

/// Attributes and elements that name other elements, besides those that end in `Ref` or `Refs`.
const REFERRING: [&str; 7] =
    ["incoming", "outgoing", "default", "calledElement", "supports", "source", "target"];

/// Counts with a scanner of a few lines, good enough for files that are known to be valid. What stands in elements of
/// other namespaces is theirs.
pub(super) fn count(text: &str) -> Inventory {
    let own = tags(text);
    let of_id =
        |tag: &Tag<'_>| tag.attributes.iter().find(|(name, _)| *name == "id").map(|(_, id)| (*id).to_owned());
    let ids: BTreeSet<String> = own.iter().filter_map(of_id).collect();
    let is_known = |value: &str| ids.contains(value.rsplit(':').next().unwrap_or(value).trim());
    let mut inventory = Inventory::default();
    for tag in own {
        *inventory.elements.entry(tag.name.to_owned()).or_default() += 1;
        if refers(tag.name) && is_known(tag.text) {
            *inventory.references.entry(tag.name.to_owned()).or_default() += 1;
        }
        for (name, _) in tag.attributes.iter().filter(|(name, value)| refers(name) && is_known(value)) {
            *inventory.references.entry((*name).to_owned()).or_default() += 1;
        }
    }
    inventory
}

fn refers(name: &str) -> bool {
    let outside = ["implementationRef", "evaluatesToTypeRef"];
    (name.ends_with("Ref") || name.ends_with("Refs") || REFERRING.contains(&name)) && !outside.contains(&name)
}

struct Tag<'t> {
    name: &'t str,
    attributes: Vec<(&'t str, &'t str)>,
    text: &'t str,
}

/// An element that is open: what it declares, and whether it and all around it are BPMN.
struct Open<'t> {
    declared: Vec<(&'t str, &'t str)>,
    is_own: bool,
}

fn tags(text: &str) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let skipped = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>"), ("/", ">")];
        if let Some((begin, end)) = skipped.iter().find(|(begin, _)| rest.starts_with(begin)) {
            if *begin == "/" {
                open.pop();
            }
            rest = rest.split_once(end).map_or("", |(_, after)| after);
            continue;
        }
        let (tag, after) = rest.split_at(end_of_tag(rest));
        let qualified = tag.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        let (prefix, name) = qualified.split_once(':').unwrap_or(("", qualified));
        let attributes = attributes(&tag[qualified.len()..]);
        let declared = attributes.iter().filter_map(|(name, value)| match name.strip_prefix("xmlns")? {
            "" => Some(("", *value)),
            prefixed => Some((prefixed.strip_prefix(':')?, *value)),
        });
        let inside = open.last().is_none_or(|around| around.is_own);
        open.push(Open { declared: declared.collect(), is_own: false });
        let namespace = open.iter().rev().flat_map(|open| &open.declared).find(|(known, _)| *known == prefix);
        let is_own = inside && namespace.is_some_and(|(_, namespace)| *namespace == BPMN);
        if let Some(last) = open.last_mut() {
            last.is_own = is_own;
        }
        if tag.ends_with('/') {
            open.pop();
        }
        if is_own {
            let inner = after.trim_start_matches('>').split('<').next().unwrap_or_default();
            tags.push(Tag { name, attributes, text: inner.trim() });
        }
        rest = after;
    }
    tags
}

fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (position, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return position,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    text.len()
}

fn attributes(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let Some(quote) = after.chars().next() else { break };
        let Some((value, after)) = after[1..].split_once(quote) else {
            break;
        };
        found.push((name.trim(), value));
        rest = after;
    }
    found
}
