//! Where the repository lies, and paths in it.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The root folder of the checkout this program was built from.
pub(crate) struct Repository {
    root: PathBuf,
}

impl Repository {
    /// Finds the root from the place of this crate's manifest.
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
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
