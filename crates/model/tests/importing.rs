//! What the importer makes of small diagrams.

use tyer_model::{
    Backoff, Code, Fate, Imported, Node, NodeKind, Problems, Severity, Text, TimerSpec, Trigger, Triggers,
    import,
};

const HEAD: &str = "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' \
    xmlns:zeebe='http://camunda.org/schema/zeebe/1.0' xmlns:camunda='http://camunda.org/schema/1.0/bpmn' \
    xmlns:flowable='http://flowable.org/bpmn' xmlns:tyer='urn:tyer:bpmn:1' xmlns:other='urn:other'>";

fn read(process: &str) -> Result<Imported, Problems> {
    import(format!("{HEAD}<process id='p' isExecutable='true'>{process}</process></definitions>").as_bytes())
}

/// A node between a start and an end.
fn read_node(node: &str) -> Result<Imported, Problems> {
    read(&format!(
        "<startEvent id='s'/><endEvent id='e'/>{node}
         <sequenceFlow id='f1' sourceRef='s' targetRef='n'/><sequenceFlow id='f2' sourceRef='n' targetRef='e'/>"
    ))
}

fn codes(outcome: Result<Imported, Problems>) -> Vec<(Code, Option<String>)> {
    let problems = match outcome {
        Ok(imported) => imported.warnings,
        Err(problems) => problems.0,
    };
    problems.into_iter().map(|problem| (problem.code, problem.element)).collect()
}

fn only_code(outcome: Result<Imported, Problems>) -> Code {
    match codes(outcome)[..] {
        [(code, _)] => code,
        ref others => panic!("expected one problem, got {others:?}"),
    }
}

/// What a worker gets of the node `n`.
fn job(node: &str) -> (String, u32, Backoff, Vec<(String, String)>) {
    let imported = read_node(node).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(imported.warnings, [], "nothing is odd");
    let process = &imported.processes[0];
    let parts = process.node(process.find_node("n").expect("the node is compiled"));
    assert_eq!((parts.incoming.len(), parts.outgoing.len()), (1, 1));
    let NodeKind::Job(job) = &parts.kind else { panic!("not a job: {:?}", parts.kind) };
    let Text::Literal(name) = &job.job_type else { panic!("not a fixed name: {:?}", job.job_type) };
    (name.to_string(), job.retries, job.backoff, job.headers.clone())
}

#[test]
fn three_vocabularies_name_jobs() {
    let usual = Backoff::Exponential { delay_ms: 1_000, cap_ms: 30_000 };
    for (node, expected) in [
        (
            "<serviceTask id='n'><extensionElements><zeebe:taskDefinition type='pay'/></extensionElements></serviceTask>",
            ("pay", 3, usual),
        ),
        (
            "<sendTask id='n'><extensionElements><zeebe:taskDefinition type='pay' retries='5'/></extensionElements></sendTask>",
            ("pay", 5, usual),
        ),
        ("<serviceTask id='n' camunda:type='external' camunda:topic='pay'/>", ("pay", 3, usual)),
        ("<serviceTask id='n' camunda:class='org.Pay'/>", ("org.Pay", 3, usual)),
        ("<serviceTask id='n' flowable:delegateExpression='${pay}'/>", ("pay", 3, usual)),
        (
            "<businessRuleTask id='n' camunda:topic='pay'><extensionElements><camunda:failedJobRetryTimeCycle>R4/PT10S</camunda:failedJobRetryTimeCycle></extensionElements></businessRuleTask>",
            ("pay", 4, Backoff::Fixed { delay_ms: 10_000 }),
        ),
        (
            "<scriptTask id='n'><extensionElements><tyer:job type='pay' retries='2' backoff='linear PT1S PT5S'/></extensionElements></scriptTask>",
            ("pay", 2, Backoff::Linear { delay_ms: 1_000, cap_ms: 5_000 }),
        ),
    ] {
        let (name, retries, backoff) = expected;
        assert_eq!(job(node), (name.to_owned(), retries, backoff, Vec::new()), "{node}");
    }
}

#[test]
fn headers_are_handed_to_the_worker() {
    let node = "<serviceTask id='n'><extensionElements><zeebe:taskDefinition type='t'/><zeebe:taskHeaders>\
        <zeebe:header key='a' value='1'/><zeebe:header key='b' value='2'/></zeebe:taskHeaders></extensionElements></serviceTask>";
    let (.., headers) = job(node);
    assert_eq!(headers, [("a".to_owned(), "1".to_owned()), ("b".to_owned(), "2".to_owned())]);
}

