use super::{Script, ScriptError};
use crate::demo::shipped_script;

#[track_caller]
fn check(text: &str, expected: Result<(), (usize, usize, &str)>) {
    match (Script::parse(text), expected) {
        (Ok(_), Ok(())) => {}
        (
            Err(ScriptError {
                line,
                column,
                message,
            }),
            Err((at_line, at_column, words)),
        ) => {
            assert_eq!((line, column), (at_line, at_column), "{text:?}: {message}");
            assert!(message.contains(words), "{text:?}: {message}");
        }
        (got, expected) => panic!("{text:?}: {got:?}, not {expected:?}"),
    }
}

#[test]
fn the_shipped_script_is_sound() {
    check(shipped_script(), Ok(()));
}

#[test]
fn whole_scripts() {
    check("turn\nsay hi", Ok(()));
    check("\u{FEFF}# comment\r\n\r\nturn\r\n  say hi\r\n", Ok(()));
    check(
        "turn match \"a b\"\nsay x\nturn match /a.b/\nsay y\ndefault\nsay z\nend",
        Ok(()),
    );
    check(
        "turn\nwhen edited 2\nwhen edit ok|denied 1\nsay x\nend\nend",
        Ok(()),
    );
    check(
        "speed 0\ntitle T\nturn\nusage 1 2\nstop max_tokens\nfail network after 40\nspeed 5\nsay x",
        Ok(()),
    );
    check("turn\ncall glob\n<<<\n{\"pattern\": \"*\"}\n>>>\n", Ok(()));
}

#[test]
fn mistakes_have_a_place() {
    check("", Err((1, 1, "neither a turn nor a default")));
    check(
        "say hi",
        Err((1, 1, "expected title, speed, turn or default")),
    );
    check("turn\n  shout hi", Err((2, 3, "unknown directive")));
    check("turn\nsay", Err((2, 1, "needs a text")));
    check("turn x", Err((1, 6, "match")));
    check("turn match /(/", Err((1, 12, "not a pattern")));
    check(
        "turn\n  call glob {\"a\": }",
        Err((2, 19, "not JSON: expected value")),
    );
    check(
        "turn\n  call glob\n  <<<\n  {\"a\": 1,\n   \"b\": x}\n  >>>",
        Err((5, 7, "not JSON")),
    );
    check("turn\ncall glob [1]", Err((2, 11, "not an object")));
    check("turn\ncall glob", Err((2, 1, "arguments as JSON")));
    check(
        "turn\nsay a ${nobody}",
        Err((2, 9, "expected ${workspace}")),
    );
    check("turn\nsay a ${result.0}", Err((2, 9, "counted from 1")));
    check("turn\nsay a ${user", Err((2, 9, "${ without }")));
    check("turn\nwhen ok\nsay x", Err((2, 1, "no end")));
    check(
        "turn\nwhen maybe\nsay x\nend",
        Err((2, 6, "expected ok, edited, denied or error")),
    );
    check("turn\nend", Err((2, 1, "end without")));
    check(
        "turn\nexpect edit ok with \"x\"",
        Err((2, 16, "expected TOOL STATUS")),
    );
    check("turn\nfail badly", Err((2, 6, "unknown variant")));
    check("turn\nstop pause", Err((2, 6, "expected end_turn")));
    check("turn\nspeed fast", Err((2, 1, "words per second")));
    check("turn\nsay\n<<<\nx", Err((3, 1, "without >>>")));
    check("<<<\nx\n>>>", Err((1, 1, "follows no directive")));
    check("turn\nstep now", Err((2, 6, "nothing may follow")));
}
