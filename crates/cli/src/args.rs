//! The command line.

use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A workbench for coding agents, without a window.
#[derive(Parser)]
#[command(
    name = "benchdog",
    version,
    about,
    after_help = "Exit codes: 0 completed, 1 ended otherwise, 2 wrong use, 3 store unusable, 130 interrupted."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Runs one turn and prints the answer.
    Run(Box<RunArgs>),
    /// Lists, shows or deletes sessions.
    Sessions(SessionsArgs),
    /// Checks what the program needs.
    Doctor,
}

/// `run`.
#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// Which kind of model answers.
    #[arg(long, value_enum)]
    pub(crate) provider: Option<ProviderName>,
    /// Where the provider answers, such as http://127.0.0.1:8080/v1 [default: OPENAI_BASE_URL].
    #[arg(long)]
    pub(crate) base_url: Option<String>,
    /// Model name [default: OPENAI_MODEL].
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// The model can look at pictures [default: judged by its name].
    #[arg(long)]
    pub(crate) vision: bool,
    /// The folder to work in [default: the current one].
    #[arg(long)]
    pub(crate) workspace: Option<PathBuf>,
    /// Script of the demo model.
    #[arg(long)]
    pub(crate) script: Option<PathBuf>,
    /// The demo model answers without pauses.
    #[arg(long)]
    pub(crate) instant: bool,
    /// Who answers questions: `all` allows, `none` declines, `ask` reads the answers from standard input, a file holds them.
    ///
    /// With `all`, a change that a person must look at, such as one at a place that a loose match found, is refused.
    ///
    /// With `ask`, each line of standard input is one answer to an `ask_opened` event of `--json`:
    /// {"call_id": "…", "proposal_id": "…", "decision": {"kind": "allow", "scope": "once"}}. Other decisions are
    /// {"kind": "deny", "words": "…" or null}, {"kind": "modify", "final_text": "…"} and {"kind": "answer", "answers":
    /// [{"options": ["…"], "other": null}]}. What is still open at the end of the input is declined.
    ///
    /// The file is a JSON array of {"tool": "edit", "decision": {…}}; each question takes the first unused entry whose
    /// tool is its own or absent, and is declined without one.
    #[arg(long, default_value = "none")]
    pub(crate) approve: String,
    /// Steps the turn may take.
    #[arg(long)]
    pub(crate) max_steps: Option<u32>,
    /// Go on with the newest session of the folder.
    #[arg(long = "continue", conflicts_with = "session")]
    pub(crate) resume: bool,
    /// Go on with this session.
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Print every event as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// What to say; `-` reads standard input.
    pub(crate) prompt: Option<String>,
}

/// Kinds of models.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProviderName {
    /// Scripted; needs no network and no key.
    Demo,
    /// Chat Completions.
    Openai,
}

/// `sessions`.
#[derive(clap::Args)]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<SessionsCommand>,
}

/// What to do with sessions.
#[derive(Subcommand)]
pub(crate) enum SessionsCommand {
    /// All sessions, newest first. The default.
    List {
        /// Only those of this folder.
        #[arg(long)]
        workspace: Option<PathBuf>,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// The newest rows of a session, as JSON.
    Show {
        /// Which one.
        id: String,
        /// Who wrote the files that it changed, line by line, instead.
        #[arg(long)]
        authorship: bool,
    },
    /// Deletes a session for good.
    Delete {
        /// Which one.
        id: String,
    },
}
