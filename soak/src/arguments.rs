//! What a run is asked for.

use std::time::Duration;

use anyhow::{Context, Result, bail};

/// How to say it.
pub const USAGE: &str = "\
cargo xtask soak KIND [--times N] [--store sqlite|postgres] [--seconds-between 0.2-2] [--seed N]

  starts `tyer serve`, drives load over HTTP, makes trouble at random moments, lets everything finish, and compares with
  a ledger kept outside. KIND is one of

  kill       SIGKILL, and a new life on the same data; on SQLite or PostgreSQL
  postgres   PostgreSQL is restarted, or killed and its synchronous standby promoted
  power      the machine of a SQLite file loses its power: what was not flushed is gone (root; nbdkit)
  disk       the disk of a SQLite file is full, or does not take writes (root)
  partition  three nodes on one PostgreSQL: cut off one way, both ways, or stopped longer than a lease (root)
  linear     no trouble: claims, completions and messages at two nodes, and whether one order explains every answer";

/// A run.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// What goes wrong.
    pub kind: Kind,
    /// How often.
    pub times: u32,
    /// Where the data of `kill` is.
    pub store: StoreKind,
    /// The shortest calm.
    pub shortest: Duration,
    /// The longest calm.
    pub longest: Duration,
    /// What the random moments come from.
    pub seed: u64,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The server is killed.
    Kill,
    /// PostgreSQL goes away.
    Postgres,
    /// The power goes.
    Power,
    /// The disk is full or broken.
    Disk,
    /// The network is cut.
    Partition,
    /// Nothing: answers are checked.
    Linear,
}

/// Which store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// One file.
    Sqlite,
    /// The database that `TYER_TEST_POSTGRES` names.
    Postgres,
}

impl Kind {
    const ALL: [(&'static str, Kind); 6] = [
        ("kill", Kind::Kill),
        ("postgres", Kind::Postgres),
        ("power", Kind::Power),
        ("disk", Kind::Disk),
        ("partition", Kind::Partition),
        ("linear", Kind::Linear),
    ];

    fn name(self) -> &'static str {
        Kind::ALL.iter().find(|(_, kind)| *kind == self).map_or("?", |(name, _)| name)
    }
}

impl StoreKind {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            StoreKind::Sqlite => "sqlite",
            StoreKind::Postgres => "postgres",
        }
    }
}

impl Arguments {
    /// Of a kind, as far as nothing else is said.
    pub fn of(kind: Kind) -> Arguments {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let (shortest, longest) = match kind {
            Kind::Kill | Kind::Linear => (200, 2_000),
            Kind::Power | Kind::Disk | Kind::Partition => (500, 4_000),
            Kind::Postgres => (5_000, 40_000),
        };
        let store = match kind {
            Kind::Kill | Kind::Power | Kind::Disk => StoreKind::Sqlite,
            Kind::Postgres | Kind::Partition | Kind::Linear => StoreKind::Postgres,
        };
        Arguments {
            kind,
            times: 20,
            store,
            shortest: Duration::from_millis(shortest),
            longest: Duration::from_millis(longest),
            seed: now.as_millis() as u64,
        }
    }

    /// Reads the kind and what follows it.
    pub fn parse(words: &[String]) -> Result<Arguments> {
        let known = || Kind::ALL.map(|(name, _)| name).join(", ");
        let Some((command, mut rest)) = words.split_first() else { bail!("say what to do: {}", known()) };
        let Some((_, kind)) = Kind::ALL.iter().find(|(name, _)| name == command) else {
            bail!("`{command}` is not known: expected {}", known());
        };
        let mut arguments = Arguments::of(*kind);
        while let [name, value, after @ ..] = rest {
            arguments.set(name, value).with_context(|| format!("{name} {value}"))?;
            rest = after;
        }
        match rest {
            [] => Ok(arguments),
            [name, ..] => bail!("{name} needs a value"),
        }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        match name {
            "--times" => self.times = value.parse()?,
            "--seed" => self.seed = value.parse()?,
            "--store" if self.kind == Kind::Kill => {
                self.store = match value {
                    "sqlite" => StoreKind::Sqlite,
                    "postgres" => StoreKind::Postgres,
                    _ => bail!("expected sqlite or postgres"),
                }
            }
            "--store" => bail!("`{}` is always on {}", self.kind.name(), self.store.name()),
            "--seconds-between" => {
                let (shortest, longest) = value.split_once('-').unwrap_or((value, value));
                self.shortest = Duration::try_from_secs_f64(shortest.parse()?)?;
                self.longest = Duration::try_from_secs_f64(longest.parse()?)?;
                if self.longest < self.shortest {
                    bail!("expected the shorter time first, as in 0.2-2");
                }
            }
            _ => bail!("not known"),
        }
        Ok(())
    }

    /// How the report begins.
    pub(crate) fn title(&self) -> String {
        format!("{} {}: {} times", self.kind.name(), self.store.name(), self.times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Arguments> {
        Arguments::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_said_is_done_and_what_is_not_known_is_refused() {
        let run = parse("kill --times 3 --store postgres --seconds-between 0.5-1").expect("it is sound");
        assert_eq!((run.kind, run.times, run.store), (Kind::Kill, 3, StoreKind::Postgres));
        assert_eq!((run.shortest, run.longest), (Duration::from_millis(500), Duration::from_secs(1)));
        for text in [
            "",
            "dance",
            "kill --times",
            "kill --times x",
            "kill --store tape",
            "power --store postgres",
            "kill --seconds-between 2-1",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
