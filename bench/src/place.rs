//! Stores that are not there yet, and an engine on each.

use anyhow::Result;
use tyer_runtime::Engine;

use crate::floor;
use crate::options::{Options, postgres_url, scoped};

/// An engine on an empty store.
pub(crate) async fn fresh(options: &Options, store: &str) -> Result<Engine> {
    match store {
        "postgres" => on_postgres(options, &postgres_url()?, &postgres_url()?).await,
        _ => of_its_own(options, store).await,
    }
}

/// The same, but PostgreSQL is spoken to over another address.
pub(crate) async fn on_postgres(options: &Options, url: &str, over: &str) -> Result<Engine> {
    floor::postgres::empty(url, "engine").await?;
    Ok(options.engine().postgres(&scoped(over, "engine")).await?)
}

async fn of_its_own(options: &Options, store: &str) -> Result<Engine> {
    Ok(match store {
        "memory" => options.engine().memory().await?,
        _ => options.engine().open(options.fresh("engine")?).await?,
    })
}
