//! How long it takes to plan an edit: at an exact place, at a loose one, and where nothing fits and hints are worked
//! out. In files of 5,000 lines, of 5 MB, and of the largest size that is edited.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use edit::{
    EditError, EditPlan, EditRequest, LineRanges, Occurrences, Reviewer, TextFile, plan_edit,
};
use protocol::settings::EditProfile;

const SMALL_BYTES: usize = 130_000;
const MEDIUM_BYTES: usize = 5_000_000;

/// The default limit of an edit.
const LARGE_BYTES: usize = 10 << 20;

/// Occurs nowhere, but has anchors and similar lines.
const MISSING: &str = "}\n\n    let value_7 = compute(8);\n    let valeu_3 = compute(3);\n";

fn text(n_bytes: usize) -> String {
    let mut text = String::with_capacity(n_bytes + 100);
    for n in 0.. {
        if text.len() >= n_bytes {
            break;
        }
        text.push_str(&match n % 10 {
            0 => "}\n".to_owned(),
            1 => "\n".to_owned(),
            _ => format!("    let value_{n} = compute({});\n", n % 97),
        });
    }
    text
}

fn plan(bytes: &[u8], old: &str, occurrences: Occurrences) -> Result<EditPlan, EditError> {
    let file = TextFile::decode(bytes)?;
    let request = EditRequest {
        old,
        new: "    let replaced = 1;",
        occurrences,
        seen: &LineRanges::all(1_000_000),
        file_name: "large.rs",
        profile: EditProfile::Extended,
        reviewer: Reviewer::Person,
        max_result_bytes: 2 * LARGE_BYTES,
    };
    plan_edit(&file, &request)
}

fn sizes(c: &mut Criterion) {
    for (name, n_bytes) in [
        ("5,000 lines", SMALL_BYTES),
        ("5 MB", MEDIUM_BYTES),
        ("10 MiB", LARGE_BYTES),
    ] {
        let plain = text(n_bytes);
        let last = plain
            .lines()
            .rfind(|line| line.contains("value"))
            .unwrap_or_default();
        let unindented = last.trim_start();
        let typographic = plain.replacen("compute(9)", "compute(\u{2018}9\u{2019})", 100);
        let mut group = c.benchmark_group(name);
        group.sample_size(10);
        group.bench_function("exact place", |b| {
            b.iter(|| plan(black_box(plain.as_bytes()), last, Occurrences::One));
        });
        group.bench_function("place with another indentation", |b| {
            let old = format!("\t{unindented}");
            b.iter(|| plan(black_box(plain.as_bytes()), &old, Occurrences::One));
        });
        group.bench_function("all layers miss", |b| {
            b.iter(|| plan(black_box(plain.as_bytes()), MISSING, Occurrences::One));
        });
        group.bench_function("all layers miss, typographic", |b| {
            b.iter(|| plan(black_box(typographic.as_bytes()), MISSING, Occurrences::One));
        });
        group.finish();
    }
}

fn encodings(c: &mut Criterion) {
    let text = text(LARGE_BYTES);
    let crlf = text.replace('\n', "\r\n");
    let cyrillic = encoding_rs::WINDOWS_1251
        .encode(&text.replace("compute", "счёт"))
        .0
        .into_owned();
    let chinese = encoding_rs::GBK
        .encode(&text.replace("compute", "计算"))
        .0
        .into_owned();
    let mut group = c.benchmark_group("10 MiB");
    group.sample_size(10);
    let wanted = "let value_200002 = ";
    for (name, bytes) in [
        ("crlf", crlf.as_bytes()),
        ("1251", &cyrillic),
        ("gbk", &chinese),
    ] {
        group.bench_function(format!("exact place, {name}"), |b| {
            b.iter(|| plan(black_box(bytes), wanted, Occurrences::One));
        });
        group.bench_function(format!("all layers miss, {name}"), |b| {
            b.iter(|| plan(black_box(bytes), MISSING, Occurrences::One));
        });
    }
    group.finish();
}

/// What takes longest: as many lines as possible, all alike, and a long text that fits all but its end.
fn hostile(c: &mut Criterion) {
    let short = "abc\n".repeat(LARGE_BYTES / 4);
    let old = format!("{}abd\n", "abc \n".repeat(100_000));
    let mut group = c.benchmark_group("10 MiB");
    group.sample_size(10);
    group.bench_function("all layers miss, equal short lines", |b| {
        b.iter(|| plan(black_box(short.as_bytes()), &old, Occurrences::One));
    });
    group.bench_function("replace all of equal short lines", |b| {
        b.iter(|| plan(black_box(short.as_bytes()), "abc \n", Occurrences::All));
    });
    group.finish();
}

criterion_group!(group, sizes, encodings, hostile);
criterion_main!(group);
