//! The folders of runs and sweeps: whose they are, who may write to them, and how files get into them.

mod checksums;
mod error;
mod lock;
mod place;
mod sweep;
pub mod whole;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

pub(crate) use checksums::CHECKSUMS;
pub use checksums::{Checksums, Rows, read_verified};
pub(crate) use checksums::{damaged, hash};
pub use error::FolderError;
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
const FILES: [&str; 18] = [
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
    "contacts.f64",
    "contacts.crc",
    "contacts.json",
    CHECKSUMS,
    LOCK,
    SCENE,
];
/// Files that are made of the tables, beside the figures.
const MADE: [&str; 9] = [
    "report.html",
    "trajectory.csv",
    "trajectory.npz",
    "measures.csv",
    "measures.npz",
    "events.csv",
    "events.npz",
    "contacts.csv",
    "contacts.npz",
];
/// The folder of the figures, within that of the run.
pub const FIGURES: &str = "figures";
/// First line of the scene of a run: by it a folder is known as that of a run, also of one that was cut off.
const SCENE_HEADER: &str = "# The scene of this run, every default written out by carom.\n";

/// A folder that a run is written to.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// None before the scene is written, and of versions of carom that had none.
    checksums: Option<Checksums>,
    /// What the run was whose place this one takes.
    replaced: Option<String>,
    /// Of a writer.
    lock: Option<Lock>,
}

impl RunFolder {
    /// Makes the folder and holds it; one of an earlier run is emptied of that run's files, any other is refused.
    pub fn create(path: &Path) -> Result<Self, FolderError> {
        let (path, lock) = claim(path, "run", is_run)?;
        let folder = Self { replaced: earlier(&path), path, checksums: None, lock: Some(lock) };
        folder.remove_made()?;
        FILES.iter().filter(|name| **name != LOCK).try_for_each(|name| folder.remove(name))?;
        Ok(folder)
    }

    /// Removes what was made of the tables (page, figures, exports): it does not tell what is in them once they grow.
    fn remove_made(&self) -> Result<(), FolderError> {
        // Figures behind a link are not in this folder.
        let figures = (!self.path.join(FIGURES).is_symlink()).then_some(NAMES).into_iter().flatten();
        let figures = figures.flat_map(|name| ["svg", "png"].map(|kind| format!("{FIGURES}/{name}.{kind}")));
        MADE.iter().map(ToString::to_string).chain(figures).try_for_each(|name| self.remove(&name))?;
        self.remove_empty_figures();
        Ok(())
    }

    /// Removes the folder of figures if there is nothing in it; what cannot be removed does no harm.
    fn remove_empty_figures(&self) {
        let _ = fs::remove_dir(self.path.join(FIGURES));
    }

    /// Refuses to write where another folder stands now.
    pub fn check(&self) -> Result<(), FolderError> {
        self.lock.as_ref().map_or(Ok(()), |lock| still_there(lock, &self.path))
    }

    /// Removes a file if it is there.
    fn remove(&self, name: &str) -> Result<(), FolderError> {
        self.check()?;
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

    /// The folder of a run that exists, to be read; its scene comes with it. An error names the file that is damaged.
    pub fn open(path: &Path) -> Result<(Self, String), FolderError> {
        if let Some(reason) = no_run(path) {
            return Err(FolderError::NoRun { path: path.to_path_buf(), reason });
        }
        let text = read_verified(path, SCENE).map_err(FolderError::at(path))?;
        let checksums = Checksums::read(path).map_err(FolderError::at(path))?;
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
        self.remove_made()?;
        self.remove(RUN)?;
        remove_partials(&self.path)?;
        self.checksums.iter_mut().for_each(Checksums::reopen);
        self.write_checksums()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the run was whose place this one takes.
    pub fn replaced(&self) -> Option<&str> {
        self.replaced.as_deref()
    }

    /// Writes the scene of the run, which will have these tables.
    pub fn write_scene(&mut self, text: &str, tables: &[&str]) -> Result<(), FolderError> {
        let text = format!("{SCENE_HEADER}{text}");
        self.write(SCENE, &text)?;
        let mut checksums = Checksums::begun(&text, tables);
        checksums.enter(SCENE, text.as_bytes());
        self.checksums = Some(checksums);
        self.write_checksums()
    }

    fn write_checksums(&self) -> Result<(), FolderError> {
        let Some(checksums) = &self.checksums else { return Ok(()) };
        let text = checksums.text().map_err(FolderError::at(&self.path))?;
        self.write(CHECKSUMS, text)
    }

    /// The number of the run, which its tables bear.
    pub fn number(&self) -> Result<u64, FolderError> {
        let none = || damaged("the run was made by a version of carom that wrote no checksums");
        self.checksums.as_ref().map(Checksums::run).ok_or_else(none).map_err(FolderError::at(&self.path))
    }

    /// Ends the run: checksums first, then `run.json`, which says that all is there.
    pub fn end(&mut self, run: &str, tables: &[(&str, Rows)]) -> Result<(), FolderError> {
        if let Some(checksums) = &mut self.checksums {
            checksums.enter(RUN, run.as_bytes());
            tables.iter().for_each(|(name, rows)| checksums.enter_rows(name, *rows));
        }
        self.write_checksums()?;
        self.write(RUN, run)
    }

    /// Writes a file so that it is never seen half-written: under another name first, then renamed.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<(), FolderError> {
        self.check()?;
        let path = self.path.join(name);
        let written = whole::write_while(&path, || self.still(), |file| file.write_all(content.as_ref()));
        written.or_else(|error| self.check().and(Err(FolderError::at(&path)(error))))
    }

    /// The same refusal for those who write files themselves.
    pub(crate) fn still(&self) -> io::Result<()> {
        self.check().map_err(io::Error::other)
    }

    /// Removes files of the page and of exports that a process began which has ended.
    pub fn remove_left_behind(&self) {
        for folder in [self.path.clone(), self.path.join(FIGURES)] {
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| is_partial(entry) || is_partial_figure(entry)) {
                let left = entry.file_name().to_str().is_some_and(whole::is_left_behind);
                // What cannot be removed does no harm.
                let _ = if left { whole::remove(&entry.path()) } else { Ok(()) };
            }
        }
    }

