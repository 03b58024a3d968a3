//! An operation on its way to the writer: await it, or wait for it.

use crate::error::Error;
use crate::writer::Work;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::{mpsc, oneshot};

type Sending = Pin<Box<dyn Future<Output = Result<(), mpsc::error::SendError<Work>>> + Send>>;

/// The answer to come. Await it in async code, [`wait`](Self::wait) for it elsewhere.
///
/// The operation is queued when this is made, in the order of the calls, and is done even if this is dropped. Only
/// where more than a thousand operations already wait it is queued by the first poll.
#[must_use = "an operation that is not awaited may not be done, and its error is lost"]
pub struct Pending<T> {
    step: Step,
    reply: oneshot::Receiver<Result<T, Error>>,
}

enum Step {
    Queued,
    Unsent(mpsc::Sender<Work>, Box<Work>),
    Sending(Sending),
}

impl<T> Pending<T> {
    pub(crate) fn queued(reply: oneshot::Receiver<Result<T, Error>>) -> Self {
        Self {
            step: Step::Queued,
            reply,
        }
    }

    pub(crate) fn unsent(
        sender: mpsc::Sender<Work>,
        work: Work,
        reply: oneshot::Receiver<Result<T, Error>>,
    ) -> Self {
        Self {
            step: Step::Unsent(sender, Box::new(work)),
            reply,
        }
    }

    /// Blocks until it is done. Must not be called where a future is being polled.
    pub fn wait(self) -> Result<T, Error> {
        if let Step::Unsent(sender, work) = self.step {
            sender.blocking_send(*work).map_err(|_| Error::Closed)?;
        }
        self.reply.blocking_recv().unwrap_or(Err(Error::Closed))
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        this.step = match std::mem::replace(&mut this.step, Step::Queued) {
            Step::Unsent(sender, work) => {
                Step::Sending(Box::pin(async move { sender.send(*work).await }))
            }
            other => other,
        };
        if let Step::Sending(sending) = &mut this.step {
            match sending.as_mut().poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(_)) => return Poll::Ready(Err(Error::Closed)),
                Poll::Ready(Ok(())) => this.step = Step::Queued,
            }
        }
        Pin::new(&mut this.reply)
            .poll(cx)
            .map(|reply| reply.unwrap_or(Err(Error::Closed)))
    }
}
