//! Patches of several files.

use crate::kit::{Kit, text};
use protocol::confirmation::Preview;
use protocol::log::FileChange;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

fn args(body: &str) -> Value {
    json!({ "patch": format!("*** Begin Patch\n{body}*** End Patch\n") })
}

/// A kit with two files that were read.
async fn read_kit() -> Kit {
    let kit = Kit::new();
    for (name, bytes) in [("a.txt", "one\r\ntwo\r\nthree\r\n"), ("b.sh", "echo b\n")] {
        let path = kit.write(name, bytes);
        kit.run("read_file", json!({ "file_path": path })).await;
    }
    let script = kit.folder.join("b.sh");
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).unwrap();
    kit
}

const ALL_KINDS: &str = "*** Update File: a.txt\n@@ one\n-two\n+TWO\n+more\n*** Add File: sub/new.txt\n+hello\n*** Update File: b.sh\n*** Move to: c.sh\n-echo b\n+echo c\n";

#[tokio::test]
async fn all_files_are_reviewed_at_once_and_land_together() {
    let kit = read_kit().await;
    let call = kit.prepare("apply_patch", args(ALL_KINDS)).await.unwrap();
    let Preview::Info { title, body } = call.question().preview else {
        panic!("the diffs expected");
    };
    assert_eq!(title, "a.txt, sub/new.txt, b.sh, c.sh");
    for words in [
        "--- a/a.txt",
        "+TWO",
        "--- /dev/null\n+++ b/sub/new.txt",
        "+hello",
        "--- a/b.sh\n+++ b/c.sh",
        "+echo c",
    ] {
        assert!(body.contains(words), "{words}: {body}");
    }
    assert!(!call.question().modifiable);
    assert_eq!(
        kit.read("a.txt"),
        b"one\r\ntwo\r\nthree\r\n",
        "preparing changes nothing"
    );
    let result = call.execute(kit.context()).await;
    assert_eq!(result.failure, None);
    assert_eq!(kit.read("a.txt"), b"one\r\nTWO\r\nmore\r\nthree\r\n");
    assert_eq!(kit.read("sub/new.txt"), b"hello\n");
    assert_eq!(kit.read("c.sh"), b"echo c\n");
    assert!(!kit.folder.join("b.sh").exists());
    let mode = std::fs::metadata(kit.folder.join("c.sh"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o755, "a script stays one");
    assert_eq!(result.files.len(), 4);
    assert!(
        result
            .files
            .iter()
            .all(|row| row.change == FileChange::Patch)
    );
    assert!(text(&result).contains("Moved "), "{}", text(&result));
    let edit = json!({"file_path": kit.folder.join("c.sh"), "old_string": "echo c", "new_string": "echo d"});
    assert_eq!(
        kit.run("edit", edit).await.failure,
        None,
        "the model knows what it moved"
    );
}

#[tokio::test]
async fn the_model_sees_what_a_patch_left_and_what_it_should_know() {
    let kit = Kit::new();
    let old: Vec<u8> = [b"caf\xe9 cr\xe8me\n".as_slice(), &b"line\n".repeat(20)].concat();
    let path = kit.write("old.txt", old);
    kit.run("read_file", json!({ "file_path": path })).await;
    let body = "*** Update File: old.txt\n-café crème\n+café brûlé\n";
    let call = kit.prepare("apply_patch", args(body)).await.unwrap();
    let codes: Vec<String> = call
        .question()
        .warnings
        .into_iter()
        .map(|warning| warning.code)
        .collect();
    assert_eq!(codes, ["ENCODING_GUESSED"]);
    let result = call.execute(kit.context()).await;
    let told = text(&result);
    for words in [
        "Updated ",
        "Warning: ",
        "windows-1252",
        "1\tcafé brûlé\n2\tline\n",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(
        !told.contains("6\tline"),
        "lines far away are not shown: {told}"
    );
}

#[tokio::test]
async fn a_file_goes_only_if_it_was_read() {
    let kit = read_kit().await;
    kit.write("unread.txt", "x\n");
    let refused = kit
        .prepare("apply_patch", args("*** Delete File: unread.txt\n"))
        .await;
    assert_eq!(refused.err().unwrap(), "EDIT_REQUIRES_PRIOR_READ");
    let result = kit
        .run("apply_patch", args("*** Delete File: b.sh\n"))
        .await;
    assert_eq!(result.failure, None);
    assert!(!kit.folder.join("b.sh").exists());
    assert_eq!(result.files[0].after_hash, None);
    assert!(kit.backup.holds(b"echo b\n"));
}

#[tokio::test]
async fn a_failing_file_takes_the_others_back() {
    let kit = read_kit().await;
    let body = format!("{ALL_KINDS}*** Add File: last.txt\n+x\n");
    xattr::set(kit.folder.join("b.sh"), "user.note", b"keep").unwrap();
    let call = kit.prepare("apply_patch", args(&body)).await.unwrap();
    assert!(!call.is_stale());
    kit.write("last.txt", "by someone else\n");
    assert!(call.is_stale());
    let result = call.execute(kit.context()).await;
    let failure = result.failure.unwrap();
    assert_eq!(failure.code, "FILE_CHANGED_SINCE_READ");
    assert!(
        failure.message.contains("file 4 of 4"),
        "{}",
        failure.message
    );
    assert!(
        failure.message.contains("no file is changed"),
        "{}",
        failure.message
    );
    assert_eq!(result.files, []);
    assert_eq!(kit.read("a.txt"), b"one\r\ntwo\r\nthree\r\n");
    assert_eq!(kit.read("b.sh"), b"echo b\n");
    assert_eq!(kit.read("last.txt"), b"by someone else\n");
    assert!(!kit.folder.join("c.sh").exists() && !kit.folder.join("sub").exists());
    let mode = std::fs::metadata(kit.folder.join("b.sh"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o755);
    assert_eq!(note(&kit, "b.sh").as_deref(), Some("keep"));
}

/// An attribute of a file.
fn note(kit: &Kit, name: &str) -> Option<String> {
    let value = xattr::get(kit.folder.join(name), "user.note").unwrap();
    value.map(|value| String::from_utf8(value).unwrap())
}

#[tokio::test]
async fn a_file_that_moves_keeps_its_attributes() {
    let kit = read_kit().await;
    xattr::set(kit.folder.join("b.sh"), "user.note", b"keep").unwrap();
    let body = "*** Update File: b.sh\n*** Move to: c.sh\n-echo b\n+echo c\n";
    let result = kit.run("apply_patch", args(body)).await;
    assert_eq!(result.failure, None);
    assert_eq!(note(&kit, "c.sh").as_deref(), Some("keep"));
    assert!(!text(&result).contains("Warning"), "{}", text(&result));
}

#[tokio::test]
async fn another_spelling_of_a_path_is_named() {
    let kit = read_kit().await;
    let path = kit.write("my file.txt", "one\n");
    kit.run("read_file", json!({ "file_path": path })).await;
    let escaped = path.replace(' ', "\\ ");
    let named = format!("The path was taken without shell escapes: {path}.");
    let edit = json!({"file_path": escaped, "old_string": "one", "new_string": "two"});
    let write = json!({"file_path": format!(" {path} "), "content": "three\n"});
    let patch = args(&format!("*** Update File: {escaped}\n-three\n+four\n"));
    let done = kit.run("edit", edit).await;
    assert!(text(&done).contains(&named), "{}", text(&done));
    let done = kit.run("write_file", write).await;
    assert!(
        text(&done).contains("without surrounding white space"),
        "{}",
        text(&done)
    );
    let done = kit.run("apply_patch", patch).await;
    assert!(text(&done).contains(&named), "{}", text(&done));
    assert_eq!(kit.read("my file.txt"), b"four\n");
}

#[tokio::test]
async fn a_half_of_a_move_that_stays_is_named() {
    let kit = read_kit().await;
    let body = "*** Update File: b.sh\n*** Move to: c.sh\n-echo b\n+echo c\n";
    let call = kit.prepare("apply_patch", args(body)).await.unwrap();
    let (old, new) = (kit.folder.join("b.sh"), kit.folder.join("c.sh"));
    let (theirs, other) = (old.clone(), new.clone());
    files::run_at(&old, files::Moment::AfterJournal, move || {
        std::fs::write(theirs, "by someone else\n").unwrap();
        std::fs::write(other, "by someone else too\n").unwrap();
    });
    let result = call.execute(kit.context()).await;
    let message = result.failure.unwrap().message;
    assert!(!message.contains("no file is changed"), "{message}");
    assert!(
        message.contains(&format!("Created {}.", new.display())),
        "{message}"
    );
    assert_eq!(kit.read("b.sh"), b"by someone else\n");
    assert_eq!(kit.read("c.sh"), b"by someone else too\n");
}

#[tokio::test]
async fn everything_that_is_wrong_is_told_at_once() {
    let kit = read_kit().await;
    let body = "*** Update File: a.txt\n-nothing like it\n*** Add File: b.sh\n+x\n*** Update File: gone.txt\n-x\n";
    let (invocation, _) = kit.registry.build("apply_patch", &args(body)).unwrap();
    let mut call = invocation;
    let failure = call.prepare(&kit.context()).await.unwrap_err();
    assert_eq!(failure.code, "EDIT_NO_OCCURRENCE_FOUND");
    for words in ["chunk 1", "b.sh", "gone.txt"] {
        assert!(
            failure.message.contains(words),
            "{words}: {}",
            failure.message
        );
    }
}

#[tokio::test]
async fn patches_that_make_no_sense_are_refused() {
    let kit = read_kit().await;
    let check = async |patch: Value, code: &str| {
        assert_eq!(
            kit.prepare("apply_patch", patch.clone())
                .await
                .err()
                .unwrap(),
            code,
            "{patch}"
        );
    };
    check(json!({"patch": "hello"}), "INVALID_TOOL_PARAMS").await;
    check(args(""), "EDIT_NO_CHANGE").await;
    check(
        args("*** Delete File: a.txt\n*** Update File: a.txt\n-one\n"),
        "INVALID_TOOL_PARAMS",
    )
    .await;
    check(
        args("*** Update File: a.txt\n*** Move to: b.sh\n"),
        "ATTEMPT_TO_CREATE_EXISTING_FILE",
    )
    .await;
    check(args("*** Update File: a.txt\n one\n"), "EDIT_NO_CHANGE").await;
    check(
        args("*** Add File: ../outside/../../x\n+x\n"),
        "INVALID_TOOL_PARAMS",
    )
    .await;
}

#[tokio::test]
async fn bytes_that_are_no_text_stay_outside_of_a_patch() {
    let kit = Kit::new();
    let bytes = ["\u{e9}\u{e9} head\n".as_bytes(), b"x\xff\n", b"tail\n"].concat();
    let path = kit.write("half.txt", &bytes);
    kit.run("read_file", json!({ "file_path": path })).await;
    let refused = args("*** Update File: half.txt\n x\u{fffd}\n-tail\n+TAIL\n");
    assert_eq!(
        kit.prepare("apply_patch", refused).await.err().unwrap(),
        "ENCODING_REPLACEMENT_CHAR"
    );
    let patch = args("*** Update File: half.txt\n-tail\n+TAIL\n");
    let result = kit.run("apply_patch", patch).await;
    assert_eq!(result.failure, None);
    let expected = ["\u{e9}\u{e9} head\n".as_bytes(), b"x\xff\n", b"TAIL\n"].concat();
    assert_eq!(kit.read("half.txt"), expected);
}
