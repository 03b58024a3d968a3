use super::*;

fn refusal(reason: RefusalReason) -> Refusal {
    Refusal {
        layer: Layer::Typographic,
        reason,
        place: 3..5,
        quoted: QuotedLine::first_of([(3, "say \u{201C}a\u{201D}"), (4, "x")].into_iter()),
        n_concerned: 2,
    }
}

#[test]
fn a_refusal_says_all_that_is_needed() {
    let doubt = OtherForm {
        in_old: '"',
        in_file: '\u{201C}',
    };
    let reason = RefusalReason::TypographyInChangedText(doubt);
    assert_eq!(
        refusal(reason).to_string(),
        "old_string was not found exactly; ignoring typographic forms of quotes, hyphens and blanks it fits lines 3-4, \
         but new_string contains U+0022 QUOTATION MARK in a changed part, which old_string has where the file has \
         U+201C LEFT DOUBLE QUOTATION MARK; which of them is meant cannot be known. Nothing was written. Copy \
         old_string exactly from the file, and give in new_string the characters that are to be written.\n\
         The file has:\n3\tsay \u{201C}a\u{201D}\n4\tx"
    );
}

#[test]
fn what_was_not_read_is_not_quoted() {
    let unseen = Refusal {
        quoted: Vec::new(),
        place: 7..8,
        ..refusal(RefusalReason::UnseenLines)
    };
    let text = unseen.to_string();
    assert!(
        text.contains("it fits line 7, but not all of these lines have been read"),
        "{text}"
    );
    assert!(
        text.ends_with("Read these lines, and copy old_string exactly from them."),
        "{text}"
    );
}

#[test]
fn long_places_are_cut() {
    let long = "y".repeat(500);
    let lines = (1..100).map(|number| (number, long.as_str()));
    let cut = Refusal {
        quoted: QuotedLine::first_of(lines),
        n_concerned: 99,
        ..refusal(RefusalReason::DriftedLines)
    };
    let text = cut.to_string();
    assert!(text.ends_with("y\n…"), "{text}");
    assert!(text.chars().count() < 1_500, "{text}");
}

#[test]
fn each_reason_has_its_own_words() {
    let doubt = OtherForm {
        in_old: '-',
        in_file: '\u{2013}',
    };
    let reasons = [
        RefusalReason::NeedsConfirmation,
        RefusalReason::NewlineMismatch,
        RefusalReason::UnseenLines,
        RefusalReason::ReplaceAll,
        RefusalReason::TypographyInChangedText(doubt),
        RefusalReason::IndentNonuniform,
        RefusalReason::IndentUnmappable { new_line: 2 },
        RefusalReason::EscapeInconsistent,
        RefusalReason::BoundaryMismatch,
        RefusalReason::WhitespaceSensitiveFile,
        RefusalReason::WhitespaceInQuotedLine,
        RefusalReason::DriftedLines,
    ];
    let words: std::collections::BTreeSet<String> =
        reasons.iter().map(ToString::to_string).collect();
    let names: std::collections::BTreeSet<&str> =
        reasons.iter().map(|reason| reason.name()).collect();
    assert_eq!((words.len(), names.len()), (12, 12));
}
