//! From an entry of the settings to a model that can be talked to.

use crate::startup::ProviderOverride;
use crate::vision::is_seeing;
use crate::workbench::{Workbench, lock};
use agent::Model;
use llm::{
    ChatConfig, ChatProvider, Chunk, DemoProvider, Failure, FailureKind, Locality, ModelRequest,
    ModelSettings, Pace, Provider, ProviderEvent, Purpose, Quirks, RequestCache, Script, Secret,
    Timeouts, ToolDeclaration,
};
use protocol::command::ProviderTest;
use protocol::error::{ApiError, ErrorCode};
use protocol::ids::SessionId;
use protocol::message::{Origin, StopReason, ViewEntry};
use protocol::settings::{ProviderEntry, ProviderKind};
use serde_json::json;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Output limit of a remote model, in tokens.
const REMOTE_MAX_OUTPUT: u32 = 16_384;
/// Output limit of a local model, in tokens: its window is small.
const LOCAL_MAX_OUTPUT: u32 = 4_096;
/// Window of a remote model nobody knows, in tokens.
const REMOTE_WINDOW: u64 = 128_000;
/// A test request that takes longer has failed.
const TEST_TIME: Duration = Duration::from_secs(30);
/// Output limit of a test request, in tokens.
const TEST_MAX_OUTPUT: u32 = 16;
/// Id of the demo entry.
pub(crate) const DEMO: &str = "demo";

/// What the demo model plays.
pub(crate) struct DemoScript {
    script: Script,
    pace: Pace,
}

impl DemoScript {
    /// Reads a script, or takes the shipped one.
    pub(crate) fn parse(text: Option<&str>, instant: bool) -> Result<Self, String> {
        let script = Script::parse(text.unwrap_or(llm::shipped_script()))
            .map_err(|error| error.to_string())?;
        let pace = if instant {
            Pace::Instant
        } else {
            Pace::Scripted
        };
        Ok(Self { script, pace })
    }
}

impl Workbench {
    /// All entries that can be chosen, the demo first.
    pub(crate) fn entries(&self) -> Vec<ProviderEntry> {
        let demo = ProviderEntry {
            id: DEMO.to_owned(),
            kind: ProviderKind::Demo,
            base_url: String::new(),
            model: DEMO.to_owned(),
            key_env: None,
            context_window: None,
            vision: None,
        };
        let given = self
            .provider
            .as_ref()
            .map(|ProviderOverride { entry }| entry.clone());
        let saved = lock(&self.settings).get().providers.clone();
        std::iter::once(demo).chain(given).chain(saved).collect()
    }

    /// The model behind an entry.
    pub(crate) fn model(&self, provider_id: &str) -> Result<(Model, Origin), ApiError> {
        let unknown = || {
            let words = format!(
                "the provider {provider_id:?} is not set up; choose another one in the settings"
            );
            ApiError {
                args: vec![provider_id.to_owned()],
                ..ApiError::new(ErrorCode::Settings, words)
            }
        };
        let entry = self
            .entries()
            .into_iter()
            .find(|entry| entry.id == provider_id)
            .ok_or_else(unknown)?;
        let origin = Origin {
            provider: entry.id.clone(),
            model: entry.model.clone(),
        };
        let (provider, settings, window): (Arc<dyn Provider>, ModelSettings, Option<u64>) =
            match entry.kind {
                ProviderKind::Demo => (
                    Arc::new(DemoProvider::new(self.demo.script.clone(), self.demo.pace)),
                    model_settings(DEMO, LOCAL_MAX_OUTPUT),
                    None,
                ),
                ProviderKind::OpenaiChat => {
                    let key = lock(&self.keys).get(&entry);
                    let provider = chat(&entry, key)?;
                    let (limit, window) = match provider.info().locality {
                        Locality::Remote => (
                            REMOTE_MAX_OUTPUT,
                            entry.context_window.or(Some(REMOTE_WINDOW)),
                        ),
                        Locality::Local => (LOCAL_MAX_OUTPUT, entry.context_window),
                    };
                    (
                        Arc::new(provider),
                        model_settings(&entry.model, limit),
                        window,
                    )
                }
            };
        Ok((
            Model {
                provider,
                settings: Arc::new(settings),
                window,
            },
            origin,
        ))
    }
}

fn model_settings(name: &str, max_output: u32) -> ModelSettings {
    ModelSettings {
        name: name.to_owned(),
        max_output,
        extra_body: serde_json::Map::new(),
    }
}

