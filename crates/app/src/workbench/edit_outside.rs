//! A proposal in the person's own editor.
//!
//! The editor gets a copy of the proposal as it stands in the window, with the text before the change beside it. What
//! it saves comes back as an event and is only ever a proposal: nothing lands that the window did not show. The copy
//! goes when the question closes. Deliberately absent: any guess which editors there are.

use crate::workbench::{Workbench, lock, opener};
use agent::Watch;
use protocol::command::{EditOutside, EditedOutside, OpenSession};
use protocol::confirmation::{Ask, AskState, Preview};
use protocol::diff::FileDiff;
use protocol::error::{ApiError, ErrorCode};
use protocol::event::{SavedOutside, SessionEvent};
use protocol::ids::{ProposalId, SessionId};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use tokio::time::MissedTickBehavior;

/// Under the data folder. Nothing in it outlives the program.
const FOLDER: &str = "editing";
/// Between two looks at the copy: soon enough to feel immediate, seldom enough to cost nothing.
const LOOK_EVERY: Duration = Duration::from_millis(300);
/// A card cannot be edited above 1 MB; what somebody writes there may grow a little beyond.
const MAX_SAVED_BYTES: u64 = 4 * 1024 * 1024;
/// File systems refuse names of more than 255 bytes; the ending and `.base` need room.
const MAX_NAME_BYTES: usize = 200;

/// Copies that editors have open, by proposal.
#[derive(Default)]
pub(crate) struct Copies {
    by_proposal: Mutex<BTreeMap<ProposalId, Arc<Copy>>>,
}

/// One copy.
struct Copy {
    session_id: SessionId,
    proposal_id: ProposalId,
    folder: PathBuf,
    file: PathBuf,
    /// The copy as it was when its text was last known to the window.
    known: Mutex<Option<Stamp>>,
}

/// Differs whenever a file was saved, as far as a file system tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    size: u64,
    #[cfg(unix)]
    inode: u64,
}

impl Stamp {
    fn of(facts: &Metadata) -> Self {
        Self {
            modified: facts.modified().ok(),
            size: facts.len(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(facts),
        }
    }
}

impl Workbench {
    /// Opens a copy of a proposal in the person's own editor; what is saved there comes back as an event.
    ///
    /// # Errors
    /// `STALE` where the question is not open any more, `BAD_REQUEST` where its text cannot be changed by hand,
    /// `INTERNAL` where the editor does not start.
    pub async fn edit_outside(
        self: &Arc<Self>,
        request: EditOutside,
    ) -> Result<EditedOutside, ApiError> {
        self.may_write()?;
        // Watched before the question is looked up, so that its end is not missed.
        let watch = self.watch(&request.session_id);
        let ask = self
            .open_ask(&request.session_id, &request.proposal_id)
            .await?
            .ok_or_else(|| ApiError::new(ErrorCode::Stale, "this question is not open any more"))?;
        let diff = changeable(&ask)?;
        let editor = lock(&self.settings).get().editor.clone();
        let known = lock(&self.copies.by_proposal)
            .get(&request.proposal_id)
            .cloned();
        let copy = match &known {
            Some(copy) => copy.clone(),
            None => Arc::new(
                self.new_copy(&request, diff, &editor)
                    .map_err(not_written)?,
            ),
        };
        copy.write(&request.text).map_err(not_written)?;
        if known.is_none() {
            lock(&self.copies.by_proposal).insert(request.proposal_id.clone(), copy.clone());
            tokio::spawn(self.clone().follow_copy(copy.clone(), watch));
        }
        open_editor(&editor, &copy.file)?;
        Ok(EditedOutside {
            path: copy.file.to_string_lossy().into_owned(),
        })
    }

    async fn open_ask(
        self: &Arc<Self>,
        session_id: &SessionId,
        proposal_id: &ProposalId,
    ) -> Result<Option<Ask>, ApiError> {
        let request = OpenSession {
            session_id: session_id.clone(),
            around: None,
        };
        let asks = self.open_session(request).await?.asks;
        Ok(asks
            .into_iter()
            .find(|ask| ask.proposal_id == *proposal_id && ask.state == AskState::Open))
    }

    fn new_copy(&self, request: &EditOutside, diff: &FileDiff, editor: &str) -> io::Result<Copy> {
        let folder = self
            .paths
            .data
            .join(FOLDER)
            .join(uuid::Uuid::now_v7().to_string());
        make_folder(&folder)?;
        let name = copy_name(diff, editor);
        let base = folder.join(format!("{name}.base"));
        write_private(&base, diff.base_text.as_deref().unwrap_or_default())?;
        Ok(Copy {
            session_id: request.session_id.clone(),
            proposal_id: request.proposal_id.clone(),
            file: folder.join(name),
            folder,
            known: Mutex::new(None),
        })
    }

