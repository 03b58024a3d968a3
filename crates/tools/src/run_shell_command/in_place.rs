//! A command that is one `sed -i` on one file, as a change that can be shown.
//!
//! The change is worked out here and then goes the way of every change of a file, so it is shown, checked, backed up
//! and written like one. Nothing is asked of the real program. What cannot be worked out stays a command.

use super::{Call, ShellDeps};
use crate::change::{Asked, ChangeCall};
use crate::files_deps::FileDeps;
use crate::search::blocking;
use edit::{SedCommand, SedRefusal, parse_sed, with_lf};
use files::{ContentHash, Location, Resolved, ShownAs};
use protocol::confirmation::AskWarning;
use protocol::tool_call::{Display, ToolFailure};
use std::path::{Component, Path, PathBuf};
use tool_api::{ExecContext, Invocation, QuestionBody, ToolResult};

/// A larger file is left to the real program.
const MAX_FILE_BYTES: u64 = 10 * 1024 * 1024;
const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

/// What a command turned out to be.
pub(super) enum InPlace {
    /// A command like any other.
    OtherCommand,
    /// A `sed -i` whose change cannot be shown, and why.
    Hidden(String),
    /// It would change nothing; the path.
    NoChange(PathBuf),
    /// It changes one file.
    Change(Box<SedChange>),
}

/// The change of one file.
pub(super) struct SedChange {
    pub(super) call: ChangeCall,
    pub(super) known: Knowledge,
    location: Location,
}

/// What the model knows of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Knowledge {
    Read,
    NotRead,
    /// It has changed since.
    Outdated,
}

impl SedChange {
    /// Whether it may pass wherever an edit may: the model has read these bytes of a file of the workspace.
    pub(super) fn passes_as_edit(&self) -> bool {
        self.location == Location::Inside && self.known == Knowledge::Read
    }

    pub(super) fn question(&self, command: &str) -> QuestionBody {
        let mut body = self.call.question();
        let knowledge = match self.known {
            Knowledge::Read => None,
            Knowledge::NotRead => Some("NOT_READ"),
            Knowledge::Outdated => Some("CHANGED_SINCE_READ"),
        };
        body.warnings.extend(knowledge.map(|code| AskWarning {
            code: code.to_owned(),
            args: Vec::new(),
        }));
        body.warnings.push(AskWarning {
            code: "EDIT_BY_COMMAND".to_owned(),
            args: vec![command.to_owned()],
        });
        body
    }
}

/// What the person is told of a change that cannot be shown.
pub(super) fn hidden(reason: &str) -> AskWarning {
    AskWarning {
        code: "CHANGE_NOT_SHOWN".to_owned(),
        args: vec![reason.to_owned()],
    }
}

pub(super) fn no_change(path: &Path) -> ToolResult {
    let text = format!("sed made no changes to {}.", path.display());
    let display = Display::Text { text: text.clone() };
    ToolResult::text(text, display)
}

/// Finds out what the command of a call is.
pub(super) async fn look(call: &Call, ctx: &ExecContext) -> Result<InPlace, ToolFailure> {
    let sed = match parse_sed(&call.command) {
        Ok(sed) => sed,
        Err(refusal) => return Ok(refused(&refusal)),
    };
    let (deps, cwd) = (call.deps.clone(), call.cwd.clone());
    let worked_out = blocking(ctx.cancel.clone(), move |_| work_out(&sed, &cwd, &deps)).await?;
    let worked_out = match worked_out {
        Ok(worked_out) => worked_out,
        Err(refusal) => return Ok(refused(&refusal)),
    };
    let WorkedOut {
        target,
        known,
        asked,
    } = worked_out;
    let location = target.location;
    let Some(asked) = asked else {
        return Ok(InPlace::NoChange(target.path));
    };
    let files = call.deps.files.clone();
    let mut change = ChangeCall::new(call.args.clone(), target, asked, files);
    Ok(match change.prepare(ctx).await {
        Ok(()) => InPlace::Change(Box::new(SedChange {
            call: change,
            known,
            location,
        })),
        Err(failure) => InPlace::Hidden(format!("file:{}", failure.code.to_lowercase())),
    })
}