fn chat(entry: &ProviderEntry, key: Option<String>) -> Result<ChatProvider, ApiError> {
    let locality = locality_of(&entry.base_url);
    let config = ChatConfig {
        id: entry.id.clone(),
        base_url: entry.base_url.clone(),
        key: key.map(Secret::new),
        locality,
        vision: entry.vision.unwrap_or_else(|| is_seeing(&entry.model)),
        quirks: Quirks::default(),
        timeouts: Timeouts::of(locality),
        app_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    ChatProvider::new(config).map_err(|error| {
        ApiError::new(
            ErrorCode::Settings,
            format!("provider {:?}: {error}", entry.id),
        )
    })
}

/// Sends one short request with one tool and says what came of it.
pub(crate) async fn test(entry: &ProviderEntry, key: Option<String>) -> ProviderTest {
    let failed = |code: &str, message: String| ProviderTest {
        ok: false,
        code: code.to_owned(),
        message,
        first_byte_ms: None,
    };
    if entry.kind == ProviderKind::Demo {
        return ProviderTest {
            ok: true,
            code: "ok".to_owned(),
            message: "the demo model needs no test".to_owned(),
            first_byte_ms: None,
        };
    }
    let provider = match chat(entry, key) {
        Ok(provider) => provider,
        Err(error) => return failed("config", error.message),
    };
    match tokio::time::timeout(TEST_TIME, probe_twice(&provider, &entry.model)).await {
        Ok(test) => test,
        Err(_) => failed(
            "timeout_first_byte",
            format!("no answer within {} s", TEST_TIME.as_secs()),
        ),
    }
}

/// A server that refuses a request with a tool and takes the same without one has no tools.
async fn probe_twice(provider: &ChatProvider, model: &str) -> ProviderTest {
    let noop = ToolDeclaration {
        name: "noop".to_owned(),
        description: "Does nothing.".to_owned(),
        schema: json!({"type": "object", "properties": {}, "additionalProperties": false}),
    };
    let with_tool = probe(provider, model, Arc::from([noop])).await;
    let refused = [FailureKind::BadRequest, FailureKind::Server]
        .iter()
        .any(|kind| kind.as_str() == with_tool.code);
    if !refused || !probe(provider, model, Arc::from([])).await.ok {
        return with_tool;
    }
    ProviderTest {
        code: "no_tools".to_owned(),
        ..with_tool
    }
}

async fn probe(
    provider: &ChatProvider,
    model: &str,
    tools: Arc<[ToolDeclaration]>,
) -> ProviderTest {
    let session_id = SessionId::from("test");
    let view = [Arc::new(ViewEntry::User {
        text: "Answer with the word ok.".to_owned(),
        images: Vec::new(),
        reminders: Vec::new(),
        steer: false,
    })];
    let request = ModelRequest {
        session_id: &session_id,
        purpose: Purpose::Turn,
        attempt: 1,
        workspace: Path::new("/"),
        model: &model_settings(model, TEST_MAX_OUTPUT),
        system: &[],
        view: &view,
        tools: &tools,
        images: &|_| None,
    };
    let wire = match provider.build(&request, &mut RequestCache::default()) {
        Ok(wire) => wire,
        Err(error) => return verdict(&Failure::new(FailureKind::Config, error.to_string()), None),
    };
    let started = std::time::Instant::now();
    let mut chunks = provider.open(wire, CancellationToken::new());
    let mut decoder = provider.decoder();
    let mut first_byte_ms = None;
    loop {
        let mut events = Vec::new();
        match chunks.recv().await {
            Some(Chunk::Head { status, headers }) => decoder.head(status, &headers, &mut events),
            Some(Chunk::Bytes(bytes)) => {
                first_byte_ms.get_or_insert_with(|| {
                    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
                });
                decoder.push(&bytes, &mut events);
            }
            Some(Chunk::End(how)) => decoder.end(how, &mut events),
            None => {
                return verdict(
                    &Failure::new(FailureKind::Network, "the connection ended"),
                    first_byte_ms,
                );
            }
        }
        for event in events {
            match event {
                ProviderEvent::Error(failure) => return verdict(&failure, first_byte_ms),
                ProviderEvent::Stop { reason, .. } => return answered(reason, first_byte_ms),
                _ => {}
            }
        }
    }
}

fn answered(reason: StopReason, first_byte_ms: Option<u64>) -> ProviderTest {
    let message = match reason {
        StopReason::Refusal => "it answered, but declined the test",
        _ => "it answered",
    };
    ProviderTest {
        ok: true,
        code: "ok".to_owned(),
        message: message.to_owned(),
        first_byte_ms,
    }
}

fn verdict(failure: &Failure, first_byte_ms: Option<u64>) -> ProviderTest {
    ProviderTest {
        ok: false,
        code: failure.kind.as_str().to_owned(),
        message: failure.message.clone(),
        first_byte_ms,
    }
}

/// Where an address lies: this machine or its own network, or elsewhere. Local servers load models on demand, so they
/// are waited for longer.
fn locality_of(base_url: &str) -> Locality {
    let rest = base_url
        .split_once("://")
        .map_or(base_url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host_port = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = match host_port.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host_port.split(':').next().unwrap_or_default(),
    };
    let local = match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(v4)) => v4.is_loopback() || v4.is_private() || v4.is_link_local(),
        Ok(IpAddr::V6(v6)) => v6.is_loopback() || v6.is_unique_local(),
        Err(_) => host == "localhost" || host.ends_with(".localhost") || host.ends_with(".local"),
    };
    if local {
        Locality::Local
    } else {
        Locality::Remote
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base_url: &str, expected: Locality) {
        assert_eq!(locality_of(base_url), expected, "{base_url}");
    }

    #[test]
    fn an_address_is_local_by_its_host_alone() {
        check("http://127.0.0.1:8080/v1", Locality::Local);
        check("http://localhost/v1", Locality::Local);
        check("http://[::1]:1234/v1", Locality::Local);
        check("http://192.168.1.5:11434/v1", Locality::Local);
        check("https://api.example.com/127.0.0.1", Locality::Remote);
        check("https://localhost.example.com/v1", Locality::Remote);
        check("https://127.0.0.1@example.com/v1", Locality::Remote);
    }
}
