//! `tyer backup` and `tyer restore`: everything into one file while work goes on, and back.

use std::path::PathBuf;

use super::exit::Stop;
use super::output;
use super::place::Place;

#[derive(clap::Args)]
pub(crate) struct Backup {
    /// The file to make
    file: PathBuf,
    #[command(flatten)]
    place: Place,
}

#[derive(clap::Args)]
pub(crate) struct Restore {
    /// A file that `tyer backup` made, of whichever store
    file: PathBuf,
    #[command(flatten)]
    place: Place,
}

impl Backup {
    pub(crate) async fn go(self) -> Result<(), Stop> {
        self.copy().await?;
        output::line(&self.file.display().to_string());
        Ok(())
    }

    async fn copy(&self) -> Result<(), Stop> {
        #[cfg(feature = "postgres")]
        if let Some(url) = &self.place.postgres {
            let engine = tyer_runtime::Engine::postgres(url).await?;
            engine.pause();
            engine.backup(&self.file).await?;
            engine.shutdown().await;
            return Ok(());
        }
        // A server may have the file open: it need not stop for this.
        Ok(tyer_runtime::backup_of_file(&self.place.db, &self.file)?)
    }
}

impl Restore {
    pub(crate) async fn go(self) -> Result<(), Stop> {
        #[cfg(feature = "postgres")]
        if let Some(url) = &self.place.postgres {
            tyer_runtime::restore_into_postgres(&self.file, url).await?;
            eprintln!("tyer: the database has everything that is in {}", self.file.display());
            return Ok(());
        }
        tyer_runtime::restore(&self.file, &self.place.db)?;
        output::line(&self.place.db.display().to_string());
        Ok(())
    }
}
