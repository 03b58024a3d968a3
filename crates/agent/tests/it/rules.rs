//! Rules that no scenario speaks of.

use crate::script;
use crate::session::{Session, draft_of, ends, last_result, last_user, side_of};
use agent::machine::{
    CancelHow, CheckVerdict, Decided, DecidedAction, Effect, Input, Jitter, LoopConfig, LoopState,
    ShellChange, SideKind, SideResult, ToolOutcome,
};
use llm::{BlockKind, Failure, FailureKind, ProviderEvent};
use protocol::confirmation::{Resolution, Scope, Verdict};
use protocol::event::SessionEvent;
use protocol::log::LogEvent;
use protocol::message::{Reminder, StopReason, ViewEntry};
use protocol::session::{Outcome, TitleSource};
use protocol::shell::ShellState;
use protocol::todo::{Todo, TodoStatus};
use protocol::tool_call::{CallStatus, ToolKind};
use serde_json::json;

fn titles(session: &Session) -> Vec<(&str, TitleSource)> {
    let title = |event| match event {
        &LogEvent::TitleChanged { ref title, source } => Some((title.as_str(), source)),
        _ => None,
    };
    session.events().filter_map(title).collect()
}

#[test]
fn a_title_is_made_once_and_never_over_the_persons_own() {
    let config = LoopConfig {
        title_requests: true,
        ..LoopConfig::default()
    };
    let mut session = Session::new(config.clone());
    session.say("  Fix the test\nplease  ");
    assert_eq!(titles(&session), [("Fix the test", TitleSource::Default)]);
    let effects = session.answer(&json!([{"say": "ok"}]));
    let (id, kind) = side_of(&effects).expect("a title is asked for");
    assert_eq!(
        *kind,
        SideKind::Title {
            text: "  Fix the test\nplease  ".to_owned()
        }
    );
    let text = "<think>hm</think>\n\n \"Repairing the test\" \nmore".to_owned();
    session.feed(Input::SideDone {
        id,
        result: SideResult::Text {
            text,
            notes: Vec::new(),
        },
    });
    assert_eq!(
        titles(&session).last(),
        Some(&("Repairing the test", TitleSource::Auto))
    );
    session.say("again");
    let effects = session.answer(&json!([{"say": "ok"}]));
    assert_eq!(side_of(&effects), None, "one title is enough");

    let mut session = Session::new(config);
    session.say("Fix the test");
    let effects = session.answer(&json!([{"say": "ok"}]));
    let (id, _) = side_of(&effects).unwrap();
    session.feed(Input::Rename {
        title: "Mine".to_owned(),
    });
    let result = SideResult::Text {
        text: "Theirs".to_owned(),
        notes: Vec::new(),
    };
    session.feed(Input::SideDone { id, result });
    assert_eq!(titles(&session).last(), Some(&("Mine", TitleSource::User)));
}

#[test]
fn the_twenty_first_message_stays_in_the_composer() {
    let mut session = Session::new(LoopConfig::default());
    session.say("go");
    for number in 0..20 {
        assert_eq!(draft_of(&session.say(&format!("m{number}"))), None);
    }
    assert_eq!(draft_of(&session.say("one too many")), Some("one too many"));
    assert_eq!(session.state.queue().len(), 20);
    let id = session.state.queue()[3].id;
    session.feed(Input::EditQueued {
        id,
        text: "changed".to_owned(),
    });
    let restored = LoopState::restore(session.state.config.clone(), &session.rows);
    assert_eq!(
        restored.queue()[3].text,
        "changed",
        "the queue survives a restart"
    );
    assert_eq!(restored.queue(), session.state.queue());
}

#[test]
fn a_text_that_runs_in_circles_is_cut_off() {
    let mut session = Session::new(LoopConfig::default());
    session.say("go");
    session.provider(ProviderEvent::BlockStart {
        block: 0,
        kind: BlockKind::Text,
        id: None,
        name: None,
    });
    let delta = "I will now look at the file again to be really sure. ".to_owned();
    let aborted = (0..12).any(|_| {
        let Some(answer) = session.state.answer() else {
            return false;
        };
        let request = answer.request();
        let event = ProviderEvent::BlockDelta {
            block: 0,
            delta: delta.clone(),
        };
        let effects = session.feed(Input::Provider { request, event });
        effects.contains(&Effect::AbortRequest { request })
    });
    assert!(aborted, "the request is closed");
    assert_eq!(ends(&session), ["loop_detected"]);
    assert!(matches!(
        session.state.view().last().map(|entry| (**entry).clone()),
        Some(ViewEntry::Assistant {
            stop: StopReason::Interrupted,
            ..
        })
    ));
}

