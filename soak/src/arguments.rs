//! What a run is asked for.

use std::time::Duration;

use anyhow::{Context, Result, bail};

/// How to say it.
pub const USAGE: &str = "\
cargo xtask soak kill [--kills 20] [--store sqlite|postgres] [--seconds-per-life 0.2-2] [--seed N]

  starts `tyer serve`, drives load over HTTP, kills it with SIGKILL at random moments, starts it again on the same data,
  lets everything finish, and compares with a ledger kept outside";

/// A run.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// How often the server is killed.
    pub kills: u32,
    /// Where its data is.
    pub store: StoreKind,
    /// The shortest life.
    pub shortest: Duration,
    /// The longest life.
    pub longest: Duration,
    /// What the random moments come from.
    pub seed: u64,
}

/// Which store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// One file.
    Sqlite,
    /// The database that `TYER_TEST_POSTGRES` names.
    Postgres,
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

impl Default for Arguments {
    fn default() -> Arguments {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Arguments {
            kills: 20,
            store: StoreKind::Sqlite,
            shortest: Duration::from_millis(200),
            longest: Duration::from_secs(2),
            seed: now.as_millis() as u64,
        }
    }
}

impl Arguments {
    /// Reads `kill` and what follows it.
    pub fn parse(words: &[String]) -> Result<Arguments> {
        let Some((command, mut rest)) = words.split_first() else { bail!("say what to do: kill") };
        if command != "kill" {
            bail!("`{command}` is not known: expected kill");
        }
        let mut arguments = Arguments::default();
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
            "--kills" => self.kills = value.parse()?,
            "--seed" => self.seed = value.parse()?,
            "--store" => {
                self.store = match value {
                    "sqlite" => StoreKind::Sqlite,
                    "postgres" => StoreKind::Postgres,
                    _ => bail!("expected sqlite or postgres"),
                }
            }
            "--seconds-per-life" => {
                let (shortest, longest) = value.split_once('-').unwrap_or((value, value));
                self.shortest = Duration::try_from_secs_f64(shortest.parse()?)?;
                self.longest = Duration::try_from_secs_f64(longest.parse()?)?;
                if self.longest < self.shortest {
                    bail!("expected the shorter life first, as in 0.2-2");
                }
            }
            _ => bail!("not known"),
        }
        Ok(())
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
        let run = parse("kill --kills 3 --store postgres --seconds-per-life 0.5-1").expect("it is sound");
        assert_eq!((run.kills, run.store), (3, StoreKind::Postgres));
        assert_eq!((run.shortest, run.longest), (Duration::from_millis(500), Duration::from_secs(1)));
        for text in [
            "",
            "dance",
            "kill --kills",
            "kill --kills x",
            "kill --store tape",
            "kill --seconds-per-life 2-1",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
