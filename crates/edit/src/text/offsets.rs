//! Where each character of the shown text sits in the bytes of the file.
//!
//! The map is a list of segments. Inside a run, text and bytes advance together; a unit is indivisible, whatever its
//! length on both sides: a CRLF pair shown as LF, a multi-byte legacy character, an undecodable byte shown as U+FFFD.
//! A plain UTF-8 file with LF breaks has no segments at all.

use memchr::memchr_iter;

use crate::lines::part;

/// How text offsets become byte offsets within a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SegmentKind {
    /// One byte of the file for each byte of the text.
    Run,
    /// Two bytes of the file for each byte of the text: ASCII in UTF-16.
    WideRun,
    /// Nothing starts or ends inside.
    Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment {
    text: u32,
    byte: u32,
    kind: SegmentKind,
}

/// Maps offsets in the text to offsets in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OffsetMap {
    /// Where the text starts in the file.
    origin: usize,
    /// Empty when all advances together from `origin` on.
    segments: Vec<Segment>,
}

impl OffsetMap {
    /// A map that advances together throughout.
    pub(crate) fn plain(origin: usize) -> Self {
        Self {
            origin,
            segments: Vec::new(),
        }
    }

    /// The byte offset of a text offset, or `None` inside a unit.
    pub(crate) fn to_byte(&self, text: usize) -> Option<usize> {
        let Some(segment) = self.segment_at(text) else {
            return Some(self.origin + text);
        };
        let delta = text - segment.text as usize;
        let byte = segment.byte as usize;
        match segment.kind {
            SegmentKind::Run => Some(byte + delta),
            SegmentKind::WideRun => Some(byte + 2 * delta),
            SegmentKind::Unit => (delta == 0).then_some(byte),
        }
    }

    /// Whether a unit starts at a text offset.
    pub(crate) fn is_unit_at(&self, text: usize) -> bool {
        let starts_unit =
            |segment: Segment| segment.kind == SegmentKind::Unit && segment.text as usize == text;
        self.segment_at(text).is_some_and(starts_unit)
    }

    fn segment_at(&self, text: usize) -> Option<Segment> {
        let next = self
            .segments
            .partition_point(|segment| segment.text as usize <= text);
        next.checked_sub(1).map(|at| self.segments[at])
    }
}

/// Puts a text together with its map.
#[derive(Debug)]
pub(crate) struct TextBuilder {
    text: String,
    segments: Vec<Segment>,
    origin: usize,
    byte: usize,
    n_crlf: usize,
    opaque: Vec<u32>,
}

/// A text with its map.
pub(crate) struct Built {
    pub(crate) text: String,
    pub(crate) offsets: OffsetMap,
    pub(crate) n_crlf: usize,
    /// Text offsets of undecodable bytes.
    pub(crate) opaque: Vec<u32>,
}

impl TextBuilder {
    /// Starts a text at a byte offset of the file. The file is small enough for 32-bit offsets.
    pub(crate) fn new(origin: usize, capacity: usize) -> Self {
        Self {
            text: String::with_capacity(capacity),
            segments: Vec::new(),
            origin,
            byte: origin,
            n_crlf: 0,
            opaque: Vec::new(),
        }
    }

    /// Adds text whose bytes are those of the file; CRLF pairs become LF.
    pub(crate) fn push_run(&mut self, run: &str) {
        let mut pushed = 0;
        for cr in memchr_iter(b'\r', run.as_bytes()) {
            if run.as_bytes().get(cr + 1) == Some(&b'\n') {
                self.push_plain(part(run, pushed..cr));
                self.push_crlf(2);
                pushed = cr + 2;
            }
        }
        self.push_plain(part(run, pushed..run.len()));
    }

    fn push_plain(&mut self, run: &str) {
        if !run.is_empty() {
            self.start(SegmentKind::Run);
            self.text.push_str(run);
            self.byte += run.len();
        }
    }

    /// Adds one ASCII character of two bytes.
    pub(crate) fn push_wide(&mut self, c: char) {
        self.start(SegmentKind::WideRun);
        self.text.push(c);
        self.byte += 2;
    }

    /// Adds a CRLF pair of so many bytes as LF.
    pub(crate) fn push_crlf(&mut self, n_bytes: usize) {
        self.n_crlf += 1;
        self.push_unit("\n", n_bytes);
    }

    /// Adds an indivisible piece.
    pub(crate) fn push_unit(&mut self, text: &str, n_bytes: usize) {
        self.start(SegmentKind::Unit);
        self.text.push_str(text);
        self.byte += n_bytes;
    }

    /// Adds undecodable bytes, each on its own, `n_bytes` long.
    pub(crate) fn push_opaque(&mut self, n_bytes: usize) {
        self.opaque.push(self.text.len() as u32);
        self.push_unit("\u{FFFD}", n_bytes);
    }

    fn start(&mut self, kind: SegmentKind) {
        let continues = self.segments.last().is_some_and(|last| last.kind == kind);
        if kind == SegmentKind::Unit || !continues {
            self.segments.push(Segment {
                text: self.text.len() as u32,
                byte: self.byte as u32,
                kind,
            });
        }
    }

    /// The finished text.
    pub(crate) fn build(mut self) -> Built {
        // The end of the text is a boundary even after a unit.
        self.start(SegmentKind::Run);
        Built {
            text: self.text,
            offsets: OffsetMap {
                origin: self.origin,
                segments: self.segments,
            },
            n_crlf: self.n_crlf,
            opaque: self.opaque,
        }
    }
}
