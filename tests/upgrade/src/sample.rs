//! A store in which something waits in every way there is, and what is to be seen in it.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};
use tyer_runtime::{ActivateJobs, Engine, InstanceId, Job};

const EVERYTHING: &str = include_str!("../everything.bpmn");
const YEARS: Duration = Duration::from_secs(50 * 365 * 24 * 3_600);

/// Fills a new store. The engine runs on a test clock that stands long ago, so that timers are overdue for whoever
/// opens the store with a real one.
pub async fn fill(engine: &Engine) -> Result<()> {
    for (tenant, number) in [("", 1), ("acme", 2)] {
        let engine = engine.tenant(tenant);
        engine.deploy(EVERYTHING).await?;
        engine.worker("book", |_: Job| async { Ok(json!({ "booked": true })) });
        engine.start("quick").idempotency_key("quick").business_key("short").send().await?;
        let order =
            json!({ "order": format!("A-{number}"), "amount": number, "text": "\u{2603} ' \" \\ \u{1}" });
        let start = engine.start("everything").variables(&order).business_key(format!("B-{number}"));
        start.idempotency_key("once").started_by("ann").priority(75).send().await?;
        let paused =
            engine.start("everything").variables(json!({ "order": "P", "open": true })).send().await?;
        engine.settle().await?;
        paused.pause(Some("for the next version".to_owned())).await?;
        let over = engine.start("everything").variables(json!({ "order": "C" })).send().await?;
        engine.settle().await?;
        over.cancel(Some("not wanted".to_owned())).await?;
        engine.publish("nobody").key("waits").ttl(YEARS).variables(json!({ "x": 1 })).send().await?;
        engine.publish("go").key("K").ttl(YEARS).variables(json!({ "order": "M" })).send().await?;
        engine.settle().await?;
        let held = ActivateJobs {
            types: vec!["work".into()],
            max: 1,
            worker: "somebody".into(),
            timeout: Duration::from_secs(60),
            wait: Duration::ZERO,
        };
        engine.activate_jobs(&held).await?;
    }
    engine.settle().await?;
    Ok(())
}

/// Everything that every tenant sees of its instances, by id.
pub async fn seen(engine: &Engine) -> Result<Value> {
    let mut all = Vec::new();
    for tenant in ["", "acme"] {
        let engine = engine.tenant(tenant);
        for listed in engine.instances(InstanceId(0), 1_000).await? {
            let overview = engine.instance(listed.id).overview().await?;
            let tokens = overview.tokens.iter().map(|token| token.node.clone());
            let variables: Value = serde_json::from_str(&overview.variables().to_json())?;
            all.push(json!({
                "tenant": tenant,
                "instance": listed.id.to_string(),
                "process": listed.process,
                "status": format!("{:?}", listed.status).to_lowercase(),
                "events": overview.instance.version,
                "businessKey": listed.business_key,
                "tokens": tokens.collect::<Vec<_>>(),
                "incidents": listed.incidents,
                "variables": variables,
            }));
        }
        let unmatched = engine.unmatched_messages(None, 10).await?;
        let names: Vec<String> = unmatched.iter().map(|message| message.name.to_string()).collect();
        all.push(json!({ "tenant": tenant, "unmatched": names }));
    }
    Ok(Value::Array(all))
}
