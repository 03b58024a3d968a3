use super::*;
use serde_json::json;

fn key(args: Value) -> CallKey {
    key_of("read", args, Repeats::Calls)
}

fn key_of(name: &str, args: Value, repeats: Repeats) -> CallKey {
    let args = CallArgs::Usable { value: args };
    CallKey::of(
        &ToolCall {
            call_id: "c".into(),
            name: name.to_owned(),
            args,
            meta: None,
        },
        repeats,
    )
}

/// Plays calls with their results. The number of calls that ran, and whether the turn was halted.
fn play(calls: &[(CallKey, u64)]) -> (usize, bool) {
    let (mut guard, config) = (Guard::default(), LoopConfig::default());
    for (index, (key, result)) in calls.iter().enumerate() {
        if guard.admit(*key, &config) == Admission::Halt {
            return (index, true);
        }
        if guard.note(*key, *result, &config).admission == Admission::Halt {
            return (index + 1, true);
        }
    }
    (calls.len(), false)
}

#[test]
fn arguments_are_equal_in_any_order_of_keys() {
    let text = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(
        key(text(r#"{"a":1,"b":{"x":[1,2],"y":"z"}}"#)),
        key(text(r#"{"b":{"y":"z","x":[1,2]},"a":1}"#))
    );
    assert_ne!(
        key(json!({"a": [1, 2]})),
        key(json!({"a": [2, 1]})),
        "lists have an order"
    );
    assert_ne!(
        key(json!({"a": "1"})),
        key(json!({"a": 1})),
        "a text is no number"
    );
    assert_ne!(key(json!({"ab": "c"})), key(json!({"a": "bc"})));
    assert_ne!(key(json!({})), key_of("grep", json!({}), Repeats::Calls));
}

#[test]
fn the_fifth_equal_call_in_a_row_does_not_run() {
    let same = key(json!({"a": 1}));
    assert_eq!(
        play(&[(same, 1), (same, 2), (same, 3), (same, 4), (same, 5)]),
        (4, true)
    );
    let other = key(json!({"a": 2}));
    assert_eq!(
        play(&[
            (same, 1),
            (same, 2),
            (other, 9),
            (same, 3),
            (same, 4),
            (other, 8)
        ]),
        (6, false)
    );
}

#[test]
fn two_calls_in_turn_are_a_loop_only_with_unchanged_results() {
    let (a, b) = (key(json!({"a": 1})), key(json!({"b": 1})));
    let same = [(a, 1), (b, 2), (a, 1), (b, 2), (a, 1), (b, 2), (a, 1)];
    assert_eq!(play(&same), (6, true));
    let third = key(json!({"c": 1}));
    let leaving = [(a, 1), (b, 2), (a, 1), (b, 2), (a, 1), (b, 2), (third, 1)];
    assert_eq!(play(&leaving), (7, false), "something else follows");
    let changing = [(a, 1), (b, 2), (a, 1), (b, 3), (a, 1), (b, 4), (a, 1)];
    assert_eq!(play(&changing), (7, false));
}

#[test]
fn six_equal_results_anywhere_are_a_loop() {
    let same = key(json!({"a": 1}));
    let mut calls = Vec::new();
    for n in 0..6 {
        calls.push((same, 7));
        calls.push((key(json!({"other": n})), n));
        calls.push((key(json!({"another": n})), n));
    }
    assert_eq!(
        play(&calls),
        (16, true),
        "the sixth has run; nothing follows"
    );
}

#[test]
fn a_polling_tool_may_be_called_as_long_as_something_changes() {
    let poll = |shell: &str| key_of("shell_output", json!({"id": shell}), Repeats::Polling);
    let changing: Vec<(CallKey, u64)> = (0..30).map(|n| (poll("s"), n)).collect();
    assert_eq!(play(&changing), (30, false));
    assert_eq!(play(&[(poll("s"), 1); 9]), (4, true));
    assert_eq!(poll("s"), poll("t"), "only the result counts");
}

#[test]
fn the_model_is_told_from_the_third_equal_result_on() {
    let (mut guard, config) = (Guard::default(), LoopConfig::default());
    let same = key(json!({}));
    let hints: Vec<Option<u32>> = [5, 5, 5, 5, 6]
        .map(|result| guard.note(same, result, &config).hint)
        .to_vec();
    assert_eq!(hints, [None, None, Some(3), Some(4), None]);
}

#[test]
fn three_steps_that_fail_alike_are_a_loop() {
    let mut guard = Guard::default();
    let steps = [
        Some(1),
        Some(1),
        None,
        Some(1),
        Some(1),
        Some(2),
        Some(2),
        Some(2),
    ];
    let halts: Vec<bool> = steps
        .map(|failure| guard.end_step(failure) == Admission::Halt)
        .to_vec();
    assert_eq!(
        halts,
        [false, false, false, false, false, false, false, true]
    );
}

#[test]
fn a_turn_has_a_largest_number_of_calls() {
    let config = LoopConfig {
        max_calls: 3,
        ..LoopConfig::default()
    };
    let mut guard = Guard::default();
    let admitted = (0..5)
        .filter(|n| guard.admit(key(json!({"n": n})), &config) == Admission::Go)
        .count();
    assert_eq!(admitted, 3);
}
