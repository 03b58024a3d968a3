//! Providers and decoders for the tests.

use llm::{
    ChatConfig, ChatProvider, Chunk, DemoProvider, EndKind, Locality, ModelSettings, Pace,
    Provider, ProviderEvent, Quirks, Script, Timeouts, WireRequest,
};
use protocol::message::ViewEntry;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A folder of the shared fixtures.
pub(crate) fn fixtures(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/cases")
        .join(folder)
}

/// The settings of a server on this machine.
pub(crate) fn config(base_url: &str) -> ChatConfig {
    ChatConfig {
        id: "test".to_owned(),
        base_url: base_url.to_owned(),
        key: None,
        locality: Locality::Local,
        vision: true,
        quirks: Quirks::default(),
        timeouts: Timeouts::of(Locality::Local),
        app_version: "0.0".to_owned(),
    }
}

/// A server that is never asked.
pub(crate) fn provider(quirks: Quirks) -> ChatProvider {
    ChatProvider::new(ChatConfig {
        quirks,
        ..config("http://127.0.0.1:9/v1")
    })
    .unwrap()
}

/// The events of an answer that comes in these chunks.
pub(crate) fn decode(
    provider: &dyn Provider,
    chunks: impl IntoIterator<Item = Chunk>,
) -> Vec<ProviderEvent> {
    let mut decoder = provider.decoder();
    let mut events = Vec::new();
    for chunk in chunks {
        match chunk {
            Chunk::Head { status, headers } => decoder.head(status, &headers, &mut events),
            Chunk::Bytes(bytes) => decoder.push(&bytes, &mut events),
            Chunk::End(how) => decoder.end(how, &mut events),
        }
    }
    let terminals = events.iter().filter(|event| event.is_terminal()).count();
    assert_eq!(terminals, 1, "exactly one terminal event: {events:?}");
    assert!(
        events.last().is_some_and(ProviderEvent::is_terminal),
        "nothing after it: {events:?}"
    );
    events
}

/// The chunks of a good answer, cut at these places.
pub(crate) fn answer(content_type: &str, body: &[u8], cuts: &[usize], end: EndKind) -> Vec<Chunk> {
    let headers = vec![("content-type".to_owned(), content_type.to_owned())];
    let mut chunks = vec![Chunk::Head {
        status: 200,
        headers,
    }];
    let ends = cuts.iter().copied().chain([body.len()]);
    let mut start = 0;
    for end in ends {
        chunks.push(Chunk::Bytes(body[start..end].to_vec().into()));
        start = end;
    }
    chunks.push(Chunk::End(end));
    chunks
}

/// The session of every test.
pub(crate) const SESSION: &str = "0190f3a0-0000-7000-8000-000000000000";

/// A model without settings.
pub(crate) fn settings(name: &str) -> ModelSettings {
    ModelSettings {
        name: name.to_owned(),
        max_output: 4096,
        extra_body: serde_json::Map::new(),
    }
}

/// What a person said.
pub(crate) fn user(text: &str) -> Arc<ViewEntry> {
    Arc::new(ViewEntry::User {
        text: text.to_owned(),
        images: Vec::new(),
        reminders: Vec::new(),
        steer: false,
    })
}

/// A demo that speaks at once.
pub(crate) fn instant(script: &str) -> DemoProvider {
    DemoProvider::new(Script::parse(script).unwrap(), Pace::Instant)
}

/// Sends a request and decodes the whole answer.
pub(crate) async fn collect(provider: &dyn Provider, wire: WireRequest) -> Vec<ProviderEvent> {
    let mut chunks = provider.open(wire, CancellationToken::new());
    let mut all = Vec::new();
    while let Some(chunk) = chunks.recv().await {
        all.push(chunk);
    }
    decode(provider, all)
}
