//! Files that were made to hurt: each gets an answer, soon.

use std::fmt::Write;

use tyer_model::{Code, Definitions, Strictness, import};

const HEAD: &str = "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' targetNamespace='t'>";

fn refusal(xml: &str) -> Code {
    import(xml.as_bytes()).expect_err("it must be refused").0[0].code
}

#[test]
fn entities_attributes_depth_and_size_are_refused_before_they_cost_anything() {
    let laughs = "<!DOCTYPE d [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><definitions>&b;</definitions>";
    assert_eq!(refusal(laughs), Code::XmlMalformed);
    let theft = "<!DOCTYPE d [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><definitions>&x;</definitions>";
    assert_eq!(refusal(theft), Code::XmlMalformed);
    let attributes: String = (0..50_000).map(|number| format!(" a{number}='1'")).collect();
    assert_eq!(refusal(&format!("<definitions{attributes}/>")), Code::XmlMalformed);
    let deep = "<subProcess>".repeat(100_000) + &"</subProcess>".repeat(100_000);
    assert_eq!(refusal(&format!("{HEAD}<process id='p'>{deep}</process></definitions>")), Code::XmlMalformed);
    assert_eq!(refusal(&" ".repeat(70_000_000)), Code::XmlMalformed);
}

/// Takes seconds if any rule looks at every pair.
#[test]
fn many_elements_that_all_name_the_same_one_take_linear_time() {
    let mut xml =
        format!("{HEAD}<process id='p' isExecutable='true'><startEvent id='s'/><parallelGateway id='g'>");
    for number in 0..5_000 {
        write!(xml, "<incoming>f{number}</incoming>").expect("strings take everything");
    }
    xml += "</parallelGateway><inputSet id='i'>";
    for number in 0..5_000 {
        write!(
            xml,
            "<dataInputRefs>x{number}</dataInputRefs><optionalInputRefs>y{number}</optionalInputRefs>"
        )
        .expect("strings take everything");
    }
    xml += "</inputSet>";
    for number in 0..5_000 {
        write!(
            xml,
            "<sequenceFlow id='f{number}' sourceRef='s' targetRef='g'/><startEvent id='s{number}'/>\
             <intermediateThrowEvent id='t{number}'><linkEventDefinition id='l{number}' name='a'><target>l0</target>\
             </linkEventDefinition></intermediateThrowEvent><task id='same'/><task/>"
        )
        .expect("strings take everything");
    }
    xml += "</process></definitions>";
    let definitions = Definitions::read(xml.as_bytes()).expect("it is BPMN");
    assert_eq!(definitions.check(Strictness::Specification).len(), 1_001, "problems are cut off");
    assert!(definitions.compile().is_err());
}

/// Takes minutes if a definition is read anew for everybody who refers to it.
#[test]
fn a_large_definition_with_many_users_is_refused() {
    let mut xml = format!("{HEAD}<message id='m' name='m'><extensionElements>");
    xml += &"<x xmlns='y'/>".repeat(20_000);
    xml += "</extensionElements></message><process id='p' isExecutable='true'><startEvent id='s'/>";
    for number in 0..20_000 {
        write!(xml, "<receiveTask id='r{number}' messageRef='m'/>").expect("strings take everything");
    }
    xml += "</process></definitions>";
    let problems = import(xml.as_bytes()).expect_err("it is too large").0;
    assert!(problems.iter().any(|problem| problem.code == Code::SharedTooLarge));
}

#[test]
fn changed_bytes_never_crash_the_importer() {
    change_bytes(include_bytes!("orders.bpmn"), 23);
    change_bytes(include_bytes!("wide.bpmn"), 61);
}

fn change_bytes(good: &[u8], step: usize) {
    import(good).unwrap_or_else(|problems| panic!("{problems}"));
    let mut bytes = good.to_vec();
    for position in (0..bytes.len()).step_by(step) {
        let before = bytes[position];
        for changed in [b'<', b'"', b'=', b' ', 0xC3] {
            bytes[position] = changed;
            if let Ok(definitions) = Definitions::read(&bytes) {
                let _ = (
                    definitions.check(Strictness::Specification),
                    definitions.compile(),
                    definitions.to_xml(),
                );
            }
        }
        bytes[position] = before;
    }
}
