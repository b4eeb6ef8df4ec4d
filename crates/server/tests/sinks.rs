//! Webhooks over REST: put, told, dead, redelivered, removed.

mod support;

use serde_json::json;
use support::{ASK, Site, refused};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[tokio::test]
async fn a_webhook_is_put_told_and_redelivered_when_it_was_dead() {
    let mut site = Site::open().await;
    site.deploy(ASK).await;
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/events", gone.local_addr().expect("an address"));
    drop(gone);
    refused(&site.get("/api/sinks/billing/dead-letters").await, 404, "sink_unknown");
    let put = json!({ "url": url, "secret": "s3cret", "tries": 1, "timeoutMs": 1_000 });
    let answer = site.put("/api/sinks/billing", put).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    assert_eq!(answer.json()["sink"]["url"], json!(url));
    assert!(!String::from_utf8_lossy(&answer.body).contains("s3cret"), "a secret is never shown");
    refused(&site.put("/api/sinks/billing", json!({ "url": "billing" })).await, 400, "field_invalid");
    let instance = site.start("ask", json!({})).await;
    let letters = loop {
        let letters = site.get("/api/sinks/billing/dead-letters").await.json();
        if letters["deadLetters"] != json!([]) {
            break letters;
        }
    };
    let letter = &letters["deadLetters"][0];
    assert_eq!(
        (&letter["instanceId"], &letter["seq"], &letter["tries"]),
        (&json!(instance), &json!(1), &json!(1))
    );
    let there = tokio::net::TcpListener::bind(url.trim_start_matches("http://").trim_end_matches("/events"));
    let there = there.await.expect("the port is still free");
    let redelivered = site.post("/api/sinks/billing/redeliver", json!({ "instanceId": instance })).await;
    assert_eq!(redelivered.json()["sink"]["redelivered"], json!(1));
    let (mut stream, _) = there.accept().await.expect("the webhook comes");
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains("task.created") {
        let mut more = [0; 4096];
        let count = stream.read(&mut more).await.expect("a request");
        assert!(count > 0, "the request ended before it told of the task");
        read.extend_from_slice(&more[..count]);
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.expect("an answer");
    assert_eq!(site.get("/api/sinks").await.json()["sinks"][0]["name"], json!("billing"));
    assert_eq!(site.delete("/api/sinks/billing").await.status, 200);
    refused(&site.delete("/api/sinks/billing").await, 404, "sink_unknown");
    assert_eq!(site.get("/api/sinks").await.json()["sinks"], json!([]));
    site.close().await;
}
