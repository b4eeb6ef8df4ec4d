//! A real server on a real socket over a real file, and a client.
#![allow(dead_code, reason = "each test program uses its own part")]

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tyer_runtime::Engine;
use tyer_server::client::{Answer, Client};
use tyer_server::{Options, Server};

/// Start, a job `charge-card`, over 1000 a person, an end.
pub(crate) const ORDER: &str = include_str!("order.bpmn");
/// Start, a user task, an end.
pub(crate) const ASK: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
  <process id="ask" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="answer"/>
    <userTask id="answer" name="Answer"/><sequenceFlow id="b" sourceRef="answer" targetRef="end"/>
    <endEvent id="end"/>
  </process></definitions>"#;
/// A gateway that finds no way until `amount` is set.
pub(crate) const STUCK: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
  <process id="stuck" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="a" sourceRef="start" targetRef="choose"/>
    <exclusiveGateway id="choose"/>
    <sequenceFlow id="yes" sourceRef="choose" targetRef="end"><conditionExpression>amount &gt; 1</conditionExpression></sequenceFlow>
    <sequenceFlow id="no" sourceRef="choose" targetRef="end"><conditionExpression>amount &lt; 1</conditionExpression></sequenceFlow>
    <endEvent id="end"/>
  </process></definitions>"#;

/// A server of one test; it stops when the test is over.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) client: Client,
    pub(crate) engine: Engine,
    folder: PathBuf,
    stop: Option<oneshot::Sender<()>>,
    running: Option<JoinHandle<std::io::Result<()>>>,
}

impl Site {
    pub(crate) async fn open() -> Site {
        Site::open_with(Options::default()).await
    }

    pub(crate) async fn open_with(options: Options) -> Site {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("tyer-server-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        let engine = Engine::open(folder.join("site.db")).await.expect("a new file opens");
        let options = Options { listen: SocketAddr::from(([127, 0, 0, 1], 0)), ..options };
        let server = Server::bind(engine.clone(), options).await.expect("a free port");
        let address = server.address();
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        let (stop, running) = (Some(stop), Some(running));
        Site { address, client: Client::new(address), engine, folder, stop, running }
    }

    /// Stops the server as SIGTERM does, and waits for it.
    pub(crate) async fn close(mut self) {
        drop(self.stop.take());
        let running = self.running.take().expect("closed once");
        running.await.expect("the server ends").expect("and ends well");
    }

    pub(crate) async fn post(&mut self, path: &str, body: Value) -> Answer {
        self.client.post(path, &body).await.expect("the server answers")
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.client.get(path).await.expect("the server answers")
    }

    pub(crate) async fn patch(&mut self, path: &str, body: Value) -> Answer {
        let json = [("content-type", "application/json")];
        let body = body.to_string().into();
        self.client.send(hyper::Method::PATCH, path, &json, body).await.expect("the server answers")
    }

    pub(crate) async fn put(&mut self, path: &str, body: Value) -> Answer {
        let json = [("content-type", "application/json")];
        let body = body.to_string().into();
        self.client.send(hyper::Method::PUT, path, &json, body).await.expect("the server answers")
    }

    pub(crate) async fn delete(&mut self, path: &str) -> Answer {
        let sent = self.client.send(hyper::Method::DELETE, path, &[], Vec::new().into()).await;
        sent.expect("the server answers")
    }

    /// Sends a body as it is.
    pub(crate) async fn raw(&mut self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let body = body.to_vec().into();
        self.client.send(hyper::Method::POST, path, headers, body).await.expect("the server answers")
    }

    pub(crate) async fn deploy(&mut self, file: &str) -> Value {
        let answer = self.raw("/api/deployments", &[], file.as_bytes()).await;
        assert_eq!(answer.status, 201, "{:?}", answer.body);
        answer.json()
    }

    /// Starts an instance and gives its id.
    pub(crate) async fn start(&mut self, workflow: &str, input: Value) -> String {
        let path = format!("/api/workflows/{workflow}/instances");
        let answer = self.post(&path, json!({ "inputData": input })).await;
        assert_eq!(answer.status, 201, "{:?}", answer.body);
        text(&answer.json()["instance"]["id"])
    }

    /// The id of the only open task of an instance.
    pub(crate) async fn task_of(&mut self, instance: &str) -> String {
        let tasks = self.get(&format!("/api/tasks?instanceId={instance}")).await.json();
        assert_eq!(tasks["tasks"].as_array().map(Vec::len), Some(1), "{tasks}");
        text(&tasks["tasks"][0]["id"])
    }

    /// Claims one job.
    pub(crate) async fn claim(&mut self, job_type: &str) -> Value {
        let body =
            json!({ "types": [job_type], "max": 1, "timeout": 60_000, "worker": "w", "waitMs": 10_000 });
        let answer = self.post("/api/jobs/activate", body).await.json();
        assert_eq!(answer["jobs"].as_array().map(Vec::len), Some(1), "{answer}");
        answer["jobs"][0].clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// The names of an object's fields.
pub(crate) fn names(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// A refusal in the one shape, with this status and code.
pub(crate) fn refused(answer: &Answer, status: u16, code: &str) -> Value {
    let body = answer.json();
    assert_eq!((answer.status.as_u16(), body["error"]["code"].as_str()), (status, Some(code)), "{body}");
    assert_eq!(body["success"], json!(false));
    assert_eq!(names(&body["error"]), ["code", "details", "message", "requestId", "type"]);
    assert!(!text(&body["error"]["requestId"]).is_empty());
    body["error"].clone()
}
