//! Reads the plans of statements: the test that holds lists to their indexes.

use crate::postgres::connection::Connection;
use crate::postgres::pool::Pool;
use crate::postgres::{
    check, commit, find, glance, lists, load, node, outbox, people, posting, schema, work, write,
};

/// Tables that may be walked: there are few rows in them, or they are part of what was asked.
const SMALL: [&str; 4] = ["process_definition", "deployment", "signal", "sink"];

/// The plan of a statement for parameters that nobody knows yet, with scans allowed only where nothing else leads.
async fn plan(connection: &Connection, sql: &str) -> String {
    let types = (1..=64).filter(|n| sql.contains(&format!("${n}::"))).count();
    let nulls = vec!["NULL"; types].join(", ");
    let prepare = format!("DEALLOCATE ALL; PREPARE looked AS {sql}");
    connection.run(&prepare).await.unwrap_or_else(|error| panic!("{error}\n{sql}"));
    let execute = if types == 0 { "looked".to_owned() } else { format!("looked ({nulls})") };
    let lines = connection.lines(&format!("EXPLAIN EXECUTE {execute}")).await.expect("a plan");
    lines.join("\n")
}

/// Is a table read from its beginning to its end, or an index without a condition? The first entry alone is no walk.
fn walks(plan: &str) -> bool {
    let lines: Vec<&str> = plan.lines().collect();
    let small = |line: &str| SMALL.iter().any(|small| line.contains(small));
    let node = |line: &str| line.contains("->") || !line.starts_with(' ');
    lines.iter().enumerate().any(|(at, line)| {
        let details = || lines[at + 1..].iter().take_while(|line| !node(line));
        let bare = line.contains("Index")
            && line.contains("Scan using")
            && !details().any(|l| l.contains("Index Cond"))
            && !(at > 0 && lines[at - 1].contains("Limit") && !details().any(|l| l.contains("Filter")));
        (bare || line.contains("Seq Scan on ")) && !small(line)
    })
}

#[test]
fn a_walk_is_seen() {
    assert!(walks("Limit  (cost=1)\n  ->  Seq Scan on token x  (cost=2)\n        Filter: (node = 'a')"));
    assert!(walks(
        "Index Scan using a on token t  (cost=2)\n  Filter: (node = 'a')\n  ->  Result\n        Index Cond: x"
    ));
    assert!(walks(
        "Limit  (cost=1)\n  ->  Index Scan using a on token t  (cost=2)\n        Filter: (node = 'a')"
    ));
    assert!(!walks("Limit  (cost=1)\n  ->  Index Only Scan using a on token t  (cost=2)"));
    assert!(!walks("Index Only Scan using a on token t  (cost=2)\n  Index Cond: (node = 'a')"));
}

#[test]
fn room_for_too_many_is_seen() {
    let expects =
        |rows: &str| format!("Recursive Union  (cost=1..2 rows={rows} width=8)\n  ->  CTE Scan on taken");
    assert!(clears_much(&expects("111111")));
    assert!(!clears_much(&expects("100")));
    assert!(!clears_much("Limit  (cost=1..2 rows=33333 width=8)"), "who reads on needs no room");
}

/// Indexes that have a part of a key: whoever names a row by its key is not to walk them.
const NOT_THE_KEY: [&str; 5] = [
    "using token_node",
    "using process_instance_status",
    "using user_task_oldest",
    "using incident_newest",
    "using task_candidate_who",
];

/// One row in every table, whatever it says.
const ONE_ROW: &str = "DO $$ DECLARE r record; BEGIN
    FOR r IN SELECT conrelid::regclass AS name, conname FROM pg_constraint
        WHERE contype IN ('c', 'f') AND connamespace = current_schema()::regnamespace
    LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', r.name, r.conname); END LOOP;
    FOR r IN SELECT c.oid::regclass AS name, string_agg(quote_ident(attname), ', ') AS columns,
            string_agg(CASE typcategory WHEN 'N' THEN '1' WHEN 'B' THEN 'true' ELSE quote_literal('x') END, ', ') AS row
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
        WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
        AND attnum > 0 AND NOT attisdropped AND attgenerated = '' GROUP BY c.oid
    LOOP EXECUTE format('INSERT INTO %s (%s) VALUES (%s) ON CONFLICT DO NOTHING', r.name, r.columns, r.row); END LOOP;
    END $$";

