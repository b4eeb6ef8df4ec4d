//! `docs/schema.md` describes every table, view and column, and nothing else; each view answers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tyer_store::sqlite::Sqlite;

use crate::play::{ALL_WAITS, Play};
use crate::round_trip::commit;
use crate::views::deployment;
use crate::world::{AnyStore, folder, run};

const PAGE: &str = include_str!("../../../../docs/schema.md");
const VIEWS: [&str; 7] = [
    "parallel_join",
    "waiting",
    "open_incident",
    "instance_count",
    "overdue_timer",
    "open_task",
    "history_event",
];

/// The columns of each table or view.
type Tables = BTreeMap<String, BTreeSet<String>>;

/// What the page describes; columns that only PostgreSQL has when `postgres`.
fn described(postgres: bool) -> Tables {
    let mut tables = Tables::new();
    let mut current: Option<String> = None;
    for line in PAGE.lines() {
        if let Some(name) = line.strip_prefix("### `").and_then(|rest| rest.strip_suffix('`')) {
            current = Some(name.to_owned());
            tables.entry(name.to_owned()).or_default();
        } else if let (Some(table), Some(row)) = (&current, line.strip_prefix("| `")) {
            let column = row.split('`').next().expect("a column");
            let foreign = row.contains("PostgreSQL only") && !postgres;
            if !foreign {
                tables.get_mut(table).expect("its heading came first").insert(column.to_owned());
            }
        }
    }
    if !postgres {
        tables.remove("schema_version");
    }
    tables
}

/// A process that waits in every way, with a timer that is long over.
async fn play(store: &dyn AnyStore) {
    let definition = store.deploy(deployment("file", &["p"])).await.unwrap().remove(0);
    let mut play = Play { definition: definition.id, ..Play::new(ALL_WAITS) };
    commit(store, play.start_with(r#"{"open":false,"wide":false}"#)).await;
    commit(store, play.complete_job("{}")).await;
    let mut other = Play { definition: definition.id, ..Play::new(ALL_WAITS) };
    commit(store, other.start_with(r#"{"open":false,"wide":false}"#)).await;
}

#[test]
fn every_table_and_column_of_a_file_is_described_and_every_view_answers() {
    let folder = folder();
    let path = folder.join("tyer.db");
    run(async {
        let store: Arc<dyn AnyStore> = Arc::new(Sqlite::open(&path).expect("opens"));
        play(&*store).await;
    });
    let connection = rusqlite::Connection::open(&path).expect("opens");
    let mut columns = connection
        .prepare(
            "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
             WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%'",
        )
        .unwrap();
    let rows = columns.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let mut found = Tables::new();
    for (table, column) in rows.map(|row: rusqlite::Result<(String, String)>| row.unwrap()) {
        found.entry(table).or_default().insert(column);
    }
    assert_eq!(found, described(false));
    for view in VIEWS {
        let sql = format!("SELECT count(*) FROM (SELECT * FROM {view})");
        let rows: i64 = connection
            .query_row(&sql, [], |row| row.get(0))
            .unwrap_or_else(|error| panic!("{view}: {error}"));
        assert!(rows > 0, "{view} knows nothing");
    }
    let sql = "SELECT group_concat(wait, ' ') FROM (SELECT DISTINCT wait FROM waiting ORDER BY wait)";
    let waits: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(waits, "event incident job join task");
    drop(columns);
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}

#[cfg(feature = "postgres")]
#[test]
fn every_table_and_column_of_postgres_is_described_and_every_view_answers() {
    run(async {
        let schema = crate::postgres_world::Schema::create().await;
        let store: Arc<dyn AnyStore> = Arc::new(schema.connect(&schema.url, 2).await);
        play(&*store).await;
        let session = schema.session().await;
        let rows = session
            .query(
                "SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = $1",
                &[&schema.name()],
            )
            .await
            .unwrap();
        let mut found = Tables::new();
        for row in rows {
            found.entry(row.get(0)).or_default().insert(row.get(1));
        }
        assert_eq!(found, described(true));
        for view in VIEWS {
            assert!(schema.count(&format!("SELECT * FROM {view}")).await > 0, "{view} knows nothing");
        }
        let events = "SELECT * FROM history_event WHERE seq = 1 AND type = 'workflow.started'";
        assert_eq!(schema.count(events).await, 2);
        drop((store, session));
        schema.drop_all().await;
    });
}

#[test]
fn the_page_names_every_view_with_a_question() {
    for view in VIEWS {
        let section = PAGE.split(&format!("### `{view}`")).nth(1).expect("it is described");
        assert!(section.split("###").next().expect("a section").contains("```sql"), "{view} has no example");
    }
}
