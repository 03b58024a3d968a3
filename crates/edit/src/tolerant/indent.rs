//! How the indentation of a place differs from that of a text: in one way for all lines, or the edit is refused.
//!
//! Deliberately absent: scaling, and repairing a first line without indentation; both indent twice what was right.

use std::borrow::Cow;

use super::project::Projection;
use super::{Refused, refused};
use crate::lines::part;
use crate::normalize::{indentation, trim_blanks};
use crate::refusal::RefusalReason;

/// Blanks that a TAB may stand for.
const TAB_WIDTHS: [usize; 4] = [2, 3, 4, 8];

/// What turns the model's indentation into the file's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shift {
    /// Nothing.
    None,
    /// This goes before.
    Add(String),
    /// This goes from the start.
    Remove(String),
    /// So many blanks become a TAB.
    ToTabs(usize),
    /// A TAB becomes so many blanks.
    ToBlanks(usize),
}

impl Shift {
    /// The one way in which all lines differ.
    pub(super) fn of(place: &Projection<'_>) -> Result<Self, Refused> {
        let pairs = place.old.iter().zip(&place.file);
        let pairs: Vec<(&str, &str)> = pairs
            .filter(|(old, _)| !trim_blanks(old).is_empty())
            .map(|(old, file)| (indentation(old), indentation(file)))
            .collect();
        let Some(&(model, file)) = pairs.first() else {
            return refused(RefusalReason::IndentNonuniform);
        };
        let mut ways = Vec::from([Self::None]);
        ways.extend(
            file.strip_suffix(model)
                .map(|more| Self::Add(more.to_owned())),
        );
        ways.extend(
            model
                .strip_suffix(file)
                .map(|more| Self::Remove(more.to_owned())),
        );
        ways.extend(TAB_WIDTHS.map(Self::ToTabs));
        ways.extend(TAB_WIDTHS.map(Self::ToBlanks));
        let fits = |way: &Self| pairs.iter().all(|&(model, file)| way.turns(model, file));
        match ways.into_iter().find(fits) {
            Some(way) => Ok(way),
            None => refused(RefusalReason::IndentNonuniform),
        }
    }

    fn turns(&self, model: &str, file: &str) -> bool {
        match self {
            Self::None => model == file,
            Self::Add(more) => file.strip_suffix(model) == Some(more),
            Self::Remove(more) => model.strip_suffix(file) == Some(more),
            Self::ToTabs(_) | Self::ToBlanks(_) => self.converted(model).as_deref() == Some(file),
        }
    }

    /// Indentation turned from one kind to the other; `None` if it is not wholly the one.
    fn converted(&self, indentation: &str) -> Option<String> {
        let is_all = |kind: char| indentation.chars().all(|c| c == kind);
        match self {
            Self::ToTabs(width) => {
                let is_whole = is_all(' ') && indentation.len().is_multiple_of(*width);
                is_whole.then(|| "\t".repeat(indentation.len() / width))
            }
            Self::ToBlanks(width) => is_all('\t').then(|| " ".repeat(indentation.len() * width)),
            Self::None | Self::Add(_) | Self::Remove(_) => None,
        }
    }

    /// A line of the new text as it is in the file. Blank lines stay as given.
    pub(super) fn applied<'t>(
        &self,
        line: &'t str,
        line_idx: usize,
    ) -> Result<Cow<'t, str>, Refused> {
        if trim_blanks(line).is_empty() {
            return Ok(Cow::Borrowed(line));
        }
        let own = indentation(line);
        let rest = part(line, own.len()..line.len());
        let indented = match self {
            Self::None => return Ok(Cow::Borrowed(line)),
            Self::Add(more) => own
                .chars()
                .all(|c| more.contains(c))
                .then(|| [more, line].concat()),
            Self::Remove(more) => line.strip_prefix(more.as_str()).map(str::to_owned),
            Self::ToTabs(_) | Self::ToBlanks(_) => self.converted(own).map(|own| own + rest),
        };
        match indented {
            Some(line) => Ok(Cow::Owned(line)),
            None => refused(RefusalReason::IndentUnmappable {
                new_line: line_idx + 1,
            }),
        }
    }
}
