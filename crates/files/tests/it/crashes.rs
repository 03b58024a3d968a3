//! What the next start finds and cleans up.

use crate::commit::{assert_clean, replace};
use crate::support::Bench;
use files::{Fault, Recovered, arm, recover};
use std::fs;

#[test]
fn a_crash_is_cleaned_up_at_the_next_start() {
    let table: [(Fault, &[u8], Recovered); 2] = [
        (Fault::KillBeforeExchange, b"old", Recovered::NotDone),
        (Fault::KillAfterExchange, b"new", Recovered::Done),
    ];
    for (fault, expected, found) in table {
        let bench = Bench::new();
        let path = bench.write("f.txt", "old");
        let killed = arm(&path, fault);
        replace(&bench, &path, b"old", b"new").expect_err("the end");
        drop(killed);
        assert_eq!(bench.temp_files().len(), 1, "the crash leaves a file");
        let rows = bench.store.rows();
        assert_eq!(rows.len(), 1, "the crash leaves a row");
        let (id, row) = &rows[0];
        assert_eq!(recover(*id, row, &*bench.store).expect("a recovery"), found);
        assert_eq!(fs::read(&path).expect("a file"), expected);
        assert!(bench.store.holds(b"old"), "there is a backup");
        assert_clean(&bench);
    }
}

#[test]
fn recovery_keeps_what_may_be_the_only_copy() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "old");
    let killed = arm(&path, Fault::KillAfterExchange);
    replace(&bench, &path, b"old", b"new").expect_err("the end");
    drop(killed);
    let temp = bench.path(&bench.temp_files()[0]);
    fs::write(&temp, "late").expect("a late writer");
    let (id, row) = bench.store.rows().remove(0);
    assert_eq!(
        recover(id, &row, &*bench.store).expect("a recovery"),
        Recovered::Done
    );
    assert!(bench.store.holds(b"late"));
    assert_clean(&bench);

    let path = bench.write("g.txt", "old");
    let killed = arm(&path, Fault::KillBeforeExchange);
    replace(&bench, &path, b"old", b"new").expect_err("the end");
    drop(killed);
    fs::write(&path, "theirs").expect("someone else");
    let (id, row) = bench.store.rows().remove(0);
    assert_eq!(
        recover(id, &row, &*bench.store).expect("a recovery"),
        Recovered::Unknown
    );
    assert_eq!(bench.temp_files().len(), 1, "nothing is deleted");
    assert_eq!(bench.store.rows().len(), 1, "and the row stays");
}
