//! Instances and messages that begin with the caller's own transaction.
//!
//! The caller writes one row beside its own; when its transaction commits, the engine finds the row and does what it says,
//! exactly once. When it is rolled back, nothing has happened.
//!
//! **Invariant:** the row is gone in the same commit in which the instance begins.

use serde::Serialize;
use tyer_engine::{InstanceId, Timestamp, Variables};
use tyer_store::Tenant;

use crate::engine::Engine;

/// Which database the row is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Parameters are `$1`, `$2` and so on.
    Postgres,
    /// Parameters are `?1`, `?2` and so on.
    Sqlite,
}

/// One row to be written in the caller's own transaction, with any driver: run `sql` with `values`, in their order. The
/// tables of the engine must be visible to it (on PostgreSQL, in its `search_path`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insert {
    /// The statement.
    pub sql: &'static str,
    /// Its parameters.
    pub values: Vec<SqlValue>,
}

/// A parameter of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SqlValue {
    /// A whole number of 64 bits (`bigint`).
    Integer(i64),
    /// A text, or none.
    Text(Option<String>),
}

/// What the engine is to begin, as the row says it.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Begin {
    #[serde(default)]
    pub(crate) tenant: String,
    pub(crate) process: String,
    #[serde(default)]
    pub(crate) version: Option<u32>,
    #[serde(default)]
    pub(crate) variables: Variables,
    #[serde(default)]
    pub(crate) business_key: Option<String>,
    #[serde(default)]
    pub(crate) started_by: Option<String>,
    #[serde(default = "normal")]
    pub(crate) priority: u8,
    #[serde(default)]
    pub(crate) at: Vec<String>,
}

fn normal() -> u8 {
    50
}

impl Begin {
    pub(crate) fn tenant(&self) -> Tenant {
        Tenant::from(self.tenant.as_str())
    }

    /// The row of `inbox` that begins this instance.
    pub(crate) fn insert(&self, dialect: Dialect, id: i64, target: InstanceId, now: Timestamp) -> Insert {
        let body = serde_json::json!({ "begin": self }).to_string();
        let mut values = vec![
            SqlValue::Integer(id),
            SqlValue::Integer(target.0),
            SqlValue::Integer(now.0),
            SqlValue::Text(Some(body)),
        ];
        let sql = match dialect {
            Dialect::Sqlite => {
                "INSERT INTO inbox (id, target, sender, due_at, kind, body) VALUES (?1, ?2, 0, ?3, 'begin', ?4)"
            }
            Dialect::Postgres => {
                values.push(SqlValue::Integer(shard_of(target)));
                "INSERT INTO inbox (id, target, sender, due_at, kind, body, shard)
                 VALUES ($1::bigint, $2::bigint, 0, $3::bigint, 'begin', $4::text, ($5::bigint)::smallint)"
            }
        };
        Insert { sql, values }
    }
}

/// The row of `message` that publishes it.
pub(crate) fn insert_message(dialect: Dialect, message: &tyer_store::Message) -> Insert {
    let text = |text: &str| SqlValue::Text(Some(text.to_owned()));
    let values = vec![
        SqlValue::Integer(message.id),
        text(message.tenant.as_str()),
        text(&message.name),
        SqlValue::Text(message.key.clone()),
        SqlValue::Text(message.message_id.clone()),
        SqlValue::Integer(message.published_at.0),
        SqlValue::Integer(message.expires_at.0),
        text(&message.variables),
    ];
    let sql = match dialect {
        Dialect::Sqlite => {
            "INSERT INTO message (id, tenant, name, key, message_id, published_at, expires_at, due_at, variables)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?6, ?8) ON CONFLICT DO NOTHING"
        }
        Dialect::Postgres => {
            "INSERT INTO message (id, tenant, name, key, message_id, published_at, expires_at, due_at, variables)
             VALUES ($1::bigint, $2::text, $3::text, $4::text, $5::text, $6::bigint, $7::bigint, $6::bigint, $8::text)
             ON CONFLICT DO NOTHING"
        }
    };
    Insert { sql, values }
}

#[cfg(feature = "postgres")]
fn shard_of(target: InstanceId) -> i64 {
    i64::from(tyer_store::shard_of(target))
}

/// Without the store nobody can write to it.
#[cfg(not(feature = "postgres"))]
fn shard_of(_: InstanceId) -> i64 {
    0
}

#[cfg(feature = "postgres")]
impl Insert {
    /// Runs it in a transaction of `tokio-postgres`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     engine: tyer_runtime::Engine, transaction: tyer_runtime::tokio_postgres::Transaction<'_>,
    /// # ) -> Result<(), tyer_runtime::Error> {
    /// let (order, insert) = engine.start("order").insert(tyer_runtime::Dialect::Postgres).await?;
    /// insert.run(&transaction).await?;
    /// # Ok(()) }
    /// ```
    pub async fn run(&self, transaction: &tokio_postgres::Transaction<'_>) -> Result<(), crate::Error> {
        use tokio_postgres::types::ToSql;
        let value = |value: &SqlValue| -> Box<dyn ToSql + Send + Sync> {
            match value {
                SqlValue::Integer(number) => Box::new(*number),
                SqlValue::Text(text) => Box::new(text.clone()),
            }
        };
        let values: Vec<_> = self.values.iter().map(value).collect();
        let values: Vec<&(dyn ToSql + Sync)> =
            values.iter().map(|value| -> &(dyn ToSql + Sync) { &**value }).collect();
        let written = transaction.execute(self.sql, &values).await;
        let complaint = |error: tokio_postgres::Error| {
            let text = error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string);
            crate::Error::Store(tyer_store::Error::Unavailable(format!("the caller's transaction: {text}")))
        };
        written.map(drop).map_err(complaint)
    }
}

impl Engine {
    /// Looks for rows that other transactions have left, now. On PostgreSQL an engine looks every second by itself; on a
    /// SQLite file it does not, so call this after your own commit.
    ///
    /// ```no_run
    /// # fn example(engine: tyer_runtime::Engine) {
    /// engine.notice();
    /// # }
    /// ```
    pub fn notice(&self) {
        self.shared.alarm.earlier.notify_one();
    }
}
