//! What README.md shows of runs is what the program prints.

use super::Place;
use serde_json::Value;

fn readme() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The block of code whose first line begins like this.
fn block(text: &str, start: &str) -> String {
    let blocks = text.split("```").skip(1).step_by(2).map(|block| block.split_once('\n').expect("a line").1);
    blocks
        .into_iter()
        .find(|block| block.starts_with(start))
        .unwrap_or_else(|| panic!("no block with {start}"))
        .to_string()
}

/// Lines without the times, which are those of one machine.
fn timeless(text: &str) -> Vec<String> {
    let line = |line: &str| match line.split_once(" in ") {
        Some((before, after)) if after.ends_with("steps/s") => before.to_string(),
        _ => line.trim_end().to_string(),
    };
    text.trim_end().lines().map(line).collect()
}

#[test]
fn the_sample_outputs_are_what_the_program_prints() {
    let (text, place) = (readme(), Place::new());
    place.write("bead.toml", &block(&text, "[lagrangian]"));
    let cradle = ["run", "newtons-cradle", "--until", "1000", "--every", "10"];
    assert!(text.contains(&cradle.join(" ")) && text.contains("run bead.toml\n"));
    for (arguments, start) in [(&cradle[..], "newtons-cradle: "), (&["run", "bead.toml"][..], "bead\n")] {
        let printed = place.carom(arguments).code(0).out;
        assert_eq!(timeless(&block(&text, start)), timeless(&printed));
    }
    // What the text below says of the cradle.
    let report = place.json("runs/newtons-cradle/run.json");
    let energy = &report["energy"];
    let [first, last] = ["initial", "final"].map(|key| energy[key].as_f64().expect("a number"));
    assert!((last / first - 1.0).abs() < 3e-4, "{first} {last}");
    place.carom(&[&cradle[..], &["--set", "method.iterate_predictor=true", "--out", "again"]].concat()).code(0);
    let depth = place.json("again/run.json")["constraints"]["max_penetration"].as_f64().expect("a number");
    assert!((depth - 3.6e-5).abs() < 0.05e-5, "{depth:e}");
}

/// The words of a command without what follows a `#`.
fn words(line: &str) -> Vec<&str> {
    line.split('#').next().unwrap_or_default().split_whitespace().collect()
}

#[test]
fn the_runs_that_show_what_to_vary_have_a_folder_each() {
    let (text, place) = (readme(), Place::new());
    place.write("bead.toml", &block(&text, "[lagrangian]"));
    let (_, after) = text.split_once("What to vary").expect("a section");
    let commands = block(after, "carom run bead.toml");
    let runs: Vec<Vec<&str>> =
        commands.lines().map(words).filter(|words| words.starts_with(&["carom", "run"])).collect();
    assert!(runs.len() >= 7, "{commands}");
    // The run above it comes first.
    place.carom(&["run", "bead.toml", "--quiet"]).code(0);
    for run in &runs {
        place.carom(&[&run[1..], &["--quiet"]].concat()).code(0);
    }
    assert_eq!(crate::names(&place.path("runs")).len(), 1 + runs.len(), "{commands}");
}

#[test]
fn the_ball_comes_to_rest_when_the_text_says() {
    let (text, place) = (readme(), Place::new());
    let line = text.lines().find(|line| line.contains("a ball that comes to rest at t = ")).expect("a command");
    let (_, after) = line.split_once("at t = ").expect("a time");
    let written = after.split(',').next().expect("a time");
    let printed = place.carom(&[&words(line)[1..], &["--out", "run"]].concat()).code(0).out;
    let found = place.json("run/run.json")["rest_time"].as_f64().expect("a time");
    assert!(agrees(written, found), "{written}: {found}");
    // Fall from 1 m and rebounds with e = 0.5: √(2/g) (1 + 2e/(1 − e)).
    assert!((found - 3.0 * (2.0_f64 / 9.8).sqrt()).abs() < 1e-5, "{found}");
    let flat = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("; one contact came to rest, at t = 1.355"), "{printed}");
}

/// Whether a number is the one that is written, to its last digit.
fn agrees(written: &str, found: f64) -> bool {
    let written = written.trim_end_matches(" J").replace('−', "-");
    let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let places = digits.split_once('.').map_or(0, |(_, after)| after.len() as i32);
    let last = 10_f64.powi(exponent.parse::<i32>().expect("a number") - places);
    (found - written.parse::<f64>().expect("a number")).abs() <= 0.5 * last
}

#[test]
fn the_table_of_the_elastic_ball_is_what_runs_report() {
    let (text, place) = (readme(), Place::new());
    let table = text.lines().skip_while(|line| !line.starts_with("| method | energy per bounce")).skip(2);
    let rows: Vec<Vec<&str>> =
        table.take_while(|line| line.starts_with('|')).map(|line| line.split(" | ").collect()).collect();
    assert_eq!(rows.len(), 3);
    let mut counts = Vec::new();
    for row in &rows {
        let name = row[0].trim_matches(['|', ' ', '`']);
        place.carom(&["run", "bouncing-ball", "--method", name, "--out", name]).code(0);
        let report: Value = place.json(&format!("{name}/run.json"));
        let number = |value: &Value| value.as_f64().expect("a number");
        let changes = &report["impact_energy"];
        for (written, key) in [(row[1], "mean"), (row[2], "worst")] {
            assert!(agrees(written, number(&changes[key])), "{name}: {key} {written} is {}", changes[key]);
        }
        let energy = ["initial", "final"].map(|key| number(&report["energy"][key]));
        assert_eq!(number(&report["t"]).round(), 20.0);
        let bounces = report["impacts"].as_u64().expect("a count");
        counts.push(bounces);
        if row[3].starts_with("at rest") {
            assert!(
                row[3].contains(&format!("after {bounces} bounces")) && energy[1].abs() < 1e-5,
                "{name}: {energy:?}"
            );
            assert_eq!(number(&report["final"]["v"][0]), 0.0);
        } else {
            assert!((energy[1] - energy[0]).abs() < 1e-13, "{name}: {energy:?}");
            assert!(row[3].starts_with("the same") || row[3].starts_with(&format!("{bounces} bounces")), "{name}");
        }
    }
    // The last one is the same as the one before it.
    assert_eq!(counts[1], counts[2]);
    // Control.
    assert!(agrees("−0.39 J", -0.391) && !agrees("−0.39 J", -0.40) && !agrees("−2e-15 J", -2.6e-15));
}
