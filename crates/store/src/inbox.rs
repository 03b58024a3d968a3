//! Waiting for messages on a thread, for a time or for good.
//!
//! The channel itself can only wait for good outside of async code, and the writer wants to know when nobody has
//! needed it for a while.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// What came of waiting.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Received<T> {
    /// A message.
    Message(T),
    /// The time passed.
    Nothing,
    /// There will be no more messages.
    Closed,
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The next message, if it comes within `patience`; without a limit where that is `None`.
pub(crate) fn receive<T>(queue: &mut mpsc::Receiver<T>, patience: Option<Duration>) -> Received<T> {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let deadline = patience.map(|patience| Instant::now() + patience);
    loop {
        match queue.poll_recv(&mut context) {
            Poll::Ready(Some(message)) => return Received::Message(message),
            Poll::Ready(None) => return Received::Closed,
            Poll::Pending => {}
        }
        match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
            None => std::thread::park(),
            Some(Duration::ZERO) => return Received::Nothing,
            Some(left) => std::thread::park_timeout(left),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_at_once_and_silence_ends() {
        let (sender, mut queue) = mpsc::channel(4);
        assert_eq!(
            receive::<u8>(&mut queue, Some(Duration::ZERO)),
            Received::Nothing
        );
        sender.try_send(1).unwrap();
        assert_eq!(receive(&mut queue, None), Received::Message(1));
        assert_eq!(
            receive(&mut queue, Some(Duration::from_millis(1))),
            Received::Nothing
        );
        let other = std::thread::spawn(move || sender.blocking_send(2).unwrap());
        assert_eq!(
            receive(&mut queue, None),
            Received::Message(2),
            "sent while waiting"
        );
        other.join().unwrap();
        assert_eq!(receive(&mut queue, None), Received::Closed);
    }
}
