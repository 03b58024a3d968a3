//! The scripted model: needs no key and no network, and drives the real loop, tools and approvals.
//!
//! It is a server inside the program: its answers are real Chat Completions bytes, so the loop and the decoder cannot
//! tell it from another provider. Where the script stands follows from the conversation alone, so a session goes on
//! after a restart. Deliberately absent: any memory of its own.

mod parse;
mod play;
mod sample;
mod script;
mod stream;

pub use parse::ScriptError;
pub use sample::{SampleFile, sample_project, shipped_script};
pub use script::Script;

use crate::cache::RequestCache;
use crate::error::ProviderError;
use crate::openai::{ChatDecoder, Quirks};
use crate::provider::{
    Chunk, Decoder, Locality, ModelRequest, Provider, ProviderInfo, WireRequest,
};
use bytes::Bytes;
use protocol::settings::ProviderKind;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How fast the model speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// As the script says, word by word.
    Scripted,
    /// At once, whatever the script says.
    Instant,
}

/// A provider that plays a script.
pub struct DemoProvider {
    info: ProviderInfo,
    script: Script,
    pace: Pace,
}

impl DemoProvider {
    /// A provider that plays `script`.
    #[must_use]
    pub fn new(script: Script, pace: Pace) -> Self {
        Self {
            info: ProviderInfo {
                id: "demo".to_owned(),
                kind: ProviderKind::Demo,
                locality: Locality::Local,
                vision: false,
                title_requests: true,
            },
            script,
            pace,
        }
    }
}

impl Provider for DemoProvider {
    fn info(&self) -> &ProviderInfo {
        &self.info
    }

    fn build(
        &self,
        request: &ModelRequest<'_>,
        _cache: &mut RequestCache,
    ) -> Result<WireRequest, ProviderError> {
        let mut answer = play::answer(&self.script, request);
        match self.pace {
            Pace::Scripted => {}
            Pace::Instant => answer.words_per_second = 0,
        }
        Ok(WireRequest {
            method: "POST",
            url: "demo:answer".to_owned(),
            headers: Vec::new(),
            body: Bytes::from(answer.to_bytes()),
        })
    }

    fn open(&self, request: WireRequest, cancel: CancellationToken) -> mpsc::Receiver<Chunk> {
        stream::open(request, cancel)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(ChatDecoder::new(&Quirks::default(), Arc::from([])))
    }
}
