//! Files of results.

use std::path::Path;

/// Writes a file under another name first, so that it is never seen half-written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let written = std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, path));
    written.map_err(|error| error.to_string())
}
