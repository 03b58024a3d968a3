//! The table of the longest common subsequences, one bit per entry, in a band around the diagonal.
//!
//! With T[i][j] the length for `old[i..]` and `new[j..]`, the canonical walk asks at unequal heads whether
//! T[i+1][j] >= T[i][j+1]. One of both equals T[i][j] there, so the answer is "yes" exactly when
//! T[i][j] - T[i+1][j] is 0, and that difference is 0 or 1: one bit. Bit-parallel dynamic programming (Hyyrö 2004)
//! makes 64 of them per step. An alignment of distance D never leaves the band of D lines beside the diagonal, and a
//! comparison beside it needs two lines more; so a band is wide enough when the distance found in it says so.

/// Half-width of the first band. Most changes touch fewer lines.
const FIRST_HALF_WIDTH_LINES: usize = 64;

/// Growth of a band that proved too narrow; keeps the wasted work below a half.
const BAND_GROWTH: usize = 4;

/// Lines beside the outermost diagonal of an alignment that its comparisons look at.
const BAND_MARGIN_LINES: usize = 2;

/// Largest table. 20,000 by 20,000 lines need 50 MB.
const MAX_TABLE_BYTES: usize = 64 << 20;

/// Bits in a word of the table.
const WORD_BITS: usize = u64::BITS as usize;

/// For each pair of suffixes: whether the first old line is spare, that is, the subsequence is as long without it.
pub(super) struct Table {
    /// `stride` words for each new line. Bits run from the end of the old text to its start.
    words: Vec<u64>,
    stride: usize,
    /// Index of the first word kept for each new line.
    first_words: Vec<u32>,
    old_len: usize,
}

impl Table {
    /// The table of two non-empty sequences of line numbers, or `None` when it would be too large.
    pub(super) fn new(old: &[u32], new: &[u32]) -> Option<Self> {
        let masks = Masks::of(old);
        let whole = old.len().max(new.len());
        let mut half_width =
            FIRST_HALF_WIDTH_LINES.max(old.len().abs_diff(new.len()) + BAND_MARGIN_LINES);
        loop {
            half_width = half_width.min(whole);
            let (table, distance) = Self::in_band(&masks, old.len(), new, half_width)?;
            let needed = distance + BAND_MARGIN_LINES;
            if half_width >= needed || half_width == whole {
                return Some(table);
            }
            half_width = needed.min(half_width * BAND_GROWTH);
        }
    }

    /// The table for matches in a band only, and the distance of the two sequences by those.
    fn in_band(
        masks: &Masks,
        old_len: usize,
        new: &[u32],
        half_width: usize,
    ) -> Option<(Self, usize)> {
        let n_words = old_len.div_ceil(WORD_BITS);
        let stride = n_words.min(2 * half_width / WORD_BITS + 2);
        let n_table_words = stride.checked_mul(new.len())?;
        if n_table_words.checked_mul(size_of::<u64>())? > MAX_TABLE_BYTES {
            return None;
        }
        let mut table = Self {
            words: vec![0; n_table_words],
            stride,
            first_words: vec![0; new.len()],
            old_len,
        };
        let mut column = vec![u64::MAX; n_words];
        let mut scratch = vec![0; n_words];
        for (j, &id) in new.iter().enumerate().rev() {
            // Bit r stands for old line `old_len - 1 - r`.
            let middle = old_len as isize - 1 - j as isize;
            let low =
                (middle - half_width as isize).clamp(0, old_len as isize - 1) as usize / WORD_BITS;
            let high =
                (middle + half_width as isize).clamp(0, old_len as isize - 1) as usize / WORD_BITS;
            masks.with_mask(id, &mut scratch, |mask| {
                advance(&mut column[low..=high], &mask[low..=high]);
            });
            table.first_words[j] = low as u32;
            table.words[j * stride..j * stride + high - low + 1]
                .copy_from_slice(&column[low..=high]);
        }
        let common = old_len - count_spare(&column, old_len);
        let distance = old_len + new.len() - 2 * common;
        Some((table, distance))
    }

    /// Whether T[i+1][j] = T[i][j].
    pub(super) fn old_line_is_spare(&self, i: usize, j: usize) -> bool {
        let bit = self.old_len - 1 - i;
        let Some(word) = (bit / WORD_BITS).checked_sub(self.first_words[j] as usize) else {
            return true;
        };
        word < self.stride && self.words[j * self.stride + word] >> (bit % WORD_BITS) & 1 == 1
    }
}

/// One step of the dynamic programming: puts one new line before the suffix.
fn advance(column: &mut [u64], mask: &[u64]) {
    let mut carry = false;
    for (word, &matches) in column.iter_mut().zip(mask) {
        let hit = *word & matches;
        let (sum, over_sum) = word.overflowing_add(hit);
        let (sum, over_carry) = sum.overflowing_add(u64::from(carry));
        carry = over_sum || over_carry;
        *word = sum | (*word & !matches);
    }
}

/// Number of spare lines among the first `n_bits` bits.
fn count_spare(column: &[u64], n_bits: usize) -> usize {
    let ones: usize = column.iter().map(|word| word.count_ones() as usize).sum();
    let unused = column.len() * WORD_BITS - n_bits;
    // Bits beyond the text match nothing and so stay 1.
    ones - unused
}

/// Where each line number occurs in the old text.
struct Masks {
    /// Positions in bit order, grouped by line number.
    positions: Vec<u32>,
    /// Start of each group in `positions`, and the end of the last.
    starts: Vec<u32>,
    /// Ready masks of lines that occur so often that setting single bits would take longer.
    dense: Vec<Option<Vec<u64>>>,
}

impl Masks {
    fn of(old: &[u32]) -> Self {
        let n_ids = old.iter().max().map_or(0, |&id| id as usize + 1);
        let mut starts = vec![0_u32; n_ids + 1];
        for &id in old {
            starts[id as usize + 1] += 1;
        }
        for id in 0..n_ids {
            starts[id + 1] += starts[id];
        }
        let mut next = starts.clone();
        let mut positions = vec![0; old.len()];
        for (bit, &id) in old.iter().rev().enumerate() {
            positions[next[id as usize] as usize] = bit as u32;
            next[id as usize] += 1;
        }
        let n_words = old.len().div_ceil(WORD_BITS);
        let mut masks = Self {
            positions,
            starts,
            dense: Vec::new(),
        };
        masks.dense = (0..n_ids)
            .map(|id| {
                let bits = masks.bits(id as u32);
                (bits.len() > n_words).then(|| {
                    let mut mask = vec![0; n_words];
                    bits.iter().for_each(|&bit| set(&mut mask, bit));
                    mask
                })
            })
            .collect();
        masks
    }

    /// The positions of a line number.
    fn bits(&self, id: u32) -> &[u32] {
        let id = id as usize;
        match (self.starts.get(id), self.starts.get(id + 1)) {
            (Some(&start), Some(&end)) => &self.positions[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Lends the mask of a line number. `scratch` is all zero before and after.
    fn with_mask(&self, id: u32, scratch: &mut [u64], use_mask: impl FnOnce(&[u64])) {
        if let Some(Some(mask)) = self.dense.get(id as usize) {
            use_mask(mask);
            return;
        }
        let bits = self.bits(id);
        bits.iter().for_each(|&bit| set(scratch, bit));
        use_mask(scratch);
        bits.iter()
            .for_each(|&bit| scratch[bit as usize / WORD_BITS] = 0);
    }
}

/// Sets one bit.
fn set(mask: &mut [u64], bit: u32) {
    mask[bit as usize / WORD_BITS] |= 1 << (bit as usize % WORD_BITS);
}
