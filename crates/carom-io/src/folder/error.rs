//! Why a folder cannot be used.

use std::io;
use std::path::{Path, PathBuf};

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It holds something else.
    #[error("{} exists and is not a {kind} folder; give another one with --out, or remove it", .path.display())]
    Foreign {
        /// Where.
        path: PathBuf,
        /// What it should be the folder of.
        kind: &'static str,
    },
    /// There is no run in it.
    #[error("{}: no run folder ({reason})", .path.display())]
    NoRun {
        /// Where.
        path: PathBuf,
        /// What there is instead.
        reason: String,
    },
    /// Another process writes to it.
    #[error(
        "{}: {} writes to this folder; wait for its end, or give another folder with --out",
        .path.display(),
        .holder.map_or_else(|| "another process".to_string(), |holder| format!("the process {holder}"))
    )]
    Held {
        /// Where.
        path: PathBuf,
        /// The number of the process, if it is known.
        holder: Option<u32>,
    },
    /// It was exchanged while it was written to.
    #[error(
        "{}: the folder was moved, removed or replaced while carom wrote to it (its run.lock is gone or another one); \
         nothing more was written there{}",
        .path.display(),
        .now.as_ref().map_or_else(
            || "; what was written before is where the folder was moved to, if it was".to_string(),
            |now| format!("; what was written before is in {}", now.display())
        )
    )]
    Lost {
        /// Where it was.
        path: PathBuf,
        /// Where it is, if that is known.
        now: Option<PathBuf>,
    },
    /// The operating system refused, or a file is damaged.
    #[error("{}: {error}", .path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl FolderError {
    /// An error of the operating system at a place.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + use<'_> {
        move |error| Self::Io { path: path.to_path_buf(), error }
    }
}
