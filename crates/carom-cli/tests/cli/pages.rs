//! `methods NAME`, `scenes NAME`, the width of lists, and names that are misspelt.

use carom::method::AnyMethod;
use carom_io::scene::BUILT_IN;

use crate::{Ended, Place};

/// Columns of a terminal.
const WIDTH: usize = 100;

fn assert_fits(what: &str, text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= WIDTH, "{what}: {line}");
    }
    assert!(!text.is_empty(), "{what}");
}

#[test]
fn lists_pages_and_helps_fit_a_terminal() {
    let place = Place::new();
    let lists = [&["scenes"][..], &["methods"], &["reproduce", "--list"], &["solve", "--solvers"], &["--help"]];
    for arguments in lists {
        assert_fits(&format!("{arguments:?}"), &place.carom(arguments).code(0).out);
    }
    let help = place.carom(&["--help"]).code(0).out;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = commands.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    let mut count = 0;
    // `help` is clap's own, and has none.
    for command in names.filter(|name| *name != "help") {
        assert_fits(command, &place.carom(&[command, "--help"]).code(0).out);
        count += 1;
    }
    assert!(count >= 13, "{count} commands");
    for scene in BUILT_IN {
        assert_fits(scene.name, &place.carom(&["scenes", scene.name]).code(0).out);
    }
    for method in AnyMethod::all() {
        assert_fits(method.name(), &place.carom(&["methods", method.name()]).code(0).out);
    }
}

#[test]
fn a_method_has_a_page() {
    let place = Place::new();
    let page = place.carom(&["methods", "gvi"]).code(0).out;
    for words in [
        "gvi: geometric integration",
        "order      2; between impacts",
        "refuses    nonholonomic rows, friction",
        "  reflection = \"generalized\"\n      The impact law.",
        "\"moreau\"          All contacts that do not separate at once",
        "kaufman-pai-2012: Danny M. Kaufman and Dinesh K. Pai.",
        "newtons-cradle",
        "carom cite gvi",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
    let data = place.carom(&["methods", "gvi", "--json"]).code(0).json();
    assert_eq!((&data["name"], &data["claims"]["order"]), (&"gvi".into(), &2.into()));
    assert_eq!(data["options"][0]["key"], "rule");
}

#[test]
fn a_scene_has_a_page_whose_commands_run() {
    let place = Place::new();
    let page = place.carom(&["scenes", "newtons-cradle"]).code(0).out;
    for words in [
        "newtons-cradle: Newton's cradle\n",
        "  Equal balls on rods of equal length",
        "parameters.balls   5\n",
        "parameters.angle   -pi/5 = -0.628319  rad, of the lifted balls from straight down\n",
        "run.step   0.01\n",
        "others that take the scene: vci, cva, spook",
        "10 coordinates, 5 equality constraints, 4 inequality constraints",
        "carom run newtons-cradle --set parameters.balls=10 --out runs/newtons-cradle-balls\n",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
    for scene in BUILT_IN {
        let data = place.carom(&["scenes", scene.name, "--json"]).code(0).json();
        let commands = data["commands"].as_array().expect("an array");
        let commands: Vec<&str> = commands.iter().map(|command| command.as_str().expect("a command")).collect();
        assert!(commands.len() >= 4 && commands[0] == format!("carom run {}", scene.name), "{commands:?}");
        let mut folders = Vec::new();
        for command in commands.iter().filter_map(|command| command.strip_prefix("carom run ")) {
            let (arguments, folder) = command.split_once(" --out ").unwrap_or((command, "default"));
            assert!(!folders.contains(&folder), "{command} overwrites another run");
            folders.push(folder);
            // Everything but the steps of the run.
            place.carom(&[&["check"][..], &arguments.split(' ').collect::<Vec<_>>()].concat()).code(0);
        }
    }
}

/// A command that was refused, with the name that it should have had.
fn refused(place: &Place, arguments: &[&str], meant: &str) -> Ended {
    let ended = place.carom(arguments).code(2);
    assert!(ended.err.contains(&format!("did you mean {meant}?")), "{ended:?}");
    ended
}

#[test]
fn a_misspelt_name_is_answered_with_the_one_that_was_meant() {
    let place = Place::new();
    for command in ["run", "check", "order", "show", "cite", "scenes"] {
        let ended = refused(&place, &[command, "keplr"], "`kepler`");
        assert!(ended.err.contains("`carom scenes`") || ended.err.contains("carom scenes"), "{ended:?}");
        assert!(ended.err.lines().all(|line| line.chars().count() <= 200), "no list of all scenes: {ended:?}");
    }
    refused(&place, &["sweep", "keplr", "--vary", "run.step=1,2"], "`kepler`");
    refused(&place, &["run", "cradle"], "`newtons-cradle`");
    refused(
        &place,
        &["run", "pendulum"],
        "`double-pendulum`, `double-pendulum-rods`, `driven-pendulum`, `elastic-pendulum` or `pendulum-penalty`",
    );
    // Files of one's own, and built-in scenes that were taken for files.
    place.write("bead.toml", "");
    refused(&place, &["run", "baed.toml"], "`bead.toml`");
    refused(&place, &["check", "bead"], "`bead.toml`");
    refused(&place, &["run", "kepler.toml"], "`kepler`");
    refused(&place, &["run", "no/such/kepler.toml"], "`kepler`");
    refused(&place, &["run", "kepler", "--method", "verlt"], "`verlet`");
    refused(&place, &["methods", "verlt"], "`verlet`");
    refused(&place, &["cite", "verlt"], "`verlet`");
    refused(&place, &["reproduce", "fetecu"], "`fetecau`");
    refused(&place, &["reproduce", "fetecau/fig5"], "`fig-5`");
    refused(&place, &["reproduce", "fetecau", "--only", "symplctic"], "`symplectic`");
    refused(&place, &["solve", "a.json", "--solver", "newtn"], "`newton`");
    for command in ["methods", "scenes"] {
        let report = place.carom(&[command, "nothing", "--json"]).code(2).json();
        assert_eq!((&report["valid"], &report["problems"][0]["file"]), (&false.into(), &"nothing".into()));
    }
}
