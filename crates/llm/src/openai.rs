//! `OpenAI` Chat Completions and the many servers that speak it.
//!
//! Servers differ in small ways; what can be told from the stream is told there, the rest is a [`Quirks`] flag.
//! Deliberately absent: the names and addresses of servers, which are settings.

mod body;
mod decoder;
mod frame;
mod message;
mod slots;
mod think;
mod usage;

use crate::cache::RequestCache;
use crate::error::ProviderError;
use crate::provider::{
    Chunk, Decoder, Locality, ModelRequest, Provider, ProviderInfo, WireRequest,
};
use crate::secret::Secret;
use crate::transport::{Timeouts, Transport};
use bytes::Bytes;
use protocol::settings::ProviderKind;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub(crate) use decoder::ChatDecoder;

/// How a server departs from the common ground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quirks {
    /// Takes `stream_options`, and reports tokens at the end then.
    pub stream_usage: bool,
    /// Where it wants the output limit.
    pub max_tokens_field: MaxTokensField,
    /// Leaves reasoning in the text, in `<think>` tags.
    pub think_tags: bool,
    /// The role of the fixed part.
    pub system_role: SystemRole,
    /// Wants its own `reasoning_content` back.
    pub send_reasoning_back: bool,
    /// Takes the session as a key for its prompt cache.
    pub prompt_cache_key: bool,
}

impl Default for Quirks {
    fn default() -> Self {
        Self {
            stream_usage: true,
            max_tokens_field: MaxTokensField::MaxTokens,
            think_tags: false,
            system_role: SystemRole::System,
            send_reasoning_back: true,
            prompt_cache_key: false,
        }
    }
}

/// Names of the output limit; never both in one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxTokensField {
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

/// Roles of the fixed part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemRole {
    /// `system`.
    System,
    /// `developer`.
    Developer,
}

impl SystemRole {
    fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
        }
    }
}

/// The settings of one such server.
#[derive(Debug, Clone)]
pub struct ChatConfig {
    /// Id of its entry in the settings.
    pub id: String,
    /// Where it answers, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// Its key, if it has one.
    pub key: Option<Secret>,
    /// Where it runs.
    pub locality: Locality,
    /// Its models can look at pictures.
    pub vision: bool,
    /// Its departures.
    pub quirks: Quirks,
    /// How long to wait for it.
    pub timeouts: Timeouts,
    /// Version of this program, for the user agent.
    pub app_version: String,
}

/// A server that speaks Chat Completions.
pub struct ChatProvider {
    info: ProviderInfo,
    url: String,
    key: Option<Secret>,
    quirks: Quirks,
    secrets: Arc<[Secret]>,
    transport: Arc<Transport>,
}

impl ChatProvider {
    /// A server with these settings. Nothing is opened or loaded yet.
    ///
    /// # Errors
    /// The address is no `http` or `https` address, or the key cannot be a header.
    pub fn new(config: ChatConfig) -> Result<Self, ProviderError> {
        let url = format!(
            "{}/chat/completions",
            config.base_url.trim().trim_end_matches('/')
        );
        let transport = Transport::new(&url, config.timeouts, &config.app_version)?;
        let key = config.key.filter(|key| !key.expose().trim().is_empty());
        if let Some(key) = &key
            && !key.expose().trim().bytes().all(|b| b.is_ascii_graphic())
        {
            return Err(ProviderError::Header {
                name: "authorization".to_owned(),
                reason: "the key has characters that no header can hold",
            });
        }
        Ok(Self {
            info: ProviderInfo {
                id: config.id,
                kind: ProviderKind::OpenaiChat,
                locality: config.locality,
                vision: config.vision,
                // A local server has one slot: a title request would throw its cached prompt away.
                title_requests: config.locality == Locality::Remote,
            },
            url,
            secrets: key.iter().cloned().collect(),
            key,
            quirks: config.quirks,
            transport: Arc::new(transport),
        })
    }
}

impl Provider for ChatProvider {
    fn info(&self) -> &ProviderInfo {
        &self.info
    }

    fn build(
        &self,
        request: &ModelRequest<'_>,
        cache: &mut RequestCache,
    ) -> Result<WireRequest, ProviderError> {
        let mut headers = vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("accept".to_owned(), "text/event-stream".to_owned()),
        ];
        if let Some(key) = &self.key {
            headers.push((
                "authorization".to_owned(),
                format!("Bearer {}", key.expose().trim()),
            ));
        }
        Ok(WireRequest {
            method: "POST",
            url: self.url.clone(),
            headers,
            body: Bytes::from(body::build(&self.info, &self.quirks, request, cache)),
        })
    }

    fn open(&self, request: WireRequest, cancel: CancellationToken) -> mpsc::Receiver<Chunk> {
        self.transport.open(request, cancel)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(ChatDecoder::new(&self.quirks, Arc::clone(&self.secrets)))
    }
}
