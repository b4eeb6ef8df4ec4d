//! A diagram as BPMN 2.0 XML.
//!
//! **Invariant:** a flow is called `<source>-<target>`, and a second one between the same nodes `<source>-<target>-2`.

use tyer_xml::Writer;

use super::{Arrow, Diagram, Shape, Sketch, Spot, When};

pub(super) fn write(diagram: &Diagram) -> String {
    let mut xml = Writer::new();
    xml.start("definitions");
    xml.attribute("xmlns", "http://www.omg.org/spec/BPMN/20100524/MODEL");
    xml.attribute("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
    xml.attribute("xmlns:tyer", "urn:tyer:bpmn:1");
    xml.attribute("xmlns:zeebe", "http://camunda.org/schema/zeebe/1.0");
    xml.attribute("targetNamespace", "urn:tyer:transcript");
    for process in &diagram.processes {
        write_process(process, &mut xml);
    }
    xml.end();
    xml.finish()
}

fn write_process(process: &Sketch, xml: &mut Writer) {
    xml.start("process");
    xml.attribute("id", &process.id);
    xml.attribute("isExecutable", "true");
    let flows: Vec<Vec<(String, &Arrow)>> = process.nodes.iter().map(named_arrows).collect();
    for (node, flows) in process.nodes.iter().zip(&flows) {
        write_node(node, flows, xml);
    }
    for (node, flows) in process.nodes.iter().zip(&flows) {
        for (id, arrow) in flows {
            write_flow(id, &node.id, arrow, xml);
        }
    }
    xml.end();
}

fn named_arrows(node: &Spot) -> Vec<(String, &Arrow)> {
    let mut named: Vec<(String, &Arrow)> = Vec::new();
    for arrow in &node.arrows {
        let earlier = named.iter().filter(|(_, other)| other.target == arrow.target).count();
        let suffix = if earlier == 0 { String::new() } else { format!("-{}", earlier + 1) };
        named.push((format!("{}-{}{suffix}", node.id, arrow.target), arrow));
    }
    named
}

fn write_node(node: &Spot, flows: &[(String, &Arrow)], xml: &mut Writer) {
    xml.start(match &node.shape {
        Shape::Start => "startEvent",
        Shape::End => "endEvent",
        Shape::Pass => "task",
        Shape::Job(_) => "serviceTask",
        Shape::User(_) => "userTask",
        Shape::Exclusive => "exclusiveGateway",
        Shape::Parallel => "parallelGateway",
        Shape::Timer(..) => "intermediateCatchEvent",
    });
    xml.attribute("id", &node.id);
    if let Some(name) = &node.name {
        xml.attribute("name", name);
    }
    if let Some((default, _)) = flows.iter().find(|(_, arrow)| arrow.when == When::Else) {
        xml.attribute("default", default);
    }
    match &node.shape {
        Shape::Start | Shape::End | Shape::Pass | Shape::Exclusive | Shape::Parallel => {}
        Shape::Job(attributes) => write_job(attributes, xml),
        Shape::User(said) => write_user(said, xml),
        Shape::Timer(element, time) => write_timer(element, time, xml),
    }
    xml.end();
}

fn write_job(attributes: &[(&'static str, String)], xml: &mut Writer) {
    xml.start("extensionElements");
    xml.start("tyer:job");
    for (name, value) in attributes {
        xml.attribute(name, value);
    }
    xml.end();
    xml.end();
}

fn write_user(said: &[(&'static str, &'static str, String)], xml: &mut Writer) {
    if said.is_empty() {
        return;
    }
    xml.start("extensionElements");
    for group in said.chunk_by(|one, other| one.0 == other.0) {
        xml.start(&format!("zeebe:{}", group[0].0));
        for (_, attribute, value) in group {
            xml.attribute(attribute, value);
        }
        xml.end();
    }
    xml.end();
}

fn write_timer(element: &str, time: &str, xml: &mut Writer) {
    xml.start("timerEventDefinition");
    xml.start(element);
    xml.attribute("xsi:type", "tFormalExpression");
    xml.text(time);
    xml.end();
    xml.end();
}

fn write_flow(id: &str, source: &str, arrow: &Arrow, xml: &mut Writer) {
    xml.start("sequenceFlow");
    xml.attribute("id", id);
    xml.attribute("sourceRef", source);
    xml.attribute("targetRef", &arrow.target);
    if let When::If(condition) = &arrow.when {
        xml.start("conditionExpression");
        xml.attribute("xsi:type", "tFormalExpression");
        xml.text(condition);
        xml.end();
    }
    xml.end();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_passes_the_importer() {
        let text = "process all
            start -> a
            a : pass named \"A & B\" -> fork
            fork : parallel -> b, c, c
            b : job work retries 2 backoff fixed PT1S -> gate
            c : user assignee anna groups \"x, y\" priority 75 form f due 2030-01-31T12:00:00Z -> gate
            gate : exclusive -> wait if x < 5 and y = \"<\", late else
            wait : timer PT5S -> end
            late : timer until =moment -> end";
        let xml = write(&Diagram::parse(text).expect("a diagram"));
        let imported = tyer_model::import(xml.as_bytes()).expect("it can run");
        assert_eq!(imported.warnings, []);
        let process = &imported.processes[0];
        for id in ["start-a", "fork-c", "fork-c-2", "gate-late"] {
            assert!(process.find_flow(id).is_some(), "{id}");
        }
    }
}
