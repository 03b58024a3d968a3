//! The answer that is still arriving, kept so that a crash costs at most half a second of it.
//!
//! The caller writes a block every 500 ms or 4 KiB; the finished message removes them in its own transaction.

use crate::error::Error;
use protocol::ids::SessionId;
use protocol::message::Block;
use protocol::tool_call::ToolCall;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

/// One block of an answer as far as it has arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct Partial {
    /// The request it answers.
    pub request: u64,
    /// Its place in the answer.
    pub block: u32,
    /// Its content so far.
    pub content: PartialContent,
}

/// What a block holds so far.
#[derive(Debug, Clone, PartialEq)]
pub enum PartialContent {
    /// Text, thinking and the provider's own blocks.
    Block(Block),
    /// A call whose arguments have all arrived.
    Call(ToolCall),
    /// A call whose arguments are still arriving. It is never run, and not kept after a crash.
    OpenCall {
        /// The tool.
        name: String,
        /// The arguments so far.
        args_text: String,
    },
}

const KIND_BLOCK: &str = "block";
const KIND_CALL: &str = "call";
const KIND_OPEN_CALL: &str = "open_call";

/// Writes a block over what was there of it.
pub(crate) fn upsert(
    conn: &Connection,
    now: i64,
    id: &SessionId,
    partial: &Partial,
) -> Result<(), Error> {
    let (kind, meta, text) = columns(&partial.content)?;
    conn.prepare_cached(
        "INSERT INTO live_partial(session_id, request, block, kind, meta, text, updated_at) VALUES(?1,?2,?3,?4,?5,?6,?7)
         ON CONFLICT(session_id, request, block) DO UPDATE SET kind=excluded.kind, meta=excluded.meta,
           text=excluded.text, updated_at=excluded.updated_at",
    )?
    .execute(params![
        id.as_str(),
        partial.request as i64,
        partial.block,
        kind,
        meta,
        text,
        now
    ])?;
    Ok(())
}

fn columns(content: &PartialContent) -> Result<(&'static str, String, String), Error> {
    Ok(match content {
        PartialContent::Block(block) => {
            let mut meta = serde_json::to_value(block)?;
            let text = match meta.get_mut("text").map(Value::take) {
                Some(Value::String(text)) => text,
                _ => String::new(),
            };
            (KIND_BLOCK, meta.to_string(), text)
        }
        PartialContent::Call(call) => (KIND_CALL, serde_json::to_string(call)?, String::new()),
        PartialContent::OpenCall { name, args_text } => (
            KIND_OPEN_CALL,
            json!({ "name": name }).to_string(),
            args_text.clone(),
        ),
    })
}

fn from_columns(kind: &str, meta: &str, text: String) -> Option<PartialContent> {
    match kind {
        KIND_BLOCK => {
            let mut value: Value = serde_json::from_str(meta).ok()?;
            if let Some(place) = value.get_mut("text") {
                *place = Value::String(text);
            }
            serde_json::from_value(value)
                .ok()
                .map(PartialContent::Block)
        }
        KIND_CALL => serde_json::from_str(meta).ok().map(PartialContent::Call),
        KIND_OPEN_CALL => {
            let meta: Value = serde_json::from_str(meta).ok()?;
            let name = meta.get("name")?.as_str()?.to_owned();
            Some(PartialContent::OpenCall {
                name,
                args_text: text,
            })
        }
        _ => None,
    }
}

/// The blocks of the newest request, in order.
pub(crate) fn load(conn: &Connection, id: &SessionId) -> Result<Vec<Partial>, Error> {
    let rows = conn
        .prepare_cached(
            "SELECT request, block, kind, meta, text FROM live_partial WHERE session_id=?1
               AND request=(SELECT max(request) FROM live_partial WHERE session_id=?1) ORDER BY block",
        )?
        .query_map([id.as_str()], |row| {
            let content = from_columns(&row.get::<_, String>(2)?, &row.get::<_, String>(3)?, row.get(4)?);
            Ok((crate::head::number(row, 0)?, row.get(1)?, content))
        })?
        .collect::<Result<Vec<_>, _>>()?;
    Ok(rows
        .into_iter()
        .filter_map(|(request, block, content)| {
            content.map(|content| Partial {
                request,
                block,
                content,
            })
        })
        .collect())
}

/// Forgets all of it.
pub(crate) fn clear(conn: &Connection, id: &SessionId) -> Result<(), Error> {
    conn.prepare_cached("DELETE FROM live_partial WHERE session_id=?1")?
        .execute([id.as_str()])?;
    Ok(())
}

/// Forgets the answers to all requests up to this one.
pub(crate) fn clear_up_to(conn: &Connection, id: &SessionId, request: u64) -> Result<(), Error> {
    conn.prepare_cached("DELETE FROM live_partial WHERE session_id=?1 AND request<=?2")?
        .execute(params![id.as_str(), request as i64])?;
    Ok(())
}
