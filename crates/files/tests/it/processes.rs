//! Second processes: one that is killed in the middle of a commit, and one that writes the same file all the time.
//!
//! The second process is this very test program, started again for one test that does as its environment says.

use crate::support::rewrite_in_place;
use files::{
    Backup, BackupError, Base, Change, CommitOptions, Committer, ContentHash, Error, Fsync,
    InPlace, JournalId, JournalRow, Moment, Recovered, recover, run_at,
};
use rustix::process::Signal;
use std::collections::HashSet;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

/// What the second process does: `part <name> <argument>`.
const PART: &str = "BENCHDOG_TEST_PART";
/// How often the second process of a race writes. 10,000 for a long look.
const ROUNDS: &str = "BENCHDOG_RACE_ROUNDS";
const DEFAULT_ROUNDS: usize = 1_000;

const OLD: &[u8] = b"old\nversion\n";
const NEW: &[u8] = b"the new\nversion is longer\n";
const MODE: u32 = 0o640;

#[expect(
    clippy::disallowed_methods,
    reason = "how tests are told what to do, not the program"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a second process is what these tests are about"
)]
fn start(part: &str, folder: &Path, argument: &str) -> Child {
    Command::new(std::env::current_exe().expect("the path of this program"))
        .args(["--exact", "processes::the_other_process", "--nocapture"])
        .env(PART, format!("{part} {argument} {}", folder.display()))
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("a second process")
}

/// No test of its own: what the second process does. Without being told it does nothing.
#[test]
fn the_other_process() {
    let Some(told) = variable(PART) else {
        return;
    };
    let mut words = told.splitn(3, ' ');
    let part = words.next().expect("a part");
    let argument = words.next().expect("an argument");
    let folder = PathBuf::from(words.next().expect("a folder"));
    match part {
        "commit" => commit_until_killed(&folder, argument),
        "write" => write_often(&folder, argument),
        other => panic!("no part {other}"),
    }
}

// A commit that is killed.

/// Blobs and journal rows in files, so that they outlive the process.
#[derive(Debug)]
struct FolderBackup(PathBuf);

impl FolderBackup {
    fn new(folder: &Path) -> Self {
        for name in ["blobs", "rows"] {
            fs::create_dir_all(folder.join("store").join(name)).expect("a folder");
        }
        Self(folder.join("store"))
    }

    fn holds(&self, bytes: &[u8]) -> bool {
        fs::read(self.0.join("blobs").join(ContentHash::of(bytes).to_hex())).is_ok()
    }

    fn rows(&self) -> Vec<(JournalId, JournalRow)> {
        let entries = fs::read_dir(self.0.join("rows")).expect("a folder");
        entries
            .map(|entry| {
                let path = entry.expect("an entry").path();
                let id = path
                    .file_name()
                    .and_then(|name| name.to_str()?.parse().ok());
                let text = fs::read_to_string(&path).expect("a row");
                let mut fields = text.split('\n');
                let mut next = || fields.next().unwrap_or_default().to_owned();
                let row = JournalRow {
                    target: next().into(),
                    temp_name: next(),
                    base: ContentHash::from_hex(&next()),
                    new: ContentHash::from_hex(&next()),
                    mode: next().parse().ok(),
                };
                (JournalId(id.expect("a number")), row)
            })
            .collect()
    }
}

impl Backup for FolderBackup {
    fn put(&self, bytes: &[u8]) -> Result<ContentHash, BackupError> {
        let hash = ContentHash::of(bytes);
        fs::write(self.0.join("blobs").join(hash.to_hex()), bytes)?;
        Ok(hash)
    }

    fn journal_prepared(&self, row: &JournalRow) -> Result<JournalId, BackupError> {
        let hex = |hash: Option<ContentHash>| hash.map(|hash| hash.to_hex()).unwrap_or_default();
        let text = format!(
            "{}\n{}\n{}\n{}\n{}",
            row.target.display(),
            row.temp_name,
            hex(row.base),
            hex(row.new),
            row.mode.map(|mode| mode.to_string()).unwrap_or_default()
        );
        fs::write(self.0.join("rows/1"), text)?;
        Ok(JournalId(1))
    }

    fn journal_done(&self, id: JournalId) -> Result<(), BackupError> {
        Ok(fs::remove_file(self.0.join("rows").join(id.0.to_string()))?)
    }

    fn late_write(&self, _path: &Path, _hash: ContentHash) {}
}

