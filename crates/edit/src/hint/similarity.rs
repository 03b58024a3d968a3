//! How similar two lines are: 1 minus the edit distance over the longer length, in characters.

/// Longer lines are compared by their start; the distance takes time by the square.
pub(super) const MAX_COMPARED_CHARS: usize = 400;

/// Classes of characters that are counted for the quick bound.
const N_CLASSES: usize = 32;

/// A line ready to be compared.
#[derive(Debug, Clone)]
pub(super) struct ComparedLine {
    chars: Vec<char>,
    /// How often each class of characters occurs.
    counts: [u16; N_CLASSES],
}

impl ComparedLine {
    pub(super) fn of(line: &str) -> Self {
        let chars: Vec<char> = line.chars().take(MAX_COMPARED_CHARS).collect();
        let mut counts = [0; N_CLASSES];
        for &c in &chars {
            counts[c as usize % N_CLASSES] += 1;
        }
        Self { chars, counts }
    }

    /// At least the similarity: no alignment keeps more characters of a class than both lines have.
    pub(super) fn similarity_bound(&self, other: &Self) -> f64 {
        let longer = self.chars.len().max(other.chars.len());
        if longer == 0 {
            return 1.0;
        }
        let common: u32 = self
            .counts
            .iter()
            .zip(&other.counts)
            .map(|(a, b)| u32::from(*a.min(b)))
            .sum();
        f64::from(common) / longer as f64
    }

    /// The similarity, and how many steps it took.
    pub(super) fn similarity(&self, other: &Self) -> (f64, usize) {
        let longer = self.chars.len().max(other.chars.len());
        if longer == 0 {
            return (1.0, 1);
        }
        let (distance, steps) = distance(&self.chars, &other.chars);
        (1.0 - distance as f64 / longer as f64, steps)
    }
}

/// The similarity of two lines. Lines that are too long to be compared whole are equal or not similar at all.
pub(crate) fn line_similarity(a: &str, b: &str) -> f64 {
    let is_long = |line: &str| line.chars().nth(MAX_COMPARED_CHARS).is_some();
    if a == b {
        1.0
    } else if is_long(a) || is_long(b) {
        0.0
    } else {
        ComparedLine::of(a).similarity(&ComparedLine::of(b)).0
    }
}

/// The edit distance of Levenshtein, and how many steps it took.
fn distance(a: &[char], b: &[char]) -> (usize, usize) {
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[head..], &b[head..]);
    let tail = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    let (a, b) = (&a[..a.len() - tail], &b[..b.len() - tail]);
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(x != y))
                .min(above + 1)
                .min(row[j] + 1);
            diagonal = above;
        }
    }
    (row[b.len()], head + tail + a.len() * b.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_distance_is_levenshteins() {
        let check = |a: &str, b: &str, expected: usize| {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            assert_eq!(distance(&chars(a), &chars(b)).0, expected, "{a} {b}");
        };
        check("", "", 0);
        check("", "abc", 3);
        check("kitten", "sitting", 3);
        check("flaw", "lawn", 2);
        check("größe", "grösse", 2);
    }

    #[test]
    fn long_lines_are_equal_or_not() {
        let long = "x".repeat(500);
        assert_eq!(line_similarity(&long, &long), 1.0);
        assert_eq!(line_similarity(&long, &format!("{long}y")), 0.0);
        assert_eq!(line_similarity("", ""), 1.0);
        assert_eq!(line_similarity("abcd", "abce"), 0.75);
    }

    proptest! {
        #[test]
        fn the_bound_is_a_bound(a in "[a-f ]{0,12}", b in "[a-f ]{0,12}") {
            let (a, b) = (ComparedLine::of(&a), ComparedLine::of(&b));
            prop_assert!(a.similarity(&b).0 <= a.similarity_bound(&b) + 1e-9);
        }
    }
}
