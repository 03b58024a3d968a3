//! Reading the text of a patch.

use super::{Chunk, ChunkLine, FilePatch};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";
/// How a shell would be given the patch; models write this around it at times.
const HEREDOC_STARTS: [&str; 3] = ["<<EOF", "<<'EOF'", "<<\"EOF\""];
const HEREDOC_END: &str = "EOF";

/// What cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the patch: {problem}")]
pub struct PatchSyntax {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

/// Reads a patch. Empty if it asks for nothing.
///
/// # Errors
/// [`PatchSyntax`] with the first line that does not fit.
pub fn parse_patch(text: &str) -> Result<Vec<FilePatch>, PatchSyntax> {
    let mut lines = Lines::of(text);
    lines.expect(BEGIN)?;
    let mut files = Vec::new();
    loop {
        let Some(line) = lines.next() else {
            return Err(lines.wrong(format!("the patch must end with `{END}`")));
        };
        let marker = line.trim();
        if marker == END {
            return match lines.peek() {
                None => Ok(files),
                Some(_) => Err(lines.wrong_next(format!("nothing may follow `{END}`"))),
            };
        }
        files.push(if let Some(path) = marker.strip_prefix(ADD) {
            add(path, &mut lines)
        } else if let Some(path) = marker.strip_prefix(DELETE) {
            FilePatch::Delete {
                path: path.trim().to_owned(),
            }
        } else if let Some(path) = marker.strip_prefix(UPDATE) {
            update(path, &mut lines)?
        } else {
            return Err(lines.wrong(format!(
                "expected `{ADD}`, `{DELETE}` or `{UPDATE}` with a path, or `{END}`, not `{marker}`"
            )));
        });
    }
}

fn add(path: &str, lines: &mut Lines<'_>) -> FilePatch {
    let mut content = String::new();
    while let Some(line) = lines.peek().and_then(|line| line.strip_prefix('+')) {
        content.push_str(line);
        content.push('\n');
        lines.next();
    }
    FilePatch::Add {
        path: path.trim().to_owned(),
        content,
    }
}

fn update(path: &str, lines: &mut Lines<'_>) -> Result<FilePatch, PatchSyntax> {
    let move_to = lines
        .peek()
        .and_then(|line| line.trim().strip_prefix(MOVE))
        .map(|to| to.trim().to_owned());
    if move_to.is_some() {
        lines.next();
    }
    let mut chunks = Vec::new();
    while lines.peek().is_some_and(|line| !begins_file(line)) {
        chunks.push(chunk(lines, chunks.is_empty())?);
    }
    if chunks.is_empty() && move_to.is_none() {
        return Err(
            lines.wrong("an update needs at least one chunk, or `*** Move to: `".to_owned())
        );
    }
    Ok(FilePatch::Update {
        path: path.trim().to_owned(),
        move_to,
        chunks,
    })
}

/// Reads a chunk; the first of a file may come without `@@`.
fn chunk(lines: &mut Lines<'_>, is_first: bool) -> Result<Chunk, PatchSyntax> {
    let mut chunk = Chunk::default();
    match lines.peek().and_then(chunk_head) {
        Some(after) => {
            chunk.after = (!after.is_empty()).then(|| after.to_owned());
            lines.next();
        }
        None if is_first => {}
        None => return Err(lines.wrong_next("expected `@@`".to_owned())),
    }
    while let Some(line) = lines.peek() {
        if chunk_head(line).is_some() || begins_file(line) {
            break;
        }
        lines.next();
        if line.trim() == END_OF_FILE {
            chunk.at_end = true;
            break;
        }
        chunk.lines.push(chunk_line(line).ok_or_else(|| {
            lines.wrong(format!(
                "a line of a chunk begins with a blank, `+` or `-`, not as in `{line}`"
            ))
        })?);
    }
    if chunk.lines.is_empty() {
        return Err(lines.wrong("a chunk needs at least one line".to_owned()));
    }
    Ok(chunk)
}

/// The text after `@@`.
fn chunk_head(line: &str) -> Option<&str> {
    let rest = line.trim_end().strip_prefix("@@")?;
    match rest.strip_prefix(' ') {
        Some(after) => Some(after),
        None if rest.is_empty() => Some(rest),
        None => None,
    }
}

fn chunk_line(line: &str) -> Option<ChunkLine> {
    // Many a program takes the blank of an empty context line away.
    if line.is_empty() {
        return Some(ChunkLine::Keep(String::new()));
    }
    let text = |prefix| line.strip_prefix(prefix).map(str::to_owned);
    text(' ')
        .map(ChunkLine::Keep)
        .or_else(|| text('+').map(ChunkLine::Add))
        .or_else(|| text('-').map(ChunkLine::Remove))
}

/// Whether the chunks of a file are over. A line that is content is none of these.
fn begins_file(line: &str) -> bool {
    if line.starts_with([' ', '+', '-']) {
        return false;
    }
    let marker = line.trim();
    marker == END
        || [ADD, DELETE, UPDATE]
            .iter()
            .any(|start| marker.starts_with(start))
}

/// The lines of a patch, without what a shell would need around it.
struct Lines<'a> {
    lines: Vec<&'a str>,
    /// Of the next line.
    at: usize,
    /// Lines before the first.
    n_before: usize,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let all: Vec<&str> = text.lines().collect();
        let is_blank = |line: &&str| line.trim().is_empty();
        let n_blank = all.iter().take_while(|line| is_blank(line)).count();
        let mut lines = all.get(n_blank..).unwrap_or_default().to_vec();
        while lines.last().is_some_and(is_blank) {
            lines.pop();
        }
        let is_wrapped = lines
            .first()
            .is_some_and(|line| HEREDOC_STARTS.contains(&line.trim()))
            && lines.last().is_some_and(|line| line.trim() == HEREDOC_END);
        if is_wrapped {
            lines.pop();
            lines.remove(0);
        }
        Self {
            lines,
            at: 0,
            n_before: n_blank + usize::from(is_wrapped),
        }
    }

    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'a str> {
        let line = self.peek()?;
        self.at += 1;
        Some(line)
    }

    fn expect(&mut self, marker: &str) -> Result<(), PatchSyntax> {
        match self.next() {
            Some(line) if line.trim() == marker => Ok(()),
            Some(_) | None => {
                self.at = 1;
                Err(self.wrong(format!("the patch must begin with `{marker}`")))
            }
        }
    }

    /// Something is wrong with the line that was read last.
    fn wrong(&self, problem: String) -> PatchSyntax {
        PatchSyntax {
            line: self.n_before + self.at,
            problem,
        }
    }

    /// Something is wrong with the line that comes next.
    fn wrong_next(&self, problem: String) -> PatchSyntax {
        PatchSyntax {
            line: self.n_before + self.at + 1,
            problem,
        }
    }
}
