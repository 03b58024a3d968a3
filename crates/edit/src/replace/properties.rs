//! What must hold for every file and every edit.
//!
//! Files are random lines in every encoding, with mixed breaks, lone CRs and broken bytes. What is looked for is a
//! part of the file as models blur it, and what comes instead is that part with a change.

use std::collections::BTreeSet;
use std::ops::Range;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use protocol::settings::EditProfile;

use crate::error::EditError;
use crate::lines::{LineIndex, part, pieces};
use crate::locate::{Layer, Located, Writing, find_exact, locate};
use crate::normalize::{
    norm, norm_trimmed_end, passes_tolerant_gate, trim_blanks, trim_blanks_end,
};
use crate::replace::{EditPlan, EditRequest, Occurrences, Reviewer, plan_edit};
use crate::seen::LineRanges;
use crate::test_support::MAX_TEST_BYTES;
use crate::text::TextFile;
use crate::text::encoding::{Form, TextEncoding};

const LINES: [&str; 18] = [
    "",
    "  ",
    "\tif abc {",
    "    if abc {",
    "say(\u{201C}hi\u{201D}); abc",
    "say(\"hi\"); abc",
    "one \u{2013} two  ",
    "one - two",
    "foo_bar()",
    "    foo_bar() ",
    "\tfoo_bar()",
    "end_of_it\t",
    "\u{A0}key = \u{2018}val\u{2019}",
    "f(a,   b, cde)",
    "日本\u{3000}語 abc",
    "été abc",
    "lone\rcr abc",
    "}",
];

const ENCODINGS: [TextEncoding; 8] = [
    TextEncoding::Utf8,
    TextEncoding::Utf8,
    TextEncoding::Utf16Le,
    TextEncoding::Utf16Be,
    TextEncoding::Legacy(encoding_rs::GBK),
    TextEncoding::Legacy(encoding_rs::SHIFT_JIS),
    TextEncoding::Legacy(encoding_rs::WINDOWS_1252),
    TextEncoding::Legacy(encoding_rs::BIG5),
];

/// A way in which models get a text wrong.
#[derive(Debug, Clone, Copy)]
enum Blur {
    Typography,
    TrailingBlanks,
    MoreBlanks,
    Dedent,
    Indent,
    TabsToBlanks,
    BlanksToTabs,
    Escape,
    BlankLinesAround,
    OneBlank,
    FinalNewline,
    Drift,
    Nothing,
}

const BLURS: [Blur; 13] = [
    Blur::Typography,
    Blur::TrailingBlanks,
    Blur::MoreBlanks,
    Blur::Dedent,
    Blur::Indent,
    Blur::TabsToBlanks,
    Blur::BlanksToTabs,
    Blur::Escape,
    Blur::BlankLinesAround,
    Blur::OneBlank,
    Blur::FinalNewline,
    Blur::Drift,
    Blur::Nothing,
];

