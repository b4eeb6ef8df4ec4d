//! A copy of the whole database as of one moment, in a SQLite file; and the way back into an empty one.
//!
//! Both stores have the same tables and columns but for the shard, so rows are copied by name. Whoever holds a job
//! through a node's life loses it: in the copy no node lives.
//!
//! **Invariant:** all rows are of one snapshot.
//! **Invariant:** ids made after a restore are above all that were made before the backup.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use tokio::sync::mpsc;
use tokio_postgres::{Client, SimpleQueryMessage};
use tyer_engine::InstanceId;

use crate::error::Error;
use crate::postgres::pool::Pool;
use crate::postgres::{complaint, schema};
use crate::shard::shard;
use crate::sqlite::backup::{Part, check};
use crate::sqlite::{complaint as file_complaint, schema as file_schema};

/// Rows that are on their way at the same time.
const ROWS: usize = 2_000;
/// Its rows are not copied: every store has its own nodes. Only the highest id counts.
const NODES: &str = "node";

/// A table of both stores.
struct Table {
    name: String,
    columns: Vec<String>,
}

/// A column of both stores, with its type in PostgreSQL.
struct Column {
    name: String,
    kind: String,
}

pub(super) async fn backup(pool: &Pool, target: &Path) -> Result<(), Error> {
    let part = Part::begin(target)?;
    let mut file = file_schema::connect(&part.path)?;
    file_schema::migrate(&mut file)?;
    file.execute_batch("PRAGMA synchronous = OFF").map_err(file_complaint)?;
    let client = pool.session().await?;
    // Another node may be a newer program: what it knows more of would be left out.
    schema::is_known(&client).await?;
    let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    client.batch_execute(begin).await.map_err(complaint)?;
    for Table { name, columns } in layout(&file)? {
        let columns = typed(&client, &name, columns).await?;
        file = export(&client, file, &name, &columns).await?;
    }
    let high_water = text(&client, "SELECT max(high_water) FROM node").await?;
    client.batch_execute("COMMIT").await.map_err(complaint)?;
    let sql = "INSERT OR REPLACE INTO node (number, owner, until, high_water) VALUES (0, '', 0, ?1)";
    file.execute(sql, [high_water.unwrap_or_else(|| "0".to_owned())]).map_err(file_complaint)?;
    file.execute_batch("PRAGMA journal_mode = DELETE").map_err(file_complaint)?;
    drop(file);
    part.finish()
}

/// Fills the database, which must be empty, from a backup.
pub(super) async fn restore(pool: &Pool, backup: &Path) -> Result<(), Error> {
    let (version, tables, high_water) = contents(backup)?;
    if version != file_schema::known() {
        return Err(Error::Refused(format!(
            "{} has schema version {version}, this program writes {}: restore it into a file, open that once, and back \
             it up again",
            backup.display(),
            file_schema::known()
        )));
    }
    let client = pool.session().await?;
    client.batch_execute("BEGIN").await.map_err(complaint)?;
    for Table { name, .. } in &tables {
        if text(&client, &format!("SELECT 1 FROM {name} LIMIT 1")).await?.is_some() {
            return Err(Error::Refused(format!(
                "the database is not empty (there are rows in {name}): restore into an empty one"
            )));
        }
    }
    for Table { name, columns } in tables {
        let columns = typed(&client, &name, columns).await?;
        import(&client, backup, &name, &columns).await?;
    }
    let nodes = format!("UPDATE node SET high_water = greatest(high_water, {high_water}); COMMIT");
    client.batch_execute(&nodes).await.map_err(complaint)
}

/// Which version a backup has, its tables, and the latest millisecond of an id.
fn contents(backup: &Path) -> Result<(i64, Vec<Table>, i64), Error> {
    let file = check(backup)?;
    let number = |sql: &str| file.query_row(sql, [], |row| row.get(0)).map_err(file_complaint);
    let high_water = number("SELECT coalesce(max(high_water), 0) FROM node")?;
    Ok((number("PRAGMA user_version")?, layout(&file)?, high_water))
}

/// Tables whose rows are copied; files before the processes that are in them.
fn layout(file: &Connection) -> Result<Vec<Table>, Error> {
    let sql =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> ?1
        ORDER BY name <> 'deployment', name";
    let mut find = file.prepare(sql).map_err(file_complaint)?;
    let names = find.query_map([NODES], |row| row.get::<_, String>(0)).map_err(file_complaint)?;
    let mut columns = file.prepare("SELECT name FROM pragma_table_info(?1)").map_err(file_complaint)?;
    let mut tables = Vec::new();
    for name in names {
        let name = name.map_err(file_complaint)?;
        let found = columns.query_map([&name], |row| row.get(0)).map_err(file_complaint)?;
        let columns = found.collect::<rusqlite::Result<_>>().map_err(file_complaint)?;
        tables.push(Table { name, columns });
    }
    Ok(tables)
}

