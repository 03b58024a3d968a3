//! Commands on a real terminal.

use crate::kit::{Kit, text};
use protocol::confirmation::Preview;
use protocol::shell::InputOwner;
use protocol::tool_call::Display;
use serde_json::json;
use terminal::Keys;
use tool_api::StopCause;

#[tokio::test]
async fn output_and_exit_code_reach_the_model() {
    let kit = Kit::new();
    let result = kit
        .run(
            "run_shell_command",
            json!({"command": "printf 'a\\tb\\n'; pwd; exit 3"}),
        )
        .await;
    let folder = kit.folder.display();
    assert!(
        text(&result).contains(&format!("a\tb\n{folder}")),
        "{}",
        text(&result)
    );
    assert!(text(&result).contains("Exit Code: 3"), "{}", text(&result));
    assert_eq!(result.failure.as_ref().unwrap().code, "SHELL_EXECUTE_ERROR");
    assert!(matches!(
        result.display,
        Display::Terminal {
            exit_code: Some(3),
            ..
        }
    ));
}

#[tokio::test]
async fn the_question_shows_the_whole_command() {
    let kit = Kit::new();
    let command = format!("echo {}\nrm -rf x", "y".repeat(5_000));
    let call = kit
        .prepare(
            "run_shell_command",
            json!({"command": command, "description": "a\nb"}),
        )
        .await
        .unwrap();
    let Preview::Exec {
        command: shown,
        description,
        display_cwd,
        ..
    } = call.question().preview
    else {
        panic!()
    };
    assert_eq!(shown, command);
    assert_eq!(description.as_deref(), Some("a b"));
    assert_eq!(display_cwd, ".");
}

#[tokio::test]
async fn what_a_person_types_reaches_the_command() {
    let kit = Kit::new();
    let call = kit
        .prepare(
            "run_shell_command",
            json!({"command": "read -r name; echo \"hello $name\""}),
        )
        .await
        .unwrap();
    let running = tokio::spawn(call.execute(kit.context()));
    let shell = loop {
        if let Some(shell) = kit.started.lock().unwrap().first().cloned() {
            break shell;
        }
        tokio::task::yield_now().await;
    };
    shell.own_input(InputOwner::Human).unwrap();
    shell.write(b"Ada\r", Keys::Shown).unwrap();
    let result = running.await.unwrap();
    assert!(text(&result).contains("hello Ada"), "{}", text(&result));
}

#[tokio::test]
async fn a_stopped_command_says_so_and_leaves_nothing() {
    let kit = Kit::new();
    let call = kit
        .prepare(
            "run_shell_command",
            json!({"command": "echo begun; sleep 61 & wait"}),
        )
        .await
        .unwrap();
    let running = tokio::spawn(call.execute(kit.context()));
    let shell = loop {
        if let Some(shell) = kit.started.lock().unwrap().first().cloned()
            && shell.tail_text(100).contains("begun")
        {
            break shell;
        }
        tokio::task::yield_now().await;
    };
    kit.cancel.cancel();
    let result = running.await.unwrap();
    assert_eq!(result.stopped, Some(StopCause::Cancelled));
    assert!(text(&result).contains("begun"));
    shell.gone().await;
    assert_eq!(
        kit.shells.get(shell.id()).unwrap().status().leftovers,
        Vec::new()
    );
}

#[tokio::test]
async fn a_command_past_its_time_is_stopped() {
    let kit = Kit::new();
    let args = json!({"command": "echo begun; while :; do :; done", "timeout_ms": 300});
    let result = kit.run("run_shell_command", args).await;
    assert_eq!(result.stopped, Some(StopCause::Timeout));
    assert!(
        text(&result).starts_with("Command timed out after 300 ms"),
        "{}",
        text(&result)
    );
}

#[tokio::test]
async fn what_cannot_be_meant_is_refused_before_anyone_is_asked() {
    let kit = Kit::new();
    let outside = kit.folder.parent().unwrap().display().to_string();
    for (args, code) in [
        (json!({"command": "  "}), "EMPTY_COMMAND"),
        (json!({"command": "a\u{0}b"}), "NUL_IN_COMMAND"),
        (json!({"command": "ls", "timeout_ms": 0}), "BAD_TIMEOUT"),
        (json!({"command": "ls", "timeout": 600_001}), "BAD_TIMEOUT"),
        (
            json!({"command": "ls", "directory": outside}),
            "BAD_DIRECTORY",
        ),
        (
            json!({"command": "ls", "directory": "sub"}),
            "BAD_DIRECTORY",
        ),
        (json!({"command": "sleep 30"}), "SLEEP_GUARD"),
        (json!({"command": "pkill benchdog"}), "SELF_KILL"),
    ] {
        assert_eq!(
            kit.prepare("run_shell_command", args.clone())
                .await
                .err()
                .as_deref(),
            Some(code),
            "{args}"
        );
    }
}

#[tokio::test]
async fn grep_without_a_match_is_an_answer() {
    let kit = Kit::new();
    let result = kit
        .run("run_shell_command", json!({"command": "echo a | grep b"}))
        .await;
    assert_eq!(result.failure, None, "{}", text(&result));
}
