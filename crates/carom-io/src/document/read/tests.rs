//! Tests of the typed readers.

use super::super::{Diagnostic, Edit, Source, apply, parse};
use super::*;

/// Reads a text with a function and returns the problems as they are shown, first lines only.
fn problems(text: &str, sets: &[&str], read: impl Fn(&TableReader<'_>)) -> Vec<String> {
    let source = Source::new("s.toml", text);
    let found = diagnose(&source, sets, read);
    let first = |d: &Diagnostic| d.render(&source).lines().next().unwrap_or_default().to_owned();
    found.iter().map(first).collect()
}

fn diagnose(source: &Source, sets: &[&str], read: impl Fn(&TableReader<'_>)) -> Vec<Diagnostic> {
    let sets: Vec<Edit> = sets.iter().map(|argument| Edit::set(argument)).collect();
    let mut table = parse(source).unwrap();
    let diagnostics = Diagnostics::new(source, &sets);
    apply(&mut table, &diagnostics);
    read(&TableReader::root(&table, &diagnostics));
    diagnostics.into_vec()
}

#[test]
fn fitting_values() {
    let text = "s = 'x'\nn = 2\nf = 2.5\nb = false\na = [1, 2]\n[t]\nx = 3\n";
    let found = problems(text, &[], |reader| {
        assert_eq!(reader.string("s"), Some("x"));
        assert_eq!(reader.choice("s", &["y", "x"]), Some("x"));
        assert_eq!(reader.number("n"), Some(2.0));
        assert_eq!(reader.number("f"), Some(2.5));
        assert_eq!(reader.integer("n"), Some(2));
        assert_eq!(reader.boolean("b"), Some(false));
        let array = reader.array("a").unwrap();
        assert_eq!(array[1].integer(), Some(2));
        assert_eq!(array[1].path(), "a[1]");
        let table = reader.table("t").unwrap();
        assert_eq!(table.required("x").and_then(|item| item.integer()), Some(3));
        assert_eq!(table.path(), "t");
        assert_eq!(table.table_ref().entries().len(), 1);
        assert!(reader.get("nothing").is_none());
        assert_eq!(reader.number("nothing"), None);
        let keys: Vec<&str> = reader.items().map(|(key, _)| key).collect();
        assert_eq!(keys, ["s", "n", "f", "b", "a", "t"]);
        reader.finish(&["s", "n", "f", "b", "a", "t"]);
        table.finish(&["x"]);
        assert!(reader.diagnostics().is_empty());
    });
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn wrong_types() {
    let text = "s = 'x'\nn = 2\n[t]\nx = [1, inf, nan, true, 2.0]\n";
    let found = problems(text, &[], |reader| {
        reader.string("n");
        reader.number("s");
        reader.integer("s");
        reader.boolean("n");
        reader.array("t");
        reader.table("n");
        for item in reader.table("t").unwrap().array("x").unwrap() {
            item.number();
        }
        let items = reader.table("t").unwrap().array("x").unwrap();
        items[4].integer();
    });
    assert_eq!(
        found,
        [
            "error: s.toml:1:5: s: found the string \"x\", allowed is a finite number",
            "error: s.toml:1:5: s: found the string \"x\", allowed is an integer",
            "error: s.toml:2:5: n: found the number 2, allowed is a string",
            "error: s.toml:2:5: n: found the number 2, allowed is true or false",
            "error: s.toml:2:5: n: found the number 2, allowed is a table",
            "error: s.toml:3:1: t: found a table, allowed is an array",
            "error: s.toml:4:9: t.x[1]: found the number inf, allowed is a finite number",
            "error: s.toml:4:14: t.x[2]: found nan (not a number), allowed is a finite number",
            "error: s.toml:4:19: t.x[3]: found the boolean true, allowed is a finite number",
            "error: s.toml:4:25: t.x[4]: found the number 2.0, allowed is an integer",
        ]
    );
}

#[test]
fn missing_and_unknown_keys() {
    let source = Source::new("s.toml", "[run]\nstpe = 1\n\"ä ö\" = 2\n[empty]\nx = 1\n");
    let found = diagnose(&source, &[], |reader| {
        assert!(reader.required("method").is_none());
        let run = reader.table("run").unwrap();
        assert!(run.required("step").is_none());
        run.finish(&["step", "until"]);
        reader.finish(&["method", "run"]);
        reader.table("empty").unwrap().finish(&[]);
    });
    let shown: Vec<String> = found.iter().map(|d| d.render(&source)).collect();
    assert_eq!(
        shown,
        [
            "error: s.toml:1:1: run.step: this key is missing\n  |\n1 | [run]\n  | ^^^^^",
            "error: s.toml:2:1: run.stpe: unknown key of `run`\n  |\n2 | stpe = 1\n  | ^^^^\n  \
             = help: did you mean `step`? known keys: step, until",
            "error: s.toml:3:1: run.\"ä ö\": unknown key of `run`\n  |\n3 | \"ä ö\" = 2\n  | ^^^^^\n  \
             = help: known keys: step, until",
            "error: s.toml:4:2: empty: unknown key\n  |\n4 | [empty]\n  |  ^^^^^\n  \
             = help: known keys: method, run",
            "error: s.toml:5:1: empty.x: unknown key of `empty`\n  |\n5 | x = 1\n  | ^\n  \
             = help: no keys are allowed here",
            "error: s.toml: method: this key is missing",
        ]
    );
}

#[test]
fn choices_and_own_reports() {
    let text = "on_failure = 'stpo'\nq = \"αβ + xx\"\n[run]\n";
    let source = Source::new("s.toml", text);
    let found = diagnose(&source, &[], |reader| {
        assert_eq!(reader.choice("on_failure", &["stop", "halve"]), None);
        let item = reader.item("q").unwrap();
        item.report_inside(5, 2, "unknown name `xx`", None);
        reader.table("run").unwrap().report("give `until` or `steps`", None);
    });
    assert_eq!(found[0].message, "found the string \"stpo\", which is not allowed here");
    assert_eq!(found[0].help.as_deref(), Some("did you mean `stop`? allowed: stop, halve"));
    assert_eq!(
        found[1].render(&source),
        "error: s.toml:2:11: q: unknown name `xx`\n  |\n2 | q = \"αβ + xx\"\n  |           ^^"
    );
    assert_eq!(found[2].key, "run");
}

#[test]
fn values_of_the_command_line() {
    let found = problems("[run]\nstep = 1\n", &["run.step=abc", "run.stop=1", "new.x=1"], |reader| {
        let run = reader.table("run").unwrap();
        run.number("step");
        run.finish(&["step"]);
        reader.table("new").unwrap().required("y");
        run.item("step").unwrap().report_inside(1, 1, "bad", None);
    });
    assert_eq!(
        found,
        [
            "error: --set run.step=abc: run.step: found the string \"abc\", allowed is a finite number",
            "error: --set run.stop=1: run.stop: unknown key of `run`",
            "error: --set new.x=1: new.y: this key is missing",
            "error: --set run.step=abc: run.step: bad (at character 2 of the string)",
        ]
    );
}