/// The columns with their types in PostgreSQL.
async fn typed(client: &Client, table: &str, names: Vec<String>) -> Result<Vec<Column>, Error> {
    let sql = "SELECT column_name::text, data_type::text FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = $1";
    let rows = client.query(sql, &[&table]).await.map_err(complaint)?;
    let kinds: Vec<(String, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let known = |name: String| {
        let kind = kinds.iter().find(|(known, _)| *known == name).map(|(_, kind)| kind.clone());
        let kind = kind.ok_or_else(|| Error::Damaged(format!("PostgreSQL has no column {table}.{name}")))?;
        Ok(Column { name, kind })
    };
    names.into_iter().map(known).collect()
}

/// All rows of a table, some at a time. The file takes texts as what its columns are.
async fn export(
    client: &Client,
    mut file: Connection,
    table: &str,
    columns: &[Column],
) -> Result<Connection, Error> {
    let asked: Vec<String> = columns.iter().map(|column| column.exported(table)).collect();
    let declare = format!("DECLARE rows NO SCROLL CURSOR FOR SELECT {} FROM {table}", asked.join(", "));
    client.batch_execute(&declare).await.map_err(complaint)?;
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    let places: Vec<&str> =
        columns.iter().map(|column| if column.is_bytes() { "unhex(?)" } else { "?" }).collect();
    let insert = format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), places.join(", "));
    loop {
        let page = client.simple_query(&format!("FETCH {ROWS} FROM rows")).await.map_err(complaint)?;
        let rows: Vec<Vec<Option<String>>> = page.iter().filter_map(texts).collect();
        let last = rows.len() < ROWS;
        // Writing to the file blocks: not the threads that others answer on.
        let sql = insert.clone();
        let written = tokio::task::spawn_blocking(move || write(file, &sql, rows));
        file =
            written.await.map_err(|error| Error::Unavailable(format!("writing the backup: {error}")))??;
        if last {
            break;
        }
    }
    client.batch_execute("CLOSE rows").await.map_err(complaint)?;
    Ok(file)
}

fn write(mut file: Connection, insert: &str, rows: Vec<Vec<Option<String>>>) -> Result<Connection, Error> {
    let run = |file: &mut Connection| -> rusqlite::Result<()> {
        let transaction = file.transaction()?;
        for row in rows {
            transaction.prepare_cached(insert)?.execute(params_from_iter(row))?;
        }
        transaction.commit()
    };
    run(&mut file).map_err(file_complaint)?;
    Ok(file)
}

async fn import(client: &Client, backup: &Path, table: &str, columns: &[Column]) -> Result<(), Error> {
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    let sharded = text(client, &sharding(table)).await?.is_some();
    let read: Vec<String> = columns.iter().map(Column::read).collect();
    let select = format!("SELECT {} FROM {table}", read.join(", "));
    let mut pages = pages(backup, select);
    let instance = names.iter().position(|name| *name == owner(table));
    while let Some(rows) = pages.recv().await {
        let rows = rows?;
        let shards: Vec<i16> = match (sharded, instance) {
            (true, Some(place)) => rows.iter().map(|row| shard_of(row, place)).collect::<Result<_, _>>()?,
            _ => Vec::new(),
        };
        let texts = rows.iter().map(|row| row.iter().map(as_text).collect()).collect();
        insert(client, table, columns, texts, &shards).await?;
    }
    Ok(())
}

/// By whose id a row is spread.
fn owner(table: &str) -> &'static str {
    match table {
        "process_instance" => "id",
        "inbox" => "target",
        _ => "instance",
    }
}

fn sharding(table: &str) -> String {
    format!(
        "SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema()
         AND table_name = '{table}' AND column_name = 'shard'"
    )
}

fn shard_of(row: &[Value], place: usize) -> Result<i16, Error> {
    match &row[place] {
        Value::Integer(id) => Ok(shard(InstanceId(*id))),
        Value::Null | Value::Real(_) | Value::Text(_) | Value::Blob(_) => {
            Err(Error::Damaged("a row of the backup names no instance".to_owned()))
        }
    }
}

type Rows = Vec<Vec<Value>>;

