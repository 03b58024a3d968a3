//! The text of PDF documents, through the programs of Poppler.
//!
//! They run on files of strangers: with a time limit, with as much output as is shown, and ended when the call is.
//! Started here and not by the terminal, since nobody shall see or answer them. Deliberately absent: pictures of pages.

use crate::files_deps::PdfPrograms;
use crate::search::failure;
use files::{Error, PageUnit, PdfFile, PdfPages};
use protocol::tool_call::ToolFailure;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tool_api::ExecContext;

/// Characters of text that are shown.
const MAX_TEXT_CHARS: usize = 100_000;
/// Longest character in UTF-8.
const MAX_CHAR_BYTES: u64 = 4;
/// What a program says about a failure is one line.
const MAX_ERROR_BYTES: u64 = 4_096;
/// A document of unknown length is taken for a long one from this size on.
const MAX_UNCOUNTED_BYTES: u64 = 3_000_000;
/// Poppler ends each page with a form feed.
const PAGE_END: char = '\u{c}';

/// The text of some pages.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PdfText {
    /// Which pages, of how many.
    pub(super) what: String,
    pub(super) text: String,
}

/// Why there is no text.
#[derive(Debug)]
pub(super) enum Ended {
    Failed(ToolFailure),
    Cancelled,
}

/// What is known of the length of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Pages(u32),
    Unknown,
}

/// The text of the pages that are asked for, else of a short document.
pub(super) async fn read(
    path: &Path,
    file: PdfFile,
    pages: Option<PdfPages>,
    (programs, ctx): (&PdfPrograms, &ExecContext),
) -> Result<PdfText, Ended> {
    tokio::select! {
        biased;
        () = ctx.cancel.cancelled() => Err(Ended::Cancelled),
        read = pages_of(path, file, pages, programs) => read.map_err(Ended::Failed),
    }
}

async fn pages_of(
    path: &Path,
    file: PdfFile,
    pages: Option<PdfPages>,
    programs: &PdfPrograms,
) -> Result<PdfText, ToolFailure> {
    let length = count(path, programs).await;
    let mut pages = chosen(path, file, pages, length)?;
    if let Length::Pages(n_pages) = length {
        pages.last = pages.last.min(n_pages);
    }
    let first = pages.first.to_string();
    let last = pages.last.to_string();
    let options = ["-layout", "-f", &first, "-l", &last];
    let run = run(&programs.pdftotext, &options, path, programs.text_time).await;
    let ran = run.map_err(|cause| no_text(path, &cause))?;
    if !ran.is_cut && !ran.status.is_some_and(|status| status.success()) {
        return Err(no_text(path, &cause_of(&ran)));
    }
    if ran.text.chars().all(|c| c.is_whitespace() || c == PAGE_END) {
        return Err(no_text(path, &Cause::ImageOnly));
    }
    Ok(PdfText {
        what: match length {
            Length::Pages(n_pages) => format!("pages {first}-{last} of {n_pages}"),
            Length::Unknown => format!("pages {first}-{last} at most"),
        },
        text: with_page_heads(&ran, pages.first),
    })
}

/// Which pages are read.
fn chosen(
    path: &Path,
    file: PdfFile,
    pages: Option<PdfPages>,
    length: Length,
) -> Result<PdfPages, ToolFailure> {
    match (pages, length) {
        (Some(pages), Length::Pages(n_pages)) if pages.first > n_pages => {
            Err(failure(&Error::OffsetOutOfRange {
                path: path.to_path_buf(),
                offset: pages.first as usize,
                n_lines: n_pages as usize,
                unit: PageUnit::Page,
            }))
        }
        (Some(pages), Length::Pages(_) | Length::Unknown) => Ok(pages),
        (None, Length::Pages(n_pages)) if n_pages <= PdfPages::MAX => {
            Ok(PdfPages::from_start(n_pages))
        }
        (None, Length::Unknown) if file.size <= MAX_UNCOUNTED_BYTES => {
            Ok(PdfPages::from_start(PdfPages::MAX))
        }
        (None, length) => {
            let what = match length {
                Length::Pages(n_pages) => format!("has {n_pages} pages"),
                Length::Unknown => {
                    format!("has {} bytes and an unknown number of pages", file.size)
                }
            };
            Err(ToolFailure {
                code: "FILE_TOO_LARGE".to_owned(),
                reason: Some("pages".to_owned()),
                message: format!(
                    "{} {what}; give pages, at most {} at once, such as 1-{}",
                    path.display(),
                    PdfPages::MAX,
                    PdfPages::MAX
                ),
            })
        }
    }
}

/// Counts the pages. What cannot be counted may still be read, so a failure is no failure here.
async fn count(path: &Path, programs: &PdfPrograms) -> Length {
    let Ok(ran) = run(&programs.pdfinfo, &[], path, programs.count_time).await else {
        return Length::Unknown;
    };
    let pages = ran
        .text
        .lines()
        .find_map(|line| line.strip_prefix("Pages:"))
        .and_then(|number| number.trim().parse().ok());
    pages.map_or(Length::Unknown, Length::Pages)
}

