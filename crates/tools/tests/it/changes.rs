//! Changing files: what is shown is what lands, and nothing else.

use crate::kit::{Kit, shown, text};
use edit::USER_CHANGED_PROPOSAL;
use serde_json::json;
use tool_api::ModifyError;

#[tokio::test]
async fn an_edit_lands_as_shown_and_the_old_bytes_are_kept() {
    let kit = Kit::new();
    let path = kit.write("a.rs", "fn a() {}\nfn b() {}\n");
    kit.run("read_file", json!({ "file_path": path })).await;
    let call = kit
        .prepare(
            "edit",
            json!({"file_path": path, "old_string": "fn b", "new_string": "fn c"}),
        )
        .await
        .unwrap();
    let diff = shown(&*call);
    assert_eq!(diff.new_text.as_deref(), Some("fn a() {}\nfn c() {}\n"));
    assert_eq!((diff.stat.net.ai_added, diff.stat.net.ai_removed), (1, 1));
    assert_eq!(
        kit.read("a.rs"),
        b"fn a() {}\nfn b() {}\n",
        "preparing changes nothing"
    );
    let result = call.execute(kit.context()).await;
    assert_eq!(result.failure, None);
    assert_eq!(kit.read("a.rs"), b"fn a() {}\nfn c() {}\n");
    assert!(kit.backup.holds(b"fn a() {}\nfn b() {}\n"));
    assert!(!result.edited);
}

#[tokio::test]
async fn a_change_by_hand_is_written_counted_and_told() {
    let kit = Kit::new();
    let path = kit.write("a.txt", "one\r\ntwo\r\nthree\r\n");
    kit.run("read_file", json!({ "file_path": path })).await;
    let mut call = kit
        .prepare(
            "edit",
            json!({"file_path": path, "old_string": "two", "new_string": "TWO"}),
        )
        .await
        .unwrap();
    let done = call.modify("one\nTWO\nmine\nthree\n").unwrap();
    assert!(done.changed);
    let net = done.stat.net;
    assert_eq!(
        (
            net.ai_added,
            net.ai_removed,
            net.human_added,
            net.human_removed
        ),
        (1, 1, 1, 0)
    );
    let result = call.execute(kit.context()).await;
    assert_eq!(
        kit.read("a.txt"),
        b"one\r\nTWO\r\nmine\r\nthree\r\n",
        "the file keeps its line ends"
    );
    assert!(result.edited);
    assert!(
        text(&result).starts_with(USER_CHANGED_PROPOSAL),
        "{}",
        text(&result)
    );
    assert!(text(&result).contains("+mine"), "{}", text(&result));
}

#[tokio::test]
async fn an_emptied_proposal_is_an_empty_file() {
    let kit = Kit::new();
    let path = kit.folder.join("new.txt").display().to_string();
    let mut call = kit
        .prepare("write_file", json!({"file_path": path, "content": "x\n"}))
        .await
        .unwrap();
    let too_large = "x".repeat(20 * 1024 * 1024 + 1);
    let ModifyError::Refused(refused) = call.modify(&too_large).unwrap_err() else {
        panic!("the question stays open with the reason");
    };
    assert_eq!(refused.code, "FILE_TOO_LARGE");
    assert!(call.modify("").unwrap().changed);
    let result = call.execute(kit.context()).await;
    assert_eq!(result.failure, None);
    assert_eq!(kit.read("new.txt"), b"");
}

#[tokio::test]
async fn the_same_text_is_a_plain_approval_and_the_old_text_keeps_the_file() {
    let kit = Kit::new();
    let path = kit.write("a.txt", "one\n");
    kit.run("read_file", json!({ "file_path": path })).await;
    let args = json!({"file_path": path, "old_string": "one", "new_string": "two"});
    let mut call = kit.prepare("edit", args).await.unwrap();
    assert!(!call.modify("two\n").unwrap().changed);
    assert!(call.modify("one\n").unwrap().changed);
    let result = call.execute(kit.context()).await;
    assert_eq!(result.failure.unwrap().code, "USER_KEPT_ORIGINAL");
    assert_eq!(kit.read("a.txt"), b"one\n");
}

#[tokio::test]
async fn a_second_text_counts_after_the_first_was_reset() {
    let kit = Kit::new();
    let path = kit.write("a.txt", "one\nkept\n");
    kit.run("read_file", json!({ "file_path": path })).await;
    let args = json!({"file_path": path, "old_string": "one", "new_string": "two"});
    let mut call = kit.prepare("edit", args).await.unwrap();
    let first = call.modify("two\nfirst\nkept\n").unwrap();
    assert_eq!((first.changed, first.stat.net.human_added), (true, 1));
    let reset = call.modify("two\nkept\n").unwrap();
    assert_eq!((reset.changed, reset.stat.net.human_added), (false, 0));
    let second = call.modify("two\nkept\nsecond\nlines\n").unwrap();
    assert_eq!((second.changed, second.stat.net.human_added), (true, 2));
    let result = call.execute(kit.context()).await;
    assert!(result.edited);
    assert_eq!(kit.read("a.txt"), b"two\nkept\nsecond\nlines\n");
    assert!(!text(&result).contains("first"), "{}", text(&result));
    assert_eq!(result.files[0].stat.net.human_added, 2);
}

