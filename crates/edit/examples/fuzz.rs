//! Throws mutated files and edits at the engine until the time is over: `fuzz [SECONDS] [SEED]`.
//!
//! Starts from the shared cases. Whatever comes, the engine must not panic, a file that is not plain text must keep
//! every line outside the place, and an edit that succeeds must have had one place.

#![expect(
    clippy::print_stdout,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a program for developers: it prints what it found and stops there"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use edit::{
    EditPlan, EditRequest, Labels, Layer, LineRanges, Occurrences, Reviewer, TextEncoding,
    TextFile, count_lines, plan_edit, unified_diff, with_lf,
};
use protocol::settings::EditProfile;
use serde_json::Value;

/// How long it runs where nobody says.
const DEFAULT_SECONDS: u64 = 60;

/// More than any mutation makes.
const MAX_RESULT_BYTES: usize = 1 << 20;

/// What files and texts are mutated with.
const PIECES: [&str; 26] = [
    "\n", "\r\n", "\r", "\t", " ", "  ", "    ", "\"", "\u{201C}", "\u{201D}", "'", "\u{2019}",
    "-", "\u{2013}", "\u{A0}", "\u{3000}", "\\", "\\n", "\\\"", "\u{FFFD}", "\u{FEFF}", "é", "中",
    "😀", "abc", "}",
];

/// An edit of a file.
#[derive(Debug, Clone)]
struct Edit {
    bytes: Vec<u8>,
    old: String,
    new: String,
    occurrences: Occurrences,
}

fn main() {
    let mut args = std::env::args()
        .skip(1)
        .map(|arg| arg.parse::<u64>().unwrap());
    let seconds = args.next().unwrap_or(DEFAULT_SECONDS);
    let seed = args.next().unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let seeds = seeds();
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut n_runs, mut n_planned) = (0_u64, [0_u64; 11]);
    while Instant::now() < end {
        for _ in 0..200 {
            let edit = mutated(&seeds, &mut random);
            n_runs += 1;
            if let Some(layer) = checked(&edit) {
                n_planned[layer as usize] += 1;
            }
        }
    }
    println!("{n_runs} edits; successes by layer, from create to the loosest: {n_planned:?}");
}

/// The cases of the case file.
fn seeds() -> Vec<Edit> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/cases/edit-cases.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let cases = file["cases"].as_array().unwrap().iter();
    let seeds = cases.map(|case| Edit {
        bytes: case["before"]
            .as_str()
            .map(str::as_bytes)
            .unwrap_or(LEGACY)
            .to_vec(),
        old: text(&case["old_string"]),
        new: text(&case["new_string"]),
        occurrences: Occurrences::One,
    });
    seeds.collect()
}

/// Stands for the cases with other bytes: GBK, a broken byte, a lone CR, both breaks.
const LEGACY: &[u8] = b"# \xC5\xE4\xD6\xC3\xCE\xC4\xBC\xFE\xA3\xBA\xB7\xFE\xCE\xF1\xC6\xF7\r\nx = 1 \r# \xFF\n  y = 2\r\n";

fn mutated(seeds: &[Edit], random: &mut fastrand::Rng) -> Edit {
    let mut edit = seeds[random.usize(..seeds.len())].clone();
    if random.bool() {
        // A part of the file as the old text, so that something is found.
        let text = String::from_utf8_lossy(&edit.bytes).into_owned();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let start = random.usize(..=lines.len());
        let end = random.usize(start..=lines.len());
        edit.old = lines[start..end].concat();
        edit.new = edit.old.clone();
    }
    if random.u8(..8) == 0 {
        edit.bytes.extend(edit.bytes.clone());
    }
    if random.u8(..8) == 0 {
        let text = String::from_utf8_lossy(&edit.bytes).into_owned();
        edit.bytes = [0xFF, 0xFE]
            .into_iter()
            .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
    }
    for _ in 0..random.usize(..4) {
        let at = random.usize(..=edit.bytes.len());
        match random.u8(..4) {
            0 => edit.bytes.insert(at, random.u8(..)),
            1 if at < edit.bytes.len() => drop(edit.bytes.remove(at)),
            _ => {
                let piece = PIECES[random.usize(..PIECES.len())];
                edit.bytes.splice(at..at, piece.bytes());
            }
        }
    }
    mutate_text(&mut edit.old, random);
    mutate_text(&mut edit.new, random);
    if random.u8(..6) == 0 {
        edit.occurrences = Occurrences::All;
    }
    edit
}

