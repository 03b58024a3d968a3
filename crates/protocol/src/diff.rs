//! What changed in a file, and by whom.
//!
//! Two pairs of counts travel with every change: what the model proposed (base to proposal) and what the person
//! changed in that proposal (proposal to final). [`NetStat`] is the honest sum of both, line by line.
//! Deliberately absent: how the counts are made; that is the `edit` crate.

use serde::{Deserialize, Serialize};

/// Line and character counts of one change. All numbers are whole lines or Unicode scalar values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct DiffStat {
    /// Lines the model added: base to proposal.
    pub model_added_lines: u64,
    /// Lines the model removed: base to proposal.
    pub model_removed_lines: u64,
    /// Characters of the lines the model added, without line ends.
    pub model_added_chars: u64,
    /// Characters of the lines the model removed, without line ends.
    pub model_removed_chars: u64,
    /// Lines the person added: proposal to final.
    pub user_added_lines: u64,
    /// Lines the person removed: proposal to final.
    pub user_removed_lines: u64,
    /// Characters of the lines the person added, without line ends.
    pub user_added_chars: u64,
    /// Characters of the lines the person removed, without line ends.
    pub user_removed_chars: u64,
    /// Pairs of a removed and an added line, base to proposal, that differ in white space alone.
    pub model_whitespace_only_lines: u64,
    /// Pairs of a removed and an added line, proposal to final, that differ in white space alone.
    pub user_whitespace_only_lines: u64,
    /// Who owns the lines that really changed between base and final.
    pub net: NetStat,
    /// The last line gained or lost its line end; no line counts for it.
    pub final_newline_changed: bool,
    /// The texts were too large to count exactly.
    #[serde(default)]
    pub approximate: bool,
}

/// The lines that really changed between base and final, split by owner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NetStat {
    /// Lines of the final text that the model added and the person kept.
    pub ai_added: u64,
    /// All other new lines of the final text.
    pub human_added: u64,
    /// Lines of the base that are gone because the model removed them.
    pub ai_removed: u64,
    /// All other lines of the base that are gone.
    pub human_removed: u64,
    /// Lines the model added that the person deleted or rewrote.
    pub ai_added_undone: u64,
    /// Lines the model removed that the person brought back.
    pub ai_removed_undone: u64,
}

/// How the line ends of a file look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Eol {
    /// Every break is LF.
    Lf,
    /// Every break is CRLF.
    Crlf,
    /// Both occur.
    Mixed,
    /// The text has no break.
    None,
}

/// A change of one file as it is shown: before a decision in the card, after it in the transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FileDiff {
    /// Absolute path of the file.
    pub file_path: String,
    /// The path as people read it: relative to the workspace where it lies inside.
    pub display_path: String,
    /// The file did not exist before.
    pub is_new: bool,
    /// Unified diff, context 3, line ends shown as LF.
    pub unified_diff: String,
    /// The text before, with LF line ends; absent above 1 MB.
    pub base_text: Option<String>,
    /// The text after, with LF line ends; absent above 1 MB.
    pub new_text: Option<String>,
    /// The counts.
    pub stat: DiffStat,
    /// The matching layer that found the place: `L1` is exact.
    pub layer: String,
    /// Encoding label such as `utf-8` or `gbk`.
    pub encoding: String,
    /// The encoding was guessed from the bytes.
    pub encoding_guessed: bool,
    /// The file starts with a byte order mark.
    pub bom: bool,
    /// Line ends of the file before the change.
    pub eol: Eol,
    /// Codes such as `FINAL_NEWLINE_REMOVED`.
    pub warnings: Vec<String>,
    /// The person changed the proposal before allowing it.
    #[serde(default)]
    pub changed_by_user: bool,
    /// The cell, where a cell of a notebook changes: texts, diff and counts are those of its source then.
    #[serde(default)]
    pub notebook: Option<NotebookCell>,
}

/// Which cell of a notebook changes, and how the file does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NotebookCell {
    /// What happens to it.
    pub mode: CellMode,
    /// Its place, counted from 1.
    pub number: u64,
    /// Cells of the notebook afterwards.
    pub n_cells: u64,
    /// Its id, if it has one.
    pub id: Option<String>,
    /// `code`, `markdown`, `raw`.
    pub cell_type: String,
    /// Unified diff of the file as it is on disk.
    pub raw_diff: String,
}

/// What happens to a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CellMode {
    /// It gets another source.
    Replace,
    /// It is new.
    Insert,
    /// It goes.
    Delete,
}
