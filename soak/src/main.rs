//! `cargo xtask soak KIND`: prints its counters and ends with the verdict.
#![allow(clippy::print_stdout, reason = "the counters are what this program is for")]

use std::path::Path;
use std::process::ExitCode;

use tyer_soak::arguments::{Arguments, Kind, USAGE};
use tyer_soak::run::Report;
use tyer_soak::trouble::{disk::Disk, kill::Kill, partition::Partition, postgres::Postgres, power::Power};
use tyer_soak::{binary, linear, run};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let arguments = match Arguments::parse(&words) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("soak: {error:#}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match soak(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("soak: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn soak(arguments: &Arguments) -> anyhow::Result<bool> {
    let program = binary::build(binary::Profile::Release)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let report = runtime.block_on(report(&program, arguments))?;
    for complaint in report.verdict.complaints.iter().take(50) {
        println!("{complaint}");
    }
    println!("{report}");
    Ok(report.verdict.is_clean())
}

async fn report(program: &Path, arguments: &Arguments) -> anyhow::Result<Report> {
    match arguments.kind {
        Kind::Kill => run::run::<Kill>(program, arguments).await,
        Kind::Postgres => run::run::<Postgres>(program, arguments).await,
        Kind::Power => run::run::<Power>(program, arguments).await,
        Kind::Disk => run::run::<Disk>(program, arguments).await,
        Kind::Partition => run::run::<Partition>(program, arguments).await,
        Kind::Linear => linear::run(program, arguments).await,
    }
}
