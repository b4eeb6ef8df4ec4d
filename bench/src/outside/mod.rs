//! `http`: W1 and W2 with callers and workers outside, over HTTP on loopback, against a `tyer serve` of its own.
//!
//! **Invariant:** a job counts as done when the server has answered so.

mod client;
mod server;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tokio::sync::{Mutex, Semaphore};

use crate::options::Options;
use crate::processes;
use crate::report::millis;
use crate::workload::{Latency, VARIABLES, Workload};
use client::Client;
use server::Server;

/// Connections that start instances, and connections that do jobs.
const CALLERS: usize = 32;
const WORKERS: usize = 32;
/// Jobs that a worker takes at once.
const TAKEN: usize = 8;
const JSON: &str = "application/json";

/// All that callers and workers share.
struct Outside {
    address: SocketAddr,
    workload: &'static Workload,
    count: u64,
    begun: AtomicU64,
    ended: AtomicU64,
    places: Semaphore,
    steps: Mutex<Vec<Duration>>,
}

/// Measures, and prints a line for each workload and store.
pub(crate) async fn run(arguments: &[String]) -> Result<()> {
    let options = Options::of(arguments)?;
    std::fs::create_dir_all(&options.folder)?;
    let program = program(&options)?;
    println!("| store | load | instances/s | steps/s | step p50 ms | p99 | server CPU µs | outside CPU µs |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for workload in ["W1", "W2"].into_iter().filter_map(Workload::named) {
        for store in options.stores().filter(|store| *store != "memory") {
            for _ in 0..options.rounds {
                measure(&options, &program, store, workload).await?;
            }
        }
    }
    Ok(())
}

/// The program that is said, or the one beside this one.
fn program(options: &Options) -> Result<PathBuf> {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.join("tyer"));
    let program = options.server.clone().or_else(beside).context("where this program is")?;
    anyhow::ensure!(
        program.exists(),
        "{} is not there: `cargo build --release -p tyer --features server,postgres` makes it, or say --server FILE",
        program.display()
    );
    Ok(program)
}

async fn measure(
    options: &Options,
    program: &std::path::Path,
    store: &str,
    workload: &'static Workload,
) -> Result<()> {
    let server = Server::start(options, program, store).await?;
    let outside = Arc::new(Outside {
        address: server.address,
        workload,
        count: options.count,
        begun: AtomicU64::new(0),
        ended: AtomicU64::new(0),
        places: Semaphore::new(options.waiting),
        steps: Mutex::default(),
    });
    Client::connect(server.address)
        .await?
        .post("/api/deployments", "application/xml", workload.model.as_bytes())
        .await?;
    let (before, own, begun) = (processes::family_cpu(server.id()), processes::own_cpu(), Instant::now());
    let mut work = tokio::task::JoinSet::new();
    for number in 0..CALLERS {
        work.spawn(Arc::clone(&outside).call(number));
    }
    for number in 0..WORKERS {
        work.spawn(Arc::clone(&outside).work(number));
    }
    while let Some(done) = work.join_next().await {
        done??;
    }
    let (wall, count) = (begun.elapsed().as_secs_f64(), options.count as f64);
    let cpu = (processes::family_cpu(server.id()) - before).as_secs_f64() * 1e6 / count;
    let outside_cpu = (processes::own_cpu() - own).as_secs_f64() * 1e6 / count;
    let latency = Latency::of(std::mem::take(&mut *outside.steps.lock().await));
    let steps = count * (workload.jobs.len() as f64 + 1.0);
    println!(
        "| {store} | {} over HTTP | {:.0} | {:.0} | {:.2} | {:.2} | {cpu:.0} | {outside_cpu:.0} |",
        workload.name,
        count / wall,
        steps / wall,
        millis(latency.p50),
        millis(latency.p99),
    );
    server.stop()
}

impl Outside {
    /// Starts instances while there are places.
    async fn call(self: Arc<Outside>, _number: usize) -> Result<()> {
        let mut client = Client::connect(self.address).await?;
        let path = format!("/api/workflows/{}/instances", self.workload.process);
        let body = format!(r#"{{"inputData":{VARIABLES}}}"#);
        while self.begun.fetch_add(1, Ordering::Relaxed) < self.count {
            self.places.acquire().await?.forget();
            client.post(&path, JSON, body.as_bytes()).await?;
        }
        Ok(())
    }

    /// Does jobs until the last instance has ended.
    async fn work(self: Arc<Outside>, number: usize) -> Result<()> {
        let mut client = Client::connect(self.address).await?;
        let worker = format!("worker {number}");
        let wanted = json!({ "types": self.workload.jobs, "max": TAKEN, "worker": worker, "waitMs": 200 });
        let wanted = wanted.to_string();
        while self.ended.load(Ordering::Relaxed) < self.count {
            let answer = client.post("/api/jobs/activate", JSON, wanted.as_bytes()).await?;
            for job in answer["jobs"].as_array().context("jobs")? {
                self.complete(&mut client, job).await?;
            }
        }
        Ok(())
    }

    async fn complete(&self, client: &mut Client, job: &Value) -> Result<()> {
        let id = job["id"].as_str().context("the id of a job")?;
        let body = json!({ "lease": job["lease"] }).to_string();
        let begun = Instant::now();
        client.post(&format!("/api/jobs/{id}/complete"), JSON, body.as_bytes()).await?;
        self.steps.lock().await.push(begun.elapsed());
        if job["type"] == "last" {
            self.ended.fetch_add(1, Ordering::Relaxed);
            self.places.add_permits(1);
        }
        Ok(())
    }
}
