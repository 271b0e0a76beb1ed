//! Lists the scenes of the folder `scenes/<family>/<name>.toml`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    found.sort_by(|a, b| a.file_stem().cmp(&b.file_stem()));
    Ok(found)
}

fn main() -> io::Result<()> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../scenes");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut list =
        String::from("/// Every built-in scene, by family and name.\npub const BUILT_IN: &[BuiltIn] = &[\n");
    for family in entries(&folder)?.iter().filter(|path| path.is_dir()) {
        println!("cargo::rerun-if-changed={}", family.display());
        for file in entries(family)?.iter().filter(|path| path.extension().is_some_and(|e| e == "toml")) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let family = family.file_name().unwrap_or_default().to_string_lossy();
            let path = fs::canonicalize(file)?;
            let _ = writeln!(
                list,
                "    BuiltIn {{ name: {name:?}, family: {family:?}, text: include_str!({:?}) }},",
                path.display().to_string()
            );
        }
    }
    list.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR").unwrap_or_default()).join("scenes.rs"), list)
}
