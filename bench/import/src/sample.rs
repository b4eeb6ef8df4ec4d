//! A diagram as modelling tools write it: decisions and tasks one after the other, with extensions and with pictures.

use std::fmt::Write;

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" xmlns:di="http://www.omg.org/spec/DD/20100524/DI" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" id="sample" targetNamespace="http://bpmn.io/schema/bpmn">
  <bpmn:process id="sample_process" isExecutable="true">
    <bpmn:startEvent id="Start">
      <bpmn:outgoing>Flow_0</bpmn:outgoing>
    </bpmn:startEvent>
"#;

/// A process of so many decisions, each with two tasks.
pub(crate) fn diagram(decisions: usize) -> String {
    let mut xml = HEAD.to_owned();
    (0..decisions).for_each(|number| decision(&mut xml, number));
    write(
        &mut xml,
        format_args!(
            r#"    <bpmn:sequenceFlow id="Flow_{decisions}" sourceRef="{from}" targetRef="End" />
    <bpmn:endEvent id="End">
      <bpmn:incoming>Flow_{decisions}</bpmn:incoming>
    </bpmn:endEvent>
  </bpmn:process>
  <bpmndi:BPMNDiagram id="Diagram">
    <bpmndi:BPMNPlane id="Plane" bpmnElement="sample_process">
"#,
            from = before(decisions),
        ),
    );
    (0..decisions).for_each(|number| picture(&mut xml, number));
    xml + "    </bpmndi:BPMNPlane>\n  </bpmndi:BPMNDiagram>\n</bpmn:definitions>\n"
}

fn write(xml: &mut String, text: std::fmt::Arguments<'_>) {
    xml.write_fmt(text).expect("a string takes everything");
}

/// What a decision comes after.
fn before(number: usize) -> String {
    number.checked_sub(1).map_or("Start".to_owned(), |number| format!("Activity_{number}_a"))
}

fn decision(xml: &mut String, number: usize) {
    let (from, next) = (before(number), number + 1);
    write(
        xml,
        format_args!(
            r#"    <bpmn:sequenceFlow id="Flow_{number}" sourceRef="{from}" targetRef="Gateway_{number}" />
    <bpmn:exclusiveGateway id="Gateway_{number}" name="amount of {number}?" default="Flow_{number}_else">
      <bpmn:incoming>Flow_{number}</bpmn:incoming>
      <bpmn:outgoing>Flow_{number}_else</bpmn:outgoing>
      <bpmn:outgoing>Flow_{number}_if</bpmn:outgoing>
    </bpmn:exclusiveGateway>
    <bpmn:sequenceFlow id="Flow_{number}_else" sourceRef="Gateway_{number}" targetRef="Activity_{number}_a" />
    <bpmn:sequenceFlow id="Flow_{number}_if" name="large" sourceRef="Gateway_{number}" targetRef="Activity_{number}_b">
      <bpmn:conditionExpression xsi:type="bpmn:tFormalExpression">=amount &gt; 1000</bpmn:conditionExpression>
    </bpmn:sequenceFlow>
    <bpmn:serviceTask id="Activity_{number}_a" name="book it">
      <bpmn:extensionElements>
        <zeebe:taskDefinition type="book" retries="3" />
      </bpmn:extensionElements>
      <bpmn:incoming>Flow_{number}_else</bpmn:incoming>
      <bpmn:outgoing>Flow_{next}</bpmn:outgoing>
    </bpmn:serviceTask>
    <bpmn:userTask id="Activity_{number}_b" name="look at it">
      <bpmn:incoming>Flow_{number}_if</bpmn:incoming>
    </bpmn:userTask>
"#
        ),
    );
}

fn picture(xml: &mut String, number: usize) {
    let x = 160 + number * 300;
    for (element, width, height) in [
        (format!("Gateway_{number}"), 50, 50),
        (format!("Activity_{number}_a"), 100, 80),
        (format!("Activity_{number}_b"), 100, 80),
    ] {
        write(
            xml,
            format_args!(
                r#"      <bpmndi:BPMNShape id="{element}_di" bpmnElement="{element}">
        <dc:Bounds x="{x}" y="117" width="{width}" height="{height}" />
        <bpmndi:BPMNLabel />
      </bpmndi:BPMNShape>
"#
            ),
        );
    }
    for flow in [format!("Flow_{number}"), format!("Flow_{number}_else"), format!("Flow_{number}_if")] {
        write(
            xml,
            format_args!(
                r#"      <bpmndi:BPMNEdge id="{flow}_di" bpmnElement="{flow}">
        <di:waypoint x="{x}" y="142" />
        <di:waypoint x="{end}" y="142" />
      </bpmndi:BPMNEdge>
"#,
                end = x + 50
            ),
        );
    }
}
