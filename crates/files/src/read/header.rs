//! The line in front of a page that says what the lines cannot show.

use super::numbered::Numbered;
use edit::TextFile;
use protocol::diff::Eol;
use std::path::Path;

/// Undecodable bytes that are named by place.
const MAX_OPAQUE_PLACES: usize = 5;
/// Suspicious characters that are named by place.
const MAX_SUSPICIOUS_PLACES: usize = 10;
/// Prose has curly quotes by right.
const PROSE_EXTENSIONS: [&str; 9] = [
    "md", "markdown", "mdx", "txt", "rst", "adoc", "tex", "html", "htm",
];

/// Everything about a file that is not ordinary; `None` if all of it is.
pub(super) fn header(
    file: &TextFile<'_>,
    path: &Path,
    page: &Numbered,
    n_total: usize,
) -> Option<String> {
    if file.text().is_empty() {
        let bom = if file.has_bom() {
            ", byte order mark only"
        } else {
            ""
        };
        return Some(format!(
            "[file is empty: {} bytes{bom}]",
            file.bytes().len()
        ));
    }
    let mut parts = Vec::new();
    if page.n_lines < n_total {
        let last = page.first + page.n_lines - 1;
        parts.push(format!("lines {}-{last} of {n_total}", page.first));
    }
    parts.extend(encoding_part(file));
    parts.extend(breaks_part(file));
    if !file.ends_with_break() {
        parts.push("no newline at end of file".to_owned());
    }
    let n_opaque = file.count_opaque();
    if n_opaque > 0 {
        let places: Vec<String> = file
            .opaque_positions()
            .take(MAX_OPAQUE_PLACES)
            .map(|place| place.to_string())
            .collect();
        let rest = if n_opaque > places.len() { ", …" } else { "" };
        parts.push(format!(
            "{n_opaque} undecodable bytes at {}{rest}",
            places.join(", ")
        ));
    }
    parts.extend(suspicious_part(file.text(), path, page));
    (!parts.is_empty()).then(|| format!("[{}]", parts.join("; ")))
}

fn encoding_part(file: &TextFile<'_>) -> Option<String> {
    let label = file.encoding().label();
    let bom = if file.has_bom() { " with BOM" } else { "" };
    let guessed = if file.is_encoding_guessed() {
        " (guessed)"
    } else {
        ""
    };
    (label != "utf-8" || file.has_bom()).then(|| format!("encoding {label}{bom}{guessed}"))
}

fn breaks_part(file: &TextFile<'_>) -> Vec<String> {
    let breaks = file.breaks();
    let mut parts = Vec::new();
    match breaks.eol() {
        Eol::Lf | Eol::None => {}
        Eol::Crlf => parts.push("CRLF line ends".to_owned()),
        Eol::Mixed => {
            parts.push(format!(
                "mixed line ends: {} LF, {} CRLF",
                breaks.n_lf, breaks.n_crlf
            ));
        }
    }
    if breaks.n_lone_cr > 0 {
        parts.push(format!("{} CR without LF", breaks.n_lone_cr));
    }
    parts
}

/// Characters on this page that look like others or like nothing.
fn suspicious_part(text: &str, path: &Path, page: &Numbered) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or("");
    let is_source = !PROSE_EXTENSIONS
        .iter()
        .any(|prose| extension.eq_ignore_ascii_case(prose));
    let lines = text
        .split_inclusive('\n')
        .enumerate()
        .skip(page.first - 1)
        .take(page.n_lines);
    let mut places = Vec::new();
    for (index, line) in lines.filter(|(_, line)| !line.is_ascii()) {
        for (column, c) in line.chars().enumerate() {
            let is_suspicious = is_invisible(c) || (is_source && is_curly_quote(c));
            if !is_suspicious {
                continue;
            }
            if places.len() == MAX_SUSPICIOUS_PLACES {
                places.push("…".to_owned());
                return Some(suspicious_text(&places));
            }
            places.push(format!(
                "{}:{} U+{:04X}",
                index + 1,
                column + 1,
                u32::from(c)
            ));
        }
    }
    (!places.is_empty()).then(|| suspicious_text(&places))
}

fn suspicious_text(places: &[String]) -> String {
    format!("suspicious characters at {}", places.join(", "))
}

/// Blanks that are not blanks, characters without width, controls of the writing direction.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{A0}' | '\u{AD}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{202F}'
        | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{3000}' | '\u{FEFF}')
}

fn is_curly_quote(c: char) -> bool {
    matches!(c, '\u{2018}'..='\u{201F}')
}