fn mutate_text(text: &mut String, random: &mut fastrand::Rng) {
    for _ in 0..random.usize(..3) {
        let starts: Vec<usize> = text
            .char_indices()
            .map(|(at, _)| at)
            .chain([text.len()])
            .collect();
        let at = starts[random.usize(..starts.len())];
        match random.u8(..6) {
            0 if at < text.len() => drop(text.remove(at)),
            1 => *text = text.replace("  ", "\t"),
            2 => *text = text.replace('\n', "\n  "),
            3 => {
                *text = text
                    .replace('\\', "\\\\")
                    .replace('"', "\\\"")
                    .replace('\n', "\\n")
            }
            _ => text.insert_str(at, PIECES[random.usize(..PIECES.len())]),
        }
    }
}

/// Plans an edit with every profile and checks what came; the layer of the loosest.
fn checked(edit: &Edit) -> Option<Layer> {
    let file = TextFile::decode(&edit.bytes).ok()?;
    let seen = LineRanges::all(count_lines(file.text()));
    let plan = |profile| {
        let request = EditRequest {
            old: &edit.old,
            new: &edit.new,
            occurrences: edit.occurrences,
            seen: &seen,
            file_name: "f.js",
            profile,
            reviewer: Reviewer::Person,
            max_result_bytes: MAX_RESULT_BYTES,
        };
        plan_edit(&file, &request)
    };
    let exact = plan(EditProfile::Exact).ok();
    let safe = plan(EditProfile::Safe).ok();
    let extended = plan(EditProfile::Extended).ok();
    for (stricter, looser) in [(&exact, &safe), (&safe, &extended)] {
        if stricter.is_some() {
            assert_same(edit, stricter, looser);
        }
    }
    let plan = extended?;
    check_plan(edit, &file, &plan);
    Some(plan.layer)
}

fn assert_same(edit: &Edit, a: &Option<EditPlan>, b: &Option<EditPlan>) {
    if a != b {
        panic!("a looser profile decides otherwise: {edit:?}\n{a:?}\n{b:?}");
    }
}

fn check_plan(edit: &Edit, file: &TextFile<'_>, plan: &EditPlan) {
    let fail = |why: &str| panic!("{why}: {edit:?}\n{plan:?}");
    if plan.change.bytes == edit.bytes {
        fail("nothing changes");
    }
    let labels = Labels { old: "a", new: "b" };
    if plan.change.text != file.text()
        && unified_diff(file.text(), &plan.change.text, labels).is_empty()
    {
        fail("the change does not show");
    }
    let old = with_lf(&edit.old);
    let n_exact = file.text().matches(old.as_ref()).count();
    match (plan.layer, edit.occurrences) {
        (Layer::Create, _) => {}
        (Layer::Exact, Occurrences::One) if n_exact > 1 => fail("one of several"),
        (Layer::Exact, _) => {}
        (_, _) if n_exact > 0 && !file.has_bom() && file.count_opaque() == 0 => {
            // A span through an indivisible unit of two characters is no place.
            if file.encoding() == TextEncoding::Utf8 {
                fail("a tolerant match beside an exact one");
            }
        }
        (_, _) => {}
    }
    if edit.occurrences == Occurrences::One {
        check_lines(edit, file, plan, &fail);
    }
}

/// Lines outside the place keep their bytes.
fn check_lines(edit: &Edit, file: &TextFile<'_>, plan: &EditPlan, fail: &dyn Fn(&str)) {
    match file.encoding() {
        TextEncoding::Utf16Le | TextEncoding::Utf16Be => return,
        TextEncoding::Utf8 | TextEncoding::Legacy(_) => {}
    }
    let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
        bytes
            .split_inclusive(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect()
    };
    let (before, after) = (lines(&edit.bytes), lines(&plan.change.bytes));
    let head = before
        .iter()
        .zip(&after)
        .take_while(|(a, b)| a == b)
        .count();
    let (before, after) = (&before[head..], &after[head..]);
    let ends = before.iter().rev().zip(after.iter().rev());
    let tail = ends.take_while(|(a, b)| a == b).count();
    // An escaped text has its breaks as two characters; one more line is joined or loses its break.
    let n_most = count_lines(&edit.old).max(1) + edit.old.matches("\\n").count() + 1;
    if before.len() - tail > n_most {
        fail("lines outside the place change");
    }
}
