//! The fixed part of the prompt. Frozen at a session's first request, so that a provider's cache stays valid whatever
//! happens to files, branches and the clock afterwards.

use protocol::log::SystemPart;
use std::path::Path;

/// What the prompt says about the place it runs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings<'a> {
    /// `linux`, `macos` or `windows`.
    pub platform: &'a str,
    /// The shell that runs commands.
    pub shell: &'a str,
    /// The folder of the session.
    pub workspace: &'a Path,
    /// It lies in a git work tree.
    pub is_git: bool,
    /// Today, as `YYYY-MM-DD`: the day only, so that requests of one day are alike.
    pub date: &'a str,
    /// Version of this program.
    pub app_version: &'a str,
}

/// The parts in order.
#[must_use]
pub fn system_parts(surroundings: &Surroundings<'_>) -> Vec<SystemPart> {
    let part = |source: &str, text: String| SystemPart {
        source: source.to_owned(),
        text,
    };
    let Surroundings {
        platform,
        shell,
        workspace,
        is_git,
        date,
        app_version,
    } = surroundings;
    let git = if *is_git { "yes" } else { "no" };
    let environment = format!(
        "Environment\nProgram: Benchdog {app_version}\nSystem: {platform}\nShell: {shell}\nWorkspace: {}\nGit work tree: {git}\nDate: {date}\n",
        workspace.display()
    );
    vec![
        part("rules", include_str!("prompt/rules.md").to_owned()),
        part("tools", include_str!("prompt/tools.md").to_owned()),
        part("environment", environment),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_day_gives_the_same_prompt() {
        let here = Surroundings {
            platform: "linux",
            shell: "bash",
            workspace: Path::new("/w"),
            is_git: true,
            date: "2026-01-02",
            app_version: "0.1.0",
        };
        let parts = system_parts(&here);
        assert_eq!(parts, system_parts(&here));
        let sources: Vec<&str> = parts.iter().map(|part| part.source.as_str()).collect();
        assert_eq!(sources, ["rules", "tools", "environment"]);
        assert!(
            parts[2]
                .text
                .contains("Workspace: /w\nGit work tree: yes\nDate: 2026-01-02")
        );
    }
}
