//! Every build opens what earlier versions left behind, sees what they saw, folds every history to the stored state, and
//! brings every instance to its end.
#![allow(clippy::unwrap_used, reason = "tests")]

use serde_json::Value;
use tyer_runtime::{Builder, Engine};
use tyer_upgrade::{SCHEMA, VERSIONS, finish, folder, long_ago, seen};

fn expected(version: &str, store: &str) -> Value {
    let text = std::fs::read_to_string(folder(version).join(format!("{store}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// First as it was left, with a clock that stands; then with a real one.
async fn opens(open: impl Fn() -> Builder, expected: &Value) {
    let engine = open().clock(long_ago()).await.expect("it opens");
    let found = seen(&engine).await.unwrap();
    let (Value::Array(found), Value::Array(expected)) = (&found, expected) else { panic!("lists") };
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
    let checkup = engine.doctor(|_| {}).await.unwrap();
    assert_eq!(checkup.complaints, [""; 0]);
    assert!(checkup.instances >= 10 && checkup.events >= 100, "{checkup:?}");
    engine.shutdown().await;
    let engine = open().await.expect("it opens again");
    let ended = finish(&engine).await.unwrap();
    assert!(ended >= 6, "{ended} instances were brought to their end");
    for tenant in ["", "acme"] {
        let again = engine.tenant(tenant).start("quick").idempotency_key("quick").submit().await.unwrap();
        assert!(again.duplicate, "its key is remembered");
    }
    assert_eq!(engine.doctor(|_| {}).await.unwrap().complaints, [""; 0]);
    engine.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_every_version_open_and_their_instances_end() {
    for version in VERSIONS {
        let path = std::env::temp_dir().join(format!("tyer-opens-{version}-{}.db", std::process::id()));
        std::fs::copy(folder(version).join("store.sqlite"), &path).unwrap();
        opens(|| Engine::open(&path), &expected(version, "sqlite")).await;
        for ending in ["", "-wal", "-shm", "-lock"] {
            let _ = std::fs::remove_file(format!("{}{ending}", path.display()));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn databases_of_every_version_open_and_their_instances_end() {
    let base = std::env::var("TYER_TEST_POSTGRES").expect("TYER_TEST_POSTGRES names a database");
    let (client, driver) = tokio_postgres::connect(&base, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(driver);
    for version in VERSIONS {
        let name = format!("tyer_opens_{}", std::process::id());
        let dump = std::fs::read_to_string(folder(version).join("postgres.sql")).unwrap();
        client.batch_execute(&dump.replace(SCHEMA, &name)).await.unwrap();
        // Node numbers that nobody had are not in the dump.
        let numbers = format!(
            "INSERT INTO {name}.node (number, generation, until, high_water)
             SELECT number, 0, 0, 0 FROM generate_series(0, 1023) AS number ON CONFLICT DO NOTHING"
        );
        client.batch_execute(&numbers).await.unwrap();
        let separator = if base.contains('?') { '&' } else { '?' };
        let url = format!("{base}{separator}options=-csearch_path%3D{name}");
        opens(|| Engine::postgres(&url), &expected(version, "postgres")).await;
        client.batch_execute(&format!("DROP SCHEMA {name} CASCADE")).await.unwrap();
    }
}

/// Tables, views and indexes of a file, as SQLite has them.
fn layout(path: &std::path::Path) -> Vec<(String, String)> {
    let connection = rusqlite::Connection::open(path).unwrap();
    let sql = "SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name";
    let mut find = connection.prepare(sql).unwrap();
    let rows = find.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

/// A step of the schema that was changed after a version was out would give new stores what old ones never get.
#[tokio::test]
async fn a_file_of_an_earlier_version_has_the_tables_of_a_new_one() {
    let place = std::env::temp_dir().join(format!("tyer-layout-{}", std::process::id()));
    std::fs::create_dir_all(&place).unwrap();
    let new = place.join("new.db");
    Engine::open(&new).await.unwrap().shutdown().await;
    for version in VERSIONS {
        let old = place.join(format!("{version}.db"));
        std::fs::copy(folder(version).join("store.sqlite"), &old).unwrap();
        Engine::open(&old).await.unwrap().shutdown().await;
        assert_eq!(layout(&old), layout(&new), "{version}");
    }
    std::fs::remove_dir_all(place).unwrap();
}

/// Columns, indexes and views of a schema, as PostgreSQL has them.
async fn postgres_layout(client: &tokio_postgres::Client, schema: &str) -> Vec<String> {
    let sql = "SELECT 'column ' || table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable
            FROM information_schema.columns WHERE table_schema = $1
        UNION ALL SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = $1
        UNION ALL SELECT 'view ' || viewname || ' ' || definition FROM pg_views WHERE schemaname = $1 ORDER BY 1";
    let rows = client.query(sql, &[&schema]).await.unwrap();
    rows.iter().map(|row| row.get::<_, String>(0).replace(schema, "SCHEMA")).collect()
}

#[tokio::test]
async fn a_database_of_an_earlier_version_has_the_tables_of_a_new_one() {
    let base = std::env::var("TYER_TEST_POSTGRES").expect("TYER_TEST_POSTGRES names a database");
    let (client, driver) = tokio_postgres::connect(&base, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(driver);
    let separator = if base.contains('?') { '&' } else { '?' };
    let open = async |schema: &str| {
        let url = format!("{base}{separator}options=-csearch_path%3D{schema}");
        Engine::postgres(&url).await.unwrap().shutdown().await;
    };
    let new = format!("tyer_layout_new_{}", std::process::id());
    client.batch_execute(&format!("CREATE SCHEMA {new}")).await.unwrap();
    open(&new).await;
    for version in VERSIONS {
        let old = format!("tyer_layout_old_{}", std::process::id());
        let dump = std::fs::read_to_string(folder(version).join("postgres.sql")).unwrap();
        client.batch_execute(&dump.replace(SCHEMA, &old)).await.unwrap();
        open(&old).await;
        let (old_layout, new_layout) =
            (postgres_layout(&client, &old).await, postgres_layout(&client, &new).await);
        assert_eq!(old_layout, new_layout, "{version}");
        client.batch_execute(&format!("DROP SCHEMA {old} CASCADE")).await.unwrap();
    }
    client.batch_execute(&format!("DROP SCHEMA {new} CASCADE")).await.unwrap();
}

#[test]
fn the_version_of_this_program_is_not_newer_than_its_sample_by_accident() {
    let version = env!("CARGO_PKG_VERSION");
    assert!(
        VERSIONS.contains(&version),
        "version {version} has left no folder: run `cargo xtask upgrade-sample {version}`, and add it to VERSIONS"
    );
}
