//! The folders of runs and sweeps.

use std::fs;
use std::io::{self, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::html_report::NAMES;

/// Files of the run itself.
const FILES: [&str; 9] = [
    "run.json",
    "scene.toml",
    "snapshot.bin",
    "trajectory.f64",
    "trajectory.json",
    "measures.f64",
    "measures.json",
    "events.f64",
    "events.json",
];
/// Files that are made of the tables, beside the figures.
const MADE: [&str; 7] =
    ["report.html", "trajectory.csv", "trajectory.npz", "measures.csv", "measures.npz", "events.csv", "events.npz"];
/// The folder of the figures, within that of the run.
pub const FIGURES: &str = "figures";
/// First line of the scene of a run: by it a folder is known as that of a run, also of one that was cut off.
const SCENE_HEADER: &str = "# The scene of this run, every default written out by carom.\n";

/// A folder that a run is written to.
#[derive(Debug, Clone)]
pub struct RunFolder {
    path: PathBuf,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It holds something else.
    #[error("{} exists and is no {kind} folder; give another one with --out, or remove it", .path.display())]
    Foreign {
        /// Where.
        path: PathBuf,
        /// What it should be the folder of.
        kind: &'static str,
    },
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
        refuse_foreign(path, "run", is_run)?;
        let folder = Self { path: path.to_path_buf() };
        FILES.iter().try_for_each(|name| folder.remove(name))?;
        folder.remove_made()?;
        fs::create_dir_all(path).map_err(|error| FolderError::Io { path: path.to_path_buf(), error })?;
        Ok(folder)
    }

    /// Removes what was made of the tables (page, figures, exports): it no longer tells what is in them once they grow.
    pub fn remove_made(&self) -> Result<(), FolderError> {
        let figures = NAMES.iter().flat_map(|name| ["svg", "png"].map(|kind| format!("{FIGURES}/{name}.{kind}")));
        MADE.iter().map(ToString::to_string).chain(figures).try_for_each(|name| self.remove(&name))
    }

    /// Removes a file if it is there.
    fn remove(&self, name: &str) -> Result<(), FolderError> {
        let path = self.path.join(name);
        if !path.is_file() {
            return Ok(());
        }
        fs::remove_file(&path).map_err(|error| FolderError::Io { path, error })
    }

    /// The folder of a run that exists; its scene comes with it.
    pub fn open(path: &Path) -> Result<(Self, String), FolderError> {
        let scene = path.join("scene.toml");
        let text = fs::read_to_string(&scene).map_err(|error| FolderError::Io { path: scene, error })?;
        if !is_run(path) {
            return Err(FolderError::Foreign { path: path.to_path_buf(), kind: "run" });
        }
        Ok((Self { path: path.to_path_buf() }, text))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the scene of the run.
    pub fn write_scene(&self, text: &str) -> Result<(), FolderError> {
        self.write("scene.toml", format!("{SCENE_HEADER}{text}"))
    }

    /// Writes a file so that it is never seen half-written: under another name first, then renamed.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<(), FolderError> {
        write_whole(&self.path.join(name), |file| file.write_all(content.as_ref()))
    }

    /// Writes a figure into the folder of figures and says where.
    pub fn write_figure(&self, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf, FolderError> {
        let folder = self.path.join(FIGURES);
        fs::create_dir_all(&folder).map_err(|error| FolderError::Io { path: folder.clone(), error })?;
        self.write(&format!("{FIGURES}/{name}"), content)?;
        Ok(folder.join(name))
    }
}

/// Whether a run was written to the folder: its report or its scene bears carom's mark. A scene that a user keeps there
/// under the same name does not.
fn is_run(path: &Path) -> bool {
    let read = |name: &str| fs::read_to_string(path.join(name)).ok();
    let report = read("run.json").and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    report.is_some_and(|report| report.get("carom").is_some())
        || read("scene.toml").is_some_and(|text| text.starts_with(SCENE_HEADER))
}

/// How the JSON of a sweep begins: by it a folder is known as that of a sweep.
const SWEEP_MARK: &str = "{\n  \"carom\":";

/// A folder that a sweep is written to when it has ended; until then it holds what was there before.
#[derive(Debug, Clone)]
pub struct SweepFolder {
    path: PathBuf,
}

impl SweepFolder {
    /// Makes the folder if it is not there; one that holds anything but a sweep is refused.
    pub fn create(path: &Path) -> Result<Self, FolderError> {
        refuse_foreign(path, "sweep", is_sweep)?;
        fs::create_dir_all(path).map_err(|error| FolderError::Io { path: path.to_path_buf(), error })?;
        Ok(Self { path: path.to_path_buf() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the table and the document, which has the key `carom` first. The document goes straight to its file: a large
    /// sweep's would take more memory than all else.
    pub fn write(&self, csv: &str, document: &impl Serialize) -> Result<(), FolderError> {
        let table = self.path.join("sweep.csv");
        // An old table never stands beside a new document.
        if table.is_file() {
            fs::remove_file(&table).map_err(|error| FolderError::Io { path: table.clone(), error })?;
        }
        write_whole(&self.path.join("sweep.json"), |file| {
            let mut file = BufWriter::new(file);
            serde_json::to_writer_pretty(&mut file, document)?;
            file.write_all(b"\n")?;
            file.flush()
        })?;
        write_whole(&table, |file| file.write_all(csv.as_bytes()))
    }
}

/// Whether a sweep was written to the folder, completely or until it was cut off.
fn is_sweep(path: &Path) -> bool {
    let mut begin = Vec::new();
    let read = fs::File::open(path.join("sweep.json"))
        .and_then(|file| file.take(SWEEP_MARK.len() as u64).read_to_end(&mut begin));
    if read.is_ok() {
        return begin == SWEEP_MARK.as_bytes();
    }
    // Cut off while the document, the first file, was written.
    let ours = |entry: fs::DirEntry| entry.file_name() == "sweep.json.partial";
    fs::read_dir(path).is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(ours)))
}

/// Refuses what is neither absent nor empty nor known as a folder of this kind.
fn refuse_foreign(path: &Path, kind: &'static str, known: fn(&Path) -> bool) -> Result<(), FolderError> {
    if !path.exists() {
        return Ok(());
    }
    let failed = |error| FolderError::Io { path: path.to_path_buf(), error };
    let empty = || Ok(fs::read_dir(path).map_err(failed)?.next().is_none());
    if path.is_dir() && (known(path) || empty()?) {
        return Ok(());
    }
    Err(FolderError::Foreign { path: path.to_path_buf(), kind })
}

/// Writes a file so that it is never seen half-written: under another name first, then renamed.
fn write_whole(path: &Path, content: impl FnOnce(&mut fs::File) -> io::Result<()>) -> Result<(), FolderError> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let write = || -> io::Result<()> {
        let mut file = fs::File::create(&partial)?;
        content(&mut file)?;
        file.sync_all()?;
        fs::rename(&partial, path)
    };
    write().map_err(|error| {
        // What was written of it is of no use; if it cannot be removed, the first error is the one to tell.
        let _ = fs::remove_file(&partial);
        FolderError::Io { path: path.to_path_buf(), error }
    })
}
