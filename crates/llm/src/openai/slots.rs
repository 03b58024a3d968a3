//! Collects tool calls from their fragments.
//!
//! A fragment says where it belongs by index, by id, by a new name or by its place in the array, and compatible
//! servers leave out or repeat any of these. Invariant: fragments of two calls never end up in one text, and no
//! fragment is lost without a warning. Deliberately absent: running anything before the message has ended.

use super::frame::{Loose, ToolPiece};
use crate::arguments::{Ending, Lexer, from_value, parse_arguments};
use crate::event::{BlockEnd, WarningCode};
use protocol::ids::CallId;
use protocol::tool_call::{CallArgs, ToolCall};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// The calls of one message.
#[derive(Debug, Default)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    /// The slot that fragments with an index go to now.
    by_index: HashMap<u64, usize>,
    /// The slots of entries without index, by their place in an array of several.
    by_place: Vec<usize>,
    touched: Option<usize>,
}

#[derive(Debug, Default)]
struct Slot {
    index: Option<u64>,
    id: Option<String>,
    name: Option<String>,
    raw: String,
    /// Arguments that came as an object instead of a text.
    object: Option<Value>,
    lexer: Lexer,
    /// Whether `raw` is one whole JSON value, as of its present length.
    whole: Option<bool>,
    extra_content: Option<Value>,
}

/// A fragment, with empty texts already taken for absent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'a> {
    index: Option<u64>,
    id: Option<&'a str>,
    name: Option<&'a str>,
    arguments: Option<&'a Loose<'a>>,
    extra_content: Option<&'a Value>,
    place: usize,
    alone: bool,
}

impl<'a> Piece<'a> {
    /// The entry at `place` of an array of `entries`.
    pub(super) fn new(entry: &'a ToolPiece<'a>, place: usize, entries: usize) -> Self {
        let function = entry.function.as_ref();
        Self {
            index: entry.index.count(),
            id: entry.id.text(),
            name: function.and_then(|function| function.name.text()),
            arguments: function.map(|function| &function.arguments),
            extra_content: entry.extra_content.as_ref(),
            place,
            alone: entries == 1,
        }
    }

    /// The one call of the old `function_call` field.
    pub(super) fn legacy(name: Option<&'a str>, arguments: &'a Loose<'a>) -> Self {
        Self {
            index: Some(0),
            id: None,
            name,
            arguments: Some(arguments),
            extra_content: None,
            place: 0,
            alone: true,
        }
    }

    fn argument_text(&self) -> Option<&'a str> {
        self.arguments.and_then(Loose::text)
    }
}

/// What became of a fragment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Taken {
    /// Number of the call, in order of appearance.
    pub(super) call: usize,
    /// It is a new one.
    pub(super) opened: bool,
    /// Argument text that was added.
    pub(super) delta: String,
}

enum Target {
    Known(usize),
    New,
    /// A finished call that is being sent again.
    Replay(usize),
}

impl Slots {
    /// Takes a fragment.
    pub(super) fn take(&mut self, piece: Piece<'_>, warn: &mut dyn FnMut(WarningCode)) -> Taken {
        let (call, opened) = match self.resolve(piece, warn) {
            Target::Known(call) => (call, false),
            Target::Replay(call) => {
                warn(WarningCode::ToolReplayIgnored);
                self.touched = Some(call);
                return Taken {
                    call,
                    opened: false,
                    delta: String::new(),
                };
            }
            Target::New => {
                self.slots.push(Slot::default());
                (self.slots.len() - 1, true)
            }
        };
        self.remember(call, piece);
        let delta = match self.slots.get_mut(call) {
            Some(slot) => slot.add(piece, warn),
            None => String::new(),
        };
        Taken {
            call,
            opened,
            delta,
        }
    }

    /// Id and name of a call as far as they are known.
    pub(super) fn label(&self, call: usize) -> (Option<String>, Option<String>) {
        self.slots
            .get(call)
            .map_or((None, None), |slot| (slot.id.clone(), slot.name.clone()))
    }

    /// The finished calls, in order of appearance. Ids are unique afterwards.
    pub(super) fn finish(self, ending: Ending, warn: &mut dyn FnMut(WarningCode)) -> Vec<BlockEnd> {
        let mut ids = Ids::default();
        self.slots
            .into_iter()
            .map(|slot| slot.finish(ending, &mut ids, warn))
            .collect()
    }

    fn remember(&mut self, call: usize, piece: Piece<'_>) {
        self.touched = Some(call);
        match piece.index {
            Some(index) => {
                self.by_index.insert(index, call);
                if let Some(slot) = self.slots.get_mut(call) {
                    slot.index.get_or_insert(index);
                }
            }
            None if !piece.alone => match self.by_place.get_mut(piece.place) {
                Some(known) => *known = call,
                None => self.by_place.push(call),
            },
            None => {}
        }
    }

    fn resolve(&mut self, piece: Piece<'_>, warn: &mut dyn FnMut(WarningCode)) -> Target {
        match (piece.index, piece.id) {
            (Some(index), id) => match self.by_index.get(&index) {
                Some(&call) => self.on_occupied(call, id, piece, warn),
                None => self.on_free_index(id, piece),
            },
            (None, Some(id)) => match self.with_id(id) {
                Some(call) => self.again(call, piece),
                None => Target::New,
            },
            (None, None) => {
                let known = if piece.alone {
                    self.touched
                } else {
                    self.by_place.get(piece.place).copied()
                };
                match known {
                    Some(call) if piece.name.is_none() || !self.is_complete(call) => {
                        Target::Known(call)
                    }
                    Some(_) | None => Target::New,
                }
            }
        }
    }

