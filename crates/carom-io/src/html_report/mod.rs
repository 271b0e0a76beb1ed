//! `report.html`: what a run came to, on one page that needs nothing else.
//!
//! The page is made of the run folder alone, by the run itself and by `carom report`. It holds no times of the clock: two
//! runs of the same scene give the same bytes, also where one of them was cut off and resumed. The tables are read once,
//! in memory that does not grow with them, and no extreme of a column over time is lost.

mod data;
mod drawings;
mod page;
mod structure;
pub(crate) mod thin;
mod words;

use std::io;
use std::path::Path;

use serde_json::Value;

pub use drawings::{Drawing, NAMES};

use crate::folder::Checksums;
use crate::recording::TableReader;
use crate::scene::Scene;

/// The report of a run.
#[derive(Debug)]
pub struct HtmlReport {
    /// The page.
    pub html: String,
    /// Its figures.
    pub drawings: Vec<Drawing>,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file cannot be read or is not what it should be.
    #[error("{file}: {error}")]
    Io {
        /// The file.
        file: String,
        /// Why.
        error: io::Error,
    },
    /// `run.json` lacks something.
    #[error("run.json: `{0}` is missing or of another kind")]
    Missing(&'static str),
}

/// Verifies the tables that nothing on the page is made of: the page says that the run is whole.
fn verify_others(folder: &Path) -> io::Result<()> {
    let Some(checksums) = Checksums::read(folder)? else { return Ok(()) };
    let mut others = checksums.tables().filter(|name| !data::TABLES.contains(name));
    others.try_for_each(|name| TableReader::open(folder, name).map(drop))
}

impl HtmlReport {
    /// The report of the run of `scene` in `folder`, whose `run.json` is `run`.
    pub fn new(scene: &Scene, run: &Value, folder: &Path) -> Result<Self, ReportError> {
        for key in ["steps", "h", "t", "carom", "scene", "complete"] {
            let fine = match key {
                "carom" | "scene" => run[key].is_string(),
                "complete" => run[key].is_boolean(),
                _ => run[key].is_number(),
            };
            if !fine {
                return Err(ReportError::Missing(key));
            }
        }
        let damaged = |error| ReportError::Io { file: "the run".into(), error };
        verify_others(folder).map_err(damaged)?;
        let data = data::Data::read(folder, &scene.problem.points.members)
            .map_err(|(file, error)| ReportError::Io { file, error })?;
        let drawings = drawings::all(scene, run, &data);
        let html = page::write(scene, run, &data, &drawings);
        Ok(Self { html, drawings })
    }
}
