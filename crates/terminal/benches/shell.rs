//! What supervision costs: one trivial command, and 100 MB of output, each beside a bare terminal in the same run.

#![expect(clippy::unwrap_used, reason = "a bench that cannot run should stop")]

use criterion::{Criterion, criterion_group, criterion_main};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use protocol::ids::ShellId;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use terminal::{Outcome, Place, ShellProgram, Shells, SpawnRequest, SpoolLimits, TerminalSize};

/// Makes 100 MB of text lines as fast as a terminal takes them.
const FLOOD: &str =
    "yes 'the quick brown fox jumps over the lazy dog, 1234567890' | head -c 100000000";

/// The same command on a terminal without anything around it.
fn bare(command: &str) -> usize {
    let size = PtySize {
        rows: 24,
        cols: 80,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut builder = CommandBuilder::new("/bin/bash");
    builder.args(["--noprofile", "--norc", "-c", command]);
    let mut child = pair.slave.spawn_command(builder).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut buffer = vec![0; 64 * 1024];
    let mut total = 0;
    loop {
        match reader.read(&mut buffer).unwrap() {
            0 => break,
            count => total += count,
        }
    }
    child.wait().unwrap();
    total
}

fn supervised(
    runtime: &tokio::runtime::Runtime,
    shells: &Shells,
    folder: &Path,
    command: &str,
) -> std::sync::Arc<Outcome> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let spool_dir = folder.join(format!("spool/{number}"));
    let request = SpawnRequest {
        id: ShellId(format!("bench-{number}")),
        owner: "s".to_owned(),
        place: Place::Foreground,
        command: command.to_owned(),
        cwd: folder.to_owned(),
        env: std::env::vars().collect(),
        size: TerminalSize::clamped(80, 24),
        timeout: Some(Duration::from_secs(120)),
        on_timeout: terminal::OnTimeout::Kill,
        sandbox: None,
        spool_dir: spool_dir.clone(),
        shell: ShellProgram::Bash("/bin/bash".into()),
        host_program: env!("CARGO_BIN_EXE_shellhost").into(),
    };
    runtime.block_on(async { shells.start(request).await.unwrap().wait().await })
}

fn shells(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let shells = Shells::new(&folder.path().join("run"), SpoolLimits::default()).unwrap();

    let mut group = criterion.benchmark_group("round_trip");
    group.bench_function("bare", |bencher| bencher.iter(|| bare("true")));
    group.bench_function("supervised", |bencher| {
        bencher.iter(|| supervised(&runtime, &shells, folder.path(), "true"))
    });
    group.finish();

    let mut group = criterion.benchmark_group("flood_100_mb");
    group.sample_size(10);
    group.bench_function("bare", |bencher| bencher.iter(|| bare(FLOOD)));
    group.bench_function("supervised", |bencher| {
        bencher.iter(|| {
            let outcome = supervised(&runtime, &shells, folder.path(), FLOOD);
            std::fs::remove_file(&outcome.output_file).ok();
        });
    });
    group.finish();
}

criterion_group!(benches, shells);
criterion_main!(benches);