fn committer(folder: &Path) -> Committer {
    let lock_folder = folder.join("locks");
    fs::create_dir_all(&lock_folder).expect("a folder");
    Committer::new(CommitOptions {
        fsync: Fsync::Off,
        in_place: InPlace::Allowed,
        lock_folder,
    })
}

const MOMENTS: [(&str, Moment); 5] = [
    ("journal", Moment::AfterJournal),
    ("temp", Moment::TempWritten),
    ("exchange", Moment::AtExchange),
    ("exchanged", Moment::AfterExchange),
    ("linger", Moment::DuringLinger),
];

/// The second process: `replace/temp` commits and dies when that moment comes.
fn commit_until_killed(folder: &Path, argument: &str) {
    let (what, moment) = argument.split_once('/').expect("what and when");
    let (_, moment) = MOMENTS
        .iter()
        .find(|(name, _)| *name == moment)
        .expect("a moment");
    let path = folder.join("f.txt");
    run_at(&path, *moment, || {
        let me = rustix::process::getpid();
        rustix::process::kill_process(me, Signal::KILL).expect("a signal");
    });
    let (committer, backup) = (committer(folder), Arc::new(FolderBackup::new(folder)));
    let old = Base::Bytes {
        bytes: OLD,
        hash: ContentHash::of(OLD),
    };
    let change = |base| Change {
        path: &path,
        base,
        bytes: NEW,
        backup: backup.clone(),
    };
    match what {
        "replace" => drop(committer.commit(&change(old))),
        "create" => drop(committer.commit(&change(Base::Absent))),
        "delete" => drop(committer.delete(&path, old, backup.clone())),
        other => panic!("no change {other}"),
    }
    committer.settle();
}

fn killed(status: ExitStatus) -> bool {
    status.signal() == Some(Signal::KILL.as_raw())
}

/// Kills a commit at a moment and starts anew. Gives what the file holds then.
#[track_caller]
fn kill_at(what: &str, moment: &str) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("a real folder");
    let path = folder.join("f.txt");
    if what != "create" {
        fs::write(&path, OLD).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(MODE)).expect("rights");
    }
    let mut child = start("commit", &folder, &format!("{what}/{moment}"));
    let status = child.wait().expect("the end");
    assert!(killed(status), "{what} at {moment}: {status}");

    let backup = FolderBackup::new(&folder);
    for (id, row) in backup.rows() {
        let found = recover(id, &row, &backup).expect("a recovery");
        assert_ne!(found, Recovered::Unknown, "{what} at {moment}");
    }
    assert_eq!(
        backup.rows(),
        [],
        "{what} at {moment}: the journal is settled"
    );
    let names: Vec<_> = crate::support::names(&folder)
        .into_iter()
        .filter(|name| name.starts_with(".~bd-"))
        .collect();
    assert_eq!(
        names,
        Vec::<String>::new(),
        "{what} at {moment}: nothing is left"
    );
    if what != "create" {
        assert!(backup.holds(OLD), "{what} at {moment}: there is a backup");
        if let Ok(meta) = fs::metadata(&path) {
            let mode = meta.permissions().mode() & 0o7777;
            assert_eq!(mode, MODE, "{what} at {moment}: the rights are kept");
        }
    }
    fs::read(&path).ok()
}

#[test]
fn a_commit_that_is_killed_leaves_the_old_file_or_the_new_one() {
    for (moment, replaced) in [
        ("journal", OLD),
        ("temp", OLD),
        ("exchange", OLD),
        ("exchanged", NEW),
        ("linger", NEW),
    ] {
        assert_eq!(
            kill_at("replace", moment).as_deref(),
            Some(replaced),
            "{moment}"
        );
    }
}

#[test]
fn a_creation_that_is_killed_leaves_no_file_or_the_whole_one() {
    for (moment, made) in [
        ("journal", None),
        ("temp", None),
        ("exchange", None),
        ("exchanged", Some(NEW)),
    ] {
        assert_eq!(kill_at("create", moment).as_deref(), made, "{moment}");
    }
}

#[test]
fn a_removal_that_is_killed_leaves_the_whole_file_or_none() {
    for (moment, left) in [
        ("journal", Some(OLD)),
        ("exchange", Some(OLD)),
        ("exchanged", None),
        ("linger", None),
    ] {
        assert_eq!(kill_at("delete", moment).as_deref(), left, "{moment}");
    }
}

// A race with another process.

fn version(n: usize) -> Vec<u8> {
    format!("outside version {n}.\n").into_bytes()
}

fn rounds() -> usize {
    variable(ROUNDS)
        .and_then(|text| text.parse().ok())
        .unwrap_or(DEFAULT_ROUNDS)
}

