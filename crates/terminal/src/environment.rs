//! The environment a command gets: the user's own, without what would make programs wait for a person or read files the
//! permission check did not see.
//!
//! Pure, apart from `login`, which asks the user's login shell once. Deliberately absent: where
//! settings and names of keys come from.

pub(crate) mod login;

use std::collections::BTreeMap;
use std::path::Path;

/// Names to values.
pub type Environment = BTreeMap<String, String>;

/// What a command's environment depends on besides the user's own.
#[derive(Debug, Clone, Copy)]
pub struct ChildContext<'a> {
    /// The folder it runs in.
    pub cwd: &'a Path,
    /// The session it belongs to.
    pub session_id: &'a str,
    /// Its shell.
    pub shell_id: &'a str,
    /// Whether somebody could answer a question.
    pub audience: Audience,
    /// Variables of the program itself, such as provider keys, that are nobody else's business.
    pub private: &'a [&'a str],
}

/// Whether somebody watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A person sees the terminal and may type.
    Present,
    /// Nobody does; programs that can be told not to ask are told so.
    Absent,
}

/// Programs that page, edit or ask are told not to, each family by its own variable: Git, for one, prefers the pager of
/// a repository's configuration to `PAGER`.
const SET: [(&str, &str); 13] = [
    ("TERM", "xterm-256color"),
    ("COLORTERM", "truecolor"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("BAT_PAGER", "cat"),
    ("AWS_PAGER", ""),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("HISTFILE", "/dev/null"),
    ("BENCHDOG", "1"),
];

/// Variables that make bash run more than the command, or Git work elsewhere than in the folder.
const REMOVED: [&str; 13] = [
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "PROMPT_COMMAND",
    "CDPATH",
    "GLOBIGNORE",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_EXTERNAL_DIFF",
    "OLDPWD",
];

/// Functions bash would import, and variables of this program's own.
const REMOVED_PREFIXES: [&str; 2] = ["BASH_FUNC_", "BENCHDOG"];

/// What an application image sets for itself.
const PACKAGING: [&str; 4] = ["APPDIR", "APPIMAGE", "ARGV0", "OWD"];
/// What it changes for itself; removed if it points into the image.
const PACKAGING_CHANGED: [&str; 5] = [
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "PYTHONHOME",
    "PYTHONPATH",
    "PERLLIB",
];
const PACKAGING_CHANGED_PREFIXES: [&str; 5] = ["GDK_", "GTK_", "GIO_", "GST_", "QT_"];

/// The whole environment of a command.
#[must_use]
pub fn child_env(base: &Environment, context: &ChildContext<'_>) -> Environment {
    let mut env = without_packaging(base);
    env.retain(|name, _| {
        let removed = REMOVED.contains(&name.as_str()) || context.private.contains(&name.as_str());
        !removed
            && !REMOVED_PREFIXES
                .iter()
                .any(|prefix| name.starts_with(prefix))
    });
    env.extend(SET.map(|(name, value)| (name.to_owned(), value.to_owned())));
    env.insert("PWD".to_owned(), context.cwd.to_string_lossy().into_owned());
    env.insert(
        "BENCHDOG_SESSION_ID".to_owned(),
        context.session_id.to_owned(),
    );
    env.insert("BENCHDOG_SHELL_ID".to_owned(), context.shell_id.to_owned());
    if context.audience == Audience::Absent {
        env.insert("GIT_TERMINAL_PROMPT".to_owned(), "0".to_owned());
    }
    env
}

/// The environment without what an application image put there.
fn without_packaging(base: &Environment) -> Environment {
    let mut env = base.clone();
    let image = env.get("APPDIR").filter(|image| !image.is_empty()).cloned();
    if image.is_none() && !env.contains_key("APPIMAGE") {
        return env;
    }
    env.retain(|name, value| {
        let changed = PACKAGING_CHANGED.contains(&name.as_str())
            || PACKAGING_CHANGED_PREFIXES
                .iter()
                .any(|prefix| name.starts_with(prefix));
        let points_inside = image
            .as_ref()
            .is_some_and(|image| value.contains(image.as_str()));
        !(PACKAGING.contains(&name.as_str()) || changed && points_inside)
    });
    env
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn child(base: &[(&str, &str)], audience: Audience) -> Environment {
        let context = ChildContext {
            cwd: Path::new("/home/ada/tree"),
            session_id: "s1",
            shell_id: "h1",
            audience,
            private: &["OPENAI_API_KEY"],
        };
        child_env(&environment(base), &context)
    }

    #[test]
    fn the_users_own_stays_and_what_would_act_goes() {
        let base = [
            ("PATH", "/usr/bin"),
            ("LANG", "de_DE.UTF-8"),
            ("EDITOR", "vim"),
            ("LD_LIBRARY_PATH", "/opt/mine"),
            ("BASH_ENV", "/tmp/evil"),
            ("BASH_FUNC_ls%%", "() { :; }"),
            ("GIT_DIR", "/elsewhere"),
            ("OPENAI_API_KEY", "sk-1"),
            ("BENCHDOG_HOME", "/private"),
            ("PAGER", "less"),
            ("CI", "1"),
        ];
        let env = child(&base, Audience::Present);
        let get = |name: &str| env.get(name).map(String::as_str);
        assert_eq!(
            (get("PATH"), get("LANG"), get("EDITOR")),
            (Some("/usr/bin"), Some("de_DE.UTF-8"), Some("vim"))
        );
        assert_eq!(
            (get("LD_LIBRARY_PATH"), get("CI")),
            (Some("/opt/mine"), Some("1"))
        );
        for gone in [
            "BASH_ENV",
            "BASH_FUNC_ls%%",
            "GIT_DIR",
            "OPENAI_API_KEY",
            "BENCHDOG_HOME",
            "GIT_TERMINAL_PROMPT",
        ] {
            assert_eq!(get(gone), None, "{gone}");
        }
        assert_eq!(
            (get("PAGER"), get("GIT_PAGER"), get("AWS_PAGER")),
            (Some("cat"), Some("cat"), Some(""))
        );
        assert_eq!(
            (get("PWD"), get("BENCHDOG")),
            (Some("/home/ada/tree"), Some("1"))
        );
        assert_eq!(
            (get("BENCHDOG_SESSION_ID"), get("BENCHDOG_SHELL_ID")),
            (Some("s1"), Some("h1"))
        );
    }

    #[test]
    fn nothing_is_added_that_changes_what_tools_do() {
        let env = child(&[], Audience::Absent);
        assert!(!env.contains_key("CI") && !env.contains_key("NO_COLOR"));
        assert_eq!(
            env.get("GIT_TERMINAL_PROMPT").map(String::as_str),
            Some("0")
        );
    }

    #[test]
    fn an_application_image_leaves_no_traces() {
        let base = [
            ("APPDIR", "/tmp/.mount_b"),
            ("APPIMAGE", "/home/u/b.AppImage"),
            ("OWD", "/home/u"),
            ("LD_LIBRARY_PATH", "/tmp/.mount_b/usr/lib"),
            ("GTK_PATH", "/tmp/.mount_b/gtk"),
            ("GTK_THEME", "Adwaita"),
            ("PYTHONPATH", "/home/u/lib"),
        ];
        let env = child(&base, Audience::Present);
        for gone in ["APPDIR", "APPIMAGE", "OWD", "LD_LIBRARY_PATH", "GTK_PATH"] {
            assert!(!env.contains_key(gone), "{gone}");
        }
        assert!(
            env.contains_key("GTK_THEME") && env.contains_key("PYTHONPATH"),
            "the user's own stay"
        );
    }
}
