use super::{Variant, unescape};

#[test]
fn shell_escapes_are_removed() {
    let check = |text: &str, expected: &str| assert_eq!(unescape(text), expected);
    check("a\\ b", "a b");
    check("a\\\\b", "a\\b");
    check("\\(x\\)", "(x)");
    check("end\\", "end");
    check("plain", "plain");
}

#[test]
fn variants_have_words() {
    assert!(Variant::Unescaped.as_str().contains("shell escapes"));
}
