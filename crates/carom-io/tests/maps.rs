//! Maps, statistics of ensembles and states after impacts in experiments, and all quantities in the manual.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use carom::observe::{Frame, Observer};
use carom_io::document::{Diagnostic, Source};
use carom_io::experiment::{
    Choice, Experiment, Found, Judgement, MAP_QUANTITIES, ORDER_QUANTITIES, RUN_QUANTITIES, SOLVE_QUANTITIES,
    STATE_QUANTITIES, STATISTICS,
};

struct Silent;

impl Observer for Silent {
    fn observe(&mut self, _: &Frame) -> Result<(), String> {
        Ok(())
    }
}

const MAP: &str = r#"
title = "Regions"

[[map]]
name = "regions"
scene = "double-pendulum-wall"
at = [[-0.5235987755982988, 0.0], [-0.2, -0.7295162906103325]]
labels = ["straight", "bent"]
contact = "wall"
window = [[-3.2, 3.2], [-3.2, 3.2]]
cells = 60

[[claim]]
id = "share"
claim = "N is a part of the outside."
measured = "regions.fraction_n"
holds = { between = [0.3, 0.7] }
expected = "holds"
reason = "It is."

[[figure]]
name = "regions"
title = "Regions"
columns = 2
panels = [{ map = "regions", x_label = "first", y_label = "second" }]
"#;

const BOUNCES: &str = r#"
title = "Bounces"

[[run]]
name = "heights"
scene = "bouncing-particle"
method = "cva"
vary = "parameters.height=0.5,1.0,2.0"
after_impacts = [1, 2]
until = 3.0

[[claim]]
id = "spread"
claim = "Starts differ."
measured = "heights.std.energy_initial"
holds = { at_least = 1 }
expected = "holds"
reason = "They do."

[[claim]]
id = "mean"
claim = "And their mean."
measured = "heights.mean.energy_initial - heights.energy_initial"
holds = { at_least = -100 }
expected = "holds"
reason = "As well."

[[claim]]
id = "second"
claim = "The second impact comes after three times the time of the first."
measured = "heights.after1.t/heights.after0.t"
holds = { near = 3, within = 0.1 }
expected = "holds"
reason = "Up and down take as long as each other."
"#;

fn read(text: &str) -> Result<Experiment, Vec<Diagnostic>> {
    Experiment::read(None, "test", Source::new("test.toml", text))
}

fn good(text: &str) -> Experiment {
    read(text).unwrap_or_else(|found| panic!("{found:?}"))
}

fn made(experiment: &Experiment) -> Vec<Found> {
    let stop = AtomicBool::new(false);
    let jobs = experiment.jobs(&Choice::default());
    jobs.iter().map(|job| job.run(&mut Silent, &stop).unwrap_or_else(|found| panic!("{found:?}"))).collect()
}

fn values(judged: &[Judgement], id: &str) -> Vec<f64> {
    let found = judged.iter().find(|judgement| judgement.claim.id == id).expect("a claim");
    found.finding.as_ref().expect("a finding").values.clone()
}

fn refused(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    let found = read(&text.replace(from, to)).err().expect("refused");
    found.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_map_has_a_value_and_a_plot_of_every_configuration() {
    let experiment = good(MAP);
    let found = made(&experiment);
    let choice = Choice::default();
    let judged = experiment.judge(&choice, &found);
    let shares = values(&judged, "share");
    // Sixty cells a side see the shares of the fine grid to two digits.
    assert!((shares[0] - 0.579).abs() < 0.02 && (shares[1] - 0.4285).abs() < 0.02, "{shares:?}");
    let drawn = experiment.draw(false, &found);
    let svg = drawn[0].1.to_svg();
    for text in ["straight", "bent", "first", "second", "N, where P folds over", "evenodd"] {
        assert!(svg.contains(text), "{text}");
    }
    // Outlines, not cells.
    assert!(svg.len() < 60_000, "{}", svg.len());
}

#[test]
fn a_configuration_off_the_boundary_or_of_no_contact_gives_no_verdict() {
    for (from, to, word) in [
        ("[-0.2, -0.7295162906103325]", "[-0.2, -0.7]", "not on the boundary"),
        ("contact = \"wall\"", "contact = \"floor\"", "no contact `floor`"),
        ("cells = 60", "cells = 60\ncoordinates = [0, 2]", "none of number 2"),
    ] {
        let experiment = good(&MAP.replace(from, to));
        let found = made(&experiment);
        let choice = Choice::default();
        let judged = experiment.judge(&choice, &found);
        let reason = judged[0].finding.as_ref().expect_err("no verdict");
        assert!(reason.contains(word), "{reason}");
    }
}

#[test]
fn wrong_maps_are_refused() {
    assert!(
        refused(MAP, "labels = [\"straight\", \"bent\"]", "labels = [\"straight\"]").contains("as many labels")
    );
    assert!(refused(MAP, "window = [[-3.2, 3.2], [-3.2, 3.2]]", "window = [[3.2, -3.2]]").contains("two pairs"));
    assert!(refused(MAP, "cells = 60", "cells = 0").contains("number of cells"));
    assert!(refused(MAP, "map = \"regions\"", "map = \"region\"").contains("no [[map]] `region`"));
    assert!(refused(MAP, "regions.fraction_n", "regions.energy_max").contains("energy_max"));
}

#[test]
fn statistics_are_one_number_of_all_members() {
    let experiment = good(BOUNCES);
    let found = made(&experiment);
    let choice = Choice::default();
    let judged = experiment.judge(&choice, &found);
    // E = g y + 2 for heights 0.5, 1 and 2.
    let heights = [0.5, 1.0, 2.0];
    let mean = heights.iter().sum::<f64>() / 3.0;
    let spread = (heights.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / 2.0).sqrt();
    let std = values(&judged, "spread");
    assert!(std.len() == 1 && (std[0] - 9.81 * spread).abs() < 1e-12, "{std:?}");
    let from_mean = values(&judged, "mean");
    assert_eq!(from_mean.len(), 3);
    assert!((from_mean[0] - 9.81 * (mean - 0.5)).abs() < 1e-12, "{from_mean:?}");
    assert!(values(&judged, "second").iter().all(|ratio| (ratio - 3.0).abs() < 0.1));
    let alone = BOUNCES.replace("vary = \"parameters.height=0.5,1.0,2.0\"\n", "");
    let found = read(&alone).err().expect("refused");
    assert!(found.iter().any(|problem| problem.message.contains("`heights` is no ensemble")), "{found:?}");
    assert!(refused(BOUNCES, "after_impacts = [1, 2]", "after_impacts = [0]").contains("number of impacts"));
    assert!(refused(BOUNCES, "heights.after1.t", "heights.after2.t").contains("after2"));
}

#[test]
fn quantities_are_those_of_the_manual() {
    let manual = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reproduce.md"));
    let manual = manual.expect("docs/reproduce.md");
    for (name, _) in STATISTICS {
        assert!(manual.contains(&format!("`run.{name}.quantity`")), "`{name}` is not in docs/reproduce.md");
    }
    for (name, _) in [RUN_QUANTITIES, STATE_QUANTITIES, ORDER_QUANTITIES, MAP_QUANTITIES, SOLVE_QUANTITIES].concat()
    {
        assert!(manual.contains(&format!("`{name}`")), "`{name}` is not in docs/reproduce.md");
    }
}
