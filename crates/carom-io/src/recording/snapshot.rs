//! Everything that a run needs to go on from a node, bit for bit.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use carom::measures::{Ledger, Summary};
use carom::state::State;
use carom::watch::Watched;
use serde::{Deserialize, Serialize};

const NAME: &str = "snapshot.bin";
/// First bytes of the file: what it is and the version of its layout.
const MARK: &[u8; 8] = b"carom\0\0\x06";

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
    /// Rows of the trajectory.
    pub trajectory_rows: u64,
    /// Rows of the measures.
    pub measures_rows: u64,
    /// Rows of the events; 0 if the method locates none and nothing is watched.
    pub events_rows: u64,
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
    /// Writes the snapshot of a folder: under another name first, then renamed, so that there is always a whole one.
    pub fn save(&self, folder: &Path) -> io::Result<()> {
        let bytes = postcard::to_stdvec(self).map_err(io::Error::other)?;
        let (path, partial) = (folder.join(NAME), folder.join(format!("{NAME}.partial")));
        let mut file = fs::File::create(&partial)?;
        file.write_all(MARK)?;
        file.write_all(&bytes)?;
        file.sync_data()?;
        fs::rename(partial, path)
    }

    /// Reads the snapshot of a folder.
    pub fn load(folder: &Path) -> io::Result<Self> {
        let bytes = fs::read(folder.join(NAME))?;
        let foreign =
            || io::Error::new(io::ErrorKind::InvalidData, format!("{NAME} is no snapshot of this version"));
        let body = bytes.strip_prefix(MARK).ok_or_else(foreign)?;
        postcard::from_bytes(body).map_err(|_| foreign())
    }

    /// Where the snapshot of a folder is.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(NAME)
    }
}

/// A hash of a text that is the same on every machine (FNV-1a).
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
