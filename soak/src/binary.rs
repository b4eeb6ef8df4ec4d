//! The program under test: built by cargo, found where cargo says it is.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// How it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// For long runs.
    Release,
    /// For tests.
    Debug,
}

/// Builds `tyer` and gives its path.
pub fn build(profile: Profile) -> Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the soak lies in the checkout")?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args([
        "build",
        "--package",
        "tyer",
        "--bin",
        "tyer",
        "--features",
        "server,postgres",
    ]);
    command.args(["--message-format", "json-render-diagnostics"]).stderr(Stdio::inherit());
    if profile == Profile::Release {
        command.arg("--release");
    }
    let built = command.output().context("cannot start cargo")?;
    if !built.status.success() {
        bail!("the program `tyer` could not be built");
    }
    let executable = String::from_utf8_lossy(&built.stdout).lines().filter_map(executable).next_back();
    executable.context("cargo has built no program `tyer`")
}

fn executable(message: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let is_ours = message["reason"] == "compiler-artifact" && message["target"]["name"] == "tyer";
    message["executable"].as_str().filter(|_| is_ours).map(PathBuf::from)
}
