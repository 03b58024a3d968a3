//! Going back to before a message, and coming back from there.

use crate::changes::{calls, edit, newest_words, read, turn, undo as undo_edit, write};
use protocol::changes::{
    ConflictQuery, MergeProblem, PutBackWhat, Rewind, RewindAction, RewindChoice, RewindOut,
    RewindPlan, RewindPlanQuery, RewindWhat, SessionQuery,
};
use protocol::command::SessionOp;
use protocol::error::{ApiError, ErrorCode};
use protocol::item::{Item, ItemBody};
use std::path::Path;
use tests::stage::op;
use tests::{Answer, Stage};

/// Numbers of the messages of the person.
fn messages(items: &[Item]) -> Vec<u64> {
    let said = items
        .iter()
        .filter(|item| matches!(&item.body, ItemBody::User { text, .. } if !text.is_empty()));
    said.map(|item| item.seq).collect()
}

async fn plan(stage: &Stage, seq: u64) -> Result<RewindPlan, ApiError> {
    let query = RewindPlanQuery {
        session_id: stage.session_id.clone(),
        seq,
    };
    stage.workbench.rewind_plan(query).await
}

async fn rewind(
    stage: &Stage,
    seq: u64,
    what: RewindWhat,
    paths: &[&str],
) -> Result<RewindOut, ApiError> {
    let shown = match plan(stage, seq).await {
        Ok(plan) => plan.files,
        Err(_) => Vec::new(),
    };
    let hash_of = |path: &str| {
        shown
            .iter()
            .find(|file| file.path == path)?
            .current_hash
            .clone()
    };
    let files = paths.iter().map(|path| RewindChoice {
        path: (*path).to_owned(),
        current_hash: hash_of(path),
        merged_hash: None,
    });
    rewind_as_shown(stage, seq, what, files.collect()).await
}

async fn rewind_as_shown(
    stage: &Stage,
    seq: u64,
    what: RewindWhat,
    files: Vec<RewindChoice>,
) -> Result<RewindOut, ApiError> {
    let request = Rewind {
        op: op(),
        session_id: stage.session_id.clone(),
        seq,
        what,
        files,
    };
    stage.workbench.rewind(request).await
}

async fn undo(stage: &Stage) -> Result<RewindOut, ApiError> {
    let request = SessionOp {
        op: op(),
        session_id: stage.session_id.clone(),
    };
    stage.workbench.undo_rewind(request).await
}

/// Two turns: the first changes a file, the second changes it again, makes another and drops nothing.
async fn two_turns() -> Stage {
    let mut stage = Stage::with_files(vec![Answer::Close], &[("a.txt", "1\n2\n")]).await;
    let (a, n) = (stage.path("a.txt"), stage.path("n.txt"));
    turn(&mut stage, "first", vec![read(&a), edit(&a, "1", "one")]).await;
    turn(
        &mut stage,
        "second",
        vec![edit(&a, "2", "two"), write(&n, "new\n")],
    )
    .await;
    assert_eq!(stage.read("a.txt"), "one\ntwo\n");
    stage
}

