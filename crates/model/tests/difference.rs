//! What people would say has changed between two versions.

use tyer_model::Definitions;

fn difference(old: &str, new: &str) -> String {
    let read = |xml: &str| Definitions::read(xml.as_bytes()).expect("it is BPMN");
    read(new).difference_from(&read(old)).to_string()
}

const ORDERS: &str = include_str!("orders.bpmn");

#[test]
fn the_same_version_has_no_difference_however_it_is_written() {
    assert_eq!(difference(ORDERS, ORDERS), "");
    let again = Definitions::read(ORDERS.as_bytes()).expect("it is BPMN").to_xml();
    assert_eq!(difference(ORDERS, &again), "");
}

#[test]
fn timers_types_conditions_and_elements_are_told_apart() {
    let new = ORDERS
        .replace("P1D", "P2D")
        .replace("check-stock", "ask-warehouse")
        .replace("stock &gt; 0", "stock &gt; 1")
        .replace("name=\"pack it\"", "name=\"wrap it\"")
        .replace(
            "<bpmn:endEvent id=\"sent\"",
            "<bpmn:task id=\"thank\" name=\"thank\"/><bpmn:endEvent id=\"sent\"",
        );
    let expected = "\
~ serviceTask check (check the stock)
    extensionElements/taskDefinition@type: `check-stock` -> `ask-warehouse`
~ sequenceFlow to_pack
    conditionExpression: `=stock > 0` -> `=stock > 1`
~ intermediateCatchEvent wait (a day later)
    timerEventDefinition/timeDuration: `P1D` -> `P2D`
~ userTask pack (wrap it)
    name: `pack it` -> `wrap it`
+ task thank (thank)
";
    assert_eq!(difference(ORDERS, &new), expected);
    assert!(difference(&new, ORDERS).ends_with("- task thank (thank)\n"));
}

#[test]
fn a_difference_is_json_too() {
    let read = |xml: &str| Definitions::read(xml.as_bytes()).expect("it is BPMN");
    let changed = read(&ORDERS.replace("P1D", "P2D")).difference_from(&read(ORDERS));
    let json = serde_json::to_value(&changed).expect("a difference is JSON");
    assert_eq!(json["elements"][0]["change"], "changed");
    assert_eq!(json["elements"][0]["details"][0]["after"], "P2D");
}
