//! All shared cases for edits, writes and statistics, through the tools and the registry, on a real disk.
//!
//! The person and the rules are played here: who declines, cancels or gives no grant does not let the call run.

use crate::kit::{Kit, now_ns, shown};
use files::{
    Backup, BackupError, CommitOptions, Committer, ContentHash, Fsync, InPlace, JournalId,
    JournalRow, Reviewer,
};
use protocol::diff::DiffStat;
use protocol::settings::EditProfile;
use protocol::tool_call::{Display, ToolFailure};
use scene::{Ended, Scene, cases, run_all};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tool_api::{BuildError, StopCause, ToolRegistry, ToolResult};
use tools::{Edit, FileDeps, WriteFile};

#[path = "../../../files/tests/it/cases/scene.rs"]
mod scene;

#[test]
fn edit_cases() {
    check_list("cases", 263);
}

#[test]
fn write_file_cases() {
    check_list("write_file_cases", 18);
}

fn check_list(list: &str, n_expected: usize) {
    let all = cases(list);
    assert_eq!(all.len(), n_expected, "every case of the file");
    run_all(&all.iter().collect::<Vec<_>>(), run_blocking);
}

fn run_blocking(case: &Value) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(run(case))
}

/// A store that keeps nothing.
struct NoBackup;

impl Backup for NoBackup {
    fn put(&self, _bytes: &[u8]) -> Result<ContentHash, BackupError> {
        Err("the store is full".into())
    }
    fn journal_prepared(&self, _row: &JournalRow) -> Result<JournalId, BackupError> {
        Err("the store is full".into())
    }
    fn journal_done(&self, _id: JournalId) -> Result<(), BackupError> {
        Ok(())
    }
    fn late_write(&self, _path: &Path, _hash: ContentHash) {}
}

async fn run(case: &Value) -> Result<(), String> {
    let kit = Kit::new();
    let outside = kit.folder.parent().unwrap().to_path_buf();
    let deps = deps(&kit, &case["setup"], &outside);
    let mut scene = Scene::new(case, kit.folder.clone(), outside);
    scene.lay_out(&deps.cache, &deps.ignore_name, now_ns());
    let committer = deps.committer.clone();
    let registry = registry(deps);
    for (old, new) in scene.prior_edits() {
        let args = json!({"file_path": scene.path, "old_string": old, "new_string": new});
        let mut prior = registry.build("edit", &args).unwrap().0;
        prior.prepare(&kit.context()).await.unwrap();
        assert_eq!(prior.execute(kit.context()).await.failure, None);
    }
    scene.mutate_at("after_read");
    let _faults = scene.arm();
    scene.arm_mutations();
    let ended = call(&kit, &registry, &scene).await;
    committer.settle();
    scene.judge(&ended)
}

/// The tools as the settings of a case have them.
fn deps(kit: &Kit, setup: &Value, outside: &Path) -> FileDeps {
    let mut deps = kit.files.clone();
    let settings = &mut deps.settings;
    if let Some(max) = setup["max_edit_bytes"].as_u64() {
        settings.max_edit_bytes = max;
    }
    if let Some(max) = setup["max_result_bytes"].as_u64() {
        settings.max_result_bytes = max as usize;
    }
    if setup["profile"] == "extended" {
        settings.edit_profile = EditProfile::Extended;
    }
    if setup["approver"] == "none" {
        settings.reviewer = Reviewer::Nobody;
    }
    if setup["backup"] == "fail" {
        deps.backup = Arc::new(NoBackup);
    }
    if setup["allow_in_place"] == false {
        deps.committer = Arc::new(Committer::new(CommitOptions {
            fsync: Fsync::Off,
            in_place: InPlace::Refused,
            lock_folder: outside.join("locks"),
        }));
    }
    deps
}

fn registry(deps: FileDeps) -> ToolRegistry {
    let mut registry = ToolRegistry::default();
    registry
        .register(Arc::new(Edit::new(deps.clone())))
        .unwrap();
    registry.register(Arc::new(WriteFile::new(deps))).unwrap();
    registry
}

fn args(scene: &Scene<'_>) -> (&'static str, Value) {
    let case = scene.case;
    if let Some(content) = case["content"].as_str() {
        let args = json!({"file_path": scene.path, "content": content});
        return ("write_file", args);
    }
    let mut args = json!({
        "file_path": scene.path,
        "old_string": case["old_string"],
        "new_string": case["new_string"],
        "replace_all": case["replace_all"],
    });
    for (name, value) in scene.setup()["extra_args"]
        .as_object()
        .into_iter()
        .flatten()
    {
        args[name] = value.clone();
    }
    ("edit", args)
}