#[tokio::test(flavor = "multi_thread")]
async fn both_go_back_and_come_back() {
    let stage = two_turns().await;
    let (a, n) = (stage.path("a.txt"), stage.path("n.txt"));
    let before = stage.snapshot().await;
    let seqs = messages(&before.items);
    let out = rewind(&stage, seqs[1], RewindWhat::Both, &[&a, &n])
        .await
        .unwrap();
    assert_eq!(out.text.as_deref(), Some("second"));
    assert_eq!(
        (out.put_back.paths.len(), out.put_back.failures),
        (2, vec![])
    );
    assert_eq!(stage.read("a.txt"), "one\n2\n");
    assert!(!Path::new(&n).exists());
    assert_eq!(messages(&stage.snapshot().await.items), [seqs[0]]);

    let back = undo(&stage).await.unwrap();
    assert_eq!(back.put_back.paths.len(), 2);
    assert_eq!(
        (stage.read("a.txt"), stage.read("n.txt")),
        ("one\ntwo\n".into(), "new\n".into())
    );
    let items = stage.snapshot().await.items;
    let (seqs_now, notices): (Vec<_>, Vec<_>) = items
        .into_iter()
        .partition(|item| !matches!(item.body, ItemBody::Notice { .. }));
    assert_eq!(seqs_now, before.items, "every row is as it was");
    assert_eq!(notices.len(), 2, "both are in the transcript");
    assert_eq!(
        undo(&stage).await.unwrap_err().code,
        ErrorCode::NotFound,
        "once"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_ends_the_offer_to_undo_and_tells_the_model() {
    let mut stage = two_turns().await;
    let (a, n) = (stage.path("a.txt"), stage.path("n.txt"));
    let seqs = messages(&stage.snapshot().await.items);
    rewind(&stage, seqs[1], RewindWhat::Both, &[&a, &n])
        .await
        .unwrap();
    turn(&mut stage, "other", vec![]).await;
    let request = stage.model.requests().pop().unwrap()["messages"].to_string();
    assert!(
        request.contains("first") && !request.contains("second"),
        "{request}"
    );
    assert!(
        newest_words(&stage).contains("read again"),
        "{}",
        newest_words(&stage)
    );
    assert_eq!(
        undo(&stage).await.unwrap_err().code,
        ErrorCode::NotFound,
        "something was said"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_plan_says_what_would_go() {
    let stage = two_turns().await;
    let seqs = messages(&stage.snapshot().await.items);
    let planned = plan(&stage, seqs[1]).await.unwrap();
    assert_eq!(
        (planned.messages, planned.turns),
        (4, 1),
        "a question, two calls, an answer"
    );
    let files: Vec<_> = planned
        .files
        .iter()
        .map(|file| {
            (
                file.display_path.as_str(),
                file.added,
                file.removed,
                file.action,
            )
        })
        .collect();
    assert_eq!(
        files,
        [
            ("a.txt", 1, 1, RewindAction::Restore),
            ("n.txt", 0, 1, RewindAction::Delete)
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changes_while_the_person_decides_stays() {
    let stage = two_turns().await;
    let seqs = messages(&stage.snapshot().await.items);
    let shown = plan(&stage, seqs[1]).await.unwrap().files;
    let choices = shown.into_iter().map(|file| RewindChoice {
        path: file.path,
        current_hash: file.current_hash,
        merged_hash: None,
    });
    std::fs::write(stage.path("a.txt"), "one\ntwo\nby hand\n").unwrap();
    let out = rewind_as_shown(&stage, seqs[1], RewindWhat::Files, choices.collect())
        .await
        .unwrap();
    assert_eq!(stage.read("a.txt"), "one\ntwo\nby hand\n");
    assert_eq!(out.put_back.paths, [stage.path("n.txt")], "the rest goes");
    let failed: Vec<_> = out.put_back.failures.iter().map(|one| &one.path).collect();
    assert_eq!(failed, [&stage.path("a.txt")]);
}

async fn offer(stage: &Stage) -> (bool, u64) {
    let query = SessionQuery {
        session_id: stage.session_id.clone(),
    };
    let offer = stage.workbench.rewind_offer(query).await.unwrap();
    (offer.can_undo, offer.files)
}

#[tokio::test(flavor = "multi_thread")]
async fn files_alone_can_come_back_after_a_restart_until_something_is_said() {
    let stage = two_turns().await;
    let (a, n) = (stage.path("a.txt"), stage.path("n.txt"));
    assert_eq!(offer(&stage).await, (false, 0));
    let seqs = messages(&stage.snapshot().await.items);
    rewind(&stage, seqs[1], RewindWhat::Files, &[&a, &n])
        .await
        .unwrap();
    let stage = stage.restart().await;
    assert_eq!(offer(&stage).await, (true, 2));
    undo(&stage).await.unwrap();
    assert_eq!(offer(&stage).await, (false, 0));
    assert_eq!(stage.read("n.txt"), "new\n");

    rewind(&stage, seqs[1], RewindWhat::Both, &[&a])
        .await
        .unwrap();
    assert_eq!(offer(&stage).await, (true, 1));
    let mut stage = stage.restart().await;
    turn(&mut stage, "on we go", vec![]).await;
    assert_eq!(offer(&stage).await, (false, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_else_wrote_stays_where_it_is_merged() {
    let stage = two_turns().await;
    let a = stage.path("a.txt");
    std::fs::write(&a, "one\ntwo\n\n\nby hand\n").unwrap();
    let seqs = messages(&stage.snapshot().await.items);
    let query = ConflictQuery {
        session_id: stage.session_id.clone(),
        what: PutBackWhat::Rewind { seq: seqs[1] },
        path: None,
    };
    let conflicts = stage.workbench.undo_conflict(query).await.unwrap().files;
    let [conflict] = &conflicts[..] else {
        panic!("{conflicts:?}");
    };
    assert_eq!(
        conflict.problem,
        Some(MergeProblem::Touching),
        "it is right beside"
    );

    std::fs::write(&a, "by hand\n\none\ntwo\n").unwrap();
    let query = ConflictQuery {
        session_id: stage.session_id.clone(),
        what: PutBackWhat::Rewind { seq: seqs[1] },
        path: Some(a.clone()),
    };
    let mut conflicts = stage.workbench.undo_conflict(query).await.unwrap().files;
    let conflict = conflicts.remove(0);
    let choice = RewindChoice {
        path: a.clone(),
        current_hash: conflict.current_hash,
        merged_hash: conflict.merge.map(|merge| merge.hash),
    };
    let out = rewind_as_shown(&stage, seqs[1], RewindWhat::Both, vec![choice])
        .await
        .unwrap();
    assert_eq!(
        (out.put_back.paths, out.put_back.failures),
        (vec![a], vec![])
    );
    assert_eq!(stage.read("a.txt"), "by hand\n\none\n2\n");
    undo(&stage).await.unwrap();
    assert_eq!(stage.read("a.txt"), "by hand\n\none\ntwo\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_somebody_else_changed_stays_unless_it_is_named() {
    let stage = two_turns().await;
    let (a, n) = (stage.path("a.txt"), stage.path("n.txt"));
    std::fs::write(&a, "one\ntwo\nby hand\n").unwrap();
    let seqs = messages(&stage.snapshot().await.items);
    let planned = plan(&stage, seqs[0]).await.unwrap();
    assert_eq!(planned.files[0].action, RewindAction::Conflict);
    let out = rewind(&stage, seqs[0], RewindWhat::Files, &[&n])
        .await
        .unwrap();
    assert_eq!((out.text, out.put_back.paths), (None, vec![n.clone()]));
    assert_eq!(stage.read("a.txt"), "one\ntwo\nby hand\n");
    assert_eq!(
        messages(&stage.snapshot().await.items),
        seqs,
        "the words stay"
    );

    let out = rewind(&stage, seqs[0], RewindWhat::Files, &[&a])
        .await
        .unwrap();
    assert_eq!(out.put_back.paths, [a]);
    assert_eq!(stage.read("a.txt"), "1\n2\n");
    undo(&stage).await.unwrap();
    assert_eq!(
        stage.read("a.txt"),
        "one\ntwo\nby hand\n",
        "what was overwritten is not lost"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn words_alone_go_back_also_after_a_restart() {
    let mut stage = two_turns().await;
    let seqs = messages(&stage.snapshot().await.items);
    rewind(&stage, seqs[1], RewindWhat::Conversation, &[])
        .await
        .unwrap();
    assert_eq!(stage.read("a.txt"), "one\ntwo\n", "files stay");
    let refused = rewind(&stage, seqs[1], RewindWhat::Conversation, &[])
        .await
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotFound, "it is gone");
    stage = stage.restart().await;
    undo(&stage).await.unwrap();
    assert_eq!(messages(&stage.snapshot().await.items), seqs);
    assert_eq!(calls(&stage, "edit").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_goes_back_while_a_turn_runs() {
    let mut stage = two_turns().await;
    let seqs = messages(&stage.snapshot().await.items);
    stage.model.play(vec![Answer::Hanging("thinking")]);
    stage.say("third").await.unwrap();
    stage
        .model
        .wait_for(stage.model.requests().len().max(1))
        .await;
    for what in [RewindWhat::Files, RewindWhat::Both] {
        let refused = rewind(&stage, seqs[0], what, &[&stage.path("a.txt")])
            .await
            .unwrap_err();
        assert_eq!(refused.code, ErrorCode::Busy);
    }
    assert_eq!(stage.read("a.txt"), "one\ntwo\n");
    stage.stop().await;
    stage.outcome().await;
    rewind(&stage, seqs[0], RewindWhat::Both, &[])
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_go_back_is_named_and_the_rest_goes() {
    let large = "line\n".repeat(20_000);
    let mut stage =
        Stage::with_files(vec![Answer::Close], &[("a.txt", &large), ("b.txt", "b\n")]).await;
    let (a, b, c) = (
        stage.path("a.txt"),
        stage.path("b.txt"),
        stage.path("c.txt"),
    );
    let calls_made = vec![
        read(&b),
        edit(&b, "b", "B"),
        read(&a),
        write(&c, "made\n"),
        ("run_shell_command", serde_json::json!({"command": "true"})),
    ];
    turn(&mut stage, "first", calls_made).await;
    turn(&mut stage, "second", vec![write(&a, "short\n")]).await;
    // The copies of large files lie beside the database.
    std::fs::remove_dir_all(stage.data().join("blobs")).unwrap();
    std::fs::remove_file(&c).unwrap();
    std::os::unix::fs::symlink(&b, &c).unwrap();

    let seqs = messages(&stage.snapshot().await.items);
    let planned = plan(&stage, seqs[0]).await.unwrap();
    let actions: Vec<_> = planned
        .files
        .iter()
        .map(|file| (file.display_path.as_str(), file.action))
        .collect();
    let expected = [
        ("a.txt", RewindAction::Cannot),
        ("b.txt", RewindAction::Restore),
        ("c.txt", RewindAction::Cannot),
    ];
    assert_eq!(actions, expected);
    let out = rewind(&stage, seqs[0], RewindWhat::Files, &[&a, &b, &c])
        .await
        .unwrap();
    assert_eq!(out.put_back.paths, [b]);
    let failed: Vec<_> = out
        .put_back
        .failures
        .iter()
        .map(|failure| failure.code)
        .collect();
    assert_eq!(failed, [ErrorCode::BackupMissing, ErrorCode::WriteFailed]);
    assert_eq!(
        (stage.read("a.txt"), stage.read("b.txt")),
        ("short\n".into(), "b\n".into())
    );
    let call = calls(&stage, "write_file").await.pop().unwrap();
    let refused = crate::changes::undo(&stage, &call.call_id)
        .await
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::BackupMissing);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_several_files_is_undone_whole_or_not_at_all() {
    let files = [("a.txt", "a\n"), ("b.txt", "b\n")];
    let mut stage = Stage::with_files(vec![Answer::Close], &files).await;
    let (a, b) = (stage.path("a.txt"), stage.path("b.txt"));
    let words = "echo by command >> a.txt; echo by command >> b.txt";
    let command = ("run_shell_command", serde_json::json!({ "command": words }));
    let edits = vec![read(&a), edit(&a, "a", "A"), read(&b), edit(&b, "b", "B")];
    turn(&mut stage, "edit", edits).await;
    turn(&mut stage, "run", vec![command]).await;
    assert_eq!(stage.read("a.txt"), "A\nby command\n");
    std::fs::write(&b, "mine\n").unwrap();
    let call = calls(&stage, "run_shell_command").await.remove(0);
    let refused = undo_edit(&stage, &call.call_id).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::UndoConflict);
    assert_eq!(refused.args, ["b.txt"]);
    assert_eq!(stage.read("a.txt"), "A\nby command\n", "nor is the other");
    std::fs::write(&b, "B\nby command\n").unwrap();
    undo_edit(&stage, &call.call_id).await.unwrap();
    assert_eq!(
        (stage.read("a.txt"), stage.read("b.txt")),
        ("A\n".into(), "B\n".into())
    );
}
