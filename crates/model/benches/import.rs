//! How fast files are read, checked and compiled: `cargo bench -p tyer-model`.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::disallowed_types,
    reason = "a bench measures time and tells it"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use tyer_model::{Definitions, import};
use tyer_xml::{Document, Limits};

fn main() {
    let average = diagram(16);
    println!("average file: {} KB", average.len() / 1024);
    measure("  xml tree", average.len(), || {
        drop(black_box(Document::parse(average.as_bytes(), &Limits::default())))
    });
    measure("  definitions", average.len(), || drop(black_box(Definitions::read(average.as_bytes()))));
    measure("  import", average.len(), || {
        drop(black_box(import(average.as_bytes()).expect("the diagram is executable")))
    });
    let large = diagram(20_000);
    println!("large file: {} MB", large.len() / 1024 / 1024);
    measure("  xml tree", large.len(), || {
        drop(black_box(Document::parse(large.as_bytes(), &Limits::default())))
    });
    measure("  definitions", large.len(), || drop(black_box(Definitions::read(large.as_bytes()))));
    measure("  import", large.len(), || {
        drop(black_box(import(large.as_bytes()).expect("the diagram is executable")))
    });
}

/// The best of many runs: what the machine can do when nobody else wants it.
fn measure(name: &str, bytes: usize, mut work: impl FnMut()) {
    let mut best = Duration::MAX;
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(2) {
        let before = Instant::now();
        work();
        best = best.min(before.elapsed());
    }
    let rate = bytes as f64 / best.as_secs_f64() / 1e6;
    println!("{name:<16} {:>10.3} ms {rate:>8.1} MB/s", best.as_secs_f64() * 1e3);
}

/// A process of so many gateways, jobs and user tasks in a row, with its picture, as modelling tools write it.
fn diagram(steps: usize) -> String {
    let mut process = String::new();
    let mut picture = String::new();
    for step in 0..steps {
        process += &format!(
            r#"
    <bpmn:exclusiveGateway id="Gateway_{step}" name="amount of {step}?" default="Flow_{step}_else">
      <bpmn:incoming>Flow_{step}</bpmn:incoming>
      <bpmn:outgoing>Flow_{step}_else</bpmn:outgoing>
      <bpmn:outgoing>Flow_{step}_if</bpmn:outgoing>
    </bpmn:exclusiveGateway>
    <bpmn:sequenceFlow id="Flow_{step}_else" sourceRef="Gateway_{step}" targetRef="Activity_{step}_a" />
    <bpmn:sequenceFlow id="Flow_{step}_if" name="large" sourceRef="Gateway_{step}" targetRef="Activity_{step}_b">
      <bpmn:conditionExpression xsi:type="bpmn:tFormalExpression">=amount &gt; 1000</bpmn:conditionExpression>
    </bpmn:sequenceFlow>
    <bpmn:serviceTask id="Activity_{step}_a" name="book it">
      <bpmn:extensionElements><zeebe:taskDefinition type="book" retries="3" /></bpmn:extensionElements>
      <bpmn:incoming>Flow_{step}_else</bpmn:incoming>
      <bpmn:outgoing>Flow_{next}</bpmn:outgoing>
    </bpmn:serviceTask>
    <bpmn:userTask id="Activity_{step}_b" name="look at it">
      <bpmn:incoming>Flow_{step}_if</bpmn:incoming>
    </bpmn:userTask>
    <bpmn:sequenceFlow id="Flow_{next}" sourceRef="Activity_{step}_a" targetRef="Gateway_{next}" />"#,
            next = step + 1
        );
        for shape in ["Gateway", "Activity_a", "Activity_b"] {
            picture += &format!(
                r#"
      <bpmndi:BPMNShape id="{shape}_{step}_di" bpmnElement="Gateway_{step}">
        <dc:Bounds x="{step}60" y="117" width="100" height="80" />
      </bpmndi:BPMNShape>"#
            );
        }
    }
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" id="d" targetNamespace="http://bpmn.io/schema/bpmn">
  <bpmn:process id="large" isExecutable="true">
    <bpmn:startEvent id="Start" />
    <bpmn:sequenceFlow id="Flow_0" sourceRef="Start" targetRef="Gateway_0" />{process}
    <bpmn:endEvent id="Gateway_{steps}" />
  </bpmn:process>
  <bpmndi:BPMNDiagram id="Diagram"><bpmndi:BPMNPlane id="Plane" bpmnElement="large">{picture}
  </bpmndi:BPMNPlane></bpmndi:BPMNDiagram>
</bpmn:definitions>"#
    )
}