    /// Tells the window of each save until the question is closed; then the copy goes.
    async fn follow_copy(self: Arc<Self>, copy: Arc<Copy>, mut watch: Watch) {
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                envelope = watch.next() => {
                    let may_be_over = match envelope.as_deref().map(|envelope| &envelope.event) {
                        Some(SessionEvent::AskClosed { .. } | SessionEvent::AskChanged { .. } | SessionEvent::Reset) => true,
                        Some(_) => false,
                        None => break,
                    };
                    if may_be_over && !self.is_open(&copy).await {
                        break;
                    }
                }
                _ = look.tick() => {
                    let looked = copy.clone();
                    match tokio::task::spawn_blocking(move || looked.look()).await {
                        Ok(Some(saved)) => self.publish_saved(&copy, saved),
                        Ok(None) => {}
                        Err(error) => tracing::error!(%error, "looking at a copy failed inside"),
                    }
                }
            }
        }
        lock(&self.copies.by_proposal).remove(&copy.proposal_id);
        if let Err(error) = fs::remove_dir_all(&copy.folder) {
            tracing::warn!(%error, folder = %copy.folder.display(), "a copy for an editor stays");
        }
    }

    async fn is_open(self: &Arc<Self>, copy: &Copy) -> bool {
        match self.open_ask(&copy.session_id, &copy.proposal_id).await {
            Ok(ask) => ask.is_some(),
            Err(error) => {
                tracing::debug!(%error, "a session with a copy in an editor is gone");
                false
            }
        }
    }

    fn publish_saved(&self, copy: &Copy, saved: SavedOutside) {
        let event = SessionEvent::SavedOutside {
            proposal_id: copy.proposal_id.clone(),
            saved,
        };
        let ts = crate::clock::timestamp();
        self.hubs
            .get(&copy.session_id)
            .publisher
            .publish(event, None, ts);
    }
}

/// Copies of a program that did not come to its end.
pub(crate) fn forget_copies(data: &Path) {
    match fs::remove_dir_all(data.join(FOLDER)) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => tracing::warn!(%error, "old copies for editors stay"),
    }
}

impl Copy {
    /// Puts the window's text into the copy.
    fn write(&self, text: &str) -> io::Result<()> {
        let mut known = lock(&self.known);
        write_private(&self.file, text)?;
        *known = Some(Stamp::of(&fs::metadata(&self.file)?));
        Ok(())
    }

    /// What was saved since the last look. A file that is missing for a moment is being replaced by its editor.
    fn look(&self) -> Option<SavedOutside> {
        let mut known = lock(&self.known);
        let before = Stamp::of(&fs::metadata(&self.file).ok()?);
        if *known == Some(before) {
            return None;
        }
        let saved = match read_at_most(&self.file, MAX_SAVED_BYTES) {
            Ok(saved) => saved,
            Err(error) => {
                tracing::debug!(%error, "a copy cannot be read now");
                return None;
            }
        };
        // Written while it was read: the next look sees it whole.
        if Stamp::of(&fs::metadata(&self.file).ok()?) != before {
            return None;
        }
        *known = Some(before);
        Some(saved)
    }
}

fn read_at_most(file: &Path, limit: u64) -> io::Result<SavedOutside> {
    let mut bytes = Vec::new();
    fs::File::open(file)?
        .take(limit + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Ok(SavedOutside::TooLarge);
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    Ok(match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => SavedOutside::Text {
            text: text.replace("\r\n", "\n"),
        },
        Ok(_) | Err(_) => SavedOutside::NotText,
    })
}

/// The change of a question whose text the person may change.
fn changeable(ask: &Ask) -> Result<&FileDiff, ApiError> {
    match &ask.preview {
        Preview::Edit { diff } | Preview::Write { diff, .. }
            if ask.modifiable && diff.new_text.is_some() =>
        {
            Ok(diff)
        }
        _ => Err(ApiError::new(
            ErrorCode::BadRequest,
            "the text of this question cannot be changed by hand",
        )),
    }
}

/// The name of the file, so that an editor knows its language. The system's opener goes by the name alone and would
/// run some files, so it gets plain text.
fn copy_name(diff: &FileDiff, editor: &str) -> String {
    let name = Path::new(&diff.file_path)
        .file_name()
        .and_then(OsStr::to_str)
        .unwrap_or("proposal");
    let name = match &diff.notebook {
        Some(cell) if cell.cell_type == "markdown" => format!("{name}.md"),
        Some(_) => format!("{name}.py"),
        None => name.to_owned(),
    };
    let from = (name.len().saturating_sub(MAX_NAME_BYTES)..name.len())
        .find(|at| name.is_char_boundary(*at))
        .unwrap_or(0);
    let end = name.get(from..).unwrap_or("proposal");
    if editor.trim().is_empty() {
        format!("{end}.txt")
    } else {
        end.to_owned()
    }
}

fn open_editor(editor: &str, file: &Path) -> Result<(), ApiError> {
    if editor.trim().is_empty() {
        return opener::open_in_system(file.as_os_str());
    }
    let unusable = |why: &str| {
        let words = format!("the editor in the settings, {editor:?}, {why}; change it there");
        ApiError::new(ErrorCode::BadRequest, words)
    };
    let mut words = shlex::split(editor)
        .ok_or_else(|| unusable("has quotes that do not close"))?
        .into_iter();
    let program = words.next().ok_or_else(|| unusable("names no program"))?;
    let mut arguments: Vec<_> = words.map(Into::into).collect();
    arguments.push(file.as_os_str().to_owned());
    opener::start(OsStr::new(&program), &arguments)
        .map_err(|error| unusable(&format!("does not start ({error})")))
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Written over in place, because an editor may hold the file open; only its owner can read it.
fn write_private(file: &Path, text: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(text.as_bytes())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is handed to map_err, which gives the error away"
)]
fn not_written(error: io::Error) -> ApiError {
    let words =
        format!("no copy could be made for the editor: {error}; free some space and try again");
    ApiError::new(ErrorCode::Internal, words)
}

#[cfg(test)]
mod tests;
