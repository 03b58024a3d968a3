//! An answer that is arriving, block by block.
//!
//! Deltas are appended and nothing else: a message of many thousand deltas costs the same per delta from the first to
//! the last. Invariant: a block without its end is a half, and a half call is never handed on.

use crate::machine::repetition::Repetition;
use llm::{BlockEnd, BlockKind};
use protocol::event::{LiveBlock, LiveKind};
use protocol::ids::CallId;
use protocol::message::{Block, Origin, Usage};
use protocol::tool_call::ToolCall;
use serde::{Deserialize, Serialize};

/// An answer that is arriving.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    request: u64,
    origin: Origin,
    begun: bool,
    blocks: Vec<AnswerBlock>,
    usage: Option<Usage>,
    repetition: Repetition,
}

/// One block of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerBlock {
    /// What it holds.
    pub kind: BlockKind,
    /// Name of the tool, for a call.
    pub name: Option<String>,
    /// The text so far: words, reasoning, or raw arguments.
    pub text: String,
    /// The whole block, once it is whole.
    pub end: Option<BlockEnd>,
}

/// An answer that will not grow any more.
pub(crate) struct Finished {
    pub(crate) request: u64,
    pub(crate) origin: Origin,
    pub(crate) usage: Option<Usage>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) calls: Vec<ToolCall>,
}

impl Finished {
    /// Whether there is nothing but reasoning in it, if that.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks
            .iter()
            .all(|block| matches!(block, Block::Thinking { .. }))
    }
}

/// Which calls of an unfinished answer are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeepCalls {
    /// Those that were whole.
    Whole,
    /// None.
    None,
}

/// The text repeats itself without end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunsInCircles;

impl Answer {
    pub(crate) fn new(request: u64, origin: Origin) -> Self {
        Self {
            request,
            origin,
            begun: false,
            blocks: Vec::new(),
            usage: None,
            repetition: Repetition::default(),
        }
    }

    /// Number of the request it answers.
    #[must_use]
    pub fn request(&self) -> u64 {
        self.request
    }

    /// The blocks so far, in order.
    #[must_use]
    pub fn blocks(&self) -> &[AnswerBlock] {
        &self.blocks
    }

    /// Who makes it.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Tokens as last reported.
    #[must_use]
    pub fn usage(&self) -> Option<&Usage> {
        self.usage.as_ref()
    }

    /// Whether anything has arrived.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Something has arrived. True the first time.
    pub(crate) fn begin(&mut self) -> bool {
        !std::mem::replace(&mut self.begun, true)
    }

    /// A block began. False if that is not its turn.
    pub(crate) fn open(&mut self, block: u32, kind: BlockKind, name: Option<String>) -> bool {
        let fits = usize::try_from(block).is_ok_and(|block| block == self.blocks.len());
        if fits {
            self.blocks.push(AnswerBlock {
                kind,
                name,
                text: String::new(),
                end: None,
            });
        }
        fits
    }

    /// A block grew. `None` if there is no such open block.
    pub(crate) fn grow(&mut self, block: u32, delta: &str) -> Option<Result<(), RunsInCircles>> {
        let open = self
            .blocks
            .get_mut(usize::try_from(block).ok()?)
            .filter(|open| open.end.is_none())?;
        open.text.push_str(delta);
        let circles = open.kind == BlockKind::Text && self.repetition.push(delta);
        Some(if circles { Err(RunsInCircles) } else { Ok(()) })
    }

    /// A block is whole. False if there is no such open block.
    pub(crate) fn close(&mut self, block: u32, end: BlockEnd) -> bool {
        let open = usize::try_from(block)
            .ok()
            .and_then(|block| self.blocks.get_mut(block));
        let Some(open) = open.filter(|open| open.end.is_none()) else {
            return false;
        };
        open.end = Some(end);
        true
    }

    /// Whether a whole call with this id has arrived.
    pub(crate) fn has_call(&self, id: &CallId) -> bool {
        self.blocks
            .iter()
            .any(|block| matches!(&block.end, Some(BlockEnd::Call { call }) if call.call_id == *id))
    }

    pub(crate) fn count(&mut self, usage: Usage) {
        self.usage = Some(usage);
    }

    /// Whether something of it was shown that is more than reasoning.
    pub(crate) fn is_visible(&self) -> bool {
        self.blocks.iter().any(|block| match block.kind {
            BlockKind::Text => {
                !block.text.is_empty() || matches!(&block.end, Some(BlockEnd::Content { .. }))
            }
            BlockKind::ToolCall | BlockKind::ServerToolCall | BlockKind::ServerToolResult => true,
            BlockKind::Thinking | BlockKind::Opaque => false,
        })
    }

    /// The words so far.
    pub(crate) fn text(&self) -> String {
        self.blocks
            .iter()
            .filter(|block| block.kind == BlockKind::Text)
            .map(|block| match &block.end {
                Some(BlockEnd::Content {
                    content: Block::Text { text, .. },
                }) => text.as_str(),
                Some(_) | None => block.text.as_str(),
            })
            .collect()
    }

    /// The whole message.
    pub(crate) fn into_whole(self) -> Finished {
        self.into_parts(KeepCalls::Whole, |_| true)
    }

    /// What stays of a message that was not finished: words, reasoning with proof of origin, calls if wanted.
    pub(crate) fn into_kept(self, calls: KeepCalls) -> Finished {
        self.into_parts(calls, is_proven)
    }

    fn into_parts(self, keep: KeepCalls, takes: fn(&Block) -> bool) -> Finished {
        let (mut blocks, mut calls) = (Vec::new(), Vec::new());
        for block in self.blocks {
            match block.end {
                Some(BlockEnd::Content { content }) => blocks.extend(Some(content).filter(takes)),
                Some(BlockEnd::Call { call }) if keep == KeepCalls::Whole => {
                    blocks.push(Block::Call {
                        call_id: call.call_id.clone(),
                    });
                    calls.push(call);
                }
                Some(BlockEnd::Call { .. } | BlockEnd::Dropped) => {}
                None if block.kind == BlockKind::Text => {
                    blocks.push(Block::Text {
                        text: block.text,
                        meta: None,
                    });
                }
                None => {}
            }
        }
        blocks.retain(|block| !matches!(block, Block::Text { text, .. } if text.is_empty()));
        Finished {
            request: self.request,
            origin: self.origin,
            usage: self.usage,
            blocks,
            calls,
        }
    }

    /// The blocks as the window shows them.
    pub(crate) fn live_blocks(&self) -> Vec<LiveBlock> {
        (0..)
            .zip(&self.blocks)
            .map(|(number, block)| LiveBlock {
                block: number,
                kind: live_kind(block.kind),
                name: block.name.clone(),
                text: block.text.clone(),
            })
            .collect()
    }
}

/// How the window shows a block while it grows.
pub(crate) fn live_kind(kind: BlockKind) -> LiveKind {
    match kind {
        BlockKind::Text => LiveKind::Text,
        BlockKind::Thinking => LiveKind::Thinking,
        BlockKind::ToolCall => LiveKind::ToolCall,
        BlockKind::ServerToolCall | BlockKind::ServerToolResult | BlockKind::Opaque => {
            LiveKind::Other
        }
    }
}

fn is_proven(block: &Block) -> bool {
    match block {
        Block::Thinking {
            signature,
            redacted,
            ..
        } => signature.is_some() || redacted.is_some(),
        Block::Text { .. }
        | Block::Call { .. }
        | Block::ServerToolCall { .. }
        | Block::ServerToolResult { .. }
        | Block::Opaque { .. } => true,
    }
}
