//! Each refusal says what the model needs to go on.

use files::{
    ContentHash, Error, ForbiddenClass, Kept, Noticed, OutsideChange, PageUnit, PriorRead,
    SizePurpose, SpecialKind, WriteOutcome,
};
use std::io;
use std::path::PathBuf;

fn path() -> PathBuf {
    PathBuf::from("/ws/f.txt")
}

fn system() -> io::Error {
    io::Error::from_raw_os_error(5)
}

fn check(error: &Error, code: &str, reason: Option<&str>, words: &[&str]) {
    let message = error.to_string();
    assert_eq!((error.code(), error.reason()), (code, reason), "{message}");
    for word in words {
        assert!(
            message.contains(word),
            "{code}: no \"{word}\" in: {message}"
        );
    }
    assert!(message.chars().count() <= 1_500, "{message}");
}

#[test]
fn about_places() {
    let forbidden = Error::Forbidden {
        path: path(),
        class: ForbiddenClass::Device,
    };
    check(
        &forbidden,
        "PATH_FORBIDDEN",
        None,
        &["/ws/f.txt", "device", "Do not retry"],
    );
    let outside = Error::NotInWorkspace {
        path: path(),
        roots: vec!["/a".into(), "/b".into()],
    };
    check(
        &outside,
        "PATH_NOT_IN_WORKSPACE",
        None,
        &["/ws/f.txt", "/a, /b", "user can grant"],
    );
    let ignored = Error::Ignored {
        path: path(),
        pattern: "*.txt".into(),
    };
    check(&ignored, "PATH_IGNORED", None, &["/ws/f.txt", "`*.txt`"]);
}

#[test]
fn about_files_that_are_something_else() {
    let missing = Error::NotFound {
        path: path(),
        suggestions: vec!["/ws/g.txt".into()],
    };
    check(
        &missing,
        "FILE_NOT_FOUND",
        None,
        &["/ws/g.txt", "empty old_string", "create"],
    );
    let exists = Error::AlreadyExists {
        path: path(),
        size: 12,
    };
    check(
        &exists,
        "ATTEMPT_TO_CREATE_EXISTING_FILE",
        None,
        &["12 bytes", "Read it", "write_file"],
    );
    check(
        &Error::IsDirectory { path: path() },
        "TARGET_IS_DIRECTORY",
        None,
        &["list_directory"],
    );
    let pipe = Error::NotRegular {
        path: path(),
        kind: SpecialKind::Fifo,
    };
    check(
        &pipe,
        "TARGET_NOT_REGULAR_FILE",
        None,
        &["FIFO", "only regular files"],
    );
    let notebook = Error::WrongTool { path: path() };
    check(
        &notebook,
        "EDIT_WRONG_TOOL",
        Some("notebook"),
        &["notebook_edit"],
    );
}

#[test]
fn about_sizes_and_rights() {
    let too_large = |purpose| Error::TooLarge {
        path: path(),
        size: 99,
        limit: 10,
        purpose,
    };
    check(
        &too_large(SizePurpose::Read),
        "FILE_TOO_LARGE",
        None,
        &["99", "10", "offset and limit"],
    );
    check(
        &too_large(SizePurpose::Edit),
        "FILE_TOO_LARGE",
        None,
        &["shell command"],
    );
    check(
        &too_large(SizePurpose::Result),
        "FILE_TOO_LARGE",
        Some("result"),
        &["nothing was written"],
    );
}

#[test]
fn about_rights_and_content() {
    let read_only = Error::ReadOnly {
        path: path(),
        mode: 0o444,
    };
    check(
        &read_only,
        "FILE_READ_ONLY",
        None,
        &["0444", "Ask the user", "do not chmod"],
    );
    let denied = Error::PermissionDenied {
        operation: "open",
        path: path(),
        source: system(),
    };
    check(&denied, "PERMISSION_DENIED", None, &["open", "os error 5"]);
    let unread = Error::ReadFailed {
        operation: "read",
        path: path(),
        source: system(),
    };
    check(
        &unread,
        "READ_CONTENT_FAILURE",
        None,
        &["read", "os error 5"],
    );
    let offset = Error::OffsetOutOfRange {
        path: path(),
        offset: 9,
        n_lines: 3,
        unit: PageUnit::Line,
    };
    check(&offset, "OFFSET_OUT_OF_RANGE", None, &["3 lines"]);
}

