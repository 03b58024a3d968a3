use super::*;
use std::fs;
use std::io::Write;

fn numbered(lines: std::ops::Range<u64>) -> String {
    lines.map(|n| format!("line {n}\n")).collect()
}

fn page(log: &mut Log, from: u64, lines: u64) -> (String, u64) {
    let page = log.page(from, lines).unwrap();
    (page.text, page.total_lines)
}

#[test]
fn any_lines_of_a_long_output_are_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("raw.bin"), numbered(0..1_234)).unwrap();
    let mut log = Log::new(folder.path().to_owned());
    for from in [0, 1, 499, 500, 501, 1_000, 1_230] {
        let end = (from + 3).min(1_234);
        assert_eq!(
            page(&mut log, from, 3),
            (numbered(from..end), 1_234),
            "{from}"
        );
    }
    assert_eq!(page(&mut log, 5_000, 3), (String::new(), 1_234));
}

#[test]
fn what_is_printed_later_is_there_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("raw.bin");
    let mut file = File::create(&path).unwrap();
    let mut log = Log::new(folder.path().to_owned());
    assert_eq!(page(&mut log, 0, 10), (String::new(), 0));
    file.write_all(b"one\ntw").unwrap();
    assert_eq!(page(&mut log, 0, 10), ("one\ntw".to_owned(), 2));
    file.write_all(b"o\nthree\n").unwrap();
    assert_eq!(page(&mut log, 1, 10), ("two\nthree\n".to_owned(), 3));
}

#[test]
fn segments_are_read_in_order_and_one_that_goes_shifts_the_lines() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("raw.bin", "a\nb");
    write("raw.001.bin", "b\nc\n");
    write("raw.1000.bin", "e\n");
    write("raw.002.bin", "d\n");
    write("clean.txt", "no\n");
    let mut log = Log::new(folder.path().to_owned());
    assert_eq!(page(&mut log, 0, 9), ("a\nbb\nc\nd\ne\n".to_owned(), 5));
    fs::remove_file(folder.path().join("raw.001.bin")).unwrap();
    assert_eq!(page(&mut log, 1, 9), ("bd\ne\n".to_owned(), 3));
}

#[test]
fn a_page_begins_with_the_colours_that_hold() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("\x1b[1;31mred\n");
    text.push_str(&numbered(0..700));
    text.push_str("\x1b[0mplain\nafter\n\x1b[32mgreen\nstill\n");
    fs::write(folder.path().join("raw.bin"), text).unwrap();
    let mut log = Log::new(folder.path().to_owned());
    assert_eq!(page(&mut log, 600, 1).0, "\x1b[1;31mline 599\n");
    assert_eq!(page(&mut log, 702, 1).0, "after\n");
    assert_eq!(page(&mut log, 704, 1).0, "\x1b[32mstill\n");
}

#[test]
fn a_text_is_found_as_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let text = "plain ERROR here\r\n\
                10%\r50%\rdone\n\
                \x1b[31mer\x1b[0mror\n\
                \x1b]8;;http://error\x07link\x1b]8;;\x07\n\
                größe GRÖSSE\n\
                \x07error without end";
    fs::write(folder.path().join("raw.bin"), text).unwrap();
    let check = |query: &str, max: u64, lines: &[u64], total: u64| {
        let found = find(folder.path(), query, max).unwrap();
        assert_eq!(found, (lines.to_vec(), total), "{query}");
    };
    check("error", 10, &[0, 2, 5], 3);
    check("error", 1, &[0], 3);
    check("10%", 10, &[], 0);
    check("done", 10, &[1], 1);
    check("GRÖ", 10, &[4], 1);
    check("", 10, &[], 0);
}

#[test]
fn a_line_without_end_does_not_fill_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(MAX_LINE_BYTES * 3);
    fs::write(folder.path().join("raw.bin"), format!("{long}\nshort\n")).unwrap();
    let mut log = Log::new(folder.path().to_owned());
    let (text, lines) = page(&mut log, 0, 10);
    assert_eq!(
        (text.len(), lines),
        (MAX_LINE_BYTES + "…\nshort\n".len(), 2)
    );
}
