//! Events to whoever watches a session, in one order.
//!
//! Every event gets the next `rev`; deltas of one block are joined until they are sent. A watcher that does not keep
//! up loses its queue and is told to start over, so nobody can make the session use more memory or wait.

use protocol::event::{Envelope, SavedOutside, SessionEvent};
use protocol::ids::SessionId;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// Version of the envelope.
const VERSION: u32 = 1;
/// Live text waits for company this long at the most; one frame of a screen.
pub(crate) const FLUSH_AFTER: Duration = Duration::from_millis(16);
/// Live text is sent at once from this size on.
const FLUSH_BYTES: usize = 16 * 1024;
/// A watcher with more than this waiting starts over.
const MAX_WAITING_BYTES: usize = 8 * 1024 * 1024;
/// What an event without long text is taken to weigh.
const EVENT_BYTES: usize = 256;

/// The events of one session. Clones publish to the same watchers.
#[derive(Clone)]
pub struct Publisher {
    inner: Arc<Mutex<Inner>>,
}

struct Inner {
    session_id: SessionId,
    rev: u64,
    /// Joined live text that was not sent yet.
    pending: Option<Envelope>,
    watchers: Vec<Watcher>,
}

struct Watcher {
    tx: mpsc::UnboundedSender<Arc<Envelope>>,
    load: Arc<Load>,
}

#[derive(Default)]
struct Load {
    bytes: AtomicUsize,
    overflowed: AtomicBool,
}

/// What a watcher receives.
pub struct Watch {
    rx: mpsc::UnboundedReceiver<Arc<Envelope>>,
    load: Arc<Load>,
    session_id: SessionId,
}

impl Publisher {
    /// A stream without watchers.
    #[must_use]
    pub fn new(session_id: SessionId) -> Self {
        let inner = Inner {
            session_id,
            rev: 0,
            pending: None,
            watchers: Vec::new(),
        };
        Self {
            inner: Arc::new(Mutex::new(inner)),
        }
    }

    /// Publishes an event.
    pub fn publish(&self, event: SessionEvent, seq: Option<u64>, now_ms: i64) {
        let mut inner = self.lock();
        inner.flush();
        let envelope = inner.envelope(event, seq, now_ms);
        inner.send(envelope);
    }

    /// Publishes live text. Returns whether something waits to be flushed.
    pub(crate) fn delta(&self, request: u64, block: u32, text: &str, now_ms: i64) -> bool {
        let mut inner = self.lock();
        if let Some(Envelope {
            event:
                SessionEvent::BlockDelta {
                    request: r,
                    block: b,
                    delta,
                },
            ..
        }) = &mut inner.pending
            && (*r, *b) == (request, block)
        {
            delta.push_str(text);
        } else {
            inner.flush();
            let event = SessionEvent::BlockDelta {
                request,
                block,
                delta: text.to_owned(),
            };
            inner.pending = Some(inner.envelope(event, None, now_ms));
        }
        let full = inner
            .pending
            .as_ref()
            .is_some_and(|envelope| weight(envelope) >= FLUSH_BYTES);
        if full {
            inner.flush();
        }
        inner.pending.is_some()
    }

    /// Sends what waits.
    pub(crate) fn flush(&self) {
        self.lock().flush();
    }

    /// The newest `rev`, everything before it sent.
    #[must_use]
    pub fn rev(&self) -> u64 {
        let mut inner = self.lock();
        inner.flush();
        inner.rev
    }

