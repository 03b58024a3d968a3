//! What taking things back needs to know of the log: which facts changed files, what a rewind would take, and which
//! rewind can be undone.

use crate::blobs::Blobs;
use crate::error::Error;
use crate::events;
use crate::head::number;
use crate::rows;
use protocol::ids::{CallId, SessionId};
use protocol::item::ItemBody;
use protocol::log::{FileVersion, LogEvent};
use protocol::message::ImageRef;
use rusqlite::{Connection, params};

/// A fact that changed files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFact {
    /// Its number.
    pub seq: u64,
    /// Turn it belongs to.
    pub turn: u32,
    /// What it is taken back by.
    pub call_id: CallId,
    /// What changed.
    pub rows: Vec<FileVersion>,
    /// Calls whose changes it took out of the files.
    pub takes_back: Vec<CallId>,
    /// Calls whose changes it brought back.
    pub brings_back: Vec<CallId>,
}

/// What going back to before a message takes out of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewindTail {
    /// The message.
    pub text: String,
    /// Its pictures.
    pub images: Vec<ImageRef>,
    /// Messages with words, that one too.
    pub messages: u64,
    /// Turns.
    pub turns: u64,
}

/// One of the newest facts that say whether a rewind can be undone, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RewindFact {
    /// The conversation was taken back.
    Rewound {
        /// Number of the fact.
        seq: u64,
    },
    /// That was undone.
    Undone,
    /// Files changed, by this call.
    Files {
        /// What it is taken back by.
        call_id: CallId,
    },
    /// Something was said.
    Said,
}

/// Facts that are looked at for a rewind; between it and its undo lie only changes of files.
const MAX_REWIND_FACTS: u32 = 200;

/// The facts of a session that changed files, oldest first, also those that were taken back.
pub(crate) fn file_facts(
    conn: &Connection,
    blobs: &Blobs,
    id: &SessionId,
) -> Result<Vec<FileFact>, Error> {
    let mut facts = Vec::new();
    for row in events::of_kind(conn, blobs, id, "file_versions")? {
        if let Some(LogEvent::FileVersions {
            call_id,
            rows,
            takes_back,
            brings_back,
        }) = row.event
        {
            facts.push(FileFact {
                seq: row.seq,
                turn: row.turn,
                call_id,
                rows,
                takes_back,
                brings_back,
            });
        }
    }
    Ok(facts)
}

/// What going back to before the message `seq` takes. An error unless it is a visible message of the person.
pub(crate) fn rewind_tail(
    conn: &Connection,
    blobs: &Blobs,
    id: &SessionId,
    seq: u64,
) -> Result<RewindTail, Error> {
    let place = params![id.as_str(), i64::try_from(seq).unwrap_or(i64::MAX)];
    let item = rows::by_seq(conn, id, seq)?;
    let is_message = matches!(item.body, ItemBody::User { .. });
    if !rows::is_visible(conn, id, seq)? || !is_message {
        return Err(Error::ItemNotFound(seq));
    }
    let Some(LogEvent::UserMessage { text, images, .. }) = events::one(conn, blobs, id, seq)?
    else {
        return Err(Error::ItemNotFound(seq));
    };
    let (messages, turns) = conn
        .prepare_cached(
            "SELECT count(*) FILTER (WHERE kind='assistant' OR (kind='user' AND body->>'text'<>'')), count(DISTINCT turn)
             FROM item WHERE session_id=?1 AND seq>=?2 AND hidden_by IS NULL AND kind IN('user','assistant','tool')",
        )?
        .query_row(place, |row| Ok((number(row, 0)?, number(row, 1)?)))?;
    Ok(RewindTail {
        text,
        images,
        messages,
        turns,
    })
}

/// What says whether a rewind can be undone, newest first.
pub(crate) fn rewind_facts(conn: &Connection, id: &SessionId) -> Result<Vec<RewindFact>, Error> {
    let facts = conn
        .prepare_cached(
            "SELECT seq, kind, CASE kind WHEN 'file_versions' THEN payload->>'call_id' END FROM event
             WHERE session_id=?1 AND kind IN('rewound','rewind_undone','file_versions','user_message')
             ORDER BY seq DESC LIMIT ?2",
        )?
        .query_map(params![id.as_str(), MAX_REWIND_FACTS], |row| {
            Ok(match row.get_ref(1)?.as_str()? {
                "rewound" => RewindFact::Rewound {
                    seq: number(row, 0)?,
                },
                "rewind_undone" => RewindFact::Undone,
                "file_versions" => RewindFact::Files {
                    call_id: CallId(row.get::<_, Option<String>>(2)?.unwrap_or_default()),
                },
                _ => RewindFact::Said,
            })
        })?
        .collect::<Result<_, _>>()?;
    Ok(facts)
}