#[tokio::test]
async fn a_character_the_file_cannot_hold_keeps_the_question_open() {
    let kit = Kit::new();
    // Windows-1252, long enough for the guess to be sure of it.
    let line = b"caf\xe9 cr\xe8me na\xefve d\xe9j\xe0 vu \xe9t\xe9 \xe0 la mode\n".repeat(20);
    let path = kit.write("latin.txt", &line);
    let read = kit
        .run("read_file", json!({ "file_path": path, "limit": 3 }))
        .await;
    assert!(text(&read).contains("windows-1252"), "{}", text(&read));
    let mut call = kit
        .prepare(
            "write_file",
            json!({"file_path": path, "content": "plain\n"}),
        )
        .await
        .unwrap();
    let error = call.modify("plain\n日本\n").unwrap_err();
    assert!(
        matches!(
            error,
            ModifyError::Encoding {
                character: '日',
                line: 2,
                ..
            }
        ),
        "{error:?}"
    );
    assert!(call.modify("plain\nété\n").unwrap().changed);
}

#[tokio::test]
async fn a_file_that_changes_under_the_question_is_noticed_and_left_alone() {
    let kit = Kit::new();
    let path = kit.write("a.txt", "one\ntwo\n");
    kit.run("read_file", json!({ "file_path": path })).await;
    let args = json!({"file_path": path, "old_string": "two", "new_string": "TWO"});
    let call = kit.prepare("edit", args).await.unwrap();
    assert!(!call.is_stale());
    kit.write("a.txt", "one\ntwo\nby someone else\n");
    assert!(call.is_stale());
    let result = call.execute(kit.context()).await;
    assert_eq!(result.failure.unwrap().code, "FILE_CHANGED_SINCE_READ");
    assert_eq!(kit.read("a.txt"), b"one\ntwo\nby someone else\n");
}

#[tokio::test]
async fn a_question_does_not_wait_for_what_took_the_place_of_its_file() {
    let kit = Kit::new();
    let path = kit.write("a.txt", "one\n");
    kit.run("read_file", json!({ "file_path": path })).await;
    let edit = json!({"file_path": path, "old_string": "one", "new_string": "two"});
    let patch = "*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** End Patch\n";
    let calls = [
        kit.prepare("edit", edit).await.unwrap(),
        kit.prepare("apply_patch", json!({ "patch": patch }))
            .await
            .unwrap(),
    ];
    std::fs::remove_file(&path).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o644.into()).unwrap();
    for call in calls {
        let (answer, answered) = std::sync::mpsc::channel();
        std::thread::spawn(move || answer.send(call.is_stale()));
        let is_stale = answered.recv_timeout(std::time::Duration::from_secs(10));
        assert_eq!(is_stale, Ok(true), "nobody ever writes into the FIFO");
    }
}

#[tokio::test]
async fn a_touched_file_with_the_same_bytes_is_not_stale() {
    let kit = Kit::new();
    let path = kit.write("a.txt", "one\n");
    kit.run("read_file", json!({ "file_path": path })).await;
    let args = json!({"file_path": path, "old_string": "one", "new_string": "two"});
    let call = kit.prepare("edit", args).await.unwrap();
    kit.write("a.txt", "one\n");
    assert!(!call.is_stale());
    assert_eq!(call.execute(kit.context()).await.failure, None);
}

#[tokio::test]
async fn nothing_unread_is_changed() {
    let kit = Kit::new();
    let path = kit.write("a.txt", "one\n");
    let args = json!({"file_path": path, "old_string": "one", "new_string": "two"});
    assert_eq!(
        kit.prepare("edit", args).await.err().unwrap(),
        "EDIT_REQUIRES_PRIOR_READ"
    );
    let args = json!({"file_path": path, "content": "two\n"});
    assert_eq!(
        kit.prepare("write_file", args).await.err().unwrap(),
        "EDIT_REQUIRES_PRIOR_READ"
    );
}

#[tokio::test]
async fn two_edits_of_one_file_see_each_other() {
    let kit = Kit::new();
    let path = kit.write("a.txt", "one\ntwo\n");
    kit.run("read_file", json!({ "file_path": path })).await;
    kit.run(
        "edit",
        json!({"file_path": path, "old_string": "one", "new_string": "ONE"}),
    )
    .await;
    let call = kit
        .prepare(
            "edit",
            json!({"file_path": path, "old_string": "ONE", "new_string": "1"}),
        )
        .await
        .unwrap();
    let stat = shown(&*call).stat;
    assert_eq!(
        (stat.model_added_lines, stat.model_removed_lines),
        (1, 1),
        "its own change alone"
    );
    assert_eq!(call.execute(kit.context()).await.failure, None);
    assert_eq!(kit.read("a.txt"), b"1\ntwo\n");
}

#[tokio::test]
async fn what_the_ignore_file_names_is_hidden() {
    let kit = Kit::new();
    kit.write(".agentignore", "secret*\n");
    let path = kit.write("secret.txt", "x\n");
    assert_eq!(
        kit.prepare("read_file", json!({ "file_path": path }))
            .await
            .err()
            .unwrap(),
        "PATH_IGNORED"
    );
}
