use super::*;

/// A message names the path and says what the code promises.
fn check(error: EditError, code: &str, reason: Option<&str>, parts: &[&str]) {
    assert_eq!((error.code(), error.reason()), (code, reason));
    let message = error.message("/w/f.txt");
    for part in [&["/w/f.txt"], parts].concat() {
        assert!(message.contains(part), "{part:?} in {message:?}");
    }
    assert!(message.chars().count() <= 1500, "{message:?}");
}

#[test]
fn no_change() {
    let parts = ["identical", "Nothing was written", "Line endings"];
    check(EditError::IdenticalStrings, "EDIT_NO_CHANGE", None, &parts);
    check(EditError::SameResult, "EDIT_NO_CHANGE", None, &parts);
}

#[test]
fn places() {
    let none = EditError::NoOccurrence(Box::default());
    check(
        none,
        "EDIT_NO_OCCURRENCE_FOUND",
        None,
        &["0 occurrences", "Nothing was written"],
    );
    let many = EditError::Ambiguous {
        count: 12,
        lines: (1..=10).collect(),
    };
    let parts = [
        "12 times",
        "lines 1, 2, 3",
        "10, …",
        "replace_all",
        "surrounding text",
    ];
    check(many, "EDIT_EXPECTED_OCCURRENCE_MISMATCH", None, &parts);
}

#[test]
fn tolerant_places() {
    let many = EditError::AmbiguousFuzzy {
        layer: Layer::Typographic,
        count: 3,
        lines: vec![4, 9, 12],
    };
    let parts = [
        "3 places (lines 4, 9, 12)",
        "ignoring typographic forms",
        "exact text",
        "Nothing was written",
    ];
    check(many, "EDIT_AMBIGUOUS_FUZZY_MATCH", None, &parts);
    let refused = EditError::FuzzyRefused(Box::new(Refusal {
        layer: Layer::Indentation,
        reason: RefusalReason::IndentNonuniform,
        place: 7..9,
        quoted: Vec::new(),
        n_concerned: 2,
    }));
    let parts = [
        "with the indentation of the file",
        "lines 7-8",
        "not by the same in every line",
        "Nothing was written",
        "Copy old_string exactly",
    ];
    check(
        refused,
        "EDIT_FUZZY_REFUSED",
        Some("indent_nonuniform"),
        &parts,
    );
}

#[test]
fn changes_that_a_person_must_look_at() {
    let error = EditError::NeedsConfirmation {
        reasons: vec![ConfirmReason::UnseenLines, ConfirmReason::LargeShrink],
    };
    let parts = [
        "approval of a person",
        "lines that you have not read would be lost, and most of the file would go",
        "Nothing was written",
    ];
    check(
        error,
        "EDIT_FUZZY_REFUSED",
        Some("needs_confirmation"),
        &parts,
    );
}

#[test]
fn copied_or_left_out_text() {
    let code = "EDIT_READ_ARTIFACT_IN_OLD_STRING";
    let numbers = EditError::ReadArtifact(ReadArtifact::LineNumbers);
    check(
        numbers,
        code,
        Some("line_numbers"),
        &["Remove the line numbers"],
    );
    let marker = EditError::ReadArtifact(ReadArtifact::TruncationMarker);
    check(
        marker,
        code,
        Some("truncation_marker"),
        &["Remove the truncation marker"],
    );
    let elision = EditError::OmissionPlaceholder {
        line_number: 3,
        line: "// ... existing code".to_owned(),
    };
    check(
        elision,
        "EDIT_OMISSION_PLACEHOLDER",
        None,
        &["Line 3", "// ... existing code", "full text"],
    );
}

#[test]
fn encodings() {
    check(
        EditError::BinaryFile,
        "BINARY_FILE",
        None,
        &["cannot be read or edited as text"],
    );
    let form = EditError::EncodingUnsupported(UnsupportedForm::Utf32);
    check(form, "ENCODING_UNSUPPORTED", Some("utf-32"), &["UTF-32"]);
    let unmappable = EditError::EncodingUnmappable {
        encoding: "gbk".to_owned(),
        chars: vec![UnmappableChar {
            char: '😀',
            position: Position { line: 2, column: 7 },
        }],
    };
    check(
        unmappable,
        "ENCODING_UNMAPPABLE",
        None,
        &["gbk", "U+1F600", "2:7", "ask the user"],
    );
    let opaque = EditError::ReplacementChar {
        positions: vec![Position { line: 4, column: 1 }],
        count: 9,
    };
    check(
        opaque,
        "ENCODING_REPLACEMENT_CHAR",
        None,
        &["U+FFFD", "4:1, …", "Leave them out"],
    );
}

#[test]
fn sizes_and_faults() {
    let exists = EditError::AlreadyExists { size: 5 };
    check(
        exists,
        "ATTEMPT_TO_CREATE_EXISTING_FILE",
        None,
        &["exists", "5 bytes", "write_file"],
    );
    let result = EditError::ResultTooLarge { limit: 20 };
    check(
        result,
        "FILE_TOO_LARGE",
        Some("result"),
        &["20 bytes", "shell command"],
    );
    let text = EditError::TextTooLarge { size: 9, limit: 8 };
    check(
        text,
        "FILE_TOO_LARGE",
        None,
        &["9 bytes", "8", "shell command"],
    );
    check(
        EditError::Internal,
        "EDIT_PREPARATION_FAILURE",
        None,
        &["internal", "Retry once", "tell the user"],
    );
}
