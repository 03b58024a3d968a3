//! How long counting and showing changes take: 5,000 lines with 250 changes, and the largest file that is edited.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use edit::{
    Labels, LineRanges, Reviewer, TextFile, WriteRequest, diff_stat, plan_write, unified_diff,
};

const LINES: usize = 5_000;
const HUNKS: usize = 250;

/// The default limit of an edit.
const LARGE_BYTES: usize = 10 << 20;

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

fn large() -> String {
    let mut text = String::with_capacity(LARGE_BYTES + 100);
    for n in 0.. {
        if text.len() >= LARGE_BYTES {
            break;
        }
        text.push_str(&line(n));
    }
    text
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

fn small(c: &mut Criterion) {
    let (base, proposed, final_text) = (base(), changed("model", 0), changed("person", 7));
    let labels = Labels { old: "a", new: "b" };
    c.bench_function("plan a write with 250 hunks", |b| {
        let request = WriteRequest {
            content: &proposed,
            seen: &LineRanges::all(LINES),
            reviewer: Reviewer::Person,
            max_result_bytes: 2 * LARGE_BYTES,
        };
        b.iter(|| {
            TextFile::decode(black_box(base.as_bytes()))
                .and_then(|file| plan_write(&file, &request))
        });
    });
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
    let other: String = (0..LINES).map(|n| format!("other {n}\n}}\n")).collect();
    c.bench_function("stat of two unlike texts", |b| {
        b.iter(|| diff_stat(black_box(&base), black_box(&other), black_box(&proposed)));
    });
}

fn ten_megabytes(c: &mut Criterion) {
    let text = large();
    let mut group = c.benchmark_group("10 MiB");
    group.sample_size(10);
    let proposed = text.replacen("compute(7)", "compute(8)", 2);
    group.bench_function("stat as proposed", |b| {
        b.iter(|| diff_stat(black_box(&text), black_box(&proposed), black_box(&proposed)));
    });
    let labels = Labels { old: "a", new: "b" };
    group.bench_function("unified diff", |b| {
        b.iter(|| unified_diff(black_box(&text), black_box(&proposed), labels));
    });
    group.finish();
}

criterion_group!(group, small, ten_megabytes);
criterion_main!(group);
