//! Call activities.

use tyer_model::{Binding, CallSpec, Code, NodeKind};

use super::{Compiled, HEAD, between, compile, compile_mapped, errors, read, shown};

fn call(compiled: &Compiled) -> &CallSpec {
    let kind = &compiled.node("n").kind;
    let NodeKind::Call(call) = kind else { panic!("no call: {kind:?}") };
    call
}

#[test]
fn plain_and_native_calls_pass_everything_unless_they_say_otherwise() {
    let compiled = compile("", &between("<callActivity id='n' calledElement='other'/>"));
    let found = call(&compiled);
    assert_eq!((shown(&found.process), found.all_in, found.all_out), ("other".to_owned(), true, true));
    assert!(matches!(found.binding, Binding::Latest));
    let native = "<callActivity id='n'><extensionElements><zeebe:calledElement processId='=which' propagateAllChildVariables='false' \
        propagateAllParentVariables='false' bindingType='versionTag' versionTag='v1'/></extensionElements></callActivity>";
    let compiled = compile("", &between(native));
    let found = call(&compiled);
    assert_eq!((shown(&found.process), found.all_in, found.all_out), ("=which".to_owned(), false, false));
    assert!(matches!(&found.binding, Binding::Tag(tag) if shown(tag) == "v1"));
    assert_eq!(errors(read(HEAD, "", &between("<callActivity id='n'/>"))), [Code::CalledElementMissing]);
}

#[test]
fn calls_of_the_mapped_dialects_pass_what_they_name() {
    let activity = "<callActivity id='n' calledElement='other' camunda:calledElementBinding='version' camunda:calledElementVersion='2'>\
        <extensionElements><camunda:in source='a' target='b'/><camunda:in sourceExpression='${c + 1}' target='d'/>\
        <camunda:in businessKey='${key}'/><camunda:out variables='all'/></extensionElements></callActivity>";
    let compiled = compile_mapped("", &between(activity));
    let found = call(&compiled);
    let inputs: Vec<_> =
        found.inputs.iter().map(|input| format!("{}{}", input.target[0], shown(&input.source))).collect();
    assert_eq!(inputs, ["b=a", "d=${c + 1}"]);
    assert_eq!((found.all_in, found.all_out, found.outputs.len()), (false, true, 0));
    assert_eq!(found.business_key.as_ref().map(shown).as_deref(), Some("=${key}"));
    assert!(matches!(&found.binding, Binding::Version(version) if shown(version) == "2"));
    let compiled = compile_mapped("", &between("<callActivity id='n' calledElement='other'/>"));
    assert_eq!((call(&compiled).all_in, call(&compiled).all_out), (false, false), "what is not named stays");
}

#[test]
fn a_global_task_is_done_where_it_is_called() {
    let global = "<globalUserTask id='g'><potentialOwner><resourceAssignmentExpression><formalExpression>sales</formalExpression>\
        </resourceAssignmentExpression></potentialOwner></globalUserTask>";
    let compiled = compile(global, &between("<callActivity id='n' calledElement='g'/>"));
    assert!(matches!(&compiled.node("n").kind, NodeKind::User(user) if user.candidate_groups.is_some()));
    let script = "<globalScriptTask id='g' scriptLanguage='feel'><script>1</script></globalScriptTask>";
    let compiled = compile(script, &between("<callActivity id='n' calledElement='g'/>"));
    assert!(matches!(compiled.node("n").kind, NodeKind::Script(_)));
    let compiled = compile("<globalTask id='g'/>", &between("<callActivity id='n' calledElement='g'/>"));
    assert!(matches!(compiled.node("n").kind, NodeKind::Pass));
}
