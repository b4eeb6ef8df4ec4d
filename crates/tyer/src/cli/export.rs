//! `tyer export`: history as lines of JSON on stdout.

use std::io::Write;
use std::ops::ControlFlow;

use tyer_runtime::{Export as What, Timestamp};

use super::exit::{Exit, Stop};
use super::place::Place;

#[derive(clap::Args)]
pub(crate) struct Export {
    #[command(flatten)]
    place: Place,
    /// Only instances of this process
    #[arg(long, value_name = "KEY")]
    process: Option<String>,
    /// Only what happened at this moment or later, such as 2030-01-31T12:00:00Z
    #[arg(long, value_name = "MOMENT", value_parser = moment)]
    since: Option<Timestamp>,
    /// Only what happened before this moment
    #[arg(long, value_name = "MOMENT", value_parser = moment)]
    until: Option<Timestamp>,
    /// Of this tenant
    #[arg(long, value_name = "NAME", default_value = "")]
    tenant: String,
}

impl Export {
    pub(crate) async fn go(self) -> Result<(), Stop> {
        let engine = self.place.resting().await?;
        let what = What { process: self.process, since: self.since, until: self.until };
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        let mut failed = None;
        let each = |line: &str| match writeln!(out, "{line}") {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        };
        let lines = engine.tenant(&self.tenant).export(&what, each).await?;
        let flushed = failed.map_or_else(|| out.flush(), Err);
        drop(out);
        engine.shutdown().await;
        match flushed {
            Ok(()) => {
                eprintln!("tyer: {lines} events");
                Ok(())
            }
            // Whoever read it has seen enough.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(Stop::new(Exit::Failure, format!("cannot write: {error}"))),
        }
    }
}

fn moment(text: &str) -> Result<Timestamp, String> {
    let moment: Result<jiff::Timestamp, _> = text.parse();
    let moment = moment.map_err(|_| "expected a moment such as 2030-01-31T12:00:00Z".to_owned())?;
    Ok(Timestamp(moment.as_millisecond()))
}
