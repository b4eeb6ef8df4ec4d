//! Where the data of a killed server is: a file of its own, or a schema of its own.

use std::path::Path;

use anyhow::{Context, Result};
use tokio_postgres::NoTls;

use crate::arguments::StoreKind;

/// The place of one run.
#[derive(Debug)]
pub(crate) enum Place {
    File(String),
    Schema(Schema),
}

#[derive(Debug)]
pub(crate) struct Schema {
    base: String,
    name: String,
}

impl Place {
    /// A new one.
    pub(crate) async fn create(kind: StoreKind, folder: &Path) -> Result<Place> {
        match kind {
            StoreKind::Sqlite => Ok(Place::File(folder.join("soak.db").display().to_string())),
            StoreKind::Postgres => {
                let name = folder.file_name().context("the folder has a name")?.to_string_lossy();
                Ok(Place::Schema(Schema::create(name.into_owned()).await?))
            }
        }
    }

    /// How `tyer serve` is told.
    pub(crate) fn arguments(&self) -> Vec<String> {
        match self {
            Place::File(path) => vec!["--db".to_owned(), path.clone()],
            Place::Schema(schema) => vec!["--postgres".to_owned(), schema.url()],
        }
    }

    /// Takes away what is not in the folder of the run.
    pub(crate) async fn remove(self) -> Result<()> {
        match self {
            Place::File(_) => Ok(()),
            Place::Schema(schema) => schema.run(&format!("DROP SCHEMA {} CASCADE", schema.name)).await,
        }
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