fn shell(id: &str, state: ShellState, note: Option<&str>) -> Input {
    Input::Shell(ShellChange {
        shell_id: id.into(),
        command: "serve".to_owned(),
        state,
        exit_code: None,
        note: note.map(|text| Reminder {
            code: "shell_ended".to_owned(),
            text: text.to_owned(),
        }),
    })
}

/// What the model was told of shells in the newest message.
fn told(session: &Session) -> Vec<String> {
    let mut all = session.events().filter_map(|event| match event {
        LogEvent::UserMessage { reminders, .. } => Some(reminders),
        _ => None,
    });
    let texts = all.next_back().into_iter().flatten();
    texts.map(|reminder| reminder.text.clone()).collect()
}

#[test]
fn the_end_of_a_shell_reaches_the_model_with_the_next_message_or_at_the_next_step() {
    let mut session = Session::new(LoopConfig::default());
    session.feed(shell("bg_1", ShellState::Failed, Some("one")));
    session.say("go");
    assert_eq!(told(&session), ["one"], "an idle session waits");
    session.feed(shell("bg_2", ShellState::Completed, Some("two")));
    session.feed(shell("bg_2", ShellState::Completed, Some("two")));
    session.feed(shell("bg_3", ShellState::Completed, None));
    session.answer(&json!([{"call": ["c1", "read", {}]}]));
    session.run("c1", ToolKind::Read, ToolOutcome::text("text", 5));
    assert_eq!(last_user(&session), ("", vec!["shell_ended"]));
    assert_eq!(told(&session), ["two"], "once, and alone");
    session.feed(shell("bg_4", ShellState::Completed, Some("four")));
    session.answer(&json!([{"say": "ok"}]));
    session.say("more");
    assert_eq!(
        told(&session),
        ["four"],
        "the turn ended before it was told"
    );
}

#[test]
fn shells_that_ran_when_the_program_ended_are_told_of_once() {
    let mut session = Session::new(LoopConfig::default());
    session.feed(shell("bg_1", ShellState::Running, None));
    session.feed(shell("bg_1", ShellState::Lost, None));
    session.feed(shell("bg_2", ShellState::Cancelled, None));
    session.say("go");
    assert_eq!(last_user(&session), ("go", vec!["shells_lost"]));
    session.answer(&json!([{"say": "ok"}]));
    session.say("more");
    assert_eq!(last_user(&session), ("more", vec![]));
}

#[test]
fn what_was_not_told_is_told_after_a_restart_and_what_was_is_not() {
    let mut session = Session::new(LoopConfig::default());
    session.feed(shell("bg_1", ShellState::Completed, Some("one")));
    session.say("go");
    session.answer(&json!([{"say": "ok"}]));
    session.feed(shell("bg_2", ShellState::Completed, Some("two")));
    session.restart();
    session.say("more");
    assert_eq!(told(&session), ["two"]);
    session.answer(&json!([{"say": "ok"}]));
    session.restart();
    session.say("and more");
    assert_eq!(last_user(&session), ("and more", vec![]));
}

#[test]
fn an_end_in_a_past_that_went_is_told_again_if_the_start_remains() {
    let mut session = Session::new(LoopConfig::default());
    session.say("go");
    session.feed(shell("bg_1", ShellState::Running, None));
    session.answer(&json!([{"say": "ok"}]));
    let second = session.rows.len() as u64 + 1;
    session.say("second");
    session.feed(shell("bg_2", ShellState::Running, None));
    session.feed(shell("bg_1", ShellState::Completed, Some("one")));
    session.feed(shell("bg_2", ShellState::Completed, Some("two")));
    session.answer(&json!([{"say": "ok"}]));
    session.say("third");
    assert_eq!(told(&session), ["one", "two"]);
    session.answer(&json!([{"say": "ok"}]));
    session.feed(Input::RewindTo { seq: second });
    session.restart();
    session.say("other second");
    assert_eq!(told(&session), ["one"], "the start of the other went, too");
}

#[test]
fn going_on_without_words_tells_the_model_what_waits() {
    for (state, note, code) in [
        (ShellState::Completed, Some("text"), "shell_ended"),
        (ShellState::Lost, None, "shells_lost"),
    ] {
        let mut session = Session::new(LoopConfig::default());
        session.say("go");
        session.answer(&json!([{"say": "ok"}]));
        session.feed(shell("bg_1", state, note));
        session.feed(Input::Continue);
        assert_eq!(last_user(&session), ("", vec![code]));
    }
}

