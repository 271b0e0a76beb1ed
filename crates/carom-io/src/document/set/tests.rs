//! Tests of `--set`.

use super::super::{Diagnostic, Source, parse, to_toml};
use super::*;

const SCENE: &str = "[parameters]\ng = 9.81\n[lagrangian]\npotential = ['a', 'b']\nnone = []\n\
    [[particle]]\nmass = 1\n[[particle]]\nmass = 2\n";

fn set(arguments: &[&str]) -> Result<Table, Vec<Diagnostic>> {
    let source = Source::new("s.toml", SCENE);
    let sets: Vec<Edit> = arguments.iter().map(|argument| Edit::set(argument)).collect();
    let mut table = parse(&source).unwrap();
    let before = table.clone();
    let diagnostics = Diagnostics::new(&source, &sets);
    apply(&mut table, &diagnostics);
    if diagnostics.len() == sets.len() {
        assert_eq!(table, before, "a wrong --set changes nothing");
    }
    diagnostics.into_result(table)
}

fn at(argument: &str, path: &[&str]) -> Kind {
    let table = set(&[argument]).unwrap_or_else(|found| panic!("{found:#?}"));
    let mut value = Value { kind: Kind::Table(table), origin: Origin::Default };
    for part in path {
        value = match &value.kind {
            Kind::Table(table) => table.get(part).unwrap().clone(),
            Kind::Array(items) => items[part.parse::<usize>().unwrap()].clone(),
            _ => panic!("{part}"),
        };
    }
    assert_eq!(value.origin, Origin::Set(0));
    value.kind
}

fn refusal(argument: &str) -> String {
    let found = set(&[argument]).expect_err(argument);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].source, format!("--set {argument}"));
    let text = found[0].render(&Source::new("s.toml", SCENE));
    let start = format!("error: --set {argument}: ");
    text.strip_prefix(&start).map_or(text.clone(), str::to_owned)
}

#[test]
fn values() {
    let string = |text: &str| Kind::String(text.into());
    let g = |value: &str| at(&format!("parameters.g={value}"), &["parameters", "g"]);
    assert_eq!(g("9.8213"), Kind::Float(9.8213));
    assert_eq!(g("3"), Kind::Integer(3));
    assert_eq!(g(" 3 "), Kind::Integer(3));
    assert_eq!(g("true"), Kind::Boolean(true));
    assert_eq!(g("\"a b\""), string("a b"));
    assert_eq!(g("'a=b'"), string("a=b"));
    assert_eq!(g("2*pi/200"), string("2*pi/200"));
    assert_eq!(g("verlet"), string("verlet"));
    assert_eq!(g("1 2"), string("1 2"));
    assert_eq!(g("1\n2"), string("1\n2"));
    assert_eq!(g("a=b"), string("a=b"));
    assert_eq!(g("[1, 2"), string("[1, 2"));
    assert_eq!(g("# 1"), string("# 1"));
    assert_eq!(g(""), string(""));
    assert_eq!(g("θ"), string("θ"));
    let Kind::Table(table) = g("{ z = 1, a = { b = [2] } }") else { panic!() };
    assert_eq!(table.entries()[0].key, "z");
    assert_eq!(table.entries()[0].key_origin, Origin::Set(0));
    let Kind::Float(number) = g("inf") else { panic!() };
    assert!(number.is_infinite(), "refused when it is read as a number");
}

#[test]
fn paths() {
    assert_eq!(at("particle.1.mass=7", &["particle", "1", "mass"]), Kind::Integer(7));
    assert_eq!(at("particle.0.name.x=7", &["particle", "0", "name", "x"]), Kind::Integer(7));
    assert_eq!(at("lagrangian.potential.1=7", &["lagrangian", "potential", "1"]), Kind::Integer(7));
    assert_eq!(at("a.b.c=7", &["a", "b", "c"]), Kind::Integer(7));
    assert_eq!(at("parameters.0=7", &["parameters", "0"]), Kind::Integer(7));
    assert_eq!(at("\"a.b\".'c=d'.\"\\\"\"=7", &["a.b", "c=d", "\""]), Kind::Integer(7));
    assert_eq!(at(" a . \"b\" = 7", &["a", "b"]), Kind::Integer(7));
    assert_eq!(at("forces.x[0]=7", &["forces", "x[0]"]), Kind::Integer(7));
    assert_eq!(at("title=x", &["title"]), Kind::String("x".into()));
}

