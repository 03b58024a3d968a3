//! Everything that is read. All reads of one call see the database as it was at its beginning.

use crate::blobs::Blobs;
use crate::changes::{self, FileFact, RewindFact, RewindTail};
use crate::commits::{self, CommitEntry};
use crate::drafts;
use crate::error::Error;
use crate::events;
use crate::head::{self, Head};
use crate::partial::{self, Partial};
use crate::payload::Texts;
use crate::reads::{self, StoredRead};
use crate::rows;
use crate::search::{self, Query};
use crate::shells::{self, StoredShell};
use crate::shorten::result_text;
use crate::versions::{self, StoredVersion};
use protocol::command::SearchHit;
use protocol::event::Draft;
use protocol::ids::SessionId;
use protocol::item::{Item, ItemBody};
use protocol::log::{LogEvent, LogRow};
use protocol::message::{Block, Usage};
use protocol::session::{Meters, Queued, SessionSummary};
use protocol::todo::Todo;
use protocol::tool_call::Display;
use rusqlite::{Connection, OptionalExtension, params};

/// Rows of a transcript in one answer.
pub const MAX_PAGE: u32 = 200;
/// Rows of a transcript in a snapshot, and on each side of a place jumped to.
const SNAPSHOT_ROWS: u32 = 100;
const AROUND_ROWS: u32 = 50;

/// Which sessions are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// Those that were not put away.
    Current,
    /// Those that were put away too.
    All,
}

/// Rows, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct PageOfItems {
    /// The rows.
    pub items: Vec<Item>,
    /// There are older ones.
    pub has_older: bool,
}

/// A session as the store knows it. The driver adds what is live.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    /// Its row in the list.
    pub summary: SessionSummary,
    /// Number of its newest fact.
    pub last_seq: u64,
    /// Its newest turn; 0 before the first.
    pub last_turn: u32,
    /// The newest rows, or those around a place.
    pub page: PageOfItems,
    /// The answer that is arriving.
    pub partials: Vec<Partial>,
    /// The task list.
    pub todos: Vec<Todo>,
    /// When it changed: milliseconds since 1970, UTC.
    pub todos_updated_at: Option<i64>,
    /// Messages that wait.
    pub queue: Vec<Queued>,
    /// Shells it has started.
    pub shells: Vec<StoredShell>,
    /// Tokens and cost; the limits of the context are the driver's.
    pub meters: Meters,
    /// Texts that are being written.
    pub drafts: Vec<Draft>,
}

/// A message or result, whole.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedItem {
    /// Its text.
    pub text: String,
    /// What the window shows of a result.
    pub display: Option<Display>,
}

/// A view of the database that does not change while it is used.
pub struct Reader<'a> {
    pub(crate) conn: &'a Connection,
    pub(crate) blobs: &'a Blobs,
}

