//! What another program wrote to a file after a tool had put another in its place: kept as a version, and said.
//!
//! It never was the content of the file, so it is no part of the file's history; taking it back puts it into the file.
//! A running session is told through its driver, which shows it; else the facts are written for when it is opened.
//! Deliberately absent: finding it out.

use crate::history::OwnChange;
use crate::hub::Hub;
use crate::put_back::read_now;
use agent::{Command, Past, PutBack, late_write_notices};
use files::ContentHash;
use protocol::diff::DiffStat;
use protocol::ids::{CallId, SessionId};
use protocol::log::{FileChange, FileVersion, LogEvent};
use std::path::Path;
use std::sync::{Arc, Weak};
use store::Store;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Ways to a running session, from a thread outside of the runtime.
pub(crate) struct Tellers {
    /// Weak: the tools of the session hold this, and the hub holds the session.
    hub: Weak<Hub>,
    runtime: Handle,
}

impl Tellers {
    /// Needs a runtime around it.
    pub(crate) fn new(hub: &Arc<Hub>) -> Self {
        Self {
            hub: Arc::downgrade(hub),
            runtime: Handle::current(),
        }
    }
}

/// Bytes that came too late. They are kept already.
pub(crate) struct LateWrite {
    session_id: SessionId,
    call_id: CallId,
    version: FileVersion,
}

impl LateWrite {
    pub(crate) fn new(
        store: &Store,
        session_id: &SessionId,
        path: &Path,
        hash: ContentHash,
    ) -> Self {
        Self {
            session_id: session_id.clone(),
            call_id: OwnChange::LateWrite.new_id(),
            version: FileVersion {
                path: path.display().to_string(),
                change: FileChange::LateWrite,
                before_hash: Some(hash.to_hex()),
                proposed_hash: None,
                after_hash: in_place(store, session_id, path),
                mode: None,
                in_place: false,
                stat: DiffStat::default(),
                owners: None,
            },
        }
    }

    /// Tells the session of it. Blocks.
    pub(crate) fn tell(self, store: &Store, tellers: Option<&Tellers>) -> Result<(), store::Error> {
        let is_told = tellers.is_some_and(|tellers| {
            let hub = tellers.hub.upgrade();
            hub.is_some_and(|hub| tellers.runtime.block_on(self.tell_driver(&hub)))
        });
        if is_told {
            return Ok(());
        }
        let Self {
            session_id,
            call_id,
            version,
        } = self;
        let turn =
            store.read_blocking(|reader| Ok(reader.session(&session_id, None)?.last_turn))?;
        let notices = late_write_notices(&call_id, std::slice::from_ref(&version));
        let versions = LogEvent::FileVersions {
            call_id,
            rows: vec![version],
            takes_back: Vec::new(),
            brings_back: Vec::new(),
        };
        let events = std::iter::once(versions).chain(notices).collect();
        store.append(&session_id, turn, events).wait().map(drop)
    }

    /// Whether the session runs and has taken it.
    async fn tell_driver(&self, hub: &Hub) -> bool {
        let Some(commands) = hub.running().await else {
            return false;
        };
        let (reply, taken) = oneshot::channel();
        let put_back = Box::new(PutBack {
            call_id: self.call_id.clone(),
            rows: vec![self.version.clone()],
            takes_back: Vec::new(),
            brings_back: Vec::new(),
        });
        let command = Command::Past(Past::Files(put_back), reply);
        commands.send(command).await.is_ok() && matches!(taken.await, Ok(Ok(())))
    }
}

/// Hash of what took the place of the file: of the newest version, else of what is there.
fn in_place(store: &Store, session_id: &SessionId, path: &Path) -> Option<String> {
    let name = path.display().to_string();
    let versions = store.read_blocking(|reader| reader.versions(session_id, Some(&name)));
    let newest = versions.unwrap_or_default().into_iter().last();
    match newest {
        Some(newest) => newest.version.after_hash,
        None => {
            let bytes = read_now(path).ok().flatten()?;
            Some(ContentHash::of(&bytes).to_hex())
        }
    }
}
