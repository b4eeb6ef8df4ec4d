//! Which store is meant: a file, or a PostgreSQL database.

use std::path::PathBuf;

use tyer_runtime::Engine;

use super::exit::{Exit, Stop};

#[derive(clap::Args)]
pub(crate) struct Place {
    /// The SQLite file
    #[arg(long, value_name = "FILE", env = "TYER_DB", default_value = "tyer.db")]
    pub(crate) db: PathBuf,
    /// A PostgreSQL database instead
    #[cfg(feature = "postgres")]
    #[arg(long, value_name = "URL", env = "TYER_POSTGRES", conflicts_with = "db")]
    pub(crate) postgres: Option<String>,
}

impl Place {
    /// An engine that begins nothing by itself, on a store that must be there.
    pub(crate) async fn resting(&self) -> Result<Engine, Stop> {
        #[cfg(feature = "postgres")]
        if let Some(url) = &self.postgres {
            let engine = Engine::postgres(url).await?;
            engine.pause();
            return Ok(engine);
        }
        if !self.db.is_file() {
            let message = format!("there is no file {}: name another with --db", self.db.display());
            return Err(Stop::new(Exit::NotFound, message));
        }
        let engine = Engine::open(&self.db).await?;
        engine.pause();
        Ok(engine)
    }
}
