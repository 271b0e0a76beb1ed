//! What a name that is not known may have been meant for.

use std::path::Path;

use carom_io::document::{closest, hint, near};
use carom_io::scene::BUILT_IN;

/// How to see all scenes.
const ALL: &str = "`carom scenes` lists the built-in ones; your own is a .toml file";

fn built_in_names() -> Vec<&'static str> {
    BUILT_IN.iter().map(|scene| scene.name).collect()
}

/// For a scene: a file of the same folder with a similar name, a built-in scene with a similar one.
pub fn scene(given: &str) -> String {
    let path = Path::new(given);
    let stem = path.file_stem().map_or_else(|| given.into(), |stem| stem.to_string_lossy());
    let files = scene_files(path);
    let wanted = path.with_extension("toml").display().to_string();
    let known = built_in_names();
    let mut names: Vec<&str> = closest(&wanted, &files).into_iter().collect();
    names.extend(near(&stem, &known));
    hint(&names, ALL)
}

/// For the name of a built-in scene.
pub fn built_in(given: &str) -> String {
    hint(&near(given, &built_in_names()), "`carom scenes` lists all")
}

/// For a method, a scene or a run.
pub fn cited(given: &str, methods: &[&str]) -> String {
    let names: Vec<&str> = methods.iter().copied().chain(built_in_names()).collect();
    hint(&near(given, &names), "`carom methods` and `carom scenes` list what there is; a run is a folder")
}

/// The .toml files beside a file, as paths like its own.
fn scene_files(path: &Path) -> Vec<String> {
    let parent = path.parent().unwrap_or(Path::new(""));
    let folder = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    // A folder that cannot be read has no names to offer.
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<String> = entries
        .map(|entry| parent.join(entry.file_name()))
        .filter(|file| file.extension().is_some_and(|extension| extension == "toml"))
        .map(|file| file.display().to_string())
        .collect();
    files.sort();
    files
}
