//! Which pages of a document are asked for.

/// So many pages are read at once.
const MAX_PAGES: u32 = 20;
/// Higher numbers are a mistake.
const MAX_PAGE_NUMBER: u32 = 1_000_000;

/// Some pages, both ends included. At most [`PdfPages::MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PdfPages {
    /// From 1.
    pub first: u32,
    /// At least `first`.
    pub last: u32,
}

impl PdfPages {
    /// The most pages of one call.
    pub const MAX: u32 = MAX_PAGES;

    /// The first pages of a document with this many.
    #[must_use]
    pub fn from_start(n_pages: u32) -> Self {
        Self {
            first: 1,
            last: n_pages.clamp(1, MAX_PAGES),
        }
    }

    /// Reads `N` or `N-M`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| {
            let digits = text.trim();
            let is_number = digits.chars().all(|c| c.is_ascii_digit());
            digits.parse().ok().filter(|_| is_number)
        };
        let (first, last): (u32, u32) = match text.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(text)?, number(text)?),
        };
        let fits = first >= 1 && first <= last && last <= MAX_PAGE_NUMBER;
        (fits && last - first < MAX_PAGES).then_some(Self { first, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(u32, u32)>) {
        let pages = PdfPages::parse(text).map(|pages| (pages.first, pages.last));
        assert_eq!(pages, expected, "{text:?}");
    }

    #[test]
    fn a_range_has_two_ends_and_few_pages() {
        check("3", Some((3, 3)));
        check("1-20", Some((1, 20)));
        check(" 2 - 4 ", Some((2, 4)));
        check("1-21", None);
        check("4-", None);
        check("-4", None);
        check("0", None);
        check("5-4", None);
        check("1,3", None);
        check("+1", None);
        check("1000001", None);
        check("", None);
    }
}
