//! `cargo xtask upgrade-sample VERSION`: leaves the folder of this version, from a new file and a new PostgreSQL schema.
#![allow(clippy::print_stdout, reason = "a program for the developer at the terminal")]

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use tyer_runtime::Engine;
use tyer_upgrade::{SCHEMA, fill, folder, long_ago, seen};

#[tokio::main]
async fn main() -> Result<()> {
    let Some(version) = std::env::args().nth(1) else { bail!("name the version, such as 0.1.0") };
    let folder = folder(&version);
    if folder.exists() {
        bail!("{} is there already: what a version wrote never changes", folder.display());
    }
    std::fs::create_dir_all(&folder)?;
    file(&folder).await.context("the SQLite file")?;
    postgres(&folder).await.context("the PostgreSQL dump")?;
    println!("{}: now add {version} to VERSIONS in tests/upgrade/src/lib.rs", folder.display());
    Ok(())
}

async fn file(folder: &Path) -> Result<()> {
    let scratch = std::env::temp_dir().join(format!("tyer-upgrade-{}.db", std::process::id()));
    let engine = Engine::open(&scratch).clock(long_ago()).await?;
    fill(&engine).await?;
    write(folder, "sqlite.json", &serde_json::to_string_pretty(&seen(&engine).await?)?)?;
    engine.shutdown().await;
    // The log is in the file when the last connection is closed; a copy would have lost the lease of a live node.
    std::fs::copy(&scratch, folder.join("store.sqlite"))?;
    for ending in ["", "-wal", "-shm", "-lock"] {
        let _ = std::fs::remove_file(format!("{}{ending}", scratch.display()));
    }
    Ok(())
}

async fn postgres(folder: &Path) -> Result<()> {
    let base = std::env::var("TYER_TEST_POSTGRES").context("TYER_TEST_POSTGRES names no database")?;
    let (client, driver) = tokio_postgres::connect(&base, tokio_postgres::NoTls).await?;
    let driver = tokio::spawn(driver);
    client.batch_execute(&format!("DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}")).await?;
    let separator = if base.contains('?') { '&' } else { '?' };
    let url = format!("{base}{separator}options=-csearch_path%3D{SCHEMA}");
    let engine = Engine::postgres(&url).clock(long_ago()).await?;
    fill(&engine).await?;
    write(folder, "postgres.json", &serde_json::to_string_pretty(&seen(&engine).await?)?)?;
    engine.shutdown().await;
    let mut dump = Command::new("pg_dump");
    dump.args(["--inserts", "--no-owner", "--no-privileges", "--no-comments", "-n", SCHEMA]).arg(&base);
    let dumped = dump.output().context("cannot run pg_dump: it must be on the PATH")?;
    if !dumped.status.success() {
        bail!("pg_dump: {}", String::from_utf8_lossy(&dumped.stderr));
    }
    write(folder, "postgres.sql", &statements(&String::from_utf8(dumped.stdout)?))?;
    client.batch_execute(&format!("DROP SCHEMA {SCHEMA} CASCADE")).await?;
    drop(client);
    driver.await??;
    Ok(())
}

/// What a server understands: no settings of the dumping session, no words to psql, no empty node numbers.
fn statements(dump: &str) -> String {
    let kept = dump.lines().filter(|line| {
        let setting = line.starts_with("SET ") || line.starts_with("SELECT pg_catalog.set_config");
        let free = line.contains(".node VALUES (0, 0, 0, ") && line.ends_with(", NULL);");
        !(line.is_empty() || line.starts_with("--") || line.starts_with('\\') || setting || free)
    });
    kept.fold(String::new(), |all, line| all + line + "\n")
}

fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    Ok(std::fs::write(folder.join(name), format!("{}\n", text.trim_end()))?)
}
