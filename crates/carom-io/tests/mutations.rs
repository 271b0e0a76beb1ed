//! Changes of experiments: mutations that give other verdicts, other starts, other horizons and thresholds.

use std::sync::atomic::AtomicBool;

use carom::observe::{Frame, Observer};
use carom_io::document::Source;
use carom_io::experiment::{Choice, Criterion, Experiment, Threshold, Verdict};

/// An oscillator by two methods, of which one is not symplectic.
const TEXT: &str = r#"title = "One oscillator"
[[run]]
name = "free"
scene = "harmonic-oscillator"
method = "verlet"
step = 0.1
until = 100.0
[[run]]
name = "driven"
scene = "harmonic-oscillator"
method = { name = "newmark", gamma = 0.51 }
step = 0.1
until = 100.0
[[claim]]
id = "bounded"
claim = "The energy stays bounded."
measured = "free.range_exponent"
holds = { at_most = 0.25 }
expected = "holds"
reason = "The method is symplectic."
[[claim]]
id = "drifts"
claim = "The energy drifts."
measured = "driven.range_growth"
holds = { between = [1.1, 2.5] }
expected = "holds"
reason = "The method is not symplectic."
[[claim]]
id = "length"
claim = "The run is as long as it is written."
measured = "free.t"
holds = { near = 100, within = 1 }
expected = "holds"
reason = "It is."
[[mutation]]
name = "damped"
what = "A method that is not symplectic."
runs = ["free"]
set = ["method={ name = 'newmark', gamma = 0.51 }"]
flips = ["bounded"]
[[start]]
name = "far"
what = "From twice the distance."
set = ["initial.q=[2.0, 0.0]"]
"#;

struct Nobody;

impl Observer for Nobody {
    fn observe(&mut self, _: &Frame) -> Result<(), String> {
        Ok(())
    }
}

fn read(text: &str) -> Experiment {
    let read = Experiment::read(None, "test", Source::new("test.toml", text));
    read.unwrap_or_else(|found| panic!("{found:#?}"))
}

fn verdicts(experiment: &Experiment, choice: &Choice) -> Vec<(String, Result<Verdict, String>)> {
    let stop = AtomicBool::new(false);
    let found: Vec<_> = experiment
        .jobs(choice)
        .iter()
        .map(|job| job.run(&mut Nobody, &stop).unwrap_or_else(|found| panic!("{found:#?}")))
        .collect();
    let judged = experiment.judge(choice, &found);
    judged.into_iter().map(|j| (j.claim.id.clone(), j.finding.map(|finding| finding.verdict))).collect()
}

#[test]
fn a_mutation_changes_the_runs_that_it_names_and_no_others() {
    let experiment = read(TEXT);
    let all = |experiment: &Experiment| {
        verdicts(experiment, &Choice::default()).into_iter().map(|(_, v)| v.expect("a verdict")).collect::<Vec<_>>()
    };
    assert_eq!(all(&experiment), [Verdict::Holds; 3]);
    let changed = experiment.changed(&experiment.mutations[0], false).expect("changed");
    assert_eq!(all(&changed), [Verdict::DoesNotHold, Verdict::Holds, Verdict::Holds]);
    // A change that names no run is one of all runs that take it.
    let started = experiment.changed(&experiment.starts[0], false).expect("changed");
    assert_eq!(all(&started), [Verdict::Holds; 3]);
}

#[test]
fn stretched_runs_are_longer() {
    let experiment = read(TEXT).stretched(2.0).expect("stretched");
    let found = verdicts(&experiment, &Choice::default());
    assert_eq!(found[2], ("length".into(), Ok(Verdict::DoesNotHold)));
}

#[test]
fn a_change_that_a_named_run_does_not_take_is_an_error_with_its_place() {
    let wrong = read(&TEXT.replace("'newmark', gamma = 0.51 }\"]", "'newmark', gama = 0.51 }\"]"));
    let problems = wrong.changed(&wrong.mutations[0], false).err().expect("refused");
    assert!(problems[0].position.is_some() && problems[0].source == "test.toml", "{problems:?}");
    for (from, to, message) in [
        ("flips = [\"bounded\"]", "flips = [\"bound\"]", "there is no claim `bound`"),
        ("runs = [\"free\"]", "runs = [\"fre\"]", "there is no run `fre`"),
        ("flips = [\"bounded\"]\n", "", "this key is missing"),
        ("name = \"far\"", "name = \"far\"\nflips = []", "unknown key of `start[0]`"),
    ] {
        let found = Experiment::read(None, "test", Source::new("test.toml", TEXT.replace(from, to)));
        let found = found.err().expect("refused");
        assert!(found.iter().any(|problem| problem.message.contains(message)), "{message}: {found:?}");
    }
}

