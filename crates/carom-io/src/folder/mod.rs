//! The folders of runs and sweeps: whose they are, who may write to them, and how files get into them.

mod checksums;
mod lock;
mod place;
mod sweep;
pub mod whole;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

pub(crate) use checksums::damaged;
pub use checksums::{Checksums, read_verified};
use lock::{Held, LOCK, Lock};
pub use place::resolve;
use serde_json::Value;
pub use sweep::SweepFolder;

use crate::html_report::NAMES;

/// The report of a run as JSON: it is there once the run has ended.
pub const RUN: &str = "run.json";
/// The scene of a run.
pub const SCENE: &str = "scene.toml";
/// Files of the run itself, in the order in which an older run is removed: the scene, by which the folder is known, last.
const FILES: [&str; 15] = [
    RUN,
    "snapshot.bin",
    "snapshot-before.bin",
    "trajectory.f64",
    "trajectory.crc",
    "trajectory.json",
    "measures.f64",
    "measures.crc",
    "measures.json",
    "events.f64",
    "events.crc",
    "events.json",
    checksums::CHECKSUMS,
    LOCK,
    SCENE,
];
/// Files that are made of the tables, beside the figures.
const MADE: [&str; 7] =
    ["report.html", "trajectory.csv", "trajectory.npz", "measures.csv", "measures.npz", "events.csv", "events.npz"];
/// The folder of the figures, within that of the run.
pub const FIGURES: &str = "figures";
/// First line of the scene of a run: by it a folder is known as that of a run, also of one that was cut off.
const SCENE_HEADER: &str = "# The scene of this run, every default written out by carom.\n";

/// A folder that a run is written to.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    checksums: Checksums,
    /// What the run was whose place this one takes.
    replaced: Option<String>,
    /// Of a writer.
    lock: Option<Lock>,
}

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
    fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + use<'_> {
        move |error| Self::Io { path: path.to_path_buf(), error }
    }
}

impl RunFolder {
    /// Makes the folder and holds it; one of an earlier run is emptied of that run's files, any other is refused.
    pub fn create(path: &Path) -> Result<Self, FolderError> {
        let (path, lock) = claim(path, "run", is_run)?;
        let folder = Self { replaced: earlier(&path), path, checksums: Checksums::default(), lock: Some(lock) };
        folder.remove_made()?;
        FILES.iter().filter(|name| **name != LOCK).try_for_each(|name| folder.remove(name))?;
        Ok(folder)
    }

    /// Removes what was made of the tables (page, figures, exports): it does not tell what is in them once they grow.
    fn remove_made(&self) -> Result<(), FolderError> {
        // Figures behind a link are not in this folder.
        let figures = (!self.path.join(FIGURES).is_symlink()).then_some(NAMES).into_iter().flatten();
        let figures = figures.flat_map(|name| ["svg", "png"].map(|kind| format!("{FIGURES}/{name}.{kind}")));
        MADE.iter().map(ToString::to_string).chain(figures).try_for_each(|name| self.remove(&name))
    }

    /// Removes a file if it is there.
    fn remove(&self, name: &str) -> Result<(), FolderError> {
        let path = self.path.join(name);
        if path.is_dir() && !path.is_symlink() {
            return Err(FolderError::Foreign { path, kind: "run" });
        }
        match whole::remove(&path) {
            // Below a folder of figures that is a file.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(()),
            removed => removed.map_err(FolderError::at(&path)),
        }
    }

    /// The folder of a run that exists, to be read; its scene comes with it.
    pub fn open(path: &Path) -> Result<(Self, String), FolderError> {
        let scene = path.join(SCENE);
        let text = read_verified(path, SCENE).map_err(FolderError::at(&scene))?;
        if !is_run(path) {
            return Err(FolderError::Foreign { path: path.to_path_buf(), kind: "run" });
        }
        let checksums = Checksums::read(path).map_err(FolderError::at(path))?.unwrap_or_default();
        Ok((Self { path: path.to_path_buf(), checksums, replaced: None, lock: None }, text))
    }

    /// The folder of a run that exists, to go on with it: no other process may write to it.
    pub fn hold(path: &Path) -> Result<(Self, String), FolderError> {
        let (mut folder, _) = Self::open(path)?;
        folder.lock = Some(take_lock(path)?);
        // The holder before may have changed it in between.
        let (read, text) = Self::open(path)?;
        Ok((Self { lock: folder.lock, ..read }, text))
    }

