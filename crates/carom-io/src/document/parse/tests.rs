//! Tests of reading TOML: order, places, and every kind of refusal.

use super::*;

fn tree(text: &str) -> Table {
    let source = Source::new("t.toml", text);
    match parse(&source) {
        Ok(table) => table,
        Err(found) => panic!("{found:#?}"),
    }
}

fn errors(text: &str) -> Vec<(usize, usize, String, String)> {
    let source = Source::new("t.toml", text);
    let found = parse(&source).expect_err("a refusal");
    let all = found.into_iter().map(|d| {
        let _ = d.render(&source);
        let at = d.position.expect("a place");
        (at.line, at.column, d.key, d.message)
    });
    all.collect()
}

fn one_error(text: &str) -> (usize, usize, String, String) {
    let mut all = errors(text);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

fn keys(table: &Table) -> Vec<&str> {
    table.entries().iter().map(|e| e.key.as_str()).collect()
}

#[test]
fn order_of_the_file() {
    let table = tree("z = 1\na = 2\n[m.y]\nq = 1\nb = { z = 1, c = 2 }\n[m]\nd = 1\n[[k]]\n[[k]]\n");
    assert_eq!(keys(&table), ["z", "a", "m", "k"]);
    let Some(Kind::Table(m)) = table.get("m").map(|v| &v.kind) else { panic!() };
    assert_eq!(keys(m), ["y", "d"]);
    let Some(Kind::Table(y)) = m.get("y").map(|v| &v.kind) else { panic!() };
    assert_eq!(keys(y), ["q", "b"]);
    let Some(Kind::Table(b)) = y.get("b").map(|v| &v.kind) else { panic!() };
    assert_eq!(keys(b), ["z", "c"]);
    let Some(Kind::Array(k)) = table.get("k").map(|v| &v.kind) else { panic!() };
    assert_eq!(k.len(), 2);
}

#[test]
fn kinds_and_places() {
    let text = "ä = 'é'\n\"b c\" = [1, 2.5, true]\n[run]\nstep = 0x1F\n";
    let text = text.replacen('ä', "\"ä\"", 1);
    let table = tree(&text);
    let slice = |origin| match origin {
        Origin::File { start, end } => &text[start..end],
        _ => panic!(),
    };
    let first = &table.entries()[0];
    assert_eq!((first.key.as_str(), slice(first.key_origin)), ("ä", "\"ä\""));
    assert_eq!(slice(first.value.origin), "'é'");
    let Kind::Array(items) = &table.entries()[1].value.kind else { panic!() };
    assert_eq!(items[1].kind, Kind::Float(2.5));
    assert_eq!(slice(items[2].origin), "true");
    let run = table.get("run").unwrap();
    assert_eq!(slice(run.origin), "[run]");
    let Kind::Table(run) = &run.kind else { panic!() };
    assert_eq!(run.get("step").unwrap().kind, Kind::Integer(31));
}

#[test]
fn numbers() {
    let table =
        tree("a = 9223372036854775807\nb = -9_223_372_036_854_775_808\nc = 1e-320\nd = -0.0\ne = [inf, -inf, nan]");
    assert_eq!(table.get("a").unwrap().kind, Kind::Integer(i64::MAX));
    assert_eq!(table.get("b").unwrap().kind, Kind::Integer(i64::MIN));
    assert_eq!(table.get("c").unwrap().kind, Kind::Float(1e-320));
    let Kind::Float(d) = table.get("d").unwrap().kind else { panic!() };
    assert_eq!(d.to_bits(), (-0.0f64).to_bits());
}

#[test]
fn refused_values() {
    let all = errors(
        "a = 9223372036854775808\n[b]\nc = [1, { d = 1e400 }]\ne = 1979-05-27\nf = 07:32:00\ng = -1e999\nh = 0xFFFFFFFFFFFFFFFFF",
    );
    let places: Vec<(usize, usize, &str)> =
        all.iter().map(|(line, column, key, _)| (*line, *column, key.as_str())).collect();
    let wanted = [(1, 5, "a"), (3, 15, "b.c[1].d"), (4, 5, "b.e"), (5, 5, "b.f"), (6, 5, "b.g"), (7, 5, "b.h")];
    assert_eq!(places, wanted);
    assert_eq!(all[0].3, "the integer 9223372036854775808 is out of range");
    assert_eq!(all[1].3, "the number 1e400 is out of range");
    assert!(all[2].3.contains("1979-05-27"));
    let (_, _, _, message) = one_error(&format!("a = {}", "9".repeat(10_000)));
    assert!(message.len() < 100);
}

#[test]
fn duplicates() {
    assert_eq!(
        one_error("a = 1\n\"ä\" = 2\r\na = 3\n"),
        (3, 1, String::new(), "the key `a` is given twice".into())
    );
    assert_eq!(one_error("[a]\nx = 1\n[a]\ny = 2").0, 3);
    assert_eq!(one_error("a = { b = 1, b = 2 }").1, 14);
    assert_eq!(one_error("a = 1\n[a.b]\nc = 1").0, 2);
    assert_eq!(one_error("a = [1]\n[[a]]\nc = 1").0, 2);
}

#[test]
fn syntax() {
    let (line, column, _, message) = one_error("# αβγ\r\n\t\"ä\" = \r\nb = 1\r\n");
    assert_eq!(line, 2);
    assert!((5..=8).contains(&column), "{column}");
    assert_eq!(message, "there is no value after the `=`");
    let all = errors("a = 1\nb = \nc = 2\nd = [1,, 2]\ne 5\n[f\ng = 1");
    let lines: Vec<usize> = all.iter().map(|e| e.0).collect();
    assert_eq!(lines, [2, 4, 5, 6]);
    assert_eq!(one_error("a = \"abc").0, 1);
    assert!(one_error("a = \"abc").3.starts_with("invalid TOML: "));
    assert_eq!(one_error("a = thetaa").1, 5);
}

#[test]
fn consequences_of_syntax_errors() {
    let all = errors("a = [1\nb = 2\n\nc = 3\n  [d]\ne = 4");
    let lines: Vec<usize> = all.iter().map(|e| e.0).collect();
    assert_eq!(lines, [2], "{all:?}");
    let all = errors("a = [1 2]\nb = [3 4]\nc = theta theta");
    let lines: Vec<usize> = all.iter().map(|e| e.0).collect();
    assert_eq!(lines, [1, 2, 3], "{all:?}");
    let help = |text: &str| {
        let source = Source::new("t.toml", text);
        let found = parse(&source).expect_err("a refusal");
        found[0].help.clone().unwrap_or_default()
    };
    assert!(help("a = theta").contains("in quotes"));
    assert!(help("a = \"\"\"x\nb = 1\n").contains("not closed"));
    assert!(help("a = [1\nb = 2").contains("not closed"));
}

#[test]
fn empty_files_and_marks() {
    for text in ["", "\n", "\r\n", "# only a comment", "\u{feff}", " \t\n"] {
        assert_eq!(tree(text), Table::default());
    }
    assert_eq!(keys(&tree("\u{feff}a = 1\r\nb = 2\r\n")), ["a", "b"]);
    assert_eq!(one_error("\u{feff}a = x").1, 5, "the mark is not a column");
}

#[test]
fn depth() {
    let (line, _, _, message) = one_error(&format!("a = 1\n{} = 1", vec!["b"; 100_000].join(".")));
    assert_eq!(line, 2);
    assert!(message.contains("deeper than 32"));
}
