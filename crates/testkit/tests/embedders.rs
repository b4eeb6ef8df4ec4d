//! What an embedder sees of the testkit.

use std::path::Path;

#[test]
fn a_transcript_may_be_about_a_bpmn_file() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("embedder");
    std::fs::create_dir_all(&folder).expect("a folder");
    let bpmn = tyer_testkit::Diagram::parse("process hello\n start -> end").expect("a diagram").to_bpmn();
    std::fs::write(folder.join("hello.bpmn"), bpmn).expect("a file");
    let text = "bpmn hello.bpmn\n\n> start\n  instance of hello started\n  token 1 passed start, ended at end\n  instance completed\n";
    std::fs::write(folder.join("hello.txt"), text).expect("a file");
    tyer_testkit::check_file(folder.join("hello.txt"));
}

#[test]
#[should_panic(expected = "  -   waits for ever\n  +   instance of p started")]
fn a_wrong_answer_is_shown_beside_the_right_one() {
    tyer_testkit::check("process p\n  start -> end\n\n> start\n  waits for ever\n");
}

#[test]
#[should_panic(expected = "line 2: an arrow leads to `nowhere`")]
fn a_diagram_that_cannot_be_read_is_told() {
    tyer_testkit::check("# wrong\nprocess p\n  start -> nowhere\n> start\n");
}
