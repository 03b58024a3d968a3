//! Where the repository lies, and paths in it.

use crate::environment;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The root folder of the checkout whose task runs.
pub(crate) struct Repository {
    root: PathBuf,
}

impl Repository {
    /// Finds the root from the place of this crate's manifest. `cargo run` names it; what was compiled in is only for a
    /// start by hand, because checkouts that share a target folder share the program too.
    pub(crate) fn find() -> Result<Self> {
        let manifest = environment::manifest_folder()
            .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        let root = manifest
            .join("../..")
            .canonicalize()
            .context("find the root of the repository")?;
        Ok(Self { root })
    }

    /// The root folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A path in it.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }
}
