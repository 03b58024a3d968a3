//! What decoding costs: 200 kB in chunks of one byte, and 20,000 small deltas in network-sized chunks.

#![expect(
    clippy::expect_used,
    reason = "a benchmark that cannot be set up must say so"
)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use llm::{ChatConfig, ChatProvider, Locality, Provider, ProviderEvent, Quirks, Timeouts};
use std::fmt::Write;
use std::hint::black_box;

/// What one read of a socket usually gives.
const CHUNK_BYTES: usize = 16 * 1024;

fn provider() -> ChatProvider {
    ChatProvider::new(ChatConfig {
        id: "bench".to_owned(),
        base_url: "http://127.0.0.1:1/v1".to_owned(),
        key: None,
        locality: Locality::Local,
        vision: false,
        quirks: Quirks::default(),
        timeouts: Timeouts::of(Locality::Local),
        app_version: "0".to_owned(),
    })
    .expect("the address is sound")
}

fn stream(deltas: usize) -> String {
    let mut stream = String::new();
    for at in 0..deltas {
        write!(
            stream,
            "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\
             \"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{:04}\"}},\"finish_reason\":null}}]}}\n\n",
            at % 10_000,
        )
        .expect("writing to memory");
    }
    stream.push_str("data: [DONE]\n\n");
    stream
}

fn decode(provider: &ChatProvider, bytes: &[u8], chunk: usize) -> usize {
    let mut decoder = provider.decoder();
    let mut events: Vec<ProviderEvent> = Vec::new();
    let mut count = 0;
    for chunk in bytes.chunks(chunk) {
        decoder.push(chunk, &mut events);
        count += events.len();
        events.clear();
    }
    count
}

fn benches(c: &mut Criterion) {
    let provider = provider();
    let small = stream(1_200);
    let mut group = c.benchmark_group("decode");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(small.len() as u64));
    group.bench_function("200 kB by byte", |b| {
        b.iter(|| decode(&provider, black_box(small.as_bytes()), 1))
    });
    let many = stream(20_000);
    group.throughput(Throughput::Elements(20_000));
    group.bench_function("20,000 deltas", |b| {
        b.iter(|| decode(&provider, black_box(many.as_bytes()), CHUNK_BYTES))
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
