//! The last bytes of a stream, addressed by their offset in the whole stream.

use std::collections::VecDeque;

/// Bytes `start()..end()` of a stream that only grows.
#[derive(Debug)]
pub(crate) struct Ring {
    bytes: VecDeque<u8>,
    capacity: usize,
    end: u64,
}

impl Ring {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            bytes: VecDeque::new(),
            capacity,
            end: 0,
        }
    }

    /// Offset of the oldest byte that is held.
    pub(crate) fn start(&self) -> u64 {
        self.end - self.bytes.len() as u64
    }

    /// Bytes seen in all.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.end += bytes.len() as u64;
        let kept = bytes
            .get(bytes.len().saturating_sub(self.capacity)..)
            .unwrap_or_default();
        let excess = (self.bytes.len() + kept.len()).saturating_sub(self.capacity);
        self.bytes.drain(..excess);
        self.bytes.extend(kept);
    }

    /// At most `max` bytes from `offset` on; `None` if the first of them is no longer held.
    pub(crate) fn read(&self, offset: u64, max: usize) -> Option<Vec<u8>> {
        let skip = usize::try_from(offset.checked_sub(self.start())?).ok()?;
        let skip = skip.min(self.bytes.len());
        let end = self.bytes.len().min(skip.saturating_add(max));
        let (front, back) = self.bytes.as_slices();
        let mut out = Vec::with_capacity(end - skip);
        out.extend_from_slice(
            front
                .get(skip.min(front.len())..end.min(front.len()))
                .unwrap_or_default(),
        );
        out.extend_from_slice(
            back.get(skip.saturating_sub(front.len())..end.saturating_sub(front.len()))
                .unwrap_or_default(),
        );
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_hold_while_the_front_is_lost() {
        let mut ring = Ring::new(8);
        for chunk in ["abc", "defg", "hijkl", "0123456789ABC"] {
            ring.push(chunk.as_bytes());
            let whole = "abcdefghijkl0123456789ABC";
            let end = usize::try_from(ring.end()).unwrap();
            let start = usize::try_from(ring.start()).unwrap();
            assert_eq!(start, end.saturating_sub(8));
            for from in start..=end {
                for max in 0..10 {
                    let expected = &whole.as_bytes()[from..end.min(from + max)];
                    assert_eq!(
                        ring.read(from as u64, max).as_deref(),
                        Some(expected),
                        "{from}+{max} of {end}"
                    );
                }
            }
        }
        assert_eq!(
            ring.read(3, 1),
            None,
            "a lost byte is not silently another one"
        );
    }
}
