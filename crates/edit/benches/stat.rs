//! How long it takes to count and show a change of 5,000 lines with 250 hunks.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use edit::{Labels, diff_stat, unified_diff};

const LINES: usize = 5_000;
const HUNKS: usize = 250;

fn line(n: usize) -> String {
    match n % 10 {
        0 => "}\n".to_owned(),
        1 => "\n".to_owned(),
        _ => format!("    let value_{n} = compute({});\n", n % 97),
    }
}

fn base() -> String {
    (0..LINES).map(line).collect()
}

/// Every twentieth line rewritten, and every third of those with a new line after it.
fn changed(word: &str, shift: usize) -> String {
    let every = LINES / HUNKS;
    let change = |n: usize| match (n + shift) % every {
        2 if n.is_multiple_of(3) => format!("    {word}({n});\n    // {word}\n"),
        2 => format!("    {word}({n});\n"),
        _ => line(n),
    };
    (0..LINES).map(change).collect()
}

fn benches(c: &mut Criterion) {
    let (base, proposed, final_text) = (base(), changed("model", 0), changed("person", 7));
    let labels = Labels { old: "a", new: "b" };
    c.bench_function("unified diff", |b| {
        b.iter(|| unified_diff(black_box(&base), black_box(&proposed), labels));
    });
    c.bench_function("stat as proposed", |b| {
        b.iter(|| diff_stat(black_box(&base), black_box(&proposed), black_box(&proposed)));
    });
    c.bench_function("stat after a hand edit", |b| {
        b.iter(|| {
            diff_stat(
                black_box(&base),
                black_box(&proposed),
                black_box(&final_text),
            )
        });
    });
}

criterion_group!(group, benches);
criterion_main!(group);
