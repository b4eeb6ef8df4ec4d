//! SIGKILL at any moment; the next life has the same data.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use tokio::sync::watch;
use tokio::task::block_in_place;

use super::place::Place;
use super::{Addresses, Trouble};
use crate::arguments::Arguments;
use crate::dice::Dice;
use crate::life::{Birth, Life};

/// One server on one store.
#[derive(Debug)]
pub struct Kill {
    place: Place,
    birth: Birth,
    life: Option<Life>,
    addresses: watch::Sender<Vec<std::net::SocketAddr>>,
}

impl Trouble for Kill {
    const PATIENCE: Duration = Duration::from_secs(30);
    const MUST_ANSWER: bool = true;

    async fn begin(program: PathBuf, arguments: &Arguments, folder: PathBuf) -> Result<Kill> {
        let place = Place::create(arguments.store, &folder).await?;
        let birth = Birth::new(program, place.arguments(), folder.join("server.log"));
        let mut kill = Kill { place, birth, life: None, addresses: watch::Sender::new(Vec::new()) };
        kill.live()?;
        Ok(kill)
    }

    fn addresses(&self) -> Addresses {
        self.addresses.subscribe()
    }

    async fn strike(&mut self, _: &mut Dice) -> Result<()> {
        if let Some(life) = self.life.take() {
            block_in_place(|| life.kill())?;
        }
        self.live()
    }

    async fn end(mut self) -> Result<()> {
        if let Some(life) = self.life.take() {
            life.kill()?;
        }
        self.place.remove().await
    }
}

impl Kill {
    fn live(&mut self) -> Result<()> {
        let life = block_in_place(|| self.birth.begin())?;
        self.addresses.send_replace(vec![life.address()]);
        self.life = Some(life);
        Ok(())
    }
}
