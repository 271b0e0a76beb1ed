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
