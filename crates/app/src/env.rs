//! Every environment variable the program reads, with its meaning. Nothing else reads the environment.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Folder for settings, data and logs; overrides all XDG folders. Tests always set it.
pub const BENCHDOG_HOME: &str = "BENCHDOG_HOME";
/// Base of the settings folder.
pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// Base of the data folder.
pub const XDG_DATA_HOME: &str = "XDG_DATA_HOME";
/// Base of the folder for logs.
pub const XDG_STATE_HOME: &str = "XDG_STATE_HOME";
/// Folder of the desktop session for sockets.
pub const XDG_RUNTIME_DIR: &str = "XDG_RUNTIME_DIR";
/// Home folder on Unix.
pub const HOME: &str = "HOME";
/// Per-user settings on Windows.
pub const APPDATA: &str = "APPDATA";
/// Opens the demo on a fresh sample project.
pub const BENCHDOG_DEMO: &str = "BENCHDOG_DEMO";
/// Answers of the demo come without pauses.
pub const BENCHDOG_DEMO_INSTANT: &str = "BENCHDOG_DEMO_INSTANT";
/// Log filter, such as `debug` or `agent=trace`.
pub const BENCHDOG_LOG: &str = "BENCHDOG_LOG";
/// Default of `--base-url` for an OpenAI-compatible provider.
pub const OPENAI_BASE_URL: &str = "OPENAI_BASE_URL";
/// Default of `--model` for an OpenAI-compatible provider.
pub const OPENAI_MODEL: &str = "OPENAI_MODEL";
/// Key of an OpenAI-compatible provider.
pub const OPENAI_API_KEY: &str = "OPENAI_API_KEY";
/// Language of messages, by POSIX; the first that is set counts.
pub const LOCALE_NAMES: [&str; 3] = ["LC_ALL", "LC_MESSAGES", "LANG"];

/// The environment as it was when the program started.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    values: BTreeMap<String, String>,
}

impl Environment {
    /// Reads the environment of the process. Values that are not Unicode are left out.
    #[must_use]
    pub fn of_process() -> Self {
        let unicode = |(key, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((key.into_string().ok()?, value.into_string().ok()?))
        };
        Self {
            values: std::env::vars_os().filter_map(unicode).collect(),
        }
    }

    /// Takes these variables instead; for tests.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = (String, String)>) -> Self {
        Self {
            values: values.into_iter().collect(),
        }
    }

    /// The value of a variable that is set and not blank.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.trim().is_empty())
    }

    /// The value of a variable as a path.
    #[must_use]
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    /// All variables, for the programs we start.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Language of the system as a tag, such as `zh-CN`; `en` where nothing is said.
    #[must_use]
    pub fn language(&self) -> String {
        let name = LOCALE_NAMES
            .iter()
            .find_map(|name| self.get(name))
            .unwrap_or("en");
        let bare = name.split(['.', '@']).next().unwrap_or("en");
        match bare {
            "C" | "POSIX" => "en".to_owned(),
            other => other.replace('_', "-"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pairs: &[(&str, &str)], language: &str) {
        let env = Environment::of(
            pairs
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned())),
        );
        assert_eq!(env.language(), language);
    }

    #[test]
    fn the_first_locale_name_that_is_set_counts() {
        check(&[("LANG", "zh_CN.UTF-8")], "zh-CN");
        check(
            &[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "de_DE@euro")],
            "de-DE",
        );
        check(&[("LANG", "C.UTF-8")], "en");
        check(&[("LC_ALL", " ")], "en");
        check(&[], "en");
    }
}
