use super::*;

fn fed(chunks: &[&[u8]]) -> (Output, String) {
    let mut output = Output::new(TerminalSize::clamped(40, 10));
    let mut fresh = String::new();
    chunks
        .iter()
        .for_each(|chunk| output.feed(chunk, &mut fresh));
    (output, fresh)
}

fn whole(output: &mut Output) -> String {
    output.draw_all();
    output.excerpt(100_000).head
}

#[test]
fn lines_are_text_without_drawing_anything() {
    let (output, fresh) = fed(&[b"\tone\r\n\x1b[31mtw", b"o\x1b[0m\r\nthr"]);
    assert!(!output.wants_drawing());
    assert_eq!(fresh, "\tone\ntwo\n");
    assert_eq!(output.excerpt(100).head, "\tone\ntwo\nthr");
    assert_eq!(output.tail(4), "\nthr");
    assert_eq!(output.prompt_line().as_deref(), Some("thr"));
}

#[test]
fn a_program_that_draws_is_read_from_its_picture_from_the_first_byte() {
    let (mut output, _) = fed(&[
        b"start\r\n1: wait\r\n2: wait\r\n",
        b"\x1b[2A\x1b[2K1: done\r\n\x1b[2K2: done\r\n",
    ]);
    assert!(output.wants_drawing());
    assert_eq!(whole(&mut output), "start\n1: done\n2: done");
    let mut fresh = String::new();
    for n in 0..30 {
        output.feed(format!("line {n}\r\n").as_bytes(), &mut fresh);
    }
    let lines: Vec<String> = (0..30).map(|n| format!("line {n}")).collect();
    assert_eq!(
        whole(&mut output),
        format!("start\n1: done\n2: done\n{}", lines.join("\n"))
    );
    assert_eq!(fresh, "", "nothing more comes as lines");
}

#[test]
fn a_question_is_answered_once_although_the_picture_starts_again() {
    let (mut output, _) = fed(&[b"a\x1b[6n"]);
    assert!(output.wants_drawing(), "somebody waits for the answer");
    assert_eq!(output.draw_all().answers, b"\x1b[1;2R");
    let mut fresh = String::new();
    output.feed(b"\r\nb\x1b[Ac\x1b[6n", &mut fresh);
    assert_eq!(output.draw_all().answers, b"\x1b[1;3R");
    assert_eq!(whole(&mut output), "ac\nb");
}

#[test]
fn drawing_after_more_than_is_kept_leaves_the_lines_so_far() {
    let mut output = Output::new(TerminalSize::clamped(40, 10));
    let mut fresh = String::new();
    for n in 0..200_000 {
        output.feed(format!("line {n}\r\n").as_bytes(), &mut fresh);
    }
    output.feed(b"\x1b[Hdrawn\r\n", &mut fresh);
    output.draw_all();
    let excerpt = output.excerpt(1000);
    assert!(excerpt.head.starts_with("line 0\nline 1\n"));
    assert!(excerpt.tail.contains("line 199999\n"), "{}", excerpt.tail);
    assert!(excerpt.tail.contains("drawn199991\n"), "{}", excerpt.tail);
}

#[test]
fn a_nul_at_the_beginning_makes_it_binary_and_later_does_not() {
    let (output, fresh) = fed(&[b"\x7fELF\0\x01", b"\x1b[6n"]);
    assert!(output.is_binary() && !output.wants_drawing() && fresh.is_empty());
    let (output, _) = fed(&[&[b'x'; 4096], b"\0"]);
    assert!(!output.is_binary());
}
