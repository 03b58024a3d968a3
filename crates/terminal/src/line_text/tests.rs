use super::*;
use proptest::prelude::*;

/// Text of a whole stream: committed lines and the current one.
fn text_of(machine: &mut LineText) -> String {
    let mut bytes = Vec::new();
    machine.take_committed(&mut bytes);
    bytes.extend(machine.current_line());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn run(stream: &[u8]) -> (String, bool) {
    let mut machine = LineText::default();
    machine.feed(stream);
    (text_of(&mut machine), machine.screen_mode())
}

#[test]
fn lines_stay_as_written_and_redraws_collapse() {
    let check = |stream: &str, expected: &str| {
        assert_eq!(
            run(stream.as_bytes()),
            (expected.into(), false),
            "{stream:?}"
        )
    };
    check("all:\r\n\tcc -c a.c\r\n", "all:\n\tcc -c a.c\n");
    check("10%\r50%\r100%\r\ndone", "100%\ndone");
    check(
        "\x1b[2K\r\x1b[32mBuilding\x1b[0m  9%\x1b[2K\r\x1b[32mBuilding\x1b[0m 10%",
        "Building 10%",
    );
    check("long old text\rnew\x1b[K\r\n", "new\n");
    check("long old text\rnew\r\n", "newg old text\n");
    check("abc\x08\x08X", "aXc");
    check("a\tb\rX\n", "X       b\n");
    check("界界界\rab", "ab界界");
    check("界界界\ra", "a 界界");
    check("e\u{301}xyz\rE", "Exyz");
    check(
        "\x1b]0;title\x07text\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
        "textlink",
    );
    check("\x1b(B\x1b[m\x1b=\x1b>plain\x07", "plain");
    check("\x1b[?2004h>>> \x1b[?2004l\r\n", ">>> \n");
    check("\x1b[?25l\x1b[?2026hx\x1b[?2026l", "x");
    check("abc\x1b[1K", "");
    check("abc\rX\x1b[1KY", " Yc");
}

#[test]
fn what_moves_about_the_screen_ends_line_mode() {
    let check = |stream: &str| assert!(run(stream.as_bytes()).1, "{stream:?}");
    for sequence in [
        "\x1b[A",
        "\x1b[3D",
        "\x1b[2J",
        "\x1b[H",
        "\x1b[1;5r",
        "\x1b[?1049h",
        "\x1b[u",
        "\x1bM",
        "\x1b7",
        "\x1b[?7l",
    ] {
        check(sequence);
    }
}

#[test]
fn questions_are_seen_and_leave_the_text_alone() {
    let check = |stream: &[u8], asked| {
        let mut machine = LineText::default();
        machine.feed(stream);
        assert_eq!(
            (machine.modes().asked, machine.screen_mode()),
            (asked, false),
            "{stream:?}"
        );
    };
    for question in [
        "\x1b[6n",
        "\x1b[5n",
        "\x1b[c",
        "\x1b[>c",
        "\x1b]11;?\x07",
        "\x1b]10;?\x1b\\",
    ] {
        check(question.as_bytes(), true);
    }
    check(b"\x1b[0m\x1b]11;#ffffff\x07", false);
}

#[test]
fn the_alternate_screen_is_followed() {
    let mut machine = LineText::default();
    machine.feed(b"\x1b[?1049h");
    assert!(machine.modes().alternate_screen);
    machine.feed(b"\x1b[?1049l");
    assert!(!machine.modes().alternate_screen);
}

#[test]
fn an_endless_line_is_not_kept() {
    let mut machine = LineText::default();
    let mut committed = Vec::new();
    for _ in 0..1000 {
        machine.feed("界".repeat(1000).as_bytes());
        machine.take_committed(&mut committed);
        assert!(machine.line.len() <= MAX_LINE_BYTES + 3000);
    }
    machine.feed(b"\rnext\r\n");
    machine.take_committed(&mut committed);
    let text = String::from_utf8(committed).unwrap();
    assert_eq!(
        text,
        "界".repeat(1_000_000) + "\nnext\n",
        "no character is torn where the line was cut"
    );
}

#[test]
fn a_line_redrawn_for_ever_stays_small() {
    let mut machine = LineText::default();
    for step in 0..200_000 {
        machine.feed(format!("\rstep {step}").as_bytes());
    }
    assert_eq!(text_of(&mut machine), "step 199999");
}

#[test]
fn mid_line_is_where_a_prompt_leaves_the_cursor() {
    let check = |stream: &[u8], expected| {
        let mut machine = LineText::default();
        machine.feed(stream);
        assert_eq!(machine.is_mid_line(), expected, "{stream:?}");
    };
    check(b"", false);
    check(b"Name? ", true);
    check(b"done\r\n", false);
    check(b"50%\r", false);
}

/// Text, line ends, redraws, whole and broken sequences, and bytes that are not text at all.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[a-z0-9 ]{0,12}".prop_map(String::into_bytes),
        Just("界é🙂\u{301}".as_bytes().to_vec()),
        prop::sample::select(vec![
            "\r\n",
            "\n",
            "\r",
            "\x08",
            "\t",
            "\x1b[K",
            "\x1b[1K",
            "\x1b[2K",
            "\x1b[31m",
            "\x1b[0m",
            "\x1b]0;t\x07",
            "\x1b[6n",
            "\x1b[?25l",
            "\x1b(B",
            "\x1b",
            "\x1b[",
            "\x1b[12;",
            "\x1bP1$\x1b\\",
            "\x7f",
            "\x1b[?1049h",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn the_cut_of_the_stream_does_not_matter(stream in pieces(), sizes in prop::collection::vec(1..9_usize, 1..20)) {
        let mut whole = LineText::default();
        whole.feed(&stream);
        let mut parts = LineText::default();
        let mut rest = stream.as_slice();
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (now, later) = rest.split_at((*size).min(rest.len()));
            parts.feed(now);
            rest = later;
        }
        prop_assert_eq!(whole.screen_mode(), parts.screen_mode());
        prop_assert_eq!(whole.modes(), parts.modes());
        prop_assert_eq!(whole.is_mid_line(), parts.is_mid_line());
        prop_assert_eq!(text_of(&mut whole), text_of(&mut parts));
    }

    #[test]
    fn runs_end_where_a_slow_look_says(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let slow = bytes.iter().take_while(|byte| **byte >= 0x20 && **byte != 0x7f).count();
        prop_assert_eq!(text_len(&bytes), slow);
    }
}