/// The rows of a file, read by a thread of its own that is never far ahead.
fn pages(backup: &Path, select: String) -> mpsc::Receiver<Result<Rows, Error>> {
    let (sender, receiver) = mpsc::channel(2);
    let backup = backup.to_owned();
    tokio::task::spawn_blocking(move || {
        if let Err(error) = send_pages(&backup, &select, &sender) {
            // Whoever asked has gone away: nobody misses it.
            let _ = sender.blocking_send(Err(file_complaint(error)));
        }
    });
    receiver
}

fn send_pages(
    backup: &Path,
    select: &str,
    sender: &mpsc::Sender<Result<Rows, Error>>,
) -> rusqlite::Result<()> {
    let file = Connection::open(backup)?;
    let mut find = file.prepare(select)?;
    let width = find.column_count();
    let mut rows = find.query([])?;
    let mut page = Vec::with_capacity(ROWS);
    while let Some(row) = rows.next()? {
        page.push((0..width).map(|place| row.get(place)).collect::<rusqlite::Result<_>>()?);
        if page.len() == ROWS && sender.blocking_send(Ok(std::mem::take(&mut page))).is_err() {
            return Ok(());
        }
    }
    if !page.is_empty() {
        // As above.
        let _ = sender.blocking_send(Ok(page));
    }
    Ok(())
}

async fn insert(
    client: &Client,
    table: &str,
    columns: &[Column],
    rows: Vec<Vec<Option<String>>>,
    shards: &[i16],
) -> Result<(), Error> {
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    let casts: Vec<String> = columns.iter().map(Column::cast).collect();
    let arrays: Vec<String> = (1..=columns.len()).map(|place| format!("${place}::text[]")).collect();
    let (mut into, mut out, mut from, mut alias) =
        (names.join(", "), casts.join(", "), arrays.join(", "), names.join(", "));
    if !shards.is_empty() {
        into.push_str(", shard");
        out.push_str(", w.shard");
        from.push_str(&format!(", ${}::smallint[]", columns.len() + 1));
        alias.push_str(", shard");
    }
    let sql = format!("INSERT INTO {table} ({into}) SELECT {out} FROM unnest({from}) AS w ({alias})");
    let by_column: Vec<Vec<Option<String>>> =
        (0..columns.len()).map(|place| rows.iter().map(|row| row[place].clone()).collect()).collect();
    let mut parameters: Vec<&(dyn tokio_postgres::types::ToSql + Sync)> = Vec::new();
    parameters.extend(by_column.iter().map(|column| column as &(dyn tokio_postgres::types::ToSql + Sync)));
    let shards = shards.to_vec();
    if !shards.is_empty() {
        parameters.push(&shards);
    }
    client.execute(&sql, &parameters).await.map(drop).map_err(complaint)
}

impl Column {
    fn is_bytes(&self) -> bool {
        self.kind == "bytea"
    }

    /// What PostgreSQL is asked for. A lease that is bound to a node is bound to the one number of a file.
    fn exported(&self, table: &str) -> String {
        let name = &self.name;
        match (table, &**name, &*self.kind) {
            ("token", "lease_node", _) => "CASE WHEN lease_node IS NOT NULL THEN 0 END".to_owned(),
            (_, _, "boolean") => format!("{name}::int"),
            (_, _, "bytea") => format!("encode({name}, 'hex')"),
            _ => name.clone(),
        }
    }

    /// What the file is asked for.
    fn read(&self) -> String {
        if self.is_bytes() { format!("hex({})", self.name) } else { self.name.clone() }
    }

    /// A text becomes what the column is.
    fn cast(&self) -> String {
        let Column { name, kind } = self;
        match &**kind {
            "bytea" => format!("decode(w.{name}, 'hex')"),
            "boolean" => format!("w.{name}::int::boolean"),
            _ => format!("w.{name}::{kind}"),
        }
    }
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Integer(number) => Some(number.to_string()),
        Value::Real(number) => Some(number.to_string()),
        Value::Text(text) => Some(text.clone()),
        Value::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}

fn texts(message: &SimpleQueryMessage) -> Option<Vec<Option<String>>> {
    let SimpleQueryMessage::Row(row) = message else { return None };
    Some((0..row.len()).map(|place| row.get(place).map(str::to_owned)).collect())
}

/// The first column of the first row.
async fn text(client: &Client, sql: &str) -> Result<Option<String>, Error> {
    let page = client.simple_query(sql).await.map_err(complaint)?;
    Ok(page.iter().find_map(texts).and_then(|row| row.into_iter().next().flatten()))
}
