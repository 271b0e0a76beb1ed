//! What a name that is not known may have been meant for.

use std::path::{Path, PathBuf};

use carom_io::document::{closest, hint, near};
use carom_io::folder::SCENE;
use carom_io::scene::BUILT_IN;

/// How to see all scenes.
const ALL: &str = "`carom scenes` lists the built-in ones; your own is a .toml file";

fn built_in_names() -> Vec<&'static str> {
    BUILT_IN.iter().map(|scene| scene.name).collect()
}

/// For a scene: a path that is there and nearly the given one, a built-in scene with a similar name; of a run folder its scene.
pub fn scene(given: &str) -> String {
    let path = Path::new(given);
    let inside = path.join(SCENE);
    if inside.is_file() {
        return hint(&[&inside.display().to_string()], ALL);
    }
    let stem = path.file_stem().map_or_else(|| given.into(), |stem| stem.to_string_lossy());
    let known = built_in_names();
    let file = near_path(&path.with_extension("toml"), is_scene_file).filter(|file| file != given);
    let mut names: Vec<&str> = file.as_deref().into_iter().collect();
    names.extend(near(&stem, &known));
    hint(&names, ALL)
}

/// For a run folder: one that is there and nearly the given path.
pub fn run_folder(given: &Path) -> Option<String> {
    near_path(given, |path| path.join(SCENE).is_file()).map(|near| meant(&near))
}

/// For a file of problems, or a folder of them.
pub fn problems(given: &Path) -> Option<String> {
    let is_file = |path: &Path| path.extension().is_some_and(|extension| extension == "json");
    near_path(given, |path| path.is_dir() || is_file(path)).map(|near| meant(&near))
}

/// For the file of an experiment.
pub fn experiment(given: &Path) -> Option<String> {
    near_path(given, is_scene_file).map(|near| meant(&near))
}

fn meant(name: &str) -> String {
    format!("did you mean `{name}`?")
}

fn is_scene_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// For the name of a built-in scene.
pub fn built_in(given: &str) -> String {
    hint(&near(given, &built_in_names()), "`carom scenes` lists all")
}

/// For a method, a scene or a run.
pub fn cited(given: &str, methods: &[&str]) -> String {
    let folder = near_path(Path::new(given), |path| path.join(SCENE).is_file() || is_scene_file(path));
    let folder = folder.filter(|folder| folder != given);
    let known: Vec<&str> = methods.iter().copied().chain(built_in_names()).collect();
    let mut names: Vec<&str> = folder.as_deref().into_iter().collect();
    names.extend(near(given, &known));
    hint(&names, "`carom methods` and `carom scenes` list what there is; a run is a folder")
}

/// The path that is there and nearest to the given one: every part of it is there or is the nearest of those in its folder, and the
/// last is one that is wanted.
fn near_path(given: &Path, wanted: impl Fn(&Path) -> bool) -> Option<String> {
    let mut found = PathBuf::new();
    let mut parts = given.components().peekable();
    while let Some(part) = parts.next() {
        let next = found.join(part);
        let last = parts.peek().is_none();
        let fits = |path: &Path| if last { wanted(path) } else { path.is_dir() };
        if next.as_os_str() == "." || next.as_os_str() == ".." || (next.exists() && fits(&next)) {
            found = next;
            continue;
        }
        let folder = if found.as_os_str().is_empty() { Path::new(".") } else { &found };
        // A folder that cannot be read has no names to offer.
        let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let named = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = named.filter(|name| fits(&found.join(name))).collect();
        names.sort();
        let near = closest(part.as_os_str().to_str()?, &names)?.to_string();
        found.push(near);
    }
    Some(found.display().to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_path_is_mended_part_by_part() {
        let folder = std::env::temp_dir().join(format!("carom-hint-{}", std::process::id()));
        fs::create_dir_all(folder.join("runs/kepler")).expect("folders");
        fs::write(folder.join("runs/kepler/scene.toml"), "").expect("a file");
        fs::write(folder.join("ball.toml"), "").expect("a file");
        let run = |given: &str| run_folder(&folder.join(given));
        let said = |path: &str| Some(format!("did you mean `{}`?", folder.join(path).display()));
        assert_eq!(run("runs/keplr"), said("runs/kepler"));
        assert_eq!(run("run/keplr"), said("runs/kepler"));
        assert_eq!(run("runs/pendulum"), None);
        assert_eq!(run("nowhere/kepler"), None);
        for (given, meant) in [
            ("bal.toml", "ball.toml"),
            ("ball", "ball.toml"),
            ("runs/kepler", "runs/kepler/scene.toml"),
            ("run/kepler/scene.toml", "runs/kepler/scene.toml"),
        ] {
            let said = scene(folder.join(given).to_str().expect("UTF-8"));
            let first = format!("did you mean `{}`", folder.join(meant).display());
            assert!(said.starts_with(&first), "{given}: {said}");
        }
        fs::remove_dir_all(folder).expect("removed");
    }
}
