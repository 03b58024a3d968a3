//! `settings.json`: read once, kept in memory, replaced on disk as a whole.
//!
//! What this version does not know stays in the file. A file that cannot be read is set aside, never overwritten.

use protocol::error::{ApiError, ErrorCode};
use protocol::settings::Settings;
use serde_json::{Map, Value};
use std::io;
use std::path::{Path, PathBuf};

/// Name of the file in the settings folder.
const FILE: &str = "settings.json";
/// Steps a turn may take at the most, whatever the file says.
const MAX_STEPS_LIMIT: u32 = 1_000;
/// Folders remembered.
const MAX_RECENT_WORKSPACES: usize = 12;
/// Smallest and largest text size in percent.
const UI_SCALE_RANGE: std::ops::RangeInclusive<u16> = 80..=200;

/// The settings and their file.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    path: PathBuf,
    /// The file as it was read, so that unknown fields survive.
    raw: Map<String, Value>,
    current: Settings,
}

impl SettingsFile {
    /// Reads the file. Says so where it had to be set aside.
    pub(crate) fn load(folder: &Path) -> (Self, Option<ApiError>) {
        let path = folder.join(FILE);
        let fresh = |path| Self {
            path,
            raw: Map::new(),
            current: Settings::default(),
        };
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return (fresh(path), None),
            Err(error) => {
                let notice = notice(format!(
                    "cannot read {}: {error}; defaults are used",
                    path.display()
                ));
                return (fresh(path), Some(notice));
            }
        };
        match parse(&text) {
            Ok((raw, current)) => (
                Self {
                    path,
                    raw,
                    current: clamp(current),
                },
                None,
            ),
            Err(reason) => {
                let aside = path.with_extension("json.unreadable");
                let moved = match std::fs::rename(&path, &aside) {
                    Ok(()) => format!("kept as {}", aside.display()),
                    Err(error) => format!("it could not be set aside: {error}"),
                };
                let words = format!(
                    "{} is not usable ({reason}); {moved}; defaults are used",
                    path.display()
                );
                (fresh(path), Some(notice(words)))
            }
        }
    }

    /// The settings.
    pub(crate) fn get(&self) -> &Settings {
        &self.current
    }

    /// Replaces the settings, in memory and on disk.
    pub(crate) fn set(&mut self, settings: Settings) -> Result<&Settings, ApiError> {
        check(&settings)?;
        let settings = clamp(settings);
        let Ok(Value::Object(known)) = serde_json::to_value(&settings) else {
            return Err(ApiError::new(
                ErrorCode::Internal,
                "settings did not become an object",
            ));
        };
        let mut raw = self.raw.clone();
        raw.extend(known);
        let text = serde_json::to_string_pretty(&raw)
            .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))?;
        write_private(&self.path, text.as_bytes()).map_err(|error| {
            let words = format!(
                "cannot write {}: {error}; free space or fix the rights, then try again",
                self.path.display()
            );
            ApiError::new(ErrorCode::Settings, words)
        })?;
        self.raw = raw;
        self.current = settings;
        Ok(&self.current)
    }

    /// Puts a folder at the top of the recent ones.
    pub(crate) fn remember_workspace(&mut self, path: &str) -> Result<(), ApiError> {
        let mut settings = self.current.clone();
        settings.recent_workspaces.retain(|known| known != path);
        settings.recent_workspaces.insert(0, path.to_owned());
        self.set(settings).map(|_| ())
    }
}

fn notice(words: String) -> ApiError {
    ApiError::new(ErrorCode::Settings, words)
}

fn parse(text: &str) -> Result<(Map<String, Value>, Settings), serde_json::Error> {
    let raw: Map<String, Value> = serde_json::from_str(text)?;
    let settings = serde_json::from_value(Value::Object(raw.clone()))?;
    Ok((raw, settings))
}

fn clamp(mut settings: Settings) -> Settings {
    settings.max_steps = settings.max_steps.clamp(1, MAX_STEPS_LIMIT);
    settings.ui_scale = settings
        .ui_scale
        .clamp(*UI_SCALE_RANGE.start(), *UI_SCALE_RANGE.end());
    settings.recent_workspaces.truncate(MAX_RECENT_WORKSPACES);
    settings
}

