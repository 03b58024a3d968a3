//! Other writers at the same time: none of their versions may be lost.

use crate::support::{Bench, rewrite_in_place};
use files::{Base, Change, ContentHash, Error};
use std::collections::HashSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const N_COMMITS: usize = 200;

/// Puts bytes in the file and gives what they took the place of.
type Write = fn(&Path, &[u8]) -> Vec<u8>;

/// Another program that writes versions until told to stop.
fn write_versions(path: &Path, stop: &AtomicBool, write: Write) -> Written {
    let mut written = Written::default();
    while !stop.load(Ordering::Relaxed) {
        written.n += 1;
        let replaced = write(path, &version(written.n));
        written.replaced.push(replaced);
        // Leaves our own commits a chance: a writer without pause wins every time.
        std::thread::yield_now();
    }
    written
}

fn version(n: usize) -> Vec<u8> {
    format!("outside version {n}.\n").into_bytes()
}

#[derive(Debug, Default)]
struct Written {
    n: usize,
    /// What the writer itself took out, knowingly.
    replaced: Vec<Vec<u8>>,
}

/// Like an editor that writes beside and renames; it exchanges, so that it knows what it took out.
fn replace_by_rename(path: &Path, bytes: &[u8]) -> Vec<u8> {
    let beside = path.with_extension("theirs");
    fs::write(&beside, bytes).expect("a write");
    let flags = rustix::fs::RenameFlags::EXCHANGE;
    rustix::fs::renameat_with(rustix::fs::CWD, &beside, rustix::fs::CWD, path, flags)
        .expect("an exchange");
    let taken_out = fs::read(&beside).expect("a file");
    fs::remove_file(&beside).expect("a file");
    taken_out
}

fn append_in_place(path: &Path, bytes: &[u8]) -> Vec<u8> {
    let mut file = fs::File::options()
        .append(true)
        .open(path)
        .expect("an open file");
    file.write_all(bytes).expect("a write");
    Vec::new()
}

/// Commits over whatever is there, as an agent does that reads again after each conflict.
fn commit_often(bench: &Bench, path: &Path) -> HashSet<&'static str> {
    let mut outcomes = HashSet::new();
    for n in 0..N_COMMITS {
        let base = fs::read(path).expect("always a whole file");
        let mut bytes = base.clone();
        bytes.extend(format!("own line {n}\n").into_bytes());
        let change = Change {
            path,
            base: Base::Bytes {
                bytes: &base,
                hash: ContentHash::of(&base),
            },
            bytes: &bytes,
            backup: bench.backup(),
        };
        outcomes.insert(match bench.committer.commit(&change) {
            Ok(_) => "written",
            Err(Error::Changed { .. }) => "changed",
            Err(Error::Conflict { .. }) => "conflict",
            // Another version came after ours; it is on disk.
            Err(Error::VerificationFailed { .. }) => "overwritten",
            Err(error) => panic!("{error}"),
        });
    }
    outcomes
}

fn race(write: Write) {
    let bench = Bench::new();
    let path = bench.write("f.txt", "start\n");
    let stop = AtomicBool::new(false);
    let (written, outcomes) = std::thread::scope(|scope| {
        let writer = scope.spawn(|| write_versions(&path, &stop, write));
        let outcomes = commit_often(&bench, &path);
        stop.store(true, Ordering::Relaxed);
        (writer.join().expect("the writer"), outcomes)
    });
    bench.committer.settle();
    println!("{} outside versions, outcomes {outcomes:?}", written.n);
    let on_disk = fs::read(&path).expect("a file");
    let blobs = bench.store.blobs.lock().expect("no panic");
    let kept = blobs.values().chain(&written.replaced).chain([&on_disk]);
    let lines: HashSet<&[u8]> = kept
        .flat_map(|bytes| bytes.split_inclusive(|byte| *byte == b'\n'))
        .collect();
    let lost: Vec<usize> = (1..=written.n)
        .filter(|n| !lines.contains(&version(*n)[..]))
        .collect();
    assert!(written.n > N_COMMITS / 10, "there was a race");
    assert_eq!(lost, Vec::<usize>::new(), "of {} versions", written.n);
    assert_eq!(bench.temp_files(), Vec::<String>::new());
    assert_eq!(bench.store.rows(), []);
}

#[test]
fn versions_of_a_renaming_writer_survive() {
    race(replace_by_rename);
}

#[test]
fn versions_of_a_rewriting_writer_survive() {
    race(rewrite_in_place);
}

#[test]
fn lines_of_an_appending_writer_survive() {
    race(append_in_place);
}
