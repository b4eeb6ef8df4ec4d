//! What was ready before a pause is done after it, also when nothing else happens.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::Duration;

use serde_json::json;
use tyer_runtime::{Engine, Job, Status};

const WORK: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn">
  <process id="work" isExecutable="true">
    <startEvent id="start"/><serviceTask id="job" camunda:type="external" camunda:topic="job"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="job"/>
  </process></definitions>"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_was_held_goes_to_a_worker_of_this_program() {
    let engine = Engine::memory().await.unwrap();
    engine.deploy(WORK).await.unwrap();
    let work = engine.start("work").send().await.unwrap();
    work.pause(None).await.unwrap();
    engine.worker("job", |_: Job| async { Ok(json!({})) });
    // The new worker has looked, and found nothing.
    tokio::time::sleep(Duration::from_millis(100)).await; // tidy: that a worker has looked in vain is told to nobody
    work.resume().await.unwrap();
    let done =
        tokio::time::timeout(Duration::from_secs(10), work.finished()).await.expect("somebody does it");
    assert_eq!(done.unwrap().status, Status::Completed);
}
