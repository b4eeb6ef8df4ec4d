//! Where the data of a run is: a folder of its own, or a schema of its own.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tokio_postgres::NoTls;

use crate::arguments::StoreKind;

/// The place of one run; the folder also has the ledger and the server's log.
#[derive(Debug)]
pub struct Place {
    folder: PathBuf,
    schema: Option<Schema>,
}

#[derive(Debug)]
struct Schema {
    base: String,
    name: String,
}

impl Place {
    /// A new one.
    pub async fn create(kind: StoreKind, seed: u64) -> Result<Place> {
        let name = format!("tyer_soak_{}_{seed}", std::process::id());
        let folder = std::env::temp_dir().join(&name);
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let schema = match kind {
            StoreKind::Sqlite => None,
            StoreKind::Postgres => Some(Schema::create(name).await?),
        };
        Ok(Place { folder, schema })
    }

    /// Where the ledger and the log go.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How `tyer serve` is told.
    pub fn arguments(&self) -> Vec<String> {
        match &self.schema {
            None => vec!["--db".to_owned(), self.folder.join("soak.db").display().to_string()],
            Some(schema) => vec!["--postgres".to_owned(), schema.url()],
        }
    }

    /// Takes everything away: only after a run that found nothing.
    pub async fn remove(self) -> Result<()> {
        if let Some(schema) = &self.schema {
            schema.run(&format!("DROP SCHEMA {} CASCADE", schema.name)).await?;
        }
        std::fs::remove_dir_all(&self.folder).context("cannot remove the folder of the run")
    }
}

impl Schema {
    async fn create(name: String) -> Result<Schema> {
        let base = std::env::var("TYER_TEST_POSTGRES").context(
            "TYER_TEST_POSTGRES names no database: use `cargo xtask soak` or `cargo xtask test`, \
             or set it to the line that `cargo xtask postgres start` prints",
        )?;
        let schema = Schema { base, name };
        schema.run(&format!("CREATE SCHEMA {}", schema.name)).await?;
        Ok(schema)
    }

    fn url(&self) -> String {
        let separator = if self.base.contains('?') { '&' } else { '?' };
        format!("{}{separator}options=-csearch_path%3D{}", self.base, self.name)
    }

    async fn run(&self, sql: &str) -> Result<()> {
        let (client, connection) =
            tokio_postgres::connect(&self.base, NoTls).await.context("no PostgreSQL there")?;
        let talking = tokio::spawn(connection);
        client.batch_execute(sql).await?;
        talking.abort();
        Ok(())
    }
}