#[test]
fn a_task_list_that_grew_old_is_brought_up_once_in_ten_steps() {
    let mut session = Session::new(LoopConfig::default());
    session.say("go");
    let todo = Todo {
        id: "1".to_owned(),
        content: "do it".to_owned(),
        status: TodoStatus::Pending,
    };
    for step in 0..25 {
        let call = format!("c{step}");
        session.answer(&json!([{"call": [call, "read", {"n": step}]}]));
        let todos = (step == 0).then(|| vec![todo.clone()]);
        let outcome = ToolOutcome {
            todos,
            ..ToolOutcome::text(format!("{step}"), 5)
        };
        session.run(&call, ToolKind::Read, outcome);
    }
    let notes = session.events().filter(|event| {
        matches!(event, LogEvent::UserMessage { reminders, .. } if reminders.iter().any(|note| note.code == "todo_stale"))
    });
    assert_eq!(notes.count(), 2);
}

#[test]
fn an_allowance_for_the_session_is_a_rule_from_then_on() {
    let mut session = Session::new(LoopConfig::default());
    session.say("go");
    session.answer(&json!([{"call": ["c1", "shell", {}]}]));
    let ask = crate::scenario::answers::ask(&"c1".into(), "shell");
    let verdict = CheckVerdict::Ask {
        kind: ToolKind::Execute,
        ask: Box::new(ask),
        shell_id: Some("sh".into()),
    };
    let effects = session.feed(Input::Checked {
        call_id: "c1".into(),
        verdict,
    });
    assert!(effects.contains(&Effect::Ask {
        call_id: "c1".into()
    }));
    assert_eq!(session.state.open_asks().len(), 1);
    let resolution = Resolution {
        verdict: Verdict::Allowed,
        scope: Some(Scope::Session),
        rules: vec!["Shell(ls)".to_owned()],
        words: None,
    };
    let decided = Decided {
        action: DecidedAction::Run,
        resolution,
        stat: None,
        final_args: None,
    };
    let effects = session.feed(Input::Decision {
        call_id: "c1".into(),
        decided: Box::new(decided),
    });
    let run = Effect::RunCall {
        call_id: "c1".into(),
        shell_id: Some("sh".into()),
    };
    assert!(
        effects.contains(&run),
        "in the shell that the check named: {effects:?}"
    );
    assert!(session.state.rules().contains("Shell(ls)"));
    let restored = LoopState::restore(session.state.config.clone(), &session.rows);
    assert!(restored.rules().is_empty(), "until the program restarts");
}

#[test]
fn what_let_a_call_pass_unasked_is_kept() {
    let mut session = Session::new(LoopConfig::default());
    session.say("go");
    session.answer(&json!([{"call": ["c1", "edit", {}]}]));
    let rule = Some("mode auto_edit".to_owned());
    let verdict = CheckVerdict::Ready {
        kind: ToolKind::Edit,
        rule,
        shell_id: None,
    };
    session.feed(Input::Checked {
        call_id: "c1".into(),
        verdict,
    });
    let resolved = session.events().any(|event| {
        matches!(event, LogEvent::ApprovalResolved { resolution, .. }
            if resolution.verdict == Verdict::Automatic && resolution.rules == ["mode auto_edit"])
    });
    assert!(resolved);
}

#[test]
fn stopped_calls_have_fixed_words() {
    #[track_caller]
    fn check(outcome: ToolOutcome, stop: Option<Input>, status: CallStatus, text: &str) {
        let mut session = Session::new(LoopConfig::default());
        session.say("go");
        session.answer(&json!([{"call": ["c1", "shell", {}]}]));
        session.pass("c1", ToolKind::Execute);
        if let Some(stop) = stop {
            session.feed(stop);
        }
        session.done("c1", outcome);
        assert_eq!(last_result(&session), (status, text.to_owned()));
    }
    let kill = || {
        Some(Input::KillCall {
            call_id: "c1".into(),
        })
    };
    let stopped = |tail: &str| ToolOutcome::stopped(tail, 3_400);
    check(
        stopped("tick\n"),
        Some(Input::Cancel),
        CallStatus::CancelledRunning,
        "Stopped by the user after 3 s. It may have had partial effects. Last output: tick",
    );
    check(
        stopped(""),
        kill(),
        CallStatus::Killed,
        "The user ended this command after 3 s.",
    );
    check(
        stopped("x"),
        None,
        CallStatus::Killed,
        "The user ended this command after 3 s. Last output: x",
    );
    check(
        ToolOutcome {
            status: CallStatus::Timeout,
            ..stopped("y")
        },
        None,
        CallStatus::Timeout,
        "Stopped after 3 s (time limit). Last output: y",
    );
    check(
        ToolOutcome {
            status: CallStatus::Timeout,
            ..ToolOutcome::text("own words", 9)
        },
        None,
        CallStatus::Timeout,
        "own words",
    );
    check(
        ToolOutcome::panicked("boom", 1),
        None,
        CallStatus::Error,
        "The tool failed inside: boom.",
    );
}

