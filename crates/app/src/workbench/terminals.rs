//! Shells: watching, typing, ending.

use crate::error::of_terminal;
use crate::workbench::Workbench;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use protocol::command::{
    Empty, OwnTerminal, PromoteTerminal, ResizeTerminal, SignalTerminal, TerminalSignal,
    WriteTerminal,
};
use protocol::error::{ApiError, ErrorCode};
use protocol::ids::ShellId;
use protocol::shell::{InputOwner, ShellInfo, TerminalSnapshot};
use std::sync::Arc;
use std::time::Duration;
use terminal::{Keys, ShellHandle, TerminalFrame, TerminalSize, ViewId};
use tokio::sync::mpsc;

/// From the first polite signal to force.
const KILL_GRACE: Duration = Duration::from_millis(200);
/// The same, of a command that has heard Ctrl-C before.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// The output of a shell for one view. Dropping it ends the view.
pub struct TerminalFrames {
    shell: ShellHandle,
    view: ViewId,
    frames: mpsc::UnboundedReceiver<TerminalFrame>,
}

impl TerminalFrames {
    /// The next output: its offset and its bytes. No bytes: the view fell behind and must attach again.
    pub async fn next(&mut self) -> Option<(u64, Vec<u8>)> {
        loop {
            match self.frames.recv().await? {
                TerminalFrame::Chunk { offset, bytes } => return Some((offset, bytes)),
                TerminalFrame::Gap { to, .. } => return Some((to, Vec::new())),
                // What else happens reaches the window with the session's events.
                TerminalFrame::Event(_) => {}
            }
        }
    }

    /// Tells that the view shows everything before this offset. Usable while [`next`](Self::next) waits elsewhere.
    pub fn acknowledger(&self) -> impl Fn(u64) + Send + Sync + 'static {
        let (shell, view) = (self.shell.clone(), self.view);
        move |offset| shell.acknowledge(view, offset)
    }
}

impl Drop for TerminalFrames {
    fn drop(&mut self) {
        self.shell.detach(self.view);
    }
}

impl Workbench {
    /// Adds a view to a shell. `have` is the number of bytes it already shows.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub fn attach_terminal(
        &self,
        shell_id: &ShellId,
        have: Option<u64>,
    ) -> Result<(TerminalSnapshot, TerminalFrames), ApiError> {
        let shell = self.shell(shell_id)?;
        let (snapshot, frames) = shell.attach(have);
        let picture = TerminalSnapshot {
            shell: self.shell_info(&shell),
            offset: snapshot.offset,
            cols: snapshot.size.cols(),
            rows: snapshot.size.rows(),
            screen_base64: BASE64.encode(&snapshot.screen),
        };
        Ok((
            picture,
            TerminalFrames {
                shell,
                view: snapshot.view,
                frames,
            },
        ))
    }

    /// Types into a shell.
    ///
    /// # Errors
    /// `SHELL_NOT_RUNNING`, `INPUT_BUSY`, or the keys were not taken.
    pub async fn write_terminal(
        self: &Arc<Self>,
        request: WriteTerminal,
    ) -> Result<Empty, ApiError> {
        let bytes = BASE64.decode(&request.bytes_base64).map_err(|error| {
            ApiError::new(
                ErrorCode::BadRequest,
                format!("the keys are not Base64: {error}"),
            )
        })?;
        let keys = match request.hidden {
            true => Keys::Hidden,
            false => Keys::Shown,
        };
        self.shell(&request.shell_id)?
            .write(&bytes, keys)
            .map_err(|error| of_terminal(&error))?;
        Ok(Empty {})
    }

    /// Tells a shell the size of its view.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub async fn resize_terminal(
        self: &Arc<Self>,
        request: ResizeTerminal,
    ) -> Result<Empty, ApiError> {
        self.shell(&request.shell_id)?
            .resize(TerminalSize::clamped(request.cols, request.rows));
        Ok(Empty {})
    }

    /// Takes or gives back the keys of a shell.
    ///
    /// # Errors
    /// `SHELL_NOT_RUNNING`.
    pub async fn own_terminal(
        self: &Arc<Self>,
        request: OwnTerminal,
    ) -> Result<ShellInfo, ApiError> {
        if request.owner == InputOwner::Agent {
            return Err(ApiError::new(
                ErrorCode::BadRequest,
                "only the model takes keys for itself; give them back instead",
            ));
        }
        let shell = self.shell(&request.shell_id)?;
        shell
            .own_input(request.owner)
            .map_err(|error| of_terminal(&error))?;
        Ok(self.shell_info(&shell))
    }

    /// Moves a running command to the background. Its call ends with the output so far; the command goes on.
    ///
    /// # Errors
    /// `SHELL_NOT_RUNNING` if it ended meanwhile or is being ended.
    pub async fn promote_terminal(
        self: &Arc<Self>,
        request: PromoteTerminal,
    ) -> Result<ShellInfo, ApiError> {
        let shell = self.shell(&request.shell_id)?;
        shell
            .move_to_background()
            .map_err(|error| of_terminal(&error))?;
        Ok(self.shell_info(&shell))
    }

    /// Ends a shell, politely or at once.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub async fn signal_terminal(
        self: &Arc<Self>,
        request: SignalTerminal,
    ) -> Result<Empty, ApiError> {
        let shell = self.shell(&request.shell_id)?;
        match request.signal {
            TerminalSignal::Stop => shell.stop(STOP_GRACE),
            TerminalSignal::Kill => shell.kill(KILL_GRACE),
        }
        Ok(Empty {})
    }

    pub(crate) fn shell(&self, shell_id: &ShellId) -> Result<ShellHandle, ApiError> {
        self.shells.get(shell_id).ok_or_else(|| {
            ApiError::new(
                ErrorCode::NotFound,
                "this shell is no longer there; its output is in the transcript",
            )
        })
    }
}
