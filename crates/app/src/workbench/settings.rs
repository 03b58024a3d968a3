//! Settings, keys, and trying a provider.

use crate::providers;
use crate::workbench::{AppEvent, Workbench, lock};
use protocol::command::{Empty, ProviderTest, SetProviderKey, SetSettings, TestProvider};
use protocol::error::ApiError;
use protocol::settings::Settings;
use std::sync::Arc;

impl Workbench {
    /// Reads the settings.
    ///
    /// # Errors
    /// None of its own.
    pub async fn get_settings(self: &Arc<Self>, _request: Empty) -> Result<Settings, ApiError> {
        Ok(lock(&self.settings).get().clone())
    }

    /// Replaces the settings.
    ///
    /// # Errors
    /// `SETTINGS` with the reason; nothing is changed then.
    pub async fn set_settings(
        self: &Arc<Self>,
        request: SetSettings,
    ) -> Result<Settings, ApiError> {
        let settings = lock(&self.settings).set(request.settings)?.clone();
        self.announce(AppEvent::SettingsChanged);
        Ok(settings)
    }

    /// Keeps a provider's key outside the settings.
    ///
    /// # Errors
    /// `SETTINGS` if it cannot be written.
    pub async fn set_provider_key(
        self: &Arc<Self>,
        request: SetProviderKey,
    ) -> Result<Empty, ApiError> {
        lock(&self.keys).set(&request.provider_id, &request.key)?;
        self.announce(AppEvent::SettingsChanged);
        Ok(Empty {})
    }

    /// Sends one short request and says what came of it. Nothing is sent before the person presses the button.
    ///
    /// # Errors
    /// None of its own: what goes wrong is the answer.
    pub async fn test_provider(
        self: &Arc<Self>,
        request: TestProvider,
    ) -> Result<ProviderTest, ApiError> {
        let key = request
            .key
            .filter(|key| !key.trim().is_empty())
            .or_else(|| lock(&self.keys).get(&request.entry));
        Ok(providers::test(&request.entry, key).await)
    }
}
