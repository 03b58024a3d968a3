//! Reading and searching.

use crate::kit::{Kit, text};
use protocol::tool_call::Display;
use serde_json::json;
use tool_api::Permission;

#[tokio::test]
async fn lines_come_with_numbers_and_pages_name_the_next() {
    let kit = Kit::new();
    let body: String = (1..=3000).map(|n| format!("line {n}\n")).collect();
    let path = kit.write("long.txt", body);
    let result = kit
        .run(
            "read_file",
            json!({"file_path": path, "offset": 0, "limit": 50}),
        )
        .await;
    assert!(text(&result).contains("1\tline 1\n"), "{}", text(&result));
    assert!(
        text(&result).contains("3000"),
        "the number of lines is told"
    );
    let Display::FileRead {
        first_line,
        last_line,
        total_lines,
        ..
    } = result.display
    else {
        panic!()
    };
    assert_eq!((first_line, last_line, total_lines), (1, 50, 3000));
}

#[tokio::test]
async fn a_wrong_name_offers_the_right_one() {
    let kit = Kit::new();
    kit.write("Readme.md", "x\n");
    let path = kit.folder.join("readme.md").display().to_string();
    let result = kit.run("read_file", json!({ "file_path": path })).await;
    let failure = result.failure.unwrap();
    assert_eq!(failure.code, "FILE_NOT_FOUND");
    assert!(failure.message.contains("Readme.md"), "{}", failure.message);
}

#[tokio::test]
async fn what_lies_outside_is_asked_about() {
    let kit = Kit::new();
    let outside = kit.folder.parent().unwrap().join("outside.txt");
    std::fs::write(&outside, "x\n").unwrap();
    let call = kit
        .prepare(
            "read_file",
            json!({"file_path": outside.display().to_string()}),
        )
        .await
        .unwrap();
    assert_eq!(call.default_permission(), Permission::Ask);
    let spool = kit.folder.parent().unwrap().join("spool/shell-1");
    std::fs::create_dir_all(&spool).unwrap();
    std::fs::write(spool.join("out.txt"), "x\n").unwrap();
    let output = spool.join("out.txt").display().to_string();
    let call = kit
        .prepare("read_file", json!({ "file_path": output }))
        .await
        .unwrap();
    assert_eq!(
        call.default_permission(),
        Permission::Allow,
        "the model was told of the file"
    );
    let inside = kit.write("a.txt", "x\n");
    let call = kit
        .prepare("read_file", json!({ "file_path": inside }))
        .await
        .unwrap();
    assert_eq!(call.default_permission(), Permission::Allow);
}

#[tokio::test]
async fn lines_seen_in_a_search_may_be_edited() {
    let kit = Kit::new();
    let path = kit.write("a.txt", "alpha\nbeta\n");
    let result = kit
        .run(
            "grep_search",
            json!({"pattern": "bet.", "output_mode": "content"}),
        )
        .await;
    assert!(text(&result).contains("2:beta"), "{}", text(&result));
    assert!(
        matches!(&result.display, Display::Matches { hits, .. } if hits.len() == 1 && hits[0].line == 2)
    );
    let edited = kit
        .run(
            "edit",
            json!({"file_path": path, "old_string": "beta", "new_string": "gamma"}),
        )
        .await;
    assert_eq!(edited.failure, None);
}

#[tokio::test]
async fn ignored_files_stay_out_of_search_glob_and_list() {
    let kit = Kit::new();
    kit.write(".gitignore", "*.log\n");
    kit.write("a.log", "needle\n");
    kit.write("a.txt", "needle\n");
    let grep = kit.run("grep_search", json!({"pattern": "needle"})).await;
    assert!(
        text(&grep).contains("a.txt") && !text(&grep).contains("a.log"),
        "{}",
        text(&grep)
    );
    let glob = kit.run("glob", json!({"pattern": "a.*"})).await;
    assert!(
        text(&glob).contains("a.txt") && !text(&glob).contains("a.log"),
        "{}",
        text(&glob)
    );
    let list = kit
        .run(
            "list_directory",
            json!({"path": kit.folder.display().to_string()}),
        )
        .await;
    assert!(
        text(&list).contains("a.txt") && !text(&list).contains("a.log"),
        "{}",
        text(&list)
    );
}

#[tokio::test]
async fn a_folder_is_not_read_as_a_file() {
    let kit = Kit::new();
    let result = kit
        .run(
            "read_file",
            json!({"file_path": kit.folder.display().to_string()}),
        )
        .await;
    assert_eq!(result.failure.unwrap().code, "TARGET_IS_DIRECTORY");
}
