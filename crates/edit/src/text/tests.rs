use super::*;
use proptest::prelude::*;

fn check(bytes: &[u8], label: &str, text: &str) {
    let file = TextFile::decode(bytes).unwrap();
    assert_eq!(
        (file.encoding().label().as_ref(), file.text()),
        (label, text),
        "{bytes:?}"
    );
}

fn check_refused(bytes: &[u8], code: &str, reason: Option<&str>) {
    let error = TextFile::decode(bytes).unwrap_err();
    assert_eq!((error.code(), error.reason()), (code, reason), "{bytes:?}");
}

#[test]
fn marks_decide_first() {
    check(b"\xEF\xBB\xBFa\r\nb", "utf-8", "a\nb");
    check(b"\xFF\xFEa\0\r\0\n\0", "utf-16le", "a\n");
    check(b"\xFE\xFF\0a\0\n", "utf-16be", "a\n");
    check(b"\xFF\xFE", "utf-16le", "");
    check_refused(
        b"\xFF\xFE\0\0a\0\0\0",
        "ENCODING_UNSUPPORTED",
        Some("utf-32"),
    );
    check_refused(
        b"\0\0\xFE\xFF\0\0\0a",
        "ENCODING_UNSUPPORTED",
        Some("utf-32"),
    );
    check_refused(
        b"\xFF\xFEa\0b",
        "ENCODING_UNSUPPORTED",
        Some("utf-16-odd-length"),
    );
    check_refused(
        b"\xFF\xFE\0\xD8a\0",
        "ENCODING_UNSUPPORTED",
        Some("utf-16-lone-surrogate"),
    );
}

#[test]
fn nul_bytes_are_utf16_or_binary() {
    check(b"a\0b\0c\0\r\0\n\0", "utf-16le", "abc\n");
    check(b"\0a\0b\0c\0\n", "utf-16be", "abc\n");
    check_refused(b"a\0b\0c", "BINARY_FILE", None);
    check_refused(b"a\0\x01\0", "BINARY_FILE", None);
    check_refused(b"\0\x01\x02\x03MZ\0\0\0", "BINARY_FILE", None);
    check_refused(b"\0\0\0\0", "BINARY_FILE", None);
}

#[test]
fn control_characters_are_binary_when_there_are_many() {
    check(b"\x1B[1mbold\x1B[0m\n", "utf-8", "\u{1B}[1mbold\u{1B}[0m\n");
    check_refused(b"\x01\x02\x03\x04abcdef", "BINARY_FILE", None);
    check(b"\x01\x02\x03abcdefg", "utf-8", "\u{1}\u{2}\u{3}abcdefg");
}

#[test]
fn stray_bytes_in_utf8_stay_opaque() {
    let file_bytes = ["naïve ключ\n".as_bytes(), b"x \xFF\xE9 y\n"].concat();
    let file = TextFile::decode(&file_bytes).unwrap();
    assert_eq!(file.text(), "naïve ключ\nx \u{FFFD}\u{FFFD} y\n");
    assert!(!file.is_encoding_guessed());
    let positions: Vec<String> = file.opaque_positions().map(|at| at.to_string()).collect();
    assert_eq!(
        (file.count_opaque(), positions),
        (2, vec!["2:3".to_owned(), "2:4".to_owned()])
    );
}

#[test]
fn legacy_bytes_are_guessed_only_when_all_decode() {
    let file = TextFile::decode(b"const x = 1;\n// caf\xE9 note\n").unwrap();
    assert_eq!(file.encoding().label(), "windows-1252");
    assert!(file.is_encoding_guessed());
    assert_eq!(file.text(), "const x = 1;\n// café note\n");
}

#[test]
fn breaks_are_counted_by_kind() {
    let breaks = |bytes: &[u8]| TextFile::decode(bytes).unwrap().breaks();
    let check = |bytes: &[u8], counts: (usize, usize, usize), eol: Eol| {
        let found = breaks(bytes);
        assert_eq!(
            (found.n_lf, found.n_crlf, found.n_lone_cr),
            counts,
            "{bytes:?}"
        );
        assert_eq!(found.eol(), eol, "{bytes:?}");
    };
    check(b"", (0, 0, 0), Eol::None);
    check(b"a\rb", (0, 0, 1), Eol::None);
    check(b"a\nb\n", (2, 0, 0), Eol::Lf);
    check(b"a\r\nb\r\r\n", (0, 2, 1), Eol::Crlf);
    check(b"a\r\nb\n\rc", (1, 1, 1), Eol::Mixed);
}

