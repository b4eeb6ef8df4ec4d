//! The kill loop: load, SIGKILL, the same data again; then everything ends and is compared.

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::sync::watch;
use tokio::task::{JoinSet, block_in_place};
use tyer_server::client::Client;

use crate::arguments::{Arguments, StoreKind};
use crate::dice::Dice;
use crate::gather;
use crate::ledger::{self, Ledger};
use crate::life::{Birth, Life};
use crate::load::{self, Phase, World};
use crate::store::Place;
use crate::verdict::{Verdict, judge};

const STARTERS: u64 = 4;
const WORKERS: u64 = 4;
const PEOPLE: u64 = 2;
/// Instances that a run begins at least: fewer prove little.
const LEAST_LOAD: u64 = 30;
/// What has begun ends within this, once nobody is killed any more.
const LAST_ORDERS: Duration = Duration::from_secs(120);

/// What came of a run.
#[derive(Debug)]
pub struct Report {
    /// On which store.
    pub store: StoreKind,
    /// How often the server was killed.
    pub kills: u32,
    /// Instances that were seen.
    pub instances: usize,
    /// What the comparison found.
    pub verdict: Verdict,
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdict { acknowledged, lost, doubled, invariants, .. } = &self.verdict;
        write!(
            out,
            "kill {}: kills {} acknowledged {acknowledged} lost {lost} doubled {doubled} invariants {invariants}",
            self.store.name(),
            self.kills
        )
    }
}

/// Runs it. The data is kept when something was found.
pub async fn run(program: &Path, arguments: &Arguments) -> Result<Report> {
    let place = Place::create(arguments.store, arguments.seed).await?;
    eprintln!("soak: seed {}, data in {}", arguments.seed, place.folder().display());
    let ledger_file = place.folder().join("ledger.jsonl");
    let birth = Birth {
        program: program.to_owned(),
        arguments: place.arguments(),
        log: place.folder().join("server.log"),
        address: watch::Sender::new(SocketAddr::from(([127, 0, 0, 1], 1))),
    };
    let life = block_in_place(|| birth.begin())?;
    deploy(*birth.address.borrow()).await?;
    let phase = watch::Sender::new(Phase::Load);
    let world = World {
        address: birth.address.subscribe(),
        phase: phase.subscribe(),
        ledger: Ledger::create(&ledger_file)?,
        under_way: Arc::default(),
        begun: Arc::default(),
        seed: arguments.seed,
    };
    let (mut starters, mut others) = crowd(&world);
    let life = lives(&birth, life, &world, arguments).await?;
    phase.send_replace(Phase::Drain);
    ended_well(&mut starters).await?;
    let report = compare(&birth, &ledger_file, &phase, &mut others, arguments).await?;
    life.kill()?;
    if report.verdict.is_clean() {
        place.remove().await?;
    } else {
        eprintln!("soak: the data is kept in {}", place.folder().display());
    }
    Ok(report)
}

fn crowd(world: &World) -> (JoinSet<()>, JoinSet<()>) {
    let (mut starters, mut others) = (JoinSet::new(), JoinSet::new());
    for number in 0..STARTERS {
        starters.spawn(load::starts(world.clone(), number));
    }
    for number in 0..WORKERS {
        others.spawn(load::works(world.clone(), number));
    }
    for number in 0..PEOPLE {
        others.spawn(load::decides(world.clone(), number, PEOPLE));
    }
    (starters, others)
}

/// Kills at random moments; the last life is left alone.
async fn lives(birth: &Birth, mut life: Life, world: &World, arguments: &Arguments) -> Result<Life> {
    let mut dice = Dice::new(arguments.seed, 9_999);
    let span = (arguments.longest - arguments.shortest).as_micros() as u64;
    for kill in 1..=arguments.kills {
        // One life in five is very short: the server dies while it is still finding its feet.
        let length = match dice.once_in(5) {
            true => Duration::from_micros(dice.below(50_000)),
            false => arguments.shortest + Duration::from_micros(dice.below(span + 1)),
        };
        tokio::time::sleep(length).await;
        life = block_in_place(|| -> Result<Life> {
            life.kill()?;
            birth.begin()
        })
        .with_context(|| format!("around kill {kill}"))?;
    }
    // The load goes on for one more life, on a busy machine until there was some.
    tokio::time::sleep(arguments.longest).await;
    let begun = std::time::Instant::now();
    while world.begun.load(Ordering::SeqCst) < LEAST_LOAD && begun.elapsed() < LAST_ORDERS {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(life)
}

async fn compare(
    birth: &Birth,
    ledger_file: &Path,
    phase: &watch::Sender<Phase>,
    others: &mut JoinSet<()>,
    arguments: &Arguments,
) -> Result<Report> {
    let address = *birth.address.borrow();
    let begun = ledger::read(ledger_file)?;
    gather::all_ended(address, &gather::instances(&begun), LAST_ORDERS).await?;
    phase.send_replace(Phase::Stop);
    ended_well(others).await?;
    let entries = ledger::read(ledger_file)?;
    let records = gather::records(address, &gather::instances(&entries)).await?;
    let verdict = judge(&entries, &records);
    let (store, kills, instances) = (arguments.store, arguments.kills, records.len());
    let events: usize = records.values().map(|record| record.events.len()).sum();
    eprintln!("soak: {instances} instances with {events} events, {} lines in the ledger", entries.len());
    Ok(Report { store, kills, instances, verdict })
}

/// A panic in the world is not a finding about the server.
async fn ended_well(tasks: &mut JoinSet<()>) -> Result<()> {
    while let Some(ended) = tasks.join_next().await {
        ended.context("a part of the load did not end well")?;
    }
    Ok(())
}

async fn deploy(address: SocketAddr) -> Result<()> {
    let file = include_bytes!("soak.bpmn").to_vec();
    let answer = Client::new(address).send(hyper::Method::POST, "/api/deployments", &[], file.into()).await?;
    if !answer.status.is_success() {
        bail!("the process was refused: {}", String::from_utf8_lossy(&answer.body));
    }
    Ok(())
}
