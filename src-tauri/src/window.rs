//! The one window: what it may show, and the size it had.
//!
//! The page may only be ours; a link that would replace it, or open a second window, is refused.

use crate::closing::Close;
use crate::commands::Shell;
use crate::feeds;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tauri::webview::{NewWindowResponse, PageLoadEvent};
use tauri::{App, LogicalSize, Manager, Url, WebviewWindow, WebviewWindowBuilder, WindowEvent};

/// Beside the settings, since it belongs to the person's screen and not to any session.
const SIZE_FILE: &str = "window.json";

/// Opens the window of `tauri.conf.json` with the size it had.
pub(crate) fn open(app: &App, data_dir: &Path) -> Result<()> {
    let config = app
        .config()
        .app
        .windows
        .first()
        .context("find the window in tauri.conf.json")?;
    let mut builder = WebviewWindowBuilder::from_config(app, config)
        .context("prepare the window")?
        .data_directory(data_dir.join("webview"))
        .on_navigation(is_ours)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_page_load(|window, load| {
            if load.event() == PageLoadEvent::Started {
                let shell = window.state::<Shell>();
                shell.sessions.forget_all();
                shell.terminals.forget_all();
                shell.closing.forget();
            }
        });
    let path = data_dir.join(SIZE_FILE);
    let remembered = Size::read(&path);
    if let Some(size) = remembered {
        builder = builder
            .inner_size(size.width, size.height)
            .maximized(size.maximized);
    }
    let window = builder.build().context("open the window")?;
    watch_closing(&window, path);
    Ok(())
}

/// The address is a page of this program.
fn is_ours(address: &Url) -> bool {
    match address.scheme() {
        "tauri" => address.host_str() == Some("localhost"),
        "http" | "https" => address.host_str() == Some("tauri.localhost"),
        _ => false,
    }
}

/// Before the window closes its size is kept, and the person is asked if commands would end.
fn watch_closing(window: &WebviewWindow, path: PathBuf) {
    let closing = window.clone();
    window.on_window_event(move |event| {
        let WindowEvent::CloseRequested { api, .. } = event else {
            return;
        };
        if let Err(error) = Size::of(&closing).and_then(|size| size.write(&path)) {
            tracing::warn!(%error, "the size of the window was not kept");
        }
        if must_ask(&closing.state::<Shell>()) {
            api.prevent_close();
            feeds::ask_to_close(&closing);
        }
    });
}

fn must_ask(shell: &Shell) -> bool {
    shell.workbench.asks_before_quit() && shell.closing.request(Instant::now()) == Close::Ask
}

/// The size of a window, in the units of its configuration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Size {
    width: f64,
    height: f64,
    maximized: bool,
}

impl Size {
    /// The size that was kept; none if there is none, or it is not usable.
    fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    fn of(window: &WebviewWindow) -> Result<Self> {
        let inner: LogicalSize<f64> = window.inner_size()?.to_logical(window.scale_factor()?);
        Ok(Self {
            width: inner.width,
            height: inner.height,
            maximized: window.is_maximized()?,
        })
    }

    fn write(self, path: &Path) -> Result<()> {
        fs::write(path, serde_json::to_vec(&self)?)
            .with_context(|| format!("write {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(address: &str, expected: bool) {
        let address = Url::parse(address).expect("an address");
        assert_eq!(is_ours(&address), expected, "{address}");
    }

    #[test]
    fn only_our_own_pages_may_be_shown() {
        check("tauri://localhost/index.html", true);
        check("http://tauri.localhost/", true);
        check("https://example.org/", false);
        check("http://localhost/", false);
        check("tauri://elsewhere/", false);
        check("file:///etc/passwd", false);
        check("data:text/html,x", false);
        check("about:blank", false);
    }

    #[test]
    fn a_size_is_kept_and_a_broken_file_is_no_size() {
        let folder = std::env::temp_dir().join(format!("benchdog-window-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("make a folder");
        let path = folder.join(SIZE_FILE);
        let size = Size {
            width: 1000.0,
            height: 700.0,
            maximized: false,
        };
        size.write(&path).expect("write");
        assert_eq!(Size::read(&path), Some(size));
        fs::write(&path, b"{").expect("write");
        assert_eq!(Size::read(&path), None);
        fs::remove_dir_all(&folder).expect("clean up");
    }
}
