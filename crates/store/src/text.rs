//! Cutting text without cutting characters. Pure.

/// What stands at the end of a text that was cut.
pub(crate) const CUT_MARK: char = '…';

/// The longest beginning of `text` of at most `max_bytes` bytes.
pub(crate) fn head(text: &str, max_bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(max_bytes))
        .unwrap_or(text)
}

/// The longest end of `text` of at most `max_bytes` bytes.
pub(crate) fn tail(text: &str, max_bytes: usize) -> &str {
    let from = text.len().saturating_sub(max_bytes);
    text.get(text.ceil_char_boundary(from)..).unwrap_or(text)
}

/// `text`, or its beginning and the mark, together at most `max_bytes` bytes.
pub(crate) fn cut(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let mut out = head(text, max_bytes.saturating_sub(CUT_MARK.len_utf8())).to_owned();
    out.push(CUT_MARK);
    out
}

/// The first line that says something, on one line and without control characters.
pub(crate) fn one_line(text: &str, max_bytes: usize) -> String {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("");
    let plain: String = head(line, max_bytes + 4)
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    cut(&plain, max_bytes)
}

/// The first `max` characters.
pub(crate) fn head_chars(text: &str, max: usize) -> &str {
    match text.char_indices().nth(max) {
        Some((at, _)) => text.get(..at).unwrap_or(text),
        None => text,
    }
}

/// Tokens a text is likely to take: a quarter per Latin character, one and a half per CJK character, rounded up.
pub(crate) fn estimate_tokens(text: &str) -> u64 {
    let wide = if text.is_ascii() {
        0
    } else {
        text.chars().filter(|c| is_cjk(*c)).count() as u64
    };
    let all = if text.is_ascii() {
        text.len()
    } else {
        text.chars().count()
    } as u64;
    (all - wide + 6 * wide).div_ceil(4)
}

fn is_cjk(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, max_bytes: usize, expected: &str) {
        let got = cut(text, max_bytes);
        assert_eq!(got, expected);
        assert!(
            got.len() <= max_bytes.max(CUT_MARK.len_utf8()),
            "{got:?} fits"
        );
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        check("short", 5, "short");
        check("longer", 5, "lo…");
        check("ééé", 6, "ééé");
        check("éééé", 6, "é…");
        check("日本語", 8, "日…");
    }

    #[test]
    fn ends_are_whole_characters_too() {
        assert_eq!(tail("añb", 2), "b");
        assert_eq!(tail("añb", 3), "ñb");
        assert_eq!(head_chars("añb", 2), "añ");
    }

    #[test]
    fn one_line_skips_blank_lines_and_control_characters() {
        assert_eq!(one_line("\n  \n a\tb\u{7}c \nnext", 200), "a b c");
        assert_eq!(one_line("", 10), "");
    }

    #[test]
    fn tokens_follow_the_script() {
        assert_eq!(estimate_tokens("abcde"), 2);
        assert_eq!(estimate_tokens("日本"), 3);
        assert_eq!(estimate_tokens("naïve"), 2);
        assert_eq!(estimate_tokens(""), 0);
    }
}
