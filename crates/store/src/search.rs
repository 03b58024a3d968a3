//! Finds words in titles and transcripts.
//!
//! Words are values: whatever a person types is quoted, so no query is ever a syntax error. Words too short for the
//! trigram index are looked for in the newest rows only, and not for long. Newest first, never by rank: that would
//! read every hit of a common word.

use crate::error::Error;
use protocol::command::SearchHit;
use protocol::ids::SessionId;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};
use std::time::{Duration, Instant};

/// Hits in one answer.
const MAX_HITS: u32 = 200;
/// Words of a query that count; more than a person means.
const MAX_WORDS: usize = 32;
/// Characters of a word that count; what begins like this long is what was meant.
const MAX_WORD_CHARS: usize = 200;
/// Characters that the trigram index needs.
const MIN_INDEXED_CHARS: usize = 3;
/// Rows that are looked through for short words, and how long.
const SCANNED_ROWS: i64 = 50_000;
const SCAN_TIME: Duration = Duration::from_millis(300);
/// Rows looked through before the time is checked.
const SCAN_STEP: i64 = 4_000;
/// Around a hit in a scanned row.
const SNIPPET_BEFORE_CHARS: usize = 24;
const SNIPPET_AFTER_CHARS: usize = 60;

/// Stand around each word found in a snippet.
pub const MARK_START: char = '\u{2}';
/// Stands behind each word found in a snippet.
pub const MARK_END: char = '\u{3}';

/// What to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Words; a row has to contain all of them.
    pub text: String,
    /// Only in this folder: its whole canonical path.
    pub workspace: Option<String>,
    /// Only in this session.
    pub session_id: Option<SessionId>,
    /// At most so many hits, up to 200.
    pub limit: u32,
}

struct Words {
    indexed: Vec<String>,
    short: Vec<String>,
}

impl Words {
    fn of(text: &str) -> Self {
        let (indexed, short) = text
            .split_whitespace()
            .map(|word| {
                word.chars()
                    .filter(|c| !c.is_control())
                    .take(MAX_WORD_CHARS)
                    .collect::<String>()
            })
            .filter(|word| !word.is_empty())
            .take(MAX_WORDS)
            .partition(|word| word.chars().count() >= MIN_INDEXED_CHARS);
        Self { indexed, short }
    }

    fn all(&self) -> impl Iterator<Item = &String> {
        self.indexed.iter().chain(&self.short)
    }