    /// Writes a figure into the folder of figures and says where.
    pub fn write_figure(&self, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf, FolderError> {
        let folder = self.path.join(FIGURES);
        if folder.is_symlink() {
            let error = io::Error::other("it is a symbolic link; figures are written into the run folder only");
            return Err(FolderError::Io { path: folder, error });
        }
        self.check()?;
        fs::create_dir_all(&folder).map_err(FolderError::at(&folder))?;
        let written = self.write(&format!("{FIGURES}/{name}"), content);
        written.inspect_err(|_| self.remove_empty_figures())?;
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
        whole::read(&path.join(RUN)).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
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

/// The same for the figures.
fn is_partial_figure(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let destination = name.to_str().and_then(whole::destination).and_then(|name| name.rsplit_once('.'));
    destination.is_some_and(|(name, kind)| NAMES.contains(&name) && ["svg", "png"].contains(&kind))
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
    let read = |name: &str| whole::read(&path.join(name)).ok();
    let report = read(RUN).and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    report.is_some_and(|report| report.get("carom").is_some())
        || read(SCENE).is_some_and(|text| text.starts_with(SCENE_HEADER.as_bytes()))
}

/// Why there is no run in a folder; nothing if there is one, even with damaged files.
fn no_run(path: &Path) -> Option<String> {
    let nothing = "nothing was recorded in it: carom was stopped before it wrote the scene, or never started";
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some("there is no such folder".into()),
        Err(error) => Some(error.to_string()),
        Ok(there) if !there.is_dir() => Some("it is a file".into()),
        Ok(_) if only_begun(path).is_ok_and(|begun| begun) => {
            Some(format!("{nothing}; carom run SCENE --out {} starts a run", path.display()))
        }
        Ok(_) => {
            // Where the scene is damaged, the other two tell whose the folder is.
            let known =
                is_run(path) || matches!(Checksums::read(path), Ok(Some(checksums)) if checksums.knows(SCENE));
            let found = || {
                whole::read(&path.join(SCENE))
                    .err()
                    .map_or_else(|| "scene.toml is not of a run".into(), |error| error.to_string())
            };
            (!known).then(found)
        }
    }
}

/// Makes a folder and holds it; what is neither absent nor empty nor known as a folder of this kind is refused.
fn claim(path: &Path, kind: &'static str, known: fn(&Path) -> bool) -> Result<(PathBuf, Lock), FolderError> {
    let path = resolve(path).map_err(FolderError::at(path))?;
    let foreign = || Err(FolderError::Foreign { path: path.clone(), kind });
    // Known at last: another process may write its first file between the first look and the second.
    let begun = || only_begun(&path).map_err(FolderError::at(&path));
    let ours = || Ok(path.is_dir() && (known(&path) || begun()? || known(&path)));
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

/// Refuses to write to the folder of a lock where another one stands now.
fn still_there(lock: &Lock, path: &Path) -> Result<(), FolderError> {
    if lock.is_in_place() {
        Ok(())
    } else {
        Err(FolderError::Lost { path: path.to_path_buf(), now: lock.moved_to() })
    }
}

fn take_lock(path: &Path) -> Result<Lock, FolderError> {
    Lock::take(path).map_err(|held| match held {
        Held::By(holder) => FolderError::Held { path: path.to_path_buf(), holder },
        Held::Io(error) => FolderError::Io { path: path.join(LOCK), error },
    })
}