#[test]
fn a_call_is_ended_alone_and_then_by_the_turn() {
    let mut session = Session::new(LoopConfig::default());
    session.say("go");
    session.answer(&json!([{"call": ["c1", "shell", {}]}]));
    session.pass("c1", ToolKind::Execute);
    let cancel = |how| Effect::CancelCall {
        call_id: "c1".into(),
        how,
    };
    let effects = session.feed(Input::KillCall {
        call_id: "c1".into(),
    });
    assert_eq!(effects, [cancel(CancelHow::Kill)]);
    assert!(
        session
            .feed(Input::Cancel)
            .contains(&cancel(CancelHow::Stop))
    );
    assert_eq!(session.feed(Input::Cancel), [cancel(CancelHow::Force)]);
    session.done("c1", ToolOutcome::stopped("", 10));
    assert_eq!(
        last_result(&session).0,
        CallStatus::Killed,
        "the person ended it before the turn"
    );
    assert_eq!(ends(&session), ["cancelled"]);
}

#[test]
fn waits_say_why_and_how_long() {
    let mut session = Session::new(LoopConfig::default());
    session.say("go");
    let failure = Failure::new(FailureKind::Overloaded, "busy");
    let effects = session.provider(ProviderEvent::Error(failure));
    assert!(effects.contains(&Effect::StartTimer {
        id: 1,
        ms: 1_000,
        jitter: Jitter::Backoff
    }));
    let wait = effects.iter().find_map(|effect| match effect {
        Effect::Ui {
            event:
                SessionEvent::RetryWait {
                    until,
                    error_kind,
                    message,
                    attempt,
                    of,
                },
        } => Some((*until, error_kind.as_str(), message.as_str(), *attempt, *of)),
        _ => None,
    });
    assert_eq!(wait, Some((2_000, "overloaded", "busy", 1, 6)));
    let effects = session.feed(Input::RetryNow);
    assert_eq!(effects[0], Effect::DropTimer { id: 1 });
    assert!(effects.contains(&Effect::StartRequest {
        request: 2,
        step: 1,
        attempt: 2
    }));
    let failure = Failure {
        retry_after_ms: Some(9_000),
        ..Failure::new(FailureKind::RateLimit, "slow down")
    };
    let effects = session.provider(ProviderEvent::Error(failure));
    assert!(effects.contains(&Effect::StartTimer {
        id: 2,
        ms: 9_000,
        jitter: Jitter::RetryAfter
    }));
    let failure = Failure {
        retry_after_ms: Some(3_600_000),
        ..Failure::new(FailureKind::RateLimit, "slow down.")
    };
    session.feed(Input::Timer { id: 2 });
    session.provider(ProviderEvent::Error(failure));
    let message = session.events().rev().find_map(|event| match event {
        LogEvent::TurnEnded { message, .. } => message.clone(),
        _ => None,
    });
    assert_eq!(message.as_deref(), Some("slow down. Try again in 60 min."));
}

#[test]
fn a_refusal_says_what_the_provider_said() {
    let mut session = Session::new(LoopConfig::default());
    session.say("go");
    let details = Some(json!({"category": "cyber", "explanation": "Not this."}));
    session.provider(ProviderEvent::Stop {
        reason: StopReason::Refusal,
        raw: None,
        details,
    });
    let ended = session.events().rev().find_map(|event| match event {
        LogEvent::TurnEnded {
            outcome, message, ..
        } => Some((outcome.clone(), message.clone())),
        _ => None,
    });
    assert_eq!(
        ended,
        Some((Outcome::Refusal, Some("cyber: Not this.".to_owned())))
    );
    assert_eq!(session.state.view(), []);
}

#[test]
fn a_late_summary_and_a_late_answer_change_nothing() {
    let mut session = Session::new(LoopConfig::default());
    session.say("go");
    session.feed(Input::Cancel);
    let view = session.state.view().to_vec();
    let stale = session.state.stale_inputs();
    let event = script::stop(StopReason::EndTurn);
    assert_eq!(session.feed(Input::Provider { request: 1, event }), []);
    assert_eq!(session.state.stale_inputs(), stale + 1);
    assert_eq!(session.state.view(), view);
}
