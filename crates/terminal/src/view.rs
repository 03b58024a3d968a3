//! One watching window: how far it is, and how far it may be ahead of what it acknowledged.
//!
//! Frames are contiguous from the attach offset on, or a gap says that they are not. A view that does not keep up loses
//! its place and nothing else: neither the command nor another view waits for it.

use crate::events::TerminalFrame;
use crate::ring::Ring;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// Between two chunks, unless [`COALESCE_BYTES`] came together: one frame of a 60 Hz screen.
const COALESCE_TIME: Duration = Duration::from_millis(16);
/// A chunk of this size goes at once.
const COALESCE_BYTES: usize = 64 * 1024;
/// What may be on its way to a view that did not acknowledge it; also bounds the memory of a hidden window.
const INFLIGHT_MAX_BYTES: u64 = 1024 * 1024;

/// Names a view within its shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ViewId(pub(crate) u64);

/// A view and its place in the stream.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) id: ViewId,
    frames: UnboundedSender<TerminalFrame>,
    sent: u64,
    acknowledged: u64,
    stalled: bool,
    next_at: Instant,
}

/// Whether a view goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pumped {
    /// Look again at this time, if at all.
    Again(Option<Instant>),
    /// It has to attach again, or is gone.
    Ended,
}

impl View {
    pub(crate) fn new(
        id: ViewId,
        frames: UnboundedSender<TerminalFrame>,
        offset: u64,
        now: Instant,
    ) -> Self {
        Self {
            id,
            frames,
            sent: offset,
            acknowledged: offset,
            stalled: false,
            next_at: now,
        }
    }

    pub(crate) fn acknowledge(&mut self, offset: u64) {
        self.acknowledged = self.acknowledged.max(offset.min(self.sent));
    }

    /// Sends an event behind everything printed before it.
    pub(crate) fn send(&mut self, event: TerminalFrame) {
        // A view that went away is noticed and removed by the next pump.
        self.frames.send(event).ok();
    }

    /// Sends what is due. `all` sends also what would wait for more, as before an event or at the end.
    pub(crate) fn pump(&mut self, ring: &Ring, now: Instant, urgency: Urgency) -> Pumped {
        if self.frames.is_closed() {
            return Pumped::Ended;
        }
        let unacknowledged = self.sent - self.acknowledged;
        if self.sent < ring.start() || self.stalled && unacknowledged < INFLIGHT_MAX_BYTES {
            self.send(TerminalFrame::Gap {
                from: self.sent,
                to: ring.end(),
            });
            return Pumped::Ended;
        }
        while self.sent < ring.end() {
            if self.sent - self.acknowledged >= INFLIGHT_MAX_BYTES {
                self.stalled = true;
                return Pumped::Again(None);
            }
            let pending = ring.end() - self.sent;
            if urgency == Urgency::Due && pending < COALESCE_BYTES as u64 && now < self.next_at {
                return Pumped::Again(Some(self.next_at));
            }
            let Some(bytes) = ring.read(self.sent, COALESCE_BYTES) else {
                break;
            };
            let offset = self.sent;
            self.sent += bytes.len() as u64;
            self.next_at = now + COALESCE_TIME;
            self.send(TerminalFrame::Chunk { offset, bytes });
        }
        Pumped::Again(None)
    }
}

/// Whether small pieces may wait for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// They may.
    Due,
    /// Something follows that must not overtake them.
    Now,
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc::{UnboundedReceiver, error::TryRecvError, unbounded_channel};

    fn view(offset: u64) -> (View, UnboundedReceiver<TerminalFrame>, Instant) {
        let (sender, receiver) = unbounded_channel();
        let now = Instant::now();
        (View::new(ViewId(1), sender, offset, now), receiver, now)
    }

    #[test]
    fn small_pieces_are_gathered_and_large_ones_are_not() {
        let (mut view, mut frames, now) = view(0);
        let mut ring = Ring::new(1 << 20);
        ring.push(b"a");
        assert_eq!(view.pump(&ring, now, Urgency::Due), Pumped::Again(None));
        assert_eq!(
            frames.try_recv(),
            Ok(TerminalFrame::Chunk {
                offset: 0,
                bytes: b"a".to_vec()
            })
        );
        ring.push(b"b");
        assert_eq!(
            view.pump(&ring, now, Urgency::Due),
            Pumped::Again(Some(now + COALESCE_TIME))
        );
        assert_eq!(frames.try_recv(), Err(TryRecvError::Empty));
        ring.push(b"c");
        assert_eq!(
            view.pump(&ring, now + COALESCE_TIME, Urgency::Due),
            Pumped::Again(None)
        );
        assert_eq!(
            frames.try_recv(),
            Ok(TerminalFrame::Chunk {
                offset: 1,
                bytes: b"bc".to_vec()
            })
        );
        ring.push(&vec![b'x'; COALESCE_BYTES]);
        view.pump(&ring, now + COALESCE_TIME, Urgency::Due);
        assert!(
            matches!(
                frames.try_recv(),
                Ok(TerminalFrame::Chunk { offset: 3, .. })
            ),
            "64 KiB do not wait"
        );
    }

    #[test]
    fn a_view_that_acknowledges_nothing_gets_one_mebibyte_and_later_a_gap() {
        let (mut view, mut frames, now) = view(0);
        let mut ring = Ring::new(1 << 20);
        let mut received = 0;
        for _ in 0..100 {
            ring.push(&vec![b'x'; 100_000]);
            view.pump(&ring, now, Urgency::Now);
            while let Ok(TerminalFrame::Chunk { offset, bytes }) = frames.try_recv() {
                assert_eq!(offset, received, "contiguous");
                received += bytes.len() as u64;
            }
            if ring.start() > received {
                break;
            }
        }
        assert!(
            (1 << 20..(1 << 20) + COALESCE_BYTES as u64).contains(&received),
            "{received}"
        );
        view.acknowledge(received);
        assert_eq!(view.pump(&ring, now, Urgency::Due), Pumped::Ended);
    }

    #[test]
    fn the_gap_names_what_is_missing() {
        let (mut view, mut frames, now) = view(2);
        let mut ring = Ring::new(4);
        ring.push(b"0123456789");
        assert_eq!(view.pump(&ring, now, Urgency::Due), Pumped::Ended);
        assert_eq!(
            frames.try_recv(),
            Ok(TerminalFrame::Gap { from: 2, to: 10 })
        );
    }
}
