//! What follows from the log alone, folded fact by fact; and a session rebuilt from its log.
//!
//! The live machine folds each fact as it records it; a resumed session folds the stored rows. Deliberately absent:
//! anything that must not survive a restart, such as rules given for a session.

use crate::machine::config::LoopConfig;
use crate::machine::state::{Facts, LoopState};
use crate::machine::texts;
use crate::machine::view::Place;
use protocol::ids::ShellId;
use protocol::log::{FileChange, FileVersion, LogEvent, LogRow};
use protocol::message::{Origin, Reminder};
use protocol::session::{Mode, Outcome, Queued};
use protocol::shell::ShellState;

impl LoopState {
    /// The facts of a log that were not taken back.
    pub(crate) fn visible(rows: &[LogRow]) -> impl Iterator<Item = &LogEvent> {
        let hidden = HiddenRanges::of(rows);
        rows.iter()
            .filter(move |row| !hidden.contain(row.seq))
            .filter_map(|row| row.event.as_ref())
    }

    /// A session as its log tells it, idle. An interrupted turn must have been put right in the log before.
    #[must_use]
    pub fn restore(config: LoopConfig, rows: &[LogRow]) -> Self {
        let mut facts = Facts::new(Mode::default(), Origin::default());
        let hidden = HiddenRanges::of(rows);
        for row in rows {
            let Some(event) = &row.event else { continue };
            if hidden.contain(row.seq) {
                facts.count(event);
                facts.note_hidden_end(event);
            } else {
                facts.apply(Place::Seq(row.seq), event);
            }
        }
        Self::with_facts(config, facts)
    }
}

impl Facts {
    /// Takes one fact in.
    pub(crate) fn apply(&mut self, at: Place, event: &LogEvent) {
        self.count(event);
        self.view.apply(at, event);
        match event {
            LogEvent::SessionCreated { origin, mode, .. } => {
                self.origin = origin.clone();
                self.mode = *mode;
            }
            LogEvent::UserMessage { reminders, .. } => self.note_reminders(reminders),
            LogEvent::FileVersions { rows, .. } => self.note_put_back(rows),
            LogEvent::StepFinished { .. } => self.todo_age += 1,
            LogEvent::TurnEnded { outcome, .. } => {
                self.interrupted = *outcome == Outcome::Cancelled
            }
            LogEvent::Compaction { .. } => self.compaction_failures = 0,
            LogEvent::Warning { code, .. } if code == texts::COMPACTION_FAILED => {
                self.compaction_failures += 1;
            }
            LogEvent::ModeChanged { new, .. } => self.mode = *new,
            LogEvent::ModelChanged { new, .. } => self.origin = new.clone(),
            LogEvent::TodoChanged { todos } => {
                self.todos.clone_from(todos);
                self.todo_age = 0;
            }
            LogEvent::ShellState {
                shell_id,
                state,
                note,
                ..
            } => {
                self.known_shells.insert(shell_id.clone());
                self.note_shell(shell_id, state, note.as_ref());
            }
            LogEvent::ToolsRevealed { names } => self.revealed.extend(names.iter().cloned()),
            LogEvent::Warning { .. }
            | LogEvent::TurnStarted { .. }
            | LogEvent::RequestStarted { .. }
            | LogEvent::ToolCall { .. }
            | LogEvent::QueueChanged { .. }
            | LogEvent::TitleChanged { .. }
            | LogEvent::SystemFrozen { .. }
            | LogEvent::AttemptDiscarded { .. }
            | LogEvent::AssistantMessage { .. }
            | LogEvent::ApprovalRequested { .. }
            | LogEvent::ApprovalResolved { .. }
            | LogEvent::ToolStarted { .. }
            | LogEvent::ToolResult { .. }
            | LogEvent::Prune { .. }
            | LogEvent::RuleAdded { .. }
            | LogEvent::Rewound { .. }
            | LogEvent::RewindUndone { .. }
            | LogEvent::ForkedFrom { .. }
            | LogEvent::Recovered { .. } => {}
        }
    }

    /// What even a fact that was taken back still means: numbers are never used twice, the queue and the title are
    /// not part of the conversation.
    fn count(&mut self, event: &LogEvent) {
        if let LogEvent::RequestStarted { request, .. } = event {
            self.requests = self.requests.max(*request);
        } else if let LogEvent::ToolCall { call } = event {
            self.call_ids.insert(call.call_id.clone());
        } else if let LogEvent::QueueChanged { queue } = event {
            self.set_queue(queue);
        } else if let LogEvent::TitleChanged { source, .. } = event {
            self.title = Some(*source);
        }
    }

    fn set_queue(&mut self, queue: &[Queued]) {
        let newest = queue.iter().map(|queued| queued.id).max().unwrap_or(0);
        self.next_queued = self.next_queued.max(newest + 1);
        self.queue = queue.to_vec();
    }

    fn note_shell(&mut self, shell_id: &ShellId, state: &str, note: Option<&Reminder>) {
        if state == ShellState::Lost.name() {
            self.lost_shells.insert(shell_id.clone());
        }
        let news = note.filter(|note| !self.shell_notes.contains(note));
        self.shell_notes.extend(news.cloned());
    }

    /// What ended in the past that went is news to the past that remains, if its start is there.
    fn note_hidden_end(&mut self, event: &LogEvent) {
        if let LogEvent::ShellState {
            shell_id,
            state,
            note,
            ..
        } = event
            && self.known_shells.contains(shell_id)
        {
            self.note_shell(shell_id, state, note.as_ref());
        }
    }

    /// The model is told of files that the person put back. What another program did it finds out by itself.
    fn note_put_back(&mut self, rows: &[FileVersion]) {
        for row in rows {
            match row.change {
                FileChange::Undo | FileChange::Redo => {
                    self.put_back.insert(row.path.clone());
                }
                FileChange::Edit
                | FileChange::Write
                | FileChange::Notebook
                | FileChange::Patch
                | FileChange::LateWrite
                | FileChange::External => {}
            }
        }
    }

    fn note_reminders(&mut self, reminders: &[Reminder]) {
        self.shell_notes.retain(|note| !reminders.contains(note));
        if reminders
            .iter()
            .any(|reminder| reminder.code == texts::FILES_PUT_BACK)
        {
            self.put_back.clear();
        }
        if reminders
            .iter()
            .any(|reminder| reminder.code == texts::SHELLS_LOST)
        {
            self.lost_shells.clear();
        }
        if reminders
            .iter()
            .any(|reminder| reminder.code == texts::TODO_STALE)
        {
            self.todo_age = 0;
        }
    }
}

/// What rewinding took out of the conversation.
struct HiddenRanges(Vec<(u64, u64)>);

impl HiddenRanges {
    fn of(rows: &[LogRow]) -> Self {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for row in rows {
            if let Some(LogEvent::Rewound { to_seq }) = &row.event {
                ranges.push((*to_seq, row.seq));
            } else if let Some(LogEvent::RewindUndone { rewind_seq }) = &row.event {
                ranges.retain(|(_, end)| end != rewind_seq);
            }
        }
        Self(ranges)
    }

    /// Whether a fact lies in a range. The rewind itself does not.
    fn contain(&self, seq: u64) -> bool {
        self.0
            .iter()
            .any(|(start, end)| (*start..*end).contains(&seq))
    }
}
