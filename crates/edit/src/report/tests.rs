use super::*;
use crate::seen::LineRanges;

const BASE: &str = "a\nb\nc\n";

fn success<'a>(action: Action, proposed: &'a str, final_text: &'a str) -> Success<'a> {
    Success {
        path: "/w/f.txt",
        action,
        base: BASE,
        proposed,
        final_text,
        warnings: &[],
        max_line_chars: 2000,
    }
}

fn check(success: &Success<'_>, expected: &str) {
    assert_eq!(success_text(success).text, expected);
}

#[test]
fn an_edit_shows_the_changed_place() {
    let warnings = ["The file ended with a newline and no longer does.".to_owned()];
    let edit = Success {
        warnings: &warnings,
        ..success(Action::Edited { replaced: 1 }, "a\nB\nc", "a\nB\nc")
    };
    check(
        &edit,
        "Updated /w/f.txt.\nWarning: The file ended with a newline and no longer does.\n\
         The changed text with the lines around it:\n1\ta\n2\tB\n3\tc\n",
    );
    assert_eq!(success_text(&edit).lines, LineRanges::all(3));
}

#[test]
fn the_number_of_places_is_told() {
    let text = success_text(&success(Action::Edited { replaced: 4 }, "x\n", "x\n")).text;
    assert!(
        text.starts_with("Updated /w/f.txt: 4 occurrences replaced.\n"),
        "{text}"
    );
}

#[test]
fn a_tolerant_match_is_told() {
    let action = Action::EditedTolerantly {
        replaced: 2,
        layer: Layer::Typographic,
    };
    let text = success_text(&success(action, "x\n", "x\n")).text;
    assert!(
        text.starts_with(
            "Updated /w/f.txt: 2 occurrences replaced (matched ignoring typographic forms of quotes, hyphens and \
             blanks; what did not change keeps the file's characters).\n"
        ),
        "{text}"
    );
}

#[test]
fn what_the_model_wrote_whole_is_not_shown_again() {
    check(
        &success(Action::Rewritten, "x\n", "x\n"),
        "Updated /w/f.txt.\n",
    );
    check(
        &success(Action::Created, "x\n", "x\n"),
        "Created /w/f.txt.\n",
    );
}

#[test]
fn a_persons_change_comes_first_and_whole() {
    let edit = success(Action::Edited { replaced: 2 }, "a\nB\nc\n", "a\nmine\nc\n");
    check(
        &edit,
        "The user changed the proposal before allowing it.\nUpdated /w/f.txt.\n\
         What the user changed in your proposal:\n--- your proposal\n+++ written\n@@ -1,3 +1,3 @@\n a\n-B\n+mine\n c\n\
         The text as written, where it changed:\n1\ta\n2\tmine\n3\tc\n\
         Work from this text; do not restore your version.\n",
    );
    assert_eq!(success_text(&edit).lines, LineRanges::all(3));
}

#[test]
fn an_emptied_file_is_said() {
    let text = success_text(&success(Action::Rewritten, "x\n", "")).text;
    assert!(text.contains("\nThe file is empty now.\n"), "{text}");
}

#[test]
fn long_changes_of_a_person_are_cut_and_named() {
    let proposed: String = (0..600).map(|n| format!("proposed {n}\n")).collect();
    let written: String = (0..600).map(|n| format!("written {n}\n")).collect();
    let report = success_text(&success(Action::Rewritten, &proposed, &written));
    let text = &report.text;
    assert!(
        text.contains("… (all changes are in lines 1-600)\n"),
        "{text}"
    );
    assert!(
        text.contains("Too long to show; read lines 1-600.\n"),
        "{text}"
    );
    assert_eq!(
        text.matches("\n-proposed").count(),
        197,
        "header and hunk line count too"
    );
    assert_eq!(report.lines.ranges(), [] as [Range<usize>; 0]);
}
