//! Making a conversation smaller.

use crate::session::{Session, Store, side_of, text_of};
use agent::machine::{
    ContextLimits, Input, LoopConfig, LoopState, SideKind, SideResult, ToolOutcome,
};
use llm::{Failure, FailureKind};
use protocol::log::LogEvent;
use protocol::message::ViewEntry;
use protocol::session::{Mode, Phase};
use protocol::tool_call::ToolKind;
use serde_json::json;

#[test]
fn old_results_are_emptied_before_anything_is_summarised() {
    let context = ContextLimits {
        auto_at: Some(100_000),
        ..ContextLimits::unknown()
    };
    let mut session = Session::new(LoopConfig {
        context,
        ..LoopConfig::default()
    });
    let large = "w".repeat(39_000);
    for turn in 10..20 {
        session.say(&format!("turn {turn}"));
        let call = format!("c{turn}");
        session.answer(&json!([{"call": [call, "read", {"n": turn}]}]));
        session.run(
            &call,
            ToolKind::Read,
            ToolOutcome::text(format!("{turn}{large}"), 5),
        );
        if let Some(answer) = session.state.answer() {
            assert_eq!(answer.blocks(), [], "the next request");
            session.answer(&json!([{"say": "ok"}]));
        }
    }
    let pruned: Vec<usize> = session
        .events()
        .filter_map(|event| match event {
            LogEvent::Prune { seqs } => Some(seqs.len()),
            _ => None,
        })
        .collect();
    assert_eq!(pruned, [6], "at 100,000 tokens, all but the newest 40,000");
    let texts: Vec<String> = session
        .state
        .view()
        .iter()
        .filter_map(|entry| match &**entry {
            ViewEntry::Result { content, .. } => Some(text_of(content)),
            _ => None,
        })
        .collect();
    let stub = "[Old tool output removed: 39002 characters. Run the tool again if you need it.]";
    assert!(texts.iter().take(6).all(|text| text == stub));
    assert!(
        texts.iter().skip(6).all(|text| text.len() == 39_002),
        "newer ones stay whole"
    );
    let restored = LoopState::restore(session.state.config.clone(), &session.rows);
    assert_eq!(restored.view(), session.state.view());
    assert_eq!(restored.used_tokens(), session.state.used_tokens());
}

#[test]
fn a_summary_waits_until_what_it_refers_to_is_durable() {
    let context = ContextLimits {
        tail_tokens: 10,
        ..ContextLimits::unknown()
    };
    let mut session = Session::new(LoopConfig {
        context,
        ..LoopConfig::default()
    });
    for text in ["one", "two"] {
        session.say(text);
        session.answer(&json!([{"say": "ok"}]));
    }
    session.store = Store::Slow;
    session.say("three");
    session.answer(&json!([{"say": "ok"}]));
    let effects = session.feed(Input::CompactNow {
        words: Some("keep the plan".to_owned()),
    });
    let (id, kind) = side_of(&effects).expect("a summary is asked for");
    assert!(
        matches!(kind, SideKind::Summary { words: Some(words), .. } if words == "keep the plan")
    );
    let result = SideResult::Text {
        text: "SUM".to_owned(),
        notes: vec!["Shell sh_1 runs.".to_owned()],
    };
    session.feed(Input::SideDone { id, result });
    assert_eq!(
        session.state.phase(),
        Phase::Compacting,
        "no sequence numbers yet"
    );
    session.confirm();
    assert_eq!(session.state.phase(), Phase::Idle);
    let first = (*session.state.view()[0]).clone();
    assert_eq!(
        first,
        ViewEntry::Summary {
            text: "SUM\n\nShell sh_1 runs.".to_owned()
        }
    );
}

#[test]
fn a_summary_request_that_is_too_long_gets_less_to_read() {
    let context = ContextLimits {
        tail_tokens: 10,
        ..ContextLimits::unknown()
    };
    let mut session = Session::new(LoopConfig {
        context,
        ..LoopConfig::default()
    });
    for text in ["one", "two", "three", "four"] {
        session.say(text);
        session.answer(&json!([{"say": "ok"}]));
    }
    let mut effects = session.feed(Input::CompactNow { words: None });
    let mut ranges = Vec::new();
    while let Some((id, SideKind::Summary { from, to, .. })) = side_of(&effects) {
        ranges.push(*from..*to);
        let failure = Failure::new(FailureKind::ContextOverflow, "too long");
        effects = session.feed(Input::SideDone {
            id,
            result: SideResult::Failed { failure },
        });
    }
    assert_eq!(ranges, [0..7, 3..7, 5..7, 6..7], "the newest stays");
    assert_eq!(session.state.phase(), Phase::Idle);
    assert_eq!(session.state.view().len(), 8, "a failure changes nothing");
}

