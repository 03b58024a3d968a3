//! Where settings, data and logs lie.

use crate::env::{self, Environment};
use std::path::PathBuf;

/// Name of our folder inside each base folder.
const FOLDER: &str = "benchdog";

/// Folders of this user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// `settings.json` and keys.
    pub config: PathBuf,
    /// Database, blobs, shell output.
    pub data: PathBuf,
    /// Logs.
    pub logs: PathBuf,
}

impl Paths {
    /// Finds the folders; nothing is created. `None` where the user has no home at all.
    #[must_use]
    pub fn find(environment: &Environment) -> Option<Self> {
        if let Some(home) = environment.path(env::BENCHDOG_HOME) {
            return Some(Self {
                config: home.clone(),
                logs: home.join("logs"),
                data: home,
            });
        }
        if cfg!(windows) {
            let base = environment.path(env::APPDATA)?.join(FOLDER);
            return Some(Self {
                config: base.clone(),
                logs: base.join("logs"),
                data: base,
            });
        }
        let home = environment.path(env::HOME)?;
        if cfg!(target_os = "macos") {
            let base = home.join("Library/Application Support").join(FOLDER);
            return Some(Self {
                config: base.clone(),
                logs: home.join("Library/Logs").join(FOLDER),
                data: base,
            });
        }
        let under = |name: &str, default: &str| {
            environment
                .path(name)
                .filter(|path| path.is_absolute())
                .unwrap_or_else(|| home.join(default))
                .join(FOLDER)
        };
        Some(Self {
            config: under(env::XDG_CONFIG_HOME, ".config"),
            data: under(env::XDG_DATA_HOME, ".local/share"),
            logs: under(env::XDG_STATE_HOME, ".local/state"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pairs: &[(&str, &str)]) -> Option<Paths> {
        Paths::find(&Environment::of(
            pairs
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned())),
        ))
    }

    #[test]
    fn our_own_variable_overrides_everything() {
        let paths = find(&[
            ("BENCHDOG_HOME", "/x"),
            ("XDG_DATA_HOME", "/y"),
            ("HOME", "/h"),
        ])
        .unwrap();
        assert_eq!(
            paths,
            Paths {
                config: "/x".into(),
                data: "/x".into(),
                logs: "/x/logs".into()
            }
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_xdg_folders_are_used_where_they_are_absolute() {
        let paths = find(&[
            ("HOME", "/h"),
            ("XDG_DATA_HOME", "/d"),
            ("XDG_STATE_HOME", "relative"),
        ])
        .unwrap();
        assert_eq!(paths.config, PathBuf::from("/h/.config/benchdog"));
        assert_eq!(paths.data, PathBuf::from("/d/benchdog"));
        assert_eq!(paths.logs, PathBuf::from("/h/.local/state/benchdog"));
    }

    #[test]
    fn no_home_is_no_folder() {
        assert_eq!(find(&[]), None);
    }
}
