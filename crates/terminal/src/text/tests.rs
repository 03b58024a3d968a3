use super::*;

const SMALL: TextLimits = TextLimits {
    head_bytes: 10,
    tail_bytes: SEGMENT_BYTES,
};

fn store(pieces: &[&str]) -> TextStore {
    let mut store = TextStore::new(SMALL);
    pieces.iter().for_each(|piece| store.push(piece));
    store
}

#[test]
fn a_short_text_is_its_head() {
    let excerpt = store(&["one\n", "two\n\n"]).excerpt("end", 100);
    assert_eq!(
        excerpt,
        Excerpt {
            head: "one\ntwo\n\nend".into(),
            omitted: 0,
            tail: String::new(),
            lines: 4
        }
    );
}

#[test]
fn the_two_ends_meet_or_name_the_gap() {
    let store = store(&["0123456789", "abcdefghij"]);
    let check = |max, head: &str, omitted, tail: &str| {
        let excerpt = store.excerpt("XYZ", max);
        assert_eq!(
            (
                excerpt.head.as_str(),
                excerpt.omitted,
                excerpt.tail.as_str()
            ),
            (head, omitted, tail),
            "max {max}"
        );
    };
    check(23, "0123456789abcdefghijXYZ", 0, "");
    check(20, "0123456789abcdefghij", 0, "XYZ");
    check(12, "0123456789ab", 0, "cdefghijXYZ");
    check(5, "01234", 13, "ijXYZ");
}

#[test]
fn the_middle_is_dropped_and_still_counted() {
    let mut store = TextStore::new(SMALL);
    let line = "x".repeat(99) + "\n";
    for _ in 0..10_000 {
        store.push(&line);
    }
    assert!(
        store.tail_bytes <= 2 * SEGMENT_BYTES,
        "{} bytes are held",
        store.tail_bytes
    );
    let excerpt = store.excerpt("", 100);
    assert_eq!(excerpt.lines, 10_000);
    assert_eq!(
        excerpt.head,
        "x".repeat(10),
        "the head is all there is of the beginning"
    );
    // The tail lost its newline to trimming; it was counted before.
    assert_eq!(excerpt.omitted + 10 + 100, 1_000_000);
}

#[test]
fn characters_stay_whole_at_every_border() {
    let mut store = TextStore::new(TextLimits {
        head_bytes: 10,
        tail_bytes: 3 * SEGMENT_BYTES,
    });
    let text = "界é🙂".repeat(50_000);
    store.push(&text);
    let excerpt = store.excerpt("", 7);
    assert_eq!(
        excerpt.head, "界é🙂",
        "a character that does not fit the head is not cut"
    );
    assert_eq!(excerpt.tail, "🙂界é🙂界é🙂");
    assert_eq!(excerpt.omitted, 150_000 - 3 - 7);
}

#[test]
fn what_cannot_be_seen_is_removed() {
    let check = |bytes: &[u8], expected: &str| assert_eq!(clean(bytes), expected, "{bytes:?}");
    check("plain\ttext\n".as_bytes(), "plain\ttext\n");
    check("a\u{202e}b\u{200b}c\u{9b}d\u{feff}é".as_bytes(), "abcdé");
    check("⚠\u{fe0f} końców".as_bytes(), "⚠\u{fe0f} końców");
    check(b"bad \xff byte", "bad \u{fffd} byte");
}
