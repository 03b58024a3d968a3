use super::*;
use crate::lines::pieces;
use crate::test_support::MAX_TEST_BYTES;
use proptest::prelude::*;
use std::ops::Range;

/// What comes of it, as bytes or as the word of the refusal.
fn merged(before: &[u8], after: &[u8], current: &[u8]) -> Result<Vec<u8>, String> {
    let decode = |bytes| TextFile::decode(bytes).unwrap();
    let (before, after, current) = (decode(before), decode(after), decode(current));
    let versions = Versions {
        before: &before,
        after: &after,
        current: &current,
    };
    merge_back(&versions, MAX_TEST_BYTES).map_err(|refusal| match refusal {
        MergeRefusal::Touching => "touching".to_owned(),
        MergeRefusal::NotLines => "not lines".to_owned(),
        MergeRefusal::Nothing => "nothing".to_owned(),
        MergeRefusal::Edit(error) => error.code().to_owned(),
    })
}

#[track_caller]
fn check(
    before: impl AsRef<[u8]>,
    after: impl AsRef<[u8]>,
    current: impl AsRef<[u8]>,
    expected: Result<&[u8], &str>,
) {
    let found = merged(before.as_ref(), after.as_ref(), current.as_ref());
    assert_eq!(
        found.as_deref().map_err(String::as_str),
        expected,
        "{:?}",
        String::from_utf8_lossy(current.as_ref())
    );
}

#[test]
fn a_change_goes_and_a_later_one_elsewhere_stays() {
    let (before, after) = ("1\n2\n3\n4\n5\n", "1\ntwo\n3\n4\n5\n");
    check(
        before,
        after,
        "1\ntwo\n3\n4\nfive\n",
        Ok(b"1\n2\n3\n4\nfive\n"),
    );
    check(
        before,
        after,
        "0\n0\n1\ntwo\n3\n4\n5\n",
        Ok(b"0\n0\n1\n2\n3\n4\n5\n"),
    );
    check(before, after, "1\ntwo\n3\n5\n", Ok(b"1\n2\n3\n5\n"));
    check(before, after, "1\ntwo\n3\n4\n5", Ok(b"1\n2\n3\n4\n5"));
}

#[test]
fn lines_that_come_and_go_are_places_too() {
    check(
        "1\n2\n",
        "1\nx\ny\n2\n",
        "0\n1\nx\ny\n2\n",
        Ok(b"0\n1\n2\n"),
    );
    check(
        "1\n2\n3\n",
        "1\n2\nx\n3\n",
        "0\n1\n2\nx\n3\n",
        Ok(b"0\n1\n2\n3\n"),
    );
    check(
        "1\nx\n2\n3\n",
        "1\n2\n3\n",
        "1\n2\n3\n4\n",
        Ok(b"1\nx\n2\n3\n4\n"),
    );
    check("1\nx\n2\n3\n", "1\n2\n3\n", "1\ny\n2\n3\n", Err("touching"));
}

#[test]
fn the_same_lines_and_their_neighbours_are_for_a_person() {
    let (before, after) = ("1\n2\n3\n4\n", "1\ntwo\n3\n4\n");
    check(before, after, "1\nzwei\n3\n4\n", Err("touching"));
    check(before, after, "one\ntwo\n3\n4\n", Err("touching"));
    check(before, after, "1\ntwo\nthree\n4\n", Err("touching"));
    check(before, after, "1\ntwo\nnew\n3\n4\n", Err("touching"));
    check(before, after, before, Err("nothing"));
    check(before, after, "", Err("touching"));
}

