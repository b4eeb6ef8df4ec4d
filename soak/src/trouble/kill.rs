//! SIGKILL at any moment; the next life has the same data.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;

use super::place::Place;
use super::server::Server;
use super::{Addresses, Trouble};
use crate::arguments::Arguments;
use crate::dice::Dice;
use crate::life::Birth;

/// One server on one store.
#[derive(Debug)]
pub struct Kill {
    place: Place,
    server: Server,
}

impl Trouble for Kill {
    const PATIENCE: Duration = Duration::from_secs(30);
    const MUST_ANSWER: bool = true;

    async fn begin(program: PathBuf, arguments: &Arguments, folder: PathBuf) -> Result<Kill> {
        let place = Place::create(arguments.store, &folder).await?;
        let birth = Birth::new(program, place.arguments(), folder.join("server.log"));
        let server = Server::begin(birth)?;
        Ok(Kill { place, server })
    }

    fn addresses(&self) -> Addresses {
        self.server.addresses()
    }

    async fn strike(&mut self, _: &mut Dice) -> Result<()> {
        self.server.kill()?;
        self.server.live()
    }

    async fn end(mut self) -> Result<()> {
        self.server.kill()?;
        self.place.remove().await
    }
}
