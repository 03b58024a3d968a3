use super::*;
use crate::lines::{count_lines, lines, with_lf};
use crate::test_support::case_file;
use proptest::prelude::*;
use serde_json::Value;

fn to_json(stat: &DiffStat) -> Value {
    serde_json::to_value(stat).unwrap()
}

/// Every number a case names must be the counted one.
fn check_case(case: &Value) -> Result<(), String> {
    let text = |key: &str| with_lf(case[key].as_str().unwrap()).into_owned();
    let stat = to_json(&diff_stat(&text("old"), &text("ai"), &text("final")));
    for (key, expected) in case["expect"].as_object().unwrap() {
        if stat[key] != *expected {
            return Err(format!(
                "{}: {key} is {}, not {expected} ({})",
                case["id"], stat[key], case["why"]
            ));
        }
    }
    Ok(())
}

#[test]
fn all_cases_of_the_case_file() {
    let file = case_file("edit-cases.json");
    let cases = file["diff_stat_cases"].as_array().unwrap();
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| check_case(case).err())
        .collect();
    assert_eq!(failures, Vec::<String>::new());
    assert_eq!(cases.len(), 21);
}

#[test]
fn blank_lines_and_partial_lines_count_whole() {
    let stat = diff_stat("a\nb\n", "a\n\nbee\n", "a\n\nbee\n");
    assert_eq!((stat.net.ai_added, stat.net.ai_removed), (2, 1));
    assert_eq!((stat.model_added_chars, stat.model_removed_chars), (3, 1));
}

#[test]
fn an_unchanged_proposal_counts_as_the_short_way_does() {
    let stat = diff_stat_as_proposed("a\nb\nc", "a\nB\nc\n");
    assert_eq!(stat, diff_stat("a\nb\nc", "a\nB\nc\n", "a\nB\nc\n"));
    assert!(stat.final_newline_changed);
}

#[test]
fn above_the_limit_the_count_says_that_it_is_not_exact() {
    let numbered =
        |word: &str| -> String { (0..20_001).map(|n| format!("{word} {n}\n")).collect() };
    let stat = diff_stat_as_proposed(&numbered("old"), &numbered("new"));
    assert!(stat.approximate);
    assert_eq!(
        (stat.model_added_lines, stat.model_removed_lines),
        (20_001, 20_001)
    );
}

/// Length of the longest common subsequence, by the textbook.
fn common(a: &str, b: &str) -> u64 {
    let (a, b) = (lines(a), lines(b));
    let mut row = vec![0_u64; b.len() + 1];
    for x in &a {
        let mut diagonal = 0;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if x == y {
                diagonal + 1
            } else {
                above.max(row[j])
            };
            diagonal = above;
        }
    }
    row[b.len()]
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof!["[abc]{0,2}", Just("\tx".to_owned()), Just("  x".to_owned())];
    (prop::collection::vec(line, 0..24), prop_oneof!["", "\n"])
        .prop_map(|(lines, end)| lines.join("\n") + &end)
}

proptest! {
    #[test]
    fn the_identities_hold(o in text(), a in text(), f in text()) {
        let stat = diff_stat(&o, &a, &f);
        let n = |text: &str| count_lines(text) as u64;
        prop_assert_eq!(stat.model_added_lines, n(&a) - common(&o, &a));
        prop_assert_eq!(stat.model_removed_lines, n(&o) - common(&o, &a));
        prop_assert_eq!(stat.user_added_lines, n(&f) - common(&a, &f));
        prop_assert_eq!(stat.user_removed_lines, n(&a) - common(&a, &f));
        prop_assert_eq!(stat.net.ai_added + stat.net.human_added, n(&f) - common(&o, &f));
        prop_assert_eq!(stat.net.ai_removed + stat.net.human_removed, n(&o) - common(&o, &f));
        prop_assert_eq!(stat.net.ai_removed + stat.net.ai_removed_undone, stat.model_removed_lines);
        prop_assert!(stat.net.ai_added + stat.net.ai_added_undone <= stat.model_added_lines);
        prop_assert!(!stat.approximate);
    }

    #[test]
    fn an_unmodified_proposal_is_all_the_models(o in text(), a in text()) {
        let stat = diff_stat(&o, &a, &a);
        prop_assert_eq!(stat.net.human_added + stat.net.human_removed, 0);
        prop_assert_eq!(stat.net.ai_added_undone + stat.net.ai_removed_undone, 0);
        prop_assert_eq!(stat.net.ai_added, stat.model_added_lines);
        prop_assert_eq!(stat.net.ai_removed, stat.model_removed_lines);
    }

    #[test]
    fn a_full_revert_leaves_nothing(o in text(), a in text()) {
        let stat = diff_stat(&o, &a, &o);
        prop_assert_eq!(stat.net.ai_added + stat.net.human_added, 0);
        prop_assert_eq!(stat.net.ai_removed + stat.net.human_removed, 0);
        prop_assert_eq!(stat.net.ai_removed_undone, stat.model_removed_lines);
    }
}
