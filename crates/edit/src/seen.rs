//! Which lines of a file the model has been shown.
//!
//! Ranges of 1-based line numbers, kept sorted, apart and without gaps between neighbours. They follow the file
//! through changes. Deliberately absent: when and how the lines were shown.

use std::ops::Range;

use crate::align::Hunk;

/// A set of 1-based line numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineRanges {
    ranges: Vec<Range<usize>>,
}

impl LineRanges {
    /// No line.
    pub fn new() -> Self {
        Self::default()
    }

    /// The lines 1 to `n_lines`.
    pub fn all(n_lines: usize) -> Self {
        let mut all = Self::new();
        all.insert(1..n_lines + 1);
        all
    }

    /// Adds lines.
    pub fn insert(&mut self, lines: Range<usize>) {
        if lines.is_empty() {
            return;
        }
        let first = self.ranges.partition_point(|range| range.end < lines.start);
        let after = self
            .ranges
            .partition_point(|range| range.start <= lines.end);
        let mut joined = lines;
        for range in &self.ranges[first..after] {
            joined = joined.start.min(range.start)..joined.end.max(range.end);
        }
        self.ranges.splice(first..after, [joined]);
    }

    /// Adds the lines of another set.
    pub fn extend(&mut self, other: &Self) {
        other
            .ranges
            .iter()
            .for_each(|range| self.insert(range.clone()));
    }

    /// Whether a line is in the set.
    pub fn contains(&self, line: usize) -> bool {
        self.count_missing(line..line + 1) == 0
    }

    /// How many of these lines are not in the set.
    pub fn count_missing(&self, lines: Range<usize>) -> usize {
        let overlap = |range: &Range<usize>| {
            range
                .end
                .min(lines.end)
                .saturating_sub(range.start.max(lines.start))
        };
        lines.len() - self.ranges.iter().map(overlap).sum::<usize>()
    }

    /// The ranges, in order.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Where these lines are after a change: lines that go leave the set, lines that come are not in it, lines behind
    /// move.
    pub fn after_change(&self, hunks: &[Hunk]) -> Self {
        let mut moved = Self::new();
        let mut kept_from = 0;
        let mut new_from = 0;
        let end = Hunk {
            old: usize::MAX..usize::MAX,
            new: usize::MAX..usize::MAX,
        };
        for hunk in hunks.iter().chain([&end]) {
            // Kept lines in 1-based numbers; hunks count from 0.
            let kept = kept_from + 1..hunk.old.start.saturating_add(1);
            for range in &self.ranges {
                let start = range.start.max(kept.start);
                let end = range.end.min(kept.end);
                if start < end {
                    moved.insert(start - kept_from + new_from..end - kept_from + new_from);
                }
            }
            kept_from = hunk.old.end;
            new_from = hunk.new.end;
        }
        moved
    }
}

impl FromIterator<Range<usize>> for LineRanges {
    fn from_iter<T: IntoIterator<Item = Range<usize>>>(ranges: T) -> Self {
        let mut set = Self::new();
        ranges.into_iter().for_each(|range| set.insert(range));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn neighbours_join() {
        let set: LineRanges = [5..7, 1..3, 7..9, 3..4].into_iter().collect();
        assert_eq!(set.ranges(), [1..4, 5..9]);
        assert!(set.contains(8) && !set.contains(4) && !set.contains(9));
        assert_eq!(set.count_missing(3..11), 3);
    }

    #[test]
    fn lines_move_with_the_file() {
        let set: LineRanges = [1..4, 8..11].into_iter().collect();
        let hunks = [
            Hunk {
                old: 1..2,
                new: 1..4,
            },
            Hunk {
                old: 8..9,
                new: 10..10,
            },
        ];
        assert_eq!(set.after_change(&hunks).ranges(), [1..2, 5..6, 10..12]);
        assert_eq!(set.after_change(&[]), set);
    }

    proptest! {
        #[test]
        fn equals_a_plain_set(ranges in prop::collection::vec((1_usize..40, 0_usize..9), 0..12)) {
            let set: LineRanges = ranges.iter().map(|&(start, len)| start..start + len).collect();
            for line in 0..60 {
                let expected = ranges.iter().any(|&(start, len)| (start..start + len).contains(&line));
                prop_assert_eq!(set.contains(line), expected);
            }
            prop_assert!(set.ranges().windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }
}