/// A million rows in every table, as far as the planner knows.
const MANY_ROWS: &str = "UPDATE pg_class SET reltuples = 1000000, relpages = 1
    WHERE relkind IN ('r', 'i') AND relnamespace = current_schema()::regnamespace";

/// Does it hash, and expect more rows than any batch has? PostgreSQL clears room for all that are expected, each time.
fn clears_much(plan: &str) -> bool {
    let hashes = ["Hash", "hashed SubPlan", "Recursive Union"].iter().any(|kind| plan.contains(kind));
    let mut rows = plan.split("rows=").skip(1).filter_map(|rest| rest.split(' ').next()?.parse::<f64>().ok());
    hashes && rows.any(|rows| rows > 10_000.0)
}

/// Plans that walk or clear too much, of what every turn and every claim asks.
async fn of_turns(connection: &Connection, when: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for sql in write::swift::STATEMENTS
        .iter()
        .chain(&check::STATEMENTS)
        .chain(&check::OF_MAIL)
        .chain(&load::TABLES)
        .chain(&work::statements())
        .chain(&write::statements())
        .chain(&posting::STATEMENTS)
        .chain([&commit::FIND_TURNS])
        .chain(find::STATEMENTS.iter().filter(|sql| sql.contains(">> 46")))
    {
        let plan = plan(connection, sql).await;
        let gathers = sql.contains(">> 46") && !plan.contains("_slice on");
        let sorts = sql.contains("status = 'ready'") && !plan.contains("using token_ready");
        let astray = NOT_THE_KEY.iter().any(|other| plan.contains(other));
        if walks(&plan) || gathers || sorts || astray || clears_much(&plan) {
            wrong.push(format!("analysed {when}: {sql}\n{plan}"));
        }
    }
    wrong
}

#[test]
fn no_list_is_found_by_a_scan() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let base = std::env::var("TYER_TEST_POSTGRES").expect("TYER_TEST_POSTGRES names a database");
        let name = format!("tyer_plans_{}", std::process::id());
        let pool = Pool::new(&base, 1).expect("a pool");
        let connection = pool.take().await.expect("a connection");
        connection.run(&format!("CREATE SCHEMA {name}; SET search_path = {name}")).await.expect("a schema");
        connection.give_back();
        schema::migrate(&pool).await.expect("the schema is sound");
        let connection = pool.take().await.expect("the same connection");
        // A generic plan: the one that is kept. On empty tables the planner would walk them all.
        let settings =
            "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off;
             SET enable_hashjoin = off; SET enable_mergejoin = off";
        connection.run(settings).await.expect("settings");
        let mut wrong = Vec::new();
        for sql in find::STATEMENTS
            .iter()
            .chain(&people::STATEMENTS)
            .chain(&lists::STATEMENTS)
            .chain(&outbox::STATEMENTS)
            .chain(&glance::STATEMENTS)
            .chain(&node::STATEMENTS)
            .chain(&write::swift::STATEMENTS)
            .chain(&write::statements())
            .chain(&posting::STATEMENTS)
        {
            let plan = plan(&connection, sql).await;
            // A range that is walked slice by slice is not gathered by its values.
            let gathers = sql.contains(">> 46") && !plan.contains("_slice on");
            if walks(&plan) || gathers {
                wrong.push(format!("{sql}\n{plan}"));
            }
        }
        // What the planner believes when somebody has analysed the tables while they were empty, nearly so, or full.
        let (none, one) = ("ANALYZE", format!("{ONE_ROW}; ANALYZE"));
        for (when, rows) in [("while empty", none), ("with a row", &one), ("as if with a million", MANY_ROWS)]
        {
            connection.run(rows).await.expect("rows and statistics");
            wrong.extend(of_turns(&connection, when).await);
        }
        connection.run(&format!("DROP SCHEMA {name} CASCADE")).await.expect("the schema is ours");
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    });
}
