//! Files that are never seen half-written.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// What the name of a file ends in while it is written.
const PARTIAL: &str = ".partial";

/// The name of a file while this process writes it: no two processes write to the same one.
fn partial(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}{PARTIAL}", std::process::id()));
    name.into()
}

/// The file that a partial one was to become: `run.json` of `run.json.4711.partial` (and of `run.json.partial`, an older way to name them).
pub fn destination(name: &str) -> Option<&str> {
    let name = name.strip_suffix(PARTIAL)?;
    match name.rsplit_once('.') {
        Some((before, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(before)
        }
        _ => Some(name),
    }
}

/// A new file at this place. What was there goes first, so that a symbolic link is replaced and not followed.
pub fn create(path: &Path) -> io::Result<File> {
    remove(path)?;
    File::create_new(path)
}

/// Removes a file or a symbolic link if one is there.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Writes a file under another name first, brings it to the disk, and renames it. If that fails, nothing is left of it and what stood
/// under its name stays.
pub fn write_with(path: &Path, content: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let partial = partial(path);
    let write = || -> io::Result<()> {
        let mut file = create(&partial)?;
        content(&mut file)?;
        file.sync_all()?;
        fs::rename(&partial, path)?;
        sync_folder(path)
    };
    write().inspect_err(|_| {
        // If it cannot be removed, the first error is the one to report.
        let _ = fs::remove_file(&partial);
    })
}

/// The same for content that is there already.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    write_with(path, |file| file.write_all(content))
}

/// Brings the name of a file to the disk, where folders can be opened as files.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(folder) {
        Ok(folder) if cfg!(unix) => folder.sync_all(),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::destination;

    #[test]
    fn partial_names_lead_back_to_the_file() {
        assert_eq!(destination("run.json.4711.partial"), Some("run.json"));
        assert_eq!(destination("run.json.partial"), Some("run.json"));
        assert_eq!(destination("run.json"), None);
        assert_eq!(destination(".partial"), Some(""));
    }
}
