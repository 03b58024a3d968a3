use super::*;

fn check(line: &str, expected: bool) {
    assert_eq!(is_elision(line), expected, "{line:?}");
}

#[test]
fn comments_that_leave_something_out() {
    check("    // ... existing code ...", true);
    check("# rest of the code remains unchanged", true);
    check("// ... rest of code unchanged ...", true);
    check("/* … (remaining methods) */", true);
    check("<!-- ... existing content ... -->", true);
    check("{/* ... other components ... */}", true);
    check("-- ... SAME AS BEFORE", true);
    check("/// ... existing code", true);
    check("; (unchanged lines) ...", true);
    check(" * ...previous fields", true);
    check("... existing code", true);
    check("  … rest of file", true);
}

#[test]
fn real_text_passes() {
    check("...", false);
    check("  ...other,", false);
    check("...existing,", false);
    check("... otherwise()", false);
    check("pass", false);
    check("# other code paths", false);
    check("// the existing code is slow", false);
    check("// remaining files are copied", false);
    check("# existing methods", false);
    check("// ... and so on", false);
    check("// ...sameness", false);
    check("print('... existing code')", false);
}

#[test]
fn a_line_that_was_there_before_is_real_text() {
    let new = "a\n  // ... existing code ...\nb";
    assert!(refuse_elision(new, &["x\n// ... existing code ...\n"]).is_ok());
    let Err(EditError::OmissionPlaceholder { line_number, line }) =
        refuse_elision(new, &["x", "y"])
    else {
        panic!("must be refused");
    };
    assert_eq!(
        (line_number, line.as_str()),
        (2, "// ... existing code ...")
    );
}
