//! `tyer backup`, `restore`, `export` and `doctor` as whoever keeps a store meets them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tyer::Engine;

const ASK: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
  <process id="ask" isExecutable="true"><startEvent id="start"/><userTask id="answer"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="answer"/></process></definitions>"#;

fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tyer-cli-upkeep-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    folder
}

fn tyer(words: &[&str], file: &Path) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tyer"));
    program.args(words).arg("--db").arg(file).env_remove("TYER_DB").env_remove("TYER_POSTGRES");
    program.stdin(Stdio::null()).output().expect("the program starts")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_store_is_backed_up_restored_exported_and_checked() {
    let folder = folder();
    let (db, backup, restored) =
        (folder.join("tyer.db"), folder.join("backup.db"), folder.join("restored.db"));
    let missing = tyer(&["doctor"], &db);
    assert_eq!(missing.status.code(), Some(3), "{}", err(&missing));
    assert!(err(&missing).contains("there is no file") && !db.exists(), "{}", err(&missing));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let engine = runtime.block_on(async {
        let engine = Engine::open(&db).await.expect("opens");
        engine.deploy(ASK).await.expect("it can run");
        for number in 0..3 {
            engine.start("ask").business_key(format!("B-{number}")).send().await.expect("it begins");
        }
        engine
    });
    let copy = backup.display().to_string();
    let made = tyer(&["backup", &copy], &db);
    assert!(made.status.success(), "while an engine has it open: {}", err(&made));
    assert_eq!(out(&made).trim(), copy);
    let again = tyer(&["backup", &copy], &db);
    assert_eq!(again.status.code(), Some(1));
    assert!(err(&again).contains("is there already"), "{}", err(&again));
    let in_use = tyer(&["export"], &db);
    assert!(err(&in_use).contains("is open in another process"), "{}", err(&in_use));
    runtime.block_on(engine.shutdown());
    let put_back = tyer(&["restore", &copy], &restored);
    assert!(put_back.status.success(), "{}", err(&put_back));
    for store in [&db, &restored, &backup] {
        let checked = tyer(&["doctor"], store);
        assert!(checked.status.success(), "{}{}", out(&checked), err(&checked));
        assert!(out(&checked).starts_with("looked at 3 instances and "), "{}", out(&checked));
        assert!(out(&checked).trim_end().ends_with(": 0 complaints"), "{}", out(&checked));
    }
    let exported = tyer(&["export", "--process", "ask"], &restored);
    let lines: Vec<serde_json::Value> =
        out(&exported).lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    let begun = lines.iter().filter(|line| line["event"]["type"] == "workflow.started");
    assert_eq!(
        begun.map(|line| line["businessKey"].as_str().expect("a key")).collect::<Vec<_>>(),
        ["B-0", "B-1", "B-2"]
    );
    assert!(err(&exported).contains(&format!("{} events", lines.len())), "{}", err(&exported));
    let later = tyer(&["export", "--since", "2099-01-01T00:00:00Z"], &restored);
    assert_eq!(out(&later), "");
    let none = tyer(&["export", "--tenant", "acme"], &restored);
    assert_eq!(out(&none), "");
    let wrong = tyer(&["export", "--until", "tomorrow"], &restored);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("expected a moment such as"), "{}", err(&wrong));
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}
