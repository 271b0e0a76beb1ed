//! Convergence studies.

use crate::Place;

fn slopes(study: &serde_json::Value, key: &str) -> Vec<f64> {
    study["levels"].as_array().expect("levels").iter().filter_map(|level| level[key].as_f64()).collect()
}

#[test]
fn slopes_are_those_that_the_method_claims() {
    let place = Place::new();
    let cases = [("verlet", 2.0), ("midpoint", 2.0), ("variational", 1.0)];
    for (method, expected) in cases {
        let mut arguments = vec!["order", "elastic-pendulum", "--until", "1", "--json", "--method", method];
        if method == "variational" {
            arguments.extend(["--set", "method.rule=gamma", "--set", "method.gamma=0.0"]);
        }
        let study = place.carom(&arguments).code(0).json();
        assert_eq!(study["claimed_order"].as_f64(), Some(expected));
        for key in ["slope_q", "slope_p"] {
            let slopes = slopes(&study, key);
            assert_eq!(slopes.len(), 4);
            assert!(slopes.iter().all(|slope| (slope - expected).abs() < 0.1), "{method}: {slopes:?}");
        }
    }
}

#[test]
fn a_run_can_be_the_reference() {
    let place = Place::new();
    let scene = ["double-pendulum", "--until", "1"];
    place.carom(&[&["run"], &scene[..], &["--step", "0.0001", "--quiet", "--out", "fine"]].concat()).code(0);
    let study = [&["order"], &scene[..], &["--reference", "fine", "--levels", "3", "--json"]].concat();
    let slopes = slopes(&place.carom(&study).code(0).json(), "slope_q");
    assert!(slopes.iter().all(|slope| (slope - 2.0).abs() < 0.05), "{slopes:?}");

    let other = place.carom(&["order", "double-pendulum", "--until", "2", "--reference", "fine"]).code(2);
    assert!(other.err.contains("the reference has 2 coordinates at t = 1"), "{other:?}");
    place.carom(&["order", "kepler", "--reference", "nowhere"]).code(2);
    place.carom(&["order", "kepler", "--steps", "0"]).code(2);
}

#[test]
fn the_table_shows_errors_slopes_and_work() {
    let place = Place::new();
    let shown = place
        .carom(&["order", "pendulum-polar", "--method", "midpoint", "--levels", "2", "--until", "3", "--work"])
        .code(0)
        .out;
    assert!(shown.contains("midpoint claims order 2") && shown.contains("linear systems"), "{shown}");
    assert_eq!(shown.lines().filter(|line| line.contains("e-")).count(), 2, "{shown}");
}

/// The places of the markers of a colour, in px: the first pair of numbers of each marker's path.
fn marks(svg: &str, colour: &str) -> usize {
    let filled = format!("fill=\"{colour}\"");
    svg.lines().filter(|line| line.contains(&filled)).map(|line| line.matches('M').count()).sum()
}

