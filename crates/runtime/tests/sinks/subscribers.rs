//! Subscribers inside the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tyer_runtime::{DeliveryError, Engine, InstanceId, SinkOptions, TestClock, Told};

use crate::{Arrived, ORDER, file, finish, work};

async fn engine_at(clock: &TestClock) -> Engine {
    let engine = Engine::memory().clock(clock).await.expect("memory opens");
    engine.deploy(ORDER).await.expect("it can run");
    work(&engine);
    engine
}

#[tokio::test]
async fn a_subscriber_is_told_of_every_turn_since_it_came_in_order() {
    let engine = engine_at(&TestClock::default()).await;
    let before = finish(&engine, 1).await;
    let arrived = Arrived::default();
    let notes = arrived.clone();
    let note = move |told: Told| {
        notes.note(&told);
        assert_eq!((told.process.as_str(), told.attempt), ("order", 1));
        async { Ok(()) }
    };
    engine.subscribe("audit", note).await.expect("a plain name");
    let after = finish(&engine, 3).await;
    engine.run_until_idle().await.expect("idle");
    assert!(arrived.is_complete(&engine, &after).await, "{:?}", arrived.of(after[0]));
    assert_eq!(arrived.of(before[0]), Vec::<u64>::new(), "what happened before is not its business");
    let first = arrived.of(after[0]);
    assert_eq!(first, (1..=first.len() as u64).collect::<Vec<_>>(), "each once, where nothing fails");
    let sinks = engine.sinks().await.expect("a list");
    assert_eq!((sinks[0].name.as_str(), sinks[0].kind.as_str()), ("audit", "subscriber"));
    assert!(engine.subscribe("a b", |_: Told| async { Ok(()) }).await.is_err(), "no plain name");
}

#[tokio::test]
async fn who_fails_is_told_again_and_nothing_overtakes() {
    let clock = TestClock::default();
    let engine = engine_at(&clock).await;
    let (arrived, tries) = (Arrived::default(), Arc::new(AtomicUsize::new(0)));
    let (notes, counted) = (arrived.clone(), Arc::clone(&tries));
    let options = SinkOptions::default().backoff(Duration::from_secs(10), Duration::from_secs(60));
    let fail_twice = move |told: Told| {
        let failed = counted.fetch_add(1, Ordering::SeqCst) < 2;
        if !failed {
            notes.note(&told);
        }
        async move { if failed { Err(DeliveryError::new("not now")) } else { Ok(()) } }
    };
    engine.subscribe_with("audit", options, fail_twice).await.expect("a plain name");
    let orders = finish(&engine, 1).await;
    engine.run_until_idle().await.expect("idle");
    assert_eq!((tries.load(Ordering::SeqCst), arrived.of(orders[0]).len()), (1, 0));
    engine.advance(Duration::from_secs(10)).await.expect("idle");
    assert_eq!((tries.load(Ordering::SeqCst), arrived.of(orders[0]).len()), (2, 0));
    engine.advance(Duration::from_secs(20)).await.expect("idle");
    assert!(arrived.is_complete(&engine, &orders).await);
    assert_eq!(engine.dead_letters("audit", InstanceId(0), 10).await.expect("a list"), []);
}