#[test]
fn user_tasks_know_people_and_forms() {
    let imported = read_node(
        "<userTask id='n' camunda:candidateGroups='sales' camunda:formKey='f' camunda:priority='80'/>",
    );
    let imported = imported.expect("it is executable");
    let process = &imported.processes[0];
    let NodeKind::User(user) = &process.node(process.find_node("n").expect("n is there")).kind else {
        panic!("a user task")
    };
    assert!(matches!(&user.candidate_groups, Some(Text::Literal(groups)) if &**groups == "sales"));
    assert_eq!(user.form.as_deref(), Some("f"));
    assert_eq!(only_code(read_node("<userTask id='n' camunda:priority='high'/>")), Code::ValueInvalid);
}

fn timer_of(node: &Node) -> &TimerSpec {
    let NodeKind::Catch(Triggers { any, .. }) = &node.kind else { panic!("no catch: {:?}", node.kind) };
    let [Trigger::Timer(timer)] = &any[..] else { panic!("not a timer: {any:?}") };
    timer
}

#[test]
fn timers_wait_for_durations_and_moments() {
    let timer = |time: &str| {
        let node = "<intermediateCatchEvent id='n'><timerEventDefinition>TIME</timerEventDefinition></intermediateCatchEvent>";
        read_node(&node.replace("TIME", time))
    };
    let imported = timer("<timeDuration> PT5S </timeDuration>").expect("a duration");
    let process = &imported.processes[0];
    let node = process.node(process.find_node("n").expect("n is there"));
    assert!(matches!(timer_of(node), TimerSpec::Duration(Text::Literal(time)) if &**time == "PT5S"));
    timer("<timeDate>2030-01-01T00:00:00+01:00</timeDate>").expect("a moment");
    let computed = timer("<timeDuration>=wait</timeDuration>").expect("an expression");
    let process = &computed.processes[0];
    let node = process.node(process.find_node("n").expect("n is there"));
    assert!(matches!(timer_of(node), TimerSpec::Duration(Text::Expression(_))));
    for cycle in ["R3/PT10S", "R/2030-01-01T00:00:00Z/P1D", "0 0 9 * * MON-FRI"] {
        timer(&format!("<timeCycle>{cycle}</timeCycle>")).expect("a cycle");
    }
    for wrong in [
        "",
        "<timeDuration>soon</timeDuration>",
        "<timeDate>PT5S</timeDate>",
        "<timeCycle>often</timeCycle>",
        "<timeDuration>PT1S</timeDuration><timeDate>2030-01-01T00:00:00Z</timeDate>",
    ] {
        assert_eq!(only_code(timer(wrong)), Code::TimerInvalid, "{wrong}");
    }
}

#[test]
fn conditions_are_compiled_and_missing_ones_reported() {
    let fork = "<startEvent id='s'/><exclusiveGateway id='x' default='b'/><endEvent id='e'/>
        <sequenceFlow id='go' sourceRef='s' targetRef='x'/>
        <sequenceFlow id='a' sourceRef='x' targetRef='e'>A</sequenceFlow>
        <sequenceFlow id='b' sourceRef='x' targetRef='e'/>";
    let with = |a: &str| read(&fork.replace(">A<", &format!(">{a}<")));
    for condition in
        ["=amount > 5", "amount > 5", "  = amount &gt; 5 ", "${amount > 5}", "#{amount == 5 &amp;&amp; big}"]
    {
        let imported =
            with(&format!("<conditionExpression>{condition}</conditionExpression>")).expect("a condition");
        let process = &imported.processes[0];
        assert!(process.flow(process.find_flow("a").expect("a is there")).condition.is_some());
        let gateway = process.node(process.find_node("x").expect("x is there"));
        assert_eq!(gateway.default, process.find_flow("b"));
    }
    assert_eq!(codes(with("")), [(Code::ConditionMissing, Some("a".to_owned()))]);
    assert_eq!(only_code(with("<conditionExpression>((</conditionExpression>")), Code::ExpressionInvalid);
    assert_eq!(only_code(with("<conditionExpression> </conditionExpression>")), Code::ExpressionInvalid);
    let call = with("<conditionExpression>${bean.decide(execution)}</conditionExpression>");
    assert_eq!(only_code(call), Code::ExpressionNotSupported);
    assert_eq!(
        only_code(with("<conditionExpression language='javascript'>a</conditionExpression>")),
        Code::ExpressionNotSupported
    );
}

#[test]
fn what_is_not_executed_is_refused_by_name_id_and_line() {
    let problems = read("<startEvent id='s'/><choreographyTask id='n'/>").expect_err("it is not executed").0;
    let problem = problems.iter().find(|problem| problem.code == Code::ElementNotExecutable);
    let problem = problem.unwrap_or_else(|| panic!("not said: {problems:?}"));
    assert_eq!((problem.severity, problem.element.as_deref()), (Severity::Error, Some("n")));
    assert!(problem.message.contains("choreographyTask"), "{}", problem.message);
    let listener = "<task id='n'><extensionElements><zeebe:executionListeners/></extensionElements></task>";
    assert_eq!(only_code(read_node(listener)), Code::ExtensionNotSupported);
    read_node("<task id='n'><extensionElements><other:thing/></extensionElements></task>")
        .expect("others are ignored");
}

