//! What would end with the program.

use crate::workbench::{Workbench, lock};

impl Workbench {
    /// Whether a person must be asked before the program ends: commands run that would end with it.
    #[must_use]
    pub fn asks_before_quit(&self) -> bool {
        let runs = || {
            self.shells
                .list()
                .iter()
                .any(|shell| shell.outcome().is_none())
        };
        lock(&self.settings).get().ask_before_quit && runs()
    }
}
