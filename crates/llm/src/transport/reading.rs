//! Reads the body of one answer and hands it over in batches.
//!
//! The first bytes after a pause go out at once, so that nothing waits; what follows within a moment goes out together.
//! Invariant: every wait here ends on cancel.

use crate::provider::{Chunk, EndKind};
use bytes::{Bytes, BytesMut};
use reqwest::Response;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::CancellationToken;

/// A flood of small pieces is handed over this often. Below what a person can see, far above what a hand-over costs.
const HOLD: Duration = Duration::from_millis(2);

/// Held back bytes go out early from here on.
const MAX_BATCH_BYTES: usize = 64 * 1024;

/// A connection whose answer is all but read can be used again; this long is worth waiting for its last bytes, and
/// short enough to count as closed at once.
const LINGER: Duration = Duration::from_millis(50);

pub(super) struct Reading<'a> {
    tx: &'a mpsc::Sender<Chunk>,
    cancel: &'a CancellationToken,
    idle: Duration,
    deadline: Instant,
    batch: BytesMut,
    sent_at: Instant,
    read_at: Instant,
}

impl<'a> Reading<'a> {
    pub(super) fn new(
        tx: &'a mpsc::Sender<Chunk>,
        cancel: &'a CancellationToken,
        idle: Duration,
        deadline: Instant,
    ) -> Self {
        let now = Instant::now();
        Self {
            tx,
            cancel,
            idle,
            deadline,
            batch: BytesMut::new(),
            // The past of the first piece is a pause, whatever the head took.
            sent_at: now.checked_sub(HOLD).unwrap_or(now),
            read_at: now,
        }
    }

    /// Reads to the end and says how it came.
    pub(super) async fn run(mut self, mut response: Response) -> EndKind {
        let gone = async {
            tokio::select! {
                () = self.cancel.cancelled() => {}
                () = self.tx.closed() => {}
            }
        };
        let mut gone = std::pin::pin!(gone);
        let mut timer = std::pin::pin!(tokio::time::sleep_until(self.next_check()));
        loop {
            let step = tokio::select! {
                biased;
                () = &mut gone => {
                    linger(response).await;
                    return EndKind::Cancelled;
                }
                read = response.chunk() => self.take(read).await,
                () = &mut timer => self.check(&mut timer).await,
            };
            match step {
                Step::On => {}
                Step::Armed(at) => timer.as_mut().reset(at),
                Step::End(end) => return end,
            }
        }
    }

    async fn take(&mut self, read: reqwest::Result<Option<Bytes>>) -> Step {
        match read {
            Ok(Some(bytes)) => self.add(bytes).await,
            Ok(None) => {
                self.flush().await;
                Step::End(EndKind::Eof)
            }
            Err(error) => {
                self.flush().await;
                Step::End(EndKind::Reset(super::root_cause(&error)))
            }
        }
    }

    async fn add(&mut self, bytes: Bytes) -> Step {
        let now = Instant::now();
        self.read_at = now;
        if self.batch.is_empty() && now >= self.sent_at + HOLD {
            self.send(bytes, now).await;
            return Step::On;
        }
        let begins = self.batch.is_empty();
        self.batch.extend_from_slice(&bytes);
        if self.batch.len() >= MAX_BATCH_BYTES {
            self.flush().await;
            Step::On
        } else if begins {
            Step::Armed(now + HOLD)
        } else {
            Step::On
        }
    }

    /// The timer rang: for the batch, or to look at the clocks.
    async fn check(&mut self, timer: &mut std::pin::Pin<&mut Sleep>) -> Step {
        self.flush().await;
        let now = Instant::now();
        if now >= self.deadline {
            return Step::End(EndKind::TotalTimeout);
        }
        if now >= self.read_at + self.idle {
            return Step::End(EndKind::Idle);
        }
        timer.as_mut().reset(self.next_check());
        Step::On
    }

    fn next_check(&self) -> Instant {
        self.deadline.min(self.read_at + self.idle)
    }

    async fn flush(&mut self) {
        if !self.batch.is_empty() {
            let batch = self.batch.split().freeze();
            self.send(batch, Instant::now()).await;
        }
    }

    /// Hands bytes over. If nobody takes them any more, the loop notices by itself.
    async fn send(&mut self, bytes: Bytes, now: Instant) {
        self.sent_at = now;
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => {}
            sent = self.tx.send(Chunk::Bytes(bytes)) => {
                if sent.is_err() {
                    tracing::trace!("the reader of an answer is gone");
                }
            }
        }
    }
}

enum Step {
    On,
    /// The timer must ring then.
    Armed(Instant),
    End(EndKind),
}

/// Reads the last bytes of an answer nobody waits for, so that its connection can be used again.
async fn linger(mut response: Response) {
    let rest = async { while let Ok(Some(_)) = response.chunk().await {} };
    if tokio::time::timeout(LINGER, rest).await.is_err() {
        tracing::trace!("an answer was left in the middle");
    }
}
