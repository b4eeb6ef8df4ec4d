//! Tenants that name everything alike: each has its own, and another's is not there.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::Duration;

use serde_json::json;
use tyer_runtime::{
    ActivateJobs, Command, Engine, Error, InstanceFilter, InstanceId, ItemId, Job, Rejection, Status,
    Variables,
};

/// Begun by message `order` too; a called process, a worker, then message `paid` and a person.
const SHOP: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" xmlns:camunda="http://camunda.org/schema/1.0/bpmn">
  <message id="order" name="order"/>
  <message id="paid" name="paid"><extensionElements><zeebe:subscription correlationKey="=order"/></extensionElements></message>
  <process id="shop" isExecutable="true">
    <startEvent id="start"/><startEvent id="ordered"><messageEventDefinition messageRef="order"/></startEvent>
    <callActivity id="call" calledElement="price"/>
    <serviceTask id="pack" camunda:type="external" camunda:topic="pack"/>
    <intermediateCatchEvent id="pay"><messageEventDefinition messageRef="paid"/></intermediateCatchEvent>
    <userTask id="check"/><endEvent id="end"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="call"/><sequenceFlow id="b" sourceRef="ordered" targetRef="call"/>
    <sequenceFlow id="c" sourceRef="call" targetRef="pack"/><sequenceFlow id="d" sourceRef="pack" targetRef="pay"/>
    <sequenceFlow id="e" sourceRef="pay" targetRef="check"/><sequenceFlow id="f" sourceRef="check" targetRef="end"/>
  </process></definitions>"#;

fn price(of: &str) -> String {
    format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
             xmlns:tyer="urn:tyer:bpmn:1" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0">
           <process id="price" isExecutable="true"><startEvent id="start"/><endEvent id="end"/>
             <scriptTask id="set"><extensionElements><zeebe:script expression="=&quot;{of}&quot;" resultVariable="price"/>
             </extensionElements></scriptTask>
             <sequenceFlow id="a" sourceRef="start" targetRef="set"/><sequenceFlow id="b" sourceRef="set" targetRef="end"/>
           </process></definitions>"#
    )
}

fn is_unknown<T>(answer: Result<T, Error>) -> bool {
    matches!(answer, Err(Error::Rejected(Rejection::InstanceUnknown { .. })))
}

/// Waits until something is true: workers and called processes go on by themselves.
async fn until<T>(what: &str, look: impl AsyncFn() -> Option<T>) -> T {
    for _ in 0..2_000 {
        if let Some(found) = look().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(5)).await; // tidy: looks again: the fact itself is awaited
    }
    panic!("{what} did not happen");
}

async fn stands_at(engine: &Engine, id: InstanceId, node: &str) {
    until(node, async || {
        let overview = engine.instance(id).overview().await.unwrap();
        overview.current_nodes.iter().any(|current| current == node).then_some(())
    })
    .await;
}

async fn tenants_do_not_meet(engine: Engine) {
    let (acme, zeta) = (engine.tenant("acme"), engine.tenant("zeta"));
    let all = [&engine, &acme, &zeta];
    for one in all {
        let name = one.tenant_name();
        let first = one.deploy(SHOP).await.unwrap();
        assert_eq!(first.processes[0].version, 1, "each counts its own versions");
        one.deploy(price(name)).await.unwrap();
    }
    engine.worker("pack", |job: Job| async move { Ok(json!({ "packed_for": job.tenant() })) });
    let mut ids = Vec::new();
    for one in all {
        let start =
            || one.start("shop").variables(json!({ "order": "A-1" })).business_key("B").idempotency_key("i");
        let id = start().send().await.unwrap().id();
        assert_eq!(start().send().await.unwrap().id(), id, "the same key is the same instance");
        ids.push(id);
        stands_at(one, id, "pay").await;
        let variables = one.instance(id).variables(None).await.unwrap();
        assert_eq!(variables.get("packed_for"), Some(&*format!("\"{}\"", one.tenant_name())));
        let called = one.instance(id).children(InstanceId(0), 10).await.unwrap();
        let price = one.instance(called[0].id).variables(None).await.unwrap();
        assert_eq!(price.get("price"), Some(&*format!("\"{}\"", one.tenant_name())), "each calls its own");
    }
    assert!(ids[0] != ids[1] && ids[1] != ids[2], "the same key of another tenant is another instance");
    a_foreign_instance_is_not_there(all, &ids).await;
    // Each message reaches its own tenant's instance.
    for (one, id) in all.into_iter().zip(&ids) {
        let published = one.publish("paid").key("A-1").message_id("m").send().await.unwrap();
        assert_eq!((published.duplicate, &published.taken_by[..]), (false, &[*id][..]));
        let [task] = &one.tasks(None, 10).await.unwrap()[..] else { panic!("one task each") };
        let task = ItemId { instance: task.instance, number: task.asked.task };
        for other in all.into_iter().filter(|other| other.tenant_name() != one.tenant_name()) {
            assert!(is_unknown(other.complete_task(task, Variables::default(), None).await));
        }
        let done = one.complete_task(task, Variables::default(), None).await.unwrap();
        assert_eq!(done.status, Status::Completed);
    }
    lists_are_their_own(all).await;
}