fn escaped(text: &str) -> String {
    [
        ("\\", "\\\\"),
        ("\"", "\\\""),
        ("\n", "\\n"),
        ("\t", "\\t"),
        ("\r", "\\r"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn blurred(text: &str, blur: Blur) -> String {
    let by_line = |change: &dyn Fn(&str) -> String| -> String {
        text.split('\n').map(change).collect::<Vec<_>>().join("\n")
    };
    match blur {
        Blur::Typography => text.chars().map(norm).collect(),
        Blur::TrailingBlanks => by_line(&|line| trim_blanks_end(line).to_owned()),
        Blur::MoreBlanks => by_line(&|line| match line {
            "" => String::new(),
            line => format!("{line}  "),
        }),
        Blur::Dedent => by_line(&|line| line.trim_start_matches([' ', '\t']).to_owned()),
        Blur::Indent => by_line(&|line| match line {
            "" => String::new(),
            line => format!("  {line}"),
        }),
        Blur::TabsToBlanks => text.replace('\t', "    "),
        Blur::BlanksToTabs => text.replace("    ", "\t"),
        Blur::Escape => escaped(text),
        Blur::BlankLinesAround => format!("\n{text}"),
        Blur::OneBlank => text.replace("   ", " "),
        Blur::FinalNewline => match text.strip_suffix('\n') {
            Some(text) => text.to_owned(),
            None => format!("{text}\n"),
        },
        Blur::Drift => {
            let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
            let is_inner = lines.len() > 2;
            lines[usize::from(is_inner)].push(';');
            lines.join("\n")
        }
        Blur::Nothing => text.to_owned(),
    }
}

/// A step from an old text to a new one.
fn changed(old: &str, kind: u8, at: Index) -> String {
    let mut lines: Vec<String> = old.split('\n').map(str::to_owned).collect();
    let at = at.index(lines.len());
    match kind {
        0 => lines[at].push_str(" more"),
        1 => lines[at] = "new line".to_owned(),
        2 => drop(lines.remove(at)),
        3 => lines.insert(at, "\tinserted \"line\"".to_owned()),
        4 => return String::new(),
        5 => return old.replace("abc", "def"),
        6 => return old.replace(['i', 'o'], "-"),
        _ => lines[at].insert_str(0, "  "),
    }
    lines.join("\n")
}

/// An edit of a file.
#[derive(Debug, Clone)]
struct Scene {
    bytes: Vec<u8>,
    form: Form,
    old: String,
    new: String,
}

/// Lines with their breaks, in an encoding; a question mark for what it cannot hold.
fn encoded(lines: &[(usize, bool)], is_terminated: bool, encoding: TextEncoding) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (at, &(line, is_crlf)) in lines.iter().enumerate() {
        for c in LINES[line].chars() {
            let mut buffer = [0; 4];
            if encoding
                .encode(c.encode_utf8(&mut buffer), &mut bytes)
                .is_err()
            {
                bytes.push(b'?');
            }
        }
        if is_terminated || at + 1 < lines.len() {
            let break_text = if is_crlf { "\r\n" } else { "\n" };
            encoding.encode(break_text, &mut bytes).unwrap();
        }
    }
    bytes
}

fn scene() -> impl Strategy<Value = Scene> {
    let lines = prop::collection::vec((0..LINES.len(), any::<bool>()), 1..10);
    let junk = prop::option::weighted(0.3, (any::<Index>(), any::<u8>()));
    let file = (
        lines,
        any::<bool>(),
        prop::sample::select(&ENCODINGS[..]),
        junk,
        any::<bool>(),
    );
    let window = (any::<Index>(), 1_usize..5, any::<bool>());
    let blurs = prop::collection::vec(prop::sample::select(&BLURS[..]), 1..3);
    (file, window, blurs, 0_u8..9, any::<Index>()).prop_map(|(file, window, blurs, kind, at)| {
        let (lines, is_terminated, encoding, junk, is_guess) = file;
        let mut bytes = encoded(&lines, is_terminated, encoding);
        if let (Some((at, byte)), false) = (junk, bytes.is_empty()) {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let form = Form {
            encoding,
            bom_len: 0,
            is_guess,
        };
        let file = TextFile::decode_as(&bytes, form).unwrap();
        let pieces = pieces(file.text());
        let (start, n_lines, is_whole) = window;
        let start = start.index(pieces.len().max(1));
        let end = (start + n_lines).min(pieces.len());
        let mut old = pieces.get(start..end).unwrap_or_default().concat();
        if !is_whole {
            old = old.trim_end_matches('\n').to_owned();
        }
        for blur in blurs {
            old = blurred(&old, blur);
        }
        let new = changed(&old, kind, at);
        Scene {
            form,
            old,
            new,
            bytes,
        }
    })
}

fn request<'a>(old: &'a str, new: &'a str, seen: &'a LineRanges) -> EditRequest<'a> {
    EditRequest {
        old,
        new,
        occurrences: Occurrences::One,
        seen,
        file_name: "f.js",
        profile: EditProfile::Extended,
        reviewer: Reviewer::Person,
        max_result_bytes: MAX_TEST_BYTES,
    }
}

fn planned(file: &TextFile<'_>, old: &str, new: &str) -> Result<EditPlan, EditError> {
    plan_edit(file, &request(old, new, &LineRanges::all(1000)))
}

/// The only place of a layer that decided.
fn only_place(file: &TextFile<'_>, old: &str) -> (Located, Range<usize>) {
    let located = locate(file, old, EditProfile::Extended).unwrap().unwrap();
    let [span] = located.spans.as_slice() else {
        panic!("one place, not {:?}", located.spans);
    };
    let span = span.clone();
    (located, span)
}

/// The part of the text that may change: the span, or its whole lines.
fn changeable(file: &TextFile<'_>, located: &Located, span: &Range<usize>) -> Range<usize> {
    let text = file.text();
    let is_before_break = text.as_bytes().get(span.end) == Some(&b'\n');
    let with_break = span.start..span.end + usize::from(is_before_break);
    match located.writing {
        Writing::Literal | Writing::Typographic | Writing::Unescaped => with_break,
        Writing::Lines
        | Writing::TypographicLines
        | Writing::Indented
        | Writing::Core
        | Writing::Collapsed
        | Writing::Anchored => {
            let index = LineIndex::of(text);
            let lines = index.touched(span);
            index.start(lines.start)..index.next_start(lines.end - 1)
        }
    }
}

/// The part that the step from the old to the new text reaches.
fn reached(file: &TextFile<'_>, span: &Range<usize>, old: &str, new: &str) -> Range<usize> {
    let text = part(file.text(), span.clone());
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let ends = old_rest.iter().rev().zip(new_rest.iter().rev());
    let tail = ends.take_while(|(a, b)| a == b).count();
    let file: Vec<&str> = text.split('\n').collect();
    let before: usize = file[..head].iter().map(|piece| piece.len() + 1).sum();
    let after: usize = file[file.len() - tail..]
        .iter()
        .map(|piece| piece.len() + 1)
        .sum();
    // A piece that goes takes its own break along, the last one the break before it.
    let before = before.min(text.len()) - usize::from(tail == 0 && head > 0 && head < file.len());
    let start = span.start + before;
    let end = span.end - after.saturating_sub(1).min(text.len());
    start.min(end)..end.max(start)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn bytes_outside_the_place_never_change(scene in scene()) {
        let Scene { bytes, form, old, new } = scene;
        let file = TextFile::decode_as(&bytes, form).unwrap();
        if old.is_empty() {
            return Ok(());
        }
        let Ok(plan) = planned(&file, &old, &new) else {
            return Ok(());
        };
        let (located, span) = only_place(&file, &old);
        prop_assert_eq!(located.layer, plan.layer);
        let may_change = changeable(&file, &located, &span);
        let start = file.byte_offset(may_change.start).unwrap();
        let end = file.byte_offset(may_change.end).unwrap();
        let after = &plan.change.bytes;
        prop_assert!(after.len() >= start + bytes.len() - end);
        prop_assert!(after.starts_with(&bytes[..start]), "what is before stays");
        prop_assert!(after.ends_with(&bytes[end..]), "what is behind stays");
    }

    #[test]
    fn what_the_model_did_not_change_keeps_its_bytes(scene in scene()) {
        let Scene { bytes, form, old, new } = scene;
        let file = TextFile::decode_as(&bytes, form).unwrap();
        if old.is_empty() || new.is_empty() {
            return Ok(());
        }
        let Ok(plan) = planned(&file, &old, &new) else {
            return Ok(());
        };
        let (located, span) = only_place(&file, &old);
        match located.layer {
            Layer::Typographic | Layer::TrailingBlanks | Layer::TypographicLines | Layer::Indentation
            | Layer::WhiteSpace | Layer::DriftedContext => {}
            Layer::Create | Layer::Exact | Layer::FinalNewline | Layer::DoubleEscaping | Layer::BoundaryLines => {
                return Ok(());
            }
        }
        let reached = reached(&file, &span, &old, &new);
        let start = file.byte_offset(reached.start).unwrap();
        let end = file.byte_offset(reached.end).unwrap();
        let after = &plan.change.bytes;
        prop_assert!(after.starts_with(&bytes[..start]), "lines before stay");
        prop_assert!(after.ends_with(&bytes[end..]), "lines behind stay");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn the_fast_way_edits_as_the_slow_one(scene in scene()) {
        let Scene { bytes, old, new, .. } = scene;
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return Ok(());
        };
        let text = crate::lines::with_lf(text);
        let form = Form { encoding: TextEncoding::Utf8, bom_len: 0, is_guess: false };
        let fast = TextFile::decode_as(text.as_bytes(), form).unwrap();
        let slow = TextFile::decode_slowly(text.as_bytes(), form).unwrap();
        prop_assert_eq!(planned(&fast, &old, &new), planned(&slow, &old, &new));
    }

    #[test]
    fn two_equal_places_are_never_one(
        place in prop::collection::vec(4..LINES.len() - 1, 1..4),
        blur in prop::sample::select(&BLURS[..]),
        kind in 0_u8..9,
        at in any::<Index>(),
    ) {
        let place: String = place.iter().map(|&line| format!("{}\n", LINES[line])).collect();
        let text = format!("12 {{\n{place}34 :\n{place}56 ;\n");
        let old = blurred(&place, blur);
        let new = changed(&old, kind, at);
        let file = TextFile::decode(text.as_bytes()).unwrap();
        if let Ok(plan) = planned(&file, &old, &new) {
            prop_assert!(false, "{:?} changed {:?}", plan.layer, old);
        }
        let mut all = request(&old, &new, &ALL);
        all.occurrences = Occurrences::All;
        if let Ok(plan) = plan_edit(&file, &all) {
            prop_assert_eq!(plan.replaced % 2, 0, "both or none");
        }
    }

    #[test]
    fn on_lf_text_an_exact_edit_is_plain_replacement(text in "[ab \n]{0,40}", old in "[ab\n]{1,4}", new in "[xy\n]{1,4}") {
        let file = TextFile::decode(text.as_bytes()).unwrap();
        let mut all = request(&old, &new, &ALL);
        (all.occurrences, all.profile) = (Occurrences::All, EditProfile::Exact);
        match plan_edit(&file, &all) {
            Ok(plan) => {
                prop_assert_eq!(&plan.change.text, &text.replace(&old, &new));
                prop_assert_eq!(plan.change.bytes, text.replace(&old, &new).into_bytes());
                prop_assert_eq!(plan.replaced, text.matches(&old).count());
            }
            Err(EditError::NoOccurrence(_)) => prop_assert!(!text.contains(&old)),
            Err(EditError::IdenticalStrings) => prop_assert_eq!(old, new),
            Err(EditError::SameResult) => prop_assert_eq!(text.replace(&old, &new), text),
            Err(other) => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn two_exact_places_are_never_one(text in "[ab\n]{0,30}", old in "[ab\n]{1,3}", new in "[x\n]{1,3}") {
        let n_places = (0..text.len()).filter(|&at| text.get(at..).is_some_and(|rest| rest.starts_with(&old))).count();
        let file = TextFile::decode(text.as_bytes()).unwrap();
        let mut one = request(&old, &new, &ALL);
        one.profile = EditProfile::Exact;
        match plan_edit(&file, &one) {
            Ok(_) | Err(EditError::SameResult) => prop_assert_eq!(n_places, 1),
            Err(EditError::IdenticalStrings) => prop_assert_eq!(old, new),
            Err(EditError::Ambiguous { count, .. }) => prop_assert_eq!(count, n_places),
            Err(_) => prop_assert_eq!(n_places, 0),
        }
    }

    #[test]
    fn the_search_finds_what_trying_every_place_does(scene in scene()) {
        let text = TextFile::decode_as(&scene.bytes, scene.form).unwrap().text().to_owned();
        let file = TextFile::decode_as(text.as_bytes(), UTF8).unwrap();
        if scene.old.is_empty() {
            return Ok(());
        }
        let found = locate(&file, &scene.old, EditProfile::Safe).ok().flatten();
        let by_hand = by_hand(&file, &scene.old);
        match (found, by_hand) {
            (Some(found), Some((layer, spans))) => {
                // Found by position, which the search by hand does not try.
                if found.layer != Layer::FinalNewline || layer != Layer::Indentation {
                    prop_assert_eq!((found.layer, found.spans), (layer, spans));
                }
            }
            (None, Some(by_hand)) => prop_assert!(false, "not found: {:?}", by_hand),
            (Some(found), None) => prop_assert!(
                matches!(found.layer, Layer::FinalNewline | Layer::DoubleEscaping | Layer::BoundaryLines),
                "{:?}", found
            ),
            (None, None) => {}
        }
    }
}

#[test]
fn the_scenes_reach_every_layer() {
    let mut runner = TestRunner::deterministic();
    let scenes = scene();
    let mut reached = BTreeSet::new();
    for _ in 0..5_000 {
        let Scene {
            bytes,
            form,
            old,
            new,
        } = scenes.new_tree(&mut runner).unwrap().current();
        let file = TextFile::decode_as(&bytes, form).unwrap();
        if let Ok(plan) = planned(&file, &old, &new) {
            reached.insert(plan.layer.name());
        }
    }
    let all = ["L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8", "X1", "X2"];
    assert!(
        all.iter().all(|layer| reached.contains(layer)),
        "{reached:?}"
    );
}

const UTF8: Form = Form {
    encoding: TextEncoding::Utf8,
    bom_len: 0,
    is_guess: false,
};

/// All lines of every text here.
static ALL: std::sync::LazyLock<LineRanges> = std::sync::LazyLock::new(|| LineRanges::all(1000));

/// The first of four layers that finds something, by the definition of each.
fn by_hand(file: &TextFile<'_>, old: &str) -> Option<(Layer, Vec<Range<usize>>)> {
    let exact = find_exact(file, old);
    if !exact.is_empty() {
        return Some((Layer::Exact, exact));
    }
    if !passes_tolerant_gate(old) {
        return None;
    }
    let text = file.text();
    let trimmed = |line: &str| trim_blanks_end(line).to_owned();
    let normed = |line: &str| norm_trimmed_end(line).into_owned();
    let unindented = |line: &str| trim_blanks(line).to_owned();
    let layers = [
        (Layer::Typographic, typographic_by_hand(text, old)),
        (Layer::TrailingBlanks, windows_by_hand(text, old, &trimmed)),
        (Layer::TypographicLines, windows_by_hand(text, old, &normed)),
        (Layer::Indentation, windows_by_hand(text, old, &unindented)),
    ];
    layers.into_iter().find(|(_, spans)| !spans.is_empty())
}

fn typographic_by_hand(text: &str, old: &str) -> Vec<Range<usize>> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let wanted: Vec<char> = old.chars().map(norm).collect();
    let end = |at: usize| chars.get(at).map_or(text.len(), |&(at, _)| at);
    (0..chars.len())
        .filter(|&at| {
            let here = chars[at..].iter().map(|&(_, c)| norm(c)).take(wanted.len());
            here.eq(wanted.iter().copied())
        })
        .map(|at| end(at)..end(at + wanted.len()))
        .collect()
}

fn windows_by_hand(text: &str, old: &str, key: &dyn Fn(&str) -> String) -> Vec<Range<usize>> {
    let is_terminated = old.ends_with('\n');
    let wanted: Vec<String> = old
        .strip_suffix('\n')
        .unwrap_or(old)
        .split('\n')
        .map(key)
        .collect();
    let pieces = pieces(text);
    let start = |at: usize| pieces[..at].iter().map(|piece| piece.len()).sum::<usize>();
    let window = |at: usize| {
        let window = pieces.get(at..at + wanted.len())?;
        let keys = window
            .iter()
            .map(|piece| key(piece.strip_suffix('\n').unwrap_or(piece)));
        let last_has_break = window.last()?.ends_with('\n');
        let fits = keys.eq(wanted.iter().cloned()) && (last_has_break || !is_terminated);
        let end = start(at + wanted.len()) - usize::from(last_has_break && !is_terminated);
        fits.then(|| start(at)..end)
    };
    (0..pieces.len()).filter_map(window).collect()
}
