//! Changes of files: taken back and brought back, told to the model, and split by who made them.

use protocol::changes::{
    ChangedFile, ChangedStatus, ConflictQuery, ConflictSideState, CutKind, DiffScope, EditState,
    FileConflict, FilesPutBack, LineCounts, LineOwner, MergeProblem, OwnerRun, PutBackWhat,
    RevertFile, RewindChoice, SessionQuery, UndoMerged, WorkspaceDiff, WorkspaceDiffQuery,
    WorkspaceDiffState, WorkspaceFileDiff, WorkspaceFileQuery,
};
use protocol::command::CallOp;
use protocol::confirmation::Decision;
use protocol::error::{ApiError, ErrorCode};
use protocol::event::SessionEvent;
use protocol::ids::CallId;
use protocol::item::{ItemBody, ToolItem};
use protocol::session::Outcome;
use serde_json::{Value, json};
use std::path::Path;
use tests::stage::op;
use tests::{Answer, Stage};

pub(crate) fn read(path: &str) -> (&'static str, Value) {
    ("read_file", json!({ "file_path": path }))
}

pub(crate) fn edit(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    (
        "edit",
        json!({"file_path": path, "old_string": old, "new_string": new}),
    )
}

pub(crate) fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({"file_path": path, "content": content}))
}

