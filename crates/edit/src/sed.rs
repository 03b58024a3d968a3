//! A `sed -i` of a safe shape, worked out as the change of one file.
//!
//! [`parse_sed`] takes a command line only if its meaning is certain: one `sed`, one file, a script of the simple
//! commands, a regular expression that is translated, never passed on. [`SedCommand::apply`] gives what GNU sed would
//! write, byte by byte, or refuses. Whatever is refused is left to the real program.
//! Deliberately absent: the file, and who may change it.

mod command;
mod matcher;
mod pattern;
mod run;
mod script;
#[cfg(test)]
mod tests;
mod words;

use script::Script;

/// A `sed -i` that can be worked out.
#[derive(Debug)]
pub struct SedCommand {
    /// The folder that the command changes to first.
    folder: Option<String>,
    file: String,
    script: Script,
}

/// Why a command is left to the real program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SedRefusal {
    /// It is no single `sed -i`; nobody expects to see its change.
    #[error("not a single sed -i")]
    OtherCommand,
    /// It is one, but what it does is not certain or not simple.
    #[error("{reason}")]
    Unsupported {
        /// What stands in the way, such as `option:-n`.
        reason: String,
    },
}

impl SedRefusal {
    fn because(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Unsupported { reason }
    }

    fn script(reason: impl std::fmt::Display) -> Self {
        Self::because(format!("script:{reason}"))
    }
}

/// Reads a command line of bash.
///
/// # Errors
/// [`SedRefusal`] if it is not certain what it does.
pub fn parse_sed(command: &str) -> Result<SedCommand, SedRefusal> {
    let parsed = command::parse(command)?;
    let script = script::parse(&parsed.script, parsed.syntax)?;
    Ok(SedCommand {
        folder: parsed.folder,
        file: parsed.file,
        script,
    })
}

impl SedCommand {
    /// The folder it changes to first, as written.
    pub fn folder(&self) -> Option<&str> {
        self.folder.as_deref()
    }

    /// The file, as written.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// What the file has afterwards.
    ///
    /// # Errors
    /// [`SedRefusal`] if that is not certain for these bytes.
    pub fn apply(&self, before: &[u8]) -> Result<Vec<u8>, SedRefusal> {
        run::run(&self.script, before)
    }
}
