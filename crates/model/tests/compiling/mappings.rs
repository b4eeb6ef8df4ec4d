//! What goes into activities and what is kept of their results.

use tyer_model::{Code, Mapping};

use super::{HEAD, MAPPED_HEAD, between, compile, compile_mapped, errors, read, shown};

fn lines(mappings: &[Mapping]) -> Vec<String> {
    mappings
        .iter()
        .map(|mapping| format!("{} <- {}", mapping.target.join("/"), shown(&mapping.source)))
        .collect()
}

#[test]
fn native_mappings_keep_their_order_and_paths() {
    let task = "<task id='n'><extensionElements><zeebe:ioMapping><zeebe:input source='=a' target='b.c'/><zeebe:input source='fixed' target='d'/>\
        <zeebe:input target='e'/><zeebe:output source='=r' target='f'/></zeebe:ioMapping></extensionElements></task>";
    let compiled = compile("", &between(task));
    assert_eq!(lines(&compiled.node("n").inputs), ["b/c <- =a", "d <- fixed", "e <- =null"]);
    assert_eq!(lines(&compiled.node("n").outputs), ["f <- =r"]);
    let wrong = task.replace("b.c", "b..c");
    assert_eq!(errors(read(HEAD, "", &between(&wrong))), [Code::ValueInvalid]);
}

#[test]
fn parameters_of_the_mapped_dialects_are_texts_expressions_lists_and_maps() {
    let parameter = |content: &str| {
        format!(
            "<task id='n'><extensionElements><camunda:inputOutput><camunda:inputParameter name='x'>{content}</camunda:inputParameter>\
             <camunda:outputParameter name='y'>${{x}}</camunda:outputParameter></camunda:inputOutput></extensionElements></task>"
        )
    };
    let input = |content: &str| {
        let compiled = compile_mapped("", &between(&parameter(content)));
        assert_eq!(lines(&compiled.node("n").outputs), ["y <- =${x}"]);
        lines(&compiled.node("n").inputs).remove(0)
    };
    assert_eq!(input("plain"), "x <- plain");
    assert_eq!(input("a ${b}"), "x <- =a ${b}");
    assert_eq!(input(""), "x <- =null");
    let list =
        "<camunda:list><camunda:value>1</camunda:value><camunda:value>${b}</camunda:value></camunda:list>";
    let map = "<camunda:map><camunda:entry key='k'>v</camunda:entry></camunda:map>";
    for nested in [list, map] {
        assert!(input(nested).starts_with("x <- =<"), "it is computed");
    }
    let script = parameter("<camunda:script scriptFormat='groovy'>1</camunda:script>");
    assert_eq!(errors(read(MAPPED_HEAD, "", &between(&script))), [Code::ExpressionNotSupported]);
    let deep = "<camunda:list>".repeat(40) + &"</camunda:list>".repeat(40);
    assert_eq!(errors(read(MAPPED_HEAD, "", &between(&parameter(&deep)))), [Code::ValueInvalid]);
}

#[test]
fn data_associations_copy_between_variables() {
    let task = "<task id='n'><ioSpecification><dataInput id='in' name='the input'/><dataOutput id='out'/><inputSet/><outputSet/></ioSpecification>\
        <property id='prop' name='local'/>\
        <dataInputAssociation><sourceRef>r</sourceRef><targetRef>in</targetRef></dataInputAssociation>\
        <dataInputAssociation><sourceRef>r</sourceRef><targetRef>in</targetRef><transformation>order.total</transformation></dataInputAssociation>\
        <dataInputAssociation><targetRef>in</targetRef><assignment><from>1</from><to>a.b</to></assignment></dataInputAssociation>\
        <dataOutputAssociation><sourceRef>out</sourceRef><targetRef>d</targetRef></dataOutputAssociation></task>";
    let objects = "<dataObject id='d' name='order'/><dataObjectReference id='r' dataObjectRef='d'/>";
    let compiled = compile("", &(objects.to_owned() + &between(task)));
    let inputs = ["local <- =null", "the input <- =order", "the input <- =order.total", "a/b <- =1"];
    assert_eq!(lines(&compiled.node("n").inputs), inputs);
    assert_eq!(lines(&compiled.node("n").outputs), ["order <- =out"]);
}

#[test]
fn what_is_only_drawn_is_not_copied() {
    let task = "<task id='n'><property id='prop' name='__targetRef_placeholder'/><dataInputAssociation><sourceRef>r</sourceRef><targetRef>prop</targetRef>\
        </dataInputAssociation><dataOutputAssociation><targetRef>store</targetRef></dataOutputAssociation></task>";
    let objects = "<dataObject id='d'/><dataObjectReference id='r' name='Order' dataObjectRef='d'/><dataStoreReference id='store' name='Orders'/>";
    let compiled = compile("", &(objects.to_owned() + &between(task)));
    assert!(compiled.node("n").inputs.is_empty() && compiled.node("n").outputs.is_empty());
    assert!(compiled.process().body(None).data.is_empty());
}

#[test]
fn names_with_blanks_and_methods_may_stand_in_unmarked_expressions() {
    let content = |condition: &str| {
        format!(
            "<dataObject id='d' name='Service Level'/><startEvent id='s'/><exclusiveGateway id='x' default='g'/><endEvent id='e'/>
             <sequenceFlow id='f' sourceRef='s' targetRef='x'/><sequenceFlow id='g' sourceRef='x' targetRef='e'/>
             <sequenceFlow id='h' sourceRef='x' targetRef='e'><conditionExpression>{condition}</conditionExpression></sequenceFlow>"
        )
    };
    for condition in [
        "Service Level = \"high\"",
        "text.contains(\"a\")",
        "!text.contains('a') &amp;&amp; b == 1",
        "a != 1",
    ] {
        assert_eq!(compile("", &content(condition)).warnings(), [], "{condition}");
    }
    // A comparison that lost its other side must not become what is left of it.
    assert_eq!(errors(read(HEAD, "", &content("amount &gt;"))), [Code::ExpressionInvalid]);
    assert_eq!(errors(read(HEAD, "", &content("=text.contains(("))), [Code::ExpressionInvalid]);
}
