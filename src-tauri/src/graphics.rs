//! How the web view draws on Linux, decided before it exists.
//!
//! WebKitGTK's fast paths fail on some drivers: the window stays white or the program aborts. The safe path is the
//! default here; a value the person set is never replaced.

use std::env;

/// Variables and the value that works everywhere.
const SAFE_VALUES: &[(&str, &str)] = &[
    // Blank windows and EGL aborts on virtual machines, NVIDIA and X servers without DRI3.
    ("WEBKIT_DISABLE_DMABUF_RENDERER", "1"),
    // "Error 71 (Protocol error)" of NVIDIA's driver on Wayland.
    ("__NV_DISABLE_EXPLICIT_SYNC", "1"),
];

/// A place where the window could appear is known.
#[expect(
    clippy::disallowed_methods,
    reason = "the names belong to the window system, not to our settings"
)]
pub(crate) fn has_display() -> bool {
    if cfg!(not(target_os = "linux")) {
        return true;
    }
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Sets the values that the person did not set. Must run while the program has one thread.
#[expect(
    clippy::disallowed_methods,
    reason = "the names belong to the web view, not to our settings"
)]
#[expect(
    unsafe_code,
    reason = "the web view reads these from the environment of its own process"
)]
pub(crate) fn prefer_safe_drawing() {
    if cfg!(not(target_os = "linux")) {
        return;
    }
    for (name, value) in SAFE_VALUES {
        if env::var_os(name).is_none() {
            // SAFETY: called first thing in `main`, before any other thread exists that could read the environment.
            unsafe { env::set_var(name, value) };
        }
    }
}
