//! No text, however broken, may make the readers panic, and every problem can be shown.

use super::{Diagnostics, Edit, Source, apply, parse, to_toml};

const SCENE: &str = "title = \"α β\"\n# é\n[parameters]\ng = 9.81\nn = 0x1F\nd = 1979-05-27\n[lagrangian]\n\
    coordinates = [\"x\", { name = \"y\", repeat = { index = \"i\" } }]\ntext = \"\"\"\na\\\n b\"\"\"\n\
    lit = '''\nx'''\n[lagrangian.define]\nX = 'a\\b'\n[[particle]]\nmass = 1e3\n[[particle.sub]]\n\
    a.b = [1, 2.5, inf]\n\"a.c\" = true\n";

fn check(text: &str) {
    let source = Source::new("r.toml", text);
    match parse(&source) {
        Ok(table) => {
            let text = to_toml(&table);
            assert!(parse(&Source::new("again.toml", text.as_str())).is_ok(), "{text}");
        }
        Err(found) => {
            assert!(!found.is_empty());
            for diagnostic in found {
                let _ = diagnostic.render(&source);
            }
        }
    }
}

#[test]
fn broken_texts() {
    let letters: Vec<char> = SCENE.chars().collect();
    for cut in 0..=letters.len() {
        check(&letters[..cut].iter().collect::<String>());
        check(&letters[cut..].iter().collect::<String>());
    }
    let insertions =
        ["\"", "'", "[", "]", "[[", "{", "}", "=", ".", ",", "\n", "\r", "\u{0}", "\\", "é", "\"\"\"", "#"];
    for at in (0..=letters.len()).step_by(2) {
        let (before, after) = letters.split_at(at);
        let (before, after): (String, String) = (before.iter().collect(), after.iter().collect());
        for insertion in insertions {
            check(&format!("{before}{insertion}{after}"));
        }
    }
    let lines: Vec<&str> = SCENE.lines().collect();
    for first in 0..lines.len() {
        for second in 0..lines.len() {
            let mut mixed = lines.clone();
            mixed.swap(first, second);
            check(&mixed.join("\r\n"));
            mixed.insert(first, lines[second]);
            check(&mixed.join("\n"));
        }
    }
}

#[test]
fn broken_sets() {
    let argument = "particle.0.\"a\\\"b\".'c'.x={ y = [1, \"é\"] }";
    let letters: Vec<char> = argument.chars().collect();
    let mut sets: Vec<String> = Vec::new();
    for at in 0..=letters.len() {
        let before: String = letters[..at].iter().collect();
        let after: String = letters[at..].iter().collect();
        sets.extend(["\"", "'", ".", "=", "é", "[", "\n"].map(|c| format!("{before}{c}{after}")));
        sets.extend([before, after]);
    }
    let source = Source::new("r.toml", SCENE.replace("d = 1979-05-27\n", ""));
    let mut table = parse(&source).unwrap();
    let sets: Vec<Edit> = sets.iter().map(|argument| Edit::set(argument)).collect();
    let diagnostics = Diagnostics::new(&source, &sets);
    apply(&mut table, &diagnostics);
    for diagnostic in diagnostics.into_vec() {
        assert!(diagnostic.source.starts_with("--set "));
        let _ = diagnostic.render(&source);
    }
    let text = to_toml(&table);
    assert!(parse(&Source::new("again.toml", text.as_str())).is_ok(), "{text}");
}