fn refused(refusal: &SedRefusal) -> InPlace {
    match refusal {
        SedRefusal::OtherCommand => InPlace::OtherCommand,
        SedRefusal::Unsupported { reason } => InPlace::Hidden(reason.clone()),
    }
}

struct WorkedOut {
    target: Resolved,
    known: Knowledge,
    /// Nothing if the file stays as it is.
    asked: Option<Asked>,
}

fn work_out(sed: &SedCommand, cwd: &Path, deps: &ShellDeps) -> Result<WorkedOut, SedRefusal> {
    let target = target(sed, cwd, &deps.files)?;
    let base = std::fs::read(&target.path).map_err(|_| because("unreadable"))?;
    let bytes = sed.apply(&base)?;
    let known = knowledge(&target.path, &base, &deps.files);
    if bytes == base {
        // That a command would change nothing tells what the file has not.
        return match target.location {
            Location::Inside => Ok(WorkedOut {
                target,
                known,
                asked: None,
            }),
            Location::Outside => Err(because("outside")),
        };
    }
    if base.starts_with(BYTE_ORDER_MARK) != bytes.starts_with(BYTE_ORDER_MARK) {
        return Err(because("byte_order_mark"));
    }
    let text = |bytes| String::from_utf8_lossy(bytes);
    if with_lf(&text(&base)) == with_lf(&text(&bytes)) {
        return Err(because("line_ends_only"));
    }
    Ok(WorkedOut {
        target,
        known,
        asked: Some(Asked::Computed {
            base: ContentHash::of(&base),
            bytes,
        }),
    })
}

fn because(what: &str) -> SedRefusal {
    SedRefusal::Unsupported {
        reason: format!("file:{what}"),
    }
}

/// The one file, if the program would find the same one there.
fn target(sed: &SedCommand, cwd: &Path, deps: &FileDeps) -> Result<Resolved, SedRefusal> {
    let folder = match sed.folder() {
        None => cwd.to_path_buf(),
        Some(folder) => changed_folder(cwd, folder)?,
    };
    let path = folder.join(sed.file());
    let facts = std::fs::symlink_metadata(&path).map_err(|_| because("missing"))?;
    let kind = facts.file_type();
    if kind.is_symlink() {
        return Err(because("symlink"));
    }
    if kind.is_dir() {
        return Err(because("directory"));
    }
    if !kind.is_file() {
        return Err(because("not_regular"));
    }
    if facts.len() > MAX_FILE_BYTES {
        return Err(because("too_large"));
    }
    let path = path.to_str().ok_or_else(|| because("name"))?;
    deps.resolve(path)
        .map_err(|failure| because(&failure.code.to_lowercase()))
}

/// Where `cd` leads. It takes `..` by the names of folders, and a path by the folders themselves.
fn changed_folder(cwd: &Path, folder: &str) -> Result<PathBuf, SedRefusal> {
    let mut components = Path::new(folder)
        .components()
        .skip_while(|component| matches!(component, Component::ParentDir | Component::CurDir));
    if components.any(|component| component == Component::ParentDir) {
        return Err(because("folder"));
    }
    let path = cwd.join(folder);
    match path.is_dir() {
        true => Ok(path),
        false => Err(because("folder")),
    }
}

fn knowledge(path: &Path, bytes: &[u8], deps: &FileDeps) -> Knowledge {
    let id = files::stat_of(path).ok().map(|stat| stat.id);
    match deps.cache.lookup(path, id) {
        None => Knowledge::NotRead,
        Some(found) => {
            let record = found.record();
            let is_current = record.hash == Some(ContentHash::of(bytes));
            match record.shown_as {
                ShownAs::Text if is_current => Knowledge::Read,
                ShownAs::Text => Knowledge::Outdated,
                ShownAs::NonText => Knowledge::NotRead,
            }
        }
    }
}
