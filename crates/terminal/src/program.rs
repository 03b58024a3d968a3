//! Which program runs commands. Bash whenever there is one, because commands are checked as bash would read them.

use std::path::{Path, PathBuf};

/// Where bash is, usually.
const USUAL_PLACES: [&str; 2] = ["/bin/bash", "/usr/bin/bash"];

/// A shell program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellProgram {
    /// Bash, started without any of its start-up files.
    Bash(PathBuf),
    /// The system's shell. What it will make of a command is not known, so every command must be asked about.
    Sh(PathBuf),
}

impl ShellProgram {
    /// The program's path.
    #[must_use]
    pub fn program(&self) -> &Path {
        match self {
            Self::Bash(path) | Self::Sh(path) => path,
        }
    }

    /// The arguments that make it run a command, or the file that holds it.
    pub(crate) fn arguments(&self, command: &str, script: Option<&Path>) -> Vec<String> {
        let quiet: &[&str] = match self {
            Self::Bash(_) => &["--noprofile", "--norc"],
            Self::Sh(_) => &[],
        };
        let what = match script {
            Some(script) => vec![script.to_string_lossy().into_owned()],
            None => vec!["-c".to_owned(), command.to_owned()],
        };
        quiet
            .iter()
            .map(|argument| (*argument).to_owned())
            .chain(what)
            .collect()
    }
}

/// The shell to use: what the settings say, else bash where it usually is or on the search path, else `/bin/sh`.
#[must_use]
pub fn find_shell(setting: Option<&Path>, search_path: &str) -> ShellProgram {
    let on_path = std::env::split_paths(search_path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("bash"));
    let usual = USUAL_PLACES.iter().map(PathBuf::from);
    let candidates = setting
        .map(Path::to_owned)
        .into_iter()
        .chain(usual)
        .chain(on_path);
    let found = candidates.into_iter().find(|path| is_program(path));
    found.map_or_else(
        || ShellProgram::Sh(PathBuf::from("/bin/sh")),
        ShellProgram::Bash,
    )
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_wins_and_a_wrong_one_does_not_hurt() {
        assert_eq!(
            find_shell(Some(Path::new("/bin/sh")), ""),
            ShellProgram::Bash("/bin/sh".into())
        );
        assert_eq!(
            find_shell(Some(Path::new("/nowhere/bash")), ""),
            ShellProgram::Bash("/bin/bash".into())
        );
    }

    #[test]
    fn a_script_replaces_the_command() {
        let bash = ShellProgram::Bash("/bin/bash".into());
        assert_eq!(
            bash.arguments("a b", None),
            ["--noprofile", "--norc", "-c", "a b"]
        );
        assert_eq!(
            bash.arguments("a b", Some(Path::new("/s/script.sh"))),
            ["--noprofile", "--norc", "/s/script.sh"]
        );
        assert_eq!(
            ShellProgram::Sh("/bin/sh".into()).arguments("x", None),
            ["-c", "x"]
        );
    }
}
