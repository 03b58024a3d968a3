//! Settings, keys, and trying a provider.

use crate::providers;
use crate::workbench::{AppEvent, Workbench, lock};
use protocol::command::{
    Empty, OpenExternal, ProviderTest, SetProviderKey, SetSettings, TestProvider,
};
use protocol::error::{ApiError, ErrorCode};
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

    /// Opens an address in the system's browser. The window asks first.
    ///
    /// # Errors
    /// `BAD_REQUEST` for anything but a web or mail address.
    pub async fn open_external(self: &Arc<Self>, request: OpenExternal) -> Result<Empty, ApiError> {
        let url = request.url;
        let allowed = ["http://", "https://", "mailto:"]
            .iter()
            .any(|scheme| url.starts_with(scheme));
        if !allowed || url.chars().any(char::is_control) {
            return Err(ApiError::new(
                ErrorCode::BadRequest,
                "only web and mail addresses can be opened",
            ));
        }
        open_in_system(&url).map(|()| Empty {})
    }
}

fn open_in_system(url: &str) -> Result<(), ApiError> {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "the system's opener gets one checked address and no shell"
    )]
    let started = std::process::Command::new(program)
        .arg(url)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn();
    match started {
        Ok(mut child) => {
            // Reaped on a thread of its own: openers may live as long as the browser.
            std::thread::spawn(move || child.wait());
            Ok(())
        }
        Err(error) => Err(ApiError::new(
            ErrorCode::Internal,
            format!("cannot start {program}: {error}; open the address by hand"),
        )),
    }
}
