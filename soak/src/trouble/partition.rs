//! Three nodes on one PostgreSQL: now and then one of them cannot be heard, cannot hear, neither, or stands still for longer
//! than a lease.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::sync::watch;
use tokio::task::block_in_place;

use super::cluster::Cluster;
use super::{Addresses, Trouble, between};
use crate::arguments::Arguments;
use crate::dice::Dice;
use crate::life::{Birth, Life};
use crate::shell;

const NODES: usize = 3;
/// Where PostgreSQL and the callers are.
const HERE: &str = "10.213.77.1";
/// A node's lease is shorter, and so is a worker's.
const LONGER_THAN_A_LEASE_MS: u64 = 12_000;

/// What is dropped: where nftables looks, and at which side of the wire.
type Way = (&'static str, &'static str);
const IN: Way = ("input", "iifname");
const OUT: Way = ("output", "oifname");

/// Three servers, each in a network of its own.
#[derive(Debug)]
pub struct Partition {
    lives: Vec<Life>,
    doors: Vec<Child>,
    _cluster: Cluster,
    network: Network,
    addresses: watch::Sender<Vec<SocketAddr>>,
}

/// A bridge here, and a namespace a node.
#[derive(Debug)]
struct Network;

impl Trouble for Partition {
    const PATIENCE: Duration = Duration::from_secs(3);
    const MUST_ANSWER: bool = false;

    async fn begin(program: PathBuf, _: &Arguments, folder: PathBuf) -> Result<Partition> {
        shell::needs_root("partition")?;
        shell::needs("ip", "iproute2")?;
        shell::needs("nft", "nftables")?;
        shell::needs("socat", "socat")?;
        block_in_place(|| {
            let network = Network::create()?;
            let cluster = Cluster::create(folder.join("postgres"), HERE, false)?;
            let url = format!("postgres://tyer@{}/postgres", cluster.address());
            let begin = |node: usize| {
                let log = folder.join(format!("server-{node}.log"));
                let birth = Birth::new(program.clone(), vec!["--postgres".to_owned(), url.clone()], log);
                birth.away(namespace(node)).begin()
            };
            let lives = (0..NODES).map(begin).collect::<Result<Vec<Life>>>()?;
            let mut doors = Vec::new();
            let mut outside = Vec::new();
            for (node, life) in lives.iter().enumerate() {
                let (inner, outer) = (life.address().port(), free_port()?);
                doors.push(inner_door(node, inner)?);
                doors.push(outer_door(node, inner, outer)?);
                outside.push(SocketAddr::from(([127, 0, 0, 1], outer)));
            }
            let addresses = watch::Sender::new(outside);
            // The doors open in their own time.
            std::thread::sleep(Duration::from_millis(500));
            Ok(Partition { lives, doors, _cluster: cluster, network, addresses })
        })
    }

    fn addresses(&self) -> Addresses {
        self.addresses.subscribe()
    }

    async fn strike(&mut self, dice: &mut Dice) -> Result<()> {
        let node = dice.below(NODES as u64) as usize;
        let ways: &[Way] = match dice.below(4) {
            0 => &[OUT],
            1 => &[IN],
            2 => &[IN, OUT],
            _ => return self.stand_still(node, dice).await,
        };
        self.network.cut(node, ways)?;
        tokio::time::sleep(between(dice, 300, 6_000)).await;
        self.network.heal(node)
    }

    async fn end(mut self) -> Result<()> {
        for life in std::mem::take(&mut self.lives) {
            life.kill()?;
        }
        Ok(())
    }
}

impl Drop for Partition {
    fn drop(&mut self) {
        for door in &mut self.doors {
            let _ = door.kill();
            let _ = door.wait();
        }
    }
}

/// Without credentials a server listens only to its own machine: whoever comes over the wire is let in here.
fn inner_door(node: usize, port: u16) -> Result<Child> {
    let wire = format!("TCP-LISTEN:{port},bind={},fork,reuseaddr", address(node));
    let server = format!("TCP:127.0.0.1:{port}");
    shell::start("ip", &["netns", "exec", &namespace(node), "socat", &wire, &server])
}

/// And here they go out to the wire.
fn outer_door(node: usize, inner: u16, outer: u16) -> Result<Child> {
    let caller = format!("TCP-LISTEN:{outer},bind=127.0.0.1,fork,reuseaddr");
    shell::start("socat", &[&caller, &format!("TCP:{}:{inner}", address(node))])
}

fn free_port() -> Result<u16> {
    Ok(std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

impl Partition {
    async fn stand_still(&self, node: usize, dice: &mut Dice) -> Result<()> {
        let process = self.lives[node].process();
        shell::signal("STOP", process)?;
        let time = if dice.once_in(3) { LONGER_THAN_A_LEASE_MS } else { 4_000 };
        tokio::time::sleep(between(dice, time, time + 1_000)).await;
        shell::signal("CONT", process).context("a node that stood still")
    }
}

impl Network {
    fn create() -> Result<Network> {
        let network = Network;
        network.clear();
        shell::run("ip", &["link", "add", "tyersoak", "type", "bridge"])?;
        shell::run("ip", &["address", "add", &format!("{HERE}/24"), "dev", "tyersoak"])?;
        shell::run("ip", &["link", "set", "tyersoak", "up"])?;
        for node in 0..NODES {
            let (space, here) = (namespace(node), format!("tyersoak{node}"));
            let there = ["netns", "exec", &space, "ip"];
            shell::run("ip", &["netns", "add", &space])?;
            let pair = ["type", "veth", "peer", "name", "eth0", "netns", &space];
            shell::run("ip", &[&["link", "add", &here][..], &pair].concat())?;
            shell::run("ip", &["link", "set", &here, "master", "tyersoak", "up"])?;
            let own = format!("{}/24", address(node));
            shell::run("ip", &[&there[..], &["address", "add", &own, "dev", "eth0"]].concat())?;
            shell::run("ip", &[&there[..], &["link", "set", "eth0", "up"]].concat())?;
            shell::run("ip", &[&there[..], &["link", "set", "lo", "up"]].concat())?;
        }
        Ok(network)
    }

    fn cut(&self, node: usize, ways: &[Way]) -> Result<()> {
        self.nft(node, &["add", "table", "inet", "soak"])?;
        for (hook, side) in ways {
            let chain = format!("{{ type filter hook {hook} priority 0; }}");
            self.nft(node, &["add", "chain", "inet", "soak", hook, &chain])?;
            self.nft(node, &["add", "rule", "inet", "soak", hook, side, "eth0", "drop"])?;
        }
        Ok(())
    }

    fn heal(&self, node: usize) -> Result<()> {
        self.nft(node, &["delete", "table", "inet", "soak"])
    }

    fn nft(&self, node: usize, words: &[&str]) -> Result<()> {
        let space = namespace(node);
        shell::run("ip", &[&["netns", "exec", &space, "nft"], words].concat()).map(drop)
    }

    fn clear(&self) {
        for node in 0..NODES {
            shell::attempt("ip", &["netns", "delete", &namespace(node)]);
        }
        shell::attempt("ip", &["link", "delete", "tyersoak"]);
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.clear();
    }
}

fn namespace(node: usize) -> String {
    format!("tyersoak{node}")
}

fn address(node: usize) -> String {
    format!("10.213.77.{}", 11 + node)
}
