//! A blueprint as BPMN 2.0 XML.
//!
//! **Invariant:** the ids of the blueprint are the ids of the file.
//! **Invariant:** elements stand in the order that the BPMN schema asks for.

mod attributes;
mod definitions;
mod elements;
mod events;

use crate::blueprint::{Blueprint, Kind, NodeId, SubProcess};
use std::fmt::Write;

/// The whole file: the process, the processes that it calls, and what their events name.
pub fn to_bpmn(blueprint: &Blueprint) -> String {
    let mut file = Xml::default();
    file.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    file.open(
        "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xmlns:zeebe=\"http://camunda.org/schema/zeebe/1.0\" xmlns:tyer=\"urn:tyer:bpmn:1\" \
         id=\"definitions\" targetNamespace=\"urn:tyer:sim\">",
    );
    let all = || std::iter::once(blueprint).chain(&blueprint.called);
    definitions::write(&mut file, all());
    for process in all() {
        file.open(&format!("<process id=\"{}\" isExecutable=\"true\">", process.id));
        write_content(&mut file, process, None);
        file.close("</process>");
    }
    file.close("</definitions>");
    file.text
}

/// Everything that stands directly in a container: nodes, flows, then the lines to compensation handlers.
fn write_content(file: &mut Xml, process: &Blueprint, container: Option<NodeId>) {
    for node in process.children(container) {
        elements::write(file, process, node);
    }
    for flow in process.flow_ids().filter(|flow| process[process[*flow].from].within == container) {
        let flow = &process[flow];
        let ends = format!("sourceRef=\"{}\" targetRef=\"{}\"", process[flow.from].id, process[flow.to].id);
        match &flow.condition {
            None => file.line(&format!("<sequenceFlow id=\"{}\" {ends}/>", flow.id)),
            Some(condition) => {
                file.open(&format!("<sequenceFlow id=\"{}\" {ends}>", flow.id));
                file.expression("conditionExpression", &condition.to_string());
                file.close("</sequenceFlow>");
            }
        }
    }
    if let Some(Kind::SubProcess(SubProcess::AdHoc { .. })) = container.map(|node| &process[node].kind) {
        return;
    }
    write_associations(file, process, container);
}

/// A compensation event points to its handler by an association.
fn write_associations(file: &mut Xml, process: &Blueprint, container: Option<NodeId>) {
    for handler in process.children(container) {
        if let Some(event) = process[handler].compensates {
            let (from, to) = (&process[event].id, &process[handler].id);
            file.line(&format!(
                "<association id=\"association_{to}\" associationDirection=\"One\" \
                 sourceRef=\"{from}\" targetRef=\"{to}\"/>"
            ));
        }
    }
}

/// Text with indentation.
#[derive(Default)]
struct Xml {
    text: String,
    depth: usize,
}

impl Xml {
    fn line(&mut self, text: &str) {
        let depth = self.depth * 2;
        writeln!(self.text, "{:depth$}{text}", "").expect("a string takes everything");
    }

    fn open(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }

    fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text);
    }

    /// An element that holds FEEL.
    fn expression(&mut self, element: &str, expression: &str) {
        let text = escaped(expression);
        self.line(&format!("<{element} xsi:type=\"tFormalExpression\">={text}</{element}>"));
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