#[test]
fn all_problems_come_at_once_in_document_order() {
    let problems = read(
        "<startEvent id='s'/><startEvent id='s2'/><task id='t'/><task id='t'/><endEvent id='e'/>
         <sequenceFlow id='f' sourceRef='s' targetRef='nowhere'/><sequenceFlow id='g' sourceRef='e' targetRef='s'/>
         <serviceTask id='job'/>",
    );
    let mut found: Vec<_> = codes(problems).into_iter().map(|(code, _)| code).collect();
    found.sort();
    let mut expected = vec![
        Code::DuplicateId,
        Code::ReferenceUnknown,
        Code::SeveralStarts,
        Code::StartHasIncoming,
        Code::EndHasOutgoing,
        Code::JobTypeAssumed,
    ];
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn only_executable_processes_are_compiled() {
    let process =
        |id: &str, flag: &str| format!("<process id='{id}' {flag}><startEvent id='s{id}'/></process>");
    let file =
        |processes: &[String]| import(format!("{HEAD}{}</definitions>", processes.concat()).as_bytes());
    let mixed =
        file(&[process("a", "isExecutable='true'"), process("b", "isExecutable='false'"), process("c", "")]);
    let mixed = mixed.expect("one is executable");
    assert_eq!(mixed.processes.len(), 1);
    let codes: Vec<_> = mixed.warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(codes, [Code::ProcessNotExecutable, Code::ExecutableNotSaid]);
    let silent = file(&[process("a", "")]).expect("a silent process is taken as executable");
    assert_eq!((silent.processes.len(), silent.warnings.len()), (1, 1));
    assert_eq!(only_code(file(&[])), Code::NoExecutableProcess);
    assert_eq!(only_code(import(b"<html/>")), Code::NotBpmn);
    assert_eq!(only_code(import(b"not xml")), Code::XmlMalformed);
}

#[test]
fn odd_shapes_are_warnings() {
    let lonely = read("<startEvent id='s'/><task id='lost'/>");
    assert_eq!(codes(lonely), [(Code::NodeUnreachable, Some("lost".to_owned()))]);
    assert_eq!(only_code(read("")), Code::StartMissing);
    assert_eq!(codes(read("<task id='t'/>")), [], "without start events, what no flow leads to begins");
    let spin = "<startEvent id='s'/><exclusiveGateway id='x' default='b'/><TASK id='t'/><endEvent id='e'/>
        <sequenceFlow id='a' sourceRef='s' targetRef='x'/><sequenceFlow id='b' sourceRef='x' targetRef='e'/>
        <sequenceFlow id='c' sourceRef='x' targetRef='t'><conditionExpression>more</conditionExpression></sequenceFlow>
        <sequenceFlow id='d' sourceRef='t' targetRef='x'/>";
    assert_eq!(codes(read(&spin.replace("TASK", "task"))), [(Code::LoopWithoutWait, Some("x".to_owned()))]);
    assert_eq!(codes(read(&spin.replace("TASK", "userTask"))), []);
}

#[test]
fn every_extension_has_a_fate() {
    let xml = format!(
        "{HEAD}<process id='p' isExecutable='true'><serviceTask id='a' camunda:topic='t' camunda:asyncBefore='true' \
         camunda:skipExpression='r' other:x='1'><extensionElements><zeebe:taskDefinition type='t'/><zeebe:taskListeners/>\
         <camunda:failedJobRetryTimeCycle>R3/PT1S</camunda:failedJobRetryTimeCycle><other:note/><zeebe:properties/>\
         </extensionElements></serviceTask></process></definitions>"
    );
    let definitions = tyer_model::Definitions::read(xml.as_bytes()).expect("it is BPMN");
    let fates: Vec<_> = definitions.extensions().into_iter().map(|found| (found.name, found.fate)).collect();
    let expected = [
        ("@camunda:topic", Fate::Mapped),
        ("@camunda:asyncBefore", Fate::Ignored),
        ("@camunda:skipExpression", Fate::Ignored),
        ("@other:x", Fate::Ignored),
        ("zeebe:taskDefinition", Fate::Understood),
        ("zeebe:taskListeners", Fate::Refused),
        ("camunda:failedJobRetryTimeCycle", Fate::Mapped),
        ("other:note", Fate::Ignored),
        ("zeebe:properties", Fate::Ignored),
    ];
    let found: Vec<_> = fates.iter().map(|(name, fate)| (name.as_str(), *fate)).collect();
    assert_eq!(found, expected);
    let warned = read_node("<userTask id='n' camunda:skipExpression='r' camunda:asyncBefore='true'/>");
    assert_eq!(only_code(warned), Code::ExtensionIgnored);
}
