//! What a person can set. Stored as `settings.json`; unknown fields survive a round trip through the file.

use crate::sandbox::SandboxMode;
use serde::{Deserialize, Serialize};

/// All settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(default)]
pub struct Settings {
    /// Language of the window.
    pub language: Language,
    /// Colours of the window.
    pub theme: Theme,
    /// Colours of a diff.
    pub diff_colors: DiffColors,
    /// What Enter does in the composer.
    pub enter_sends: bool,
    /// Text size of the window in percent, 80–200.
    pub ui_scale: u16,
    /// Model providers.
    pub providers: Vec<ProviderEntry>,
    /// Entry used by new sessions; `demo` is always there.
    pub provider: String,
    /// Steps a turn may take, 1–1,000.
    pub max_steps: u32,
    /// How closely the text that an edit replaces must fit the file.
    pub edit_profile: EditProfile,
    /// The model may change several files with one patch.
    pub apply_patch: bool,
    /// Command of the person's own editor, such as `code --wait`; empty for the one that the system has for text.
    pub editor: String,
    /// What becomes of a command whose time is over.
    pub shell_on_timeout: ShellOnTimeout,
    /// Closing the window asks first while commands run.
    pub ask_before_quit: bool,
    /// Quitting also ends what commands left running behind them.
    pub kill_leftovers_on_quit: bool,
    /// What commands are kept in.
    pub sandbox: SandboxMode,
    /// Whether a command that is kept in something may reach the network.
    pub sandbox_network: bool,
    /// Without a sandbox that works here no command runs. Else it runs without one, and the question says so.
    pub sandbox_required: bool,
    /// The first-run pages were seen.
    pub first_run_done: bool,
    /// Folders opened before, newest first.
    pub recent_workspaces: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            language: Language::System,
            theme: Theme::System,
            diff_colors: DiffColors::Standard,
            enter_sends: true,
            ui_scale: 100,
            providers: Vec::new(),
            provider: "demo".to_owned(),
            max_steps: 50,
            edit_profile: EditProfile::Safe,
            apply_patch: false,
            editor: String::new(),
            shell_on_timeout: ShellOnTimeout::Auto,
            ask_before_quit: true,
            kill_leftovers_on_quit: true,
            sandbox: SandboxMode::Off,
            sandbox_network: false,
            sandbox_required: false,
            first_run_done: false,
            recent_workspaces: Vec::new(),
        }
    }
}

/// Language of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Language {
    /// That of the system.
    #[serde(rename = "system")]
    System,
    /// English.
    #[serde(rename = "en")]
    En,
    /// 简体中文.
    #[serde(rename = "zh-CN")]
    ZhCn,
}

/// Colours of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Those of the system.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// Colours of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DiffColors {
    /// Green and red.
    Standard,
    /// Blue and orange.
    ColorBlind,
}

/// How closely the text that an edit replaces must fit the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum EditProfile {
    /// To the character.
    Exact,
    /// Apart from what models blur: typographic characters, trailing blanks, and with a person's approval indentation,
    /// double escaping and blank lines around it.
    Safe,
    /// Also apart from runs of white space, or with drifted lines between two anchors; a person approves each.
    Extended,
}

/// What becomes of a command whose time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ShellOnTimeout {
    /// It goes on in the background while it prints and somebody is there; else it ends.
    Auto,
    /// It ends.
    Kill,
    /// It goes on in the background.
    Background,
}

/// One model provider. Its key is never part of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ProviderEntry {
    /// Unique name, such as `openai-chat`.
    pub id: String,
    /// Wire protocol.
    pub kind: ProviderKind,
    /// Where it answers, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// Model name.
    pub model: String,
    /// Environment variable that holds the key.
    #[serde(default)]
    pub key_env: Option<String>,
    /// Window of the model in tokens, where the person knows it.
    #[serde(default)]
    pub context_window: Option<u64>,
    /// Its model can look at pictures, where the person knows it; else its name is judged.
    #[serde(default)]
    pub vision: Option<bool>,
}

/// Wire protocol of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Scripted, without network.
    Demo,
    /// Chat Completions.
    OpenaiChat,
}
