//! One writer for a folder.
//!
//! The lock is the operating system's, on the file `run.lock`: it ends with its process, however that ends, so that a lock of a dead process
//! holds nobody up. The number of the process stands in the file. The file is removed by its holder; somebody who opened it before that and
//! locked it after has a file without a name, which shows when the file is read again by its name.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// The name of the file.
pub const LOCK: &str = "run.lock";

/// The right to write to a folder; given back when it is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// Holds the lock as long as it is open.
    _file: File,
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
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

impl Lock {
    /// Takes the lock of a folder that exists.
    pub fn take(folder: &Path) -> Result<Self, Held> {
        /// Each try fails only if another process removed its lock in between.
        const TRIES: usize = 100;
        let path = folder.join(LOCK);
        let own = std::process::id();
        for _ in 0..TRIES {
            if path.is_symlink() {
                return Err(Held::Io(io::Error::other("run.lock is a symbolic link")));
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
            if holder(&path) == Some(own) {
                return Ok(Self { path, _file: file });
            }
        }
        Err(Held::By(holder(&path)))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The lock ends with the file that is closed after this; a name that stays behind holds nobody up.
        let _ = std::fs::remove_file(&self.path);
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
}
