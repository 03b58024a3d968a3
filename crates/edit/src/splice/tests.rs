use super::*;
use crate::text::test_form;
use encoding_rs::Encoding;
use proptest::prelude::*;

const NO_LIMIT: usize = usize::MAX;

/// One span of the text replaced.
fn splice_one(file: &TextFile<'_>, span: Range<usize>, new: &str) -> Result<Vec<u8>, EditError> {
    let replacement = Replacement {
        span,
        source: 0..new.len(),
    };
    splice(file, new, &[replacement], NO_LIMIT)
}

fn check(before: &[u8], span: Range<usize>, new: &str, after: &[u8]) {
    let file = TextFile::decode(before).unwrap();
    assert_eq!(
        splice_one(&file, span, new).unwrap(),
        after,
        "{before:?} {new:?}"
    );
}

#[test]
fn new_breaks_follow_their_neighbours() {
    check(b"a\r\nb\nc\r\n", 0..3, "A\nB", b"A\r\nB\nc\r\n");
    check(b"a\r\nb\nc\r\n", 2..3, "b\nx", b"a\r\nb\r\nx\nc\r\n");
    check(b"a\nb\r\n", 0..1, "x\ny", b"x\ny\nb\r\n");
    check(b"a\r\nb", 2..3, "b\nc", b"a\r\nb\r\nc");
    check(b"one", 0..3, "one\ntwo", b"one\ntwo");
}

#[test]
fn only_what_differs_is_replaced() {
    // The breaks before and behind the changed word are those of the file.
    check(b"a\r\nb\nc\r\nd\n", 0..7, "a\nX\nc\nd", b"a\r\nX\nc\r\nd\n");
}

#[test]
fn both_halves_of_a_break_move_together() {
    check(b"x\r\n\r\ny\r\n", 0..4, "x\ny", b"x\r\ny\r\n");
    check(b"a\r\r\nb\r\n", 3..4, "B", b"a\r\r\nB\r\n");
}

#[test]
fn a_unit_of_two_characters_is_replaced_whole() {
    // Big5 88 62 shows as U+00CA U+0304; only the second is to change.
    let bytes = b"a\x88\x62b\n";
    let file = TextFile::decode_as(bytes, test_form(encoding_rs::BIG5)).unwrap();
    let error = splice_one(&file, 1..5, "\u{CA}x").unwrap_err();
    assert_eq!(
        error.code(),
        "ENCODING_UNMAPPABLE",
        "U+00CA alone has no bytes in Big5"
    );
    assert_eq!(splice_one(&file, 1..5, "中").unwrap(), b"a\xA4\xA4b\n");
}

#[test]
fn several_spans_take_parts_of_one_source() {
    let file = TextFile::decode(b"one two three").unwrap();
    let replacements = [
        Replacement {
            span: 0..3,
            source: 0..1,
        },
        Replacement {
            span: 8..13,
            source: 2..3,
        },
    ];
    assert_eq!(
        splice(&file, "1 3", &replacements, NO_LIMIT).unwrap(),
        b"1 two 3"
    );
}

#[test]
fn a_result_may_have_as_many_bytes_as_the_limit() {
    let file = TextFile::decode(b"abc").unwrap();
    let grow = |limit| {
        let replacement = Replacement {
            span: 1..2,
            source: 0..3,
        };
        splice(&file, "xyz", &[replacement], limit)
    };
    assert!(grow(5).is_ok());
    assert_eq!(grow(4), Err(EditError::ResultTooLarge { limit: 4 }));
}

/// Bytes as they stand in files: text, all kinds of breaks, and bytes that belong to no text.
fn file_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => "[ab ]{1,4}".prop_map(String::into_bytes),
        2 => Just(b"\n".to_vec()),
        2 => Just(b"\r\n".to_vec()),
        1 => Just(b"\r".to_vec()),
        2 => "[éя漢😀]".prop_map(String::into_bytes),
        1 => prop::collection::vec(0x80_u8..=0xFF, 1..4),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Detected,
    Legacy(&'static Encoding),
    Utf16(&'static [u8; 2]),
}

fn kind() -> impl Strategy<Value = Kind> {
    let encodings = vec![
        encoding_rs::GBK,
        encoding_rs::BIG5,
        encoding_rs::SHIFT_JIS,
        encoding_rs::WINDOWS_1251,
    ];
    prop_oneof![
        2 => Just(Kind::Detected),
        2 => prop::sample::select(encodings).prop_map(Kind::Legacy),
        1 => prop::sample::select(&[b"\xFF\xFE", b"\xFE\xFF"][..]).prop_map(Kind::Utf16),
    ]
}

/// The file of a kind; UTF-16 files get the text of the bytes.
fn bytes_of(kind: Kind, bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    match kind {
        Kind::Detected | Kind::Legacy(_) => bytes.to_vec(),
        Kind::Utf16(mark) if mark[0] == 0xFF => {
            let units = text.encode_utf16().flat_map(u16::to_le_bytes);
            mark.iter().copied().chain(units).collect()
        }
        Kind::Utf16(mark) => {
            let units = text.encode_utf16().flat_map(u16::to_be_bytes);
            mark.iter().copied().chain(units).collect()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn bytes_outside_the_span_never_change(
        bytes in file_bytes(),
        kind in kind(),
        from in 0.0_f64..1.0,
        len in 0_usize..6,
        new in "[xyя\n]{0,4}",
    ) {
        let bytes = bytes_of(kind, &bytes);
        let decoded = match kind {
            Kind::Legacy(encoding) => TextFile::decode_as(&bytes, test_form(encoding)),
            Kind::Detected | Kind::Utf16(_) => TextFile::decode(&bytes),
        };
        let Ok(file) = decoded else { return Ok(()) };
        let ends = file.text().char_indices().map(|(at, _)| at).chain([file.text().len()]);
        let boundaries: Vec<usize> = ends.filter(|&at| file.byte_offset(at).is_some()).collect();
        let first = (from * boundaries.len() as f64) as usize;
        let last = (first + len).min(boundaries.len() - 1);
        let span = boundaries[first]..boundaries[last];
        let start = file.byte_offset(span.start).unwrap();
        let end = file.byte_offset(span.end).unwrap();
        match splice_one(&file, span, &new) {
            Ok(after) => {
                prop_assert!(after.starts_with(&bytes[..start]), "before the span");
                prop_assert!(after.ends_with(&bytes[end..]), "behind the span");
                prop_assert!(after.len() >= start + (bytes.len() - end));
            }
            Err(error) => {
                prop_assert_eq!(error.code(), "ENCODING_UNMAPPABLE");
                prop_assert!(new.contains('я'), "only this may have no bytes");
            }
        }
    }

    #[test]
    fn the_text_becomes_what_was_asked(before in "[abя]{0,8}(\r\n[abя]{0,5}){0,3}", new in "[xя\n]{0,5}", at in 0.0_f64..1.0) {
        let file = TextFile::decode(before.as_bytes()).unwrap();
        let starts: Vec<usize> = file.text().char_indices().map(|(at, _)| at).chain([file.text().len()]).collect();
        let at = starts[(at * starts.len() as f64) as usize];
        let after = splice_one(&file, at..file.text().len(), &new).unwrap();
        let expected = part(file.text(), 0..at).to_owned() + &new;
        prop_assert_eq!(file.text_of(&after).unwrap(), expected);
    }
}