    /// Begins to watch.
    #[must_use]
    pub fn watch(&self) -> Watch {
        let (tx, rx) = mpsc::unbounded_channel();
        let load = Arc::new(Load::default());
        let mut inner = self.lock();
        inner.watchers.push(Watcher {
            tx,
            load: load.clone(),
        });
        Watch {
            rx,
            load,
            session_id: inner.session_id.clone(),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn envelope(&mut self, event: SessionEvent, seq: Option<u64>, ts: i64) -> Envelope {
        self.rev += 1;
        Envelope {
            v: VERSION,
            session_id: self.session_id.clone(),
            rev: self.rev,
            seq,
            ts,
            event,
        }
    }

    fn flush(&mut self) {
        if let Some(envelope) = self.pending.take() {
            self.send(envelope);
        }
    }

    fn send(&mut self, envelope: Envelope) {
        let weight = weight(&envelope);
        let envelope = Arc::new(envelope);
        self.watchers
            .retain(|watcher| watcher.offer(&envelope, weight));
    }
}

impl Watcher {
    /// Returns false where nobody listens any more.
    fn offer(&self, envelope: &Arc<Envelope>, weight: usize) -> bool {
        if self.load.overflowed.load(Ordering::Acquire) {
            return !self.tx.is_closed();
        }
        if self.load.bytes.fetch_add(weight, Ordering::AcqRel) + weight > MAX_WAITING_BYTES {
            self.load.overflowed.store(true, Ordering::Release);
        }
        self.tx.send(envelope.clone()).is_ok()
    }
}

impl Watch {
    /// The next event; `None` once the session's stream is gone.
    pub async fn next(&mut self) -> Option<Arc<Envelope>> {
        let envelope = self.rx.recv().await?;
        Some(self.took(envelope))
    }

    /// The next event if one is there.
    pub fn try_next(&mut self) -> Option<Arc<Envelope>> {
        let envelope = self.rx.try_recv().ok()?;
        Some(self.took(envelope))
    }

    fn took(&mut self, envelope: Arc<Envelope>) -> Arc<Envelope> {
        self.load
            .bytes
            .fetch_sub(weight(&envelope), Ordering::AcqRel);
        if !self.load.overflowed.load(Ordering::Acquire) {
            return envelope;
        }
        while self.rx.try_recv().is_ok() {}
        self.load.bytes.store(0, Ordering::Release);
        self.load.overflowed.store(false, Ordering::Release);
        Arc::new(Envelope {
            v: VERSION,
            session_id: self.session_id.clone(),
            rev: envelope.rev,
            seq: None,
            ts: envelope.ts,
            event: SessionEvent::Reset,
        })
    }
}

fn weight(envelope: &Envelope) -> usize {
    match &envelope.event {
        SessionEvent::BlockDelta { delta, .. } => EVENT_BYTES + delta.len(),
        SessionEvent::SavedOutside { saved, .. } => EVENT_BYTES + saved_bytes(saved),
        SessionEvent::ItemAdded { .. }
        | SessionEvent::ItemChanged { .. }
        | SessionEvent::AskOpened { .. }
        | SessionEvent::AskChanged { .. } => 16 * EVENT_BYTES,
        SessionEvent::ItemsHidden { .. }
        | SessionEvent::Phase { .. }
        | SessionEvent::BlockStarted { .. }
        | SessionEvent::AttemptDiscarded { .. }
        | SessionEvent::RetryWait { .. }
        | SessionEvent::AskClosed { .. }
        | SessionEvent::Meters { .. }
        | SessionEvent::Todos { .. }
        | SessionEvent::Mode { .. }
        | SessionEvent::Queue { .. }
        | SessionEvent::Draft { .. }
        | SessionEvent::Shell { .. }
        | SessionEvent::Summary { .. }
        | SessionEvent::TurnEnded { .. }
        | SessionEvent::Store { .. }
        | SessionEvent::Reset => EVENT_BYTES,
    }
}

fn saved_bytes(saved: &SavedOutside) -> usize {
    match saved {
        SavedOutside::Text { text } => text.len(),
        SavedOutside::NotText | SavedOutside::TooLarge => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::session::Mode;

    fn mode() -> SessionEvent {
        SessionEvent::Mode {
            mode: Mode::Default,
        }
    }

    fn drain(watch: &mut Watch) -> Vec<Arc<Envelope>> {
        std::iter::from_fn(|| watch.try_next()).collect()
    }

    #[test]
    fn live_text_is_joined_and_comes_before_what_follows() {
        let publisher = Publisher::new("s".into());
        let mut watch = publisher.watch();
        assert!(publisher.delta(1, 0, "a", 0));
        assert!(publisher.delta(1, 0, "b", 0));
        assert!(publisher.delta(1, 1, "c", 0));
        publisher.publish(mode(), Some(7), 0);
        let got = drain(&mut watch);
        let revs: Vec<u64> = got.iter().map(|e| e.rev).collect();
        assert_eq!(revs, [1, 2, 3], "no gap and no double");
        assert_eq!(
            got[0].event,
            SessionEvent::BlockDelta {
                request: 1,
                block: 0,
                delta: "ab".to_owned()
            }
        );
        assert_eq!(got[2].seq, Some(7));
    }

    #[test]
    fn large_live_text_does_not_wait() {
        let publisher = Publisher::new("s".into());
        let mut watch = publisher.watch();
        assert!(!publisher.delta(1, 0, &"x".repeat(FLUSH_BYTES), 0));
        assert_eq!(drain(&mut watch).len(), 1);
    }

    #[test]
    fn a_watcher_that_does_not_keep_up_starts_over() {
        let publisher = Publisher::new("s".into());
        let mut slow = publisher.watch();
        let text = "x".repeat(1024 * 1024);
        for _ in 0..20 {
            publisher.delta(1, 0, &text, 0);
        }
        let got = drain(&mut slow);
        assert_eq!(
            got.last().map(|e| e.event.clone()),
            Some(SessionEvent::Reset)
        );
        assert!(got.len() < 12, "the queue was dropped");
        publisher.publish(mode(), None, 0);
        assert_eq!(
            drain(&mut slow).len(),
            1,
            "afterwards it hears everything again"
        );
    }

    #[test]
    fn a_watcher_that_left_is_forgotten() {
        let publisher = Publisher::new("s".into());
        drop(publisher.watch());
        publisher.publish(mode(), None, 0);
        assert!(publisher.lock().watchers.is_empty());
    }
}
