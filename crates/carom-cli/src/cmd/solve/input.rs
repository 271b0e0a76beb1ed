//! The problems of files and folders.

use std::path::{Path, PathBuf};

use carom_io::document::{Diagnostic, Position, Source};
use carom_lcp::{FileError, Problem};

use crate::hint;

/// A problem and where it comes from.
pub struct Loaded {
    /// The path, as it is shown.
    pub file: String,
    /// The name in the file, or else that of the file.
    pub name: String,
    pub problem: Problem,
}

/// What is wrong with a file.
pub struct Wrong {
    /// For programs.
    pub diagnostic: Diagnostic,
    /// For readers, with the line of the file.
    pub shown: String,
}

impl Wrong {
    fn new(diagnostic: Diagnostic, source: &Source) -> Wrong {
        let shown = diagnostic.render(source);
        Wrong { diagnostic, shown }
    }

    fn of_file(file: &str, message: String) -> Wrong {
        let path = Path::new(file);
        let help = if path.exists() { None } else { hint::problems(path) };
        let diagnostic = Diagnostic { source: file.into(), position: None, key: String::new(), message, help };
        Wrong::new(diagnostic, &Source::new("", ""))
    }

    /// A problem that the solver that was asked for does not take.
    pub fn refused(file: &str, message: String) -> Wrong {
        let diagnostic =
            Diagnostic { source: file.into(), position: None, key: "--solver".into(), message, help: None };
        Wrong::new(diagnostic, &Source::new("", ""))
    }
}

/// Reads all problems, in the order given, those of a folder by name. What is wrong with some does not keep the others from being
/// read.
pub fn load(paths: &[PathBuf]) -> (Vec<Loaded>, Vec<Wrong>) {
    let (mut loaded, mut wrong) = (Vec::new(), Vec::new());
    for path in paths {
        let files = if path.is_dir() { inside(path) } else { Ok(vec![path.clone()]) };
        match files {
            Err(message) => wrong.push(Wrong::of_file(&path.display().to_string(), message)),
            Ok(files) => {
                for file in files {
                    match read(&file) {
                        Ok(problem) => loaded.push(problem),
                        Err(found) => wrong.extend(found),
                    }
                }
            }
        }
    }
    (loaded, wrong)
}

/// The .json files of a folder.
fn inside(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
    let entries = entries.map_err(|error| format!("the folder cannot be read ({error})"))?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json") && !file.is_dir());
    files.sort();
    if files.is_empty() { Err("there is no .json file in this folder".into()) } else { Ok(files) }
}

fn read(path: &Path) -> Result<Loaded, Vec<Wrong>> {
    let file = path.display().to_string();
    let bytes = std::fs::read(path)
        .map_err(|error| vec![Wrong::of_file(&file, format!("the file cannot be read ({error})"))])?;
    let source = Source::from_bytes(file.as_str(), bytes).map_err(|found| -> Vec<Wrong> {
        let source = Source::new("", "");
        found.into_iter().map(|diagnostic| Wrong::new(diagnostic, &source)).collect()
    })?;
    let named = Problem::from_json(source.text())
        .map_err(|errors| errors.0.into_iter().map(|error| at_place(&source, error)).collect::<Vec<_>>())?;
    let stem = || path.file_stem().map_or_else(|| file.clone(), |stem| stem.to_string_lossy().into_owned());
    Ok(Loaded { name: named.name.unwrap_or_else(stem), file, problem: named.problem })
}

fn at_place(source: &Source, error: FileError) -> Wrong {
    let position = error.place.map(|(line, column)| {
        // Of the bytes of the line those that begin a character before the place.
        let before =
            source.line(line).map_or(0, |text| text.char_indices().take_while(|(at, _)| at + 1 < column).count());
        Position { line, column: before + 1, length: 1 }
    });
    let diagnostic = Diagnostic {
        source: source.name().to_string(),
        position,
        key: error.key,
        message: error.message,
        help: None,
    };
    Wrong::new(diagnostic, source)
}
