//! The file of a figure: `--figure FILE`.

use std::io::{self, Write as _};
use std::path::Path;

use carom_io::document::printable_lines;
use carom_io::figure::Figure;
use carom_io::folder::whole;

use crate::fail::Fail;
use crate::input::refuse;
use crate::print;

/// Pixels of a PNG per px of the figure.
const SCALE: f32 = 2.0;

/// A file that a figure is written to, in the format that its extension names.
#[derive(Clone, Copy)]
pub struct FigureFile<'a> {
    path: &'a Path,
    png: bool,
}

impl<'a> FigureFile<'a> {
    /// The file that was asked for, if one was; a name that stands for no format is refused.
    pub fn of(path: Option<&'a Path>, json: bool) -> Result<Option<Self>, Fail> {
        let Some(path) = path else {
            return Ok(None);
        };
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => Ok(Some(Self { path, png: false })),
            Some("png") => Ok(Some(Self { path, png: true })),
            _ => {
                let message = format!("{}: a figure is written as .svg or .png", path.display());
                Err(refuse(json, "--figure", message))
            }
        }
    }

    /// Says that it was written, where nothing but JSON goes to standard output on standard error.
    pub fn tell(&self, json: bool) -> Result<(), Fail> {
        let line = format!("figure: {}\n", self.path.display());
        if json {
            // Where nobody reads standard error, the file is there all the same.
            let _ = write!(io::stderr(), "{}", printable_lines(&line));
            return Ok(());
        }
        print::out(&line)
    }

    /// Refuses a file in a folder that is not there, before work is done for it.
    pub fn has_place(&self, json: bool) -> Result<(), Fail> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        match folder.filter(|folder| !folder.is_dir()) {
            None => Ok(()),
            Some(folder) => {
                let (path, folder) = (self.path.display(), folder.display());
                Err(refuse(json, "--figure", format!("{path}: there is no folder {folder}; make it first")))
            }
        }
    }

    /// Writes the figure.
    pub fn write(&self, figure: &Figure) -> Result<(), Fail> {
        let write = || -> Result<(), String> {
            let bytes = match self.png {
                false => figure.to_svg().into_bytes(),
                true => figure.to_png(SCALE).map_err(|error| error.to_string())?,
            };
            whole::write(self.path, &bytes).map_err(|error| error.to_string())
        };
        write().map_err(|message| Fail::Failed(format!("error: --figure: {}: {message}", self.path.display())))
    }
}
