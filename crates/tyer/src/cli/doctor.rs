//! `tyer doctor`: checks every invariant on the stored data, and changes nothing.

use std::io::IsTerminal;

use super::exit::{Exit, Stop};
use super::output;
use super::place::Place;

#[derive(clap::Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    place: Place,
}

impl Doctor {
    pub(crate) async fn go(self) -> Result<(), Stop> {
        let engine = self.place.resting().await?;
        let seen = std::io::stderr().is_terminal();
        let told = |instances: u64| {
            if seen {
                eprint!("\r{instances} instances");
            }
        };
        let checkup = engine.doctor(told).await?;
        if seen {
            eprintln!();
        }
        engine.shutdown().await;
        for complaint in &checkup.complaints {
            output::line(complaint);
        }
        let (instances, events, wrong) = (checkup.instances, checkup.events, checkup.complaints.len());
        output::line(&format!("looked at {instances} instances and {events} events: {wrong} complaints"));
        if checkup.is_well() { Ok(()) } else { Err(Stop::silent(Exit::Failure)) }
    }
}
