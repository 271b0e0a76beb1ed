//! One writer for a folder.
//!
//! The lock is the operating system's, on the file `run.lock`: it ends with its process, however that ends, so that a lock of a dead process
//! holds nobody up. The number of the process stands in the file. The file is removed by its holder; somebody who opened it before that and
//! locked it after has a file without a name, which shows when the file is read again by its name.
//!
//! The file also tells the folder from another one that takes its place while the run goes on: files are written by their path, and the one
//! at the path of the lock must be the one that is held.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::whole;

/// The name of the file.
pub const LOCK: &str = "run.lock";

/// The right to write to a folder; given back when it is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// Holds the lock as long as it is open.
    file: File,
}

/// Why there is no lock.
#[derive(Debug)]
pub enum Held {
    /// A process holds it; its number, if that can be read.
    By(Option<u32>),
    /// The operating system refused.
    Io(io::Error),
}

fn holder(path: &Path) -> Option<u32> {
    String::from_utf8(whole::read(path).ok()?).ok()?.trim().parse().ok()
}

impl Lock {
    /// Takes the lock of a folder that exists.
    pub fn take(folder: &Path) -> Result<Self, Held> {
        /// Each try fails only if another process removed its lock in between.
        const TRIES: usize = 100;
        let path = folder.join(LOCK);
        let own = std::process::id();
        for _ in 0..TRIES {
            // Neither followed nor waited for.
            if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
                return Err(Held::Io(whole::irregular(LOCK)));
            }
            let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
            let mut file = opened.map_err(Held::Io)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(Held::By(holder(&path))),
                // A file system without locks: there the number in the file is all there is.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
                Err(TryLockError::Error(error)) => return Err(Held::Io(error)),
            }
            // The number is unique among live holders: a file with another one, or none, is not this one.
            let write = |file: &mut File| {
                file.set_len(0)?;
                file.seek(SeekFrom::Start(0))?;
                writeln!(file, "{own}")?;
                file.flush()
            };
            write(&mut file).map_err(Held::Io)?;
            if holder(&path) == Some(own) && is_at(&file, &path) {
                return Ok(Self { path, file });
            }
        }
        Err(Held::By(holder(&path)))
    }

    /// Whether the folder at the path is still the one that is held.
    pub fn is_in_place(&self) -> bool {
        is_at(&self.file, &self.path)
    }

    /// Where the folder is now, if it was moved and the operating system says it.
    pub fn moved_to(&self) -> Option<PathBuf> {
        let path = path_of(&self.file)?;
        is_at(&self.file, &path).then(|| path.parent().map(Path::to_path_buf)).flatten()
    }
}

/// Whether a path leads to the file that is open. Systems other than Unix do not let a folder be moved while a file in it is open.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |of: io::Result<std::fs::Metadata>| of.ok().map(|of| (of.dev(), of.ino()));
    let held = identity(file.metadata());
    held.is_some() && held == identity(path.symlink_metadata())
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// The path of an open file, where the operating system says it.
#[cfg(unix)]
fn path_of(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd as _;
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

#[cfg(not(unix))]
fn path_of(_: &File) -> Option<PathBuf> {
    None
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The lock ends with the file that is closed after this; a name that stays behind holds nobody up. That of another is not touched.
        if self.is_in_place() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Held, LOCK, Lock};

    #[test]
    fn one_holder_at_a_time_and_stale_files_hold_nobody_up() {
        let folder = std::env::temp_dir().join(format!("carom-lock-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(LOCK), "4000000\n").expect("a stale lock");
        let lock = Lock::take(&folder).expect("the holder is dead");
        match Lock::take(&folder) {
            Err(Held::By(Some(holder))) => assert_eq!(holder, std::process::id()),
            other => panic!("{other:?}"),
        }
        drop(lock);
        assert!(!folder.join(LOCK).exists());
        drop(Lock::take(&folder).expect("free again"));
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_in_the_place_of_the_one_that_is_held_is_another_one() {
        let place = std::env::temp_dir().join(format!("carom-lock-moved-{}", std::process::id()));
        let (folder, moved) = (place.join("out"), place.join("moved"));
        std::fs::create_dir_all(&folder).expect("a folder");
        let lock = Lock::take(&folder).expect("free");
        assert!(lock.is_in_place());
        std::fs::rename(&folder, &moved).expect("moved");
        assert!(!lock.is_in_place(), "nothing is there");
        if cfg!(target_os = "linux") {
            assert_eq!(lock.moved_to(), Some(moved.canonicalize().expect("there")));
        }
        std::fs::create_dir_all(&folder).expect("another folder");
        let other = Lock::take(&folder).expect("free");
        assert!(!lock.is_in_place() && other.is_in_place());
        drop(lock);
        assert!(folder.join(LOCK).exists() && other.is_in_place(), "the lock of another is not touched");
        std::fs::rename(&moved, place.join("again")).expect("moved");
        drop(other);
        std::fs::remove_dir_all(&place).expect("removed");
    }
}
