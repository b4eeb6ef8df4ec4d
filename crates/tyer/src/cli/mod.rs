//! The command line: what can be said, and what becomes of it.
//!
//! **Invariant:** data on stdout, everything else on stderr; the exit code says how it went.

mod backup;
mod deploy;
mod doctor;
mod exit;
mod export;
mod feel;
mod lint;
mod output;
mod place;
mod problems;
mod run;
mod say;
mod serve;

use clap::{Parser, Subcommand};
use exit::{Exit, Stop};

/// A BPMN 2.0 workflow engine in one program.
#[derive(Parser)]
#[command(name = "tyer", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Run a process to its end and show every token move
    Run(run::Run),
    /// Serve REST and WebSocket
    Serve(serve::Serve),
    /// Store a BPMN file, in a running server or in a database file
    Deploy(deploy::Deploy),
    /// Say what is wrong with BPMN files
    Lint(lint::Lint),
    /// Copy everything that is stored into one file, while work goes on
    Backup(backup::Backup),
    /// Make a store from a backup
    Restore(backup::Restore),
    /// Write history as lines of JSON
    Export(export::Export),
    /// Check every invariant on what is stored
    Doctor(doctor::Doctor),
    /// Evaluate a FEEL expression
    Feel(feel::Feel),
}

/// Reads the command line, does it, and says how it went.
pub(crate) fn main() -> std::process::ExitCode {
    log_to_stderr();
    let done = match Cli::parse().verb {
        Verb::Run(run) => waited_for(run.go()),
        Verb::Serve(serve) => waited_for(serve.go()),
        Verb::Deploy(deploy) => waited_for(deploy.go()),
        Verb::Backup(backup) => waited_for(backup.go()),
        Verb::Restore(restore) => waited_for(restore.go()),
        Verb::Export(export) => waited_for(export.go()),
        Verb::Doctor(doctor) => waited_for(doctor.go()),
        Verb::Lint(lint) => lint.go(),
        Verb::Feel(feel) => feel.go(),
    };
    match done {
        Ok(()) => Exit::Fine.into(),
        Err(Stop { exit, message }) => {
            if !message.is_empty() {
                eprintln!("tyer: {message}");
            }
            exit.into()
        }
    }
}

fn waited_for(work: impl Future<Output = Result<(), Stop>>) -> Result<(), Stop> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Stop::new(Exit::Failure, format!("cannot start threads: {error}")))?;
    let done = runtime.block_on(work);
    // Somebody may still be waiting at the terminal for an answer that nobody needs.
    runtime.shutdown_background();
    done
}

/// Warnings and errors, or what `TYER_LOG` asks for: error, warn, info, debug, trace, off.
fn log_to_stderr() {
    use tracing_subscriber::filter::LevelFilter;
    let asked = std::env::var("TYER_LOG").ok().and_then(|level| level.parse().ok());
    tracing_subscriber::fmt()
        .with_max_level(asked.unwrap_or(LevelFilter::WARN))
        .with_ansi(false)
        .with_writer(std::io::stderr)
        .init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
