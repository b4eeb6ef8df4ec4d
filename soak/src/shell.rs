//! Commands of the system that a trouble is made with.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

/// Runs it; what it says is the reason when it fails.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<String> {
    let said = format!("`{program} {}`", arguments.join(" "));
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{said} cannot be run: is it installed?"))?;
    if !output.status.success() {
        bail!("{said} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs it; that it fails is no news.
pub(crate) fn attempt(program: &str, arguments: &[&str]) {
    let _ = run(program, arguments);
}

/// Starts it and lets it run; it says nothing.
pub(crate) fn start(program: &str, arguments: &[&str]) -> Result<Child> {
    let command = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    command.with_context(|| format!("`{program}` cannot be started: is it installed?"))
}

/// Sends a signal by its name.
pub(crate) fn signal(name: &str, process: u32) -> Result<()> {
    run("kill", &["-s", name, &process.to_string()]).map(drop)
}

/// Only who may mount and route can make this trouble.
pub(crate) fn needs_root(what: &str) -> Result<()> {
    if run("id", &["-u"])? != "0" {
        bail!("`soak {what}` mounts or routes: run it as root");
    }
    Ok(())
}

/// Finds a program, or installs the package that has it.
pub(crate) fn needs(program: &str, package: &str) -> Result<()> {
    if run("sh", &["-c", &format!("command -v {program}")]).is_ok() {
        return Ok(());
    }
    eprintln!("soak: {program} is not here: installing {package} with apt-get");
    let install = || run("apt-get", &["install", "-y", "-q", package]);
    // A fresh machine does not know yet what there is.
    install()
        .or_else(|_| run("apt-get", &["update"]).and_then(|_| install()))
        .map(drop)
        .with_context(|| format!("install the package {package}: it has `{program}`"))
}