/// Lets the model make these calls, allows what it asks, and waits for the end of the turn.
pub(crate) async fn turn(stage: &mut Stage, text: &str, calls: Vec<(&'static str, Value)>) {
    let mut answers: Vec<Answer> = Vec::new();
    let n_asks = calls
        .iter()
        .filter(|(name, _)| *name != "read_file")
        .count();
    for call in calls {
        answers.push(Answer::Calls(vec![call]));
    }
    answers.push(Answer::Text("Done."));
    stage.model.play(answers);
    stage.say(text).await.unwrap();
    for _ in 0..n_asks {
        let ask = stage.question().await;
        stage.allow(&ask).await;
    }
    assert_eq!(stage.outcome().await, Outcome::Completed);
}

/// The calls of one tool, oldest first.
pub(crate) async fn calls(stage: &Stage, name: &str) -> Vec<ToolItem> {
    let items = stage.snapshot().await.items;
    items
        .into_iter()
        .filter_map(|item| match item.body {
            ItemBody::Tool { tool } if tool.name == name => Some(*tool),
            _ => None,
        })
        .collect()
}

fn call_op(stage: &Stage, call_id: &CallId) -> CallOp {
    CallOp {
        op: op(),
        session_id: stage.session_id.clone(),
        call_id: call_id.clone(),
    }
}

pub(crate) async fn undo(stage: &Stage, call_id: &CallId) -> Result<FilesPutBack, ApiError> {
    stage.workbench.undo_edit(call_op(stage, call_id)).await
}

async fn redo(stage: &Stage, call_id: &CallId) -> Result<FilesPutBack, ApiError> {
    stage.workbench.redo_edit(call_op(stage, call_id)).await
}

/// What the newest request says after the last answer of the model.
pub(crate) fn newest_words(stage: &Stage) -> String {
    let requests = stage.model.requests();
    let messages = requests
        .last()
        .and_then(|body| body["messages"].as_array().cloned());
    let newest = messages.unwrap_or_default();
    let newest = newest
        .iter()
        .rev()
        .take_while(|message| message["role"] != "assistant");
    newest
        .map(|message| message["content"].to_string())
        .collect()
}

/// Lines of the model that came and went, of the whole session.
async fn net(stage: &Stage) -> (u64, u64) {
    let net = stage.snapshot().await.summary.net;
    (net.ai_added, net.ai_removed)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_undone_and_brought_back_and_the_model_is_told() {
    let mut stage = Stage::with_files(vec![Answer::Close], &[("a.txt", "one\r\ntwo\r\n")]).await;
    let path = stage.path("a.txt");
    turn(&mut stage, "go", vec![read(&path), edit(&path, "two", "2")]).await;
    assert_eq!(stage.read("a.txt"), "one\r\n2\r\n");
    assert_eq!(net(&stage).await, (1, 1));
    let call = calls(&stage, "edit").await.remove(0);
    assert_eq!(
        call.edit.as_ref().map(|mark| mark.state),
        Some(EditState::Landed)
    );

    let done = undo(&stage, &call.call_id).await.unwrap();
    assert_eq!(stage.read("a.txt"), "one\r\ntwo\r\n", "every byte is back");
    assert_eq!((done.paths, done.failures), (vec![path.clone()], vec![]));
    let card = calls(&stage, "edit").await.remove(0).edit.unwrap();
    assert_eq!(
        (card.state, card.by),
        (EditState::Undone, done.undo.clone())
    );
    assert_eq!(net(&stage).await, (0, 0), "it no longer stands");

    turn(&mut stage, "and now?", vec![]).await;
    let told = newest_words(&stage);
    assert!(
        told.contains(&path) && told.contains("read again"),
        "{told}"
    );
    turn(&mut stage, "once more", vec![]).await;
    assert!(
        !newest_words(&stage).contains("read again"),
        "it is said once"
    );

    let back = stage
        .workbench
        .redo_edit(call_op(&stage, &call.call_id))
        .await
        .unwrap();
    assert_eq!(stage.read("a.txt"), "one\r\n2\r\n");
    let card = calls(&stage, "edit").await.remove(0).edit.unwrap();
    assert_eq!(card.state, EditState::Landed);
    assert_eq!(net(&stage).await, (1, 1));
    undo(&stage, &back.undo.unwrap()).await.unwrap();
    assert_eq!(
        stage.read("a.txt"),
        "one\r\ntwo\r\n",
        "an undo is undone like an edit"
    );

    // What the model knows of the file is out of date: it has to read it again.
    turn_without_asks(&mut stage, edit(&path, "2", "3")).await;
    assert_eq!(stage.read("a.txt"), "one\r\ntwo\r\n");
    assert!(
        newest_words(&stage).contains("changed"),
        "{}",
        newest_words(&stage)
    );
}

/// A turn whose call is refused before anybody is asked.
async fn turn_without_asks(stage: &mut Stage, call: (&'static str, Value)) {
    stage
        .model
        .play(vec![Answer::Calls(vec![call]), Answer::Text("Done.")]);
    stage.say("again").await.unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_as_the_edit_left_it_is_not_undone() {
    let mut stage = Stage::with_files(vec![Answer::Close], &[("a.txt", "1\n2\n")]).await;
    let path = stage.path("a.txt");
    let edits = vec![
        read(&path),
        edit(&path, "1", "one"),
        edit(&path, "2", "two"),
    ];
    turn(&mut stage, "go", edits).await;
    let [first, second] = &calls(&stage, "edit").await[..] else {
        unreachable!("two edits");
    };
    let refused = undo(&stage, &first.call_id).await.unwrap_err();
    assert_eq!(
        refused.code,
        ErrorCode::UndoConflict,
        "a later edit is still there"
    );
    assert!(refused.message.contains("a.txt"), "{}", refused.message);
    assert_eq!(stage.read("a.txt"), "one\ntwo\n");

    std::fs::write(&path, "one\ntwo\nby hand\n").unwrap();
    assert_eq!(
        undo(&stage, &second.call_id).await.unwrap_err().code,
        ErrorCode::UndoConflict
    );
    assert_eq!(
        stage.read("a.txt"),
        "one\ntwo\nby hand\n",
        "nobody's line is lost"
    );
    std::fs::write(&path, "one\ntwo\n").unwrap();
    undo(&stage, &second.call_id).await.unwrap();
    undo(&stage, &first.call_id).await.unwrap();
    assert_eq!(stage.read("a.txt"), "1\n2\n", "newest first they all go");
    assert_eq!(
        undo(&stage, &calls(&stage, "read_file").await[0].call_id)
            .await
            .unwrap_err()
            .code,
        ErrorCode::NotFound
    );
}

async fn conflicts(stage: &Stage, what: &PutBackWhat) -> Vec<FileConflict> {
    let query = ConflictQuery {
        session_id: stage.session_id.clone(),
        what: what.clone(),
        path: None,
    };
    stage.workbench.undo_conflict(query).await.unwrap().files
}

/// Puts back with the merges of these conflicts.
async fn put_back_merged(
    stage: &Stage,
    what: &PutBackWhat,
    shown: &[FileConflict],
) -> Result<FilesPutBack, ApiError> {
    let files = shown.iter().map(|file| RewindChoice {
        path: file.path.clone(),
        current_hash: file.current_hash.clone(),
        merged_hash: file.merge.as_ref().map(|merge| merge.hash.clone()),
    });
    let request = UndoMerged {
        op: op(),
        session_id: stage.session_id.clone(),
        what: what.clone(),
        files: files.collect(),
    };
    stage.workbench.undo_merged(request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_taken_out_of_what_came_later_and_put_in_again() {
    let base = "1\r\n2\r\n3\r\n4\r\n5\r\n";
    let mut stage = Stage::with_files(vec![Answer::Close], &[("a.txt", base)]).await;
    let path = stage.path("a.txt");
    let edits = vec![
        read(&path),
        edit(&path, "2", "two"),
        edit(&path, "4", "four"),
    ];
    turn(&mut stage, "go", edits).await;
    let first = calls(&stage, "edit").await.remove(0).call_id;
    let undoing = PutBackWhat::Undo {
        call_id: first.clone(),
    };
    let now = "0\n1\r\ntwo\r\n3\r\nfour\r\n5\r\n";
    std::fs::write(&path, now).unwrap();
    let shown = conflicts(&stage, &undoing).await;
    let [conflict] = &shown[..] else {
        panic!("{shown:?}");
    };
    assert_eq!(conflict.after.text, "1\ntwo\n3\n4\n5\n");
    assert_eq!(conflict.current.text, "0\n1\ntwo\n3\nfour\n5\n");
    assert_eq!(conflict.before.text, "1\n2\n3\n4\n5\n");
    let diff = conflict.merge.as_ref().unwrap().diff.unified_diff.clone();
    assert!(diff.contains("\n-two\n+2\n"), "{diff}");

    let done = put_back_merged(&stage, &undoing, &shown).await.unwrap();
    assert_eq!((done.paths, done.failures), (vec![path.clone()], vec![]));
    let merged = "0\n1\r\n2\r\n3\r\nfour\r\n5\r\n";
    assert_eq!(
        stage.read("a.txt"),
        merged,
        "the later lines keep every byte"
    );
    let card = calls(&stage, "edit").await.remove(0).edit.unwrap();
    assert_eq!(card.state, EditState::Undone);
    let runs = authorship(&stage).await;
    assert_eq!(
        runs,
        [
            (1, LineOwner::Other),
            (3, LineOwner::Base),
            (1, LineOwner::Ai),
            (1, LineOwner::Base)
        ]
    );

    // It is a change like any other: undone, and done again, after a restart too.
    let stage = stage.restart().await;
    undo(&stage, &done.undo.unwrap()).await.unwrap();
    assert_eq!(stage.read("a.txt"), now);
    let card = calls(&stage, "edit").await.remove(0).edit.unwrap();
    assert_eq!(card.state, EditState::Landed);
    put_back_merged(&stage, &undoing, &conflicts(&stage, &undoing).await)
        .await
        .unwrap();
    std::fs::write(&path, format!("{merged}6\n")).unwrap();
    let redoing = PutBackWhat::Redo { call_id: first };
    let shown = conflicts(&stage, &redoing).await;
    put_back_merged(&stage, &redoing, &shown).await.unwrap();
    assert_eq!(stage.read("a.txt"), format!("{now}6\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_that_is_not_the_one_that_was_shown_is_not_written() {
    let mut stage = Stage::with_files(vec![Answer::Close], &[("a.txt", "1\n2\n3\n")]).await;
    let path = stage.path("a.txt");
    turn(&mut stage, "go", vec![read(&path), edit(&path, "1", "one")]).await;
    let undoing = PutBackWhat::Undo {
        call_id: calls(&stage, "edit").await.remove(0).call_id,
    };
    std::fs::write(&path, "one\n2\nthree\n").unwrap();
    let mut shown = conflicts(&stage, &undoing).await;
    std::fs::write(&path, "one\n2\nthree\n4\n").unwrap();
    let refused = put_back_merged(&stage, &undoing, &shown).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::FileChanged);
    std::fs::write(&path, "one\n2\nthree\n").unwrap();
    if let Some(merge) = &mut shown[0].merge {
        merge.hash.replace_range(..4, "0000");
    }
    let refused = put_back_merged(&stage, &undoing, &shown).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::FileChanged);
    assert_eq!(stage.read("a.txt"), "one\n2\nthree\n");
}

async fn authorship(stage: &Stage) -> Vec<(u64, LineOwner)> {
    let query = SessionQuery {
        session_id: stage.session_id.clone(),
    };
    let mut files = stage.workbench.authorship(query).await.unwrap().files;
    let runs = files.remove(0).runs;
    runs.into_iter().map(|run| (run.lines, run.owner)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_touches_is_shown_and_left_to_the_person() {
    let mut stage = Stage::with_files(vec![Answer::Close], &[("a.txt", "1\n2\n3\n")]).await;
    let path = stage.path("a.txt");
    turn(&mut stage, "go", vec![read(&path), edit(&path, "2", "two")]).await;
    let undoing = PutBackWhat::Undo {
        call_id: calls(&stage, "edit").await.remove(0).call_id,
    };
    for (now, problem) in [
        ("1\ntwo\nthree\n", MergeProblem::Touching),
        ("1\nzwei\n3\n", MergeProblem::Touching),
        ("1\n2\n3\n", MergeProblem::Nothing),
        ("\0\u{1}\u{2}", MergeProblem::NotText),
    ] {
        std::fs::write(&path, now).unwrap();
        let shown = conflicts(&stage, &undoing).await;
        assert_eq!(shown[0].problem, Some(problem), "{now:?}");
        assert_eq!(shown[0].merge, None);
        let refused = put_back_merged(&stage, &undoing, &shown).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::FileChanged);
        let refused = put_back_merged(&stage, &undoing, &[]).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::UndoConflict);
        assert_eq!(stage.read("a.txt"), now);
    }
    std::fs::remove_file(&path).unwrap();
    let shown = conflicts(&stage, &undoing).await;
    assert_eq!(shown[0].current.state, ConflictSideState::Absent);
    assert_eq!(shown[0].problem, Some(MergeProblem::NotText));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_file_goes_and_comes_back_after_a_restart() {
    let mut stage = Stage::new(vec![Answer::Close]).await;
    let path = stage.path("made/n.txt");
    turn(&mut stage, "go", vec![write(&path, "new\n")]).await;
    let call = calls(&stage, "write_file").await.remove(0);
    undo(&stage, &call.call_id).await.unwrap();
    assert!(!Path::new(&path).exists());
    let stage = stage.restart().await;
    stage
        .workbench
        .redo_edit(call_op(&stage, &call.call_id))
        .await
        .unwrap();
    assert_eq!(stage.read("made/n.txt"), "new\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_does_to_a_file_of_the_session_is_undone_too() {
    let mut stage =
        Stage::with_files(vec![Answer::Close], &[("a.txt", "1\n"), ("b.txt", "b\n")]).await;
    let path = stage.path("a.txt");
    let command = json!({"command": "echo more >> a.txt; echo more >> b.txt"});
    let calls_made = vec![
        read(&path),
        edit(&path, "1", "one"),
        ("run_shell_command", command),
    ];
    turn(&mut stage, "go", calls_made).await;
    assert_eq!(stage.read("a.txt"), "one\nmore\n");
    let call = calls(&stage, "run_shell_command").await.remove(0);
    assert_eq!(call.edit.map(|mark| mark.state), Some(EditState::Landed));
    let done = undo(&stage, &call.call_id).await.unwrap();
    assert_eq!(done.paths, [path]);
    assert_eq!(stage.read("a.txt"), "one\n");
    assert_eq!(stage.read("b.txt"), "b\nmore\n", "no tool had touched it");
}

#[expect(
    clippy::disallowed_methods,
    reason = "a repository to look at is made by the program that makes them"
)]
fn git(folder: &Path, arguments: &[&str]) -> bool {
    std::process::Command::new("git")
        .args([
            "-c",
            "user.name=n",
            "-c",
            "user.email=e@example.org",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
        .status
        .success()
}

fn commit_all(folder: &Path) {
    assert!(git(folder, &["init", "-q", "-b", "main"]));
    assert!(git(folder, &["add", "-A"]));
    assert!(git(folder, &["commit", "-q", "-m", "first"]));
}

async fn diff(stage: &Stage, scope: DiffScope) -> WorkspaceDiff {
    let query = WorkspaceDiffQuery {
        workspace: stage.folder.display().to_string(),
        session_id: Some(stage.session_id.clone()),
        scope,
    };
    stage.workbench.workspace_diff(query).await.unwrap()
}

fn counts(file: &ChangedFile) -> [(u64, u64); 3] {
    [file.ai, file.you, file.other].map(|LineCounts { added, removed }| (added, removed))
}

/// A stage in which the model, the person and an editor each changed lines of one file.
async fn three_hands() -> Stage {
    let start = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
    let files = [("a.txt", start), ("b.txt", "b\n"), ("c.txt", "c\n")];
    let mut stage = Stage::with_files(vec![Answer::Close], &files).await;
    commit_all(&stage.folder);
    let path = stage.path("a.txt");
    stage.model.play(vec![
        Answer::Calls(vec![read(&path)]),
        Answer::Calls(vec![edit(&path, "1\n2\n", "1\ntwo\n")]),
        Answer::Text("Done."),
    ]);
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    let final_text = start.replacen("\n2\n", "\ntwo\nmine\n", 1);
    let decision = Decision::Modify { final_text };
    stage.decide(&ask, decision).await.unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
    let now = format!("{}13\n", stage.read("a.txt"));
    std::fs::write(&path, now).unwrap();
    std::fs::write(stage.path("b.txt"), "b\nb2\n").unwrap();
    std::fs::remove_file(stage.path("c.txt")).unwrap();
    std::fs::write(stage.path("n.txt"), "x\ny\nz").unwrap();
    stage
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_a_folder_are_split_by_who_made_them() {
    let stage = three_hands().await;
    let found = diff(&stage, DiffScope::Head).await;
    assert_eq!(found.state, WorkspaceDiffState::Ok);
    let rows: Vec<_> = found
        .files
        .iter()
        .map(|file| (file.display_path.as_str(), file.status, counts(file)))
        .collect();
    assert_eq!(
        rows,
        [
            ("a.txt", ChangedStatus::Modified, [(1, 1), (1, 0), (1, 0)]),
            ("b.txt", ChangedStatus::Modified, [(0, 0), (0, 0), (1, 0)]),
            ("c.txt", ChangedStatus::Deleted, [(0, 0), (0, 0), (0, 1)]),
            ("n.txt", ChangedStatus::Untracked, [(0, 0), (0, 0), (3, 0)]),
        ]
    );
    assert_eq!(
        (found.total_files, found.listed_files, found.cut),
        (4, 4, vec![])
    );
    let sum = |counts: LineCounts| (counts.added, counts.removed);
    assert_eq!(
        [sum(found.ai), sum(found.you), sum(found.other)],
        [(1, 1), (1, 0), (5, 1)]
    );

    for scope in [DiffScope::Session, DiffScope::Turn] {
        let found = diff(&stage, scope).await;
        let [file] = &found.files[..] else {
            unreachable!("only what the session changed");
        };
        assert_eq!(counts(file), [(1, 1), (1, 0), (1, 0)]);
    }
}

async fn file_diff(stage: &Stage, name: &str) -> WorkspaceFileDiff {
    let query = WorkspaceFileQuery {
        workspace: stage.folder.display().to_string(),
        session_id: Some(stage.session_id.clone()),
        scope: DiffScope::Head,
        path: stage.path(name),
    };
    stage.workbench.workspace_file_diff(query).await.unwrap()
}

async fn revert(
    stage: &Stage,
    name: &str,
    hunk: Option<u32>,
    current_hash: Option<String>,
) -> Result<FilesPutBack, ApiError> {
    let request = RevertFile {
        op: op(),
        workspace: stage.folder.display().to_string(),
        session_id: stage.session_id.clone(),
        scope: DiffScope::Head,
        path: stage.path(name),
        hunk,
        current_hash,
    };
    stage.workbench.revert_file(request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn one_file_shows_whose_its_lines_are() {
    let stage = three_hands().await;
    let file = file_diff(&stage, "a.txt").await;
    let run = |lines, owner| OwnerRun { lines, owner };
    let owners = [
        run(1, LineOwner::Base),
        run(1, LineOwner::Ai),
        run(1, LineOwner::Human),
        run(10, LineOwner::Base),
        run(1, LineOwner::Other),
    ];
    assert_eq!(file.owners, owners);
    assert_eq!(file.diff.stat.net.ai_added, 1);
    let shown = file.diff.unified_diff;
    assert!(shown.contains("-2\n+two\n+mine\n"), "{shown}");
    let gone = file_diff(&stage, "c.txt").await;
    assert_eq!((gone.is_deleted, gone.current_hash), (true, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_and_files_go_back_unless_they_changed_meanwhile() {
    let stage = three_hands().await;
    let stale = revert(&stage, "a.txt", None, Some("0".repeat(64))).await;
    assert_eq!(stale.unwrap_err().code, ErrorCode::FileChanged);
    let seen = file_diff(&stage, "a.txt").await.current_hash;
    let done = revert(&stage, "a.txt", Some(0), seen).await.unwrap();
    let without_first = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n";
    assert_eq!(stage.read("a.txt"), without_first);
    let seen = file_diff(&stage, "a.txt").await.current_hash;
    revert(&stage, "a.txt", None, seen).await.unwrap();
    let left = diff(&stage, DiffScope::Session).await;
    assert_eq!(left.total_files, 0, "nothing is left of it");
    let refused = undo(&stage, &done.undo.unwrap()).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::UndoConflict);

    revert(&stage, "c.txt", None, None).await.unwrap();
    assert_eq!(
        stage.read("c.txt"),
        "c\n",
        "a file that was removed is back"
    );
    let seen = file_diff(&stage, "n.txt").await.current_hash;
    let done = revert(&stage, "n.txt", None, seen).await.unwrap();
    assert!(
        !Path::new(&stage.path("n.txt")).exists(),
        "a new file is gone"
    );
    undo(&stage, &done.undo.unwrap()).await.unwrap();
    assert_eq!(stage.read("n.txt"), "x\ny\nz", "and is not lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_cannot_make_the_program_run_something() {
    let stage = three_hands().await;
    let inner = stage.folder.join("inner");
    std::fs::create_dir(&inner).unwrap();
    assert!(git(&inner, &["init", "-q"]));
    std::fs::write(inner.join("f"), "1\n").unwrap();
    commit_all(&inner);
    assert!(git(&stage.folder, &["add", "inner"]));
    std::fs::write(inner.join("f"), "2\n").unwrap();
    let script = stage.folder.join("run.sh");
    let marker = stage.folder.join("was-run");
    std::fs::write(&script, format!("#!/bin/sh\ntouch {}\n", marker.display())).unwrap();
    let set_mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, set_mode).unwrap();
    std::fs::write(stage.path(".gitattributes"), "* diff=evil\n").unwrap();
    let program = script.display().to_string();
    for key in [
        "diff.external",
        "core.fsmonitor",
        "diff.evil.textconv",
        "diff.evil.command",
    ] {
        assert!(git(&stage.folder, &["config", key, &program]));
    }
    // Filters, of the repository and of one inside it.
    for folder in [&stage.folder, &inner] {
        std::fs::write(folder.join(".gitattributes"), "* diff=evil filter=evil\n").unwrap();
        assert!(git(folder, &["config", "filter.evil.clean", &program]));
        assert!(git(folder, &["config", "filter.evil.required", "true"]));
    }
    let found = diff(&stage, DiffScope::Head).await;
    assert_eq!(found.state, WorkspaceDiffState::Ok);
    let skipped = found
        .cut
        .iter()
        .find(|note| note.kind == CutKind::FiltersSkipped);
    assert_eq!(skipped.map(|note| note.actual), Some(1), "it is said");
    file_diff(&stage, "a.txt").await;
    assert!(!marker.exists(), "nothing of it was run");

    // An object that a remote would have to give.
    for (key, value) in [
        ("remote.evil.url", stage.folder.to_str().unwrap()),
        ("remote.evil.promisor", "true"),
        ("remote.evil.uploadpack", &program),
    ] {
        assert!(git(&stage.folder, &["config", key, value]));
    }
    // The name that "b\n" has as an object.
    let object = "61/780798228d17af2d34fce4cfbdf35556832472";
    std::fs::remove_file(stage.folder.join(".git/objects").join(object)).unwrap();
    diff(&stage, DiffScope::Head).await;
    assert!(!marker.exists(), "nothing was fetched");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_in_the_middle_of_something_is_named() {
    let stage = Stage::with_files(vec![Answer::Close], &[("a.txt", "1\n")]).await;
    assert_eq!(
        diff(&stage, DiffScope::Head).await.state,
        WorkspaceDiffState::NoRepository
    );
    assert!(git(&stage.folder, &["init", "-q", "-b", "main"]));
    let fresh = diff(&stage, DiffScope::Head).await;
    assert_eq!(
        (fresh.state, fresh.total_files),
        (WorkspaceDiffState::Ok, 1),
        "no commit yet"
    );
    commit_all(&stage.folder);
    assert!(git(&stage.folder, &["checkout", "-q", "-b", "side"]));
    std::fs::write(stage.path("a.txt"), "side\n").unwrap();
    assert!(git(&stage.folder, &["commit", "-qam", "side"]));
    assert!(git(&stage.folder, &["checkout", "-q", "main"]));
    std::fs::write(stage.path("a.txt"), "main\n").unwrap();
    assert!(git(&stage.folder, &["commit", "-qam", "main"]));
    assert!(!git(&stage.folder, &["merge", "-q", "side"]), "a conflict");
    assert_eq!(
        diff(&stage, DiffScope::Head).await.state,
        WorkspaceDiffState::Merge
    );
}

/// The notice of a late write, with what fills its sentence.
async fn late_write(stage: &mut Stage) -> (String, Vec<String>) {
    stage
        .until("a notice", |envelope| match &envelope.event {
            SessionEvent::ItemAdded { item } => match &item.body {
                ItemBody::Notice { code, text, args } if code == "late_write_saved" => {
                    Some((text.clone(), args.clone()))
                }
                _ => None,
            },
            _ => None,
        })
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_program_writes_too_late_is_kept_and_said() {
    let mut stage = Stage::with_files(vec![Answer::Close], &[("a.txt", "old\n")]).await;
    let path = stage.path("a.txt");
    stage.model.play(vec![
        Answer::Calls(vec![read(&path)]),
        Answer::Calls(vec![edit(&path, "old", "new")]),
        Answer::Text("Done."),
    ]);
    let mut writer = std::fs::File::options().write(true).open(&path).unwrap();
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    stage.allow(&ask).await;
    // Sooner the commit itself would see it, and put the file back.
    stage
        .until("the edit to land", |envelope| match &envelope.event {
            SessionEvent::ItemChanged { item } => match &item.body {
                ItemBody::Tool { tool } if tool.name == "edit" => tool.status,
                _ => None,
            },
            _ => None,
        })
        .await;
    std::io::Write::write_all(&mut writer, b"late\n").unwrap();
    let (text, args) = late_write(&mut stage).await;
    assert!(text.contains(&path), "{text}");
    assert_eq!((args.len(), &args[0]), (3, &path));
    assert_eq!(stage.read("a.txt"), "new\n");
    let call = calls(&stage, "edit").await.remove(0);
    undo(&stage, &call.call_id).await.unwrap();
    assert_eq!(stage.read("a.txt"), "old\n", "it is in nobody's way");
    redo(&stage, &call.call_id).await.unwrap();

    // It can be put in, and that can be undone like anything else.
    let put_in = undo(&stage, &CallId::from(args[2].as_str())).await.unwrap();
    assert_eq!(stage.read("a.txt"), "late\n");
    undo(&stage, &put_in.undo.unwrap()).await.unwrap();
    assert_eq!(stage.read("a.txt"), "new\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_was_summarised_is_shown_again() {
    let big = "a line of a file that fills the window of the model\n".repeat(800);
    let files = [("small.txt", "one\n"), ("big.txt", &big)];
    let mut stage = Stage::with_window(vec![Answer::Close], &files, Some(40_000)).await;
    let (small, big) = (stage.path("small.txt"), stage.path("big.txt"));
    stage.model.play(vec![
        Answer::Calls(vec![read(&small)]),
        Answer::Calls(vec![read(&big)]),
        Answer::Text("SUMMARY of both files."),
        Answer::Calls(vec![read(&small)]),
        Answer::Text("Done."),
    ]);
    stage.say("go").await.unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert!(stage.model.requests().len() > 4, "there was a summary");
    let told = newest_words(&stage);
    assert!(told.contains("1\\tone"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_says_who_wrote_its_files() {
    let stage = three_hands().await;
    let query = SessionQuery {
        session_id: stage.session_id.clone(),
    };
    let authorship = stage.workbench.authorship(query).await.unwrap();
    let totals = authorship.totals;
    assert_eq!(
        (totals.ai, totals.human, totals.other, totals.base),
        (1, 1, 1, 11)
    );
    assert_eq!(authorship.files.len(), 1);
    assert_eq!(authorship.files[0].display_path, "a.txt");
}
