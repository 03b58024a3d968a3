use super::{Engine, compile};
use crate::grep::{CaseMatch, GrepMode, GrepParams, MatchSpan, PatternSyntax, WordMatch};
use crate::walk::GitIgnored;
use grep_matcher::Matcher;

fn params(pattern: &str) -> GrepParams {
    GrepParams {
        pattern: pattern.to_owned(),
        syntax: PatternSyntax::Regex,
        case: CaseMatch::Sensitive,
        words: WordMatch::Anywhere,
        span: MatchSpan::Line,
        mode: GrepMode::Files,
        globs: Vec::new(),
        types: Vec::new(),
        head_limit: 250,
        offset: 0,
        max_chars: 18_000,
        git_ignored: GitIgnored::Hidden,
    }
}

#[test]
fn each_pattern_gets_its_engine() {
    let check = |pattern: &str, is_linear: bool, span: MatchSpan, n_notes: usize| {
        let compiled = compile(&params(pattern)).expect(pattern);
        assert_eq!(
            matches!(compiled.engine, Engine::Linear(_)),
            is_linear,
            "{pattern}"
        );
        assert_eq!(compiled.span, span, "{pattern}");
        assert_eq!(
            compiled.notes.len(),
            n_notes,
            "{pattern}: {:?}",
            compiled.notes
        );
    };
    check("foo.*bar", true, MatchSpan::Line, 0);
    check("a++b", true, MatchSpan::Line, 0);
    check("interface{}", false, MatchSpan::Line, 1);
    check("foo{bar", false, MatchSpan::Line, 1);
    check("(a)\\1", false, MatchSpan::Line, 1);
    check("(?>a)b", false, MatchSpan::Line, 1);
    check("foo(", true, MatchSpan::Line, 1);
    check("one\\nbeta", true, MatchSpan::Lines, 1);
    check("one\nbeta", true, MatchSpan::Lines, 1);
}

#[test]
fn blanks_stay_inside_a_line() {
    let compiled = compile(&params("a\\sb")).expect("a pattern");
    let Engine::Linear(matcher) = compiled.engine else {
        panic!("the linear engine")
    };
    assert!(matcher.is_match(b"a b").expect("no error"));
    assert!(!matcher.is_match(b"a\nb").expect("no error"));
}

#[test]
fn bytes_that_are_no_text_can_be_searched() {
    let compiled = compile(&params("b(?=c)")).expect("a pattern");
    let Engine::Backtracking(matcher) = compiled.engine else {
        panic!("the second engine")
    };
    let found = matcher
        .find(b"a\xff\xfebc")
        .expect("no error")
        .expect("a match");
    assert_eq!((found.start(), found.end()), (3, 4));
}

#[test]
fn the_reason_of_a_bad_pattern_is_short() {
    let compiled = compile(&params("foo(")).expect("a pattern");
    assert_eq!(
        compiled.notes,
        ["(not a valid regular expression: unclosed group; searched as plain text)"]
    );
}
