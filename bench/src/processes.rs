//! What processes cost, as the kernel counts it.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result};

/// User and system time of this process so far.
pub(crate) fn own_cpu() -> Duration {
    Stat::of("self").map_or(Duration::ZERO, |stat| stat.cpu)
}

/// User and system time of a process and of all its children, also of those that have ended.
pub(crate) fn family_cpu(parent: u32) -> Duration {
    let mut sum = Stat::of(&parent.to_string()).map_or(Duration::ZERO, |stat| stat.cpu + stat.ended_children);
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(stat) = name.to_str().filter(|name| name.parse::<u32>().is_ok()).and_then(Stat::of) else {
            continue;
        };
        if stat.parent == parent {
            sum += stat.cpu + stat.ended_children;
        }
    }
    sum
}

/// The process that all processes of this PostgreSQL descend from, if it runs on this machine.
pub(crate) async fn postmaster(client: &tokio_postgres::Client) -> Result<Option<u32>> {
    let backend: i32 = client.query_one("SELECT pg_backend_pid()", &[]).await?.get(0);
    let Some(stat) = Stat::of(&backend.to_string()) else { return Ok(None) };
    let is_postgres = std::fs::read_to_string(format!("/proc/{backend}/comm")).context("a backend")?;
    Ok(Some(stat.parent).filter(|_| is_postgres.starts_with("postgres")))
}

/// From now on the peak of this process's memory is counted anew.
pub(crate) fn forget_peak() {
    // Where the kernel does not allow it, the peak is that of the whole run: more than the truth, never less.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most memory that this process had.
pub(crate) fn peak_kilobytes() -> u64 {
    status("self").get("VmHWM").copied().unwrap_or(0)
}

fn status(process: &str) -> BTreeMap<String, u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_owned(), value.split_whitespace().next()?.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

struct Stat {
    parent: u32,
    cpu: Duration,
    ended_children: Duration,
}

impl Stat {
    fn of(process: &str) -> Option<Stat> {
        let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name of the program may have spaces in it; what counts comes after its closing bracket.
        let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
        // A tick is ten milliseconds on every Linux of today.
        let ticks = |count: u64| Duration::from_millis(count * 10);
        Some(Stat {
            parent: u32::try_from(number(1)).ok()?,
            cpu: ticks(number(11) + number(12)),
            ended_children: ticks(number(13) + number(14)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_works_costs_time_and_memory() {
        let begun = own_cpu();
        let mut sum = 0_u64;
        while own_cpu() - begun < Duration::from_millis(20) {
            sum = (0..100_000_u64).fold(sum, |sum, next| sum.wrapping_mul(31).wrapping_add(next));
        }
        assert!(family_cpu(std::process::id()) >= own_cpu() - Duration::from_millis(10), "{sum}");
        assert!(peak_kilobytes() > 0);
    }
}
