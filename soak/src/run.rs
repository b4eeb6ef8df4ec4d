//! A run: load and trouble; then everything ends and is compared.

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tyer_server::client::Client;

use crate::arguments::Arguments;
use crate::dice::Dice;
use crate::gather;
use crate::ledger::{self, Ledger};
use crate::load::{self, Phase, World};
use crate::trouble::{self, Trouble};
use crate::verdict::{Verdict, judge, unmet};

const STARTERS: u64 = 4;
const WORKERS: u64 = 4;
const PEOPLE: u64 = 2;
/// Instances that a run begins at least: fewer prove little.
const LEAST_LOAD: u64 = 30;
/// What has begun ends within this, once nothing goes wrong any more.
const LAST_ORDERS: Duration = Duration::from_secs(120);

/// What came of a run.
#[derive(Debug)]
pub struct Report {
    /// What went wrong, how often, on which store.
    pub title: String,
    /// Instances that were seen.
    pub instances: usize,
    /// What the comparison found.
    pub verdict: Verdict,
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdict { acknowledged, lost, doubled, invariants, .. } = &self.verdict;
        let title = &self.title;
        write!(
            out,
            "{title} acknowledged {acknowledged} lost {lost} doubled {doubled} invariants {invariants}"
        )
    }
}

/// Runs it. The data is kept when something was found.
pub async fn run<T: Trouble>(program: &Path, arguments: &Arguments) -> Result<Report> {
    let folder = trouble::folder(arguments.seed)?;
    eprintln!("soak: seed {}, data in {}", arguments.seed, folder.display());
    let mut trouble = T::begin(program.to_owned(), arguments, folder.clone()).await?;
    let addresses = trouble.addresses();
    let address = first(&addresses.borrow())?;
    deploy(address, include_bytes!("soak.bpmn")).await?;
    let phase = watch::Sender::new(Phase::Load);
    let ledger_file = folder.join("ledger.jsonl");
    let world = World {
        addresses,
        patience: T::PATIENCE,
        must_answer: T::MUST_ANSWER,
        phase: phase.subscribe(),
        ledger: Ledger::create(&ledger_file)?,
        under_way: Arc::default(),
        begun: Arc::default(),
        seed: arguments.seed,
    };
    let (mut starters, mut others) = crowd(&world);
    strikes(&mut trouble, &world, arguments).await?;
    phase.send_replace(Phase::Drain);
    ended_well(&mut starters).await?;
    let address = first(&world.addresses.borrow())?;
    let report = compare(address, &ledger_file, &phase, &mut others, arguments).await?;
    if report.verdict.is_clean() {
        trouble.end().await?;
        std::fs::remove_dir_all(&folder).context("cannot remove the folder of the run")?;
    } else {
        eprintln!("soak: the data is kept in {}", folder.display());
    }
    Ok(report)
}

fn first(addresses: &[SocketAddr]) -> Result<SocketAddr> {
    addresses.first().copied().context("a server listens")
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

/// It goes wrong at random moments; afterwards it goes well for as long.
async fn strikes(trouble: &mut impl Trouble, world: &World, arguments: &Arguments) -> Result<()> {
    let mut dice = Dice::new(arguments.seed, 9_999);
    let span = (arguments.longest - arguments.shortest).as_micros() as u64;
    for number in 1..=arguments.times {
        // One time in five it comes very soon: the server is still finding its feet.
        let calm = match dice.once_in(5) {
            true => Duration::from_micros(dice.below(50_000)),
            false => arguments.shortest + Duration::from_micros(dice.below(span + 1)),
        };
        tokio::time::sleep(calm).await;
        trouble.strike(&mut dice).await.with_context(|| format!("around trouble {number}"))?;
    }
    // The load goes on for a while, on a busy machine until there was some.
    tokio::time::sleep(arguments.longest).await;
    let begun = Instant::now();
    while world.begun.load(Ordering::SeqCst) < LEAST_LOAD && begun.elapsed() < LAST_ORDERS {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

async fn compare(
    address: SocketAddr,
    ledger_file: &Path,
    phase: &watch::Sender<Phase>,
    others: &mut JoinSet<()>,
    arguments: &Arguments,
) -> Result<Report> {
    all_met(ledger_file).await?;
    let begun = ledger::read(ledger_file)?;
    gather::all_ended(address, &gather::instances(&begun), LAST_ORDERS).await?;
    phase.send_replace(Phase::Stop);
    ended_well(others).await?;
    let entries = ledger::read(ledger_file)?;
    let records = gather::records(address, &gather::instances(&entries)).await?;
    let verdict = judge(&entries, &records);
    let instances = records.len();
    let events: usize = records.values().map(|record| record.events.len()).sum();
    eprintln!("soak: {instances} instances with {events} events, {} lines in the ledger", entries.len());
    Ok(Report { title: arguments.title(), instances, verdict })
}

/// Waits until every message has its instance, or for as long as `LAST_ORDERS`: an instance that a message begins has
/// no other witness than its worker, and after a trouble it is begun some seconds later.
async fn all_met(ledger_file: &Path) -> Result<()> {
    let begun = Instant::now();
    while !unmet(&ledger::read(ledger_file)?).is_empty() && begun.elapsed() < LAST_ORDERS {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}

/// A panic in the world is not a finding about the server.
async fn ended_well(tasks: &mut JoinSet<()>) -> Result<()> {
    while let Some(ended) = tasks.join_next().await {
        ended.context("a part of the load did not end well")?;
    }
    Ok(())
}

/// Deploys a file, which can run.
pub(crate) async fn deploy(address: SocketAddr, file: &'static [u8]) -> Result<()> {
    let answer = Client::new(address).send(hyper::Method::POST, "/api/deployments", &[], file.into()).await?;
    if !answer.status.is_success() {
        bail!("the process was refused: {}", String::from_utf8_lossy(&answer.body));
    }
    Ok(())
}
