//! A shared case on a real disk: what is there before, what happens beside the call, and what must be there after.
//!
//! Used by the tests of every layer that runs the cases, so that all of them judge alike. Deliberately absent: the
//! call itself.

use files::{
    Armed, ContentHash, Fault, LineRanges, Moment, ReadCache, ReadRecord, ShownAs, arm, run_at,
};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Most of a case is waiting for the displaced file, so many run at a time.
const N_THREADS: usize = 16;

/// The cases of one list.
pub(crate) fn cases(list: &str) -> Vec<Value> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/fixtures/cases/edit-cases.json"
    );
    let text = fs::read_to_string(path).expect("the case file");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    file[list].as_array().expect("a list").clone()
}

/// Runs cases side by side; fails with all that do not end as they should.
pub(crate) fn run_all(cases: &[&Value], run: fn(&Value) -> Result<(), String>) {
    let run_some = |cases: &[&Value]| -> Vec<String> {
        let failure = |case: &&Value| {
            let problem = run(case).err()?;
            Some(format!("{}: {problem}", case["id"].as_str().unwrap_or("?")))
        };
        cases.iter().filter_map(failure).collect()
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let chunks = cases.chunks(cases.len().div_ceil(N_THREADS));
        let threads: Vec<_> = chunks
            .map(|chunk| scope.spawn(move || run_some(chunk)))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    assert!(
        failures.is_empty(),
        "{} of {} cases fail:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

/// What a call ended with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    Written {
        layer: String,
        /// A person had to look.
        confirm: bool,
        warnings: Vec<String>,
    },
    Refused {
        code: String,
        reason: Option<String>,
        message: String,
    },
}

/// A case in a workspace.
pub(crate) struct Scene<'c> {
    pub(crate) case: &'c Value,
    workspace: PathBuf,
    outside: PathBuf,
    /// The file by the name the model uses.
    pub(crate) path: PathBuf,
    /// The file that holds the bytes.
    pub(crate) file: PathBuf,
}

impl<'c> Scene<'c> {
    /// Both folders exist; names of links in them are resolved.
    pub(crate) fn new(case: &'c Value, workspace: PathBuf, outside: PathBuf) -> Self {
        let setup = &case["setup"];
        let name = setup["path"]
            .as_str()
            .unwrap_or("{ws}/f{ext}")
            .replace("{ext}", setup["ext"].as_str().unwrap_or(".txt"));
        let path = PathBuf::from(name.replace("{ws}", workspace.to_str().expect("UTF-8")));
        Self {
            case,
            workspace,
            outside,
            file: path.clone(),
            path,
        }
    }

