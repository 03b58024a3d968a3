//! Just enough of the terminal's grammar to know where a sequence ends and whether it touches the picture.

/// Longest parameter text of a control sequence that is looked at; longer ones have no effect known here.
const MAX_PARAMETERS: usize = 64;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;

/// Which part of the line is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    ToEnd,
    ToStart,
    All,
}

/// What one byte completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing to do for the text.
    None,
    /// A control character outside any sequence.
    Control(u8),
    EraseLine(Part),
    AlternateScreen(bool),
    /// The terminal has to answer.
    Query,
    /// The picture changes in a way lines cannot follow.
    Screen,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Text,
    Escape,
    /// After an intermediate byte such as the `(` of a character set.
    EscapeIntermediate,
    Sequence,
    /// OSC, DCS, APC, PM or SOS; ends with BEL (OSC only) or ESC `\`.
    String {
        bell_ends: bool,
        after_escape: bool,
    },
}

/// The grammar's state between bytes.
#[derive(Debug, Default)]
pub(super) struct Escapes {
    state: State,
    parameters: Vec<u8>,
    /// The string so far, as far as needed to see a colour question.
    string: Vec<u8>,
}

impl Escapes {
    /// True if the next byte is not part of a sequence.
    pub(super) fn in_text(&self) -> bool {
        matches!(self.state, State::Text)
    }

    /// Takes one byte that is not plain text, or any byte inside a sequence.
    pub(super) fn step(&mut self, byte: u8) -> Effect {
        match self.state {
            State::Text if byte == ESC => self.enter(State::Escape),
            State::Text => Effect::Control(byte),
            State::Escape => self.escape(byte),
            State::EscapeIntermediate => match byte {
                ESC => self.enter(State::Escape),
                0x20..=0x2f => Effect::None,
                _ => self.enter(State::Text),
            },
            State::Sequence => self.sequence(byte),
            State::String {
                bell_ends,
                after_escape,
            } => self.string(byte, bell_ends, after_escape),
        }
    }

    fn enter(&mut self, state: State) -> Effect {
        self.state = state;
        Effect::None
    }

    fn done(&mut self, effect: Effect) -> Effect {
        self.state = State::Text;
        effect
    }

    fn escape(&mut self, byte: u8) -> Effect {
        self.parameters.clear();
        self.string.clear();
        match byte {
            b'[' => self.enter(State::Sequence),
            b']' => self.enter(State::String {
                bell_ends: true,
                after_escape: false,
            }),
            b'P' | b'X' | b'^' | b'_' => self.enter(State::String {
                bell_ends: false,
                after_escape: false,
            }),
            0x20..=0x2f => self.enter(State::EscapeIntermediate),
            ESC => Effect::None,
            // Index, reverse index, next line, save, restore, reset.
            b'D' | b'E' | b'M' | b'7' | b'8' | b'c' => self.done(Effect::Screen),
            0x00..=0x1f => Effect::Control(byte),
            _ => self.done(Effect::None),
        }
    }

    fn sequence(&mut self, byte: u8) -> Effect {
        match byte {
            ESC => self.enter(State::Escape),
            0x40..=0x7e => {
                let effect = effect_of(&self.parameters, byte);
                self.done(effect)
            }
            0x20..=0x3f => {
                if self.parameters.len() < MAX_PARAMETERS {
                    self.parameters.push(byte);
                }
                Effect::None
            }
            // CAN and SUB abandon the sequence; other controls act in its middle.
            0x18 | 0x1a => self.done(Effect::None),
            0x00..=0x1f => Effect::Control(byte),
            _ => Effect::None,
        }
    }

    fn string(&mut self, byte: u8, bell_ends: bool, after_escape: bool) -> Effect {
        if byte == BEL && bell_ends || after_escape && byte == b'\\' {
            let effect = if bell_ends && asks_colour(&self.string) {
                Effect::Query
            } else {
                Effect::None
            };
            return self.done(effect);
        }
        if after_escape {
            // ESC inside a string that is not its end begins a new sequence.
            return self.escape(byte);
        }
        match byte {
            ESC => self.enter(State::String {
                bell_ends,
                after_escape: true,
            }),
            0x18 | 0x1a => self.done(Effect::None),
            _ => {
                if self.string.len() < MAX_PARAMETERS {
                    self.string.push(byte);
                }
                Effect::None
            }
        }
    }
}

/// OSC 10 and 11 with `?` ask for the text and background colours.
fn asks_colour(string: &[u8]) -> bool {
    matches!(string, b"10;?" | b"11;?")
}

fn effect_of(parameters: &[u8], last: u8) -> Effect {
    match (last, parameters) {
        (b'm' | b'q' | b't', _) => Effect::None,
        (b'K', b"" | b"0") => Effect::EraseLine(Part::ToEnd),
        (b'K', b"1") => Effect::EraseLine(Part::ToStart),
        (b'K', b"2") => Effect::EraseLine(Part::All),
        (b'n', _) => Effect::Query,
        (b'c', [b'=', ..]) => Effect::None,
        (b'c', _) => Effect::Query,
        // Keyboard modes; a bare `u` restores the cursor.
        (b'u', [b'<'..=b'?', ..]) => Effect::None,
        (b'h' | b'l', [b'?', modes @ ..]) => private_modes(modes, last == b'h'),
        (b'h' | b'l', _) => Effect::None,
        // Requests for a mode's state.
        (b'p', _) => Effect::None,
        _ => Effect::Screen,
    }
}

fn private_modes(modes: &[u8], on: bool) -> Effect {
    let mut effect = Effect::None;
    for mode in modes.split(|byte| *byte == b';') {
        match mode {
            b"47" | b"1047" | b"1049" => return Effect::AlternateScreen(on),
            // Columns, origin and wrap, saved cursor: they move what follows.
            b"3" | b"6" | b"7" | b"69" | b"1048" => effect = Effect::Screen,
            _ => {}
        }
    }
    effect
}