#[tokio::test]
async fn after_its_last_try_a_stream_is_dead_until_it_is_redelivered_and_others_go_on() {
    let engine = engine_at(&TestClock::default()).await;
    let orders = finish(&engine, 1).await;
    let (arrived, broken) = (Arrived::default(), Arc::new(AtomicBool::new(true)));
    let (notes, fails) = (arrived.clone(), Arc::clone(&broken));
    let options = SinkOptions::default().tries(2).backoff(Duration::from_secs(1), Duration::from_secs(1));
    let receive = move |told: Told| {
        let poison = told.events[0].event.get().contains("poison") || told.events[0].seq > 1;
        let failed = fails.load(Ordering::SeqCst) && poison;
        if !failed {
            notes.note(&told);
        }
        async move { if failed { panic!("a receiver may panic") } else { Ok(()) } }
    };
    engine.subscribe_with("audit", options, receive).await.expect("a plain name");
    let more = finish(&engine, 2).await;
    engine.advance(Duration::from_secs(60)).await.expect("idle");
    let dead = engine.dead_letters("audit", InstanceId(0), 10).await.expect("a list");
    assert_eq!(dead.iter().map(|letter| letter.instance).collect::<Vec<_>>(), more);
    assert_eq!((dead[0].tries, dead[0].error.as_str()), (2, "the receiver panicked"));
    let first_turn = arrived.of(more[0]);
    assert_eq!(dead[0].seq, first_turn.len() as u64 + 1, "the first turn has arrived, and nothing else");
    broken.store(false, Ordering::SeqCst);
    assert_eq!(engine.redeliver("audit", Some(more[0])).await.expect("revived"), 1);
    engine.run_until_idle().await.expect("idle");
    assert!(arrived.is_complete(&engine, &more[..1]).await);
    assert!(!arrived.is_complete(&engine, &more).await, "the other one is still dead");
    assert_eq!(engine.redeliver("audit", None).await.expect("revived"), 1);
    engine.run_until_idle().await.expect("idle");
    assert!(arrived.is_complete(&engine, &more).await);
    assert_eq!(arrived.of(orders[0]), Vec::<u64>::new());
    assert!(engine.remove_sink("audit").await.expect("removed"));
    let unheard = finish(&engine, 1).await;
    engine.run_until_idle().await.expect("idle");
    assert_eq!(arrived.of(unheard[0]), Vec::<u64>::new());
}

#[tokio::test]
async fn what_happened_while_a_subscriber_was_away_is_told_when_it_comes_back() {
    let file = file("away");
    let first = Engine::open(&file).await.expect("a new file opens");
    first.deploy(ORDER).await.expect("it can run");
    work(&first);
    let hung = Arc::new(tokio::sync::Notify::new());
    let began = Arc::clone(&hung);
    let hang = move |_: Told| {
        began.notify_one();
        std::future::pending()
    };
    first.subscribe("audit", hang).await.expect("a plain name");
    let mut orders = finish(&first, 2).await;
    hung.notified().await;
    first.shutdown().await;
    // A life in which nobody subscribes: turns are left for the name all the same.
    let second = Engine::open(&file).await.expect("the file is free");
    work(&second);
    orders.extend(finish(&second, 2).await);
    second.shutdown().await;
    let third = Engine::open(&file).await.expect("the file is free");
    let arrived = Arrived::default();
    let notes = arrived.clone();
    let note = move |told: Told| {
        notes.note(&told);
        async { Ok(()) }
    };
    third.subscribe("audit", note).await.expect("the name is known");
    arrived.all_of(&third, &orders).await;
    third.shutdown().await;
}

#[tokio::test]
async fn a_subscriber_of_a_tenant_is_told_of_that_tenant_alone() {
    let engine = engine_at(&TestClock::default()).await;
    let acme = engine.tenant("acme");
    acme.deploy(ORDER).await.expect("it can run");
    let (everything, acmes) = (Arrived::default(), Arrived::default());
    let notes = everything.clone();
    let all = move |told: Told| {
        notes.note(&told);
        async { Ok(()) }
    };
    let notes = acmes.clone();
    let own = move |told: Told| {
        assert_eq!(told.tenant, "acme");
        notes.note(&told);
        async { Ok(()) }
    };
    engine.subscribe("audit", all).await.expect("a plain name");
    acme.subscribe("audit", own).await.expect("the same name is another's");
    let (ours, theirs) = (finish(&engine, 1).await, finish(&acme, 1).await);
    engine.run_until_idle().await.expect("idle");
    assert!(everything.is_complete(&engine, &ours).await && everything.is_complete(&acme, &theirs).await);
    assert!(acmes.is_complete(&acme, &theirs).await);
    assert_eq!(acmes.of(ours[0]), Vec::<u64>::new());
    let names =
        |sinks: Vec<tyer_runtime::SinkStatus>| sinks.into_iter().map(|sink| sink.name).collect::<Vec<_>>();
    assert_eq!(names(acme.sinks().await.expect("a list")), ["audit"]);
    assert_eq!(names(engine.sinks().await.expect("a list")), ["acme/audit", "audit"]);
}