/// What a program did.
struct Ran {
    text: String,
    /// It had more to say than is shown, and was ended.
    is_cut: bool,
    errors: String,
    status: Option<ExitStatus>,
}

/// Why a document has no text for us.
enum Cause {
    ToolMissing,
    NotStarted(io::Error),
    Timeout(Duration),
    Password,
    Damaged(String),
    ImageOnly,
}

/// Runs a program on a file. Its name comes after `--`, so that it is never taken for an option.
async fn run(program: &OsStr, options: &[&str], path: &Path, time: Duration) -> Result<Ran, Cause> {
    let mut command = Command::new(program);
    command
        .args(options)
        .arg("--")
        .arg(path)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if !options.is_empty() {
        command.arg("-");
    }
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Cause::ToolMissing,
        _ => Cause::NotStarted(error),
    })?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let max_bytes = MAX_TEXT_CHARS as u64 * MAX_CHAR_BYTES;
    let work = async {
        let (text, errors) = tokio::join!(beginning(stdout, max_bytes), first_words(stderr));
        let (text, is_cut) = text?;
        // What is cut still has its writer, which would wait for a reader.
        let status = if is_cut {
            None
        } else {
            Some(child.wait().await?)
        };
        Ok(Ran {
            is_cut,
            errors: errors?,
            text,
            status,
        })
    };
    match tokio::time::timeout(time, work).await {
        Ok(ran) => ran.map_err(Cause::NotStarted),
        Err(_) => Err(Cause::Timeout(time)),
    }
}

/// The first bytes of a stream as text, and whether there is more.
async fn beginning(
    stream: Option<impl AsyncRead + Unpin>,
    max_bytes: u64,
) -> io::Result<(String, bool)> {
    let Some(stream) = stream else {
        return Ok((String::new(), false));
    };
    let mut bytes = Vec::new();
    let n_read = stream.take(max_bytes).read_to_end(&mut bytes).await?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok((text, n_read as u64 == max_bytes))
}

/// The first bytes of a stream as text. The rest is read too: a broken document has a warning for every object, and its
/// writer would wait for a reader.
async fn first_words(stream: Option<impl AsyncRead + Unpin>) -> io::Result<String> {
    let Some(mut stream) = stream else {
        return Ok(String::new());
    };
    let (words, _) = beginning(Some(&mut stream), MAX_ERROR_BYTES).await?;
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await?;
    Ok(words)
}

/// Poppler has one exit code for most failures; only its words tell a password from a broken file.
fn cause_of(ran: &Ran) -> Cause {
    if ran.errors.contains("Incorrect password") {
        return Cause::Password;
    }
    let first = ran.errors.lines().next().unwrap_or("no reason given");
    Cause::Damaged(first.to_owned())
}

fn no_text(path: &Path, cause: &Cause) -> ToolFailure {
    let (reason, words) = match cause {
        Cause::ToolMissing => (
            "tool_missing",
            "needs the program pdftotext, which is not installed; ask the user to install poppler-utils"
                .to_owned(),
        ),
        Cause::NotStarted(error) => ("tool_failed", format!("pdftotext did not run: {error}")),
        Cause::Timeout(time) => (
            "timeout",
            format!("took longer than {} s; ask for fewer pages", time.as_secs()),
        ),
        Cause::Password => (
            "password",
            "is protected by a password; ask the user for a copy without one".to_owned(),
        ),
        Cause::Damaged(words) => ("damaged", format!("is damaged: {words}")),
        Cause::ImageOnly => (
            "image_only",
            "has no text on these pages, only pictures; ask the user for a copy with text".to_owned(),
        ),
    };
    ToolFailure {
        code: "READ_CONTENT_FAILURE".to_owned(),
        reason: Some(reason.to_owned()),
        message: format!("cannot read {}: it {words}", path.display()),
    }
}

fn with_page_heads(ran: &Ran, first: u32) -> String {
    let mut text = String::with_capacity(ran.text.len());
    let pages = ran.text.strip_suffix(PAGE_END).unwrap_or(&ran.text);
    for (page, number) in pages.split(PAGE_END).zip(first..) {
        text.push_str(&format!("[page {number}]\n"));
        text.push_str(page.trim_end());
        text.push('\n');
    }
    let cut = text.char_indices().nth(MAX_TEXT_CHARS).map(|(at, _)| at);
    if let Some(at) = cut {
        text.truncate(at);
    }
    if ran.is_cut || cut.is_some() {
        text.push_str(&format!(
            "\n[text cut after {MAX_TEXT_CHARS} characters: ask for fewer pages]\n"
        ));
    }
    text
}