#[test]
fn thresholds_are_halved_and_doubled() {
    let both = |criterion: Criterion| [Threshold::Half, Threshold::Double].map(|by| criterion.scaled(by));
    assert_eq!(both(Criterion::AtMost(3.0)), [Some(Criterion::AtMost(1.5)), Some(Criterion::AtMost(6.0))]);
    assert_eq!(both(Criterion::AtLeast(-1.0)), [Some(Criterion::AtLeast(-0.5)), Some(Criterion::AtLeast(-2.0))]);
    assert_eq!(
        both(Criterion::Between(1.0, 3.0)),
        [Some(Criterion::Between(1.5, 2.5)), Some(Criterion::Between(0.0, 4.0))]
    );
    assert_eq!(both(Criterion::Near(5.0, 2.0)), [Some(Criterion::Near(5.0, 1.0)), Some(Criterion::Near(5.0, 4.0))]);
    assert_eq!(both(Criterion::AtMost(0.0)), [None, None]);
}

/// Orbits whose claim has a parameter of their scene in it.
const ORBIT: &str = r#"title = "One orbit"
[[run]]
name = "orbit"
scene = "kepler"
step = 0.1
until = 5.0
recurs = { expression = "parameters.eccentricity + 0*q[0]", at_least = 0.7, within = 1.0 }
[[claim]]
id = "eccentric"
claim = "The orbit has the eccentricity 0.8."
measured = "orbit.parameters.eccentricity"
holds = { near = 0.8, within = 1e-12 }
expected = "does not hold"
reason = "It has 0.6."
[[claim]]
id = "comes-again"
claim = "It is at least 0.7 all the time."
measured = "orbit.recurs_until"
holds = { at_least = 4.9 }
expected = "does not hold"
reason = "It has 0.6."
[[mutation]]
name = "eccentric"
what = "An orbit of that eccentricity."
set = ["parameters.eccentricity=0.8"]
flips = ["eccentric", "comes-again"]
"#;

#[test]
fn a_parameter_in_an_expression_is_that_of_the_run() {
    let experiment = read(ORBIT);
    let all = |experiment: &Experiment| -> Vec<Verdict> {
        verdicts(experiment, &Choice::default()).into_iter().map(|(_, v)| v.expect("a verdict")).collect()
    };
    assert_eq!(all(&experiment), [Verdict::DoesNotHold; 2]);
    assert_eq!(all(&experiment.changed(&experiment.mutations[0], false).expect("changed")), [Verdict::Holds; 2]);
    let unknown = read(&ORBIT.replace("orbit.parameters.eccentricity", "orbit.parameters.size"));
    let found = verdicts(&unknown, &Choice::default()).remove(0).1.expect_err("no verdict");
    assert!(found.contains("the scene has no `parameters.size`"), "{found}");
}

#[test]
fn what_is_no_number_comes_again_never_and_gives_no_verdict() {
    let broken = read(&ORBIT.replace("0*q[0]", "sqrt(-1 - q[0]^2)"));
    let found = verdicts(&broken, &Choice::default()).remove(1).1.expect_err("no verdict");
    assert!(found.contains("the expression of `recurs` is NaN at t = 0"), "{found}");
}

#[test]
fn what_belongs_to_a_claim_is_not_varied() {
    let fixed = read(&ORBIT.replace("id = \"eccentric\"", "id = \"eccentric\"\nfixed = [\"threshold\", \"time\"]"));
    assert!(!fixed.claims[0].may_stretch() && fixed.claims[1].may_stretch());
    let stop = AtomicBool::new(false);
    let choice = Choice::default();
    let found: Vec<_> = fixed.jobs(&choice).iter().map(|job| job.run(&mut Nobody, &stop).expect("a run")).collect();
    let judged = fixed.judge(&choice, &found);
    let at = |place: usize| {
        let finding = judged[place].finding.as_ref().expect("a finding");
        fixed.claims[place].verdict_at(finding, Threshold::Double)
    };
    assert_eq!((at(0), at(1)), (None, Some(Verdict::DoesNotHold)));
}
