//! Tests of writing: the layout, and that reading gives back the same values.

use super::super::{Entry, Origin, Source, parse};
use super::*;

fn read(text: &str) -> Table {
    let source = Source::new("w.toml", text);
    parse(&source).unwrap_or_else(|found| panic!("{}\n{text}", found[0].render(&source)))
}

/// Whether two tables hold the same values, whatever their order and origins.
fn same_table(a: &Table, b: &Table) -> bool {
    a.entries().len() == b.entries().len()
        && a.entries().iter().all(|e| b.get(&e.key).is_some_and(|other| same(&e.value, other)))
}

fn same(a: &Value, b: &Value) -> bool {
    match (&a.kind, &b.kind) {
        (Kind::Float(a), Kind::Float(b)) => a.to_bits() == b.to_bits(),
        (Kind::Array(a), Kind::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Kind::Table(a), Kind::Table(b)) => same_table(a, b),
        (a, b) => a == b,
    }
}

fn check_round_trip(table: &Table) {
    let text = to_toml(table);
    let again = read(&text);
    assert!(same_table(table, &again), "{table:#?}\n{text}");
    assert_eq!(to_toml(&again), text, "the text is a fixed point");
    assert!(!text.contains('\r'));
}

#[test]
fn layout() {
    let text = r#"title = "A scene"
description = """
First line.
Second "line" with \\ and \"\"\"\""""
cites = ["a", "b"]

[parameters]
g = 9.81
"x y" = '"quoted\n"'

[lagrangian]
coordinates = [{ name = "x", repeat = { index = "i", count = "n" } }]
potential = [
  "0.5*k*(x[0] - x[1])^2 + 0.5*k*(x[1] - x[2])^2",
  "0.5*k*(x[2] - x[3])^2 + 0.5*k*(x[3] - x[4])^2",
]
forces = {}

[lagrangian.define]
A = "rr*cos(beta) - d*cos(beta + Theta) + something_long"
B = "rr*cos(beta) - d*cos(beta + Theta) + something_long"

[[particle]]
mass = 1

[[particle]]
mass = 2.0
tags = []

[[body]]
name = "first"
position = [0.0, 0.0, 0.0]
description = "something long enough to need a line of its own, or more than one"

[[body]]
name = "second"

[method]
"#;
    assert_eq!(to_toml(&read(text)), text);
    check_round_trip(&read(text));
}

#[test]
fn values_come_before_sections() {
    let mut table = read("[a]\nx = 1\n[a.b]\ny = 1\n[c]\n");
    let title = Value { kind: Kind::String("t".into()), origin: Origin::Set(0) };
    table.insert("title", title);
    assert_eq!(to_toml(&table), "title = \"t\"\n\n[a]\nx = 1\nb = { y = 1 }\n\n[c]\n");
    check_round_trip(&table);
}

#[test]
fn headers_that_say_nothing_are_left_out() {
    let long = "l".repeat(100);
    let table = read(&format!("[a.b.c]\nx = '{long}'\n[[a.d]]\ny = '{long}'\n[[a.d.e]]\nz = '{long}'\n"));
    let text = to_toml(&table);
    let headers: Vec<&str> = text.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(headers, ["[a.b.c]", "[[a.d]]", "[[a.d.e]]"]);
    check_round_trip(&table);
}

#[test]
fn floats_to_the_bit() {
    let numbers = [
        1.0,
        -0.0,
        0.0,
        0.1,
        1e300,
        1e-320,
        5e-324,
        1e16,
        123456789012345680.0,
        f64::MAX,
        f64::MIN,
        f64::EPSILON,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        -f64::NAN,
        1.0 / 3.0,
    ];
    let mut table = Table::default();
    for (n, number) in numbers.into_iter().enumerate() {
        let value = Value { kind: Kind::Float(number), origin: Origin::Default };
        table.insert(&format!("n{n}"), value);
    }
    check_round_trip(&table);
    let text = to_toml(&table);
    assert!(text.starts_with("n0 = 1.0\nn1 = -0.0\nn2 = 0.0\nn3 = 0.1\nn4 = 1e300\nn5 = 1e-320\n"));
}

#[test]
fn long_arrays_of_numbers_are_filled() {
    let numbers: Vec<String> = (0..100).map(|n| format!("{n}.5")).collect();
    let table = read(&format!("a = [{}]\nb = [[{}], [1]]", numbers.join(","), numbers.join(",")));
    let text = to_toml(&table);
    assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    assert!(text.lines().count() < 25, "{text}");
    check_round_trip(&table);
}

#[test]
fn small_texts() {
    for text in ["", "a = {}", "[a]", "a = []", "[[a]]\n[[a]]", "a.b.c = 1", "'' = ''"] {
        check_round_trip(&read(text));
    }
    assert_eq!(to_toml(&Table::default()), "");
}

/// A small deterministic generator (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn text(&mut self) -> String {
        const PARTS: [&str; 20] = [
            "a",
            "bc",
            "\"",
            "'",
            "\\",
            "\n",
            "\r\n",
            "\t",
            "\u{0}",
            "\u{1b}",
            "\u{7f}",
            "\u{85}",
            "é",
            "𝛼",
            " ",
            "=",
            "#",
            "\u{feff}",
            "\"\"\"",
            "cos(theta)*length_of_the_pendulum",
        ];
        (0..self.below(7)).map(|_| PARTS[self.below(20) as usize]).collect()
    }

    fn value(&mut self, depth: u64) -> Value {
        let kind = match self.below(if depth == 0 { 5 } else { 9 }) {
            0 => Kind::String(self.text()),
            1 => Kind::Integer(self.next() as i64 >> self.below(64)),
            2 => Kind::Float(match f64::from_bits(self.next()) {
                number if number.is_nan() => f64::NAN,
                number => number,
            }),
            3 => Kind::Float(self.below(2000) as f64 / 8.0 - 100.0),
            4 => Kind::Boolean(self.below(2) == 0),
            5 => Kind::Array((0..self.below(5)).map(|_| self.value(depth - 1)).collect()),
            6 => Kind::Array(
                (0..self.below(4))
                    .map(|_| Value { kind: Kind::Table(self.table(depth - 1)), origin: Origin::Default })
                    .collect(),
            ),
            _ => Kind::Table(self.table(depth - 1)),
        };
        let origin = Origin::Default;
        Value { kind, origin }
    }

    fn table(&mut self, depth: u64) -> Table {
        let mut entries: Vec<Entry> = Vec::new();
        for _ in 0..self.below(6) {
            let key = self.text();
            if entries.iter().all(|entry| entry.key != key) {
                entries.push(Entry { key, key_origin: Origin::Default, value: self.value(depth) });
            }
        }
        Table::of(entries)
    }
}

#[test]
fn random_trees() {
    let mut random = Random(1);
    for _ in 0..3000 {
        let depth = random.below(5);
        check_round_trip(&random.table(depth));
    }
}
