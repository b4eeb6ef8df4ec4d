//! `cargo run --profile dist -p tyer-bench-engine [-- SECONDS [WORD]]`: instances a second of processor time on the bare engine;
//! with a word, only of the processes that have it in their names.
//!
//! **Invariant:** every instance runs to its end, and the figure counts only those that did.
#![allow(clippy::print_stdout, reason = "the report is what this program is for")]

use std::time::Duration;

use cpu_time::ProcessTime;
use tyer_engine::{Command, Instance, InstanceId, Number, Start, Status, Timestamp, Variables, step};
use tyer_model::Process;

/// As in the program `tyer`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let seconds = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(2.0);
    let budget = Duration::from_secs_f64(seconds);
    let only = std::env::args().nth(2).unwrap_or_default();
    let report = |name: &str, process: &Process| {
        if name.contains(&only) {
            report(name, process, budget);
        }
    };
    report("sequence of 5 jobs", &sequence(5));
    report("fork and join of 4", &fork(4));
    report("loop of 100 000 rounds", &looped(100_000));
    for items in [1_000, 10_000, 100_000] {
        report(&format!("multi-instance of {items}"), &several(items));
    }
    if only.is_empty() {
        many_tokens(10_000);
    }
}

/// Runs instances of a process until the budget of processor time is used up.
fn report(name: &str, process: &Process, budget: Duration) {
    let mut best = f64::MAX;
    let mut done = 0u64;
    let began = ProcessTime::now();
    while began.elapsed() < budget || done == 0 {
        let one = ProcessTime::now();
        let rounds = if best < 1e-3 { 1_000 } else { 1 };
        for _ in 0..rounds {
            run(process);
        }
        done += rounds;
        best = best.min(one.elapsed().as_secs_f64() / rounds as f64);
    }
    let mean = began.elapsed().as_secs_f64() / done as f64;
    println!(
        "{name:28} {:>12.0} a CPU-second (best {:.0}), {:.3} µs each",
        1.0 / mean,
        1.0 / best,
        mean * 1e6
    );
}

/// One instance from its start to its end; every job is done at once.
fn run(process: &Process) {
    let mut instance = Instance::blank(InstanceId(1));
    let now = Timestamp(0);
    let start = Start { priority: 50, ..Start::default() };
    step(process, &mut instance, Command::Start(Box::new(start)), now).expect("a blank instance starts");
    loop {
        let jobs: Vec<Number> =
            instance.tokens.values().filter_map(|token| token.job().map(|job| job.number)).collect();
        if jobs.is_empty() {
            break;
        }
        for job in jobs {
            let complete = Command::CompleteJob { job, holder: None, variables: Variables::default() };
            step(process, &mut instance, complete, now).expect("the job is open");
        }
        while let Some(timer) = instance.timers.first_key_value().map(|(timer, _)| *timer) {
            step(process, &mut instance, Command::TimerDue { timer }, now).expect("the timer is due");
        }
    }
    while let Some(timer) = instance.timers.first_key_value().map(|(timer, _)| *timer) {
        step(process, &mut instance, Command::TimerDue { timer }, now).expect("the timer is due");
    }
    assert_eq!(instance.status, Status::Completed, "every instance runs to its end");
}

/// One step among many live tokens.
fn many_tokens(tokens: usize) {
    let process = several(tokens);
    let mut instance = Instance::blank(InstanceId(1));
    let now = Timestamp(0);
    let start = Start { priority: 50, ..Start::default() };
    step(&process, &mut instance, Command::Start(Box::new(start)), now).expect("a blank instance starts");
    let jobs: Vec<Number> =
        instance.tokens.values().filter_map(|token| token.job().map(|job| job.number)).collect();
    let began = ProcessTime::now();
    for job in &jobs[..jobs.len() / 2] {
        let complete = Command::CompleteJob { job: *job, holder: None, variables: Variables::default() };
        step(&process, &mut instance, complete, now).expect("the job is open");
    }
    let each = began.elapsed().as_secs_f64() / (jobs.len() / 2) as f64;
    println!("{:28} {:.3} µs each", format!("a step among {tokens} tokens"), each * 1e6);
}

fn sequence(jobs: usize) -> Process {
    let ids: Vec<String> = (1..=jobs).map(|n| format!("j{n}")).collect();
    let nodes: String = ids.iter().map(|id| job(id, "")).collect();
    let mut stops = vec!["start".to_owned()];
    stops.extend(ids);
    stops.push("end".to_owned());
    let flows: String = stops.windows(2).enumerate().map(|(n, pair)| flow(n, &pair[0], &pair[1])).collect();
    import(&format!("<startEvent id='start'/>{nodes}<endEvent id='end'/>{flows}"))
}

fn fork(branches: usize) -> Process {
    let mut body = "<startEvent id='start'/><parallelGateway id='fork'/><parallelGateway id='join'/><endEvent id='end'/>"
        .to_owned();
    body += &flow(0, "start", "fork");
    body += &flow(1, "join", "end");
    for n in 0..branches {
        let id = format!("j{n}");
        body += &job(&id, "");
        body += &flow(2 + 2 * n, "fork", &id);
        body += &flow(3 + 2 * n, &id, "join");
    }
    import(&body)
}

fn looped(rounds: usize) -> Process {
    let body = format!(
        "<startEvent id='start'/><scriptTask id='count'><extensionElements><zeebe:script expression='=if n = null then 1 else n + 1' \
         resultVariable='n'/></extensionElements></scriptTask><exclusiveGateway id='again' default='f3'/><endEvent id='end'/>{}{}{}\
         <sequenceFlow id='f2' sourceRef='again' targetRef='count'><conditionExpression>=n &lt; {rounds}</conditionExpression></sequenceFlow>",
        flow(0, "start", "count"),
        flow(1, "count", "again"),
        flow(3, "again", "end"),
    );
    import(&body)
}

fn several(items: usize) -> Process {
    let marker = format!(
        "<multiInstanceLoopCharacteristics><loopCardinality>{items}</loopCardinality></multiInstanceLoopCharacteristics>"
    );
    import(&format!(
        "<startEvent id='start'/>{}<endEvent id='end'/>{}{}",
        job("each", &marker),
        flow(0, "start", "each"),
        flow(1, "each", "end")
    ))
}

fn job(id: &str, inside: &str) -> String {
    format!(
        "<serviceTask id='{id}'><extensionElements><zeebe:taskDefinition type='work'/></extensionElements>{inside}</serviceTask>"
    )
}

fn flow(number: usize, source: &str, target: &str) -> String {
    format!("<sequenceFlow id='f{number}' sourceRef='{source}' targetRef='{target}'/>")
}

fn import(body: &str) -> Process {
    let xml = format!(
        "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' xmlns:zeebe='http://camunda.org/schema/zeebe/1.0'>\
         <process id='p' isExecutable='true'>{body}</process></definitions>"
    );
    let imported = tyer_model::import(xml.as_bytes()).expect("the diagram is right");
    imported.processes.into_iter().next().expect("there is one process")
}
