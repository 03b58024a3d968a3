//! System packages on Debian and Ubuntu; elsewhere the person is told what is needed.

use super::Unprepared;
use crate::process;
use crate::repository::Repository;
use anyhow::Result;
use std::collections::BTreeSet;

/// What building the window needs.
pub(crate) const FOR_RUN: &[&str] = &[
    "build-essential",
    "pkg-config",
    "libwebkit2gtk-4.1-dev",
    "git",
];

/// What the tests need: a display without a screen, the web view's driver, fonts for both languages, the languages
/// that the sample projects and shell tests use, what reads PDF documents, what builds walls around commands, and the
/// programs that terminals are tested with.
pub(crate) const FOR_TEST: &[&str] = &[
    "build-essential",
    "pkg-config",
    "libwebkit2gtk-4.1-dev",
    "git",
    "webkit2gtk-driver",
    "xvfb",
    "python3",
    "poppler-utils",
    "bubblewrap",
    "vim",
    "less",
    "procps",
    "htop",
    "openssh-client",
    "fonts-dejavu-core",
    "fonts-noto-cjk",
];

/// Installs those of `wanted` that are missing, if that needs no password.
pub(super) fn ensure(repository: &Repository, wanted: &[&str]) -> Result<()> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let root = repository.root();
    if !process::succeeds(process::command("apt-get", root).arg("--version")) {
        return other_system(repository, wanted);
    }
    let missing = missing(repository, wanted);
    if missing.is_empty() {
        return Ok(());
    }
    let by_hand = format!(
        "sudo apt-get update && sudo apt-get install -y {}",
        missing.join(" ")
    );
    let Some(elevation) = elevation(repository) else {
        return Err(Unprepared(format!(
            "some system packages are missing; run:\n  {by_hand}"
        ))
        .into());
    };
    println!("installing {}", missing.join(" "));
    apt(repository, elevation, &["update", "-q"])?;
    let mut arguments = vec!["install", "-q", "-y", "--no-install-recommends"];
    arguments.extend(missing);
    apt(repository, elevation, &arguments)
}

/// A system without apt: the build says what else is missing, but the web view is always the first.
fn other_system(repository: &Repository, wanted: &[&str]) -> Result<()> {
    let mut look = process::command("pkg-config", repository.root());
    if process::succeeds(look.args(["--exists", "webkit2gtk-4.1"])) {
        return Ok(());
    }
    let list = wanted.join(", ");
    Err(Unprepared(format!(
        "this system has no apt; install what it calls these Debian packages, then try again:\n  {list}"
    ))
    .into())
}

/// Those of `wanted` that are not installed, in order.
fn missing<'a>(repository: &Repository, wanted: &[&'a str]) -> Vec<&'a str> {
    let mut query = process::command("dpkg-query", repository.root());
    query.args(["--show", "--showformat=${Package} ${db:Status-Status}\\n"]);
    let listed = process::output(&mut query).unwrap_or_default();
    let installed: BTreeSet<&str> = listed
        .lines()
        .filter_map(|line| line.strip_suffix(" installed"))
        .collect();
    wanted
        .iter()
        .copied()
        .filter(|name| !installed.contains(name))
        .collect()
}

/// How apt gets its rights: nothing for root, sudo without a password for others.
fn elevation(repository: &Repository) -> Option<&'static [&'static str]> {
    let root = repository.root();
    let user = process::output(process::command("id", root).arg("-u")).unwrap_or_default();
    if user.trim() == "0" {
        return Some(&[]);
    }
    process::succeeds(process::command("sudo", root).args(["-n", "true"]))
        .then_some(["sudo", "-n"].as_slice())
}

fn apt(repository: &Repository, elevation: &[&str], arguments: &[&str]) -> Result<()> {
    let words = [
        elevation,
        &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"],
        arguments,
    ]
    .concat();
    let mut command = process::command(words[0], repository.root());
    process::run(command.args(&words[1..]))
}
