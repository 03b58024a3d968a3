//! Every command of the window, in one list.
//!
//! The list is replayed by macro: the TypeScript `Commands` map, the dispatcher in `app` and the list of names all
//! come from it. Adding a command is one line here and one method there; forgetting either does not compile.

use crate::confirmation::Decision;
use crate::error::ApiError;
use crate::ids::{CallId, OpId, ProposalId, SessionId};
use crate::item::Item;
use crate::session::{Delivery, Mode, SessionSummary};
use crate::settings::{ProviderEntry, Settings};

use serde::{Deserialize, Serialize};

/// Replays the list of commands through another macro: `name(Request) -> Response` per line.
#[macro_export]
macro_rules! for_each_command {
    ($callback:ident) => {
        $callback! {
            /// What the program is, and where it stands.
            app_info($crate::command::Empty) -> $crate::command::AppInfo;
            /// Reads the settings.
            get_settings($crate::command::Empty) -> $crate::settings::Settings;
            /// Replaces the settings.
            set_settings($crate::command::SetSettings) -> $crate::settings::Settings;
            /// Keeps a provider's key outside the settings.
            set_provider_key($crate::command::SetProviderKey) -> $crate::command::Empty;
            /// Sends one short request to a provider and says what came of it.
            test_provider($crate::command::TestProvider) -> $crate::command::ProviderTest;
            /// Checks a folder and makes it the current one.
            open_workspace($crate::command::OpenWorkspace) -> $crate::command::WorkspaceInfo;
            /// Unpacks the sample project into a fresh folder and opens it.
            open_demo_workspace($crate::command::Empty) -> $crate::command::WorkspaceInfo;
            /// Sessions, newest first.
            list_sessions($crate::command::ListSessions) -> $crate::command::SessionList;
            /// Makes a session.
            create_session($crate::command::CreateSession) -> $crate::session::SessionSummary;
            /// A session as it stands.
            open_session($crate::command::OpenSession) -> $crate::event::Snapshot;
            /// Rows around or before a place.
            page($crate::command::Page) -> $crate::command::PageOut;
            /// The whole text of a message or result.
            load_result($crate::command::LoadResult) -> $crate::command::LoadedText;
            /// Finds words in titles and transcripts.
            search($crate::command::Search) -> $crate::command::SearchOut;
            /// Says something.
            send($crate::command::Send) -> $crate::command::Empty;
            /// Stops the turn.
            cancel($crate::command::SessionOp) -> $crate::command::Empty;
            /// Ends one running call; the turn goes on.
            kill_call($crate::command::CallOp) -> $crate::command::Empty;
            /// Answers a question.
            decide($crate::command::Decide) -> $crate::command::Empty;
            /// Goes on without a message.
            continue_turn($crate::command::SessionOp) -> $crate::command::Empty;
            /// Does not wait for the next try.
            retry_now($crate::command::SessionOp) -> $crate::command::Empty;
            /// Changes the mode.
            set_mode($crate::command::SetMode) -> $crate::command::Empty;
            /// Changes provider and model, from the next request on.
            set_model($crate::command::SetModel) -> $crate::command::Empty;
            /// Changes a waiting message.
            queue_edit($crate::command::QueueEdit) -> $crate::command::Empty;
            /// Takes a waiting message out.
            queue_remove($crate::command::QueueOp) -> $crate::command::Empty;
            /// Sends the waiting messages now.
            send_queued($crate::command::SessionOp) -> $crate::command::Empty;
            /// Renames a session.
            rename_session($crate::command::RenameSession) -> $crate::command::Empty;
            /// Puts a session away, or takes it back.
            archive_session($crate::command::ArchiveSession) -> $crate::command::Empty;
            /// Deletes a session; it can be taken back for ten seconds.
            delete_session($crate::command::SessionOp) -> $crate::command::Empty;
            /// Takes a deletion back.
            undo_delete($crate::command::SessionOp) -> $crate::command::Empty;
            /// Keeps text that is being written.
            save_draft($crate::command::SaveDraft) -> $crate::command::Empty;
            /// Types into a shell.
            write_terminal($crate::command::WriteTerminal) -> $crate::command::Empty;
            /// Tells a shell the size of its view.
            resize_terminal($crate::command::ResizeTerminal) -> $crate::command::Empty;
            /// Looks at the processes of a session's shells; what is found comes as events.
            check_shells($crate::command::ShellsOf) -> $crate::command::Empty;
            /// Ends every background shell of a session, with all they started.
            kill_shells($crate::command::ShellsOf) -> $crate::command::Empty;
            /// Every shell of the program that runs.
            running_shells($crate::command::Empty) -> $crate::command::RunningShells;
            /// Says who hears of the end of a shell.
            notify_shell($crate::command::NotifyShell) -> $crate::shell::ShellInfo;
            /// Takes the shells of a session that ended out of the list. Their output stays on disk.
            remove_ended_shells($crate::command::ShellsOf) -> $crate::command::Empty;
            /// Lines of what a shell printed.
            shell_log($crate::command::ShellLogQuery) -> $crate::command::ShellLog;
            /// Looks for a text in what a shell printed.
            find_in_shell_log($crate::command::FindInShellLog) -> $crate::command::FoundInShellLog;
            /// Opens the readable output of a shell with the program the system has for text.
            open_shell_output($crate::command::ShellOp) -> $crate::command::Empty;
            /// Takes or gives back the keys of a shell.
            own_terminal($crate::command::OwnTerminal) -> $crate::shell::ShellInfo;
            /// Moves a running command to the background; its call ends.
            promote_terminal($crate::command::PromoteTerminal) -> $crate::shell::ShellInfo;
            /// Interrupts or kills a shell.
            signal_terminal($crate::command::SignalTerminal) -> $crate::command::Empty;
            /// Takes back what a call did to files.
            undo_edit($crate::command::CallOp) -> $crate::changes::FilesPutBack;
            /// Brings back what was taken back of a call.
            redo_edit($crate::command::CallOp) -> $crate::changes::FilesPutBack;
            /// Shows files that are in the way of taking something back, and what merging would write.
            undo_conflict($crate::changes::ConflictQuery) -> $crate::changes::Conflicts;
            /// Takes back, or brings back, what a call did, with merges as they were shown.
            undo_merged($crate::changes::UndoMerged) -> $crate::changes::FilesPutBack;
            /// What going back to before a message would do.
            rewind_plan($crate::changes::RewindPlanQuery) -> $crate::changes::RewindPlan;
            /// Goes back to before a message.
            rewind($crate::changes::Rewind) -> $crate::changes::RewindOut;
            /// Takes that back, until the next message.
            undo_rewind($crate::command::SessionOp) -> $crate::changes::RewindOut;
            /// Whether the newest rewind can be taken back, as after a restart.
            rewind_offer($crate::changes::SessionQuery) -> $crate::changes::RewindOffer;
            /// What changed in a folder, and by whom.
            workspace_diff($crate::changes::WorkspaceDiffQuery) -> $crate::changes::WorkspaceDiff;
            /// What changed in one file, and by whom.
            workspace_file_diff($crate::changes::WorkspaceFileQuery) -> $crate::changes::WorkspaceFileDiff;
            /// Puts a file, or one part of it, back to what it was.
            revert_file($crate::changes::RevertFile) -> $crate::changes::FilesPutBack;
            /// Who wrote the files that a session changed.
            authorship($crate::changes::SessionQuery) -> $crate::changes::Authorship;
            /// Opens an address in the system's browser.
            open_external($crate::command::OpenExternal) -> $crate::command::Empty;
            /// Opens a file of the open folder with the program the system has for it.
            open_file($crate::command::OpenFile) -> $crate::command::Empty;
            /// Opens a copy of a proposal in the person's own editor; what is saved there comes back as an event.
            edit_outside($crate::command::EditOutside) -> $crate::command::EditedOutside;
        }
    };
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident($request:ty) -> $response:ty;)*) => {
        /// The names of all commands.
        pub const COMMAND_NAMES: &[&str] = &[$(stringify!($name)),*];

        /// The TypeScript map from a command's name to its request and response.
        #[cfg(feature = "ts")]
        #[must_use]
        pub fn typescript_map() -> String {
            use ts_rs::TS;
            let config = ts_rs::Config::new().with_large_int("number");
            let mut out = String::from("export interface Commands {\n");
            $(
                out.push_str(&format!(
                    "  {}: [request: {}, response: {}];\n",
                    stringify!($name),
                    <$request as TS>::name(&config),
                    <$response as TS>::name(&config),
                ));
            )*
            out.push_str("}\n");
            out
        }
    };
}

