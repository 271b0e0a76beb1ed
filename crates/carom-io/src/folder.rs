//! The run folder.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Files that make a folder a run folder and that a new run replaces.
const FILES: [&str; 2] = ["run.json", "scene.toml"];

/// A folder that a run is written to.
#[derive(Debug, Clone)]
pub struct RunFolder {
    path: PathBuf,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It holds something else.
    #[error("{} exists and is no run folder; give another one with --out, or remove it", .0.display())]
    Foreign(PathBuf),
    /// The operating system refused.
    #[error("{}: {error}", .path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl RunFolder {
    /// Makes the folder; one of an earlier run is emptied of that run's files, any other is refused.
    pub fn create(path: &Path) -> Result<Self, FolderError> {
        let failed = |error| FolderError::Io { path: path.to_path_buf(), error };
        if path.exists() {
            let foreign = !path.is_dir()
                || (!FILES.iter().any(|file| path.join(file).is_file())
                    && fs::read_dir(path).map_err(failed)?.next().is_some());
            if foreign {
                return Err(FolderError::Foreign(path.to_path_buf()));
            }
            for file in FILES.map(|file| path.join(file)).iter().filter(|file| file.is_file()) {
                fs::remove_file(file).map_err(|error| FolderError::Io { path: file.clone(), error })?;
            }
        }
        fs::create_dir_all(path).map_err(failed)?;
        Ok(Self { path: path.to_path_buf() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file so that it is never seen half-written: under another name first, then renamed.
    pub fn write(&self, name: &str, text: &str) -> Result<(), FolderError> {
        let (path, partial) = (self.path.join(name), self.path.join(format!("{name}.partial")));
        let write = || -> io::Result<()> {
            let mut file = fs::File::create(&partial)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&partial, &path)
        };
        write().map_err(|error| FolderError::Io { path: path.clone(), error })
    }
}
