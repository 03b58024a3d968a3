//! Sessions on disk: an append-only log of facts per session, and everything that is derived from it.
//!
//! One thread writes ([`Store`]), two connections read beside it ([`Reader`]). A row is durable before anyone hears of
//! it. Whatever state the files are in, opening ends with a store that works or with an error a person can act on;
//! no file is ever overwritten or removed because it could not be read. Deliberately absent: what a model is sent, and
//! who may do what.

mod append;
mod apply;
mod aside;
mod backup;
mod blobs;
mod changes;
mod clock;
mod commits;
mod derive;
mod drafts;
mod error;
mod events;
mod head;
mod header;
mod hidden;
mod inbox;
mod index;
mod limits;
mod lock;
mod migrate;
mod open;
mod order;
mod partial;
mod payload;
mod pending;
mod read;
mod readers;
mod reads;
mod rebuild;
mod recover;
mod rows;
mod salvage;
mod search;
mod sessions;
mod shell_runs;
mod shells;
mod shorten;
mod store;
mod text;
mod versions;
mod writer;

pub use append::Appended;
pub use apply::ItemChange;
pub use aside::{Finding, SetAside};
pub use blobs::sha256_hex;
pub use changes::{FileFact, RewindFact, RewindTail};
pub use clock::Clock;
pub use commits::CommitEntry;
pub use drafts::COMPOSER;
pub use error::{Error, OpenError};
pub use limits::Limits;
pub use open::{Access, DATABASE_FILE, OpenOptions, OpenReport};
pub use partial::{Partial, PartialContent};
pub use pending::Pending;
pub use read::{Listed, LoadedItem, MAX_PAGE, PageOfItems, Reader, StoredSession};
pub use reads::{StoredRead, StoredView};
pub use recover::{LOST_TEXT, NOT_RUN_TEXT, Recovered};
pub use rows::UNREADABLE_ROW;
pub use salvage::{SALVAGED_WITH_GAPS, Salvaged};
pub use search::{MARK_END, MARK_START, Query};
pub use sessions::{NewSession, UNDO_DELETE_MS};
pub use shell_runs::{EndStrays, ShellEnd, ShellRun};
pub use shells::StoredShell;
pub use shorten::{MAX_DISPLAY_BYTES, MAX_MESSAGE_BYTES};
pub use store::Store;
pub use versions::StoredVersion;
