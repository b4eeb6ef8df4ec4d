//! A file written again: valid BPMN in the order of the schema, with its pictures, colours, notes and foreign extensions.
//!
//! **Invariant:** what is written reads back as an equal file, but for the changes asked for.
//! **Invariant:** recursion is bounded by the depth that the reader allows.

mod change;
mod equal;

use tyer_xml::{Element, Writer};

use crate::definitions::{Definitions, Role};
use crate::schema::{Family, Kind, Schema};
pub use change::Change;
use change::Plan;

impl Definitions {
    /// The file as BPMN 2.0 XML, in the order of the schema.
    ///
    /// ```
    /// let xml = b"<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' targetNamespace='t'/>";
    /// let definitions = tyer_model::Definitions::read(xml)?;
    /// assert_eq!(tyer_model::Definitions::read(definitions.to_xml().as_bytes())?, definitions);
    /// # Ok::<(), tyer_model::Problems>(())
    /// ```
    pub fn to_xml(&self) -> String {
        self.write(&Plan::default())
    }

    /// The file with changes, as BPMN 2.0 XML. What hangs on a removed element goes with it: its flows, boundary
    /// events, places in lanes, and pictures.
    pub fn to_xml_with(&self, changes: &[Change]) -> String {
        let changed = self.write(&Plan::of(self, changes));
        // What was added stands last; reading it again puts it where the schema wants it.
        Definitions::read(changed.as_bytes()).map_or(changed, |definitions| definitions.to_xml())
    }

    fn write(&self, plan: &Plan<'_>) -> String {
        let mut writer = Writer::new();
        self.write_element(self.root(), plan, &mut writer);
        writer.finish()
    }

    fn write_element(&self, element: Element<'_>, plan: &Plan<'_>, writer: &mut Writer) {
        if plan.removes(element) {
            return;
        }
        let kind = match self.role(element) {
            Role::Is(kind) if !Schema::get().of(kind).open && !self.is_a(element, &[Family::Expression]) => {
                Some(kind)
            }
            Role::Is(_) | Role::Reference(_) | Role::Unknown => None,
            Role::Foreign if plan.touches(element) => None,
            Role::Foreign => return writer.raw(element.source()),
        };
        let is_closed = kind.is_some() || self.role(element) == Role::Foreign;
        if !is_closed && !plan.touches(element) {
            return writer.raw(element.source());
        }
        start(element, plan, writer);
        for child in in_order(element, kind) {
            self.write_element(child, plan, writer);
        }
        for addition in plan.additions(element) {
            writer.raw(addition);
        }
        let text = element.text();
        if !text.trim().is_empty() {
            writer.text(&text);
        }
        writer.end();
    }
}

fn start(element: Element<'_>, plan: &Plan<'_>, writer: &mut Writer) {
    writer.start(&qualified(element.prefix(), element.local_name()));
    for (prefix, namespace) in element.declarations() {
        let name = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
        writer.attribute(&name, namespace);
    }
    for attribute in element.attributes() {
        let name = qualified(attribute.prefix, attribute.name.local);
        match plan.attribute(element, &name) {
            None => writer.attribute(&name, attribute.value),
            Some(Some(value)) => writer.attribute(&name, value),
            Some(None) => {}
        }
    }
    for (name, value) in plan.new_attributes(element) {
        writer.attribute(name, value);
    }
}

/// The children as the schema orders them; foreign ones keep their place behind the one before them.
fn in_order<'d>(element: Element<'d>, kind: Option<Kind>) -> Vec<Element<'d>> {
    let mut children: Vec<_> = element.children().collect();
    let Some(kind) = kind else { return children };
    let mut before = 0;
    let mut ranked: Vec<_> = children
        .drain(..)
        .map(|child| {
            let rank = Schema::get().place(kind, child.local_name()).map_or(before, |(rank, ..)| rank);
            before = rank;
            (rank, child)
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, child)| child).collect()
}

fn qualified(prefix: &str, local: &str) -> String {
    if prefix.is_empty() { local.to_owned() } else { format!("{prefix}:{local}") }
}