    /// An index seen for the first time. The same id on another index is another call; on no index it is this one.
    fn on_free_index(&mut self, id: Option<&str>, piece: Piece<'_>) -> Target {
        let known = id.and_then(|id| self.with_id(id)).filter(|call| {
            self.slots
                .get(*call)
                .is_some_and(|slot| slot.index.is_none())
        });
        match known {
            Some(call) => self.again(call, piece),
            None => Target::New,
        }
    }

    fn on_occupied(
        &mut self,
        call: usize,
        id: Option<&str>,
        piece: Piece<'_>,
        warn: &mut dyn FnMut(WarningCode),
    ) -> Target {
        let Some(id) = id else {
            return self.without_id(call, piece);
        };
        let whole = self.has_whole_arguments(call);
        match self.slots.get(call).and_then(|slot| slot.id.as_deref()) {
            Some(own) if own == id => return self.again(call, piece),
            None if !whole => return Target::Known(call),
            Some(_) | None => {}
        }
        if let Some(known) = self.with_id(id) {
            return self.again(known, piece);
        }
        if !self.is_complete(call) {
            warn(WarningCode::ToolIndexConflict);
        }
        Target::New
    }

    /// A fragment with an index and no id goes on with that call, unless it begins a new one by its name.
    fn without_id(&mut self, call: usize, piece: Piece<'_>) -> Target {
        let (Some(name), Some(text)) = (piece.name, piece.argument_text()) else {
            return Target::Known(call);
        };
        if !self.has_whole_arguments(call) {
            return Target::Known(call);
        }
        let same = self
            .slots
            .get(call)
            .is_some_and(|slot| slot.raw == text && slot.name.as_deref() == Some(name));
        if same {
            Target::Replay(call)
        } else {
            Target::New
        }
    }

    /// More of a call that is known by its id.
    fn again(&mut self, call: usize, piece: Piece<'_>) -> Target {
        let more = piece.argument_text().is_some();
        if more && self.has_whole_arguments(call) {
            Target::Replay(call)
        } else {
            Target::Known(call)
        }
    }

    fn with_id(&self, id: &str) -> Option<usize> {
        self.slots
            .iter()
            .position(|slot| slot.id.as_deref() == Some(id))
    }

    fn has_whole_arguments(&mut self, call: usize) -> bool {
        self.slots
            .get_mut(call)
            .is_some_and(Slot::has_whole_arguments)
    }

    /// Nothing need follow: the arguments are whole, or empty and the call has a name.
    fn is_complete(&mut self, call: usize) -> bool {
        self.slots.get_mut(call).is_some_and(|slot| {
            slot.has_whole_arguments() || (slot.raw.trim().is_empty() && slot.name.is_some())
        })
    }
}

impl Slot {
    fn has_whole_arguments(&mut self) -> bool {
        if self.object.is_some() {
            return true;
        }
        let raw = &self.raw;
        let lexer = &self.lexer;
        *self.whole.get_or_insert_with(|| {
            lexer.is_balanced() && serde_json::from_str::<serde::de::IgnoredAny>(raw).is_ok()
        })
    }

    fn add(&mut self, piece: Piece<'_>, warn: &mut dyn FnMut(WarningCode)) -> String {
        if self.id.is_none() {
            self.id = piece.id.map(str::to_owned);
        }
        match (&self.name, piece.name) {
            (None, name) => self.name = name.map(str::to_owned),
            (Some(own), Some(name)) if own != name => warn(WarningCode::ToolNameConflict),
            (Some(_), _) => {}
        }
        if self.extra_content.is_none() {
            self.extra_content = piece.extra_content.cloned();
        }
        match piece.arguments {
            Some(Loose::Other(value)) => self.add_object(value, warn),
            Some(Loose::Text(text)) => {
                self.raw.push_str(text);
                self.lexer.push(text);
                self.whole = None;
                text.clone().into_owned()
            }
            Some(Loose::Absent | Loose::Number(_)) | None => String::new(),
        }
    }

    fn add_object(&mut self, value: &Value, warn: &mut dyn FnMut(WarningCode)) -> String {
        if self.object.is_some() || !self.raw.is_empty() {
            warn(WarningCode::ToolReplayIgnored);
            return String::new();
        }
        self.object = Some(value.clone());
        self.raw = value.to_string();
        self.raw.clone()
    }

    fn finish(self, ending: Ending, ids: &mut Ids, warn: &mut dyn FnMut(WarningCode)) -> BlockEnd {
        let Some(name) = self.name else {
            warn(WarningCode::ToolMissingName);
            return BlockEnd::Dropped;
        };
        let (args, warning): (CallArgs, _) = match self.object {
            Some(value) => from_value(&self.raw, value),
            None => parse_arguments(&self.raw, ending),
        };
        warning.into_iter().for_each(&mut *warn);
        BlockEnd::Call {
            call: ToolCall {
                call_id: CallId(ids.unique(self.id, warn)),
                name,
                args,
                meta: self
                    .extra_content
                    .map(|extra| json!({ "extra_content": extra })),
            },
        }
    }
}

/// Makes ids where there are none, and unique where they are not.
#[derive(Debug, Default)]
struct Ids {
    used: HashSet<String>,
    made_up: usize,
}

impl Ids {
    fn unique(&mut self, id: Option<String>, warn: &mut dyn FnMut(WarningCode)) -> String {
        let wanted = id.unwrap_or_else(|| {
            warn(WarningCode::ToolIdSynthesized);
            let made = format!("call_synth_{}", self.made_up);
            self.made_up += 1;
            made
        });
        let mut id = wanted.clone();
        let mut copy = 2;
        while !self.used.insert(id.clone()) {
            id = format!("{wanted}__{copy}");
            copy += 1;
        }
        if id != wanted {
            warn(WarningCode::ToolIdRenamed);
        }
        id
    }
}