#[test]
fn a_pinned_message_that_is_too_long_keeps_its_ends() {
    let context = ContextLimits {
        tail_tokens: 10,
        ..ContextLimits::unknown()
    };
    let mut session = Session::new(LoopConfig {
        context,
        ..LoopConfig::default()
    });
    session.say(&format!("BEGIN {} END", "w".repeat(40_000)));
    session.answer(&json!([{"call": ["c1", "read", {}]}]));
    session.run("c1", ToolKind::Read, ToolOutcome::text("text", 5));
    session.answer(&json!([{"say": "ok"}]));
    let mut pinned = Vec::new();
    for round in 0..2 {
        let effects = session.feed(Input::CompactNow { words: None });
        let (id, _) = side_of(&effects).expect("a summary is asked for");
        let result = SideResult::Text {
            text: format!("SUM {round}"),
            notes: Vec::new(),
        };
        session.feed(Input::SideDone { id, result });
        let ViewEntry::User { text, .. } = &*session.state.view()[1] else {
            panic!("the pinned message")
        };
        assert!(
            text.starts_with("BEGIN w") && text.ends_with("w END"),
            "both ends"
        );
        assert!(text.len() < 16_100, "{} characters", text.len());
        pinned.push(text.clone());
        let restored = LoopState::restore(session.state.config.clone(), &session.rows);
        assert_eq!(restored.view(), session.state.view(), "round {round}");
        session.feed(Input::Continue);
        session.answer(&json!([{"call": [format!("d{round}"), "read", {}]}]));
        session.run(
            &format!("d{round}"),
            ToolKind::Read,
            ToolOutcome::text("text", 5),
        );
        session.answer(&json!([{"say": "ok"}]));
    }
    assert_eq!(pinned[0], pinned[1], "cut once");
}

#[test]
fn a_new_model_brings_its_window() {
    let mut session = Session::new(LoopConfig::default());
    let origin = protocol::message::Origin {
        provider: "p".to_owned(),
        model: "big".to_owned(),
    };
    let context = ContextLimits::for_window(200_000);
    session.feed(Input::SetModel {
        origin: origin.clone(),
        context,
    });
    assert_eq!(
        (session.state.origin(), session.state.config.context),
        (&origin, context)
    );
    session.feed(Input::SetMode { mode: Mode::Yolo });
    session.feed(Input::SetMode { mode: Mode::Yolo });
    let changes = session
        .events()
        .filter(|event| matches!(event, LogEvent::ModeChanged { .. }));
    assert_eq!(changes.count(), 1, "the same mode again is no change");
}

#[test]
fn windows_have_the_limits_of_the_table() {
    #[track_caller]
    fn check(window: u64, auto: u64, hard: u64, tail: u64, summary: u64) {
        let limits = ContextLimits {
            auto_at: Some(auto),
            hard_at: Some(hard),
            tail_tokens: tail,
            summary_tokens: summary,
        };
        assert_eq!(ContextLimits::for_window(window), limits, "{window}");
    }
    check(200_000, 167_000, 177_000, 15_000, 20_000);
    check(128_000, 95_000, 105_000, 15_000, 20_000);
    check(1_000_000, 850_000, 977_000, 15_000, 20_000);
    check(8_192, 5_734, 7_372, 2_000, 2_048);
    check(33_001, 1, 10_001, 2_000, 20_000);
}

#[test]
fn emptied_results_are_taken_off_what_the_provider_counted() {
    let context = ContextLimits {
        auto_at: Some(150_000),
        ..ContextLimits::unknown()
    };
    let mut session = Session::new(LoopConfig {
        context,
        ..LoopConfig::default()
    });
    for turn in 10..20 {
        session.say("go");
        let call = format!("c{turn}");
        session.answer(&json!([{"call": [call, "read", {"n": turn}]}]));
        let text = format!("{turn}{}", "w".repeat(39_000));
        session.run(&call, ToolKind::Read, ToolOutcome::text(text, 5));
        let input = if turn == 19 { 149_990 } else { 1_000 };
        session.answer(&json!([{"say": "ok"}, {"usage": [input, 10]}]));
    }
    assert_eq!(session.state.used_tokens(), 150_000);
    session.say("go");
    assert_eq!(session.state.phase(), Phase::Requesting, "that was enough");
    let used = session.state.used_tokens();
    assert!(
        (90_000..93_000).contains(&used),
        "six results of 9,759 less: {used}"
    );
}

#[test]
fn a_summary_is_not_summarised_alone() {
    let context = ContextLimits {
        tail_tokens: 1_000,
        ..ContextLimits::unknown()
    };
    let mut session = Session::new(LoopConfig {
        context,
        ..LoopConfig::default()
    });
    session.say("go");
    session.answer(&json!([{"call": ["c1", "read", {}]}]));
    session.run("c1", ToolKind::Read, ToolOutcome::text("text", 5));
    session.answer(&json!([{"say": "ok"}]));
    let effects = session.feed(Input::CompactNow { words: None });
    let (id, _) = side_of(&effects).expect("the first message can be summarised");
    let result = SideResult::Text {
        text: "SUM".to_owned(),
        notes: Vec::new(),
    };
    session.feed(Input::SideDone { id, result });
    let view = session.state.view().to_vec();
    let effects = session.feed(Input::CompactNow { words: None });
    assert!(
        !matches!(
            side_of(&effects),
            Some((_, SideKind::Summary { to: 0..=2, .. }))
        ),
        "not the summary and the pinned message alone: {effects:?}"
    );
    assert_eq!(session.state.view(), view);
}
