//! Quantities and figures of the motion inside steps, against numbers of an implementation of its own of Muehlebach et al.

use std::sync::atomic::AtomicBool;

use carom::observe::{Frame, Observer};
use carom_io::document::Source;
use carom_io::experiment::{Choice, Experiment, Found};

struct Nobody;

impl Observer for Nobody {
    fn observe(&mut self, _: &Frame) -> Result<(), String> {
        Ok(())
    }
}

const REFERENCE: &str = "reference = { method = { name = \"galerkin\", degree = 9 }, step = 0.1 }\ngrid = 0.01\n";

/// An experiment with one run and a claim for every quantity.
fn text(run: &str, quantities: &[&str]) -> String {
    let mut text = format!("title = \"Test\"\n[[run]]\nname = \"run\"\n{run}\n");
    for (place, quantity) in quantities.iter().enumerate() {
        text += &format!("[[claim]]\nid = \"c{place}\"\nclaim = \"It is so.\"\nmeasured = \"run.{quantity}\"\n");
        text += "holds = { at_most = 1 }\nexpected = \"holds\"\nreason = \"It is.\"\n";
    }
    text
}

fn read(text: &str) -> Result<Experiment, String> {
    Experiment::read(None, "test", Source::new("test.toml", text)).map_err(|found| found[0].message.clone())
}

fn made(experiment: &Experiment) -> Vec<Found> {
    let (stop, choice) = (AtomicBool::new(false), Choice::default());
    let run =
        |job: &carom_io::experiment::Job| job.run(&mut Nobody, &stop).unwrap_or_else(|found| panic!("{found:#?}"));
    experiment.jobs(&choice).iter().map(run).collect()
}

/// The values of quantities of a run.
fn values(run: &str, quantities: &[&str]) -> Vec<Result<f64, String>> {
    let experiment = read(&text(run, quantities)).unwrap_or_else(|message| panic!("{run}: {message}"));
    let (found, choice) = (made(&experiment), Choice::default());
    let judged = experiment.judge(&choice, &found);
    judged.into_iter().map(|judged| judged.finding.map(|finding| finding.values[0])).collect()
}

/// That quantities of a run have these values, to a part in a million.
fn check(run: &str, expected: &[(&str, f64)]) {
    let names: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
    for ((name, expected), found) in expected.iter().zip(values(run, &names)) {
        let found = found.unwrap_or_else(|reason| panic!("{run}: {name}: {reason}"));
        assert!((found / expected - 1.0).abs() < 1e-6, "{run}: {name} is {found:e}, not {expected:e}");
    }
}

fn polar(method: &str, until: f64, more: &str) -> String {
    format!("scene = \"pendulum-polar\"\nmethod = {{ name = \"galerkin\", {method} }}\nuntil = {until:?}\n{more}")
}

#[test]
fn errors_with_jumps() {
    let step = format!("step = 0.3\n{REFERENCE}");
    check(
        &polar("degree = 2, points = 12", 15.0, &step),
        &[
            ("rms_grid_q", 0.0012378653376344461),
            ("rms_grid_p", 0.014194922493533246),
            ("rms_ansatz_q", 0.0011242024549280726),
            ("rms_ansatz_p", 0.015592856732290659),
            ("rms_nodes_q", 2.7338401541600576e-05),
            ("rms_nodes_p", 0.0001344013481995023),
            ("rms_best_q", 0.000723231385736007),
            ("rms_best_p", 0.01003842583254798),
        ],
    );
    check(
        &polar("degree = 2, quadrature = \"rectangle\", points = 3000", 15.0, &step),
        &[
            ("rms_grid_q", 0.0012380020914639991),
            ("rms_grid_p", 0.014035784096642655),
            ("rms_ansatz_q", 0.0011300748854441098),
            ("rms_ansatz_p", 0.015449901625805276),
            ("rms_nodes_q", 0.00010173745436839082),
            ("rms_nodes_p", 0.00013087642571045158),
        ],
    );
}

