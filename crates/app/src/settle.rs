//! Settles commits of files that the end of the program cut short.
//!
//! What had been done becomes part of the history of its session, what had not leaves nothing behind, and what is
//! neither is named. Doing it again changes nothing. Blocks. Deliberately absent: the commit itself.

use crate::file_backup::FileBackup;
use crate::history::OwnChange;
use crate::put_back::read_now;
use files::{Backup, ContentHash, JournalId, JournalRow, Recovered};
use protocol::diff::DiffStat;
use protocol::ids::{CallId, SessionId};
use protocol::log::{FileChange, FileVersion, LogEvent, LogRow};
use protocol::tool_call::{CallArgs, CallStatus, ToolCall};
use std::collections::BTreeMap;
use store::Store;

/// Code of the notice that a file may be half written.
const WRITE_INTERRUPTED: &str = "write_interrupted";
/// Tools whose calls make commits.
const WRITERS: &[&str] = &[
    "edit",
    "write_file",
    "notebook_edit",
    "apply_patch",
    "run_shell_command",
];

/// Settles commits that the end of the program cut short. Blocks, also where a runtime is driven: what it waits for is
/// done on other threads, so it waits on one that may.
pub(crate) fn settle_commits(store: &Store) {
    std::thread::scope(|scope| {
        if let Err(panic) = scope.spawn(|| settle(store)).join() {
            std::panic::resume_unwind(panic);
        }
    });
}

fn settle(store: &Store) {
    let open = match store.read_blocking(|reader| reader.open_commits()) {
        Ok(open) => open,
        Err(error) => {
            tracing::warn!(%error, "the journal of file commits was not read");
            return;
        }
    };
    let mut landed: BTreeMap<SessionId, Vec<FileVersion>> = BTreeMap::new();
    for (id, entry) in open {
        let row = JournalRow {
            target: entry.target,
            temp_name: entry.temp_name,
            base: entry.base.as_deref().and_then(ContentHash::from_hex),
            new: entry.new.as_deref().and_then(ContentHash::from_hex),
            mode: entry.mode,
        };
        let session_id = entry.session_id;
        let backup = FileBackup::new(store.clone(), session_id.clone());
        match files::recover(JournalId(id), &row, &backup) {
            Ok(Recovered::Unknown) => {
                if let Err(error) = say_unknown(store, &session_id, &row) {
                    tracing::warn!(%error, target = %row.target.display(), "nobody was told that a file may be half written");
                }
            }
            Ok(Recovered::Done) => {
                tracing::info!(target = %row.target.display(), "a commit that was cut short had been done");
                keep_new(&backup, &row);
                landed.entry(session_id).or_default().push(version(&row));
            }
            Ok(Recovered::NotDone) => {
                tracing::info!(target = %row.target.display(), "a commit that was cut short had not been done");
            }
            Err(error) => {
                tracing::warn!(%error, target = %row.target.display(), "a commit that was cut short is not settled")
            }
        }
    }
    for (session_id, versions) in landed {
        if let Err(error) = add_versions(store, &session_id, versions) {
            tracing::warn!(%error, session = %session_id, "what landed at the end of the program cannot be undone");
        }
    }
}

/// What the next change starts from.
fn keep_new(backup: &FileBackup, row: &JournalRow) {
    match read_now(&row.target) {
        Ok(Some(bytes)) if Some(ContentHash::of(&bytes)) == row.new => backup.keep(&bytes),
        Ok(_) => {}
        Err(error) => {
            tracing::debug!(%error, target = %row.target.display(), "a version of a file was not kept");
        }
    }
}

/// What the commit changed, before it is known by which tool.
fn version(row: &JournalRow) -> FileVersion {
    let new = row.new.map(|hash| hash.to_hex());
    FileVersion {
        path: row.target.display().to_string(),
        change: FileChange::Edit,
        before_hash: row.base.map(|hash| hash.to_hex()),
        proposed_hash: new.clone(),
        after_hash: new,
        mode: row.mode,
        in_place: false,
        stat: DiffStat::default(),
        owners: None,
    }
}

