//! A schema of its own for every test, in the database that `TYER_TEST_POSTGRES` names.

use tokio_postgres::NoTls;
use tyer_store::postgres::Postgres;

use crate::play::fresh_id;

pub(crate) struct Schema {
    /// Leads into the schema.
    pub(crate) url: String,
    name: String,
    base: String,
}

impl Schema {
    pub(crate) async fn create() -> Schema {
        let base = std::env::var("TYER_TEST_POSTGRES").expect(
            "TYER_TEST_POSTGRES names no database: run the tests with `cargo xtask test`, \
             or set it to the URL that `cargo xtask postgres start` prints",
        );
        let name = format!("contract_{}_{}", std::process::id(), fresh_id());
        let schema = Schema { url: with_schema(&base, &name), name, base };
        schema.run(&format!("CREATE SCHEMA {}", schema.name)).await;
        schema
    }

    /// The same schema at another address.
    pub(crate) fn url_at(&self, port: u16) -> String {
        let (before, after) = self.url.rsplit_once('@').expect("user@host");
        let path = after.split_once('/').expect("host/database").1;
        format!("{before}@127.0.0.1:{port}/{path}")
    }

    /// Where the server listens.
    pub(crate) fn address(&self) -> String {
        let after = self.base.rsplit_once('@').expect("user@host").1;
        after.split(['/', '?']).next().expect("a host").to_owned()
    }

    pub(crate) async fn connect(&self, url: &str, connections: usize) -> Postgres {
        Postgres::connect(url, connections).await.expect("connects")
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The same schema as somebody else sees it.
    pub(crate) fn url_of(&self, user: &str, password: &str) -> String {
        let after = self.url.rsplit_once('@').expect("user@host").1;
        format!("postgres://{user}:{password}@{after}")
    }

    /// A session of one's own.
    pub(crate) async fn session(&self) -> tokio_postgres::Client {
        let (client, driver) = tokio_postgres::connect(&self.url, NoTls).await.expect("connects");
        tokio::spawn(driver);
        client
    }

    /// Something behind the store's back.
    pub(crate) async fn run(&self, sql: &str) {
        self.count(sql).await;
    }

    /// The same, with the number of rows it gave.
    pub(crate) async fn count(&self, sql: &str) -> usize {
        let (client, driver) = tokio_postgres::connect(&self.url, NoTls).await.expect("connects");
        let driver = tokio::spawn(driver);
        let rows = client.simple_query(sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        drop(client);
        driver.await.expect("no panic").expect("ends well");
        rows.iter().filter(|message| matches!(message, tokio_postgres::SimpleQueryMessage::Row(_))).count()
    }

    /// Ends the connections of the stores of this test that wait for work; says how many.
    pub(crate) async fn kill_backends(&self) -> usize {
        let sql = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE pid <> pg_backend_pid() AND application_name = '{}' AND state = 'idle'",
            self.name
        );
        self.count(&sql).await
    }

    /// Does a store of this test wait for a lock?
    pub(crate) async fn has_waiting_backend(&self) -> bool {
        let sql = format!(
            "SELECT pid FROM pg_stat_activity WHERE application_name = '{}' AND wait_event_type = 'Lock'",
            self.name
        );
        self.count(&sql).await > 0
    }

    pub(crate) async fn drop_all(&self) {
        self.run(&format!("DROP SCHEMA {} CASCADE", self.name)).await;
    }
}

fn with_schema(base: &str, name: &str) -> String {
    let separator = if base.contains('?') { '&' } else { '?' };
    format!("{base}{separator}application_name={name}&options=-csearch_path%3D{name}")
}