    /// The index's own query language: every word a string, all of them needed.
    fn match_expression(&self) -> String {
        self.indexed
            .iter()
            .map(|word| format!("\"{}\"", word.replace('"', "\"\"")))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Conditions and their arguments, in step.
#[derive(Default)]
struct Filter {
    sql: String,
    arguments: Vec<Value>,
}

impl Filter {
    fn and(&mut self, condition: &str, argument: impl Into<Value>) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
        self.arguments.push(argument.into());
    }

    /// `column` contains `word`. The engine folds the case of ASCII only, so other words are tried in three forms.
    fn contains(&mut self, column: &str, word: &str) {
        let mut forms = vec![word.to_owned()];
        if !word.is_ascii() {
            forms.extend([word.to_lowercase(), word.to_uppercase()]);
            forms.dedup();
        }
        let conditions: Vec<String> = forms
            .iter()
            .map(|_| format!("{column} LIKE ? ESCAPE '\\'"))
            .collect();
        self.sql
            .push_str(&format!(" AND ({})", conditions.join(" OR ")));
        self.arguments.extend(
            forms
                .iter()
                .map(|form| Value::from(format!("%{}%", escape_like(form)))),
        );
    }

    fn scope(&mut self, query: &Query, session_column: &str) {
        if let Some(workspace) = &query.workspace {
            self.and("s.workspace=?", workspace.clone());
        }
        if let Some(id) = &query.session_id {
            self.and(&format!("{session_column}=?"), id.0.clone());
        }
    }
}

fn escape_like(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_")
}

pub(crate) fn search(conn: &Connection, query: &Query) -> Result<Vec<SearchHit>, Error> {
    let words = Words::of(&query.text);
    let limit = query.limit.clamp(1, MAX_HITS) as usize;
    if words.all().next().is_none() {
        return Ok(Vec::new());
    }
    let mut hits = titles(conn, query, &words, limit)?;
    let room = limit - hits.len();
    if room > 0 {
        hits.extend(if words.indexed.is_empty() {
            scan(conn, query, &words, room)?
        } else {
            indexed(conn, query, &words, room)?
        });
    }
    Ok(hits)
}

fn titles(
    conn: &Connection,
    query: &Query,
    words: &Words,
    limit: usize,
) -> Result<Vec<SearchHit>, Error> {
    let mut filter = Filter::default();
    words
        .all()
        .for_each(|word| filter.contains("s.title", word));
    filter.scope(query, "s.id");
    filter.arguments.push(Value::from(limit as i64));
    let sql = format!(
        "SELECT s.id, s.title, s.workspace, NULL, s.title, s.updated_at FROM session s
         WHERE s.deleted_at IS NULL AND s.kind='main'{} ORDER BY s.updated_at DESC LIMIT ?",
        filter.sql
    );
    let mut hits = run(conn, &sql, filter.arguments)?;
    for hit in &mut hits {
        hit.snippet = mark(&hit.title, words);
    }
    Ok(hits)
}

fn indexed(
    conn: &Connection,
    query: &Query,
    words: &Words,
    limit: usize,
) -> Result<Vec<SearchHit>, Error> {
    let mut filter = Filter::default();
    filter.arguments.push(Value::from(words.match_expression()));
    words
        .short
        .iter()
        .for_each(|word| filter.contains("i.text", word));
    filter.scope(query, "i.session_id");
    filter.arguments.push(Value::from(limit as i64));
    // CROSS JOIN: the index leads, so that hits come in its order and the limit ends the search early.
    let sql = format!(
        "SELECT i.session_id, s.title, s.workspace, i.seq, snippet(item_fts, 0, char(2), char(3), '…', 64), i.ts
         FROM item_fts CROSS JOIN item i ON i.rowid=item_fts.rowid CROSS JOIN session s ON s.id=i.session_id
         WHERE item_fts MATCH ? AND i.hidden_by IS NULL AND s.deleted_at IS NULL{}
         ORDER BY item_fts.rowid DESC LIMIT ?",
        filter.sql
    );
    run(conn, &sql, filter.arguments)
}

fn scan(
    conn: &Connection,
    query: &Query,
    words: &Words,
    limit: usize,
) -> Result<Vec<SearchHit>, Error> {
    let started = Instant::now();
    let newest: i64 = conn.query_row("SELECT coalesce(max(rowid), 0) FROM item", [], |row| {
        row.get(0)
    })?;
    let oldest = (newest - SCANNED_ROWS).max(0);
    let mut hits = Vec::new();
    let mut upper = newest;
    while upper > oldest && hits.len() < limit && started.elapsed() < SCAN_TIME {
        let lower = (upper - SCAN_STEP).max(oldest);
        let mut filter = Filter::default();
        filter.and("i.rowid<=?", upper);
        filter.and("i.rowid>?", lower);
        words
            .short
            .iter()
            .for_each(|word| filter.contains("i.text", word));
        filter.scope(query, "i.session_id");
        filter
            .arguments
            .push(Value::from((limit - hits.len()) as i64));
        let sql = format!(
            "SELECT i.session_id, s.title, s.workspace, i.seq, i.text, i.ts
             FROM item i CROSS JOIN session s ON s.id=i.session_id
             WHERE i.hidden_by IS NULL AND s.deleted_at IS NULL{} ORDER BY i.rowid DESC LIMIT ?",
            filter.sql
        );
        for mut hit in run(conn, &sql, filter.arguments)? {
            hit.snippet = mark(&hit.snippet, words);
            hits.push(hit);
        }
        upper = lower;
    }
    Ok(hits)
}

fn run(conn: &Connection, sql: &str, arguments: Vec<Value>) -> Result<Vec<SearchHit>, Error> {
    let hits = conn
        .prepare_cached(sql)?
        .query_map(params_from_iter(arguments), hit)?
        .collect::<Result<_, _>>()?;
    Ok(hits)
}

fn hit(row: &Row<'_>) -> rusqlite::Result<SearchHit> {
    Ok(SearchHit {
        session_id: SessionId(row.get(0)?),
        title: row.get(1)?,
        workspace: row.get(2)?,
        seq: row
            .get::<_, Option<i64>>(3)?
            .and_then(|seq| u64::try_from(seq).ok()),
        snippet: row.get(4)?,
        ts: row.get(5)?,
    })
}

/// The text around the first word found, with marks around each word found.
fn mark(text: &str, words: &Words) -> String {
    let chars: Vec<char> = text.chars().collect();
    let folded: Vec<char> = chars.iter().map(|c| fold(*c)).collect();
    let wanted: Vec<Vec<char>> = words
        .all()
        .map(|word| word.chars().map(fold).collect())
        .collect();
    let at = |place: usize| {
        wanted
            .iter()
            .filter(|word| {
                folded
                    .get(place..)
                    .is_some_and(|rest| rest.starts_with(word))
            })
            .map(Vec::len)
            .max()
    };
    let first = (0..chars.len())
        .find(|place| at(*place).is_some())
        .unwrap_or(0);
    let from = first.saturating_sub(SNIPPET_BEFORE_CHARS);
    let to = (first + SNIPPET_AFTER_CHARS).min(chars.len());
    let mut out = String::from(if from > 0 { "…" } else { "" });
    let mut place = from;
    while place < to {
        let length = at(place);
        let end = place + length.unwrap_or(1);
        out.extend(length.map(|_| MARK_START));
        out.extend(chars.get(place..end).unwrap_or_default());
        out.extend(length.map(|_| MARK_END));
        place = end;
    }
    if place < chars.len() {
        out.push('…');
    }
    out
}

/// Upper and lower case are the same; characters that change their length stay as they are.
fn fold(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, query: &str, expected: &str) {
        assert_eq!(
            mark(text, &Words::of(query))
                .replace(MARK_START, "<")
                .replace(MARK_END, ">"),
            expected
        );
    }

    #[test]
    fn every_word_is_marked() {
        check("Fix the Parser", "parser fix", "<Fix> the <Parser>");
        check("ÄÖÜ", "öü", "Ä<ÖÜ>");
        check("搜索框", "搜索", "<搜索>框");
        check("nothing", "xyz", "nothing");
    }

    #[test]
    fn long_texts_are_cut_around_the_first_hit() {
        let text = format!("{}needle{}", "a".repeat(100), "b".repeat(100));
        let expected = format!("…{}<needle>{}…", "a".repeat(24), "b".repeat(54));
        check(&text, "needle", &expected);
    }

    #[test]
    fn words_are_values() {
        let words = Words::of("a\"b\u{0}c NEAR( xy");
        assert_eq!(words.match_expression(), "\"a\"\"bc\" \"NEAR(\"");
        assert_eq!(words.short, ["xy"]);
        assert_eq!(Words::of(&"x ".repeat(1000)).all().count(), MAX_WORDS);
        assert_eq!(
            Words::of(&"y".repeat(10_000)).indexed[0].len(),
            MAX_WORD_CHARS
        );
    }
}