/// Adds what landed without its result to the history of the session, so that it can be undone like anything else.
fn add_versions(
    store: &Store,
    session_id: &SessionId,
    versions: Vec<FileVersion>,
) -> Result<(), store::Error> {
    let (turn, facts) = store.read_blocking(|reader| {
        let turn = reader.session(session_id, None)?.last_turn;
        Ok((turn, reader.events(session_id)?))
    })?;
    let lost = lost_calls(&facts, turn);
    let mut by_call: BTreeMap<CallId, Vec<FileVersion>> = BTreeMap::new();
    for mut version in versions
        .into_iter()
        .filter(|version| !is_known(&facts, version))
    {
        let call_id = match maker(&lost, &version) {
            Some(call) => {
                version.change = change_of(&call.name);
                call.call_id.clone()
            }
            None => OwnChange::Recovered.new_id(),
        };
        by_call.entry(call_id).or_default().push(version);
    }
    let events: Vec<LogEvent> = by_call
        .into_iter()
        .map(|(call_id, rows)| LogEvent::FileVersions {
            call_id,
            rows,
            takes_back: Vec::new(),
            brings_back: Vec::new(),
        })
        .collect();
    match events.is_empty() {
        true => Ok(()),
        false => store.append(session_id, turn, events).wait().map(drop),
    }
}

/// Whether the newest version of the file is this one: then only its journal had not been closed.
fn is_known(facts: &[LogRow], version: &FileVersion) -> bool {
    let rows = facts.iter().rev().filter_map(|fact| match &fact.event {
        Some(LogEvent::FileVersions { rows, .. }) => Some(rows.iter().rev()),
        _ => None,
    });
    let newest = rows.flatten().find(|known| known.path == version.path);
    newest.is_some_and(|newest| {
        (&newest.before_hash, &newest.after_hash) == (&version.before_hash, &version.after_hash)
    })
}

/// The calls that ran in the last turn when the program ended.
fn lost_calls(facts: &[LogRow], turn: u32) -> Vec<&ToolCall> {
    let is_lost = |call_id: &CallId| {
        facts.iter().any(|fact| {
            matches!(&fact.event, Some(LogEvent::ToolResult { call_id: known, status: CallStatus::Lost, .. }) if known == call_id)
        })
    };
    let calls = facts.iter().filter(|fact| fact.turn == turn);
    let calls = calls.filter_map(|fact| match &fact.event {
        Some(LogEvent::ToolCall { call }) => Some(call),
        _ => None,
    });
    calls.filter(|call| is_lost(&call.call_id)).collect()
}

/// The lost call that changed a file: the one that names it, else the only one that may have.
fn maker<'a>(lost: &[&'a ToolCall], version: &FileVersion) -> Option<&'a ToolCall> {
    let names_it = |call: &&&ToolCall| match &call.args {
        CallArgs::Usable { value } => value
            .as_object()
            .into_iter()
            .flat_map(|args| args.values())
            .any(|arg| arg.as_str() == Some(version.path.as_str())),
        CallArgs::Unusable { .. } => false,
    };
    let writes = |call: &&&ToolCall| WRITERS.contains(&call.name.as_str());
    let mut writers = lost.iter().filter(writes);
    let named = writers.clone().find(names_it);
    match (named, writers.next(), writers.next()) {
        (Some(call), ..) | (None, Some(call), None) => Some(call),
        (None, ..) => None,
    }
}

fn change_of(tool: &str) -> FileChange {
    match tool {
        "write_file" => FileChange::Write,
        "notebook_edit" => FileChange::Notebook,
        "apply_patch" => FileChange::Patch,
        _ => FileChange::Edit,
    }
}

