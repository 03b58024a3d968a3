//! Takes reasoning out of a text that opens with `<think>`, for servers that do not do it themselves.
//!
//! Only a tag that opens the message counts; a later one is the model talking about tags. Held back is only what could
//! still become a tag.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// What a piece of the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prose {
    Text,
    Thinking,
}

#[derive(Debug, Default)]
enum State {
    /// Nothing but blanks and the beginning of the opening tag so far.
    #[default]
    Opening,
    Inside,
    /// Blanks after the closing tag are dropped.
    Closed,
    Plain,
}

#[derive(Debug, Default)]
pub(super) struct ThinkTags {
    state: State,
    held: String,
}

impl ThinkTags {
    /// Takes a piece of the content and gives what is certain.
    pub(super) fn push(&mut self, piece: &str) -> Vec<(Prose, String)> {
        self.held.push_str(piece);
        let mut out = Vec::new();
        while let Some(found) = self.step() {
            if !found.1.is_empty() {
                out.push(found);
            }
            if self.held.is_empty() {
                break;
            }
        }
        out
    }

    /// What is held back at the end of the message.
    pub(super) fn finish(&mut self) -> Option<(Prose, String)> {
        let kind = match self.state {
            State::Inside => Prose::Thinking,
            State::Opening | State::Closed | State::Plain => Prose::Text,
        };
        let held = std::mem::take(&mut self.held);
        (!held.is_empty()).then_some((kind, held))
    }

    /// One certain piece, or nothing until more has come.
    fn step(&mut self) -> Option<(Prose, String)> {
        match self.state {
            State::Opening => self.open(),
            State::Inside => self.inside(),
            State::Closed => {
                let text = self.held.trim_start().to_owned();
                self.held.clear();
                if !text.is_empty() {
                    self.state = State::Plain;
                }
                Some((Prose::Text, text))
            }
            State::Plain => Some((Prose::Text, std::mem::take(&mut self.held))),
        }
    }

    fn open(&mut self) -> Option<(Prose, String)> {
        let text = self.held.trim_start();
        if let Some(rest) = text.strip_prefix(OPEN) {
            self.held = rest.to_owned();
            self.state = State::Inside;
            return Some((Prose::Thinking, String::new()));
        }
        if OPEN.starts_with(text) {
            return None;
        }
        self.state = State::Plain;
        self.step()
    }

    fn inside(&mut self) -> Option<(Prose, String)> {
        if let Some((thought, rest)) = self.held.split_once(CLOSE) {
            let (thought, rest) = (thought.to_owned(), rest.to_owned());
            self.held = rest;
            self.state = State::Closed;
            return Some((Prose::Thinking, thought));
        }
        let kept = (1..CLOSE.len())
            .rev()
            .find(|len| {
                CLOSE
                    .get(..*len)
                    .is_some_and(|start| self.held.ends_with(start))
            })
            .unwrap_or_default();
        let tail = self.held.split_off(self.held.len() - kept);
        let sure = std::mem::replace(&mut self.held, tail);
        (!sure.is_empty()).then_some((Prose::Thinking, sure))
    }
}

#[cfg(test)]
mod tests {
    use super::{Prose, ThinkTags};

    #[track_caller]
    fn check(pieces: &[&str], thinking: &str, text: &str) {
        let mut tags = ThinkTags::default();
        let mut got = (String::new(), String::new());
        let mut take = |(kind, piece): (Prose, String)| match kind {
            Prose::Thinking => got.0.push_str(&piece),
            Prose::Text => got.1.push_str(&piece),
        };
        for piece in pieces {
            tags.push(piece).into_iter().for_each(&mut take);
        }
        tags.finish().into_iter().for_each(&mut take);
        assert_eq!(got, (thinking.to_owned(), text.to_owned()), "{pieces:?}");
    }

    #[test]
    fn tags_split_anywhere() {
        let whole = " \n<think>a </thin b</think>\n\n c <think> d";
        check(&[whole], "a </thin b", "c <think> d");
        let chars: Vec<String> = whole.chars().map(String::from).collect();
        let chars: Vec<&str> = chars.iter().map(String::as_str).collect();
        check(&chars, "a </thin b", "c <think> d");
        check(&["x <think>a</think>"], "", "x <think>a</think>");
        check(&[" <thi"], "", " <thi");
        check(&["<think>a</th"], "a</th", "");
        check(&["<think></think>  "], "", "");
    }

    #[test]
    fn only_what_could_be_a_tag_waits() {
        let mut tags = ThinkTags::default();
        assert_eq!(
            tags.push("<think>ab<"),
            [(Prose::Thinking, "ab".to_owned())],
            "ab is certain"
        );
        assert_eq!(
            tags.push("b"),
            [(Prose::Thinking, "<b".to_owned())],
            "no tag after all"
        );
    }
}
