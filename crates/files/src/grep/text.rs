//! The result as the model reads it.

use super::{FileLines, GrepFound, GrepRows, Line, LineKind, LineNumbers};
use std::fmt::Write;

impl GrepFound {
    /// Header, rows, notes.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = self.header();
        text.push('\n');
        if self.total.n > 0 {
            text.push('\n');
        }
        match &self.rows {
            GrepRows::Files(rows) => rows
                .iter()
                .for_each(|row| push_line(&mut text, &row.display)),
            GrepRows::Counts(rows) => {
                for row in rows {
                    push_line(&mut text, &format!("{}:{}", row.display, row.n));
                }
                if let Some(n) = self.n_matches.filter(|_| !rows.is_empty()) {
                    push_line(&mut text, &format!("total {n} in {} files", self.n_files));
                }
            }
            GrepRows::Lines(files) => {
                for (index, file) in files.iter().enumerate() {
                    if index > 0 {
                        text.push('\n');
                    }
                    push_file(&mut text, file, self.numbers);
                }
            }
        }
        self.notes
            .iter()
            .for_each(|note| push_line(&mut text, note));
        text
    }

    fn header(&self) -> String {
        let Self {
            pattern,
            place,
            n_files,
            ..
        } = self;
        if self.total.n == 0 {
            return format!("No matches for /{pattern}/ {place}");
        }
        let files = if n_files.n == 1 && n_files.is_exact {
            "file"
        } else {
            "files"
        };
        match self.n_matches {
            Some(n) => {
                let matches = if n.n == 1 && n.is_exact {
                    "match"
                } else {
                    "matches"
                };
                format!("Found {n} {matches} in {n_files} {files} for /{pattern}/ {place}")
            }
            None => format!("Found matches in {n_files} {files} for /{pattern}/ {place}"),
        }
    }
}

fn push_file(text: &mut String, file: &FileLines, numbers: LineNumbers) {
    push_line(text, &file.display);
    let has_context = file.lines.iter().any(|line| line.kind == LineKind::Context);
    let mut last: Option<usize> = None;
    for line in &file.lines {
        if has_context && last.is_some_and(|last| line.number > last + 1) {
            push_line(text, "--");
        }
        push_shown(text, line, numbers);
        last = Some(line.number);
    }
}

fn push_shown(text: &mut String, line: &Line, numbers: LineNumbers) {
    let separator = match line.kind {
        LineKind::Match | LineKind::MatchContinued => ':',
        LineKind::Context => '-',
        LineKind::Omitted => {
            push_line(text, &line.text);
            return;
        }
    };
    let written = match numbers {
        LineNumbers::Shown => writeln!(text, "{}{separator}{}", line.number, line.text),
        LineNumbers::Hidden => writeln!(text, "{separator}{}", line.text),
    };
    // Writing to a string cannot fail.
    written.unwrap_or(());
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}