async fn a_foreign_instance_is_not_there(all: [&Engine; 3], ids: &[InstanceId]) {
    for (one, _) in all.iter().zip(ids) {
        for (other, id) in all.iter().zip(ids).filter(|(other, _)| other.tenant_name() != one.tenant_name()) {
            let (handle, what) = (one.instance(*id), (one.tenant_name(), other.tenant_name()));
            assert!(is_unknown(handle.overview().await), "{what:?}");
            assert!(is_unknown(handle.overview_at(3).await), "{what:?}");
            assert!(is_unknown(handle.variables(None).await), "{what:?}");
            assert!(is_unknown(handle.explain().await), "{what:?}");
            assert!(is_unknown(handle.finished().await), "{what:?}");
            assert!(is_unknown(handle.pause(None).await), "{what:?}");
            assert!(is_unknown(handle.cancel(None).await), "{what:?}");
            assert!(is_unknown(handle.migrate(None, Vec::new()).await), "{what:?}");
            assert!(is_unknown(handle.preview(Command::Resume).await), "{what:?}");
            assert!(is_unknown(handle.set_variables(json!({ "x": 1 })).await), "{what:?}");
            assert!(is_unknown(one.glance(*id).await), "{what:?}");
            assert!(one.history(*id, 0, 10).await.unwrap().is_empty(), "{what:?}");
            assert!(one.turns(*id, 0, 10).await.unwrap().is_empty(), "{what:?}");
            assert!(one.tasks(Some(*id), 10).await.unwrap().is_empty(), "{what:?}");
            assert!(one.incidents(Some(*id), None, 10).await.unwrap().is_empty(), "{what:?}");
            assert!(handle.children(InstanceId(0), 10).await.unwrap().is_empty(), "{what:?}");
        }
    }
}

async fn lists_are_their_own(all: [&Engine; 3]) {
    for one in all {
        let shops = InstanceFilter { process: Some("shop".into()), ..InstanceFilter::default() };
        assert_eq!(one.count_instances(shops.clone()).await.unwrap(), 1);
        let key = InstanceFilter { business_key: Some("B".into()), ..InstanceFilter::default() };
        assert_eq!(one.find_instances(key, None, 10).await.unwrap().len(), 1);
        assert_eq!(one.instances(InstanceId(0), 10).await.unwrap().len(), 2, "the shop and the price");
        assert_eq!(one.processes(None).await.unwrap().len(), 2);
        assert_eq!(one.statistics("shop", None).await.unwrap().sampled, 1);
    }
    let nobody = all[0].tenant("nobody");
    assert!(nobody.find_instances(InstanceFilter::default(), None, 10).await.unwrap().is_empty());
    assert!(matches!(nobody.start("shop").send().await, Err(Error::ProcessUnknown { .. })));
    assert!(matches!(nobody.statistics("shop", None).await, Err(Error::ProcessUnknown { .. })));
    assert!(nobody.resource("shop", None).await.is_err());
    assert!(nobody.publish("order").send().await.unwrap().taken_by.is_empty(), "it begins nothing of others");
    let begun = all[1].publish("order").send().await.unwrap().taken_by;
    assert_eq!(all[1].glance(begun[0]).await.unwrap().status, Status::Running);
    assert!(is_unknown(all[0].glance(begun[0]).await));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tenants_do_not_meet_in_memory() {
    tenants_do_not_meet(Engine::memory().await.unwrap()).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tenants_do_not_meet_in_a_file() {
    let folder = std::env::temp_dir().join(format!("tyer-tenants-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let engine = Engine::open(folder.join("tenants.db")).await.unwrap();
    tenants_do_not_meet(engine.clone()).await;
    engine.shutdown().await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tenants_do_not_meet_in_postgres() {
    let base = std::env::var("TYER_TEST_POSTGRES").expect("TYER_TEST_POSTGRES names a database");
    let name = format!("tyer_tenants_{}", std::process::id());
    let run = async |sql: String| {
        let (client, driver) = tokio_postgres::connect(&base, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(driver);
        client.batch_execute(&sql).await.unwrap();
    };
    run(format!("CREATE SCHEMA {name}")).await;
    let separator = if base.contains('?') { '&' } else { '?' };
    let url = format!("{base}{separator}options=-csearch_path%3D{name}");
    let engine = Engine::postgres(&url).await.unwrap();
    tenants_do_not_meet(engine.clone()).await;
    engine.shutdown().await;
    run(format!("DROP SCHEMA {name} CASCADE")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_of_a_view_does_only_that_tenants_jobs() {
    let engine = Engine::memory().await.unwrap();
    let (acme, zeta) = (engine.tenant("acme"), engine.tenant("zeta"));
    for one in [&acme, &zeta] {
        one.deploy(SHOP).await.unwrap();
        one.deploy(price("x")).await.unwrap();
    }
    acme.worker("pack", |job: Job| async move { Ok(json!({ "packed_for": job.tenant() })) });
    let start = async |one: &Engine| {
        let start = one.start("shop").variables(json!({ "order": "A" }));
        start.send().await.unwrap().id()
    };
    let (theirs, ours) = (start(&zeta).await, start(&acme).await);
    stands_at(&acme, ours, "pay").await;
    stands_at(&zeta, theirs, "pack").await;
    let wanted = ActivateJobs {
        types: vec!["pack".into()],
        max: 10,
        worker: "outside".into(),
        timeout: Duration::from_secs(60),
        wait: Duration::ZERO,
    };
    assert!(acme.activate_jobs(&wanted).await.unwrap().is_empty());
    assert!(engine.activate_jobs(&wanted).await.unwrap().is_empty());
    let [job] = &zeta.activate_jobs(&wanted).await.unwrap()[..] else { panic!("one job") };
    assert!(is_unknown(acme.complete_job(job.job.id, job.lease, Variables::default()).await));
    assert!(acme.extend_job(job.job.id, job.lease, Duration::from_secs(90)).await.is_err());
    zeta.complete_job(job.job.id, job.lease, Variables::default()).await.unwrap();
    stands_at(&zeta, theirs, "pay").await;
}