for_each_command!(names);

macro_rules! shapes {
    ($($(#[$doc:meta])* pub struct $name:ident { $($(#[$fdoc:meta])* $field:ident: $ty:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
            pub struct $name {
                $($(#[$fdoc])* pub $field: $ty,)*
            }
        )*
    };
}

mod shells;

pub use shells::{
    FindInShellLog, FoundInShellLog, NotifyShell, OwnTerminal, PromoteTerminal, ResizeTerminal,
    RunningShells, ShellLog, ShellLogQuery, ShellOp, ShellsOf, SignalTerminal, TerminalSignal,
    WriteTerminal,
};

shapes! {
    /// Nothing.
    pub struct Empty {}

    /// What the program is, and where it stands.
    pub struct AppInfo {
        /// Its version.
        version: String,
        /// Random per start of the program.
        run: String,
        /// `linux`, `macos` or `windows`.
        platform: String,
        /// Language of the system, such as `zh-CN`.
        system_language: String,
        /// The folder that is open.
        workspace: Option<WorkspaceInfo>,
        /// Something about the store that the person must know, once.
        store_notice: Option<ApiError>,
        /// Whether changes can be kept.
        store: crate::event::StoreState,
        /// Providers that can be chosen, the demo first.
        providers: Vec<ProviderState>,
        /// Where settings and data lie.
        data_dir: String,
    }

    /// A provider as the window shows it.
    pub struct ProviderState {
        /// The entry.
        entry: ProviderEntry,
        /// A key is known. The key itself is never shown.
        has_key: bool,
    }

    /// Replaces the settings.
    pub struct SetSettings {
        /// Made by the client.
        op: OpId,
        /// All of them.
        settings: Settings,
    }

    /// Keeps a key.
    pub struct SetProviderKey {
        /// Made by the client.
        op: OpId,
        /// Whose.
        provider_id: String,
        /// The key; empty removes it.
        key: String,
    }

    /// Which provider to try.
    pub struct TestProvider {
        /// The entry as it stands in the form.
        entry: ProviderEntry,
        /// The key in the form; `null` takes the one that is known.
        key: Option<String>,
    }

    /// What came of it.
    pub struct ProviderTest {
        /// An answer arrived.
        ok: bool,
        /// `ok`, `auth`, `not_found`, `network`, `tls`, `no_tools` … ; the window has the sentence.
        code: String,
        /// English, with the server's own words.
        message: String,
        /// Milliseconds to the first byte.
        first_byte_ms: Option<u64>,
    }

    /// Which folder.
    pub struct OpenWorkspace {
        /// Its path.
        path: String,
    }

    /// A folder.
    pub struct WorkspaceInfo {
        /// Canonical path.
        path: String,
        /// Last part of the path.
        name: String,
        /// Branch, if it is a git work tree.
        branch: Option<String>,
    }

    /// Which sessions.
    pub struct ListSessions {
        /// Only those of this folder; `null` for all.
        workspace: Option<String>,
        /// Those that were put away too.
        archived: bool,
    }

    /// Sessions, newest first.
    pub struct SessionList {
        /// The rows.
        sessions: Vec<SessionSummary>,
    }

    /// A new session.
    pub struct CreateSession {
        /// Made by the client.
        op: OpId,
        /// Its folder.
        workspace: String,
        /// Provider entry; `null` for the one of the settings.
        provider_id: Option<String>,
    }

    /// Which session.
    pub struct OpenSession {
        /// Which one.
        session_id: SessionId,
        /// Show the rows around this one instead of the newest.
        around: Option<u64>,
    }

    /// Which rows.
    pub struct Page {
        /// Whose.
        session_id: SessionId,
        /// Rows before this sequence number.
        before: u64,
        /// At most so many, up to 200.
        limit: u32,
    }

    /// Rows, oldest first.
    pub struct PageOut {
        /// The rows.
        items: Vec<Item>,
        /// There are older ones.
        has_older: bool,
    }

    /// Which text.
    pub struct LoadResult {
        /// Whose.
        session_id: SessionId,
        /// Sequence number of the row.
        seq: u64,
    }

    /// A text, whole.
    pub struct LoadedText {
        /// The text.
        text: String,
    }

    /// What to find.
    pub struct Search {
        /// The words.
        query: String,
        /// Only in this folder.
        workspace: Option<String>,
        /// Only in this session.
        session_id: Option<SessionId>,
        /// At most so many hits.
        limit: u32,
    }

    /// What was found, newest first.
    pub struct SearchOut {
        /// The hits.
        hits: Vec<SearchHit>,
    }

    /// One hit.
    pub struct SearchHit {
        /// Whose.
        session_id: SessionId,
        /// Its title.
        title: String,
        /// Its folder.
        workspace: String,
        /// The row; `null` for a hit in the title.
        seq: Option<u64>,
        /// Text around the hit; the words found stand between U+0002 and U+0003.
        snippet: String,
        /// Milliseconds since 1970, UTC.
        ts: i64,
    }

    /// Something to say.
    pub struct Send {
        /// Made by the client.
        op: OpId,
        /// To which session.
        session_id: SessionId,
        /// The text.
        text: String,
        /// When, if a turn runs.
        delivery: Delivery,
    }

    /// A command to a session.
    pub struct SessionOp {
        /// Made by the client.
        op: OpId,
        /// Which session.
        session_id: SessionId,
    }

    /// A command to a call.
    pub struct CallOp {
        /// Made by the client.
        op: OpId,
        /// Which session.
        session_id: SessionId,
        /// Which call.
        call_id: CallId,
    }

    /// An answer.
    pub struct Decide {
        /// Made by the client.
        op: OpId,
        /// Which session.
        session_id: SessionId,
        /// Which call.
        call_id: CallId,
        /// The proposal that was on screen.
        proposal_id: ProposalId,
        /// The answer.
        decision: Decision,
    }

    /// A new mode.
    pub struct SetMode {
        /// Made by the client.
        op: OpId,
        /// Which session.
        session_id: SessionId,
        /// The mode.
        mode: Mode,
    }

    /// A new provider.
    pub struct SetModel {
        /// Made by the client.
        op: OpId,
        /// Which session.
        session_id: SessionId,
        /// Provider entry.
        provider_id: String,
    }

    /// A changed message.
    pub struct QueueEdit {
        /// Made by the client.
        op: OpId,
        /// Which session.
        session_id: SessionId,
        /// Which message.
        id: u64,
        /// Its text.
        text: String,
    }

    /// A waiting message.
    pub struct QueueOp {
        /// Made by the client.
        op: OpId,
        /// Which session.
        session_id: SessionId,
        /// Which message.
        id: u64,
    }

    /// A new title.
    pub struct RenameSession {
        /// Made by the client.
        op: OpId,
        /// Which session.
        session_id: SessionId,
        /// The title.
        title: String,
    }

    /// Away or back.
    pub struct ArchiveSession {
        /// Made by the client.
        op: OpId,
        /// Which session.
        session_id: SessionId,
        /// Away.
        archived: bool,
    }

    /// Text that is being written.
    pub struct SaveDraft {
        /// Which session.
        session_id: SessionId,
        /// What it belongs to: `composer`, `ask:<proposal id>`.
        key: String,
        /// The text; empty removes it.
        value: String,
    }

    /// An address.
    pub struct OpenExternal {
        /// `http`, `https` or `mailto`.
        url: String,
    }

    /// A proposal for the person's own editor.
    pub struct EditOutside {
        /// Which session.
        session_id: SessionId,
        /// Which proposal.
        proposal_id: ProposalId,
        /// The text as it stands in the window, lines ended by LF.
        text: String,
    }

    /// Where a proposal is being edited.
    pub struct EditedOutside {
        /// Absolute path of the copy. The text before the change lies beside it.
        path: String,
    }

    /// A file.
    pub struct OpenFile {
        /// Absolute path.
        path: String,
    }
}
