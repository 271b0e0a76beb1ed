//! Folders of tests.

use std::fs;
use std::path::PathBuf;

/// A folder of its own, removed at the end.
pub struct Place(pub PathBuf);

impl Place {
    /// Under a name that no other test uses.
    pub fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("carom-{name}-{}", std::process::id())))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Nothing depends on it: it lies among temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
