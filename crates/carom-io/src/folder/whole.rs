//! Files that are never seen half-written.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
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
    parts(name).map(|(destination, _)| destination)
}

/// The same with the number of the process, where it stands there.
fn parts(name: &str) -> Option<(&str, Option<u32>)> {
    let name = name.strip_suffix(PARTIAL)?;
    let numbered = name.rsplit_once('.').and_then(|(before, number)| Some((before, number.parse().ok()?)));
    Some(numbered.map_or((name, None), |(before, number)| (before, Some(number))))
}

/// Whether the process that began a file is known to have ended. Only Linux says it without being asked through a signal.
pub fn is_left_behind(name: &str) -> bool {
    let Some((_, Some(process))) = parts(name) else { return false };
    let processes = Path::new("/proc");
    processes.join("self").exists() && !processes.join(process.to_string()).exists()
}

/// Opens a file of a folder to read it; errors name the file. Who opens a pipe waits for somebody to write, and a device may never end: neither
/// is opened.
pub fn open(path: &Path) -> io::Result<File> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let named = |error: io::Error| {
        let missing = error.kind() == io::ErrorKind::NotFound;
        let message = if missing { format!("{name} is missing") } else { format!("{name}: {error}") };
        io::Error::new(error.kind(), message)
    };
    if !fs::metadata(path).map_err(named)?.is_file() {
        return Err(irregular(&name));
    }
    File::open(path).map_err(named)
}

/// What is said of a pipe, a device or a folder in the place of a file.
pub(super) fn irregular(name: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{name} is not a regular file; remove it"))
}

/// The content of a file of a folder.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
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
    write_while(path, || Ok(()), content)
}

/// The same while `still` finds nothing against it: it is asked before the file begins and again before it takes its name.
pub fn write_while(
    path: &Path,
    still: impl Fn() -> io::Result<()>,
    content: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    still()?;
    let partial = partial(path);
    let write = || -> io::Result<()> {
        let mut file = create(&partial)?;
        content(&mut file)?;
        file.sync_all()?;
        still()?;
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
    use super::{destination, is_left_behind};

    #[test]
    fn partial_names_lead_back_to_the_file() {
        assert_eq!(destination("run.json.4711.partial"), Some("run.json"));
        assert_eq!(destination("run.json.partial"), Some("run.json"));
        assert_eq!(destination("run.json"), None);
        assert_eq!(destination(".partial"), Some(""));
    }

    #[test]
    fn files_of_live_processes_are_not_left_behind() {
        let own = std::process::id();
        assert!(!is_left_behind(&format!("run.json.{own}.partial")));
        assert!(!is_left_behind("run.json.partial") && !is_left_behind("run.json"));
        // Beyond the largest number that Linux gives to a process.
        assert_eq!(is_left_behind("run.json.4194305.partial"), cfg!(target_os = "linux"));
    }
}
