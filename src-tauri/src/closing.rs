//! Closing the window while commands run: the page asks the person first.
//!
//! Invariant: a close is held back only for a page that can be heard. A page that hangs shows no dialog and says so by
//! its silence, and then the next close is the last one. Deliberately absent: which commands run, and the dialog.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A page that works shows its dialog much sooner, also on a slow machine; a person who presses twice in impatience
/// presses sooner than this, too.
const PAGE_ANSWERS_WITHIN: Duration = Duration::from_secs(2);

/// What is known of the dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialog {
    /// The person does not want to close the window.
    None,
    /// The page was told to show it, for the first time then.
    Asked(Instant),
    /// It is on screen.
    Shown,
}

/// Whether the window may close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Close {
    /// Once the person said so.
    Ask,
    /// At once.
    Now,
}

/// Remembers whether the page was told, and whether it listened.
pub(crate) struct Closing {
    dialog: Mutex<Dialog>,
}

impl Default for Closing {
    fn default() -> Self {
        Self {
            dialog: Mutex::new(Dialog::None),
        }
    }
}

impl Closing {
    /// The close button was pressed, and something runs that would end.
    pub(crate) fn request(&self, now: Instant) -> Close {
        self.change(|dialog| match dialog {
            Dialog::None => (Dialog::Asked(now), Close::Ask),
            Dialog::Asked(since) if now.duration_since(since) >= PAGE_ANSWERS_WITHIN => {
                (Dialog::None, Close::Now)
            }
            known @ (Dialog::Asked(_) | Dialog::Shown) => (known, Close::Ask),
        })
    }

    /// The dialog is on screen.
    pub(crate) fn shown(&self) {
        self.change(|_| (Dialog::Shown, ()));
    }

    /// The person goes on, or the page was loaded anew.
    pub(crate) fn forget(&self) {
        self.change(|_| (Dialog::None, ()));
    }

    fn change<T>(&self, step: impl FnOnce(Dialog) -> (Dialog, T)) -> T {
        let mut dialog = self.dialog.lock().unwrap_or_else(PoisonError::into_inner);
        let (next, answer) = step(*dialog);
        *dialog = next;
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(300);

    #[test]
    fn a_page_that_shows_the_dialog_is_asked_each_time() {
        let (closing, start) = (Closing::default(), Instant::now());
        assert_eq!(closing.request(start), Close::Ask);
        closing.shown();
        let later = start + PAGE_ANSWERS_WITHIN * 2;
        assert_eq!(
            closing.request(later),
            Close::Ask,
            "the dialog is there; only its buttons answer"
        );
    }

    #[test]
    fn a_page_that_hangs_does_not_keep_the_window() {
        let (closing, start) = (Closing::default(), Instant::now());
        assert_eq!(closing.request(start), Close::Ask);
        assert_eq!(
            closing.request(start + MOMENT),
            Close::Ask,
            "a double press is no answer"
        );
        assert_eq!(
            closing.request(start + PAGE_ANSWERS_WITHIN),
            Close::Now,
            "nobody was heard since the first press"
        );
    }

    #[test]
    fn after_a_change_of_mind_it_begins_anew() {
        let (closing, start) = (Closing::default(), Instant::now());
        assert_eq!(closing.request(start), Close::Ask);
        closing.forget();
        assert_eq!(closing.request(start + PAGE_ANSWERS_WITHIN), Close::Ask);
    }
}
