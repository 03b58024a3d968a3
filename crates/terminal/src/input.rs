//! What is on its way into a terminal, and who may put it there.
//!
//! Order is kept, the amount is bounded, and nobody waits: what does not fit is refused. Deliberately absent: answers
//! of its own; the only bytes nobody typed are the replies to the program's questions.

use crate::error::Error;
use crate::outcome::TypedInput;
use protocol::shell::InputOwner;
use std::collections::VecDeque;

/// What may wait for a program that does not read.
const QUEUE_MAX_BYTES: usize = 64 * 1024;
/// The line discipline keeps this much of one line and drops the rest without a word.
const CANONICAL_LINE_MAX_BYTES: usize = 4095;
/// What is kept of the typed text.
const TYPED_MAX_BYTES: usize = 4096;
/// Ctrl-C.
const INTERRUPT: u8 = 0x03;

/// How the terminal treats what is typed right now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineMode {
    /// It shows it.
    pub(crate) echo: bool,
    /// It gathers lines.
    pub(crate) canonical: bool,
}

/// Whether what is typed may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// As long as the terminal shows it, too.
    Shown,
    /// Never: the person asked for it.
    Hidden,
}

/// The queue and its owner.
#[derive(Debug)]
pub(crate) struct Input {
    queue: VecDeque<u8>,
    pub(crate) owner: InputOwner,
    pub(crate) typed: TypedInput,
}

impl Input {
    pub(crate) fn new() -> Self {
        Self {
            queue: VecDeque::new(),
            owner: InputOwner::None,
            typed: TypedInput::default(),
        }
    }

    /// Takes what a person typed.
    pub(crate) fn type_keys(
        &mut self,
        bytes: &[u8],
        keys: Keys,
        mode: LineMode,
    ) -> Result<(), Error> {
        match self.owner {
            InputOwner::None | InputOwner::Agent => return Err(Error::InputNotTaken),
            InputOwner::Human => {}
        }
        self.push(bytes, mode)?;
        match keys {
            Keys::Shown if mode.echo => self.remember(bytes),
            Keys::Shown | Keys::Hidden => self.typed.hidden_bytes += bytes.len() as u64,
        }
        Ok(())
    }

    /// Takes what the model types, unless a person is typing.
    pub(crate) fn type_as_agent(&mut self, bytes: &[u8], mode: LineMode) -> Result<(), Error> {
        match self.owner {
            InputOwner::Human => return Err(Error::InputTaken),
            InputOwner::None | InputOwner::Agent => {}
        }
        self.push(bytes, mode)?;
        self.owner = InputOwner::Agent;
        Ok(())
    }

    fn push(&mut self, bytes: &[u8], mode: LineMode) -> Result<(), Error> {
        let longest = bytes
            .split(|byte| matches!(byte, b'\r' | b'\n'))
            .map(<[u8]>::len)
            .max()
            .unwrap_or(0);
        if mode.canonical && longest > CANONICAL_LINE_MAX_BYTES {
            return Err(Error::LineTooLong {
                len: longest,
                max: CANONICAL_LINE_MAX_BYTES,
            });
        }
        if self.queue.len() + bytes.len() > QUEUE_MAX_BYTES {
            return Err(Error::InputBusy);
        }
        self.queue.extend(bytes);
        Ok(())
    }

    fn remember(&mut self, bytes: &[u8]) {
        // Enter is a carriage return on the wire, and a new line to a reader.
        let typed: Vec<u8> = bytes
            .iter()
            .map(|byte| if *byte == b'\r' { b'\n' } else { *byte })
            .collect();
        let text = crate::text::clean(&typed);
        let room = TYPED_MAX_BYTES.saturating_sub(self.typed.shown.len());
        let (kept, _) = text.split_at(text.floor_char_boundary(room));
        self.typed.shown.push_str(kept);
    }

    /// Ctrl-C, before anything that waits.
    pub(crate) fn interrupt(&mut self) {
        self.queue.push_front(INTERRUPT);
    }

    /// Empties the queue, because there is no terminal that would take it. True if Ctrl-C was in it.
    pub(crate) fn give_up(&mut self) -> bool {
        let interrupted = self.queue.contains(&INTERRUPT);
        self.queue.clear();
        interrupted
    }

    /// The terminal's own answer to a question. A program that asks without ever reading gets no more than fit.
    pub(crate) fn answer(&mut self, bytes: &[u8]) {
        if self.queue.len() + bytes.len() <= QUEUE_MAX_BYTES {
            self.queue.extend(bytes);
        }
    }

    /// What waits, as far as it lies together in memory.
    pub(crate) fn front(&self) -> &[u8] {
        self.queue.as_slices().0
    }

    /// That much was written.
    pub(crate) fn written(&mut self, len: usize) {
        self.queue.drain(..len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: LineMode = LineMode {
        echo: true,
        canonical: true,
    };

    fn taken() -> Input {
        Input {
            owner: InputOwner::Human,
            ..Input::new()
        }
    }

    #[test]
    fn keys_go_nowhere_until_they_are_taken() {
        assert!(matches!(
            Input::new().type_keys(b"y", Keys::Shown, PLAIN),
            Err(Error::InputNotTaken)
        ));
    }

    #[test]
    fn a_person_comes_before_the_model() {
        let mut input = Input::new();
        input.type_as_agent(b"y\r", PLAIN).unwrap();
        assert_eq!(input.owner, InputOwner::Agent);
        assert_eq!(input.front(), b"y\r");
        assert_eq!(input.typed, TypedInput::default(), "no person typed it");
        assert!(matches!(
            input.type_keys(b"n", Keys::Shown, PLAIN),
            Err(Error::InputNotTaken)
        ));
        input.owner = InputOwner::Human;
        assert!(matches!(
            input.type_as_agent(b"y", PLAIN),
            Err(Error::InputTaken)
        ));
    }

    #[test]
    fn what_the_terminal_does_not_show_is_not_kept() {
        let mut input = taken();
        input.type_keys(b"name\r", Keys::Shown, PLAIN).unwrap();
        input
            .type_keys(
                b"secret\r",
                Keys::Shown,
                LineMode {
                    echo: false,
                    ..PLAIN
                },
            )
            .unwrap();
        input.type_keys(b"hidden", Keys::Hidden, PLAIN).unwrap();
        assert_eq!(
            input.typed,
            TypedInput {
                shown: "name\n".into(),
                hidden_bytes: 13
            }
        );
        assert_eq!(input.front(), b"name\rsecret\rhidden");
    }

    #[test]
    fn a_line_the_terminal_would_cut_is_refused() {
        let mut input = taken();
        let long = vec![b'x'; 5000];
        let refused = input.type_keys(&long, Keys::Shown, PLAIN);
        assert!(
            matches!(
                refused,
                Err(Error::LineTooLong {
                    len: 5000,
                    max: 4095
                })
            ),
            "{refused:?}"
        );
        input
            .type_keys(
                &long,
                Keys::Shown,
                LineMode {
                    canonical: false,
                    ..PLAIN
                },
            )
            .unwrap();
    }

    #[test]
    fn a_full_queue_refuses_and_ctrl_c_still_gets_in() {
        let mut input = taken();
        let raw = LineMode {
            canonical: false,
            ..PLAIN
        };
        input
            .type_keys(&vec![b'x'; QUEUE_MAX_BYTES], Keys::Shown, raw)
            .unwrap();
        assert!(matches!(
            input.type_keys(b"y", Keys::Shown, raw),
            Err(Error::InputBusy)
        ));
        input.interrupt();
        assert_eq!(input.front().first(), Some(&INTERRUPT));
    }
}