#[test]
fn in_their_order() {
    let table = set(&["a=[1, {}]", "a.1.b=2", "a.0=3", "parameters.g=1", "parameters.g=2"]);
    let text = to_toml(&table.unwrap());
    assert!(text.contains("a = [3, { b = 2 }]\n"), "{text}");
    assert!(text.contains("[parameters]\ng = 2\n"), "{text}");
    let found = set(&["a", "title=x", "b"]).unwrap_err();
    assert_eq!(found[0].source, "--set a");
    assert_eq!(found[1].source, "--set b");
}

#[test]
fn bad_indices() {
    let text = refusal("particle.2.mass=1");
    assert!(text.starts_with("particle: found `2` where an index into an array of 2 values"));
    assert!(text.contains("length 2: indices from 0 to 1"), "{text}");
    assert!(refusal("particle.mass=1").contains("found `mass`"));
    assert!(refusal("particle.-1.mass=1").contains("found `-1`"));
    assert!(refusal("particle.'0'.mass=1").contains("found `0`"));
    assert!(refusal("particle.99999999999999999999999.mass=1").contains("length 2"));
    assert!(refusal("lagrangian.none.0=1").contains("an empty array has no elements"));
    assert!(refusal("lagrangian.potential.1.x=1").starts_with("lagrangian.potential[1]: `x`"));
    assert!(refusal("body.0.mass=1").starts_with("body: there is no array"));
    assert!(refusal("particle[0].mass=1").contains("write particle.0"));
}

#[test]
fn bad_paths() {
    let text = refusal("parameters.g.x=1");
    assert_eq!(text, "parameters.g: `x` cannot be set inside the number 9.81");
    assert!(refusal("parameters.g").starts_with("there is no `=`"));
    assert!(refusal("").starts_with("a part of the key is empty"));
    assert!(refusal("=1").starts_with("a part of the key is empty"));
    assert!(refusal("a..b=1").starts_with("a part of the key is empty"));
    assert!(refusal(".a=1").starts_with("a part of the key is empty"));
    assert!(refusal("a.=1").starts_with("a part of the key is empty"));
    assert!(refusal("\"a=1").starts_with("a quote in the key is not closed"));
    assert!(refusal("\"a\"b=1").starts_with("a quoted part of the key must end"));
    assert!(refusal("\"\\q\"=1").contains("is not a valid key"));
}

#[test]
fn values_that_a_scene_cannot_hold() {
    assert!(refusal("parameters.g=1979-05-27").starts_with("parameters.g: found the date"));
    let text = refusal("parameters.g=[1, 99999999999999999999]");
    assert!(text.starts_with("parameters.g[1]: the integer 99999999999999999999 is out of range"));
    assert!(refusal("parameters.g=1e400").contains("out of range"));
    let long = vec!["a"; 100_000].join(".");
    assert!(refusal(&format!("{long}=1")).contains("deeper than 32"));
    assert!(refusal(&format!("a={{{long}=1}}")).contains("deeper than 32"));
}

#[test]
fn an_argument_comes_apart_into_its_key_and_what_its_value_stands_for() {
    assert_eq!(key_and_value(" a.'b=c'.0 = 1:2 "), Ok(("a.'b=c'.0", "1:2")));
    assert_eq!(key_and_value("a=b=c"), Ok(("a", "b=c")));
    assert_eq!(key_and_value("a="), Ok(("a", "")));
    assert!(key_and_value("a.b").is_err_and(|message| message.contains("no `=`")));
    let read = ["12", "1e-3", "true", "'gamma'", "gamma", "[1, 'a']", "{ x = 1.5 }", "9.81*y"].map(set_value);
    let expected = serde_json::json!([12, 1e-3, true, "gamma", "gamma", [1, "a"], { "x": 1.5 }, "9.81*y"]);
    assert_eq!(Json::from(read.to_vec()), expected);
    let deep = "[".repeat(100_000);
    assert_eq!(set_value(&deep), deep, "no stack is exhausted");
}
