//! `sed -i` as an edit: the cases, the same command by the real program, and what surrounds the change.

use crate::kit::{Kit, shown, text};
use protocol::confirmation::Preview;
use protocol::log::FileChange;
use protocol::tool_call::{Display, ToolKind};
use serde_json::{Value, json};
use std::path::Path;
use tool_api::{Invocation, ModifyError, Permission};

/// Scripts that are made up and compared with the real program.
const MADE_UP_SCRIPTS: usize = 300;

async fn prepare(kit: &Kit, command: &str) -> Box<dyn Invocation> {
    kit.prepare("run_shell_command", json!({"command": command}))
        .await
        .unwrap()
}

fn codes(call: &dyn Invocation) -> Vec<String> {
    let warnings = call.question().warnings;
    warnings.into_iter().map(|warning| warning.code).collect()
}

/// What the real program makes of a file; nothing if it fails.
fn by_the_program(command: &str, folder: &Path, file: &str, before: &[u8]) -> Option<Vec<u8>> {
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, before).unwrap();
    #[expect(
        clippy::disallowed_methods,
        reason = "the real program is what the result is compared with"
    )]
    let output = std::process::Command::new("bash")
        .args(["--noprofile", "--norc", "-c", command])
        .current_dir(folder)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    output
        .status
        .success()
        .then(|| std::fs::read(&path).unwrap())
}

fn cases() -> Vec<Value> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/fixtures/cases/sed-cases.json"
    );
    let file: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    file["cases"].as_array().unwrap().clone()
}

