//! The shared cases for edits and writes, as far as this crate decides them.

use crate::support::{Bench, IGNORE_NAME, names};
use files::{
    Applied, Armed, ChangeRequest, Decided, Error, Fault, InPlace, LineRanges, Location, Moment,
    Occurrences, Proposal, Reviewer, ShownAs, apply, arm, plan, run_at,
};
use protocol::settings::EditProfile;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Needs what this crate does not decide: rules, answers of people, the schema of a tool.
const OUT_OF_SCOPE_KEYS: [&str; 2] = ["policy", "extra_args"];

fn cases(list: &str) -> Vec<Value> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/fixtures/cases/edit-cases.json"
    );
    let text = fs::read_to_string(path).expect("the case file");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    file[list].as_array().expect("a list").clone()
}

#[test]
fn edit_cases() {
    run_all(cases("cases"), 259);
}

#[test]
fn write_file_cases() {
    run_all(cases("write_file_cases"), 18);
}

/// Most of a case is waiting for the displaced file, so many run at a time.
const N_THREADS: usize = 16;

fn run_all(cases: Vec<Value>, expected: usize) {
    let cases: Vec<&Value> = cases.iter().filter(|case| is_in_scope(case)).collect();
    let failures: Vec<String> = std::thread::scope(|scope| {
        let chunks = cases.chunks(cases.len().div_ceil(N_THREADS));
        let threads: Vec<_> = chunks
            .map(|chunk| scope.spawn(|| run_some(chunk)))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    let n_run = cases.len();
    assert_eq!(n_run, expected, "all cases that are decided here are run");
    assert!(
        failures.is_empty(),
        "{} of {n_run} cases fail:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

fn run_some(cases: &[&Value]) -> Vec<String> {
    let failure = |case: &&Value| {
        let problem = run(case).err()?;
        Some(format!("{}: {problem}", case["id"].as_str().unwrap_or("?")))
    };
    cases.iter().filter_map(failure).collect()
}

fn is_in_scope(case: &Value) -> bool {
    let setup = &case["setup"];
    let by_person = matches!(
        setup["human"]["decision"].as_str(),
        Some("reject" | "cancel")
    );
    !by_person && OUT_OF_SCOPE_KEYS.iter().all(|key| setup.get(key).is_none())
}

/// What a case ends with.
type Ended = Result<(Proposal, Applied), Error>;

struct Runner<'a> {
    case: &'a Value,
    bench: Bench,
    /// The file by the name the model uses.
    path: PathBuf,
    /// The file that holds the bytes.
    file: PathBuf,
}

fn run(case: &Value) -> Result<(), String> {
    let setup = &case["setup"];
    let in_place = if setup["allow_in_place"] == false {
        InPlace::Refused
    } else {
        InPlace::Allowed
    };
    let mut bench = Bench::with(in_place);
    if let Some(max) = setup["max_edit_bytes"].as_u64() {
        bench.settings.max_edit_bytes = max;
    }
    if let Some(max) = setup["max_result_bytes"].as_u64() {
        bench.settings.max_result_bytes = usize::try_from(max).expect("small");
    }
    if setup["profile"] == "extended" {
        bench.settings.edit_profile = EditProfile::Extended;
    }
    if setup["approver"] == "none" {
        bench.settings.reviewer = Reviewer::Nobody;
    }
    let extension = setup["ext"].as_str().unwrap_or(".txt");
    let name = setup["path"]
        .as_str()
        .unwrap_or("{ws}/f{ext}")
        .replace("{ext}", extension);
    let path = PathBuf::from(name.replace("{ws}", bench.ws().to_str().expect("UTF-8")));
    let mut runner = Runner {
        case,
        file: path.clone(),
        path,
        bench,
    };
    runner.prepare();
    let _faults = runner.arm();
    let ended = runner.call();
    runner.bench.committer.settle();
    runner.judge(&ended)
}

impl Runner<'_> {
    fn setup(&self) -> &Value {
        &self.case["setup"]
    }

    fn prepare(&mut self) {
        let setup = self.case["setup"].clone();
        let before = bytes_of(&self.case["before"]);
        match setup["kind"].as_str() {
            Some("directory") => fs::create_dir(&self.path).expect("a folder"),
            Some("fifo") => {
                rustix::fs::mkfifoat(rustix::fs::CWD, &self.path, 0o644.into()).expect("a FIFO")
            }
            Some("char_device") => make_device(&self.path),
            Some("dangling_symlink") => {
                symlink(self.bench.path("missing"), &self.path).expect("a link")
            }
            Some("symlink_to_file") => {
                self.file = self.bench.path("target.txt");
                symlink("target.txt", &self.path).expect("a link");
            }
            Some("symlink_outside") => {
                self.file = self.bench.outside().join("target.txt");
                symlink(&self.file, &self.path).expect("a link");
            }
            Some("hardlink") | None => {}
            Some(other) => panic!("unknown kind {other}"),
        }
        let is_writable = self.file.parent().is_some_and(Path::is_dir);
        if let Some(before) = before.filter(|_| is_writable) {
            fs::write(&self.file, before).expect("the file before");
            if setup["kind"] == "hardlink" {
                fs::hard_link(&self.file, self.bench.path("other-name")).expect("a second name");
            }
            if let Some(mode) = setup["mode"].as_str() {
                let mode = u32::from_str_radix(mode, 8).expect("octal");
                fs::set_permissions(&self.file, fs::Permissions::from_mode(mode)).expect("a mode");
            }
            for (name, value) in setup["xattr"].as_object().into_iter().flatten() {
                let value = value.as_str().expect("text").as_bytes();
                xattr::set(&self.file, name, value).expect("attributes");
            }
            self.read_before();
            self.prior_edits();
        }
        if setup["ignored"] == true {
            self.bench.write(IGNORE_NAME, "f.*\n");
        }
        if setup["backup"] == "fail" {
            self.bench
                .store
                .refuses
                .store(true, std::sync::atomic::Ordering::Relaxed);
        }
        self.mutate_at("after_read");
    }

    fn read_before(&self) {
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
        self.bench.note_read(&self.file, seen, shown_as);
    }

    fn prior_edits(&self) {
        for prior in self.setup()["prior_edits"].as_array().into_iter().flatten() {
            let request = ChangeRequest::Edit {
                old: prior["old_string"].as_str().expect("text"),
                new: prior["new_string"].as_str().expect("text"),
                occurrences: Occurrences::One,
            };
            let resolved = self.bench.resolve(&self.path).expect("a path");
            let proposal = plan(&resolved, &request, &self.bench.plan_context()).expect("a plan");
            apply(&proposal, Decided::AsProposed, &self.bench.apply_context()).expect("a write");
        }
    }

    fn arm(&self) -> Option<Armed> {
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

    fn mutate_at(&self, at: &str) {
        if let Some(mutate) = self.mutation(at) {
            mutate();
        }
    }

    fn call(&self) -> Ended {
        for (name, moment) in [
            ("after_stat", Moment::AfterStat),
            ("at_exchange", Moment::AtExchange),
        ] {
            if let Some(mutate) = self.mutation(name) {
                run_at(&self.file, moment, mutate);
            }
        }
        let resolved = self.bench.resolve(&self.path)?;
        if resolved.location == Location::Outside {
            return Err(Error::NotInWorkspace {
                path: resolved.path,
                roots: self.bench.roots.as_slice().to_vec(),
            });
        }
        if let Some(pattern) = files::ignored_by(&resolved.path, &self.bench.roots, IGNORE_NAME) {
            return Err(Error::Ignored {
                path: resolved.path,
                pattern,
            });
        }
        let proposal = plan(&resolved, &self.request(), &self.bench.plan_context())?;
        self.mutate_at("during_confirm");
        let decided = match self.setup()["human"]["final"].as_str() {
            Some(text) => Decided::Text(text),
            None => Decided::AsProposed,
        };
        let applied = apply(&proposal, decided, &self.bench.apply_context())?;
        Ok((proposal, applied))
    }

    fn request(&self) -> ChangeRequest<'_> {
        match self.case["content"].as_str() {
            Some(content) => ChangeRequest::Write { content },
            None => ChangeRequest::Edit {
                old: self.case["old_string"].as_str().expect("text"),
                new: self.case["new_string"].as_str().expect("text"),
                occurrences: if self.case["replace_all"] == true {
                    Occurrences::All
                } else {
                    Occurrences::One
                },
            },
        }
    }

    fn judge(&self, ended: &Ended) -> Result<(), String> {
        let expect = &self.case["expect"];
        match (ended, expect["error"].as_str()) {
            (Ok(_), Some(code)) => return Err(format!("succeeded instead of {code}")),
            (Err(error), None) => return Err(format!("refused with {}: {error}", error.code())),
            (Err(error), Some(code)) => self.judge_error(error, code)?,
            (Ok((proposal, applied)), None) => self.judge_success(proposal, applied)?,
        }
        let left: Vec<String> = names(&self.bench.ws())
            .into_iter()
            .filter(|name| name.starts_with(".~bd-"))
            .collect();
        if left.is_empty() {
            Ok(())
        } else {
            Err(format!("temporary files left: {left:?}"))
        }
    }

    fn judge_error(&self, error: &Error, code: &str) -> Result<(), String> {
        let expect = &self.case["expect"];
        if error.code() != code {
            return Err(format!("{} instead of {code}: {error}", error.code()));
        }
        if let Some(reason) = expect["reason"]
            .as_str()
            .filter(|reason| error.reason() != Some(reason))
        {
            return Err(format!("reason {:?} instead of {reason}", error.reason()));
        }
        // The change of someone else stays, else the file is as it was.
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
        if now == expected {
            Ok(())
        } else {
            Err(format!("the file holds {now:?} instead of {expected:?}"))
        }
    }

    fn bytes_after_prior_edits(&self) -> Option<Vec<u8>> {
        let mut bytes = bytes_of(&self.case["before"])?;
        for prior in self.setup()["prior_edits"].as_array().into_iter().flatten() {
            let text = String::from_utf8(bytes).expect("text");
            let new = prior["new_string"].as_str().expect("text");
            bytes = text
                .replacen(prior["old_string"].as_str().expect("text"), new, 1)
                .into_bytes();
        }
        Some(bytes)
    }

    fn judge_success(&self, proposal: &Proposal, applied: &Applied) -> Result<(), String> {
        let expect = &self.case["expect"];
        let expected = bytes_of(&expect["after"]).expect("bytes after");
        let now = fs::read(&self.file).map_err(|error| error.to_string())?;
        if now != expected {
            return Err(format!(
                "the file holds {:?} instead of {:?}",
                String::from_utf8_lossy(&now),
                String::from_utf8_lossy(&expected)
            ));
        }
        if let Some(layer) = expect["layer"]
            .as_str()
            .filter(|layer| proposal.layer.name() != *layer)
        {
            return Err(format!(
                "layer {} instead of {layer}",
                proposal.layer.name()
            ));
        }
        let must_confirm = expect["confirm"] == true;
        if proposal.confirm_reasons.is_empty() == must_confirm {
            return Err(format!("confirm reasons: {:?}", proposal.confirm_reasons));
        }
        let mut warnings: Vec<&str> = proposal
            .warnings
            .iter()
            .map(files::EditWarning::code)
            .collect();
        warnings.extend(
            applied
                .committed
                .warnings
                .iter()
                .map(|warning| warning.code()),
        );
        let wanted: Vec<&str> = expect["warnings"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if warnings != wanted {
            return Err(format!("warnings {warnings:?} instead of {wanted:?}"));
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
            Some("hardlink")
                if fs::read(self.bench.path("other-name")).ok().as_deref() != Some(expected) =>
            {
                Err("the other name has another text".to_owned())
            }
            Some("symlink_to_file") if !self.path.is_symlink() => {
                Err("the link was replaced".to_owned())
            }
            _ => Ok(()),
        }
    }
}

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