#[test]
fn the_file_keeps_its_ways_of_writing() {
    check(
        "1\n2\n3\n4\n",
        "1\ntwo\n3\n4\n",
        "1\r\ntwo\r\n3\r\nfour\r\n",
        Ok(b"1\r\n2\r\n3\r\nfour\r\n"),
    );
    check(
        "1\n2\n3\n",
        "1\ntwo\n3\n",
        b"\xEF\xBB\xBF0\n1\ntwo\n3\n",
        Ok(b"\xEF\xBB\xBF0\n1\n2\n3\n"),
    );
    let utf16 = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xFF, 0xFE].into_iter().chain(units).collect()
    };
    check(
        "1\né\n3\n4\n",
        "1\ntwo\n3\n4\n",
        utf16("1\ntwo\n3\nfour\n"),
        Ok(&utf16("1\né\n3\nfour\n")),
    );
    // Bytes that are no text stay where nobody changes anything.
    let expected = [
        b"1\n2\n3\n4 \xC3\xA9 \xC3\xA9 \xC3\xA9\n".as_slice(),
        b"\xFF\n",
    ]
    .concat();
    let (before, after) = ("1\n2\n3\nx\n", "1\ntwo\n3\nx\n");
    let current = [
        b"1\ntwo\n3\n4 \xC3\xA9 \xC3\xA9 \xC3\xA9\n".as_slice(),
        b"\xFF\n",
    ]
    .concat();
    check(before, after, current, Ok(&expected));
}

#[test]
fn what_lines_do_not_say_is_for_a_person() {
    check(
        "1\r\n2\r\n3\n",
        "1\ntwo\n3\n",
        "1\ntwo\n3\n4\n5\n",
        Err("not lines"),
    );
    check(
        "\u{FEFF}1\n2\n3\n",
        "1\ntwo\n3\n",
        "1\ntwo\n3\n\n4\n",
        Err("not lines"),
    );
    check(
        "日本\n2\n3\n4\n",
        "1\n2\n3\n4\n",
        b"1\n2\n3\n\xE9t\xE9 d\xE9j\xE0 pass\xE9\n",
        Err("ENCODING_UNMAPPABLE"),
    );
}

/// Lines of a text that come in place of others.
#[derive(Debug, Clone)]
struct Change {
    at: Range<usize>,
    lines: Vec<String>,
}

impl Change {
    fn of(&self, lines: &[String]) -> Vec<String> {
        let mut lines = lines.to_vec();
        lines.splice(self.at.clone(), self.lines.iter().cloned());
        lines
    }
}

fn numbered(n_lines: usize, name: &str) -> Vec<String> {
    (0..n_lines).map(|k| format!("{name} {k}")).collect()
}

/// A change of a text with so many lines; no new line is like an old one.
fn a_change(n_lines: usize, name: &'static str) -> impl Strategy<Value = Change> {
    let at = (0..=n_lines).prop_flat_map(move |from| (Just(from), from..=(from + 3).min(n_lines)));
    (at, 0..3_usize)
        .prop_map(move |((from, to), n_new)| Change {
            at: from..to,
            lines: numbered(n_new, name),
        })
        .prop_filter("it changes something", |change| {
            !change.at.is_empty() || !change.lines.is_empty()
        })
}

/// A change of twelve lines, and a second one of the text that the first left.
fn two_changes() -> impl Strategy<Value = (Change, Change)> {
    a_change(12, "ours").prop_flat_map(|ours| {
        let n_lines = 12 + ours.lines.len() - ours.at.len();
        (Just(ours), a_change(n_lines, "theirs"))
    })
}

