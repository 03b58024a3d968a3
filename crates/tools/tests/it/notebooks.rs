//! Changes of notebooks: what is asked, shown and told.

use crate::kit::{Kit, shown, text};
use edit::USER_CHANGED_PROPOSAL;
use protocol::diff::CellMode;
use protocol::log::FileChange;
use serde_json::{Value, json};
use tool_api::ModifyError;

const NOTEBOOK: &str = "{\"cells\": [{\"cell_type\": \"code\", \"execution_count\": null, \"id\": \"a\", \"outputs\": [], \"source\": \"x = 1\\ny = 2\"}], \"nbformat\": 4, \"nbformat_minor\": 5}\n";

async fn read_kit() -> (Kit, String) {
    let kit = Kit::new();
    let path = kit.write("n.ipynb", NOTEBOOK);
    let result = kit.run("read_file", json!({ "file_path": path })).await;
    assert!(text(&result).contains("id a, cell-0"), "{}", text(&result));
    (kit, path)
}

#[tokio::test]
async fn the_source_is_reviewed_and_the_file_is_shown_too() {
    let (kit, path) = read_kit().await;
    let args = json!({"notebook_path": path, "cell_id": "a", "new_source": "x = 1\ny = 3"});
    let call = kit.prepare("notebook_edit", args).await.unwrap();
    let diff = shown(&*call);
    assert_eq!(diff.base_text.as_deref(), Some("x = 1\ny = 2"));
    assert_eq!(diff.new_text.as_deref(), Some("x = 1\ny = 3"));
    assert_eq!((diff.stat.net.ai_added, diff.stat.net.ai_removed), (1, 1));
    let cell = diff.notebook.expect("the cell");
    assert_eq!(
        (cell.mode, cell.number, cell.n_cells),
        (CellMode::Replace, 1, 1)
    );
    assert!(cell.raw_diff.contains("x = 1\\ny = 3"), "{}", cell.raw_diff);
    assert!(call.question().modifiable);
    assert_eq!(
        kit.read("n.ipynb"),
        NOTEBOOK.as_bytes(),
        "preparing changes nothing"
    );
    let result = call.execute(kit.context()).await;
    assert_eq!(result.failure, None);
    assert!(
        text(&result).contains("code cell 1 (id a, cell-0)"),
        "{}",
        text(&result)
    );
    assert_eq!(result.files[0].change, FileChange::Notebook);
    assert!(kit.backup.holds(NOTEBOOK.as_bytes()));
    assert_eq!(
        kit.read("n.ipynb"),
        NOTEBOOK.replace("y = 2", "y = 3").as_bytes()
    );
}

#[tokio::test]
async fn a_source_changed_by_hand_is_written_and_told() {
    let (kit, path) = read_kit().await;
    let args = json!({"notebook_path": path, "cell_id": "a", "new_source": "x = 1\ny = 3"});
    let mut call = kit.prepare("notebook_edit", args).await.unwrap();
    assert!(!call.modify("x = 1\ny = 3").unwrap().changed);
    let too_large = "x".repeat(20 * 1024 * 1024 + 1);
    let ModifyError::Refused(refused) = call.modify(&too_large).unwrap_err() else {
        panic!("the question stays open with the reason");
    };
    assert_eq!(refused.code, "FILE_TOO_LARGE");
    let done = call.modify("x = 1\ny = 4").unwrap();
    assert!(done.changed);
    assert_eq!((done.stat.net.ai_added, done.stat.net.human_added), (0, 1));
    let result = call.execute(kit.context()).await;
    assert!(result.edited);
    assert!(
        text(&result).starts_with(USER_CHANGED_PROPOSAL),
        "{}",
        text(&result)
    );
    assert!(text(&result).contains("+y = 4"), "{}", text(&result));
    assert_eq!(
        kit.read("n.ipynb"),
        NOTEBOOK.replace("y = 2", "y = 4").as_bytes()
    );
}

#[tokio::test]
async fn a_cell_that_goes_can_only_be_allowed_or_declined() {
    let (kit, path) = read_kit().await;
    let args = json!({"notebook_path": path, "edit_mode": "delete", "cell_id": "a"});
    let mut call = kit.prepare("notebook_edit", args).await.unwrap();
    assert!(!call.question().modifiable);
    assert_eq!(call.modify("x").unwrap_err(), ModifyError::NotModifiable);
    let result = call.execute(kit.context()).await;
    assert!(
        text(&result).contains("0 cells are left"),
        "{}",
        text(&result)
    );
    let value: Value = serde_json::from_slice(&kit.read("n.ipynb")).unwrap();
    assert_eq!(value["cells"], json!([]));
}

#[tokio::test]
async fn arguments_must_fit_the_mode() {
    let (kit, path) = read_kit().await;
    let check = async |args: Value| {
        let mut all = args;
        if all.get("notebook_path").is_none() {
            all["notebook_path"] = json!(path);
        }
        let code = kit
            .prepare("notebook_edit", all.clone())
            .await
            .err()
            .unwrap();
        assert_eq!(code, "INVALID_TOOL_PARAMS", "{all}");
    };
    check(json!({"new_source": "x"})).await;
    check(json!({"cell_id": "a"})).await;
    check(json!({"edit_mode": "delete"})).await;
    check(json!({"edit_mode": "insert", "new_source": "x"})).await;
    check(json!({"edit_mode": "insert", "cell_type": "code"})).await;
    check(json!({"notebook_path": "/tmp/a.txt", "cell_id": "a", "new_source": "x"})).await;
}

#[tokio::test]
async fn a_notebook_that_changes_under_the_question_is_left_alone() {
    let (kit, path) = read_kit().await;
    let args = json!({"notebook_path": path, "cell_id": "a", "new_source": "z"});
    let call = kit.prepare("notebook_edit", args).await.unwrap();
    assert!(!call.is_stale());
    let other = NOTEBOOK.replace("x = 1", "x = 7");
    kit.write("n.ipynb", &other);
    assert!(call.is_stale());
    let result = call.execute(kit.context()).await;
    assert_eq!(result.failure.unwrap().code, "FILE_CHANGED_SINCE_READ");
    assert_eq!(kit.read("n.ipynb"), other.as_bytes());
}
