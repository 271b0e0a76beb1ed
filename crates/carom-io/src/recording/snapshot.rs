//! Everything that a run needs to go on from a node, bit for bit.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use carom::measures::{Ledger, MOST_COUNTED, Summary};
use carom::state::State;
use carom::watch::Watched;
use serde::{Deserialize, Serialize};

use crate::folder::{Rows, damaged, hash, whole};
use crate::scene::Scene;

/// The last snapshot, and the one before it.
const NAME: &str = "snapshot.bin";
const BEFORE: &str = "snapshot-before.bin";
/// First bytes of the file: what it is.
const MARK: &[u8; 7] = b"carom\0\0";
/// The version of the layout, in the byte after the mark.
const VERSION: u8 = 10;
/// Mark, version, length of the body and its CRC-32.
const HEADER: usize = 8 + 8 + 4;

/// The state of a run at a node.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Snapshot {
    /// Steps made.
    pub step: u64,
    /// The state.
    pub state: State,
    /// What the method keeps beside the state.
    pub memory: Vec<f64>,
    /// The measures so far.
    pub summary: Summary,
    /// The accounts of energy so far.
    pub ledger: Option<Ledger>,
    /// Solves that failed.
    pub failures: u64,
    /// Steps that were made of shorter ones.
    pub halved_steps: u64,
    /// What is in the table of the trajectory.
    pub trajectory: Rows,
    /// What is in that of the measures.
    pub measures: Rows,
    /// What is in that of the events; nothing if the method locates none and nothing is watched.
    pub events: Rows,
    /// What is in that of the contacts; nothing if it is not asked for.
    pub contacts: Rows,
    /// What was seen of the watches.
    pub watched: Vec<Watched>,
    /// Seconds that the run has taken.
    pub seconds: f64,
    /// Name of the scene.
    pub name: String,
    /// Hash of the scene that the run was made of.
    pub scene: u64,
}

impl Snapshot {
    /// Writes the snapshot of a folder and keeps the one before it. A process that is killed leaves at least one whole; with `sync` so does
    /// a machine that loses power. Nothing takes its name unless the folder is `still` the one of the run.
    pub fn save(&self, folder: &Path, sync: bool, still: impl Fn() -> io::Result<()>) -> io::Result<()> {
        still()?;
        let (path, before) = (Self::path(folder), folder.join(BEFORE));
        let bytes = self.encode()?;
        let partial = folder.join(format!("{NAME}.{}.partial", std::process::id()));
        let mut file = whole::create(&partial)?;
        file.write_all(&bytes)?;
        if sync {
            file.sync_data()?;
        }
        // What was begun in another folder goes; the error is that of the folder.
        still().inspect_err(|_| drop(fs::remove_file(&partial)))?;
        match fs::rename(&path, before) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::rename(partial, &path)?;
        if sync { whole::sync_folder(&path) } else { Ok(()) }
    }

    /// The content of the file.
    pub fn encode(&self) -> io::Result<Vec<u8>> {
        let body = postcard::to_stdvec(self).map_err(io::Error::other)?;
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.extend_from_slice(MARK);
        bytes.push(VERSION);
        bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
        bytes.extend_from_slice(&body);
        Ok(bytes)
    }

    /// Reads the content of a file.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let rest = bytes.strip_prefix(MARK).ok_or("it is damaged, or not a snapshot")?;
        let (&version, rest) = rest.split_first().ok_or("it is damaged: it is cut off")?;
        if version != VERSION {
            return Err(format!("it has format {version}, this version of carom reads format {VERSION}"));
        }
        let cut = || "it is damaged: it is cut off".to_string();
        let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(cut)?;
        let (sum, body) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        if u64::from_le_bytes(*length) != body.len() as u64 {
            return Err(format!("it is damaged: it has {} of {} bytes", body.len(), u64::from_le_bytes(*length)));
        }
        if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
            return Err("it is damaged: its content does not fit its checksum".into());
        }
        postcard::from_bytes(body).map_err(|error| format!("it is damaged: {error}"))
    }

    /// The snapshots of a folder, the last one first: what can be read, and of the others why not.
    pub fn all(folder: &Path) -> Vec<(&'static str, Result<Self, String>)> {
        let read = |name: &'static str| match whole::read(&folder.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some((name, Err(error.to_string()))),
            Ok(bytes) => Some((name, Self::decode(&bytes))),
        };
        [NAME, BEFORE].into_iter().filter_map(read).collect()
    }

    /// Removes the snapshots of a folder.
    pub fn remove(folder: &Path) -> io::Result<()> {
        whole::remove(&folder.join(BEFORE))?;
        whole::remove(&Self::path(folder))
    }

    /// Where the last snapshot of a folder is.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(NAME)
    }

    /// Whether the scene is the one that the run was made of.
    pub fn is_of(&self, scene: &Scene) -> bool {
        hash(&scene.to_toml()) == self.scene
    }

    /// Refuses a snapshot whose parts do not have the sizes that the scene's have.
    pub fn check(&self, scene: &Scene) -> io::Result<()> {
        let (system, state) = (&*scene.problem.system, &self.state);
        let dim = system.dim();
        let finite = state.t.is_finite() && state.q.iter().chain(&state.p).all(|value| value.is_finite());
        let wrong = [
            (state.q.len() != dim || state.p.len() != dim, "the state"),
            (!finite, "a number of the state"),
            (self.step > scene.run.steps, "the number of steps"),
            (self.failures.max(self.halved_steps) > MOST_COUNTED, "the number of failed steps"),
            (self.watched.len() != scene.watches.len(), "what is watched"),
            (!self.summary.fits(&scene.problem), "the measures"),
            (
                !self.ledger.as_ref().is_none_or(|ledger| ledger.fits(&scene.method, system)),
                "the accounts of energy",
            ),
            (self.ledger.is_some() != super::accounts(scene).is_some(), "the accounts of energy"),
        ];
        match wrong.iter().find(|(wrong, _)| *wrong) {
            Some((_, part)) => Err(damaged(format!("the snapshot is damaged: {part} does not fit the scene"))),
            None => Ok(()),
        }
    }
}
