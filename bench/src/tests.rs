//! Every workload runs to its end, and the floor writes the rows that the engine wrote.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;

use crate::floor::{self, rows::Plan};
use crate::options::Options;
use crate::record;
use crate::workload::{self, WORKLOADS, Work, Workload};

const COUNT: u64 = 6;
const WAITING: usize = 3;
/// Tables whose rows are not an instance's.
const OTHERS: [&str; 6] = ["deployment", "process_definition", "start_event", "node", "sink", "outbox"];

fn small(workload: &Workload) -> Workload {
    let work = if let Work::Fanout(_) = workload.work { Work::Fanout(8) } else { workload.work };
    Workload { work, ..*workload }
}

fn options(name: &str) -> Options {
    let folder = std::env::temp_dir().join(format!("tyer-bench-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    Options { folder, ..Options::default() }
}

fn rows(file: &Path) -> BTreeMap<String, i64> {
    let connection = Connection::open(file).expect("a database");
    let mut names = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        .expect("a schema");
    let names: Vec<String> =
        names.query_map([], |row| row.get(0)).expect("names").collect::<Result<_, _>>().expect("names");
    let count = |name: &String| {
        connection.query_row(&format!("SELECT count(*) FROM {name}"), [], |row| row.get(0)).expect("a count")
    };
    let ours = names.iter().filter(|name| !OTHERS.contains(&name.as_str()));
    ours.map(|name| (name.clone(), count(name))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_workload_ends_in_memory() {
    for workload in WORKLOADS.iter().map(small) {
        let engine = tyer_runtime::Engine::memory().await.expect("an engine");
        let run = workload::drive(&engine, &workload, COUNT, WAITING).await.expect(workload.name);
        assert_eq!(run.instances, COUNT);
        assert_eq!(engine.metrics().completed, COUNT, "{}", workload.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_floor_writes_the_rows_that_the_engine_wrote() {
    let options = options("floor");
    for workload in WORKLOADS.iter().map(small) {
        let recording = record::record(&workload, &options.fresh("recording").expect("a file"))
            .await
            .expect("a recording");
        let plan = Plan::of(&recording.commits, WAITING, workload.under_way);
        let (own, written) =
            (options.fresh("own").expect("a file"), options.fresh("engine").expect("a file"));
        floor::sqlite::own_rows(&own, &plan, COUNT).expect("a floor");
        let engine = tyer_runtime::Engine::open(&written).await.expect("an engine");
        let run = workload::drive(&engine, &workload, COUNT, WAITING).await.expect(workload.name);
        engine.shutdown().await;
        assert_eq!(run.turns, COUNT * recording.turns(), "turns of {}", workload.name);
        let (own, written) = (rows(&own), rows(&written));
        for (table, count) in &own {
            assert_eq!(Some(count), written.get(table), "rows of {table} after {}", workload.name);
        }
        assert_eq!(own["process_instance"], i64::try_from(COUNT).expect("few"));
    }
    std::fs::remove_dir_all(&options.folder).expect("a folder that can be removed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_of_three_tasks_has_thirteen_row_changes() {
    let options = options("recording");
    let workload = Workload::named("W2").expect("W2");
    let recording =
        record::record(workload, &options.fresh("recording").expect("a file")).await.expect("rows");
    assert_eq!((recording.turns(), recording.row_changes()), (4, 13));
    std::fs::remove_dir_all(&options.folder).expect("a folder that can be removed");
}