#[test]
fn large_files_are_guessed_from_the_lines_that_say_something() {
    let ascii = b"let value = compute(7);\n".repeat(20_000);
    let chinese = b"# \xC5\xE4\xD6\xC3\xCE\xC4\xBC\xFE\xA3\xBA\xB7\xFE\xCE\xF1\xC6\xF7\n";
    let check = |bytes: &[u8]| {
        let file = TextFile::decode(bytes).unwrap();
        assert_eq!(file.encoding().label(), "gbk");
        assert!(file.is_encoding_guessed());
        assert_eq!(file.count_opaque(), 0);
    };
    check(&[&ascii, chinese.as_slice(), &ascii].concat());
    check(&chinese.repeat(20_000));
    // A line that does not end within what is looked at.
    check(&chinese[..chinese.len() - 1].repeat(20_000));
}

/// All encodings a guess may name.
fn legacy() -> impl Strategy<Value = &'static Encoding> {
    prop::sample::select(vec![
        encoding_rs::GBK,
        encoding_rs::BIG5,
        encoding_rs::SHIFT_JIS,
        encoding_rs::EUC_JP,
        encoding_rs::EUC_KR,
        encoding_rs::WINDOWS_1252,
        encoding_rs::WINDOWS_1251,
        encoding_rs::KOI8_U,
        encoding_rs::ISO_8859_8,
    ])
}

proptest! {
    #[test]
    fn the_fast_way_equals_the_slow_one(text in "[aé😀 \r\n]{0,30}") {
        let form = Form { encoding: TextEncoding::Utf8, bom_len: 0, is_guess: false };
        let fast = TextFile::decode_as(text.as_bytes(), form).unwrap();
        let slow = build(text.as_bytes(), form);
        prop_assert_eq!(fast.text(), &slow.text);
        for (at, _) in fast.text().char_indices() {
            prop_assert_eq!(fast.byte_offset(at), slow.offsets.to_byte(at));
        }
        prop_assert_eq!(fast.byte_offset(fast.text().len()), Some(text.len()));
    }

    #[test]
    fn units_cover_the_file_in_order(bytes in prop::collection::vec(any::<u8>(), 0..60), encoding in legacy()) {
        let form = test_form(encoding);
        let file = TextFile::decode_as(&bytes, form).unwrap();
        let mut last = 0;
        for (at, _) in file.text().char_indices().skip(1) {
            if let Some(byte) = file.byte_offset(at) {
                prop_assert!(last < byte, "each unit has bytes");
                last = byte;
            }
        }
        prop_assert_eq!(file.byte_offset(file.text().len()), Some(bytes.len()));
    }

    #[test]
    fn units_do_not_depend_on_what_was_before(
        first in prop::collection::vec(any::<u8>(), 0..6),
        second in prop::collection::vec(any::<u8>(), 0..6),
        encoding in legacy(),
    ) {
        // A line break ends every unit or shows that it is broken.
        let decoded = |bytes: &[u8]| TextFile::decode_as(bytes, test_form(encoding)).unwrap().text().to_owned();
        let line = |bytes: &[u8]| [bytes, b"\n"].concat();
        let (first, second) = (line(&first), line(&second));
        let apart = decoded(&first) + &decoded(&second) + &decoded(&first);
        prop_assert_eq!(decoded(&[first.clone(), second, first].concat()), apart);
    }

    #[test]
    fn strict_text_is_decoded_as_a_whole_would_be(bytes in prop::collection::vec(any::<u8>(), 0..40), encoding in legacy()) {
        if let Some(whole) = encoding.decode_without_bom_handling_and_without_replacement(&bytes) {
            let file = TextFile::decode_as(&bytes, test_form(encoding)).unwrap();
            prop_assert_eq!(file.text(), whole.replace("\r\n", "\n"));
            prop_assert_eq!(file.count_opaque(), 0);
        }
    }

    #[test]
    fn decoding_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(file) = TextFile::decode(&bytes) {
            prop_assert_eq!(file.byte_offset(file.text().len()), Some(bytes.len()));
        }
    }
}
