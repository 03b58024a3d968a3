use super::*;

const PIECE: &str = "I will now read the file once more to be very sure. ";

/// The character, from 1, at which a text is found to run in circles; pushed in deltas of `size` characters.
fn found(text: &str, size: usize) -> Option<usize> {
    let mut watch = Repetition::default();
    let characters: Vec<char> = text.chars().collect();
    let mut pushed = 0;
    for delta in characters.chunks(size) {
        pushed += delta.len();
        if watch.push(&delta.iter().collect::<String>()) {
            return Some(pushed);
        }
    }
    None
}

#[test]
fn the_tenth_occurrence_is_a_loop() {
    let pieces = PIECE.repeat(10);
    assert_eq!(found(&PIECE.repeat(9), 1), None, "nine are not");
    let at = found(&pieces, 1).expect("ten are");
    assert!(at <= pieces.chars().count());
    let coarse = found(&pieces, 7).expect("in larger deltas too");
    assert!(
        coarse >= at && coarse < at + 7,
        "found in the delta that holds the character"
    );
}

#[test]
fn pieces_may_have_other_text_between_them() {
    let near: String = (0..14)
        .map(|n| format!("{PIECE}This is try number {n}, and it is another one. "))
        .collect();
    assert!(found(&near, 5).is_some(), "all within the stretch");
    let gap = |n: usize| -> String { (0..40).map(|word| format!("w{n}x{word} ")).collect() };
    let far: String = (0..20).map(|n| format!("{PIECE}{}", gap(n))).collect();
    assert_eq!(found(&far, 5), None, "spread over more than the stretch");
}

#[test]
fn drawn_lines_tables_and_code_are_no_loops() {
    let line = format!("Title\n{}\nText\n", "-".repeat(300));
    assert_eq!(
        found(&line, 1),
        None,
        "a line is one piece over and over, but short"
    );
    let rows: String = (0..40)
        .map(|n| format!("| row {n} | value {} |\n", n * 7))
        .collect();
    assert_eq!(found(&rows, 3), None, "rows differ");
    let code = format!("Here:\n```rust\n{}```\n", format!("{PIECE}\n").repeat(30));
    assert_eq!(found(&code, 4), None, "code may repeat");
    let after = format!("{code}{}", PIECE.repeat(12));
    assert!(
        found(&after, 4).is_some(),
        "behind the fence it counts again"
    );
}

#[test]
fn wide_characters_count_as_one() {
    let piece = "我再读一遍这个文件,确认一下内容是不是真的和我想的一样,然后我再继续往下做,不会漏掉任何一处细节的。";
    assert!(piece.chars().count() >= 50);
    assert!(found(&piece.repeat(10), 1).is_some());
    assert_eq!(found(&piece.repeat(9), 1), None);
}

#[test]
fn memory_stays_small_in_a_long_text() {
    let mut watch = Repetition::default();
    for n in 0..20_000 {
        assert!(
            !watch.push(&format!("sentence {n} is about {}. ", n * 31)),
            "honest text"
        );
    }
    let stretch = usize::try_from(STRETCH_CHARACTERS).unwrap();
    assert!(watch.pieces.len() <= 2 * stretch);
}

#[test]
fn drawn_lines_and_filler_are_no_loop() {
    for filler in ["-", "= ", "word ", "0, 0\n", "| --- "] {
        assert!(
            !Repetition::default().push(&filler.repeat(2_000)),
            "{filler:?}"
        );
    }
    let sentence = "Let me try that once more. ";
    assert!(
        Repetition::default().push(&sentence.repeat(60)),
        "a sentence is one"
    );
}
