//! Texts that others wrote reach a terminal without what moves its cursor or turns the direction of writing.

use serde_json::Value;

use crate::Place;

/// A title that clears the screen, colours it, writes from right to left, and goes on in a line of its own.
const TITLE: &str = r"\u001b[2J\u009b31mfine\u202e\u2066\u0007\nrun: complete";

fn scene() -> String {
    format!(
        "title = \"{TITLE}\"\ndescription = \"{TITLE}\"\n[lagrangian]\ncoordinates = [\"x\"]\nmass = 1\npotential = \"x^2\"\n\
         [initial]\nq = {{ x = 1 }}\n[[watch]]\nname = \"{TITLE}\"\nexpression = \"x\"\n[method]\nname = \"verlet\"\n\
         [run]\nstep = 0.01\nsteps = 3\n"
    )
}

/// Whether a terminal shows a text as it is.
fn harmless(text: &str) -> bool {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().all(|c| c == '\n' || !(c.is_control() || turns(c)))
}

#[test]
fn titles_and_names_cannot_move_the_cursor() {
    let place = Place::new();
    let name = "a\u{1b}[31m\u{202e}.toml";
    place.write(name, &scene());
    let wrong = scene().replace("x^2", "x^\u{1b}[0m2\u{202e}").replace("verlet", "verl\\u001b[1m\\u202eet");
    place.write("wrong.toml", &wrong);
    place.write("problem.json", r#"{"name": "\u001b[2J\u202efine", "M": [[1]], "q": [-1]}"#);
    place.write("bad.json", r#"{"\u001b[2J\u202efine": 1, "M": [[1]], "q": [-1]}"#);
    let commands: [(&[&str], i32); 14] = [
        (&["run", name, "--out", "out"], 0),
        (&["run", name, "--out", "out", "--json"], 0),
        (&["check", name], 0),
        (&["check", name, "--json"], 0),
        (&["order", name, "--until", "0.02"], 0),
        (&["sweep", name, "--vary", "run.step=0.01,0.02", "--out", "sweep"], 0),
        (&["check", "wrong.toml"], 2),
        (&["check", "wrong.toml", "--json"], 2),
        (&["check", name, "--set", "title\u{1b}[0m=\u{202e}"], 2),
        (&["run", "nowhere\u{1b}[2J\u{202e}.toml"], 2),
        (&["run", "--resume", "nowhere\u{1b}[2J\u{202e}"], 2),
        (&["solve", "problem.json"], 0),
        (&["solve", "bad.json"], 2),
        (&["reproduce", "nobody\u{1b}[2J\u{202e}"], 2),
    ];
    for (arguments, code) in commands {
        let ended = place.carom(arguments).code(code);
        for text in [&ended.out, &ended.err] {
            assert!(harmless(text), "{arguments:?}: {text:?}");
        }
    }
}

#[test]
fn lines_for_readers_have_100_columns() {
    let place = Place::new();
    let folder = "a-folder-with-a-long-name/below-another-one/that-is-longer/than-any-column";
    place.write(
        "long-problem.json",
        r#"{"name": "a problem with a name of many words, as a sentence has them", "M": [[1]], "q": [-1]}"#,
    );
    let commands: [&[&str]; 9] = [
        &["run", "pogo-stick", "--until", "12.34", "--out", folder],
        &["run", "bouncing-ball", "--method", "spook", "--until", "12.34"],
        &["check", "star-body"],
        &["methods"],
        &["methods", "gvi"],
        &["scenes"],
        &["order", "pogo-stick", "--levels", "3", "--until", "2.4", "--work"],
        &["sweep", "pogo-stick", "--vary", "parameters.g=1,10", "--vary", "method.name=gvi,cva", "--steps", "500"],
        &["solve", "long-problem.json", "--profile"],
    ];
    for arguments in commands {
        let ended = place.carom(arguments).code(0);
        for line in ended.out.lines().chain(ended.err.lines()) {
            // What has no blank is not broken.
            let words = line.split(' ').filter(|word| !word.is_empty()).count();
            assert!(line.chars().count() <= 100 || words == 1, "{arguments:?}: {line}");
        }
    }
    let sweep = place.carom(commands[7]).code(0).out;
    assert_eq!(sweep.matches("parameters.g  method.name").count(), 2, "{sweep}");
}

#[test]
fn json_and_pages_keep_what_a_title_says() {
    let place = Place::new();
    place.write("scene.toml", &scene());
    let printed = place.carom(&["run", "scene.toml", "--out", "out", "--json"]).code(0);
    let title: Value = serde_json::from_str(&format!("\"{TITLE}\"")).expect("a JSON string");
    assert_eq!(printed.json()["watches"][0]["name"], title);
    assert_eq!(printed.json(), place.json("out/run.json"));
    let page = place.read("out/report.html");
    let odd = |c: &char| c.is_control() && *c != '\n' && *c != '\t';
    assert!(!page.chars().any(|c| odd(&c) || c == '\u{202e}'), "{:?}", page.chars().find(odd));
    assert!(page.contains("[2J") && page.contains("fine"));
}
