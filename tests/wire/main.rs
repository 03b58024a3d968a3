//! The bytes that cross to the window, as files that both sides read.
//!
//! Here each file must come back unchanged from its Rust type, and each kind must have a file. The pages have the
//! same files as typed values (`ui/src/bindings/wire.ts`), so that a type checker says the same for TypeScript.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail the test; clippy only knows test functions"
)]

use protocol::confirmation::{Ask, Decision, Preview};
use protocol::event::{Envelope, SessionEvent, Snapshot};
use protocol::item::{Item, ItemBody};
use protocol::tool_call::Display;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The name of each variant of an enum. The match is exhaustive: a new variant does not compile before it is named
/// here, and the test fails before it has a file.
macro_rules! kinds {
    ($kind_of:ident, $names:ident, $enum:ident { $($variant:ident => $name:literal,)* }) => {
        const $names: &[&str] = &[$($name),*];

        fn $kind_of(value: &$enum) -> &'static str {
            match value {
                $($enum::$variant { .. } => $name,)*
            }
        }
    };
}

kinds!(event_kind, EVENTS, SessionEvent {
    ItemAdded => "item_added",
    ItemChanged => "item_changed",
    ItemsHidden => "items_hidden",
    Phase => "phase",
    BlockStarted => "block_started",
    BlockDelta => "block_delta",
    AttemptDiscarded => "attempt_discarded",
    RetryWait => "retry_wait",
    AskOpened => "ask_opened",
    AskChanged => "ask_changed",
    AskClosed => "ask_closed",
    SavedOutside => "saved_outside",
    Meters => "meters",
    Todos => "todos",
    Mode => "mode",
    Queue => "queue",
    Draft => "draft",
    Shell => "shell",
    Summary => "summary",
    TurnEnded => "turn_ended",
    Store => "store",
    Reset => "reset",
});

kinds!(preview_kind, PREVIEWS, Preview {
    Edit => "edit",
    Write => "write",
    Exec => "exec",
    Questions => "questions",
    Info => "info",
});

kinds!(decision_kind, DECISIONS, Decision {
    Allow => "allow",
    Modify => "modify",
    Deny => "deny",
    Answer => "answer",
});

kinds!(body_kind, BODIES, ItemBody {
    User => "user",
    Assistant => "assistant",
    Tool => "tool",
    Summary => "summary",
    Notice => "notice",
});

kinds!(display_kind, DISPLAYS, Display {
    None => "none",
    Text => "text",
    FileDiff => "file_diff",
    Todos => "todos",
    Terminal => "terminal",
    Matches => "matches",
    FileList => "file_list",
    FileRead => "file_read",
    Answers => "answers",
});

#[test]
fn events() {
    check("events", EVENTS, |envelope: &Envelope| {
        event_kind(&envelope.event)
    });
}

#[test]
fn asks() {
    check("asks", PREVIEWS, |ask: &Ask| preview_kind(&ask.preview));
}

#[test]
fn decisions() {
    check("decisions", DECISIONS, decision_kind);
}

#[test]
fn items() {
    check("items", BODIES, |item: &Item| body_kind(&item.body));
}

#[test]
fn displays() {
    check("displays", DISPLAYS, display_kind);
}

#[test]
fn the_snapshot() {
    let _: Snapshot = unchanged(&folder("snapshot.json"));
}

/// Every file of a folder comes back unchanged, and every kind has a file that begins with its name.
#[track_caller]
fn check<T: Serialize + DeserializeOwned>(
    name: &str,
    kinds: &[&str],
    kind_of: impl Fn(&T) -> &'static str,
) {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder(name)).expect("read the folder") {
        let path = entry.expect("read the folder").path();
        let kind = kind_of(&unchanged(&path));
        let stem = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .expect("a name");
        assert!(stem.starts_with(kind), "{stem}.json holds a {kind}");
        found.insert(kind);
    }
    assert_eq!(
        found,
        kinds.iter().copied().collect(),
        "each kind has a file in {name}"
    );
}

/// The value in a file, once it is proved that it goes back as it came.
#[track_caller]
fn unchanged<T: Serialize + DeserializeOwned>(path: &Path) -> T {
    let bytes = fs::read(path).expect("read the file");
    let raw: Value = serde_json::from_slice(&bytes).expect("parse the file");
    let value: T = serde_json::from_value(raw.clone())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let back = serde_json::to_value(&value).expect("serialize");
    assert_eq!(
        back,
        raw,
        "{} changes on its way through Rust",
        path.display()
    );
    value
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/wire")
        .join(name)
}
