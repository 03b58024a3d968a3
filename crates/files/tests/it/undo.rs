//! Whatever an edit did, the kept bytes put back through the same commit make the file as it was.

use crate::support::Bench;
use files::{Base, Change, ChangeRequest, ContentHash, Decided, LineRanges, ShownAs, apply, plan};
use proptest::prelude::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Lines with breaks of every kind, and bytes that are no UTF-8.
fn some_bytes() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(vec![
        &b"a"[..],
        b"\tb ",
        b"caf\xc3\xa9",
        b"",
        b"x\xa0y",
        b"\xf0\x9f\x90\xb6",
    ]);
    let ended = prop::sample::select(vec![&b"\n"[..], b"\r\n", b"\n", b""]);
    let bom = prop::sample::select(vec![&b""[..], b"\xef\xbb\xbf"]);
    (bom, prop::collection::vec((line, ended), 1..12)).prop_map(|(bom, lines)| {
        let lines = lines
            .into_iter()
            .flat_map(|(line, ended)| [line, ended].concat());
        bom.iter().copied().chain(lines).collect()
    })
}

fn some_text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec!["a", "new", "", "caf\u{e9}"]),
        0..8,
    )
    .prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_edit_that_is_undone_leaves_no_trace(
        bytes in some_bytes(),
        (proposed, by_hand) in (some_text(), prop::option::of(some_text())),
        mode in prop::sample::select(vec![0o600_u32, 0o644, 0o755]),
    ) {
        let bench = Bench::new();
        let path = bench.write("f.txt", &bytes);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("rights");
        bench.note_read(&path, LineRanges::all(99), ShownAs::Text);
        let target = bench.resolve(&path).expect("a path");
        let request = ChangeRequest::Write { content: &proposed };
        // Not every text can be written over every file; then nothing was done.
        let Ok(proposal) = plan(&target, &request, &bench.plan_context()) else {
            prop_assert_eq!(fs::read(&path).expect("a file"), bytes);
            return Ok(());
        };
        let decided = by_hand.as_deref().map_or(Decided::AsProposed, Decided::Text);
        let Ok(applied) = apply(&proposal, decided, &bench.apply_context()) else {
            prop_assert_eq!(fs::read(&path).expect("a file"), bytes);
            return Ok(());
        };
        let after = fs::read(&path).expect("a file");
        prop_assert_eq!(ContentHash::of(&after), applied.committed.hash);
        let kept = bench.store.blobs.lock().expect("no panic").get(&ContentHash::of(&bytes)).cloned();
        let undone = bench.committer.commit(&Change {
            path: &path,
            base: Base::Bytes { bytes: &after, hash: applied.committed.hash },
            bytes: &kept.expect("a backup"),
            backup: bench.backup(),
        });
        prop_assert!(undone.is_ok(), "{undone:?}");
        bench.committer.settle();
        prop_assert_eq!(fs::read(&path).expect("a file"), bytes);
        let mode_now = fs::metadata(&path).expect("a file").permissions().mode() & 0o7777;
        prop_assert_eq!(mode_now, mode);
        prop_assert_eq!(bench.temp_files(), Vec::<String>::new());
    }
}