fn check(settings: &Settings) -> Result<(), ApiError> {
    let mut ids: Vec<&str> = settings
        .providers
        .iter()
        .map(|entry| entry.id.as_str())
        .collect();
    ids.sort_unstable();
    if ids.iter().any(|id| id.trim().is_empty() || *id == "demo")
        || ids.windows(2).any(|pair| pair[0] == pair[1])
    {
        return Err(notice(
            "each provider needs a name of its own, other than \"demo\"".to_owned(),
        ));
    }
    if settings.provider != "demo" && !ids.contains(&settings.provider.as_str()) {
        return Err(notice(format!(
            "there is no provider named {:?}",
            settings.provider
        )));
    }
    Ok(())
}

/// Replaces a file that only its owner may read.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write;
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    std::fs::create_dir_all(folder)?;
    let temporary = path.with_extension("tmp");
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&temporary, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::settings::{ProviderEntry, ProviderKind, Theme};

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn entry(id: &str) -> ProviderEntry {
        ProviderEntry {
            id: id.to_owned(),
            kind: ProviderKind::OpenaiChat,
            base_url: "http://127.0.0.1:1/v1".to_owned(),
            model: "m".to_owned(),
            key_env: None,
            context_window: None,
            vision: None,
        }
    }

    #[test]
    fn what_is_set_is_there_after_a_restart_and_unknown_fields_survive() {
        let dir = folder();
        std::fs::write(
            dir.path().join(FILE),
            r#"{"theme":"dark","from_the_future":{"x":1}}"#,
        )
        .unwrap();
        let (mut file, notice) = SettingsFile::load(dir.path());
        assert_eq!((file.get().theme, notice), (Theme::Dark, None));
        file.set(Settings {
            theme: Theme::Light,
            ..file.get().clone()
        })
        .unwrap();
        let (again, _) = SettingsFile::load(dir.path());
        assert_eq!(again.get().theme, Theme::Light);
        assert_eq!(again.raw["from_the_future"], serde_json::json!({"x": 1}));
    }

    #[test]
    fn a_broken_file_is_set_aside_whole() {
        let dir = folder();
        std::fs::write(dir.path().join(FILE), "{ not json").unwrap();
        let (file, notice) = SettingsFile::load(dir.path());
        assert_eq!(file.get(), &Settings::default());
        assert!(notice.unwrap().message.contains("settings.json.unreadable"));
        let kept = std::fs::read_to_string(dir.path().join("settings.json.unreadable")).unwrap();
        assert_eq!(kept, "{ not json");
    }

    #[test]
    fn providers_must_be_told_apart() {
        let dir = folder();
        let (mut file, _) = SettingsFile::load(dir.path());
        for providers in [
            vec![entry("a"), entry("a")],
            vec![entry("demo")],
            vec![entry(" ")],
        ] {
            assert!(
                file.set(Settings {
                    providers,
                    ..Settings::default()
                })
                .is_err()
            );
        }
        let unknown = Settings {
            provider: "gone".to_owned(),
            ..Settings::default()
        };
        assert!(file.set(unknown).unwrap_err().message.contains("gone"));
        assert_eq!(
            file.get(),
            &Settings::default(),
            "a refused change changes nothing"
        );
    }

    #[test]
    #[cfg(unix)]
    fn the_file_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let dir = folder();
        let (mut file, _) = SettingsFile::load(dir.path());
        file.set(Settings::default()).unwrap();
        let mode = std::fs::metadata(dir.path().join(FILE))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn numbers_out_of_range_are_brought_back() {
        let dir = folder();
        std::fs::write(dir.path().join(FILE), r#"{"max_steps":0,"ui_scale":900}"#).unwrap();
        let (file, _) = SettingsFile::load(dir.path());
        assert_eq!((file.get().max_steps, file.get().ui_scale), (1, 200));
    }
}