    pub(crate) fn setup(&self) -> &'c Value {
        &self.case["setup"]
    }

    /// Makes the file, and has the model read it as the case says.
    pub(crate) fn lay_out(&mut self, cache: &ReadCache, ignore_name: &str, now_ns: i64) {
        self.make_special();
        let before = bytes_of(&self.case["before"]);
        let is_writable = self.file.parent().is_some_and(Path::is_dir);
        if let Some(before) = before.filter(|_| is_writable) {
            fs::write(&self.file, before).expect("the file before");
            self.set_metadata();
            self.note_read(cache, now_ns);
        }
        if self.setup()["ignored"] == true {
            fs::write(self.workspace.join(ignore_name), "f.*\n").expect("an ignore file");
        }
    }

    fn make_special(&mut self) {
        match self.setup()["kind"].as_str() {
            Some("directory") => fs::create_dir(&self.path).expect("a folder"),
            Some("fifo") => {
                rustix::fs::mkfifoat(rustix::fs::CWD, &self.path, 0o644.into()).expect("a FIFO")
            }
            Some("char_device") => make_device(&self.path),
            Some("dangling_symlink") => {
                symlink(self.workspace.join("missing"), &self.path).expect("a link")
            }
            Some("symlink_to_file") => {
                self.file = self.workspace.join("target.txt");
                symlink("target.txt", &self.path).expect("a link");
            }
            Some("symlink_outside") => {
                self.file = self.outside.join("target.txt");
                symlink(&self.file, &self.path).expect("a link");
            }
            Some("hardlink") | None => {}
            Some(other) => panic!("unknown kind {other}"),
        }
    }

    fn set_metadata(&self) {
        let setup = self.setup();
        if setup["kind"] == "hardlink" {
            fs::hard_link(&self.file, self.other_name()).expect("a second name");
        }
        if let Some(mode) = setup["mode"].as_str() {
            let mode = u32::from_str_radix(mode, 8).expect("octal");
            fs::set_permissions(&self.file, fs::Permissions::from_mode(mode)).expect("a mode");
        }
        for (name, value) in setup["xattr"].as_object().into_iter().flatten() {
            let value = value.as_str().expect("text").as_bytes();
            xattr::set(&self.file, name, value).expect("attributes");
        }
    }

    fn other_name(&self) -> PathBuf {
        self.workspace.join("other-name")
    }

    fn note_read(&self, cache: &ReadCache, now_ns: i64) {
        let shown_as = match self.setup()["read"].as_str() {
            Some("none") => return,
            Some("non_text") => ShownAs::NonText,
            _ => ShownAs::Text,
        };
        let seen = match self.setup()["seen"].as_array() {
            Some(ranges) => ranges
                .iter()
                .map(|range| line(&range[0])..line(&range[1]) + 1)
                .collect(),
            None => LineRanges::all(1000),
        };
        let bytes = fs::read(&self.file).expect("a file to read");
        cache.note_read(ReadRecord {
            path: self.file.canonicalize().expect("it exists"),
            stat: files::stat_of(&self.file).expect("a file"),
            hash: Some(ContentHash::of(&bytes)),
            shown_as,
            full: true,
            seen,
            resident: true,
            hashed_at_ns: now_ns,
            last_read_at_ns: now_ns,
            last_write_at_ns: None,
        });
    }

    /// Old and new texts of the edits that come before the call.
    pub(crate) fn prior_edits(&self) -> Vec<(&'c str, &'c str)> {
        let text = |value: &'c Value| value.as_str().expect("text");
        let edits = self.setup()["prior_edits"].as_array().into_iter().flatten();
        edits
            .map(|edit| (text(&edit["old_string"]), text(&edit["new_string"])))
            .collect()
    }

    /// Lets an operation on the file fail.
    pub(crate) fn arm(&self) -> Option<Armed> {
        let fault = match self.setup()["fault"].as_str()? {
            "enospc_temp" => Fault::EnospcTemp,
            "eio_write" => Fault::EioWrite,
            "eio_read" => Fault::EioRead,
            "ebusy_rename" => Fault::EbusyRename,
            "eacces_temp" => Fault::EaccesTemp,
            "eacces_stat" => Fault::EaccesStat,
            "eacces_open" => Fault::EaccesOpen,
            "verify_mismatch" => Fault::VerifyMismatch,
            "internal_plan" => Fault::InternalPlan,
            other => panic!("unknown fault {other}"),
        };
        Some(arm(&self.file, fault))
    }

    /// What someone else does to the file, if it is to happen then.
    fn mutation(&self, at: &str) -> Option<impl FnOnce() + Send + 'static> {
        let mutate = self.setup()["mutate"].clone();
        let file = self.file.clone();
        (mutate["at"] == at).then_some(move || {
            let times = fs::metadata(&file).and_then(|meta| meta.modified());
            if mutate["delete"] == true {
                fs::remove_file(&file).expect("it was there");
            } else if mutate["touch"] == true {
                let opened = fs::File::options()
                    .write(true)
                    .open(&file)
                    .expect("it is there");
                let time = times
                    .as_ref()
                    .expect("a time")
                    .checked_sub(std::time::Duration::from_secs(60));
                opened
                    .set_modified(time.expect("a time"))
                    .expect("a new time");
            } else {
                fs::write(&file, bytes_of(&mutate["to"]).expect("new bytes")).expect("a write");
            }
            if mutate["keep_mtime"] == true {
                let opened = fs::File::options()
                    .write(true)
                    .open(&file)
                    .expect("it is there");
                opened
                    .set_modified(times.expect("a time"))
                    .expect("the old time");
            }
        })
    }

    pub(crate) fn mutate_at(&self, at: &str) {
        if let Some(mutate) = self.mutation(at) {
            mutate();
        }
    }

    /// Lets others change the file at moments inside the call.
    pub(crate) fn arm_mutations(&self) {
        for (name, moment) in [
            ("after_stat", Moment::AfterStat),
            ("at_exchange", Moment::AtExchange),
        ] {
            if let Some(mutate) = self.mutation(name) {
                run_at(&self.file, moment, mutate);
            }
        }
    }

    /// Whether all is as the case says.
    pub(crate) fn judge(&self, ended: &Ended) -> Result<(), String> {
        let expect = &self.case["expect"];
        match (ended, expect["error"].as_str()) {
            (Ended::Written { .. }, Some(code)) => {
                return Err(format!("succeeded instead of {code}"));
            }
            (Ended::Refused { code, message, .. }, None) => {
                return Err(format!("refused with {code}: {message}"));
            }
            (
                Ended::Refused {
                    code,
                    reason,
                    message,
                },
                Some(expected),
            ) => {
                if code != expected {
                    return Err(format!("{code} instead of {expected}: {message}"));
                }
                let expected = expect["reason"].as_str();
                if expected.is_some() && reason.as_deref() != expected {
                    return Err(format!("reason {reason:?} instead of {expected:?}"));
                }
                self.judge_unchanged()?;
            }
            (
                Ended::Written {
                    layer,
                    confirm,
                    warnings,
                },
                None,
            ) => {
                self.judge_facts(layer, *confirm, warnings)?;
                self.judge_written()?;
            }
        }
        let left: Vec<String> = fs::read_dir(&self.workspace)
            .expect("a folder")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .filter(|name| name.starts_with(".~bd-"))
            .collect();
        match left.is_empty() {
            true => Ok(()),
            false => Err(format!("temporary files left: {left:?}")),
        }
    }

    fn judge_facts(&self, layer: &str, confirm: bool, warnings: &[String]) -> Result<(), String> {
        let expect = &self.case["expect"];
        let expected = expect["layer"].as_str();
        if expected.is_some_and(|expected| expected != layer) {
            return Err(format!("layer {layer} instead of {expected:?}"));
        }
        if confirm != (expect["confirm"] == true) {
            return Err(format!("confirm is {confirm}"));
        }
        let expected = expect["warnings"].as_array().into_iter().flatten();
        let expected: Vec<&str> = expected.filter_map(Value::as_str).collect();
        match warnings == expected {
            true => Ok(()),
            false => Err(format!("warnings {warnings:?} instead of {expected:?}")),
        }
    }

    /// The change of someone else stays, else the file is as it was.
    fn judge_unchanged(&self) -> Result<(), String> {
        let mutate = &self.setup()["mutate"];
        let expected = match bytes_of(&mutate["to"]) {
            Some(bytes) => Some(bytes),
            None if mutate["delete"] == true => None,
            None => self.bytes_after_prior_edits(),
        };
        let is_written = self.setup()["fault"] == "verify_mismatch";
        let is_plain_file = self.setup()["kind"].is_null() && self.setup()["path"].is_null();
        if !is_plain_file || is_written {
            return Ok(());
        }
        let now = fs::read(&self.file).ok();
        match now == expected {
            true => Ok(()),
            false => Err(format!("the file holds {now:?} instead of {expected:?}")),
        }
    }

    fn bytes_after_prior_edits(&self) -> Option<Vec<u8>> {
        let mut bytes = bytes_of(&self.case["before"])?;
        for (old, new) in self.prior_edits() {
            let text = String::from_utf8(bytes).expect("text");
            bytes = text.replacen(old, new, 1).into_bytes();
        }
        Some(bytes)
    }

    fn judge_written(&self) -> Result<(), String> {
        let expected = bytes_of(&self.case["expect"]["after"]).expect("bytes after");
        let now = fs::read(&self.file).map_err(|error| error.to_string())?;
        if now != expected {
            return Err(format!(
                "the file holds {:?} instead of {:?}",
                String::from_utf8_lossy(&now),
                String::from_utf8_lossy(&expected)
            ));
        }
        self.judge_metadata(&expected)
    }

    fn judge_metadata(&self, expected: &[u8]) -> Result<(), String> {
        let metadata = fs::metadata(&self.file).map_err(|error| error.to_string())?;
        if let Some(mode) = self.setup()["mode"].as_str() {
            let now = format!("{:04o}", metadata.permissions().mode() & 0o7777);
            if now != mode {
                return Err(format!("mode {now} instead of {mode}"));
            }
        }
        for (name, value) in self.setup()["xattr"].as_object().into_iter().flatten() {
            let now = xattr::get(&self.file, name).ok().flatten();
            if now.as_deref() != value.as_str().map(str::as_bytes) {
                return Err(format!("attribute {name} is {now:?}"));
            }
        }
        match self.setup()["kind"].as_str() {
            Some("hardlink") if fs::read(self.other_name()).ok().as_deref() != Some(expected) => {
                Err("the other name has another text".to_owned())
            }
            Some("symlink_to_file") if !self.path.is_symlink() => {
                Err("the link was replaced".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// Text as it is, or bytes in base64; nothing for a file that is not there.
fn bytes_of(value: &Value) -> Option<Vec<u8>> {
    match (value.as_str(), value["b64"].as_str()) {
        (Some(text), _) => Some(text.as_bytes().to_vec()),
        (None, Some(encoded)) => Some(decode_base64(encoded)),
        (None, None) => None,
    }
}

fn decode_base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut n_bits) = (0_u32, 0);
    for digit in text.bytes().filter(|digit| *digit != b'=') {
        let value = ALPHABET
            .iter()
            .position(|known| *known == digit)
            .expect("base64");
        bits = (bits << 6) | u32::try_from(value).expect("six bits");
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push(u8::try_from((bits >> n_bits) & 0xFF).expect("eight bits"));
        }
    }
    bytes
}

fn line(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a line")).expect("small")
}

/// A device file; where the user may not make one, a socket is as special.
fn make_device(path: &Path) {
    let kind = rustix::fs::FileType::CharacterDevice;
    let device = rustix::fs::makedev(1, 3);
    let made = rustix::fs::mknodat(rustix::fs::CWD, path, kind, 0o644.into(), device);
    if made.is_err() {
        std::os::unix::net::UnixListener::bind(path).expect("a socket");
    }
}