fn lay_out(kit: &Kit, case: &Value) {
    let path = kit.folder.join(case["file"].as_str().unwrap());
    let before = match (case["before"].as_str(), case["before_hex"].as_str()) {
        (_, Some(hex)) => (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(hex.get(at..at + 2).unwrap(), 16).unwrap())
            .collect(),
        (Some(text), None) => text.as_bytes().to_vec(),
        (None, None) => Vec::new(),
    };
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    match case["fs"].as_str().unwrap() {
        "regular" => std::fs::write(path, before).unwrap(),
        "symlink" => {
            std::fs::write(kit.folder.join("behind"), before).unwrap();
            std::os::unix::fs::symlink("behind", path).unwrap();
        }
        "directory" => std::fs::create_dir(path).unwrap(),
        "missing" => {}
        other => panic!("{other}"),
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn every_case_is_an_edit_or_a_command_as_it_must_be() {
    for case in cases() {
        let kit = Kit::new();
        lay_out(&kit, &case);
        let (id, command) = (&case["id"], case["command"].as_str().unwrap());
        let call = prepare(&kit, command).await;
        let preview = call.question().preview;
        if case["expect"] != "after" {
            assert!(matches!(preview, Preview::Exec { .. }), "{id} {command}");
            continue;
        }
        let (file, before) = (
            case["file"].as_str().unwrap(),
            case["before"].as_str().unwrap(),
        );
        let after = case["after"].as_str().unwrap();
        match before == after {
            true => assert_eq!(call.default_permission(), Permission::Allow, "{id}"),
            false => assert!(matches!(preview, Preview::Edit { .. }), "{id} {command}"),
        }
        let result = call.execute(kit.context()).await;
        assert_eq!(result.failure, None, "{id} {command}");
        assert_eq!(
            String::from_utf8(kit.read(file)).unwrap(),
            after,
            "{id} {command}"
        );
        assert!(kit.started.lock().unwrap().is_empty(), "{id}: no shell ran");
        let real = tempfile::tempdir().unwrap();
        assert_eq!(
            by_the_program(command, real.path(), file, before.as_bytes()).as_deref(),
            Some(after.as_bytes()),
            "{id} {command}"
        );
    }
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).unwrap()
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn several(&mut self, from: &[&str], most: usize) -> String {
        (0..=self.below(most)).map(|_| self.pick(from)).collect()
    }

    fn regex(&mut self) -> String {
        self.several(
            &[
                "a",
                "b",
                "c",
                "a",
                "b",
                ".",
                "x*",
                "a*",
                "[ab]",
                "[^a]",
                "\\(a\\)",
                "(b)",
                "^",
                "$",
                "\\b",
                "\\<",
                "\\>",
                "b+",
                "a\\?",
                "b\\{1,2\\}",
                "c{2}",
                "\\|",
                "|",
                "\\w",
                "\\.",
                "*",
                "[[:alpha:]]",
                "é",
                "[éb]",
                "\\(a*b\\)",
                "(ab?)",
                "\\(",
                "\\)",
                " ",
            ],
            5,
        )
    }

    fn address(&mut self) -> String {
        match self.below(4) {
            0 => String::new(),
            1 => self.pick(&["1", "2", "3", "$", "9"]).to_owned(),
            2 => format!("/{}/{}", self.regex(), self.pick(&["", "", "I"])),
            _ => {
                let (from, to) = (self.pick(&["1", "2", "/a/", "/b/"]), self.regex());
                let to = [
                    self.pick(&["1", "2", "3", "$"]).to_owned(),
                    format!("/{to}/"),
                ][self.below(2)]
                .clone();
                format!("{from},{to}")
            }
        }
    }

    fn command(&mut self) -> String {
        let address = self.address();
        let no = self.pick(&["", "", "", "!"]);
        match self.below(8) {
            0 => format!("{address}{no}d"),
            1 => format!(
                "{address}{}{}new",
                self.pick(&["a", "i", "c"]),
                self.pick(&[" ", "\\", "\\  "])
            ),
            _ => {
                let regex = self.regex();
                let replacement = self.several(&["X", "&", "\\1", "", "\\n", "-", "\\&", "\\t"], 2);
                let flags = self.several(&["", "g", "2", "I", "3", ""], 1);
                format!("{address}{no}s/{regex}/{replacement}/{flags}")
            }
        }
    }

    fn script(&mut self) -> String {
        let script = self.command();
        match self.below(3) {
            0 => format!(
                "{script}{}{}",
                self.pick(&[";", " ; ", "\n"]),
                self.command()
            ),
            _ => script,
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_taken_is_done_as_the_program_does_it() {
    let real = tempfile::tempdir().unwrap();
    let mut dice = Dice(0x5EED_5ED0_1234_5678);
    let mut n_taken = 0;
    while n_taken < MADE_UP_SCRIPTS {
        let option = dice.pick(&["", "-E "]);
        let command = format!("sed -i {option}'{}' f", dice.script());
        let before = dice.several(
            &[
                "a", "b", "ab", "c", " ", "\n", "\n", "x", "aab", ".", "A", "\r", "é",
            ],
            14,
        );
        let Ok(sed) = edit::parse_sed(&command) else {
            continue;
        };
        let Ok(after) = sed.apply(before.as_bytes()) else {
            continue;
        };
        n_taken += 1;
        let real = by_the_program(&command, real.path(), "f", before.as_bytes());
        assert_eq!(
            real.map(|bytes| String::from_utf8(bytes).unwrap()),
            Some(String::from_utf8(after).unwrap()),
            "{command:?} on {before:?}"
        );
    }
}

#[tokio::test]
async fn a_file_that_was_read_passes_as_an_edit() {
    let kit = Kit::new();
    let path = kit.write("f.txt", "one\ntwo\n");
    kit.run("read_file", json!({"file_path": path})).await;
    let mut call = prepare(&kit, "sed -i s/two/2/ f.txt").await;
    assert_eq!(call.kind(), Some(ToolKind::Edit));
    assert_eq!(call.session_rule().unwrap().text, "Edit(workspace)");
    assert_eq!(call.shell_id(), None);
    assert_eq!(codes(&*call), ["EDIT_BY_COMMAND"]);
    assert!(!call.question().modifiable);
    assert!(call.question().confirm_reasons.is_empty());
    assert_eq!(call.modify("x"), Err(ModifyError::NotModifiable));
    let diff = shown(&*call);
    assert_eq!(diff.base_text.as_deref(), Some("one\ntwo\n"));
    assert_eq!(diff.new_text.as_deref(), Some("one\n2\n"));

    let result = call.execute(kit.context()).await;
    assert!(
        text(&result).starts_with(&format!("sed edit applied to {path}.\n")),
        "{}",
        text(&result)
    );
    assert!(matches!(result.display, Display::FileDiff { .. }));
    assert_eq!(kit.read("f.txt"), b"one\n2\n");
    assert!(kit.backup.holds(b"one\ntwo\n"));
    let [version] = result.files.as_slice() else {
        panic!("one version")
    };
    assert_eq!(version.change, FileChange::Edit);
    assert_eq!(version.path, path);
    assert_eq!(version.proposed_hash, version.after_hash);
    assert_eq!(version.owners.as_deref(), Some("=1-1a1"));
    assert_eq!(
        (
            version.stat.model_added_lines,
            version.stat.model_removed_lines
        ),
        (1, 1)
    );

    let args = json!({"file_path": path, "old_string": "2", "new_string": "II"});
    let result = kit.run("edit", args).await;
    assert_eq!(result.failure, None, "the file counts as read");
}

#[tokio::test]
async fn a_file_that_was_not_read_is_shown_and_asked_about() {
    let kit = Kit::new();
    let path = kit.write("f.txt", "one\n");
    let call = prepare(&kit, "sed -i s/one/1/ f.txt").await;
    assert_eq!(call.kind(), None);
    assert_eq!(call.session_rule(), None);
    assert_eq!(codes(&*call), ["NOT_READ", "EDIT_BY_COMMAND"]);

    kit.run("read_file", json!({"file_path": path})).await;
    kit.write("f.txt", "one and more\n");
    let call = prepare(&kit, "sed -i s/one/1/ f.txt").await;
    assert_eq!(call.kind(), None);
    assert_eq!(codes(&*call), ["CHANGED_SINCE_READ", "EDIT_BY_COMMAND"]);
    assert_eq!(call.execute(kit.context()).await.failure, None);
    assert_eq!(kit.read("f.txt"), b"1 and more\n");
}

#[tokio::test]
async fn what_was_read_before_it_changed_is_not_known_afterwards() {
    let kit = Kit::new();
    let path = kit.write("f.txt", "old\n".repeat(40));
    kit.run("read_file", json!({"file_path": path})).await;
    kit.write("f.txt", format!("one\n{}", "new\n".repeat(39)));
    let call = prepare(&kit, "sed -i s/one/1/ f.txt").await;
    assert_eq!(call.execute(kit.context()).await.failure, None);
    let found = kit.files.cache.lookup(Path::new(&path), None).unwrap();
    let seen = &found.record().seen;
    assert!(seen.contains(1), "the change was shown");
    assert!(!seen.contains(40), "only old text was shown there");
}

#[tokio::test]
async fn a_file_that_changes_meanwhile_is_not_written() {
    let kit = Kit::new();
    kit.write("f.txt", "one\n");
    let call = prepare(&kit, "sed -i s/one/1/ f.txt").await;
    assert!(!call.is_stale());
    kit.write("f.txt", "one, changed\n");
    assert!(call.is_stale());
    let result = call.execute(kit.context()).await;
    assert_eq!(result.failure.unwrap().code, "FILE_CHANGED_SINCE_READ");
    assert_eq!(kit.read("f.txt"), b"one, changed\n");
}

#[tokio::test]
async fn no_change_is_no_question() {
    let kit = Kit::new();
    let path = kit.write("f.txt", "one\n");
    let call = prepare(&kit, "sed -i s/zzz/1/ f.txt").await;
    assert_eq!(call.default_permission(), Permission::Allow);
    let result = call.execute(kit.context()).await;
    assert_eq!(text(&result), format!("sed made no changes to {path}."));
    assert_eq!(result.files, Vec::new());
}

#[tokio::test]
async fn what_cannot_be_shown_runs_as_a_command_and_says_why() {
    let kit = Kit::new();
    kit.write("f.txt", "one\n");
    kit.write("crlf.txt", "one\r\n");
    kit.write("bytes.txt", b"one\xFF\n");
    std::fs::create_dir(kit.folder.join("d")).unwrap();
    kit.write("nb.ipynb", "{}\n");
    for (command, reason) in [
        ("sed -i -n s/one/1/p f.txt", "option:-n"),
        ("sed -i s/one/1/ missing.txt", "file:missing"),
        ("sed -i s/one/1/ d", "file:directory"),
        ("sed -i s/one/1/ bytes.txt", "file:not_utf8"),
        ("sed -i 's/[^e]$//' crlf.txt", "file:line_ends_only"),
        ("sed -i 's/{}/[]/' nb.ipynb", "file:edit_wrong_tool"),
        ("cd d/.. && sed -i s/one/1/ f.txt", "file:folder"),
    ] {
        let call = prepare(&kit, command).await;
        let question = call.question();
        assert!(
            matches!(question.preview, Preview::Exec { .. }),
            "{command}"
        );
        let warnings: Vec<_> = question
            .warnings
            .iter()
            .map(|warning| (warning.code.as_str(), warning.args.join(",")))
            .collect();
        assert_eq!(
            warnings,
            [("CHANGE_NOT_SHOWN", reason.to_owned())],
            "{command}"
        );
        assert_eq!(call.default_permission(), Permission::Ask, "{command}");
    }
    let command = "sed -i -n s/one/1/p f.txt";
    let result = kit
        .run("run_shell_command", json!({"command": command}))
        .await;
    assert_eq!(result.failure, None);
    assert_eq!(kit.read("f.txt"), b"1\n");
    assert_eq!(kit.started.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_file_outside_is_asked_about_and_tells_nothing() {
    let kit = Kit::new();
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().canonicalize().unwrap().join("f.txt");
    std::fs::write(&path, "one\n").unwrap();
    let command = |script: &str| format!("sed -i {script} {}", path.display());
    let call = prepare(&kit, &command("s/one/1/")).await;
    assert_eq!(call.kind(), None);
    assert_eq!(
        codes(&*call),
        ["OUTSIDE_WORKSPACE", "NOT_READ", "EDIT_BY_COMMAND"]
    );
    let call = prepare(&kit, &command("s/zzz/1/")).await;
    assert_eq!(call.default_permission(), Permission::Ask);
    assert_eq!(codes(&*call), ["CHANGE_NOT_SHOWN"]);
}
