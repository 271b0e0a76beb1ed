//! Pages of scenes and methods; angles in one unit.

use carom::method::AnyMethod;
use carom_io::catalogue::{MethodPage, Parameter, ScenePage};
use carom_io::document::Source;
use carom_io::scene::{BUILT_IN, BuiltIn, Scene};

fn page(name: &str) -> ScenePage {
    ScenePage::of(BuiltIn::named(name).expect("a scene")).expect("a good scene")
}

#[test]
fn the_page_of_a_scene_has_what_its_file_says() {
    let cradle = page("newtons-cradle");
    let keys: Vec<&str> = cradle.parameters.iter().map(|parameter| parameter.key.as_str()).collect();
    let names = ["balls", "lifted", "angle", "radius", "length", "mass", "g"];
    assert_eq!(keys, names.map(|name| format!("parameters.{name}")));
    let angle = &cradle.parameters[2];
    assert_eq!((angle.written.as_str(), angle.value), ("-pi/5", -std::f64::consts::PI / 5.0));
    assert!(angle.meaning.as_ref().is_some_and(|meaning| meaning.starts_with("rad, ")));
    assert_eq!((cradle.method, cradle.steps, cradle.until), ("gvi", 2000, 20.0));
    assert_eq!(cradle.other_methods, ["vci", "cva", "spook"]);
    assert!(cradle.papers[0].text.starts_with("Danny M. Kaufman and Dinesh K. Pai. "));
    assert_eq!(page("andrews").parameters[1].meaning.as_deref(), Some("spring constant"));
    assert_eq!(page("kepler").parameters[0].meaning, None);
}

#[test]
fn the_pages_of_methods_name_every_option_with_default_and_meaning() {
    for method in AnyMethod::all() {
        let page = MethodPage::of(&method).expect("good scenes");
        let options = serde_json::to_value(&method).expect("options");
        for (key, default) in options.as_object().expect("a table") {
            let option = page.options.iter().find(|option| option.key == *key);
            let option = option.unwrap_or_else(|| panic!("{}: {key} is missing", page.name));
            assert_eq!(option.default, *default, "{}: {key}", page.name);
        }
        for option in &page.options {
            assert!(!option.meaning.is_empty(), "{}: {}", page.name, option.key);
            assert!(
                option.choices.iter().all(|choice| !choice.meaning.is_empty()),
                "{}: {}",
                page.name,
                option.key
            );
        }
        assert!(!page.commands.is_empty());
    }
    let gvi = MethodPage::of(&AnyMethod::named("gvi").expect("gvi")).expect("good scenes");
    let values = |key: &str| -> Vec<&str> {
        let option = gvi.options.iter().find(|option| option.key == key).expect("an option");
        option.choices.iter().map(|choice| choice.value.as_str()).collect()
    };
    assert_eq!(values("energy"), ["\"hamiltonian\"", "\"shadow\"", "\"discrete\""]);
    assert!(gvi.scenes.contains(&"newtons-cradle") && !gvi.scenes.contains(&"kepler"));
    let spook = MethodPage::of(&AnyMethod::named("spook").expect("spook")).expect("good scenes");
    let solver = spook.options.iter().find(|option| option.key == "solver").expect("an option");
    assert!(solver.choices.iter().any(|choice| choice.value.starts_with("{ pgs = { sweeps = 100")));
}

/// Whether a parameter is an angle, by its name or by what is said of it.
fn is_angle(parameter: &Parameter) -> bool {
    let name = parameter.key.trim_start_matches("parameters.").to_lowercase();
    let named = ["angle", "theta", "phi", "alpha", "tilt", "lean", "yaw", "pitch", "roll"];
    let said = parameter.meaning.as_deref().unwrap_or_default();
    named.iter().any(|word| name.starts_with(word))
        || ["angle", "degree", "°"].iter().any(|word| said.contains(word))
}

/// What is wrong with a parameter that is an angle.
fn misstated(parameter: &Parameter) -> Option<String> {
    let fine = parameter.meaning.as_ref().is_some_and(|said| said.starts_with("rad, "));
    let turns = parameter.value.abs() <= 2.0 * std::f64::consts::PI;
    (is_angle(parameter) && !(fine && turns)).then(|| format!("{parameter:?}"))
}

#[test]
fn every_angle_of_every_scene_is_in_radians_and_says_so() {
    let mut angles = 0;
    for built_in in BUILT_IN {
        for parameter in page(built_in.name).parameters {
            angles += usize::from(is_angle(&parameter));
            assert_eq!(misstated(&parameter), None, "{}", built_in.name);
        }
        // Where an angle is used nothing converts it.
        let used = built_in.text.split_once("[parameters]").map_or("", |(_, after)| after);
        let used = used.split_once("\n[").map_or("", |(_, after)| after);
        assert!(!used.contains("pi/180") && !used.contains("180/pi"), "{}", built_in.name);
    }
    assert!(angles >= 12, "{angles}");
    // Control.
    let degrees = Parameter {
        key: "parameters.angle".into(),
        value: 60.0,
        written: "60.0".into(),
        meaning: Some("degrees from the lowest place".into()),
    };
    assert!(misstated(&degrees).is_some());
    assert!(misstated(&Parameter { meaning: None, value: 1.0, ..degrees.clone() }).is_some());
    assert!(misstated(&Parameter { meaning: Some("rad, at rest".into()), ..degrees }).is_some());
}

#[test]
fn the_chain_and_the_pendulum_start_where_they_started_in_degrees() {
    let read = |name: &str, sets: &[&str]| {
        let edits: Vec<_> = sets.iter().map(|set| carom_io::document::Edit::set(set)).collect();
        let source = Source::new(name, BuiltIn::named(name).expect("a scene").text);
        Scene::read(name, &source, &edits).unwrap_or_else(|found| panic!("{found:?}")).problem.initial.q
    };
    let turned = 60.0 * std::f64::consts::PI / 180.0;
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&read("pendulum-penalty", &[])), bits(&[turned.sin(), -turned.cos()]));
    let chain = read("heavy-chain", &["parameters.links=2", "parameters.angle=60*pi/180"]);
    let expected = [0.1 * turned.sin(), -0.1 * turned.cos(), 0.1 * 2.0 * turned.sin(), -(0.1 * 2.0) * turned.cos()];
    assert_eq!(bits(&chain), bits(&expected));
}
