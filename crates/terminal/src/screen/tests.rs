use super::*;

fn drawn(size: (u16, u16), stream: &[u8], source: TextSource) -> Screen {
    let mut ring = Ring::new(1024 * 1024);
    ring.push(stream);
    let mut screen = Screen::new(TerminalSize::clamped(size.0, size.1));
    screen.set_text_source(source);
    while screen.offset() < ring.end() {
        screen.advance(&ring, 7, false);
    }
    screen
}

/// What a fresh terminal shows after the snapshot.
fn replayed(screen: &Screen) -> vt100::Parser {
    let mut parser = vt100::Parser::new(screen.size.rows, screen.size.cols, 1000);
    parser.process(&screen.snapshot());
    parser
}

#[test]
fn a_late_view_sees_the_same_picture_and_can_scroll_back() {
    let stream: String = (0..40)
        .map(|n| format!("\x1b[3{}mline {n}\x1b[0m\r\n", n % 8))
        .collect();
    let screen = drawn(
        (20, 5),
        format!("{stream}prompt> ").as_bytes(),
        TextSource::Lines,
    );
    let mut view = replayed(&screen);
    assert_eq!(view.screen().contents(), screen.parser.screen().contents());
    assert_eq!(
        view.screen().cursor_position(),
        screen.parser.screen().cursor_position()
    );
    assert_eq!(
        view.screen().scrollback_len(),
        36,
        "what left the top, and nothing else"
    );
    view.screen_mut().set_scrollback(36);
    assert_eq!(view.screen().contents().lines().next(), Some("line 0"));
    assert_eq!(
        view.screen().cell(1, 0).map(vt100::Cell::fgcolor),
        Some(vt100::Color::Idx(1))
    );
}

#[test]
fn a_late_view_of_an_editor_is_in_the_alternate_screen() {
    let screen = drawn(
        (40, 10),
        b"before\r\n\x1b[?1049h\x1b[2J\x1b[5;7HEDIT\x1b[?2004h\x1b[?1h",
        TextSource::Picture,
    );
    let view = replayed(&screen);
    assert!(view.screen().alternate_screen());
    assert_eq!(view.screen().contents(), screen.parser.screen().contents());
    assert_eq!(view.screen().cursor_position(), (4, 10));
    assert!(view.screen().bracketed_paste() && view.screen().application_cursor());
}

#[test]
fn text_comes_from_scrolled_rows_and_the_picture() {
    let check = |size, stream: &str, expected: &str| {
        let mut screen = drawn(size, stream.as_bytes(), TextSource::Picture);
        let text = screen.take_drawn().text + &screen.visible_text();
        assert_eq!(text.trim_end(), expected, "{stream:?}");
    };
    check(
        (20, 5),
        "one\r\ntwo\r\n\x1b[2A\x1b[KONE\r\n\x1b[KTWO\r\n",
        "ONE\nTWO",
    );
    let numbered: String = (0..12).map(|n| format!("{n}\r\n")).collect();
    let expected: Vec<String> = (0..12).map(|n| n.to_string()).collect();
    check((20, 5), &numbered, &expected.join("\n"));
    let long = "0123456789".repeat(7);
    check(
        (20, 5),
        &format!("{long}\r\nx\r\ny\r\nz\r\nw\r\nv\r\n"),
        &format!("{long}\nx\ny\nz\nw\nv"),
    );
    check(
        (20, 5),
        "before\r\n\x1b[?1049hEDITOR\x1b[?1049lafter\r\n",
        "before\nafter",
    );
    check((20, 5), "\x1b[31m界é🙂\x1b[0m", "界é🙂");
}

#[test]
fn questions_are_answered_in_order() {
    let check = |stream: &str, expected: &str| {
        let mut screen = drawn((40, 10), stream.as_bytes(), TextSource::Lines);
        assert_eq!(
            String::from_utf8_lossy(&screen.take_drawn().answers),
            expected,
            "{stream:?}"
        );
    };
    check("ab\r\nc\x1b[6n\x1b[c", "\x1b[2;2R\x1b[?62;22c");
    check("\x1b[5n", "\x1b[0n");
    check("\x1b[>c", "\x1b[>0;276;0c");
    check("\x1b]11;?\x07", "\x1b]11;rgb:1c1c/1c1c/1c1c\x1b\\");
    // A clipboard write, a title report and a window operation get no answer.
    check("\x1b]52;c;aGk=\x07\x1b]52;c;?\x07\x1b[21t\x1b[18t", "");
}

#[test]
fn falling_behind_costs_the_middle_only() {
    let mut ring = Ring::new(1024 * 1024);
    let mut screen = Screen::new(TerminalSize::clamped(80, 24));
    screen.set_text_source(TextSource::Picture);
    ring.push(b"first\r\n");
    screen.advance(&ring, usize::MAX, false);
    for n in 0..400_000 {
        ring.push(format!("line {n}\r\n").as_bytes());
    }
    screen.advance(&ring, usize::MAX, false);
    let text = screen.take_drawn().text;
    assert!(text.starts_with("first\n["), "{:?}", text.get(..60));
    assert!(text.contains("bytes were too fast to be drawn]"));
    assert!(screen.visible_text().trim_end().ends_with("line 399999"));
    assert_eq!(screen.offset(), ring.end());
}

#[test]
fn sizes_stay_within_limits_and_wide_text_survives_them() {
    let size = |cols, rows| {
        (
            TerminalSize::clamped(cols, rows).cols(),
            TerminalSize::clamped(cols, rows).rows(),
        )
    };
    assert_eq!(
        (size(0, 0), size(9999, 9999), size(80, 24)),
        ((20, 5), (500, 200), (80, 24))
    );
    let mut ring = Ring::new(1024 * 1024);
    let mut screen = Screen::new(TerminalSize::default());
    for (cols, rows) in [
        (80, 24),
        (79, 24),
        (41, 24),
        (3, 24),
        (1, 1),
        (0, 0),
        (200, 50),
        (20, 5),
    ] {
        ring.push("界가あ".repeat(40).as_bytes());
        ring.push(b"\r\n\x1b[K\x1b[1;3Hx\x1b[24;1H");
        screen.advance(&ring, usize::MAX, false);
        screen.resize(TerminalSize::clamped(cols, rows));
    }
    ring.push(b"\x1b[2J\x1b[HEND-OF-WIDE");
    screen.advance(&ring, usize::MAX, false);
    assert_eq!(screen.visible_text().trim(), "END-OF-WIDE");
}

#[test]
fn the_title_is_clean_and_short() {
    let title = format!("\x1b]0;a\u{202e}b{}\x07", "c".repeat(500));
    let mut screen = drawn((20, 5), title.as_bytes(), TextSource::Lines);
    let title = screen.take_drawn().title.unwrap();
    assert_eq!(title.chars().count(), 200);
    assert!(title.starts_with("abc"));
}