#[test]
fn errors_with_continuous_coordinates() {
    let step = format!("step = 0.3\n{REFERENCE}");
    check(
        &polar("degree = 2, points = 12, continuity = \"continuous\"", 15.0, &step),
        &[
            ("rms_grid_q", 0.001526980338244542),
            ("rms_grid_p", 0.11444462652202043),
            ("rms_ansatz_q", 0.0015272557084931324),
            ("rms_ansatz_p", 0.11390657584997065),
            ("rms_nodes_q", 0.0007582143606912087),
            ("rms_nodes_p", 0.004936931477732597),
        ],
    );
}

#[test]
fn errors_of_the_continuous_motion() {
    let with = |degree: u32, step: f64| {
        let more = "reference = { method = { name = \"galerkin\", degree = 9 }, step = 0.075 }";
        polar(&format!("degree = {degree}, points = 12"), 2.4, &format!("step = {step:?}\n{more}"))
    };
    let both = |q: f64, p: f64| [("rms_continuous_q", q), ("rms_continuous_p", p)];
    check(&with(1, 0.15), &both(0.0006464645141713881, 0.0031449058412985234));
    check(&with(2, 0.3), &both(0.00014382495614321882, 0.0015950183029820803));
    check(&with(3, 0.3), &both(9.712084473200048e-06, 0.00013471757379392927));
}

#[test]
fn errors_with_a_constraint() {
    let run = format!(
        "scene = \"pendulum-cartesian\"\nmethod = {{ name = \"galerkin\", degree = 2 }}\nstep = 0.3\nuntil = 15.0\n\
         set = [\"lagrangian.equalities.0.expression=x^2 + y^2 - l^2\"]\n{REFERENCE}"
    );
    check(
        &run,
        &[
            ("rms_grid_q", 0.013141928686777212),
            ("rms_grid_p", 0.0692718230302282),
            ("rms_nodes_q", 0.0012212111452446035),
            ("rms_nodes_p", 0.004515603433175472),
            ("max_equality_inside", 0.18191693368053752),
        ],
    );
    let residual = values(&run, &["balance_residual"]).remove(0).expect("a residual");
    assert!(residual < 1e-11, "{residual}");
}

#[test]
fn the_energy_balance_of_steps() {
    let check_change = |degree: u32, change: f64, range: f64| {
        let run = polar(&format!("degree = {degree}, points = 16"), 15.0, "step = 0.3");
        check(&run, &[("balance_change", change), ("balance_range", range)]);
        let residual = values(&run, &["balance_residual"]).remove(0).expect("a residual");
        assert!(residual < 1e-12, "degree {degree}: {residual}");
    };
    check_change(0, 12.432022979287488, 16.714361246561303);
    check_change(1, 0.3325393604917899, 0.3735558022074237);
    check_change(2, 0.00795313008558729, 0.008257508886826415);
    check_change(3, 7.277236601943571e-05, 8.699556720159762e-05);
    check(&polar("degree = 1", 15.0, "step = 0.3"), &[("balance_residual", 0.00457987071581023)]);
    check(&polar("degree = 2", 15.0, "step = 0.3"), &[("balance_residual", 0.00010750531231984439)]);
    let rectangles = polar("degree = 2, quadrature = \"rectangle\", points = 3000", 15.0, "step = 0.3");
    check(&rectangles, &[("balance_residual", 0.0038463190863371466)]);
}

#[test]
fn jumps_beside_errors() {
    let with = |degree: u32, step: f64| {
        let more = "reference = { method = { name = \"galerkin\", degree = 9 }, step = 0.075 }";
        let more = format!("step = {step:?}\nmomentum_scale = 8.858893836140041\n{more}");
        polar(&format!("degree = {degree}, points = 12"), 2.4, &more)
    };
    let all = |rms: f64, correlation: f64, least: f64, most: f64| {
        [("jump_rms", rms), ("jump_correlation", correlation), ("jump_ratio_min", least), ("jump_ratio_max", most)]
    };
    check(&with(1, 0.3), &all(0.08012389076929986, 0.9743673829228161, 0.34064726931868344, 0.405837700925836));
    check(&with(2, 0.3), &all(0.006295696976129904, 0.9976370019972117, 0.26576134785541977, 0.33976299826822765));
    check(
        &with(2, 0.075),
        &all(0.00010150377725171174, 0.999710726713655, 0.28128137914710133, 0.30588366871358325),
    );
}

