//! What the tools that read and change files share.

use crate::search::{NowNs, failure};
use files::{
    ApplyContext, Backup, BackupError, Committer, PlanContext, PlanSettings, ReadCache, Resolved,
    Roots, ignored_by, resolve,
};
use protocol::tool_call::ToolFailure;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Keeps the bytes of a picture and gives their SHA-256.
pub type KeepPicture = Arc<dyn Fn(Vec<u8>) -> Result<String, BackupError> + Send + Sync>;

/// The programs of Poppler, and how long they may take.
#[derive(Debug, Clone)]
pub struct PdfPrograms {
    /// Gives the text of pages.
    pub pdftotext: OsString,
    /// Counts pages.
    pub pdfinfo: OsString,
    /// For the text of one call.
    pub text_time: Duration,
    /// For counting.
    pub count_time: Duration,
}

impl Default for PdfPrograms {
    fn default() -> Self {
        Self {
            pdftotext: "pdftotext".into(),
            pdfinfo: "pdfinfo".into(),
            text_time: Duration::from_secs(30),
            count_time: Duration::from_secs(10),
        }
    }
}

/// The files of one session.
#[derive(Clone)]
pub struct FileDeps {
    /// The folders of the session.
    pub roots: Arc<Roots>,
    /// What the model was shown.
    pub cache: Arc<ReadCache>,
    /// Makes commits; one for the whole program.
    pub committer: Arc<Committer>,
    /// Keeps the bytes before a change.
    pub backup: Arc<dyn Backup>,
    /// Name of the product's ignore file.
    pub ignore_name: Arc<str>,
    /// Limits of a change.
    pub settings: PlanSettings,
    /// The clock.
    pub now_ns: NowNs,
    /// Keeps pictures that the model is shown.
    pub keep_picture: KeepPicture,
    /// What turns PDF documents into text.
    pub pdf: PdfPrograms,
    /// Where the output of commands is kept whole. The model is told of these files, so it may read them unasked.
    pub outputs: PathBuf,
}

impl FileDeps {
    /// Resolves a path of the model.
    pub(crate) fn resolve(&self, path: &str) -> Result<Resolved, ToolFailure> {
        let resolved = resolve(path, &self.roots).map_err(|error| failure(&error))?;
        match ignored_by(&resolved.path, &self.roots, &self.ignore_name) {
            None => Ok(resolved),
            Some(pattern) => {
                let (path, ignore) = (resolved.path.display(), &self.ignore_name);
                Err(ToolFailure {
                    code: "PATH_IGNORED".to_owned(),
                    reason: None,
                    message: format!(
                        "{path} is hidden from agents by the pattern {pattern:?} in {ignore}; ask the user if it is needed"
                    ),
                })
            }
        }
    }

    /// What a change is planned against, now.
    pub(crate) fn plan_context(&self) -> PlanContext<'_> {
        PlanContext {
            cache: &self.cache,
            roots: &self.roots,
            ignore_name: &self.ignore_name,
            settings: self.settings,
            now_ns: (self.now_ns)(),
        }
    }

    /// What a change lands through, now.
    pub(crate) fn apply_context(&self) -> ApplyContext<'_> {
        ApplyContext {
            committer: &self.committer,
            backup: &self.backup,
            cache: &self.cache,
            settings: self.settings,
            now_ns: (self.now_ns)(),
        }
    }

    /// Whether a resolved path is an output of this session's commands.
    pub(crate) fn is_output(&self, path: &Path) -> bool {
        self.outputs
            .canonicalize()
            .is_ok_and(|outputs| path.starts_with(outputs))
    }

    /// A path as people read it: relative to the first folder where it lies inside.
    pub(crate) fn display_path(&self, path: &Path) -> String {
        let relative = self
            .roots
            .first()
            .and_then(|root| path.strip_prefix(root).ok());
        relative.unwrap_or(path).display().to_string()
    }
}
