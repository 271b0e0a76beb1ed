//! Where a folder really is.

use std::io;
use std::path::{Component, Path, PathBuf};

/// The place that a path names, without `.` and `..`. A `..` leads out of what is there (through a symbolic link, out of its target); where
/// nothing is there yet, out of the folder that would be made. So `nope/../u` is `u` whether or not `nope` exists.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut place = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if place.as_os_str().is_empty() {
                    place = std::env::current_dir()?;
                } else if place.exists() {
                    place = place.canonicalize()?;
                }
                place.pop();
            }
            other => place.push(other),
        }
    }
    Ok(if place.as_os_str().is_empty() { PathBuf::from(".") } else { place })
}

#[cfg(test)]
mod tests {
    use super::resolve;
    use std::path::Path;

    #[test]
    fn folders_that_do_not_exist_lead_nowhere_else() {
        for (given, expected) in [("u", "u"), ("./u", "u"), ("nope/../u", "u"), ("a/b/../../u", "u"), (".", ".")] {
            assert_eq!(resolve(Path::new(given)).expect("resolved"), Path::new(expected), "{given}");
        }
        let here = std::env::current_dir().expect("a folder");
        let above = here.parent().expect("a parent");
        assert_eq!(resolve(Path::new("..")).expect("resolved"), above);
        assert_eq!(resolve(Path::new("../new/x")).expect("resolved"), above.join("new/x"));
        assert_eq!(resolve(Path::new("nope/..")).expect("resolved"), Path::new("."));
        assert_eq!(resolve(Path::new("/nope/../..")).expect("resolved"), Path::new("/"));
    }
}
