//! The first bytes of a database file, read without the engine, so that a file that is not ours is never touched.

use crate::aside::Finding;
use crate::migrate::APPLICATION_ID;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER_BYTES: u64 = 100;

/// What the first bytes say.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Header {
    /// No file.
    Absent,
    /// A database of ours in this format.
    Ours { version: u32 },
    /// Nothing we can use.
    Unusable(Finding),
}

/// Reads the header of the file at `path`.
pub(crate) fn read(path: &Path) -> io::Result<Header> {
    let mut bytes = Vec::with_capacity(HEADER_BYTES as usize);
    match File::open(path) {
        Ok(file) => file.take(HEADER_BYTES).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Header::Absent),
        Err(error) => return Err(error),
    };
    Ok(parse(&bytes))
}

fn parse(bytes: &[u8]) -> Header {
    if bytes.is_empty() {
        return Header::Unusable(Finding::Empty);
    }
    let word = |at: usize| -> Option<u32> {
        Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
    };
    let fractions = bytes.get(21..24);
    // Three bytes of every database have fixed values; a file without them has a damaged header.
    if !bytes.starts_with(MAGIC) || fractions != Some(&[64, 32, 32]) {
        return Header::Unusable(Finding::NotADatabase);
    }
    match (word(68), word(60)) {
        (Some(APPLICATION_ID), Some(version)) => Header::Ours { version },
        (Some(_), Some(_)) => Header::Unusable(Finding::Foreign),
        (None, _) | (_, None) => Header::Unusable(Finding::NotADatabase),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(application_id: u32, version: u32) -> Vec<u8> {
        let mut bytes = vec![0; 100];
        bytes[..16].copy_from_slice(MAGIC);
        bytes[21..24].copy_from_slice(&[64, 32, 32]);
        bytes[60..64].copy_from_slice(&version.to_be_bytes());
        bytes[68..72].copy_from_slice(&application_id.to_be_bytes());
        bytes
    }

    #[test]
    fn only_a_whole_header_of_ours_passes() {
        let check = |bytes: &[u8], expected: Header| assert_eq!(parse(bytes), expected);
        check(&header(APPLICATION_ID, 7), Header::Ours { version: 7 });
        check(&header(1, 7), Header::Unusable(Finding::Foreign));
        check(&header(0, 0), Header::Unusable(Finding::Foreign));
        check(b"", Header::Unusable(Finding::Empty));
        check(b"just some text", Header::Unusable(Finding::NotADatabase));
        check(
            &header(APPLICATION_ID, 7)[..50],
            Header::Unusable(Finding::NotADatabase),
        );
        let mut damaged = MAGIC.to_vec();
        damaged.extend([0xff; 84]);
        check(&damaged, Header::Unusable(Finding::NotADatabase));
    }
}