/// Says in the session that a file may be half written. Once: the next start may find it as it is now.
fn say_unknown(
    store: &Store,
    session_id: &SessionId,
    row: &JournalRow,
) -> Result<(), store::Error> {
    let target = row.target.display();
    let kept = row.base.map_or_else(String::new, |base| {
        format!(" What it held before is kept (version {base}).")
    });
    let left_over = match row.target.with_file_name(&row.temp_name).exists() {
        true => row.temp_name.clone(),
        false => String::new(),
    };
    let beside = match left_over.as_str() {
        "" => String::new(),
        name => format!(" {name} beside it is left of that write."),
    };
    let text = format!(
        "The program ended while it wrote {target}, which now holds neither what it held before nor what was to be \
         written.{kept}{beside} Look at the file before you go on."
    );
    let (turn, facts) = store.read_blocking(|reader| {
        let turn = reader.session(session_id, None)?.last_turn;
        Ok((turn, reader.events(session_id)?))
    })?;
    // A fact of an earlier version has no arguments.
    let is_said = |fact: &LogRow| matches!(&fact.event, Some(LogEvent::Warning { text: said, .. }) if *said == text);
    if facts.iter().any(is_said) {
        return Ok(());
    }
    let notice = LogEvent::Warning {
        code: WRITE_INTERRUPTED.to_owned(),
        args: vec![
            target.to_string(),
            row.base.map(|base| base.to_hex()).unwrap_or_default(),
            left_over,
        ],
        text,
    };
    store
        .append(session_id, turn, vec![notice])
        .wait()
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::item::ItemBody;
    use protocol::message::{Block, Origin, StopReason};
    use protocol::session::{Mode, TurnCause};
    use serde_json::json;
    use store::{Clock, CommitEntry, NewSession, OpenOptions};

    fn notices(store: &Store, id: &SessionId) -> Vec<String> {
        let stored = store
            .read_blocking(|reader| reader.session(id, None))
            .unwrap();
        let bodies = stored.page.items.into_iter().map(|item| item.body);
        bodies
            .filter_map(|body| match body {
                ItemBody::Notice { code, text, .. } if code == WRITE_INTERRUPTED => Some(text),
                _ => None,
            })
            .collect()
    }

    fn open(home: &tempfile::TempDir) -> Store {
        let options = OpenOptions::new(Clock::new(|| 1));
        Store::open(&home.path().join("data"), options).unwrap().0
    }

    fn session(store: &Store, home: &tempfile::TempDir) -> SessionId {
        let session = NewSession {
            workspace: home.path().display().to_string(),
            origin: origin(),
            mode: Mode::Default,
            app_version: "0.1.0".to_owned(),
            parent: None,
        };
        store.create_session(session).wait().unwrap().session_id
    }

    fn origin() -> Origin {
        Origin {
            provider: "demo".to_owned(),
            model: "demo-1".to_owned(),
        }
    }

    /// A turn in which a call to each of these tools runs on the file.
    fn running(tools: &[&str], path: &str) -> Vec<LogEvent> {
        let ids: Vec<CallId> = tools.iter().map(|tool| CallId::from(*tool)).collect();
        let calls = tools.iter().zip(&ids).map(|(tool, id)| LogEvent::ToolCall {
            call: ToolCall {
                call_id: id.clone(),
                name: (*tool).to_owned(),
                args: CallArgs::Usable {
                    value: json!({ "file_path": path }),
                },
                meta: None,
            },
        });
        let runs = ids.iter().map(|id| LogEvent::ToolStarted {
            call_id: id.clone(),
            shell_id: None,
        });
        let message = LogEvent::AssistantMessage {
            request: 1,
            step: 1,
            blocks: ids
                .iter()
                .cloned()
                .map(|call_id| Block::Call { call_id })
                .collect(),
            stop: StopReason::ToolUse,
            raw_stop: None,
            usage: None,
            cost_micros: None,
            origin: origin(),
        };
        let started = LogEvent::TurnStarted {
            cause: TurnCause::User,
        };
        let before = [started, message];
        before.into_iter().chain(calls).chain(runs).collect()
    }

    #[track_caller]
    fn check_lost(tools: &[&str], expected: Result<(&str, FileChange), &str>) {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("a.txt");
        std::fs::write(&target, "new\n").unwrap();
        let store = open(&home);
        let id = session(&store, &home);
        let turn = running(tools, target.to_str().unwrap());
        store.append(&id, 1, turn).wait().unwrap();
        let entry = CommitEntry {
            session_id: id.clone(),
            target,
            temp_name: ".~bd-0123456789abcdef.tmp".to_owned(),
            base: Some(ContentHash::of(b"old\n").to_hex()),
            new: Some(ContentHash::of(b"new\n").to_hex()),
            mode: Some(0o644),
        };
        store
            .begin_replacement(entry.clone(), b"old\n".to_vec())
            .wait()
            .unwrap();
        drop(store);
        let store = open(&home);
        settle_commits(&store);
        // As if its end had not been noted.
        store.begin_commit(entry).wait().unwrap();
        settle_commits(&store);
        let facts = store
            .read_blocking(|reader| reader.file_facts(&id))
            .unwrap();
        let [fact] = &facts[..] else {
            panic!("once: {facts:?}");
        };
        match expected {
            Ok((call, change)) => {
                assert_eq!((fact.call_id.as_str(), fact.rows[0].change), (call, change));
            }
            Err(prefix) => assert!(fact.call_id.as_str().starts_with(prefix), "{fact:?}"),
        }
        let kept = |hash: &Option<String>| {
            let hash = hash.clone().unwrap();
            store.read_blocking(|reader| reader.blob(&hash)).unwrap()
        };
        assert_eq!(kept(&fact.rows[0].before_hash), b"old\n");
        assert_eq!(kept(&fact.rows[0].after_hash), b"new\n");
    }

    #[test]
    fn what_landed_without_its_result_can_be_undone() {
        check_lost(&["edit"], Ok(("edit", FileChange::Edit)));
        check_lost(
            &["read_file", "write_file"],
            Ok(("write_file", FileChange::Write)),
        );
        check_lost(&["read_file"], Err("recovered_"));
        check_lost(&[], Err("recovered_"));
    }

    #[tokio::test]
    async fn programs_that_start_inside_a_runtime_settle_too() {
        let (home, store) = tokio::task::spawn_blocking(|| {
            let home = tempfile::tempdir().unwrap();
            let store = open(&home);
            let target = home.path().join("a.txt");
            std::fs::write(&target, "new\n").unwrap();
            let entry = CommitEntry {
                session_id: session(&store, &home),
                target,
                temp_name: ".~bd-0123456789abcdef.tmp".to_owned(),
                base: Some(ContentHash::of(b"old\n").to_hex()),
                new: Some(ContentHash::of(b"new\n").to_hex()),
                mode: Some(0o644),
            };
            store
                .begin_replacement(entry, b"old\n".to_vec())
                .wait()
                .unwrap();
            (home, store)
        })
        .await
        .unwrap();
        settle_commits(&store);
        let open = store.read_blocking(|reader| reader.open_commits());
        assert_eq!(open.unwrap(), []);
        drop(home);
    }

    #[test]
    fn a_file_that_may_be_half_written_is_named_once() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("a.txt");
        std::fs::write(&target, "ne").unwrap();
        let temp_name = ".~bd-0123456789abcdef.tmp".to_owned();
        std::fs::write(home.path().join(&temp_name), "new\n").unwrap();
        let store = open(&home);
        let id = session(&store, &home);
        let entry = CommitEntry {
            session_id: id.clone(),
            target: target.clone(),
            temp_name,
            base: Some(ContentHash::of(b"old\n").to_hex()),
            new: Some(ContentHash::of(b"new\n").to_hex()),
            mode: None,
        };
        store.begin_commit(entry).wait().unwrap();
        settle_commits(&store);
        settle_commits(&store);
        let told = notices(&store, &id);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains(target.to_str().unwrap()), "{told:?}");
        assert_eq!(std::fs::read(&target).unwrap(), b"ne", "it is left alone");
    }
}
