//! What is written again reads back the same, and changes leave valid files.

use tyer_model::{Change, Definitions, Strictness};

const DIAGRAM: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<b:definitions xmlns:b="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:di="http://www.omg.org/spec/BPMN/20100524/DI"
    xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" xmlns:x="urn:x" id="d" targetNamespace="urn:t" x:colour="blue">
  <b:process id="p" isExecutable="true">
    <b:documentation>two &lt; three <![CDATA[<b>bold</b>]]></b:documentation>
    <b:extensionElements><x:note at="1">keep <x:this/> as it is</x:note></b:extensionElements>
    <b:sequenceFlow id="f" sourceRef="s" targetRef="t"/>
    <b:startEvent id="s"><b:outgoing>f</b:outgoing></b:startEvent>
    <b:task id="t" name="a &quot;task&quot;"><b:incoming>f</b:incoming></b:task>
    <b:boundaryEvent id="edge" attachedToRef="t"><b:timerEventDefinition/></b:boundaryEvent>
    <b:laneSet id="ls"><b:lane id="l"><b:flowNodeRef>s</b:flowNodeRef><b:flowNodeRef>t</b:flowNodeRef></b:lane></b:laneSet>
  </b:process>
  <di:BPMNDiagram id="dia"><di:BPMNPlane id="pl" bpmnElement="p">
    <di:BPMNShape id="s_di" bpmnElement="s"><dc:Bounds x="1" y="2" width="3" height="4"/></di:BPMNShape>
    <di:BPMNShape id="t_di" bpmnElement="t"/><di:BPMNEdge id="f_di" bpmnElement="f"/>
  </di:BPMNPlane></di:BPMNDiagram>
</b:definitions>"#;

fn read(xml: &str) -> Definitions {
    Definitions::read(xml.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn an_exported_file_says_the_same_in_the_order_of_the_schema() {
    let definitions = read(DIAGRAM);
    let exported = definitions.to_xml();
    assert!(read(&exported) == definitions, "{exported}");
    let order = |xml: &str, name: &str| xml.find(name).unwrap_or_else(|| panic!("{name} is in {xml}"));
    assert!(order(&exported, "<b:laneSet") < order(&exported, "<b:sequenceFlow"));
    assert!(exported.contains("<x:note at=\"1\">keep <x:this/> as it is</x:note>"));
    assert_eq!(read(&exported).to_xml(), exported, "writing again changes nothing");
}

#[test]
fn a_changed_attribute_changes_the_model_and_nothing_else() {
    let definitions = read(DIAGRAM);
    let set = |attribute: &str, value: Option<&str>| Change::Set {
        id: "t".to_owned(),
        attribute: attribute.to_owned(),
        value: value.map(str::to_owned),
    };
    let changed = read(&definitions.to_xml_with(&[set("name", Some("b & c")), set("x:mark", Some("1"))]));
    let task = changed.find("t").expect("the task is still there");
    assert_eq!(task.attribute("name"), Some("b & c"));
    assert_eq!(task.attribute_ns("urn:x", "mark"), Some("1"));
    assert!(changed != definitions);
    let back = changed.to_xml_with(&[set("name", Some("a \"task\"")), set("x:mark", None)]);
    assert!(read(&back) == definitions);
}

#[test]
fn a_removed_node_takes_its_flows_boundaries_lanes_and_pictures_with_it() {
    let definitions = read(DIAGRAM);
    let changed = definitions.to_xml_with(&[Change::Remove { id: "t".to_owned() }]);
    for gone in ["\"t\"", "\"edge\"", "\"f\"", "t_di", "f_di", "<b:outgoing", "<b:flowNodeRef>t"] {
        assert!(!changed.contains(gone), "{gone} is still in {changed}");
    }
    assert!(changed.contains("<b:flowNodeRef>s") && changed.contains("s_di"));
    let codes: Vec<_> =
        read(&changed).check(Strictness::Deployment).into_iter().map(|problem| problem.code).collect();
    assert_eq!(codes, []);
}

#[test]
fn an_added_node_becomes_part_of_the_file() {
    let definitions = read(DIAGRAM);
    let xml = "<b:task id=\"new\"/>".to_owned();
    let changed = read(&definitions.to_xml_with(&[Change::Add { to: "p".to_owned(), xml }]));
    assert!(changed.find("new").is_some());
}
