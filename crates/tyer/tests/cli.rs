//! The program `tyer` as its users meet it: words in, lines and an exit code out.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use tyer_server::client::Client;

/// A folder of one test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("tyer-cli-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        Folder(folder)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("the folder can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name).display().to_string()
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tyer"))
}

fn tyer(arguments: &[&str]) -> Output {
    program().args(arguments).stdin(Stdio::null()).output().expect("the program starts")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn assert_lines_in_order(text: &str, parts: &[&str]) {
    let mut lines = text.lines();
    for part in parts {
        assert!(lines.any(|line| line.contains(part)), "no line with `{part}` in its place:\n{text}");
    }
}

#[test]
fn run_shows_every_token_move_and_ends_well() {
    let output = tyer(&["run", &example("order.bpmn"), "--vars", r#"{"amount": 2000}"#]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let moves = [
        "   1     +0 ms  order version 1 begins",
        "token 1 enters \"Charge the card\" (charge) by to_charge",
        "the echo worker does job 2 of type charge-card: no variables",
        "job 2 is done",
        "token 1 enters \"Approve the order\" (approve) by yes",
        "task 3 is completed with nothing: Approve the order",
        "token 1 ends at \"Order shipped\" (shipped)",
        "the instance is completed",
    ];
    assert_lines_in_order(&out(&output), &moves);
}

#[test]
fn a_day_is_skipped_when_asked_to() {
    let begun = std::time::Instant::now();
    let output = tyer(&["run", &example("parallel.bpmn"), "--skip-timers"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_lines_in_order(&out(&output), &["timer 7 is set to", "+86400 s  timer 7 has come", "completed"]);
    assert!(begun.elapsed().as_secs() < 60);
}

#[test]
fn a_person_is_asked_until_the_answer_is_an_object() {
    let mut child = program()
        .args(["run", &example("order.bpmn"), "--vars", r#"{"amount": 2000}"#, "--interactive"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(b"maybe\n{\"approved\": true}\n").expect("the program reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_lines_in_order(&out(&output), &["variables become {\"approved\":true}", "completed"]);
}

#[test]
fn an_instance_that_cannot_go_on_is_a_failure() {
    let folder = Folder::new();
    let stuck = folder.file(
        "stuck.bpmn",
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="p" isExecutable="true">
           <startEvent id="s"/><sequenceFlow id="a" sourceRef="s" targetRef="g"/><exclusiveGateway id="g"/>
           <sequenceFlow id="b" sourceRef="g" targetRef="e"><conditionExpression>x &gt; 1</conditionExpression></sequenceFlow>
           <sequenceFlow id="c" sourceRef="g" targetRef="e"><conditionExpression>x &lt; 1</conditionExpression></sequenceFlow>
           <endEvent id="e"/></process></definitions>"#,
    );
    let output = tyer(&["run", &stuck.display().to_string(), "--vars", r#"{"x": 1}"#]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(err(&output).contains("cannot go on at g"), "{}", err(&output));
}

#[test]
fn problems_of_a_file_come_one_per_line_with_their_place() {
    let folder = Folder::new();
    let bad = folder.file(
        "bad.bpmn",
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
<process id="p" isExecutable="true"><startEvent id="s"/>
  <sequenceFlow id="on" sourceRef="s" targetRef="nowhere"/></process></definitions>"#,
    );
    let bad = bad.display().to_string();
    let linted = tyer(&["lint", &bad]);
    assert_eq!(linted.status.code(), Some(5));
    let expected = format!("{bad}:3:3: error[reference_unknown]: targetRef of sequenceFlow `on`");
    assert!(out(&linted).lines().any(|line| line.starts_with(&expected)), "{}", out(&linted));
    let run = tyer(&["run", &bad]);
    assert_eq!((run.status.code(), err(&run).contains(&expected)), (Some(5), true), "{}", err(&run));
    assert_eq!(tyer(&["lint", &example("order.bpmn")]).status.code(), Some(0));
}

#[test]
fn the_exit_code_says_whose_fault_it_is() {
    let order = example("order.bpmn");
    let cases: [(&[&str], i32); 8] = [
        (&[], 2),
        (&["dance"], 2),
        (&["run", &order, "--vars", "[]"], 2),
        (&["run", &order, "--process", "other"], 3),
        (&["run", "no-such-file.bpmn"], 3),
        (&["serve", "--listen", "0.0.0.0:0"], 2),
        (&["feel", "1 +"], 5),
        (&["feel", "1 + 1"], 0),
    ];
    for (arguments, code) in cases {
        let output = tyer(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", err(&output));
    }
}

#[test]
fn feel_reads_the_variables() {
    let output = tyer(&["feel", "amount * 1.19", "--vars", r#"{"amount": 100}"#]);
    assert_eq!(out(&output).trim(), "119");
}

#[test]
fn serve_takes_a_deployment_and_stops_when_told_to() {
    let folder = Folder::new();
    let db = folder.0.join("serve.db").display().to_string();
    let mut child = program()
        .args(["serve", "--db", &db, "--listen", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let said = lines.next().expect("it speaks").expect("in UTF-8");
    let url = said.strip_prefix("tyer listens on ").expect("where it listens").to_owned();
    let deployed = tyer(&["deploy", &example("order.bpmn"), "--server", &url]);
    assert_eq!(out(&deployed).trim(), "order version 1", "{}", err(&deployed));
    let held = tyer(&["deploy", &example("order.bpmn"), "--db", &db]);
    assert_eq!(held.status.code(), Some(1), "one runtime per file");
    assert!(err(&held).contains("open in another process"), "{}", err(&held));
    let address = url.strip_prefix("http://").expect("an address").parse().expect("an address");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let started = runtime.block_on(async {
        Client::new(address)
            .post("/api/workflows/order/instances", &json!({}))
            .await
            .expect("it answers")
            .json()
    });
    assert_eq!(started["success"], true);
    let told = Command::new("kill").arg(child.id().to_string()).status().expect("kill is there");
    assert!(told.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    let again = tyer(&["deploy", &example("order.bpmn"), "--db", &db]);
    assert_eq!(out(&again).trim(), "order version 1", "the file is free again, and has what was deployed");
}