/// The second process: writes versions, and at last what it took out itself, knowingly.
fn write_often(folder: &Path, how: &str) {
    let path = folder.join("f.txt");
    let mut taken: HashSet<Vec<u8>> = HashSet::new();
    let mut chance = 0x9e37_79b9_u64;
    for n in 1..=rounds() {
        let before = match how {
            "rename" => replace_by_rename(&path, &version(n)),
            "rewrite" => rewrite_in_place(&path, &version(n)),
            "append" => append(&path, &version(n)),
            other => panic!("no way {other}"),
        };
        taken.extend(
            before
                .split_inclusive(|byte| *byte == b'\n')
                .map(<[u8]>::to_vec),
        );
        // Sometimes long enough for a commit of the other side, sometimes into the middle of one.
        chance = chance
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        std::thread::sleep(Duration::from_micros((chance >> 33) % 2_500));
    }
    let all: Vec<u8> = taken.into_iter().flatten().collect();
    fs::write(folder.join("taken"), all).expect("a file");
}

/// Like an editor that writes beside and renames; it exchanges, so that it knows what it took out.
fn replace_by_rename(path: &Path, bytes: &[u8]) -> Vec<u8> {
    let beside = path.with_extension("theirs");
    fs::write(&beside, bytes).expect("a write");
    let flags = rustix::fs::RenameFlags::EXCHANGE;
    rustix::fs::renameat_with(rustix::fs::CWD, &beside, rustix::fs::CWD, path, flags)
        .expect("an exchange");
    fs::read(&beside).expect("a file")
}

fn append(path: &Path, bytes: &[u8]) -> Vec<u8> {
    let mut file = fs::File::options().append(true).open(path).expect("a file");
    file.write_all(bytes).expect("a write");
    Vec::new()
}

/// Commits over whatever is there until the other process has ended. Gives how often each outcome came.
fn commit_meanwhile(bench: &crate::support::Bench, path: &Path, other: &mut Child) -> [usize; 4] {
    let mut outcomes = [0; 4];
    let mut n = 0;
    while other.try_wait().expect("the other process").is_none() {
        n += 1;
        let base = fs::read(path).expect("always a file");
        let own = format!("own version {n}\n").into_bytes();
        let change = Change {
            path,
            base: Base::Bytes {
                bytes: &base,
                hash: ContentHash::of(&base),
            },
            bytes: &own,
            backup: bench.backup(),
        };
        let outcome = match bench.committer.commit(&change) {
            Ok(_) => 0,
            Err(Error::Changed { .. }) => 1,
            Err(Error::Conflict { .. }) => 2,
            // Another version came after ours; it is on disk.
            Err(Error::VerificationFailed { .. }) => 3,
            Err(error) => panic!("{error}"),
        };
        outcomes[outcome] += 1;
    }
    outcomes
}

/// Every version of the other process is on disk, was kept by us, or was taken out by itself.
fn race(how: &str) {
    let bench = crate::support::Bench::new();
    let path = bench.write("f.txt", "start\n");
    let mut other = start("write", &bench.ws(), how);
    let outcomes = commit_meanwhile(&bench, &path, &mut other);
    assert!(
        other.wait().expect("the end").success(),
        "the other process"
    );
    bench.committer.settle();
    println!(
        "{how}: {} outside versions; written, changed, conflict, overwritten: {outcomes:?}",
        rounds()
    );
    let on_disk = fs::read(&path).expect("a file");
    let taken = fs::read(bench.path("taken")).expect("what the other process took out");
    let blobs = bench.store.blobs.lock().expect("no panic");
    let lines: HashSet<&[u8]> = blobs
        .values()
        .chain([&taken, &on_disk])
        .flat_map(|bytes| bytes.split_inclusive(|byte| *byte == b'\n'))
        .collect();
    let lost: Vec<usize> = (1..=rounds())
        .filter(|n| !lines.contains(&version(*n)[..]))
        .collect();
    assert_eq!(lost, Vec::<usize>::new(), "of {} versions", rounds());
    assert!(outcomes[0] > 0, "some of ours were written");
    assert_eq!(bench.temp_files(), Vec::<String>::new());
    assert_eq!(bench.store.rows(), []);
}

#[test]
fn versions_of_a_process_that_renames_survive() {
    race("rename");
}

#[test]
fn versions_of_a_process_that_rewrites_survive() {
    race("rewrite");
}

#[test]
fn lines_of_a_process_that_appends_survive() {
    race("append");
}
