//! Carries the bytes of a shell to one view, no faster than the view draws.
//!
//! A frame is the offset of its first byte (64 bits, little endian) and the bytes. A frame without bytes says that
//! output was left out; the view then takes a new snapshot. Deliberately absent: the screen, which `terminal` keeps.

use app::TerminalFrames;
use tauri::ipc::{Channel, InvokeResponseBody};
use tokio::sync::watch;

/// Bytes a view may be behind: half a second of very fast output, drawn in far less.
const MAX_UNACKNOWLEDGED_BYTES: u64 = 512 * 1024;

/// Sends frames until the shell or the view ends.
pub(crate) async fn feed(
    mut frames: TerminalFrames,
    mut acknowledged: watch::Receiver<u64>,
    channel: Channel,
) {
    while let Some(frame) = frames.next().await {
        let end = frame.offset + frame.bytes.len() as u64;
        if let Err(error) =
            channel.send(InvokeResponseBody::Raw(encode(frame.offset, &frame.bytes)))
        {
            tracing::debug!(%error, "a view of a terminal went away");
            return;
        }
        if acknowledged
            .wait_for(|drawn| end.saturating_sub(*drawn) <= MAX_UNACKNOWLEDGED_BYTES)
            .await
            .is_err()
        {
            return;
        }
    }
}

/// A frame as the page reads it.
fn encode(offset: u64, bytes: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(size_of::<u64>() + bytes.len());
    frame.extend_from_slice(&offset.to_le_bytes());
    frame.extend_from_slice(bytes);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_begins_with_its_offset() {
        assert_eq!(encode(0x0102, b"ab"), [2, 1, 0, 0, 0, 0, 0, 0, b'a', b'b']);
        assert_eq!(
            encode(7, b"").len(),
            8,
            "an empty frame is a gap, not nothing"
        );
    }
}
