use super::{Frame, Framer, MAX_FRAME_BYTES};
use proptest::prelude::*;

fn frames(chunks: &[&[u8]]) -> Vec<String> {
    let mut seen = Vec::new();
    let mut framer = Framer::default();
    let mut sink = |frame: Frame<'_>| seen.push(format!("{frame:?}"));
    for chunk in chunks {
        framer.push(chunk, &mut sink);
    }
    framer.finish(&mut sink);
    seen
}

#[track_caller]
fn check(input: &[u8], expected: &[Frame<'_>], why: &str) {
    let expected: Vec<String> = expected.iter().map(|frame| format!("{frame:?}")).collect();
    assert_eq!(frames(&[input]), expected, "{why}");
    let bytes: Vec<&[u8]> = input.chunks(1).collect();
    assert_eq!(frames(&bytes), expected, "{why}, byte by byte");
}

#[test]
fn lines_and_frames() {
    use Frame::{Data, ErrorField, InvalidUtf8, RawLine};
    check(b"data: a\n\n", &[Data("a")], "one frame");
    check(
        b"data: a\r\n\r\ndata: b\r\n\r\n",
        &[Data("a"), Data("b")],
        "CRLF",
    );
    check(
        b"data: a\r\rdata: b\r\r",
        &[Data("a"), Data("b")],
        "lone CR",
    );
    check(
        b"data: a\r\ndata: b\n\n",
        &[Data("a\nb")],
        "data lines are joined",
    );
    check(b"data:a\ndata:  b\n\n", &[Data("a\n b")], "one blank goes");
    check(b"data\n\n", &[Data("")], "a field without a colon");
    check(b"\n\n: ping\n\n", &[], "no data, no frame");
    check(
        b"\xEF\xBB\xBFdata: a\n\n",
        &[Data("a")],
        "one byte order mark at the start",
    );
    check(
        b"event: x\nid: 1\nretry: 5\nother: y\n\n",
        &[],
        "other fields",
    );
    check(b"error: {}\n", &[ErrorField("{}")], "a field named error");
    check(
        b"{\"a\":1}\n[1]\n",
        &[RawLine("{\"a\":1}"), RawLine("[1]")],
        "raw lines",
    );
    check(
        b"data: a\xFFb\n\n",
        &[InvalidUtf8, Data("a\u{FFFD}b")],
        "broken text",
    );
    check(
        "data: a\u{2028}b\u{85}c\u{c}d\n\n".as_bytes(),
        &[Data("a\u{2028}b\u{85}c\u{c}d")],
        "only CR and LF",
    );
}

#[test]
fn a_clean_end_keeps_only_what_is_whole() {
    check(
        b"data: {\"a\":1}",
        &[Frame::Data("{\"a\":1}")],
        "a whole value",
    );
    check(b"data: [DONE]\n", &[Frame::Data("[DONE]")], "the end mark");
    check(b"data: {\"a\":", &[], "half a value");
}

#[test]
fn limits_end_the_stream_once() {
    let line = vec![b'x'; MAX_FRAME_BYTES / 2 + 1];
    assert_eq!(
        frames(&[&line, &line, b"\n\ndata: a\n\n"]),
        ["TooLarge"],
        "one line"
    );
    let half = [b"data: ".as_slice(), &line, b"\n"].concat();
    assert_eq!(
        frames(&[&half, &half, b"\ndata: a\n\n"]),
        ["TooLarge"],
        "one frame"
    );
    let frame = [b": ".as_slice(), &line, b"\n\n"].concat();
    assert_eq!(frames(&[frame.as_slice(); 9]), ["TooLarge"], "one message");
}

proptest! {
    #[test]
    fn cuts_change_nothing(
        input in proptest::collection::vec(prop_oneof![
            Just(b"data: ".to_vec()), Just(b"\r".to_vec()), Just(b"\n".to_vec()), Just(b":".to_vec()),
            Just("\u{1F469}".as_bytes().to_vec()), Just(b"{".to_vec()), Just(b"error: ".to_vec()),
            proptest::collection::vec(any::<u8>(), 0..4),
        ], 0..40),
        cuts in proptest::collection::vec(1usize..9, 1..40),
    ) {
        let whole: Vec<u8> = input.concat();
        let mut chunks = Vec::new();
        let mut rest = whole.as_slice();
        for cut in cuts.iter().cycle() {
            if rest.is_empty() { break; }
            let (head, tail) = rest.split_at((*cut).min(rest.len()));
            chunks.push(head);
            rest = tail;
        }
        prop_assert_eq!(frames(&chunks), frames(&[&whole]));
    }
}
