//! Settings that a running session takes up.

use crate::changes::newest_words;
use protocol::command::{Empty, SetSettings};
use protocol::confirmation::Preview;
use protocol::sandbox::SandboxMode;
use protocol::session::Outcome;
use protocol::settings::{EditProfile, Settings};
use serde_json::{Value, json};
use tests::stage::op;
use tests::{Answer, Stage};

/// Names of the tools that a request declares.
fn declared(body: &Value) -> Vec<String> {
    let tools = body["tools"].as_array().cloned().unwrap_or_default();
    let name = |tool: &Value| tool["function"]["name"].as_str().map(str::to_owned);
    tools.iter().filter_map(name).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_tools_count_from_the_next_turn_on() {
    let mut stage = Stage::with_files(
        vec![Answer::Close],
        &[("a.txt", "say \u{201c}hello world\u{201d} twice\n")],
    )
    .await;
    let path = stage.path("a.txt");
    let read = ("read_file", json!({ "file_path": path }));
    let blurred = json!({"file_path": path, "old_string": "say \"hello world\" twice", "new_string": "say it once"});
    stage.model.play(vec![
        Answer::Calls(vec![read]),
        Answer::Calls(vec![(
            "run_shell_command",
            json!({"command": "echo hello"}),
        )]),
        Answer::Text("Done."),
        Answer::Calls(vec![("edit", blurred.clone())]),
        Answer::Text("Done."),
        Answer::Calls(vec![("edit", blurred)]),
        Answer::Text("Done."),
    ]);
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    choose(&stage, |settings| {
        settings.apply_patch = true;
        settings.edit_profile = EditProfile::Exact;
    })
    .await;
    stage.allow(&ask).await;
    assert_eq!(stage.outcome().await, Outcome::Completed);
    let has_patch = |body: &Value| declared(body).iter().any(|name| name == "apply_patch");
    assert!(
        !stage.model.requests().iter().any(has_patch),
        "not in the middle of a turn"
    );

    stage.say("once more").await.unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert!(has_patch(stage.model.requests().last().unwrap()));
    let told = newest_words(&stage);
    assert!(told.contains("0 occurrences"), "{told}");

    choose(&stage, |settings| {
        settings.apply_patch = false;
        settings.edit_profile = EditProfile::Safe;
    })
    .await;
    stage.say("and again").await.unwrap();
    let ask = stage.question().await;
    stage.allow(&ask).await;
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert_eq!(
        stage.read("a.txt"),
        "say it once\n",
        "what was read before still counts"
    );
    assert!(!has_patch(stage.model.requests().last().unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sandbox_that_was_chosen_is_shown_and_holds() {
    // Everybody may write there.
    let outside = std::path::PathBuf::from(format!("/var/tmp/benchdog-{}", op().0));
    let command = format!("echo in > in.txt; echo out > {}", outside.display());
    let call = ("run_shell_command", json!({ "command": command }));
    let answers = vec![Answer::Calls(vec![call]), Answer::Text("Done.")];
    let mut stage = Stage::new(answers).await;
    choose(&stage, |settings| {
        settings.sandbox = SandboxMode::WorkspaceWrite;
        settings.sandbox_required = true;
    })
    .await;
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    let Preview::Exec { sandbox, .. } = &ask.preview else {
        panic!("a command expected")
    };
    let facts = sandbox.as_ref().expect("a sandbox is shown");
    assert_eq!(
        (facts.mode, facts.network),
        (SandboxMode::WorkspaceWrite, false)
    );
    let rules = &ask.scopes[0].rules;
    assert!(rules[0].contains("in a sandbox: workspace"), "{rules:?}");
    stage.allow(&ask).await;
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert_eq!(stage.read("in.txt"), "in\n");
    assert!(!outside.exists());
    let told = newest_words(&stage);
    assert!(told.contains("SANDBOX_DENIED"), "{told}");
}

async fn choose(stage: &Stage, change: impl FnOnce(&mut Settings)) {
    let mut settings = stage.workbench.get_settings(Empty {}).await.unwrap();
    change(&mut settings);
    let request = SetSettings { op: op(), settings };
    stage.workbench.set_settings(request).await.unwrap();
}
