//! Tags of equations, `[key (1.2)]`: every key stands in `references.bib`, no paper that has a key is named in another way, and the files and functions of `docs/equations.md` exist.

use std::fs;
use std::path::{Path, PathBuf};

use carom_io::references;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files below a folder with one of these endings.
fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, endings, found);
        } else if path.extension().is_some_and(|end| endings.iter().any(|other| end == *other)) {
            found.push(path);
        }
    }
}

/// Sources and manuals.
fn texts() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for folder in ["crates", "docs", "experiments", "scenes"] {
        files(&root().join(folder), &["rs", "md", "toml"], &mut found);
    }
    let here = fs::read_dir(root()).expect("the repository").map(|entry| entry.expect("an entry").path());
    found.extend(here.filter(|path| path.extension().is_some_and(|end| end == "md")));
    // This file has tags that are wrong on purpose.
    found.retain(|path| !path.ends_with(file!().rsplit('/').next().unwrap_or_default()));
    found.into_iter().map(|path| (path.clone(), fs::read_to_string(path).expect("text"))).collect()
}

/// What stands in square brackets, innermost ones, within a line.
fn brackets(line: &str) -> impl Iterator<Item = &str> {
    line.split(']').rev().skip(1).filter_map(|part| part.rsplit_once('[').map(|(_, inside)| inside))
}

fn is_year(text: &str) -> bool {
    text.len() == 4
        && (text.starts_with("19") || text.starts_with("20"))
        && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Words of the form `name-name-1999`.
fn keys(inside: &str) -> impl Iterator<Item = &str> {
    let words = inside.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| {
        let Some((names, year)) = word.rsplit_once('-') else { return false };
        is_year(year) && names.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    })
}

/// The key of a paper that is named by authors and year: `Verlet 1967`.
fn named(inside: &str) -> impl Iterator<Item = &'static str> {
    let parts = inside.split(';').filter_map(|part| {
        let mut words = part.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let first = words.next().filter(|word| word.starts_with(char::is_uppercase))?;
        let year = words.find(|word| is_year(word))?;
        references::entries().map(|(key, _)| key).find(|key| {
            let (names, last) = key.rsplit_once('-').unwrap_or_default();
            last == year && names.split('-').next() == Some(first.to_lowercase().as_str())
        })
    });
    parts.collect::<Vec<_>>().into_iter()
}

#[test]
fn every_key_in_brackets_is_in_the_references() {
    let (mut tags, mut wrong) = (0, Vec::new());
    for (path, text) in texts() {
        for (number, line) in text.lines().enumerate() {
            for inside in brackets(line) {
                tags += keys(inside).count();
                let strange = keys(inside).filter(|key| references::entry(key).is_none()).map(str::to_string);
                let other = named(inside).map(|key| format!("{inside}, which is {key}"));
                wrong.extend(strange.chain(other).map(|what| format!("{}:{}: {what}", path.display(), number + 1)));
            }
        }
    }
    println!("{tags} keys in brackets");
    assert!(tags > 100, "{tags}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tags_are_recognised() {
    let line = "a [kaufman-pai-2012 (7.3), (7.4)] b[0] [gonzalez-1996, gonzalez-1999; no-one-1999] [`link`]";
    let found: Vec<&str> = brackets(line).flat_map(keys).collect();
    assert_eq!(found, ["gonzalez-1996", "gonzalez-1999", "no-one-1999", "kaufman-pai-2012"]);
    let other: Vec<&str> =
        brackets("[Verlet 1967; Nobody 1999] [Kaufman & Pai 2012 (6.9)]").flat_map(named).collect();
    assert_eq!(other, ["kaufman-pai-2012", "verlet-1967"]);
}

/// Spans of code in a cell of a table.
fn spans(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn is_path(span: &str) -> bool {
    span.ends_with(".rs") || span.ends_with('/')
}

/// A file or folder: from the root of the repository, beside the one before it, beside its folder, or below the folder of the section.
fn resolve(span: &str, before: Option<&Path>, base: &str) -> Option<PathBuf> {
    let beside = before.and_then(Path::parent).map(|folder| folder.join(span));
    let above = before.and_then(Path::parent).and_then(Path::parent).map(|folder| folder.join(span));
    let fixed = [span.starts_with("crates/").then(|| root().join(span))];
    let below = [Some(root().join(base).join(span))];
    fixed.into_iter().chain([beside, above]).chain(below).flatten().find(|path| path.exists())
}

#[test]
fn files_and_functions_of_the_table_of_equations_exist() {
    let manual = fs::read_to_string(root().join("docs/equations.md")).expect("the manual");
    let (mut base, mut wrong, mut functions) = ("crates/carom/src", Vec::new(), 0);
    for line in manual.lines() {
        if line.starts_with("## ") {
            base = "crates/carom/src";
        }
        if line.contains("files are in `crates/carom-lcp/src/`") {
            base = "crates/carom-lcp/src";
        }
        // A bar in a formula is written `\|`.
        let cells: Vec<String> = line.replace("\\|", "/").split('|').map(str::to_string).collect();
        let [_, _, place, function, _] = &cells[..] else { continue };
        let (mut before, mut sources): (Option<PathBuf>, _) = (None, Vec::new());
        for span in spans(place).chain(spans(function)).filter(|span| is_path(span)) {
            match resolve(span, before.as_deref(), base) {
                Some(path) if path.is_dir() => files(&path, &["rs"], &mut sources),
                Some(path) => {
                    sources.push(path.clone());
                    before = Some(path);
                }
                None => wrong.push(format!("no file {span}: {line}")),
            }
        }
        let code: String = sources.iter().map(|path| fs::read_to_string(path).expect("text")).collect();
        for span in spans(function).filter(|span| !is_path(span)) {
            functions += 1;
            let name = span.rsplit("::").next().unwrap_or(span);
            let follows = |keyword: &str| {
                let wanted = format!("{keyword} {name}");
                let ends =
                    |at: usize| !code[at + wanted.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
                code.match_indices(&wanted).any(|(at, _)| ends(at))
            };
            if !["fn", "struct"].into_iter().any(follows) {
                wrong.push(format!("no function {span}: {line}"));
            }
        }
    }
    println!("{functions} functions");
    assert!(functions > 100, "{functions}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
