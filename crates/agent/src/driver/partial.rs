//! The answer that is arriving, as the store keeps it for a crash.

use crate::machine::{Answer, AnswerBlock};
use llm::{BlockEnd, BlockKind};
use protocol::message::Block;
use store::{Partial, PartialContent};

/// The blocks that are worth keeping.
pub(crate) fn blocks(answer: &Answer) -> Vec<Partial> {
    let numbered = answer.blocks().iter().zip(0u32..);
    numbered
        .filter_map(|(block, number)| {
            Some(Partial {
                request: answer.request(),
                block: number,
                content: content(block)?,
            })
        })
        .collect()
}

fn content(block: &AnswerBlock) -> Option<PartialContent> {
    match &block.end {
        Some(BlockEnd::Content { content }) => return Some(PartialContent::Block(content.clone())),
        Some(BlockEnd::Call { call }) => return Some(PartialContent::Call(call.clone())),
        Some(BlockEnd::Dropped) => return None,
        None => {}
    }
    let text = block.text.clone();
    match block.kind {
        BlockKind::Text => Some(PartialContent::Block(Block::Text { text, meta: None })),
        BlockKind::Thinking => Some(PartialContent::Block(Block::Thinking {
            text,
            signature: None,
            redacted: None,
            meta: None,
        })),
        BlockKind::ToolCall => {
            let name = block.name.clone().unwrap_or_default();
            Some(PartialContent::OpenCall {
                name,
                args_text: text,
            })
        }
        // A provider's own block means nothing before it is whole.
        BlockKind::ServerToolCall | BlockKind::ServerToolResult | BlockKind::Opaque => None,
    }
}
