//! A set of 1-based line numbers as sorted ranges that neither overlap nor touch.

use std::ops::RangeInclusive;

/// Lines of a file, such as those a model was shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineRanges(Vec<(u64, u64)>);

impl LineRanges {
    /// No line.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// First and last line of every range, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// Adds the lines of one range; an empty range adds nothing.
    pub fn insert(&mut self, lines: RangeInclusive<u64>) {
        let (mut first, mut last) = (*lines.start(), *lines.end());
        if first > last {
            return;
        }
        // Ranges that touch become one, hence the 1.
        let start = self
            .0
            .partition_point(|(_, end)| end.saturating_add(1) < first);
        let end = self
            .0
            .partition_point(|(begin, _)| *begin <= last.saturating_add(1));
        if let Some((begin, _)) = self.0.get(start).filter(|_| start < end) {
            first = first.min(*begin);
        }
        if let Some((_, finish)) = end
            .checked_sub(1)
            .and_then(|at| self.0.get(at))
            .filter(|_| start < end)
        {
            last = last.max(*finish);
        }
        self.0.splice(start..end, [(first, last)]);
    }

    /// Adds all lines of another set.
    pub fn extend(&mut self, other: &Self) {
        for (first, last) in &other.0 {
            self.insert(*first..=*last);
        }
    }

    /// Whether the line is in the set.
    #[must_use]
    pub fn contains(&self, line: u64) -> bool {
        let at = self.0.partition_point(|(_, last)| *last < line);
        self.0.get(at).is_some_and(|(first, _)| *first <= line)
    }

    /// Whether all lines of the range are in the set; true for an empty range.
    #[must_use]
    pub fn contains_all(&self, lines: RangeInclusive<u64>) -> bool {
        if lines.is_empty() {
            return true;
        }
        let at = self.0.partition_point(|(_, last)| last < lines.start());
        self.0
            .get(at)
            .is_some_and(|(first, last)| first <= lines.start() && last >= lines.end())
    }

    /// How many lines of `1..=n_lines` are not in the set.
    #[must_use]
    pub fn n_missing_of(&self, n_lines: u64) -> u64 {
        let covered: u64 = self
            .0
            .iter()
            .filter(|(first, _)| *first <= n_lines)
            .map(|(first, last)| (*last).min(n_lines) - first + 1)
            .sum();
        n_lines - covered
    }

    /// The set after `n_old` lines from line `at` on gave way to `n_new` lines.
    ///
    /// Lines before stay, lines after move, the replaced lines leave the set; the new ones are not in it.
    #[must_use]
    pub fn after_replacing(&self, at: u64, n_old: u64, n_new: u64) -> Self {
        let first_after = at + n_old;
        let mut mapped = Self::new();
        for (first, last) in &self.0 {
            if *first < at {
                mapped.insert(*first..=(*last).min(at - 1));
            }
            if *last >= first_after {
                let moved = |line: u64| line - n_old + n_new;
                mapped.insert(moved((*first).max(first_after))..=moved(*last));
            }
        }
        mapped
    }
}

impl FromIterator<RangeInclusive<u64>> for LineRanges {
    fn from_iter<I: IntoIterator<Item = RangeInclusive<u64>>>(ranges: I) -> Self {
        let mut set = Self::new();
        for range in ranges {
            set.insert(range);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::LineRanges;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(ranges: &[(u64, u64)]) -> LineRanges {
        ranges.iter().map(|(first, last)| *first..=*last).collect()
    }

    #[test]
    fn ranges_that_touch_become_one() {
        let check = |given: &[(u64, u64)], expected: &[(u64, u64)]| {
            assert_eq!(set(given).as_slice(), expected, "{given:?}");
        };
        check(&[], &[]);
        check(&[(3, 2)], &[]);
        check(&[(1, 3), (4, 6)], &[(1, 6)]);
        check(&[(4, 6), (1, 2)], &[(1, 2), (4, 6)]);
        check(&[(1, 1), (5, 5), (9, 9), (2, 8)], &[(1, 9)]);
        check(&[(1, 10), (3, 4)], &[(1, 10)]);
    }

    #[test]
    fn a_replacement_moves_what_follows() {
        let check = |given: &[(u64, u64)], (at, n_old, n_new), expected: &[(u64, u64)]| {
            let mapped = set(given).after_replacing(at, n_old, n_new);
            assert_eq!(mapped.as_slice(), expected, "{given:?}");
        };
        check(&[(1, 10)], (4, 2, 5), &[(1, 3), (9, 13)]);
        check(&[(1, 10)], (4, 2, 0), &[(1, 8)]);
        check(&[(5, 6)], (1, 0, 3), &[(8, 9)]);
        check(&[(5, 6)], (20, 1, 9), &[(5, 6)]);
        check(&[(5, 6)], (5, 2, 1), &[]);
    }

    proptest! {
        #[test]
        fn behaves_like_a_set_of_lines(
            ranges in proptest::collection::vec((1_u64..60, 0_u64..12), 0..12),
            at in 1_u64..60, n_old in 0_u64..10, n_new in 0_u64..10,
        ) {
            let ranges: Vec<_> = ranges.iter().map(|(first, n)| (*first, first + n)).collect();
            let lines: BTreeSet<u64> = ranges.iter().flat_map(|(a, b)| *a..=*b).collect();
            let found = set(&ranges);
            for line in 1..80 {
                prop_assert_eq!(found.contains(line), lines.contains(&line));
            }
            prop_assert!(found.as_slice().windows(2).all(|w| w[0].1 + 1 < w[1].0));
            let missing = (1..=40).filter(|line| !lines.contains(line)).count() as u64;
            prop_assert_eq!(found.n_missing_of(40), missing);
            prop_assert_eq!(found.contains_all(at..=at + n_old), (at..=at + n_old).all(|l| lines.contains(&l)));
            let moved = found.after_replacing(at, n_old, n_new);
            let expected: BTreeSet<u64> = lines
                .iter()
                .filter(|line| **line < at || **line >= at + n_old)
                .map(|line| if *line < at { *line } else { line - n_old + n_new })
                .collect();
            for line in 1..90 {
                prop_assert_eq!(moved.contains(line), expected.contains(&line));
            }
        }
    }
}
