//! Everything the window ever hears about a session, in one ordered stream.
//!
//! Facts carry the `seq` of the store and are published only after they are durable. Live text and progress carry
//! none and are replaced by the fact that follows. A reader takes a snapshot, then every event with a larger `rev`.

use crate::confirmation::{Ask, Resolution};
use crate::ids::{CallId, ProposalId, SessionId};
use crate::item::Item;
use crate::session::{Meters, Mode, Outcome, Phase, Queued, SessionSummary};
use crate::shell::ShellInfo;
use crate::todo::Todo;
use serde::{Deserialize, Serialize};

/// One event with its place in the stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Envelope {
    /// Version of this form.
    pub v: u32,
    /// Whose.
    pub session_id: SessionId,
    /// Counts every event of the session in this run of the program, without gaps.
    pub rev: u64,
    /// Sequence number in the store, for facts.
    pub seq: Option<u64>,
    /// Milliseconds since 1970, UTC.
    pub ts: i64,
    /// The event.
    pub event: SessionEvent,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SessionEvent {
    /// A new row at the end.
    ItemAdded {
        /// The row.
        item: Box<Item>,
    },
    /// A row changed.
    ItemChanged {
        /// The row as it now is.
        item: Box<Item>,
    },
    /// Rows left the transcript.
    ItemsHidden {
        /// From this sequence number on.
        from: u64,
    },
    /// The session does something else now.
    Phase {
        /// What.
        phase: Phase,
        /// The request at work.
        request: u64,
        /// Step of the turn.
        step: u32,
        /// Try within the step.
        attempt: u32,
        /// Milliseconds since 1970, UTC, of the last byte from the server while a request is open.
        last_byte_at: Option<i64>,
    },
    /// A block of an answer began.
    BlockStarted {
        /// Which request.
        request: u64,
        /// Which block.
        block: u32,
        /// What it holds.
        kind: LiveKind,
    },
    /// A block grew.
    BlockDelta {
        /// Which request.
        request: u64,
        /// Which block.
        block: u32,
        /// The new text.
        delta: String,
    },
    /// A half answer was thrown away.
    AttemptDiscarded {
        /// Which request.
        request: u64,
        /// Error kind.
        error_kind: String,
    },
    /// Waiting before another try.
    RetryWait {
        /// Milliseconds since 1970, UTC.
        until: i64,
        /// Error kind.
        error_kind: String,
        /// What the server said.
        message: String,
        /// Try that failed, from 1.
        attempt: u32,
        /// Tries there are.
        of: u32,
    },
    /// A question opened.
    AskOpened {
        /// The question, whole.
        ask: Box<Ask>,
    },
    /// A question changed: stale, for example.
    AskChanged {
        /// The question as it now is.
        ask: Box<Ask>,
    },
    /// A question closed.
    AskClosed {
        /// Which call.
        call_id: CallId,
        /// How.
        resolution: Resolution,
    },
    /// A proposal was saved in the person's own editor.
    SavedOutside {
        /// Which proposal.
        proposal_id: ProposalId,
        /// What was read.
        saved: SavedOutside,
    },
    /// Tokens, cost, context.
    Meters {
        /// As they now stand.
        meters: Meters,
    },
    /// The task list.
    Todos {
        /// As it now stands.
        todos: Vec<Todo>,
        /// Milliseconds since 1970, UTC.
        updated_at: i64,
    },
    /// The mode.
    Mode {
        /// As it now is.
        mode: Mode,
    },
    /// Waiting messages.
    Queue {
        /// As they now stand.
        queue: Vec<Queued>,
    },
    /// Text that came back to the composer.
    Draft {
        /// The text.
        text: String,
    },
    /// A shell changed.
    Shell {
        /// As it now is.
        shell: Box<ShellInfo>,
    },
    /// The session's row in the list changed.
    Summary {
        /// As it now is.
        summary: Box<SessionSummary>,
    },
    /// A turn ended.
    TurnEnded {
        /// How.
        #[cfg_attr(feature = "ts", ts(type = "string"))]
        outcome: Outcome,
        /// A sentence for the person.
        message: Option<String>,
    },
    /// The store can or cannot be written.
    Store {
        /// As it now is.
        state: StoreState,
    },
    /// Forget everything and take a new snapshot.
    Reset,
}

/// What the person's own editor saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SavedOutside {
    /// A text.
    Text {
        /// The whole text, lines ended by LF.
        text: String,
    },
    /// Something that is not UTF-8.
    NotText,
    /// More than a card can take.
    TooLarge,
}

/// What a live block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LiveKind {
    /// Answer text.
    Text,
    /// Reasoning.
    Thinking,
    /// Arguments of a call.
    ToolCall,
    /// Anything else.
    Other,
}

/// Whether the store can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StoreState {
    /// Yes.
    Ok,
    /// Another program holds it; we wait.
    Busy,
    /// It can only be read.
    ReadOnly,
    /// The disk is full.
    Full,
    /// It is damaged.
    Damaged,
}

/// A block of an answer that is still arriving.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct LiveBlock {
    /// Which block.
    pub block: u32,
    /// What it holds.
    pub kind: LiveKind,
    /// The tool's name, for a call.
    pub name: Option<String>,
    /// The text so far.
    pub text: String,
}

/// A session as it stands between two events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Snapshot {
    /// Random per start of the program; a different one means: forget everything.
    pub run: String,
    /// Events with a larger `rev` follow.
    pub rev: u64,
    /// The session's row in the list.
    pub summary: SessionSummary,
    /// What it is doing.
    pub phase: Phase,
    /// The events that said so, where they still hold: the phase, and the wait before another try.
    #[serde(default)]
    pub activity: Vec<Happened>,
    /// The newest rows, oldest first; at most 100.
    pub items: Vec<Item>,
    /// There are older rows.
    pub has_older: bool,
    /// The request whose answer is arriving.
    pub live_request: Option<u64>,
    /// Its blocks so far.
    pub live: Vec<LiveBlock>,
    /// Open questions, in model order.
    pub asks: Vec<Ask>,
    /// The task list.
    pub todos: Vec<Todo>,
    /// When the task list changed, milliseconds since 1970, UTC.
    pub todos_updated_at: Option<i64>,
    /// Waiting messages.
    pub queue: Vec<Queued>,
    /// The session's shells.
    pub shells: Vec<ShellInfo>,
    /// Tokens, cost, context.
    pub meters: Meters,
    /// Drafts by key: `composer`, `ask:<proposal id>` …
    pub drafts: Vec<Draft>,
    /// Whether the store can be written.
    pub store: StoreState,
    /// The session can only be read; why.
    pub read_only: Option<String>,
}

/// An event and when it happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Happened {
    /// Milliseconds since 1970, UTC.
    pub ts: i64,
    /// What.
    pub event: SessionEvent,
}

/// Text that was being written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Draft {
    /// What it belongs to.
    pub key: String,
    /// The text.
    pub value: String,
}
