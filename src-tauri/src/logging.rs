//! The log: one file a day, the last fourteen kept, and standard error while developing.
//!
//! Never logged: prompts, file contents, output of commands, keys. Those lie in the store or nowhere.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Two weeks: enough to look into a report, little enough to forget about.
const KEPT_FILES: usize = 14;

/// Starts the log in `folder`. The guard writes what is left when it is dropped.
pub(crate) fn start(folder: &Path, filter: Option<&str>) -> Result<WorkerGuard> {
    fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("benchdog")
        .filename_suffix("log")
        .max_log_files(KEPT_FILES)
        .build(folder)
        .with_context(|| format!("open the log in {}", folder.display()))?;
    let (writer, guard) = tracing_appender::non_blocking(appender);
    let filter = EnvFilter::builder()
        .with_default_directive(LevelFilter::INFO.into())
        .parse_lossy(filter.unwrap_or_default());
    let console = cfg!(debug_assertions).then(|| fmt::layer().with_writer(std::io::stderr));
    tracing_subscriber::registry()
        .with(filter)
        .with(fmt::layer().with_ansi(false).with_writer(writer))
        .with(console)
        .try_init()
        .context("start the log")?;
    Ok(guard)
}