    /// The run goes on: what tells of its end is removed.
    pub fn reopen(&mut self) -> Result<(), FolderError> {
        let scene = self.path.join(SCENE);
        let text = read_verified(&self.path, SCENE).map_err(FolderError::at(&scene))?;
        self.remove_made()?;
        self.remove(RUN)?;
        remove_partials(&self.path)?;
        self.seal_scene(&text)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the run was whose place this one takes.
    pub fn replaced(&self) -> Option<&str> {
        self.replaced.as_deref()
    }

    /// Writes the scene of the run.
    pub fn write_scene(&mut self, text: &str) -> Result<(), FolderError> {
        let text = format!("{SCENE_HEADER}{text}");
        self.write(SCENE, &text)?;
        self.seal_scene(&text)
    }

    fn seal_scene(&mut self, text: &str) -> Result<(), FolderError> {
        self.checksums = Checksums::default();
        self.checksums.enter(SCENE, text.as_bytes());
        self.checksums.write(&self.path).map_err(FolderError::at(&self.path))
    }

    /// Ends the run: checksums first, then `run.json`, which says that all is there.
    pub fn end(&mut self, run: &str, rows: &[(&str, u64)]) -> Result<(), FolderError> {
        self.checksums.enter(RUN, run.as_bytes());
        rows.iter().for_each(|(name, rows)| self.checksums.enter_rows(name, *rows));
        self.checksums.write(&self.path).map_err(FolderError::at(&self.path))?;
        self.write(RUN, run)
    }

    /// Writes a file so that it is never seen half-written: under another name first, then renamed.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<(), FolderError> {
        let path = self.path.join(name);
        whole::write_with(&path, |file| file.write_all(content.as_ref())).map_err(FolderError::at(&path))
    }

    /// Writes a figure into the folder of figures and says where.
    pub fn write_figure(&self, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf, FolderError> {
        let folder = self.path.join(FIGURES);
        if folder.is_symlink() {
            let error = io::Error::other("it is a symbolic link; figures are written into the run folder only");
            return Err(FolderError::Io { path: folder, error });
        }
        fs::create_dir_all(&folder).map_err(FolderError::at(&folder))?;
        self.write(&format!("{FIGURES}/{name}"), content)?;
        Ok(folder.join(name))
    }
}

/// The numbers of a run that has ended, as they stand in `run.json`; `None` while it goes on and after it was cut off.
pub fn ended_run(path: &Path) -> io::Result<Option<Value>> {
    match read_verified(path, RUN) {
        Ok(text) => serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| damaged(format!("{RUN} is damaged: it is not JSON ({error})"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What an earlier run in a folder was.
fn earlier(path: &Path) -> Option<String> {
    if !path.join(SCENE).exists() && !path.join(RUN).exists() {
        return None;
    }
    let report: Value =
        fs::read(path.join(RUN)).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
    Some(match (report["scene"].as_str(), report["method"].as_str(), report["steps"].as_u64()) {
        (Some(scene), Some(method), Some(steps)) => format!("{scene} with {method}, {steps} steps"),
        _ => "a run that was cut off".to_string(),
    })
}

/// Whether an entry of a folder is a file of a run that was begun and not ended.
fn is_partial(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let destination = name.to_str().and_then(whole::destination);
    destination.is_some_and(|name| FILES.contains(&name) || MADE.contains(&name) || sweep::FILES.contains(&name))
}

/// Whether there is nothing in a folder but what a process of carom began: it was stopped before it had written anything whole.
fn only_begun(path: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if !is_partial(&entry) && entry.file_name() != LOCK {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a run was written to the folder: its report or its scene bears carom's mark. A scene that a user keeps there
/// under the same name does not.
fn is_run(path: &Path) -> bool {
    let read = |name: &str| fs::read(path.join(name)).ok();
    let report = read(RUN).and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    report.is_some_and(|report| report.get("carom").is_some())
        || read(SCENE).is_some_and(|text| text.starts_with(SCENE_HEADER.as_bytes()))
}

/// Makes a folder and holds it; what is neither absent nor empty nor known as a folder of this kind is refused.
fn claim(path: &Path, kind: &'static str, known: fn(&Path) -> bool) -> Result<(PathBuf, Lock), FolderError> {
    let path = resolve(path).map_err(FolderError::at(path))?;
    let foreign = || Err(FolderError::Foreign { path: path.clone(), kind });
    let ours = || Ok(path.is_dir() && (known(&path) || only_begun(&path).map_err(FolderError::at(&path))?));
    if path.exists() && !ours()? {
        return foreign();
    }
    fs::create_dir_all(&path).map_err(FolderError::at(&path))?;
    let lock = take_lock(&path)?;
    // Somebody may have written to it before the lock was taken.
    if !ours()? {
        return foreign();
    }
    remove_partials(&path)?;
    Ok((path, lock))
}

/// Removes files that a process began and did not end.
fn remove_partials(folder: &Path) -> Result<(), FolderError> {
    let entries = fs::read_dir(folder).map_err(FolderError::at(folder))?;
    for entry in entries.flatten().filter(is_partial) {
        whole::remove(&entry.path()).map_err(FolderError::at(&entry.path()))?;
    }
    Ok(())
}

fn take_lock(path: &Path) -> Result<Lock, FolderError> {
    Lock::take(path).map_err(|held| match held {
        Held::By(holder) => FolderError::Held { path: path.to_path_buf(), holder },
        Held::Io(error) => FolderError::Io { path: path.join(LOCK), error },
    })
}
