//! Loops, multi-instance markers and quantities.

use tyer_model::{Behaviour, Code, Count, Multi, NodeKind, Repeat, Throw};

use super::{Compiled, HEAD, between, compile, compile_mapped, errors, read, written};

fn marked(marker: &str) -> String {
    between(&format!("<task id='n'>{marker}</task>"))
}

fn multi(compiled: &Compiled) -> &Multi {
    let repeat = compiled.node("n").repeat.as_deref();
    let Some(Repeat::Multi(multi)) = repeat else { panic!("not multi-instance: {repeat:?}") };
    multi
}

#[test]
fn a_loop_has_a_condition_and_an_end() {
    let marker = "<standardLoopCharacteristics testBefore='true' loopMaximum='3'><loopCondition>${a &lt; 1}</loopCondition></standardLoopCharacteristics>";
    let compiled = compile("", &marked(marker));
    let repeat = compiled.node("n").repeat.as_deref();
    let Some(Repeat::Loop { before, condition, max }) = repeat else { panic!("not a loop: {repeat:?}") };
    assert_eq!(
        (*before, written(condition.as_ref()), written(max.as_ref())),
        (true, Some("${a < 1}"), Some("3"))
    );
    let negative = "<standardLoopCharacteristics loopMaximum='-1'/>";
    assert_eq!(errors(read(HEAD, "", &marked(negative))), [Code::ValueInvalid]);
}

#[test]
fn a_number_or_a_list_says_how_often() {
    let open = "<multiInstanceLoopCharacteristics isSequential='true'>";
    let close = "</multiInstanceLoopCharacteristics>";
    let cardinality = |text: &str| format!("{open}<loopCardinality>{text}</loopCardinality>{close}");
    for text in ["3", "${n}", "=n + 1", "n"] {
        let compiled = compile("", &marked(&cardinality(text)));
        assert!(
            matches!(multi(&compiled).count, Count::Cardinality(_)) && multi(&compiled).sequential,
            "{text}"
        );
    }
    assert_eq!(errors(read(HEAD, "", &marked(&cardinality("-1")))), [Code::ValueInvalid]);
    assert_eq!(errors(read(HEAD, "", &marked(&format!("{open}{close}")))), [Code::MultiInstanceCount]);
    let native = "<multiInstanceLoopCharacteristics><extensionElements><zeebe:loopCharacteristics inputCollection='=items' inputElement='item' \
        outputCollection='results' outputElement='=result'/></extensionElements>\
        <completionCondition>=numberOfCompletedInstances &gt; 1</completionCondition></multiInstanceLoopCharacteristics>";
    let compiled = compile("", &marked(native));
    let found = multi(&compiled);
    assert!(matches!(&found.count, Count::Collection(list) if list.text() == "items"));
    assert_eq!(found.element.as_deref(), Some("item"));
    let gathered = found.gathered.as_ref().map(|gathered| (&*gathered.collection, gathered.element.text()));
    assert_eq!(gathered, Some(("results", "result")));
    assert_eq!(written(found.completion.as_ref()), Some("numberOfCompletedInstances > 1"));
    let mapped =
        "<multiInstanceLoopCharacteristics camunda:collection='people' camunda:elementVariable='person'/>";
    let compiled = compile_mapped("", &marked(mapped));
    assert!(matches!(&multi(&compiled).count, Count::Collection(list) if list.text() == "people"));
    assert_eq!(multi(&compiled).element.as_deref(), Some("person"));
}

#[test]
fn data_inputs_and_outputs_of_a_loop_lead_outside() {
    let task = "<task id='n'><ioSpecification><dataInput id='in' name='all'/><dataOutput id='out'/><inputSet/><outputSet/></ioSpecification>\
        <dataInputAssociation><sourceRef>d1</sourceRef><targetRef>in</targetRef></dataInputAssociation>\
        <dataOutputAssociation><sourceRef>out</sourceRef><targetRef>d2</targetRef></dataOutputAssociation>\
        <multiInstanceLoopCharacteristics><loopDataInputRef>in</loopDataInputRef><loopDataOutputRef>out</loopDataOutputRef>\
        <inputDataItem id='one' name='item'/><outputDataItem id='other' name='done'/></multiInstanceLoopCharacteristics></task>";
    let objects = "<dataObject id='d1' name='items'/><dataObject id='d2' name='results'/>";
    let compiled = compile("", &(objects.to_owned() + &between(task)));
    let found = multi(&compiled);
    assert!(matches!(&found.count, Count::Collection(list) if list.text() == "items"));
    let gathered = found.gathered.as_ref().map(|gathered| (&*gathered.collection, gathered.element.text()));
    assert_eq!((found.element.as_deref(), gathered), (Some("item"), Some(("results", "done"))));
    let node = compiled.node("n");
    assert!(
        node.inputs.is_empty() && node.outputs.is_empty(),
        "what the loop hands out is not copied in every round"
    );
}

#[test]
fn rounds_throw_what_their_behaviour_says() {
    let roots = "<signal id='s1' name='alarm'/><signalEventDefinition id='def' signalRef='s1'/>";
    let with = |attributes: &str, inner: &str| {
        let marker = format!(
            "<multiInstanceLoopCharacteristics {attributes}><loopCardinality>3</loopCardinality>{inner}</multiInstanceLoopCharacteristics>"
        );
        compile(roots, &marked(&marker))
    };
    assert!(matches!(multi(&with("", "")).behaviour, Behaviour::All));
    let compiled = with("behavior='None' noneBehaviorEventRef='def'", "");
    assert!(
        matches!(&multi(&compiled).behaviour, Behaviour::None(thrown) if matches!(thrown[..], [Throw::Signal(_)]))
    );
    let compiled = with("behavior='One' oneBehaviorEventRef='def'", "");
    assert!(matches!(&multi(&compiled).behaviour, Behaviour::One(thrown) if thrown.len() == 1));
    let complex = "<complexBehaviorDefinition id='c'><condition xsi:type='tFormalExpression'>a</condition>\
        <event id='ev'><signalEventDefinition signalRef='s1'/></event></complexBehaviorDefinition>";
    let compiled = with("behavior='Complex'", complex);
    let Behaviour::Complex(cases) = &multi(&compiled).behaviour else { panic!("complex") };
    assert_eq!((cases[0].0.text(), cases[0].1.len()), ("a", 1));
}

#[test]
fn quantities_are_at_least_one() {
    let compiled = compile("", &between("<task id='n' startQuantity='2' completionQuantity='3'/>"));
    assert_eq!((compiled.node("n").start_quantity, compiled.node("n").completion_quantity), (2, 3));
    assert_eq!(
        errors(read(HEAD, "", &between("<task id='n' startQuantity='0'/>"))),
        [Code::QuantityBelowOne]
    );
    assert!(matches!(compiled.node("n").kind, NodeKind::Pass));
}
