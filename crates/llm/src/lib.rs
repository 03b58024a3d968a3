//! Model providers: what is sent, how it travels, and what comes back as provider-neutral events.
//!
//! Building and decoding are pure; only `transport` touches the network and only the demo sleeps. Invariant: whatever
//! a server does, a decoder ends with exactly one terminal event, and a call is handed on only if its arguments were
//! whole. Deliberately absent: retries and waiting (the loop's), prices, and any knowledge of the tools.

mod arguments;
mod cache;
#[cfg(feature = "test-support")]
pub mod canonical;
mod demo;
mod error;
mod event;
mod failure;
mod openai;
mod provider;
mod secret;
mod sse;
mod transport;
mod view;

pub use cache::RequestCache;
pub use demo::{
    DemoProvider, Pace, SampleFile, Script, ScriptError, sample_project, shipped_script,
};
pub use error::ProviderError;
pub use event::{BlockEnd, BlockKind, ProviderEvent, WarningCode};
pub use failure::{Failure, FailureKind};
pub use openai::{ChatConfig, ChatProvider, MaxTokensField, Quirks, SystemRole};
pub use provider::{
    Chunk, Decoder, EndKind, ImageSource, Locality, ModelRequest, ModelSettings, Provider,
    ProviderInfo, Purpose, ToolDeclaration, WireRequest,
};
pub use secret::Secret;
pub use transport::Timeouts;
pub use view::{ViewDefect, check_view};