#[test]
fn the_figure_shows_every_level_its_slopes_and_the_claimed_order() {
    let place = Place::new();
    let study = ["order", "elastic-pendulum", "--until", "1", "--levels", "4", "--json", "--figure"];
    let slope = |study: &serde_json::Value, key: &str| slopes(study, key).last().map(|slope| format!("{slope:.2}"));
    let json = place.carom(&[&study[..], &["order.svg"]].concat()).code(0).json();
    let svg = place.read("order.svg");
    for (what, key) in [("q", "slope_q"), ("p", "slope_p")] {
        let expected = format!("error in {what}, slope {}", slope(&json, key).expect("a slope"));
        assert!(svg.contains(&expected), "{expected}");
    }
    assert!(svg.contains(">order 2<") && !svg.contains("time / s"), "{svg}");
    // Four levels and the sample in the legend.
    assert_eq!((marks(&svg, "#0072b2"), marks(&svg, "#d55e00")), (5, 5));

    place.carom(&[&study[..], &["work.svg", "--work"]].concat()).code(0);
    assert!(place.read("work.svg").contains("time / s"));
    place.carom(&[&study[..], &["order.png"]].concat()).code(0);
    let png = std::fs::read(place.path("order.png")).expect("written");
    assert!(png.starts_with(b"\x89PNG"));
    let names: Vec<String> = crate::names(&place.0).into_iter().filter(|name| name != "runs").collect();
    assert_eq!(names, ["order.png", "order.svg", "work.svg"]);
    // What was written is said, beside the one document on standard error.
    let said = place.carom(&[&study[..], &["order.svg"]].concat()).code(0);
    assert!(said.json()["levels"].is_array() && said.err == "figure: order.svg\n", "{said:?}");
    let printed: Vec<&str> =
        study.into_iter().filter(|argument| *argument != "--json").chain(["order.svg"]).collect();
    let said = place.carom(&printed).code(0);
    assert!(said.out.ends_with("\nfigure: order.svg\n") && said.err.is_empty(), "{said:?}");

    let wrong = place.carom(&[&study[..], &["order.pdf"]].concat()).code(2);
    assert!(wrong.err.contains("--figure: order.pdf: a figure is written as .svg or .png"), "{wrong:?}");
    let nowhere = place.carom(&[&study[..], &["no/such/folder.svg"]].concat()).code(2);
    assert!(nowhere.err.contains("--figure: no/such/folder.svg"), "{nowhere:?}");
}

#[test]
fn a_study_says_whether_the_claimed_order_is_seen() {
    let place = Place::new();
    let study = |arguments: &[&str]| place.carom(&[&["order"], arguments].concat()).code(0);
    let seen = ["elastic-pendulum", "--until", "1", "--levels", "4"];
    let json = study(&[&seen[..], &["--json"]].concat()).json();
    assert!(
        json["shown"] == true && (json["observed_order"].as_f64().expect("a slope") - 2.0).abs() < 0.1,
        "{json}"
    );
    assert!(study(&seen).out.contains("claims order 2; the last levels show 2.0"), "{}", study(&seen).out);
    // Chaotic for so long that no level is near the motion.
    let unseen = ["double-pendulum", "--until", "200", "--step", "0.1", "--levels", "3"];
    let json = study(&[&unseen[..], &["--json"]].concat()).json();
    assert!(json["shown"] == false && json["observed_order"].as_f64().expect("a slope") < 1.75, "{json}");
    assert!(study(&unseen).out.contains("NOT SHOWN here"), "{}", study(&unseen).out);
}

#[test]
fn levels_that_are_exact_have_no_slope() {
    let place = Place::new();
    let scene = ["elastic-pendulum", "--until", "1"];
    place.carom(&[&["run"], &scene[..], &["--quiet", "--out", "coarse"]].concat()).code(0);
    let study = [&["order"], &scene[..], &["--reference", "coarse", "--levels", "2"]].concat();
    let text = place.carom(&study).code(0).out;
    assert!(!text.contains("inf") && text.contains("fewer than two levels"), "{text}");
    let json = place.carom(&[&study[..], &["--json"]].concat()).code(0).json();
    assert!(json["levels"][1]["slope_q"].is_null() && json["shown"].is_null(), "{json}");
}

#[test]
fn a_level_that_fails_leaves_the_others() {
    let place = Place::new();
    let study = ["order", "double-pendulum", "--step", "1", "--until", "8", "--levels", "7"];
    let json = place.carom(&[&study[..], &["--json"]].concat()).code(0).json();
    let (levels, failed) = (json["levels"].as_array().expect("levels"), json["failed"].as_array().expect("failed"));
    assert!(failed.len() + levels.len() == 7 && !failed.is_empty() && levels.len() >= 2, "{json}");
    assert!(failed[0]["h"] == 1.0 && failed[0]["error"].as_str().expect("words").contains("t = "), "{json}");
    let text = place.carom(&study).code(0).out;
    assert!(text.contains("h = 1, 8 steps, failed: "), "{text}");
}
