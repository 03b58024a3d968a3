//! One request on its way: bytes in, events out, from a task of its own.
//!
//! The task decodes where it reads, so that a chunk crosses between threads once, and hands over what one chunk gave
//! as one batch. Live text that follows live text of the same block is joined first.

use llm::{Chunk, Decoder, EndKind, Provider, ProviderEvent, WireRequest};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Batches that may wait for the driver; beyond that the server is read no further.
const MAX_WAITING_BATCHES: usize = 64;

/// What one request gave.
pub(crate) struct Batch {
    pub(crate) request: u64,
    pub(crate) events: Vec<ProviderEvent>,
}

/// A request that is open. Dropping it closes the connection.
pub(crate) struct OpenRequest {
    pub(crate) request: u64,
    cancel: CancellationToken,
    rx: mpsc::Receiver<Batch>,
}

impl OpenRequest {
    /// Sends a request.
    pub(crate) fn start(request: u64, provider: &Arc<dyn Provider>, wire: WireRequest) -> Self {
        let cancel = CancellationToken::new();
        let (tx, rx) = mpsc::channel(MAX_WAITING_BATCHES);
        let chunks = provider.open(wire, cancel.clone());
        tokio::spawn(read(request, chunks, provider.decoder(), tx));
        Self {
            request,
            cancel,
            rx,
        }
    }

    /// What came next; `None` after the terminal event.
    pub(crate) async fn next(&mut self) -> Option<Batch> {
        self.rx.recv().await
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

async fn read(
    request: u64,
    mut chunks: mpsc::Receiver<Chunk>,
    mut decoder: Box<dyn Decoder>,
    tx: mpsc::Sender<Batch>,
) {
    loop {
        let mut events = Vec::new();
        let chunk = chunks.recv().await;
        let last = decode(&mut *decoder, chunk, &mut events);
        // An empty batch still says that a byte came: the window shows for how long the server has been silent.
        if tx
            .send(Batch {
                request,
                events: join(events),
            })
            .await
            .is_err()
            || last
        {
            return;
        }
    }
}

fn decode(decoder: &mut dyn Decoder, chunk: Option<Chunk>, out: &mut Vec<ProviderEvent>) -> bool {
    match chunk {
        Some(Chunk::Head { status, headers }) => decoder.head(status, &headers, out),
        Some(Chunk::Bytes(bytes)) => decoder.push(&bytes, out),
        Some(Chunk::End(how)) => decoder.end(how, out),
        None => decoder.end(EndKind::Reset("the transport ended".to_owned()), out),
    }
    out.last().is_some_and(ProviderEvent::is_terminal)
}

fn join(events: Vec<ProviderEvent>) -> Vec<ProviderEvent> {
    let mut joined: Vec<ProviderEvent> = Vec::with_capacity(events.len().min(8));
    for event in events {
        if let (
            Some(ProviderEvent::BlockDelta {
                block: last,
                delta: text,
            }),
            ProviderEvent::BlockDelta { block, delta },
        ) = (joined.last_mut(), &event)
            && last == block
        {
            text.push_str(delta);
        } else {
            joined.push(event);
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delta(block: u32, text: &str) -> ProviderEvent {
        ProviderEvent::BlockDelta {
            block,
            delta: text.to_owned(),
        }
    }

    #[test]
    fn neighbouring_deltas_of_one_block_are_joined_and_nothing_is_reordered() {
        let joined = join(vec![
            delta(0, "a"),
            delta(0, "b"),
            delta(1, "c"),
            delta(0, "d"),
        ]);
        assert_eq!(joined, vec![delta(0, "ab"), delta(1, "c"), delta(0, "d")]);
    }
}
