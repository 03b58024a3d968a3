//! The shape of a provider: build a request, open it, decode what comes.
//!
//! Building and decoding are pure and keep neither clock nor randomness, so the same input gives the same bytes and
//! the same events. Only [`Provider::open`] does I/O. The loop never learns which provider it talks to.

use crate::cache::RequestCache;
use crate::error::ProviderError;
use crate::event::ProviderEvent;
use crate::failure::{Failure, FailureKind};
use bytes::Bytes;
use protocol::ids::SessionId;
use protocol::log::SystemPart;
use protocol::message::{ImageRef, ViewEntry};
use protocol::settings::ProviderKind;
use serde_json::{Map, Value};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A model provider.
pub trait Provider: Send + Sync {
    /// Who it is and what it can do.
    fn info(&self) -> &ProviderInfo;

    /// Turns what shall be said into a request. `cache` belongs to the session; it makes a step cost only what is new.
    ///
    /// # Errors
    /// The settings of the provider cannot be used.
    fn build(
        &self,
        request: &ModelRequest<'_>,
        cache: &mut RequestCache,
    ) -> Result<WireRequest, ProviderError>;

    /// Sends a request from a task of its own. The last chunk is [`Chunk::End`], unless the receiver is dropped first;
    /// dropping it or cancelling closes the connection.
    fn open(&self, request: WireRequest, cancel: CancellationToken) -> mpsc::Receiver<Chunk>;

    /// A decoder for one answer.
    fn decoder(&self) -> Box<dyn Decoder>;
}

/// A piece of an answer on its way in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// The head of the answer.
    Head {
        /// HTTP status.
        status: u16,
        /// Headers, names in lower case.
        headers: Vec<(String, String)>,
    },
    /// Bytes of the body, cut anywhere.
    Bytes(Bytes),
    /// Nothing follows.
    End(EndKind),
}

/// How an answer ended, as seen by the transport.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndKind {
    /// The server closed it in order.
    Eof,
    /// The connection broke; the words of the system.
    Reset(String),
    /// No byte for too long.
    Idle,
    /// No head for too long.
    FirstByteTimeout,
    /// No connection for too long.
    ConnectTimeout,
    /// The whole took too long.
    TotalTimeout,
    /// We ended it.
    Cancelled,
    /// It could not be sent: certificate, proxy or settings.
    Failed(Failure),
}

impl EndKind {
    /// The failure of an answer that ended this way in the middle; nothing for an end in order.
    pub(crate) fn into_failure(self) -> Option<Failure> {
        let (kind, message) = match self {
            Self::Eof => return None,
            Self::Failed(failure) => return Some(failure),
            Self::Reset(words) => return Some(Failure::new(FailureKind::Network, words)),
            Self::Idle => (FailureKind::TimeoutIdle, "no data from the provider"),
            Self::FirstByteTimeout => {
                (FailureKind::TimeoutFirstByte, "no answer from the provider")
            }
            Self::ConnectTimeout => (FailureKind::TimeoutConnect, "no connection to the provider"),
            Self::TotalTimeout => (FailureKind::TimeoutTotal, "the answer took too long"),
            Self::Cancelled => (FailureKind::Cancelled, "stopped"),
        };
        Some(Failure::new(kind, message))
    }
}

/// Turns the bytes of one answer into events.
///
/// After the terminal event every further call does nothing.
pub trait Decoder: Send {
    /// Takes the head of the answer.
    fn head(&mut self, status: u16, headers: &[(String, String)], out: &mut Vec<ProviderEvent>);

    /// Takes bytes of the body.
    fn push(&mut self, bytes: &[u8], out: &mut Vec<ProviderEvent>);

    /// Takes the end; adds the terminal event if there was none.
    fn end(&mut self, how: EndKind, out: &mut Vec<ProviderEvent>);
}

/// Who a provider is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderInfo {
    /// Id of its entry in the settings, such as `demo` or `openai-chat`. Part of an answer's origin.
    pub id: String,
    /// The protocol it speaks.
    pub kind: ProviderKind,
    /// Where it runs.
    pub locality: Locality,
    /// Its models can look at pictures.
    pub vision: bool,
    /// It may be asked for a title; off where that would throw a local server's cache away.
    pub title_requests: bool,
}

/// Where a provider runs; decides how patient the transport is and how much output is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Locality {
    /// Somewhere else.
    Remote,
    /// On the person's own machine or network, loading models on demand.
    Local,
}

/// What shall be said.
pub struct ModelRequest<'a> {
    /// The session it belongs to.
    pub session_id: &'a SessionId,
    /// What it is for.
    pub purpose: Purpose,
    /// Which try of the same step this is, from 1.
    pub attempt: u32,
    /// The folder of the session.
    pub workspace: &'a Path,
    /// The model and its settings.
    pub model: &'a ModelSettings,
    /// The fixed part of the prompt.
    pub system: &'a [SystemPart],
    /// The conversation. Entries are recognised by their address, so give the same `Arc` for the same entry.
    pub view: &'a [Arc<ViewEntry>],
    /// The tools to declare, in their fixed order.
    pub tools: &'a Arc<[ToolDeclaration]>,
    /// Gives the bytes of a picture.
    pub images: ImageSource<'a>,
}

/// Gives the bytes of a picture, or nothing if they are lost.
pub type ImageSource<'a> = &'a (dyn Fn(&ImageRef) -> Option<Vec<u8>> + Sync);

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A step of a turn.
    Turn,
    /// A title for the session.
    Title,
    /// A summary of older entries.
    Summary,
}

/// A model and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    /// The name the provider knows.
    pub name: String,
    /// Output limit in tokens.
    pub max_output: u32,
    /// Merged last into the body, so that a new knob needs no release. `messages` and `tools` are not taken.
    pub extra_body: Map<String, Value>,
}

/// A tool as the model learns of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDeclaration {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments; an object at the top.
    pub schema: Value,
}

/// A request ready to be sent. Cloning shares the body.
#[derive(Clone, PartialEq, Eq)]
pub struct WireRequest {
    /// HTTP method.
    pub method: &'static str,
    /// Where to.
    pub url: String,
    /// Headers, names in lower case. Values may be secret.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
}

impl fmt::Debug for WireRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("WireRequest")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &names)
            .field("body_bytes", &self.body.len())
            .finish()
    }
}
