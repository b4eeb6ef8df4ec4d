//! Where a store of the bench is, and how its files are forgotten by the system.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tyer_runtime::Engine;

use crate::options::{postgres_url, scoped};

/// Where a store of the bench is.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// A file.
    Sqlite(PathBuf),
    /// A database, and a schema of ours in it.
    Postgres(String, String),
}

impl Place {
    /// An empty one.
    pub(crate) async fn fresh(store: &str, folder: &Path, name: &str) -> Result<Place> {
        if store == "sqlite" {
            let place = Place::Sqlite(folder.join(format!("{name}.db")));
            place.delete().await?;
            return Ok(place);
        }
        let url = postgres_url()?;
        crate::floor::postgres::empty(&url, name).await?;
        Ok(Place::Postgres(url, name.to_owned()))
    }

    /// Opens the engine on it.
    pub(crate) async fn open(&self) -> Result<Engine> {
        Ok(match self {
            Place::Sqlite(file) => Engine::open(file).await?,
            Place::Postgres(url, schema) => Engine::postgres(&scoped(url, schema)).await?,
        })
    }

    /// Nothing is left of it.
    pub(crate) async fn delete(&self) -> Result<()> {
        match self {
            Place::Sqlite(file) => {
                for suffix in ["", "-wal", "-shm", "-lock"] {
                    match std::fs::remove_file(format!("{}{suffix}", file.display())) {
                        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                            return Err(error.into());
                        }
                        Ok(()) | Err(_) => {}
                    }
                }
                Ok(())
            }
            Place::Postgres(url, schema) => {
                let client = crate::floor::postgres::connect(url, "public").await?;
                Ok(client.batch_execute(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE")).await?)
            }
        }
    }

    /// The system no longer has pages of the file in memory. What PostgreSQL holds is its own business.
    pub(crate) fn forget_pages(&self) -> Result<()> {
        let Place::Sqlite(file) = self else { return Ok(()) };
        let mut input = std::ffi::OsString::from("if=");
        input.push(file);
        let said = Command::new("dd").arg(input).args(["iflag=nocache", "count=0"]).output();
        let said = said.context("`dd` tells the system to forget a file: is it installed?")?;
        ensure!(said.status.success(), "dd: {}", String::from_utf8_lossy(&said.stderr));
        Ok(())
    }
}