impl Reader<'_> {
    /// Sessions, newest first; only those of `workspace` (the whole canonical path) if given.
    pub fn list_sessions(
        &self,
        workspace: Option<&str>,
        listed: Listed,
    ) -> Result<Vec<SessionSummary>, Error> {
        let archived = match listed {
            Listed::Current => "AND archived_at IS NULL",
            Listed::All => "",
        };
        let heads = match workspace {
            Some(workspace) => head::load_all(
                self.conn,
                &format!("{archived} AND workspace=?1"),
                [workspace],
            )?,
            None => head::load_all(self.conn, archived, [])?,
        };
        heads.iter().map(|head| head.summary(self.conn)).collect()
    }

    /// The row of one session in the list.
    pub fn summary(&self, id: &SessionId) -> Result<SessionSummary, Error> {
        Head::load(self.conn, id)?.summary(self.conn)
    }

    /// A session with its newest rows, or with the rows around number `around`.
    pub fn session(&self, id: &SessionId, around: Option<u64>) -> Result<StoredSession, Error> {
        let head = Head::load(self.conn, id)?;
        let (todos, todos_updated_at) = events::newest_todos(self.conn, self.blobs, id)?.unzip();
        Ok(StoredSession {
            summary: head.summary(self.conn)?,
            last_seq: head.last_seq,
            last_turn: head.last_turn,
            page: match around {
                Some(seq) => self.around(id, seq)?,
                None => self.page(id, u64::MAX, SNAPSHOT_ROWS)?,
            },
            partials: partial::load(self.conn, id)?,
            todos: todos.unwrap_or_default(),
            todos_updated_at,
            queue: events::newest_queue(self.conn, self.blobs, id)?,
            shells: shells::load(self.conn, id)?,
            meters: self.meters(&head)?,
            drafts: drafts::load(self.conn, id)?,
        })
    }

    fn meters(&self, head: &Head) -> Result<Meters, Error> {
        let newest: Option<Usage> = self
            .conn
            .prepare_cached(
                "SELECT body->>'usage' FROM item WHERE session_id=?1 AND hidden_by IS NULL AND kind='assistant'
                 ORDER BY seq DESC LIMIT 1",
            )?
            .query_row([head.session_id.as_str()], |row| row.get::<_, Option<String>>(0))
            .optional()?
            .flatten()
            .and_then(|text| serde_json::from_str(&text).ok());
        Ok(Meters {
            tok_in: head.tokens.input,
            tok_out: head.tokens.output,
            tok_cache_read: head.tokens.cache_read.unwrap_or(0),
            tok_cache_write: head.tokens.cache_write.unwrap_or(0),
            cost_micros: head.cost_micros,
            context_used: newest.map_or(0, |usage| usage.input + usage.output),
            context_window: None,
            context_auto: None,
        })
    }

    /// At most `limit` rows before number `before`.
    pub fn page(&self, id: &SessionId, before: u64, limit: u32) -> Result<PageOfItems, Error> {
        let limit = limit.clamp(1, MAX_PAGE);
        let before = i64::try_from(before).unwrap_or(i64::MAX);
        let mut items = self
            .conn
            .prepare_cached(&format!(
                "SELECT {} FROM item WHERE session_id=?1 AND hidden_by IS NULL AND seq<?2 ORDER BY seq DESC LIMIT ?3",
                rows::COLUMNS
            ))?
            .query_map(params![id.as_str(), before, limit + 1], rows::item)?
            .collect::<Result<Vec<_>, _>>()?;
        let has_older = items.len() > limit as usize;
        items.truncate(limit as usize);
        items.reverse();
        Ok(PageOfItems { items, has_older })
    }

    /// Rows on both sides of number `seq`.
    pub fn around(&self, id: &SessionId, seq: u64) -> Result<PageOfItems, Error> {
        let mut page = self.page(id, seq, AROUND_ROWS)?;
        let newer = self
            .conn
            .prepare_cached(&format!(
                "SELECT {} FROM item WHERE session_id=?1 AND hidden_by IS NULL AND seq>=?2 ORDER BY seq LIMIT ?3",
                rows::COLUMNS
            ))?
            .query_map(
                params![id.as_str(), i64::try_from(seq).unwrap_or(i64::MAX), AROUND_ROWS],
                rows::item,
            )?
            .collect::<Result<Vec<_>, _>>()?;
        page.items.extend(newer);
        Ok(page)
    }

    /// The whole text of the row `seq`, and for a call the whole display of its result.
    pub fn load_result(&self, id: &SessionId, seq: u64) -> Result<LoadedItem, Error> {
        let item = rows::by_seq(self.conn, id, seq)?;
        let source = match &item.body {
            ItemBody::Tool { .. } => rows::result_seq(self.conn, id, seq)?.unwrap_or(seq),
            ItemBody::User { .. }
            | ItemBody::Assistant { .. }
            | ItemBody::Summary { .. }
            | ItemBody::Notice { .. } => seq,
        };
        let event =
            events::one(self.conn, self.blobs, id, source)?.ok_or(Error::ItemNotFound(seq))?;
        Ok(whole(event))
    }

    /// All facts of a session, in order. Long texts that no model reads (of displays and previews) come back empty.
    pub fn events(&self, id: &SessionId) -> Result<Vec<LogRow>, Error> {
        self.events_from(id, 1)
    }

    /// The same, from number `from` on.
    pub fn events_from(&self, id: &SessionId, from: u64) -> Result<Vec<LogRow>, Error> {
        events::load(self.conn, self.blobs, id, from, Texts::ForModel)
    }

    /// Finds words, in rows that are in the index.
    pub(crate) fn search(&self, query: &Query) -> Result<Vec<SearchHit>, Error> {
        search::search(self.conn, query)
    }

    /// Commits that had begun and not ended when the program did.
    pub fn open_commits(&self) -> Result<Vec<(i64, CommitEntry)>, Error> {
        commits::open(self.conn)
    }

    /// The bytes of a blob.
    pub fn blob(&self, sha256: &str) -> Result<Vec<u8>, Error> {
        self.blobs.get(self.conn, sha256)
    }

    /// Whether the bytes of a blob are kept.
    pub fn holds_blob(&self, sha256: &str) -> Result<bool, Error> {
        versions::is_kept(self.conn, sha256)
    }

    /// The facts of a session that changed files, oldest first, also those that were taken back.
    pub fn file_facts(&self, id: &SessionId) -> Result<Vec<FileFact>, Error> {
        changes::file_facts(self.conn, self.blobs, id)
    }

    /// What going back to before the message `seq` would take out of the conversation.
    ///
    /// # Errors
    /// [`Error::ItemNotFound`] unless it is a message of the person that was not taken back.
    pub fn rewind_tail(&self, id: &SessionId, seq: u64) -> Result<RewindTail, Error> {
        changes::rewind_tail(self.conn, self.blobs, id, seq)
    }

    /// What says whether a rewind can be undone, newest first.
    pub fn rewind_facts(&self, id: &SessionId) -> Result<Vec<RewindFact>, Error> {
        changes::rewind_facts(self.conn, id)
    }

    /// The versions of files that a session made, oldest first; only of `path` if given.
    pub fn versions(
        &self,
        id: &SessionId,
        path: Option<&str>,
    ) -> Result<Vec<StoredVersion>, Error> {
        versions::load(self.conn, id, path)
    }

    /// Number of the newest fact of a session.
    pub fn last_seq(&self, id: &SessionId) -> Result<u64, Error> {
        Ok(Head::load(self.conn, id)?.last_seq)
    }

    /// What the model of a session was shown of which file, by path.
    pub fn reads(&self, id: &SessionId) -> Result<Vec<StoredRead>, Error> {
        reads::load(self.conn, id)
    }

    /// The newest version of a file in a session.
    pub fn newest_version(
        &self,
        id: &SessionId,
        path: &str,
    ) -> Result<Option<StoredVersion>, Error> {
        versions::newest(self.conn, id, path)
    }
}

fn whole(event: LogEvent) -> LoadedItem {
    let (text, display) = match event {
        LogEvent::UserMessage { text, .. } => (text, None),
        LogEvent::AssistantMessage { blocks, .. } => (said(&blocks), None),
        LogEvent::ToolResult {
            content, display, ..
        } => (result_text(&content), Some(display)),
        LogEvent::ToolCall { call } => (
            serde_json::to_string_pretty(&call.args).unwrap_or_default(),
            None,
        ),
        LogEvent::Compaction { summary, .. } => (summary, None),
        LogEvent::Warning { text, .. } => (text, None),
        LogEvent::TurnEnded { message, .. } => (message.unwrap_or_default(), None),
        _ => (String::new(), None),
    };
    LoadedItem { text, display }
}

fn said(blocks: &[Block]) -> String {
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::Text { text, .. } => Some(text.as_str()),
            Block::Thinking { .. }
            | Block::Call { .. }
            | Block::ServerToolCall { .. }
            | Block::ServerToolResult { .. }
            | Block::Opaque { .. } => None,
        })
        .collect();
    texts.join("\n")
}
