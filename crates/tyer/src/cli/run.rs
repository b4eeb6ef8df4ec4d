//! `tyer run`: one file, one instance, to its end, with every token move as one line.
//!
//! **Invariant:** a line is printed only after what it says is durable.

mod drive;

use std::path::{Path, PathBuf};

use tyer_engine::Variables;
use tyer_model::{Imported, Process};
use tyer_runtime::{Builder, Engine, TestClock};

use super::exit::{Exit, Stop};
use super::problems;
use drive::Drive;

#[derive(clap::Args)]
pub(crate) struct Run {
    /// A BPMN file
    file: PathBuf,
    /// Variables to begin with, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    vars: String,
    /// Which process, if the file has several
    #[arg(long, value_name = "ID")]
    process: Option<String>,
    /// The SQLite file to keep it in; a temporary one when not given
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// Ask for the result of user tasks instead of completing them with nothing
    #[arg(long)]
    interactive: bool,
    /// Jump to the next due moment instead of waiting for it
    #[arg(long)]
    skip_timers: bool,
}

impl Run {
    pub(crate) async fn go(self) -> Result<(), Stop> {
        let variables = Variables::parse(&self.vars)
            .map_err(|error| Stop::new(Exit::Usage, format!("--vars: {error}")))?;
        let bytes = problems::read(&self.file)?;
        let imported = problems::import(&self.file, &bytes, |line| eprintln!("{line}"))?;
        let process = choose(imported, self.process.as_deref())?;
        let place = Place::of(self.db.as_deref())?;
        let clock = self.skip_timers.then(now);
        let mut builder = Builder::default();
        if let Some(clock) = &clock {
            builder = builder.clock(clock);
        }
        let engine = builder.open(&place.file).await?;
        let ended = self.drive(&engine, &bytes, &process, variables, clock).await;
        engine.shutdown().await;
        ended
    }

    async fn drive(
        &self,
        engine: &Engine,
        bytes: &[u8],
        process: &Process,
        variables: Variables,
        clock: Option<TestClock>,
    ) -> Result<(), Stop> {
        engine.deploy(bytes).await?;
        let started = engine.start(&process.id).variables(variables).send().await?;
        Drive::new(engine, started.id(), process, clock, self.interactive).finish().await
    }
}

fn choose(imported: Imported, wanted: Option<&str>) -> Result<Process, Stop> {
    let ids: Vec<String> = imported.processes.iter().map(|process| process.id.clone()).collect();
    let mut found =
        imported.processes.into_iter().filter(|process| wanted.is_none_or(|wanted| process.id == wanted));
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => {
            let message =
                format!("the file has several processes: say --process with one of {}", ids.join(", "));
            Err(Stop::new(Exit::Usage, message))
        }
        (None, _) => {
            let message =
                format!("the file has no process `{}`: it has {}", wanted.unwrap_or("?"), ids.join(", "));
            Err(Stop::new(Exit::NotFound, message))
        }
    }
}

/// A clock that stands at the present moment.
fn now() -> TestClock {
    let clock = TestClock::default();
    clock.advance_ms(jiff::Timestamp::now().as_millisecond() - clock.now().0);
    clock
}

/// Where the instance is kept; a temporary folder goes with the program.
struct Place {
    file: PathBuf,
    temporary: Option<PathBuf>,
}

impl Place {
    fn of(db: Option<&Path>) -> Result<Place, Stop> {
        if let Some(file) = db {
            return Ok(Place { file: file.to_owned(), temporary: None });
        }
        let folder = std::env::temp_dir().join(format!("tyer-run-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| {
            Stop::new(Exit::Failure, format!("cannot make {}: {error}", folder.display()))
        })?;
        Ok(Place { file: folder.join("run.db"), temporary: Some(folder) })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(folder) = &self.temporary {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}
