//! Tables and their versions: forward only, one transaction per step, from any number of nodes at once.
//!
//! **Invariant:** whoever changes the schema holds the lock on the one row that says its version.

use tokio_postgres::error::SqlState;

use crate::error::Error;
use crate::postgres::connection::{Connection, Request};
use crate::postgres::pool::Pool;

/// Each step brings the schema to the version that is its position + 1.
const STEPS: &[&str] = &[
    include_str!("schema.sql"),
    include_str!("lists.sql"),
    include_str!("questions.sql"),
    include_str!("keeping.sql"),
    include_str!("outbox.sql"),
    include_str!("slices.sql"),
    include_str!("keys.sql"),
];

const VERSION_TABLE: &str = "
    CREATE TABLE IF NOT EXISTS schema_version (
        one     boolean PRIMARY KEY DEFAULT true CHECK (one),
        version bigint NOT NULL
    );
    INSERT INTO schema_version (version) VALUES (0) ON CONFLICT DO NOTHING";

/// Also what deployments stand in line for.
pub(super) const LOCK: &str = "SELECT version FROM schema_version FOR UPDATE";

pub(super) async fn migrate(pool: &Pool) -> Result<(), Error> {
    let connection = pool.take().await?;
    create_version_table(&connection).await?;
    let known = i64::try_from(STEPS.len()).expect("few steps");
    loop {
        connection.run("BEGIN").await?;
        let rows = connection.query(Request { sql: LOCK, parameters: Vec::new() }).await?;
        let found: i64 = rows.first().map_or(0, |row| row.get(0));
        if found > known {
            return Err(Error::NewerSchema { found, known });
        }
        let step = usize::try_from(found).ok().and_then(|found| STEPS.get(found));
        let Some(step) = step else { break };
        connection.run(step).await?;
        connection.run("UPDATE schema_version SET version = version + 1; COMMIT").await?;
    }
    connection.run("ROLLBACK").await?;
    connection.give_back();
    Ok(())
}

/// Data of a newer program is not copied: what it knows more of would be left out.
#[cfg(feature = "sqlite")]
pub(super) async fn is_known(client: &tokio_postgres::Client) -> Result<(), Error> {
    let row = client.query_one("SELECT version FROM schema_version", &[]).await;
    let found: i64 = row.map_err(crate::postgres::complaint)?.get(0);
    let known = i64::try_from(STEPS.len()).expect("few steps");
    if found > known { Err(Error::NewerSchema { found, known }) } else { Ok(()) }
}

/// `IF NOT EXISTS` looks first and creates then: of two that do so at once, one is refused and finds the table the
/// next time.
async fn create_version_table(connection: &Connection) -> Result<(), Error> {
    let mut tries = 0;
    loop {
        match connection.run_raw(VERSION_TABLE).await {
            Err(error) if tries < 5 && is_race(error.code()) => tries += 1,
            outcome => return outcome.map_err(crate::postgres::complaint),
        }
    }
}

fn is_race(code: Option<&SqlState>) -> bool {
    code.is_some_and(|code| {
        [SqlState::UNIQUE_VIOLATION, SqlState::DUPLICATE_TABLE, SqlState::DUPLICATE_OBJECT].contains(code)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes of a new program find data of an old one, all at once.
    #[test]
    fn from_every_step_on_nodes_that_open_at_once_agree() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let base = std::env::var("TYER_TEST_POSTGRES").expect("TYER_TEST_POSTGRES names a database");
            for begun in 1..=STEPS.len() {
                let name = format!("tyer_steps_{begun}_{}", std::process::id());
                let separator = if base.contains('?') { '&' } else { '?' };
                let url = format!("{base}{separator}options=-csearch_path%3D{name}");
                let pool = Pool::new(&url, 1).expect("a pool");
                let connection = pool.take().await.expect("a connection");
                connection.run(&format!("CREATE SCHEMA {name}")).await.expect("a schema");
                create_version_table(&connection).await.expect("a table");
                for step in &STEPS[..begun] {
                    connection.run(step).await.expect("a step is sound");
                }
                let version = format!("UPDATE schema_version SET version = {begun}");
                connection.run(&version).await.expect("a version");
                connection.give_back();
                let nodes = (0..4).map(|_| {
                    let url = url.clone();
                    tokio::spawn(async move { migrate(&Pool::new(&url, 1).expect("a pool")).await })
                });
                for node in nodes.collect::<Vec<_>>() {
                    node.await.expect("no panic").expect("the rest is done, by whoever comes first");
                }
                let connection = pool.take().await.expect("a connection");
                let found = connection.lines("SELECT version FROM schema_version").await.expect("a version");
                assert_eq!(found, [STEPS.len().to_string()]);
                connection.run(&format!("DROP SCHEMA {name} CASCADE")).await.expect("it is ours");
            }
        });
    }
}
