//! SHA-256 of a file's bytes: the only thing freshness is judged by.

use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};

/// What is hashed at a time; stays in the processor's cache.
const HASHED_BYTES: usize = 64 * 1024;

/// SHA-256 of all bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The hash of the rest of a file, read piece by piece.
    pub(crate) fn of_file(mut file: &File) -> io::Result<Self> {
        let mut hasher = Sha256::new();
        let mut piece = vec![0; HASHED_BYTES];
        loop {
            match file.read(&mut piece) {
                Ok(0) => return Ok(Self(hasher.finalize().into())),
                Ok(n_read) => hasher.update(piece.get(..n_read).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The hash whose 32 bytes are `raw`, for a record that comes back from storage.
    #[must_use]
    pub fn from_bytes(raw: [u8; 32]) -> Self {
        Self(raw)
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn to_hex(&self) -> String {
        self.to_string()
    }

    /// The hash that 64 hexadecimal digits spell.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut raw = [0_u8; 32];
        for (byte, pair) in raw.iter_mut().zip(digits.chunks_exact(2)) {
            let high = char::from(pair[0]).to_digit(16)?;
            let low = char::from(pair[1]).to_digit(16)?;
            *byte = u8::try_from(high * 16 + low).ok()?;
        }
        Some(Self(raw))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::ContentHash;

    #[test]
    fn hex_round_trips() {
        let hash = ContentHash::of(b"abc");
        assert_eq!(
            hash.to_hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(ContentHash::from_hex(&hash.to_hex()), Some(hash));
        assert_eq!(ContentHash::from_hex("ba78"), None);
        assert_eq!(ContentHash::from_hex(&"z".repeat(64)), None);
    }
}