#[test]
fn about_what_the_model_knows() {
    let unread = |need| Error::RequiresPriorRead { path: path(), need };
    let code = "EDIT_REQUIRES_PRIOR_READ";
    check(
        &unread(PriorRead::AnyPart),
        code,
        None,
        &["read_file", "the part to change is enough"],
    );
    check(
        &unread(PriorRead::Whole),
        code,
        None,
        &["whole file", "would be lost"],
    );
    check(
        &unread(PriorRead::NonText),
        code,
        Some("non_text"),
        &["will not help"],
    );
}

#[test]
fn about_changes_by_others() {
    let changed = |change, noticed| Error::Changed {
        path: path(),
        change,
        noticed,
    };
    let code = "FILE_CHANGED_SINCE_READ";
    let table = [
        (
            OutsideChange::Changed,
            Noticed::BeforePlanning,
            "changed",
            "after it was read",
        ),
        (
            OutsideChange::Changed,
            Noticed::WhilePlanning,
            "changed",
            "while the change was planned",
        ),
        (
            OutsideChange::Deleted,
            Noticed::WhileWaiting,
            "deleted",
            "waited for approval",
        ),
        (
            OutsideChange::Appeared,
            Noticed::AtCommit,
            "appeared",
            "right before the write",
        ),
    ];
    for (change, noticed, reason, when) in table {
        let words = [when, "Nothing was written", "read it again"];
        check(&changed(change, noticed), code, Some(reason), &words);
    }
    let unverifiable = Error::Unverifiable {
        path: path(),
        source: system(),
    };
    check(
        &unverifiable,
        "PRIOR_READ_VERIFICATION_FAILED",
        None,
        &["os error 5", "read it again"],
    );
}

#[test]
fn about_writing() {
    let backup = Error::BackupFailed {
        path: path(),
        source: "full".into(),
    };
    check(
        &backup,
        "BACKUP_FAILED",
        None,
        &["nothing was written", "no backup"],
    );
    let full = Error::NoSpace {
        path: path(),
        source: system(),
    };
    check(&full, "NO_SPACE_LEFT", None, &["os error 5", "unchanged"]);
    let failed = |outcome| Error::WriteFailed {
        path: path(),
        outcome,
        source: system(),
    };
    let code = "FILE_WRITE_FAILURE";
    check(
        &failed(WriteOutcome::Unchanged),
        code,
        None,
        &["os error 5", "unchanged"],
    );
    check(&failed(WriteOutcome::Restored), code, None, &["put back"]);
    let backup = ContentHash::of(b"old");
    let partial = failed(WriteOutcome::Partial { backup });
    check(&partial, code, Some("partial_write"), &[&backup.to_hex()]);
    let in_place = failed(WriteOutcome::InPlaceNotAllowed);
    check(&in_place, code, Some("in_place_not_allowed"), &["settings"]);
}

#[test]
fn about_the_end_of_a_write() {
    let conflict = |kept| Error::Conflict { path: path(), kept };
    let words = ["at the moment of writing", "in place"];
    check(
        &conflict(Kept::Restored),
        "WRITE_CONFLICT",
        Some("restored"),
        &words,
    );
    check(
        &conflict(Kept::Both),
        "WRITE_CONFLICT",
        Some("kept_both"),
        &["both versions are kept"],
    );
    let unverified = Error::VerificationFailed { path: path() };
    check(
        &unverified,
        "WRITE_VERIFICATION_FAILED",
        None,
        &["state is unknown", "read it again"],
    );
    let kept = Error::KeptOriginal { path: path() };
    check(
        &kept,
        "USER_KEPT_ORIGINAL",
        None,
        &["back to the original", "unchanged"],
    );
    let internal = Error::Preparation {
        path: path(),
        source: system(),
    };
    check(
        &internal,
        "EDIT_PREPARATION_FAILURE",
        None,
        &["Try once more", "tell the user"],
    );
}
