//! Lists the scenes `scenes/<family>/<name>.toml` and the experiments `experiments/<paper>/<id>.toml`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    found.sort_by(|a, b| a.file_stem().cmp(&b.file_stem()));
    Ok(found)
}

/// Writes a constant with every file `<group>/<name>.toml` of a folder; `item` makes an entry of group, name and text.
fn list(folder: &str, constant: &str, item: impl Fn(&str, &str, &str) -> String) -> io::Result<()> {
    let path = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..").join(folder);
    println!("cargo::rerun-if-changed={}", path.display());
    let mut list = format!("{constant} = &[\n");
    for group in entries(&path)?.iter().filter(|path| path.is_dir()) {
        println!("cargo::rerun-if-changed={}", group.display());
        for file in entries(group)?.iter().filter(|path| path.extension().is_some_and(|e| e == "toml")) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let group = group.file_name().unwrap_or_default().to_string_lossy();
            let text = format!("include_str!({:?})", fs::canonicalize(file)?.display().to_string());
            let _ = writeln!(list, "    {},", item(&group, &name, &text));
        }
    }
    list.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR").unwrap_or_default()).join(format!("{folder}.rs")), list)
}

fn main() -> io::Result<()> {
    let scenes = "/// Every built-in scene, by family and name.\npub const BUILT_IN: &[BuiltIn]";
    list("scenes", scenes, |family, name, text| {
        format!("BuiltIn {{ name: {name:?}, family: {family:?}, text: {text} }}")
    })?;
    let experiments =
        "/// Every built-in experiment, by paper and name.\npub const EXPERIMENTS: &[BuiltInExperiment]";
    list("experiments", experiments, |paper, id, text| {
        format!("BuiltInExperiment {{ paper: {paper:?}, id: {id:?}, text: {text} }}")
    })
}
