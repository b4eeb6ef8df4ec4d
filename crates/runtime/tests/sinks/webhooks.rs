//! Webhooks, to a server that fails, hangs and dies.

use std::time::Duration;

use serde_json::Value;
use tyer_runtime::{Engine, Error, InstanceId, SinkOptions, Webhook};

use crate::website::{Mood, Posted, Website};
use crate::{ORDER, file, finish, work};

fn hasty() -> SinkOptions {
    let wait = Duration::from_millis(20);
    SinkOptions::default().timeout(Duration::from_millis(300)).tries(50).backoff(wait, wait)
}

/// Of one instance, the numbers of the events in what the server has taken, in order.
fn taken(posted: &[Posted], id: InstanceId) -> Vec<u64> {
    let bodies = posted.iter().filter(|posted| posted.mood == Mood::Takes);
    let batches = bodies.map(|posted| serde_json::from_str::<Vec<Value>>(&posted.body).expect("a batch"));
    let events = batches.flatten().filter(|event| event["subject"] == id.to_string());
    events
        .map(|event| event["sequence"].as_str().and_then(|text| text.parse().ok()).expect("a number"))
        .collect()
}

async fn everything_is_taken(engine: &Engine, site: &Website, orders: &[InstanceId]) {
    let waiting = async {
        for id in orders {
            let version = engine.glance(*id).await.expect("it is there").version;
            loop {
                let posted = site.posted();
                let numbers = taken(&posted, *id);
                let mut next = 1;
                for seq in &numbers {
                    assert!(*seq <= next, "event {seq} came before event {next}");
                    next = next.max(seq + 1);
                }
                if next == version + 1 {
                    break;
                }
                site.requests(posted.len() + 1).await;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting)
        .await
        .expect("everything is taken within a minute");
}

async fn engine_on(path: &std::path::Path) -> Engine {
    let engine = Engine::open(path).await.expect("the file is free");
    engine.deploy(ORDER).await.expect("it can run");
    work(&engine);
    engine
}

#[tokio::test]
async fn a_turn_is_a_signed_batch_of_cloud_events() {
    let engine = engine_on(&file("signed")).await;
    let (site, address, _serving) = Website::open(Mood::Takes).await;
    let hook = Webhook::new("billing", format!("http://{address}/events")).secret("s3cret");
    engine.webhook(hook).await.expect("an address");
    let orders = finish(&engine, 1).await;
    everything_is_taken(&engine, &site, &orders).await;
    let first = &site.posted()[0];
    let header = |name: &str| {
        let line = first.head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("no {name} in {}", first.head)).to_owned()
    };
    assert!(first.head.starts_with("post /events http/1.1"));
    assert_eq!(header("content-type"), "application/cloudevents-batch+json");
    let signed = format!("{}.{}", header("tyer-timestamp"), first.body);
    assert_eq!(header("tyer-signature"), format!("sha256={}", hmac(b"s3cret", signed.as_bytes())));
    let batch: Vec<Value> = serde_json::from_str(&first.body).expect("a batch");
    let started = &batch[0];
    assert_eq!(started["specversion"], "1.0");
    assert_eq!(started["id"], format!("{}-1", orders[0]));
    assert_eq!(started["source"], "/workflows/order");
    assert_eq!(started["type"], "workflow.started");
    assert_eq!(started["subject"], orders[0].to_string());
    assert_eq!(started["datacontenttype"], "application/json");
    assert_eq!(started["data"]["workflowId"], "order");
    assert!(!first.body.contains("4111"), "masked values do not leave: {}", first.body);
    engine.shutdown().await;
}

/// An implementation of its own, by the definition: H(K ^ opad, H(K ^ ipad, text)).
fn hmac(key: &[u8], text: &[u8]) -> String {
    let pad = |with: u8| (0..64).map(|at| key.get(at).copied().unwrap_or(0) ^ with).collect::<Vec<u8>>();
    let inner = hmac_sha256::Hash::hash(&[pad(0x36), text.to_vec()].concat());
    let outer = hmac_sha256::Hash::hash(&[pad(0x5c), inner.to_vec()].concat());
    outer.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_fails_hangs_and_dies_gets_everything_in_order_in_the_end() {
    let path = file("moods");
    let engine = engine_on(&path).await;
    let (site, address, serving) = Website::open(Mood::Refuses).await;
    let url = format!("http://{address}/events");
    engine.webhook(Webhook::new("billing", &url).options(hasty())).await.expect("an address");
    let mut orders = Vec::new();
    for mood in [Mood::Refuses, Mood::Hangs, Mood::Dies] {
        site.turn(mood);
        orders.extend(finish(&engine, 3).await);
        // Nothing arrives in this mood, so everything is tried again and again.
        site.requests(site.posted().len() + 3).await;
    }
    site.turn(Mood::Takes);
    orders.extend(finish(&engine, 3).await);
    everything_is_taken(&engine, &site, &orders).await;
    // The server is gone for a while; the engine too.
    serving.abort();
    site.turn(Mood::Dies);
    orders.extend(finish(&engine, 3).await);
    engine.shutdown().await;
    let engine = Engine::open(&path).await.expect("the file is free");
    let (again, address, _serving) = Website::open(Mood::Takes).await;
    let moved = Webhook::new("billing", format!("http://{address}/events")).options(hasty());
    engine.webhook(moved).await.expect("an address");
    everything_is_taken(&engine, &again, &orders[12..]).await;
    engine.shutdown().await;
}

#[tokio::test]
async fn what_is_no_address_of_a_webhook_is_refused() {
    let engine = Engine::memory().await.expect("memory opens");
    for url in ["", "billing", "file:///etc/passwd", "ftp://billing.example/"] {
        let refused = engine.webhook(Webhook::new("billing", url)).await;
        assert!(matches!(refused, Err(Error::Sink(_))), "{url}");
    }
    assert_eq!(engine.sinks().await.expect("a list"), []);
}