proptest! {
    /// Places apart: the later change is all that is left. Places that overlap or touch: nothing comes of it.
    #[test]
    fn what_is_apart_is_taken_back_and_nothing_else(
        (ours, theirs) in two_changes(),
        eol in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let text = |lines: &[String]| lines.iter().map(|line| format!("{line}{eol}")).collect::<String>();
        let before = numbered(12, "line");
        let after = ours.of(&before);
        let current = theirs.of(&after);
        let found = merged(text(&before).as_bytes(), text(&after).as_bytes(), text(&current).as_bytes());
        let ours_now = ours.at.start..ours.at.start + ours.lines.len();
        let back = match theirs.at.start > ours_now.end {
            true => ours.at.len() as isize - ours.lines.len() as isize,
            false => 0,
        };
        if theirs.at.end < ours_now.start || theirs.at.start > ours_now.end {
            let shifted = |line: usize| line.checked_add_signed(back).unwrap();
            let theirs = Change { at: shifted(theirs.at.start)..shifted(theirs.at.end), lines: theirs.lines };
            prop_assert_eq!(found, Ok(text(&theirs.of(&before)).into_bytes()));
        } else if current == before {
            prop_assert_eq!(found, Err("nothing".to_owned()));
        } else {
            prop_assert_eq!(found, Err("touching".to_owned()));
        }
    }

    /// Whatever the three are: a result is the current file with some lines replaced by lines of the text before, and
    /// all bytes between those places are as they were.
    #[test]
    fn nothing_outside_of_the_places_changes(
        (before, after, current) in related(),
    ) {
        let (Ok(old), Ok(mid), Ok(now)) = (TextFile::decode(&before), TextFile::decode(&after), TextFile::decode(&current)) else {
            return Ok(());
        };
        // With too many bytes that are no text these are no longer taken for UTF-8.
        if [&old, &mid, &now].iter().any(|file| file.is_encoding_guessed()) {
            return Ok(());
        }
        let versions = Versions { before: &old, after: &mid, current: &now };
        let Ok(bytes) = merge_back(&versions, MAX_TEST_BYTES) else { return Ok(()) };
        let change = LineDiff::of_pieces(mid.text(), old.text()).hunks();
        let since = LineDiff::of_pieces(mid.text(), now.text()).hunks();
        for ours in &change {
            for theirs in &since {
                prop_assert!(
                    ours.old.end < theirs.old.start || theirs.old.end < ours.old.start,
                    "touching places were merged"
                );
            }
        }
        let lines = LineIndex::of(now.text());
        let offset = |line: usize| now.byte_offset(lines.start(line)).unwrap();
        let (mut at_now, mut at_out) = (0, 0);
        for hunk in change.iter().map(|hunk| moved(hunk, &since).unwrap()) {
            let kept = offset(hunk.old.start) - at_now;
            prop_assert_eq!(&current[at_now..at_now + kept], &bytes[at_out..at_out + kept]);
            let put_in = pieces(old.text())[hunk.new.clone()].concat();
            at_out += kept;
            at_out += n_bytes_of(&put_in, &bytes[at_out..]);
            at_now = offset(hunk.old.end);
        }
        prop_assert_eq!(&current[at_now..], &bytes[at_out..]);
    }
}

/// How many bytes say this text; panics where they do not.
fn n_bytes_of(text: &str, bytes: &[u8]) -> usize {
    let mut at = 0;
    for c in text.chars() {
        let mut buffer = [0; 4];
        at += match c {
            '\u{FFFD}' => 1,
            '\n' if bytes[at] == b'\r' => 2,
            c => {
                let encoded = c.encode_utf8(&mut buffer).as_bytes();
                assert!(bytes[at..].starts_with(encoded), "{text:?}");
                encoded.len()
            }
        };
    }
    at
}

/// Few different lines with breaks of all kinds, some with a byte that is no text.
fn mixed_bytes() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(vec![
        &b"a"[..],
        b"b",
        b"c",
        b"\xC3\xA9\xC3\xA9",
        b"\xC3\xA9\xFF",
        b"d\re",
        b"",
    ]);
    let end = prop::sample::select(vec![&b"\n"[..], b"\n", b"\n", b"\r\n"]);
    (prop::collection::vec((line, end), 0..9), any::<bool>()).prop_map(|(lines, ended)| {
        let mut bytes: Vec<u8> = lines
            .iter()
            .flat_map(|(line, end)| [*line, *end].concat())
            .collect();
        if !ended {
            bytes.pop();
        }
        bytes
    })
}

/// Three texts of which the second and the third are the first and the second with a few lines changed.
fn related() -> impl Strategy<Value = (Vec<u8>, Vec<u8>, Vec<u8>)> {
    (mixed_bytes(), mixed_bytes(), mixed_bytes(), mixed_bytes()).prop_map(
        |(head, tail, ours, theirs)| {
            let before = [&head[..], &tail].concat();
            let after = [&head[..], &ours, &tail].concat();
            let current = [&theirs[..], &after].concat();
            (before, after, current)
        },
    )
}
