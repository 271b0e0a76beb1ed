//! The folder of `solve --out`.

use std::fs;
use std::path::{Path, PathBuf};

use carom_io::folder::{resolve, whole};

use super::Budget;
use super::figure::figure;
use super::output::Document;
use super::profile::Profile;
use crate::fail::Fail;

/// How solve.json begins: by it a folder is known as that of `solve`.
const MARK: &str = "{\n  \"carom\":";
/// Pixels of the PNG per px of the figure.
const SCALE: f32 = 2.0;
/// What --profile writes.
const OF_PROFILE: [&str; 3] = ["profile.svg", "profile.png", "profile.csv"];

/// A folder that answers are written to; until then it holds what was there before.
pub struct SolveFolder(PathBuf);

impl SolveFolder {
    /// Makes the folder if it is not there; one that holds anything but earlier answers is refused.
    pub fn create(path: &Path) -> Result<SolveFolder, String> {
        let path = &resolve(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        if path.exists() {
            let ours = whole::read(&path.join("solve.json")).is_ok_and(|text| text.starts_with(MARK.as_bytes()));
            let empty = || Ok::<bool, String>(fs::read_dir(path).map_err(failed)?.next().is_none());
            if !path.is_dir() || !(ours || empty()?) {
                let path = path.display();
                return Err(format!("{path} exists and is no folder of solve; give another one, or remove it"));
            }
        }
        fs::create_dir_all(path).map_err(failed)?;
        Ok(SolveFolder(path.to_path_buf()))
    }

    /// Writes the document, and what a profile has besides; that of an earlier one goes.
    pub fn write(&self, document: &Document, profile: Option<&Profile>, budget: Budget) -> Result<(), Fail> {
        self.try_write(document, profile, budget)
            .map_err(|message| Fail::Failed(format!("error: --out: {}: {message}", self.0.display())))
    }

    fn try_write(&self, document: &Document, profile: Option<&Profile>, budget: Budget) -> Result<(), String> {
        for name in OF_PROFILE {
            whole::remove(&self.0.join(name)).map_err(|error| format!("{name}: {error}"))?;
        }
        let text = serde_json::to_string_pretty(document).map_err(|error| error.to_string())? + "\n";
        let write = |name: &str, bytes: &[u8]| {
            whole::write(&self.0.join(name), bytes).map_err(|error| format!("{name}: {error}"))
        };
        write("solve.json", text.as_bytes())?;
        let Some(profile) = profile else { return Ok(()) };
        let figure = figure(profile, budget);
        let png = figure.to_png(SCALE).map_err(|error| error.to_string())?;
        let files = [figure.to_svg().into_bytes(), png, profile.csv().into_bytes()];
        OF_PROFILE.iter().zip(files).try_for_each(|(name, bytes)| write(name, &bytes))
    }
}
