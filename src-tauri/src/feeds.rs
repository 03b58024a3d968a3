//! Carries what `app` has to say to the channels of the page, untouched.
//!
//! Events are sent in batches: whatever waits goes in one message, as one list of JSON. Terminal bytes are sent raw:
//! the offset of the first byte (64 bits, little endian) and the bytes; none at all say that output was left out.

use app::{AppEvent, TerminalFrames, Watch, Workbench};
use protocol::event::Envelope;
use serde_json::json;
use std::sync::Arc;
use tauri::ipc::{Channel, InvokeResponseBody};
use tauri::{AppHandle, Emitter, WebviewWindow};
use tokio::sync::broadcast::error::RecvError;

/// Events of one message; more would keep the page busy longer than a frame.
const MAX_BATCH: usize = 256;

/// Name under which the page hears of the program as a whole.
const APP_EVENT: &str = "app";

/// Sends the events of a session until the view ends.
pub(crate) async fn events(mut events: Watch, channel: Channel) {
    while let Some(first) = events.next().await {
        let mut batch = vec![first];
        batch.extend(std::iter::from_fn(|| events.try_next()).take(MAX_BATCH - 1));
        let sent =
            encode_events(&batch).and_then(|json| channel.send(InvokeResponseBody::Json(json)));
        if let Err(error) = sent {
            tracing::debug!(%error, "a view of a session went away");
            return;
        }
    }
}

/// Sends the output of a shell until the shell or the view ends. `app` holds back what the view has not drawn.
pub(crate) async fn terminal(mut frames: TerminalFrames, channel: Channel) {
    while let Some((offset, bytes)) = frames.next().await {
        if let Err(error) = channel.send(InvokeResponseBody::Raw(encode_frame(offset, &bytes))) {
            tracing::debug!(%error, "a view of a terminal went away");
            return;
        }
    }
}

/// Tells the page what happens to the program as a whole, until the program ends.
pub(crate) async fn whole_program(workbench: Arc<Workbench>, app: AppHandle) {
    let mut changes = workbench.changes();
    loop {
        let change = match changes.recv().await {
            Ok(change) => change,
            // The page reads lists anew whatever the change was; which ones were missed does not matter.
            Err(RecvError::Lagged(_)) => AppEvent::SessionsChanged,
            Err(RecvError::Closed) => return,
        };
        if let Err(error) = app.emit(APP_EVENT, &change) {
            tracing::warn!(%error, "the page was not told of a change");
        }
    }
}

/// Asks the page to show what would end with the window.
pub(crate) fn ask_to_close(window: &WebviewWindow) {
    if let Err(error) = window.emit(APP_EVENT, json!({ "type": "close_requested" })) {
        tracing::warn!(%error, "the page was not asked about closing the window");
    }
}

fn encode_events(batch: &[Arc<Envelope>]) -> tauri::Result<String> {
    let envelopes: Vec<&Envelope> = batch.iter().map(AsRef::as_ref).collect();
    Ok(serde_json::to_string(&envelopes)?)
}

fn encode_frame(offset: u64, bytes: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(size_of::<u64>() + bytes.len());
    frame.extend_from_slice(&offset.to_le_bytes());
    frame.extend_from_slice(bytes);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::event::SessionEvent;

    #[test]
    fn a_frame_begins_with_its_offset() {
        assert_eq!(
            encode_frame(0x0102, b"ab"),
            [2, 1, 0, 0, 0, 0, 0, 0, b'a', b'b']
        );
        assert_eq!(
            encode_frame(7, b"").len(),
            8,
            "an empty frame is a gap, not nothing"
        );
    }

    #[test]
    fn a_batch_is_one_list_in_order() {
        let envelope = |rev| {
            let event = SessionEvent::Reset;
            Arc::new(Envelope {
                v: 1,
                session_id: "s".into(),
                rev,
                seq: None,
                ts: 0,
                event,
            })
        };
        let json = encode_events(&[envelope(1), envelope(2)]).expect("encode");
        let back: Vec<Envelope> = serde_json::from_str(&json).expect("decode");
        assert_eq!(
            back.iter().map(|envelope| envelope.rev).collect::<Vec<_>>(),
            [1, 2]
        );
    }
}
