//! A server that has too much to do says so in the one shape, with when to come again.

mod support;

use serde_json::json;
use support::{ASK, Site, refused};
use tyer_runtime::Engine;
use tyer_server::client::Client;
use tyer_server::{Options, Server};

#[tokio::test]
async fn a_request_too_many_is_told_to_come_again() {
    let mut site = Site::open_with(Options { requests: 1, ..Options::default() }).await;
    let mut patient = Client::new(site.address);
    let poll = json!({ "types": ["none"], "max": 1, "timeout": 60_000, "worker": "w", "waitMs": 60_000 });
    // Whoever of the two comes first, the one that waits for jobs stays.
    let waiting = tokio::spawn(async move {
        while patient.post("/api/jobs/activate", &poll).await.is_ok_and(|answer| answer.status == 503) {}
    });
    let answer = loop {
        let answer = site.get("/api/workflows").await;
        if answer.status != 200 {
            break answer;
        }
    };
    let error = refused(&answer, 503, "overloaded");
    assert_eq!(error["type"], "system");
    assert_eq!(answer.headers["retry-after"], "1");
    assert_eq!(site.get("/health/live").await.status, 200, "who asks for a sign of life gets it");
    waiting.abort();
    while site.get("/api/workflows").await.status != 200 {
        tokio::task::yield_now().await;
    }
    site.close().await;
}

/// On one thread all requests are queued before the track looks at the first.
#[tokio::test(flavor = "current_thread")]
async fn an_overloaded_engine_is_a_503_with_the_moment_to_come_again() {
    let engine = Engine::memory().tracks(1).queue(1).await.expect("memory opens");
    let options = Options { listen: ([127, 0, 0, 1], 0).into(), ..Options::default() };
    let server = Server::bind(engine.clone(), options).await.expect("a free port");
    let address = server.address();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));
    engine.deploy(ASK).await.expect("it can run");
    engine.start("ask").send().await.expect("there is room for one");
    let mut refusals = 0;
    while refusals == 0 {
        let callers = (0..50).map(|_| {
            tokio::spawn(async move {
                Client::new(address)
                    .post("/api/workflows/ask/instances", &json!({}))
                    .await
                    .expect("an answer")
            })
        });
        for caller in callers.collect::<Vec<_>>() {
            let answer = caller.await.expect("it does not panic");
            if answer.status != 201 {
                refused(&answer, 503, "overloaded");
                assert_eq!(answer.headers["retry-after"], "1");
                refusals += 1;
            }
        }
    }
    drop(stop);
    running.await.expect("the server ends").expect("and ends well");
}
