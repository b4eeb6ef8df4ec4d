//! What only the `tyer:` vocabulary can say.

use tyer_model::{BranchMerge, Code, InFlight, MergeMode, OnFailure, Saga, import};

use super::{Compiled, HEAD, between, compile, compiled, errors, read};

/// A process with these attributes.
fn with(attributes: &str, content: &str) -> Compiled {
    compiled(import(
        format!("{HEAD}<process id='p' isExecutable='true' {attributes}>{content}</process></definitions>")
            .as_bytes(),
    ))
}

#[test]
fn merge_modes_of_a_process_hold_for_nodes_that_are_no_gateways() {
    let content = "<startEvent id='s'/><task id='a'/><task id='b' tyer:mergeMode='race'/><parallelGateway id='g'/><endEvent id='e'/>\
        <sequenceFlow id='1' sourceRef='s' targetRef='a'/><sequenceFlow id='2' sourceRef='s' targetRef='a'/>\
        <sequenceFlow id='3' sourceRef='a' targetRef='b'/><sequenceFlow id='4' sourceRef='a' targetRef='b'/>\
        <sequenceFlow id='5' sourceRef='b' targetRef='g'/><sequenceFlow id='6' sourceRef='b' targetRef='g'/><sequenceFlow id='7' sourceRef='g' targetRef='e'/>";
    let compiled = with("tyer:mergeMode='merge'", content);
    let mode = |id: &str| compiled.node(id).merge;
    assert_eq!((mode("a"), mode("b")), (Some(MergeMode::Merge), Some(MergeMode::Race)));
    assert_eq!((mode("g"), mode("e")), (None, None), "gateways say it by their type; one flow needs no mode");
}

#[test]
fn sagas_and_failures_are_said_by_scope_and_inherited() {
    let inner = "<subProcess id='n' tyer:saga='local'><task id='t' tyer:onFailure='incident' tyer:branchScope='strict'/></subProcess>";
    let compiled =
        with("tyer:saga='global' tyer:sagaInFlight='terminate' tyer:onFailure='fail'", &between(inner));
    let (root, sub) = (compiled.process().body(None), compiled.process().body(Some(compiled.ix("n"))));
    assert_eq!(
        (root.saga, root.in_flight, root.on_failure),
        (Saga::Global, InFlight::Terminate, OnFailure::Fail)
    );
    assert_eq!(
        (sub.saga, sub.in_flight, sub.on_failure),
        (Saga::Local, InFlight::Terminate, OnFailure::Fail)
    );
    assert_eq!(compiled.node("t").on_failure, Some(OnFailure::Incident));
    assert_eq!(compiled.node("t").branch_scope, Some(BranchMerge::Strict));
}

#[test]
fn variables_can_be_masked_indexed_and_required() {
    let task = "<task id='n'><extensionElements><tyer:input name='a' type='number'/><tyer:input name='b' required='false'/></extensionElements></task>";
    let compiled = with("tyer:masked='card, pin' tyer:indexed='order' tyer:versionTag='v2'", &between(task));
    let root = compiled.process().body(None);
    assert_eq!((root.masked.len(), &*root.masked[1], &*root.indexed[0]), (2, "pin", "order"));
    assert_eq!(compiled.process().version_tag.as_deref(), Some("v2"));
    let declared = &compiled.node("n").declared;
    assert_eq!((declared[0].type_name.as_deref(), declared[0].required), (Some("number"), true));
    assert_eq!((declared[1].type_name.as_deref(), declared[1].required), (None, false));
}

#[test]
fn unknown_words_are_refused() {
    for (node, code) in [
        ("<task id='n' tyer:mergeMode='sometimes'/>", Code::ValueInvalid),
        ("<task id='n' tyer:nonsense='1'/>", Code::ExtensionNotSupported),
        (
            "<task id='n'><extensionElements><tyer:nonsense/></extensionElements></task>",
            Code::ExtensionNotSupported,
        ),
        (
            "<task id='n'><extensionElements><tyer:input name='a' type='colour'/></extensionElements></task>",
            Code::ValueInvalid,
        ),
    ] {
        assert_eq!(errors(read(HEAD, "", &between(node))), [code], "{node}");
    }
    assert_eq!(
        compile("", &between("<task id='n' tyer:mergeMode='cascade'/>")).node("n").merge,
        Some(MergeMode::Cascade)
    );
}
