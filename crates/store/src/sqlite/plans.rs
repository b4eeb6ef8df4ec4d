//! Reads the plans of statements: for the tests that hold lists to their indexes.

use crate::sqlite::schema;

/// How SQLite runs a statement on an empty database of ours; panics if it would look at every row of a table.
pub(super) fn no_scan(sql: &str) {
    let mut connection = rusqlite::Connection::open_in_memory().expect("memory opens");
    schema::migrate(&mut connection).expect("the schema is sound");
    let mut explain =
        connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("the statement is sound");
    let mut rows = explain.raw_query();
    let mut plan = Vec::new();
    while let Some(row) = rows.next().expect("a plan") {
        plan.push(row.get::<_, String>(3).expect("a line of the plan"));
    }
    // What a page is gathered from in memory, and lists that came as parameters, may be walked.
    let walked = |line: &&String| {
        let gathered = line.starts_with("SCAN f") || line.starts_with("SCAN (subquery");
        line.starts_with("SCAN ") && !line.contains("VIRTUAL TABLE") && !gathered
    };
    assert!(!plan.iter().any(|line| walked(&line)), "{sql}\n{plan:#?}");
}

#[test]
fn no_stream_is_found_by_a_scan() {
    for sql in [super::outbox::DUE, super::outbox::NEXT, super::outbox::DEAD] {
        no_scan(sql);
    }
}

#[test]
#[should_panic(expected = "SCAN")]
fn a_scan_is_seen() {
    no_scan("SELECT id FROM process_instance WHERE retries > 1 ORDER BY id DESC");
}