#[test]
fn what_a_quantity_needs_is_asked_for() {
    let run = polar("degree = 2", 3.0, "step = 0.3");
    let message = |quantity: &str, run: &str| read(&text(run, &[quantity])).err().expect("refused");
    assert!(message("rms_nodes_q", &run).contains("`run.rms_nodes_q` needs the key `reference` of [[run]] `run`"));
    assert!(message("jump_correlation", &run).contains("needs the key `reference`"));
    let referred = format!("{run}\nreference = {{ step = 0.1 }}");
    assert!(message("rms_grid_q", &referred).contains("needs the key `grid`"));
    assert!(message("rms_grid_q", &format!("{referred}\ngrid = 0")).contains("positive"));
    let reason = |quantity: &str, run: &str| values(run, &[quantity]).remove(0).unwrap_err();
    let other = format!("{run}\nreference = {{ step = 0.2 }}");
    assert!(reason("rms_nodes_q", &other).contains("the step 0.2 of the reference does not divide the step 0.3"));
    let other = format!("{run}\nreference = {{ method = \"midpoint\", step = 0.1 }}");
    assert!(reason("rms_nodes_q", &other).contains("does not know the motion inside its steps"));
    let plain = "scene = \"pendulum-polar\"\nmethod = \"midpoint\"\nuntil = 3.0";
    for quantity in ["balance_residual", "jump_rms", "max_equality_inside"] {
        assert!(reason(quantity, plain).contains("has no meaning for what was run"), "{quantity}");
    }
    let defect = values(plain, &["symplectic_defect"]).remove(0).expect("a defect");
    assert!(defect < 1e-9, "{defect}");
}

#[test]
fn curves_inside_steps_are_broken_at_nodes() {
    let run = polar("degree = 2", 3.0, "step = 0.3");
    let panel = |keys: &str| {
        let figure =
            format!("[[figure]]\nname = \"f\"\ntitle = \"F\"\npanels = [{{ runs = [\"run\"], {keys} }}]\n");
        text(&run, &["rise"]) + &figure
    };
    let drawn = |keys: &str| {
        let experiment = read(&panel(keys)).unwrap_or_else(|message| panic!("{keys}: {message}"));
        let found = made(&experiment);
        experiment.draw(false, &found).remove(0).1.to_svg()
    };
    // A line of each of the ten steps, beside what the axes are made of.
    let pieces = |svg: &str| svg.matches('M').count();
    let (inside, nodes) = (drawn("x = \"ansatz_q[0]\", y = \"ansatz_p[0]\""), drawn("x = \"q[0]\", y = \"p[0]\""));
    assert_eq!(pieces(&inside), pieces(&nodes) + 9);
    assert!(drawn("y = \"ansatz_energy\"").contains("energy"));
    assert!(drawn("y = \"jump\", log = true").contains("jump"));
    let message = |keys: &str| read(&panel(keys)).err().expect("refused");
    assert!(message("x = \"q[0]\", y = \"ansatz_p[0]\"").contains("one of `x` and `y` is of nodes"));
    assert!(message("y = \"ansatz_error\"").contains("needs the key `reference`"));
    let experiment = read(&panel("y = \"constraint_force[0]\"")).unwrap_or_else(|message| panic!("{message}"));
    let stop = AtomicBool::new(false);
    let wrong = experiment.jobs(&Choice::default())[0].run(&mut Nobody, &stop).err().expect("refused");
    assert!(wrong[0].message.contains("has 0 equality constraints"), "{}", wrong[0].message);
}
