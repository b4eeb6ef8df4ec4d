//! Tasks: who does the work.

use tyer_model::{Code, NodeKind, Text};

use super::{Compiled, HEAD, between, compile, compile_mapped, errors, read, shown};

fn job(compiled: &Compiled) -> (String, Vec<(&str, &str)>) {
    let kind = &compiled.node("n").kind;
    let NodeKind::Job(job) = kind else { panic!("no job: {kind:?}") };
    let headers = job.headers.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    (shown(&job.job_type), headers)
}

#[test]
fn a_task_without_implementation_is_a_job_called_like_its_id() {
    let compiled = compile("", &between("<serviceTask id='n'/>"));
    assert_eq!(job(&compiled).0, "n");
    assert_eq!(compiled.warnings(), [Code::JobTypeAssumed]);
    let empty = "<serviceTask id='n'><extensionElements><zeebe:taskDefinition type=''/></extensionElements></serviceTask>";
    assert_eq!(errors(read(HEAD, "", &between(empty)))[0], Code::JobTypeMissing);
}

#[test]
fn scripts_in_feel_run_in_the_engine_and_others_are_jobs() {
    let native = "<scriptTask id='n'><extensionElements><zeebe:script expression='=a + 1' resultVariable='b'/></extensionElements></scriptTask>";
    let plain = "<scriptTask id='n' scriptFormat='feel'><script>a + 1</script></scriptTask>";
    for (task, result) in [(native, Some("b")), (plain, None)] {
        let compiled = compile("", &between(task));
        let NodeKind::Script(script) = &compiled.node("n").kind else { panic!("a script") };
        assert_eq!((script.expression.text(), script.result.as_deref()), ("a + 1", result));
    }
    let other = "<scriptTask id='n' scriptFormat='javascript' camunda:resultVariable='x'><script>1 + 1</script></scriptTask>";
    let compiled = compile_mapped("", &between(other));
    let headers = vec![("language", "javascript"), ("code", "1 + 1"), ("resultVariable", "x")];
    assert_eq!(job(&compiled), ("tyer.script".to_owned(), headers));
}

#[test]
fn decisions_are_jobs_of_their_own() {
    let native = "<businessRuleTask id='n'><extensionElements><zeebe:calledDecision decisionId='d' resultVariable='r'/></extensionElements></businessRuleTask>";
    let headers = vec![("decisionId", "d"), ("resultVariable", "r")];
    assert_eq!(job(&compile("", &between(native))), ("tyer.decision".to_owned(), headers));
    let mapped = "<businessRuleTask id='n' camunda:decisionRef='d' camunda:decisionRefBinding='version' camunda:decisionRefVersion='2' \
        camunda:mapDecisionResult='singleEntry'/>";
    let headers = vec![
        ("decisionId", "d"),
        ("binding", "version"),
        ("version", "2"),
        ("mapDecisionResult", "singleEntry"),
    ];
    assert_eq!(job(&compile_mapped("", &between(mapped))), ("tyer.decision".to_owned(), headers));
}

#[test]
fn expressions_of_the_mapped_dialects_are_computed_if_they_call_no_code() {
    let kind =
        |attributes: &str| compile_mapped("", &between(&format!("<serviceTask id='n' {attributes}/>")));
    let compiled = kind("camunda:expression='${a + 1}' camunda:resultVariable='b'");
    let NodeKind::Script(script) = &compiled.node("n").kind else { panic!("a script") };
    assert_eq!(script.result.as_deref(), Some("b"));
    assert!(matches!(kind("flowable:expression='${true}'").node("n").kind, NodeKind::Pass));
    assert_eq!(job(&kind("camunda:expression='${bean.pay(order)}'")).0, "bean.pay(order)");
    assert_eq!(
        job(&kind("camunda:expression='${bean}'")).0,
        "bean",
        "it can only be meant to have an effect"
    );
    assert_eq!(job(&kind("flowable:type='mail'")).0, "mail");
}

#[test]
fn sending_and_receiving_need_no_worker() {
    let message = "<message id='m' name='paid'/>";
    let compiled = compile(message, &between("<sendTask id='n' messageRef='m'/>"));
    assert!(matches!(&compiled.node("n").kind, NodeKind::Send(sent) if shown(&sent.name) == "paid"));
    let compiled = compile(message, &between("<receiveTask id='n' messageRef='m'/>"));
    let NodeKind::Receive { message, instantiate } = &compiled.node("n").kind else { panic!("it receives") };
    assert_eq!((shown(&message.name), *instantiate), ("paid".to_owned(), false));
    let compiled = compile_mapped("", &between("<sendTask id='n' camunda:topic='mail'/>"));
    assert_eq!(job(&compiled).0, "mail");
}

#[test]
fn calls_over_http_travel_in_one_header() {
    let task = "<serviceTask id='n'><extensionElements><tyer:job retries='5'/><tyer:http url='https://a' method='GET'>\
        <tyer:header name='x' value='1'/><tyer:body>=order</tyer:body></tyer:http></extensionElements></serviceTask>";
    let compiled = compile("", &between(task));
    let (job_type, headers) = job(&compiled);
    let config = r#"{"headers":{"x":"1"},"method":"GET","requestBody":"=order","url":"https://a"}"#;
    assert_eq!((job_type.as_str(), headers), ("tyer.http", vec![("config", config)]));
}

#[test]
fn people_are_named_by_every_vocabulary() {
    let roles = "<userTask id='n'><humanPerformer><resourceAssignmentExpression><formalExpression>ann</formalExpression></resourceAssignmentExpression></humanPerformer>\
        <potentialOwner><resourceAssignmentExpression><formalExpression>user(bob), group(sales), others</formalExpression></resourceAssignmentExpression></potentialOwner></userTask>";
    let native = "<userTask id='n'><extensionElements><zeebe:userTask/><zeebe:assignmentDefinition assignee='=boss' candidateGroups='a,b'/>\
        <zeebe:taskSchedule dueDate='2030-01-01T00:00:00Z'/><zeebe:formDefinition formId='f'/></extensionElements></userTask>";
    let people = |compiled: &Compiled| {
        let NodeKind::User(user) = &compiled.node("n").kind else { panic!("a user task") };
        let said = |text: &Option<Text>| text.as_ref().map(shown).unwrap_or_default();
        [said(&user.assignee), said(&user.candidate_users), said(&user.candidate_groups)]
    };
    assert_eq!(people(&compile("", &between(roles))), ["ann", "bob", "sales,others"]);
    assert_eq!(people(&compile("", &between(native))), ["=boss", "", "a,b"]);
    let mapped = "<userTask id='n' camunda:assignee='${ann}' flowable:candidateUsers='b, c'/>";
    assert_eq!(people(&compile_mapped("", &between(mapped))), ["=${ann}", "b, c", ""]);
}

#[test]
fn listeners_and_fields_of_the_mapped_dialects_are_reported_and_do_not_stand_in_the_way() {
    let task = "<serviceTask id='n' camunda:class='a.B'><extensionElements><camunda:executionListener class='x' event='start'/>\
        <camunda:field name='a'/></extensionElements></serviceTask>";
    let compiled = compile_mapped("", &between(task));
    assert_eq!(compiled.warnings(), [Code::ExtensionIgnored, Code::ExtensionIgnored]);
    let listener =
        "<userTask id='n'><extensionElements><zeebe:taskListeners/></extensionElements></userTask>";
    assert_eq!(errors(read(HEAD, "", &between(listener))), [Code::ExtensionNotSupported]);
}
