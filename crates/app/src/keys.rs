//! Keys of providers: from the environment, else from a file that only its owner may read.
//!
//! A key never enters the settings, the store, a log or an error text.

use crate::env::Environment;
use crate::settings::write_private;
use protocol::error::{ApiError, ErrorCode};
use protocol::settings::ProviderEntry;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Name of the file in the settings folder.
pub(crate) const FILE: &str = "keys.json";

/// The keys we know.
pub(crate) struct Keys {
    path: PathBuf,
    environment: Environment,
    saved: BTreeMap<String, String>,
}

impl Keys {
    /// Reads the saved keys; a file that cannot be read counts as empty and is not touched until a key is saved.
    pub(crate) fn load(folder: &Path, environment: Environment) -> Self {
        let path = folder.join(FILE);
        let saved = std::fs::read_to_string(&path)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        Self {
            path,
            environment,
            saved,
        }
    }

    /// The key of a provider.
    pub(crate) fn get(&self, entry: &ProviderEntry) -> Option<String> {
        let from_environment = entry
            .key_env
            .as_deref()
            .and_then(|name| self.environment.get(name));
        from_environment
            .map(str::to_owned)
            .or_else(|| self.saved.get(&entry.id).cloned())
    }

    /// Saves a key; an empty one is removed.
    pub(crate) fn set(&mut self, provider_id: &str, key: &str) -> Result<(), ApiError> {
        let mut saved = self.saved.clone();
        if key.trim().is_empty() {
            saved.remove(provider_id);
        } else {
            saved.insert(provider_id.to_owned(), key.trim().to_owned());
        }
        let text = serde_json::to_string(&saved)
            .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))?;
        write_private(&self.path, text.as_bytes()).map_err(|error| {
            ApiError::new(
                ErrorCode::Settings,
                format!("cannot write {}: {error}", self.path.display()),
            )
        })?;
        self.saved = saved;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::settings::ProviderKind;

    fn entry(key_env: Option<&str>) -> ProviderEntry {
        ProviderEntry {
            id: "p".to_owned(),
            kind: ProviderKind::OpenaiChat,
            base_url: String::new(),
            model: String::new(),
            key_env: key_env.map(str::to_owned),
            context_window: None,
            vision: None,
        }
    }

    #[test]
    fn the_environment_comes_before_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let env = Environment::of([("K".to_owned(), "from-env".to_owned())]);
        let mut keys = Keys::load(dir.path(), env.clone());
        keys.set("p", "from-file").unwrap();
        let keys = Keys::load(dir.path(), env);
        assert_eq!(keys.get(&entry(Some("K"))).as_deref(), Some("from-env"));
        assert_eq!(
            keys.get(&entry(Some("OTHER"))).as_deref(),
            Some("from-file")
        );
        assert_eq!(keys.get(&entry(None)).as_deref(), Some("from-file"));
    }

    #[test]
    fn an_empty_key_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let mut keys = Keys::load(dir.path(), Environment::default());
        keys.set("p", "k").unwrap();
        keys.set("p", " ").unwrap();
        assert_eq!(keys.get(&entry(None)), None);
    }
}
