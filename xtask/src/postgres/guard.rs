//! Stops the cluster when the run ends, however it ends.
//!
//! A small shell waits at the other end of a pipe. The kernel closes the pipe when this process is gone, whether it
//! has finished, panicked, or was killed with a signal that nothing can catch.
//!
//! **Invariant:** nobody but this process holds the writing end: programs that it starts do not inherit it.

use super::server::Server;
use anyhow::{Context, Result, bail};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};

/// `$0` is pg_ctl, `$1` the data folder. Ignored signals are inherited by `cat`, so ctrl-c ends neither.
const SCRIPT: &str = r#"
trap "" INT TERM HUP
cat >/dev/null
"$0" stop --pgdata "$1" --mode immediate --wait && rm -rf "$1"
"#;

/// A cluster that will be stopped.
pub(crate) struct Guard {
    shell: Child,
}

impl Guard {
    /// From now on the cluster lives no longer than this process.
    pub(crate) fn over(server: &Server) -> Result<Guard> {
        let home = server.data().parent().context("a data folder lies in a folder")?;
        let shell = server
            .account()
            .command(Path::new("sh"), home)
            .args(["-c", SCRIPT])
            .arg(server.pg_ctl())
            .arg(server.data())
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start the shell that stops PostgreSQL")?;
        Ok(Guard { shell })
    }

    /// Stops the cluster now, and waits for it.
    pub(crate) fn stop(mut self) -> Result<()> {
        drop(self.shell.stdin.take());
        let status = self.shell.wait()?;
        if !status.success() {
            bail!("PostgreSQL was not stopped cleanly ({status}); `cargo xtask postgres stop` tries again");
        }
        Ok(())
    }
}
