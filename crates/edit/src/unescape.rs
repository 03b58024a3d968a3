//! Undoes one level of JSON escaping that a model added to a whole text.
//!
//! Only a text that is wholly and uniformly escaped counts: it decodes as the body of a JSON string, and escaping the
//! result again gives the same text. A backslash before a real line break, an apostrophe or a dollar is no escape.

use std::collections::BTreeSet;

/// The escapes that count: the letter and what it stands for.
const ESCAPES: [(char, char); 5] = [
    ('\\', '\\'),
    ('"', '"'),
    ('n', '\n'),
    ('t', '\t'),
    ('r', '\r'),
];

/// The text without one level of escaping, with LF breaks; `None` if it is not escaped throughout.
pub(crate) fn unescaped_once(text: &str) -> Option<String> {
    let mut unescaped = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        unescaped.push(match c {
            '\\' => {
                let letter = chars.next()?;
                ESCAPES.iter().find(|escape| escape.0 == letter)?.1
            }
            // JSON has these only escaped.
            '"' => return None,
            c if c.is_ascii_control() && c != '\u{7F}' => return None,
            c => c,
        });
    }
    Some(crate::lines::with_lf(&unescaped).into_owned())
}

/// The letters behind the backslashes of an escaped text.
pub(crate) fn escape_kinds(escaped: &str) -> BTreeSet<char> {
    let mut kinds = BTreeSet::new();
    let mut chars = escaped.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            kinds.extend(chars.next());
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_whole_escaped_texts_count() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(unescaped_once(text).as_deref(), expected, "{text:?}");
        };
        check(r#"say(\"hi\")\nbye()"#, Some("say(\"hi\")\nbye()"));
        check(r#"\"\\\\d+\""#, Some(r#""\\d+""#));
        check(r"a\tb", Some("a\tb"));
        check(r"a\r\nb", Some("a\nb"));
        check("plain", Some("plain"));
        check(r#"\"a" "#, None);
        check("\\\\\n", None);
        check(r"it\'s", None);
        check(r"a\$b", None);
        check(r"\u0041", None);
        check("a\\", None);
    }

    #[test]
    fn kinds_are_read_in_pairs() {
        let kinds = |text: &str| escape_kinds(text).into_iter().collect::<String>();
        assert_eq!(kinds(r#"\\n \" \t"#), r#""\t"#);
        assert_eq!(kinds("none"), "");
    }

    proptest! {
        #[test]
        fn what_was_escaped_comes_back(text in "[ab\\\\\"\n\t']{0,20}") {
            let json = serde_json::to_string(&text).unwrap();
            let body = json.get(1..json.len() - 1).unwrap();
            prop_assert_eq!(unescaped_once(body), Some(text));
        }
    }
}