/// From the arguments to the result, with the answers of a case.
async fn call(kit: &Kit, registry: &ToolRegistry, scene: &Scene<'_>) -> Ended {
    let setup = scene.setup();
    let (tool, args) = args(scene);
    let mut call = match registry.build(tool, &args) {
        Ok((call, _)) => call,
        Err(BuildError::Refused(failure)) => return refused(failure),
        Err(BuildError::Schema(error)) => return by_loop("INVALID_TOOL_PARAMS", &error.message),
        Err(BuildError::UnknownTool { .. }) => panic!("{tool} is registered"),
    };
    if setup["policy"] == "deny" {
        return by_loop("EXECUTION_DENIED", "a rule");
    }
    if let Err(failure) = call.prepare(&kit.context()).await {
        return refused(failure);
    }
    let question = call.question();
    if question
        .warnings
        .iter()
        .any(|warning| warning.code == "OUTSIDE_WORKSPACE")
    {
        assert_eq!(call.session_rule(), None, "nothing lets it pass unasked");
        return by_loop("PATH_NOT_IN_WORKSPACE", "no grant");
    }
    let confirm = !question.confirm_reasons.is_empty();
    scene.mutate_at("during_confirm");
    match setup["human"]["decision"].as_str() {
        Some("reject") => return by_loop("USER_REJECTED", "declined"),
        Some("cancel") => kit.cancel.cancel(),
        Some("modify") => {
            let text = setup["human"]["final"].as_str().unwrap();
            assert!(call.modify(text).unwrap().changed);
        }
        Some(other) => panic!("unknown decision {other}"),
        None => {}
    }
    told(call.execute(kit.context()).await, confirm)
}

fn by_loop(code: &str, message: &str) -> Ended {
    Ended::Refused {
        code: code.to_owned(),
        reason: None,
        message: message.to_owned(),
    }
}

fn refused(failure: ToolFailure) -> Ended {
    Ended::Refused {
        code: failure.code,
        reason: failure.reason,
        message: failure.message,
    }
}

fn told(result: ToolResult, confirm: bool) -> Ended {
    match (result.failure, result.stopped) {
        (Some(failure), _) => return refused(failure),
        (None, Some(StopCause::Cancelled)) => return by_loop("CANCELLED", "stopped"),
        (None, Some(StopCause::Timeout) | None) => {}
    }
    let Display::FileDiff { diff } = result.display else {
        panic!("a change expected, got {:?}", result.display);
    };
    Ended::Written {
        layer: diff.layer,
        confirm,
        warnings: diff.warnings,
    }
}

#[tokio::test]
async fn diff_stat_cases() {
    let all = cases("diff_stat_cases");
    assert_eq!(all.len(), 21);
    for case in &all {
        check_stat(case).await;
    }
}

async fn check_stat(case: &Value) {
    let text = |key: &str| case[key].as_str().unwrap();
    let kit = Kit::new();
    let path = match text("old") {
        "" => kit.folder.join("f.txt").display().to_string(),
        old => kit.write("f.txt", old),
    };
    if Path::new(&path).exists() {
        kit.run("read_file", json!({ "file_path": path })).await;
    }
    let args = json!({"file_path": path, "content": text("ai")});
    let mut call = kit.prepare("write_file", args).await.unwrap();
    let asked = shown(&*call).stat;
    let is_changed = text("ai") != text("final");
    let stat = match is_changed {
        true => call.modify(text("final")).unwrap().stat,
        false => asked,
    };
    let id = &case["id"];
    assert_eq!(to_json(&stat), case["expect"], "{id}");
    let result = call.execute(kit.context()).await;
    match text("final").replace("\r\n", "\n") == text("old").replace("\r\n", "\n") {
        true => assert_eq!(result.failure.unwrap().code, "USER_KEPT_ORIGINAL", "{id}"),
        false => {
            assert_eq!(
                result.files[0].stat, stat,
                "{id}: what is recorded is what was shown"
            );
            let Display::FileDiff { diff } = result.display else {
                panic!("{id}: no difference is shown");
            };
            assert_eq!(diff.stat, stat, "{id}");
        }
    }
}

/// The counts as the cases name them.
fn to_json(stat: &DiffStat) -> Value {
    let mut value = serde_json::to_value(stat).unwrap();
    assert_eq!(value["approximate"], false);
    value.as_object_mut().unwrap().remove("approximate");
    value
}
