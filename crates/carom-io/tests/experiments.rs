//! Experiments: what a file may say, and that verdicts come from the numbers alone.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::{fs, path::Path};

use carom::observe::{Frame, Observer};
use carom_io::document::{Diagnostic, Source};
use carom_io::experiment::{Choice, EXPERIMENTS, Experiment, Found, PAPERS, Verdict};
use carom_io::references;

const SMOOTH: &str = include_str!("experiments/smooth.toml");
/// A small experiment to change.
const SMALL: &str = r#"title = "One oscillator"
[[run]]
name = "free"
scene = "harmonic-oscillator"
method = "verlet"
step = 0.1
until = 1.0
[[claim]]
id = "bounded"
claim = "The energy stays near its start."
measured = "free.rise + free.fall"
holds = { at_most = 0.5 }
expected = "holds"
reason = "The method is symplectic."
"#;

struct Nobody;

impl Observer for Nobody {
    fn observe(&mut self, _: &Frame) -> Result<(), String> {
        Ok(())
    }
}

fn read(text: &str) -> Result<Experiment, Vec<Diagnostic>> {
    Experiment::read(None, "test", Source::new("test.toml", text))
}

fn good(text: &str) -> Experiment {
    read(text).unwrap_or_else(|found| panic!("{text}\n{found:#?}"))
}

/// The text with the one occurrence of `from` replaced.
fn replaced(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "`{from}` must occur once");
    text.replace(from, to)
}

fn made(experiment: &Experiment, choice: &Choice) -> Result<Vec<Found>, Vec<Diagnostic>> {
    let stop = AtomicBool::new(false);
    experiment.jobs(choice).iter().map(|job| job.run(&mut Nobody, &stop)).collect()
}

/// The verdicts on all claims, or why there are none.
fn verdicts(text: &str, choice: &Choice) -> Vec<(String, Result<Verdict, String>)> {
    let experiment = good(text);
    let found = made(&experiment, choice).unwrap_or_else(|found| panic!("{found:#?}"));
    let judged = experiment.judge(choice, &found);
    judged.into_iter().map(|j| (j.claim.id.clone(), j.finding.map(|finding| finding.verdict))).collect()
}

fn verdict(text: &str) -> Result<Verdict, String> {
    verdicts(text, &Choice::default()).remove(0).1
}

/// The small experiment with another expression and criterion.
fn measuring(expression: &str, criterion: &str) -> String {
    let text = replaced(SMALL, "free.rise + free.fall", expression);
    replaced(&text, "{ at_most = 0.5 }", criterion)
}

fn messages(found: &[Diagnostic]) -> String {
    found.iter().fold(String::new(), |mut text, problem| {
        let _ = writeln!(text, "{}", problem.render(&Source::new("", "")));
        text
    })
}

#[test]
fn every_built_in_experiment_can_be_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let papers = fs::read_dir(&folder).expect("experiments/").map(|entry| entry.expect("entry").path());
    let mut files = 0;
    for paper in papers.filter(|path| path.is_dir()) {
        let name = paper.file_name().and_then(|name| name.to_str()).expect("a name").to_string();
        assert!(PAPERS.iter().any(|(known, _)| *known == name), "{name} is no known paper");
        files += fs::read_dir(&paper)
            .expect("paper")
            .filter(|file| file.as_ref().is_ok_and(|file| file.path().extension().is_some_and(|end| end == "toml")))
            .count();
    }
    assert_eq!(files, EXPERIMENTS.len(), "the build lists every file");
    for built_in in EXPERIMENTS {
        let name = format!("{}/{}", built_in.paper, built_in.id);
        let source = Source::new(name.clone(), built_in.text);
        let experiment = Experiment::read(Some(built_in.paper), built_in.id, source.clone())
            .unwrap_or_else(|found| panic!("{name}\n{}", messages(&found)));
        assert_eq!(experiment.full_name(), name);
        assert!(experiment.place.is_some() && !experiment.cites.is_empty(), "{name} says what it is about");
    }
    for (_, key) in PAPERS {
        assert!(references::entry(key).is_some(), "{key}");
    }
}

#[test]
fn the_example_of_the_manual_gives_what_the_manual_says() {
    let manual = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reproduce.md"));
    let manual = manual.expect("docs/reproduce.md");
    let (_, rest) = manual.split_once("```toml\n").expect("an example");
    let (text, _) = rest.split_once("```").expect("its end");
    let expected = [("bounded".into(), Ok(Verdict::Holds)), ("eccentric".into(), Ok(Verdict::Depends))];
    assert_eq!(verdicts(text, &Choice::default()), expected);
}

#[test]
fn an_experiment_is_judged_claim_by_claim() {
    let found = verdicts(SMOOTH, &Choice::default());
    let expected = [
        ("bounded", Verdict::Holds),
        ("damped", Verdict::DoesNotHold),
        ("eccentric", Verdict::Depends),
        ("angular", Verdict::Holds),
        ("order", Verdict::Holds),
        ("first-order", Verdict::Holds),
        ("constraint", Verdict::Holds),
    ];
    let expected: Vec<_> = expected.into_iter().map(|(id, verdict)| (id.to_string(), Ok(verdict))).collect();
    assert_eq!(found, expected);
}

/// The small experiment with a recurrence, judged by the time until which it comes.
fn recurring(recurs: &str, criterion: &str) -> String {
    let text = measuring("free.recurs_until", criterion);
    replaced(&text, "until = 1.0\n", &format!("until = 20.0\nrecurs = {recurs}\n"))
}

#[test]
fn what_recurs_is_followed_until_it_does_not_come_in_time() {
    // The oscillator starts at 1 and has a period of 2π: it is back for the last time at 6π.
    let back = "{ expression = \"q[0]\", at_least = 0.99, within = 6.5 }";
    assert_eq!(verdict(&recurring(back, "{ between = [18.5, 19.1] }")), Ok(Verdict::Holds));
    // It is away from the start for longer than 5.
    let soon = back.replace("6.5", "5.0");
    assert_eq!(verdict(&recurring(&soon, "{ between = [0.0, 0.2] }")), Ok(Verdict::Holds));
    // What it always satisfies lasts to the end; what it never does, not at all.
    let always =
        "{ expression = \"abs(v[0]) + energy - energy + t - t + abs(p[0])\", at_least = 0, within = 0.15 }";
    assert_eq!(verdict(&recurring(always, "{ near = 20, within = 1e-9 }")), Ok(Verdict::Holds));
    let never = "{ expression = \"q[0]\", at_least = 2, within = 1 }";
    assert_eq!(verdict(&recurring(never, "{ at_most = 0 }")), Ok(Verdict::Holds));
}

#[test]
fn what_recurs_must_be_of_the_scene() {
    let missing = read(&measuring("free.recurs_until", "{ at_least = 0 }")).err().expect("refused");
    assert!(messages(&missing).contains("needs the key `recurs`"), "{missing:?}");
    let beyond = good(&recurring("{ expression = \"q[7]\", at_least = 0, within = 1 }", "{ at_least = 0 }"));
    let beyond = made(&beyond, &Choice::default()).err().expect("refused");
    assert!(messages(&beyond).contains("none of number 7"), "{beyond:?}");
    for wrong in
        ["{ expression = \"x\", at_least = 0, within = 1 }", "{ expression = \"t\", at_least = 0, within = 0 }"]
    {
        assert!(read(&recurring(wrong, "{ at_least = 0 }")).is_err(), "{wrong}");
    }
}

#[test]
fn figures_have_known_curves_paths_and_snapshots() {
    let drawn = |panel: &str| {
        let text = replaced(SMALL, "until = 1.0\n", "until = 1.0\nstates_at = [0.0, 0.5, 1.0]\n");
        let text = format!("{text}[[figure]]\nname = \"f\"\ntitle = \"F\"\npanels = [{panel}]\n");
        let experiment = good(&text);
        let found = made(&experiment, &Choice::default()).unwrap_or_else(|found| panic!("{found:#?}"));
        experiment.draw(false, &found).remove(0).1.to_svg()
    };
    let known = drawn("{ runs = [\"free\"], y = \"q[0]\", exact = \"cos(t)\", exact_label = \"cosine\" }");
    assert!(known.contains("cosine"), "the known curve has its name in the legend");
    let pairs =
        "{ runs = [\"free\"], x = [\"t\", \"q[0]\"], y = [\"q[0]\", \"p[0]\"], labels = [\"one\", \"two\"] }";
    let pairs = drawn(pairs);
    assert!(pairs.contains(">one<") && pairs.contains(">two<"));
    let plain =
        read(&format!("{SMALL}[[figure]]\nname = \"f\"\ntitle = \"F\"\npanels = [{{ snapshots = \"free\" }}]\n"));
    assert!(messages(&plain.err().expect("no states")).contains("has no `states_at`"));
    let wrong = format!(
        "{SMALL}[[figure]]\nname = \"f\"\ntitle = \"F\"\npanels = [{{ runs = [\"free\"], x = \"q[0]\", y = \"p[0]\", exact = \"t\" }}]\n"
    );
    assert!(messages(&read(&wrong).err().expect("not over time")).contains("over the time"));
}

#[test]
fn snapshots_have_a_plot_of_every_state() {
    let text = replaced(SMALL, "harmonic-oscillator", "kepler");
    let text = replaced(&text, "until = 1.0\n", "until = 1.0\nstates_at = [0.0, 0.5, 1.0]\n");
    let panel = "{ snapshots = \"free\", radius = 0.1, anchors = [[0, 0]] }";
    let text = format!("{text}[[figure]]\nname = \"f\"\ntitle = \"F\"\ncolumns = 3\npanels = [{panel}]\n");
    let experiment = good(&text);
    let found = made(&experiment, &Choice::default()).unwrap_or_else(|found| panic!("{found:#?}"));
    let svg = experiment.draw(false, &found).remove(0).1.to_svg();
    for title in ["t = 0<", "t = 0.5<", "t = 1<"] {
        assert!(svg.contains(title), "{title}");
    }
}

#[test]
fn a_claim_whose_data_the_paper_does_not_give_is_undecidable() {
    let missing = SMALL.replace("expected = \"holds\"", "missing = \"the start\"\nexpected = \"undecidable\"");
    assert_eq!(verdict(&missing), Ok(Verdict::Undecidable));
    // Neither of the two stands without the other.
    for wrong in [missing.replace("undecidable", "holds"), missing.replace("missing = \"the start\"\n", "")] {
        let found = read(&wrong).err().expect("refused");
        assert!(found.iter().any(|problem| problem.message.starts_with("the verdict cannot be")), "{found:?}");
    }
}

#[test]
fn every_built_in_claim_says_whose_it_is() {
    for built_in in EXPERIMENTS {
        let claims = built_in.text.matches("\n[[claim]]\n").count();
        let said = built_in.text.lines().filter(|line| line.starts_with("says = ")).count();
        assert_eq!(claims, said, "{}/{}", built_in.paper, built_in.id);
    }
}

#[test]
fn the_long_horizon_has_claims_of_its_own() {
    let choice = Choice { full: true, only: vec!["long".into()] };
    let experiment = good(SMOOTH);
    assert_eq!(experiment.jobs(&choice).len(), 1, "only the run that the claim needs");
    assert_eq!(verdicts(SMOOTH, &choice), [("long".into(), Ok(Verdict::Holds))]);
}

#[test]
fn the_expected_verdict_is_never_used() {
    let expected = verdicts(SMOOTH, &Choice::default());
    for other in ["holds", "does not hold"] {
        let mut text = SMOOTH.to_string();
        for verdict in ["holds", "does not hold", "depends"] {
            text = text.replace(&format!("expected = \"{verdict}\""), "expected = \"?\"");
        }
        let text = text.replace("expected = \"?\"", &format!("expected = \"{other}\""));
        assert_eq!(verdicts(&text, &Choice::default()), expected);
    }
}

#[test]
fn criteria_are_two_sided_where_they_say_so() {
    // The run has 10 steps of 0.1.
    let cases = [
        ("free.steps", "{ at_most = 10 }", Verdict::Holds),
        ("free.steps", "{ at_most = 9.99 }", Verdict::DoesNotHold),
        ("free.steps", "{ at_least = 10 }", Verdict::Holds),
        ("free.steps", "{ at_least = 10.01 }", Verdict::DoesNotHold),
        ("free.steps", "{ between = [10, 11] }", Verdict::Holds),
        ("free.steps", "{ between = [8, 9] }", Verdict::DoesNotHold),
        ("free.steps", "{ between = [11, 12] }", Verdict::DoesNotHold),
        ("free.steps", "{ near = 11, within = 1 }", Verdict::Holds),
        ("free.steps", "{ near = 11.5, within = 1 }", Verdict::DoesNotHold),
        ("free.steps*free.h - free.t", "{ near = 0, within = 1e-15 }", Verdict::Holds),
        ("max(free.failed, 0)", "{ near = 0, within = 0 }", Verdict::Holds),
    ];
    for (expression, criterion, expected) in cases {
        assert_eq!(verdict(&measuring(expression, criterion)), Ok(expected), "{expression} {criterion}");
    }
}

#[test]
fn an_ensemble_has_a_verdict_of_all_its_members() {
    let ensemble = |most: f64| {
        let text = replaced(SMALL, "step = 0.1\n", "step = 0.1\nvary = \"run.step=0.1,0.05,0.025\"\n");
        let text = replaced(&text, "free.rise + free.fall", "free.h");
        let experiment = good(&replaced(&text, "at_most = 0.5", &format!("at_most = {most:?}")));
        let choice = Choice::default();
        let found = made(&experiment, &choice).expect("runs");
        let finding = experiment.judge(&choice, &found).remove(0).finding.expect("a verdict");
        assert_eq!(finding.values, [0.1, 0.05, 0.025]);
        assert!(finding.ensemble);
        (finding.satisfied, finding.verdict)
    };
    assert_eq!(ensemble(0.01), (0, Verdict::DoesNotHold));
    assert_eq!(ensemble(0.03), (1, Verdict::Depends));
    assert_eq!(ensemble(0.05), (2, Verdict::Depends));
    assert_eq!(ensemble(0.1), (3, Verdict::Holds));
}

#[test]
fn members_and_grids_are_ensembles() {
    let with = |keys: &str| {
        let text = replaced(SMALL, "step = 0.1\n", &format!("step = 0.1\n{keys}\n"));
        let experiment = good(&replaced(&text, "free.rise + free.fall", "free.steps"));
        let choice = Choice::default();
        let found = made(&experiment, &choice).expect("runs");
        experiment.judge(&choice, &found).remove(0).finding.expect("a verdict").values
    };
    assert_eq!(with("vary = [\"run.step=0.1,0.05\", \"run.until=1,2\"]"), [10.0, 20.0, 20.0, 40.0]);
    assert_eq!(with("members = [[\"run.step=0.05\", \"run.until=2\"], [], [\"run.until=3\"]]"), [40.0, 10.0, 30.0]);
}

#[test]
fn what_cannot_be_computed_is_no_verdict() {
    let reason = |expression: &str| verdict(&measuring(expression, "{ at_most = 1e300 }")).unwrap_err();
    assert_eq!(reason("free.impacts"), "run `free`: `impacts` has no meaning for what was run");
    assert!(reason("free.max_equality").contains("no meaning"));
    assert!(reason("0*free.max_equality").contains("no meaning"), "a factor 0 hides nothing");
    assert!(reason("free.final_q[7]").contains("none of number 7"));
    assert!(reason("free.rise/(free.t - free.t)").contains("the measured value is"));
    let text =
        replaced(&measuring("free.at0.energy", "{ at_most = 9 }"), "until = 1.0", "until = 1.0\nstates_at = [5.0]");
    assert!(verdict(&text).unwrap_err().contains("`at0.energy` was not measured"));
}

#[test]
fn a_run_that_fails_is_judged_only_by_a_claim_that_asks_for_it() {
    // Newton's method cannot solve so long a step.
    let text = replaced(SMALL, "harmonic-oscillator", "pendulum-cartesian");
    let text = replaced(&text, "method = \"verlet\"", "method = \"midpoint\"");
    let failing = replaced(&text, "step = 0.1\nuntil = 1.0", "step = 40.0\nuntil = 400.0");
    let reason = verdict(&failing).unwrap_err();
    assert!(reason.starts_with("run `free` ended early: step 1 failed"), "{reason}");
    let asking = replaced(&failing, "free.rise + free.fall", "free.failed");
    assert_eq!(verdict(&asking), Ok(Verdict::DoesNotHold));
}

#[test]
fn energy_rises_and_falls_are_measured_between_any_nodes() {
    // The energy of this oscillator under Verlet's method goes back and forth from its start, an extreme: one of rise and
    // fall is the whole range and the other nothing, but between nodes it rises and falls by the whole range.
    let share = |quantity: &str| {
        let text = measuring(&format!("{quantity}/(free.energy_max - free.energy_min)"), "{ between = [0.95, 1] }");
        verdict(&replaced(&text, "until = 1.0", "until = 100.0"))
    };
    for whole in ["free.largest_rise", "free.largest_fall", "max(free.rise, free.fall)"] {
        assert_eq!(share(whole), Ok(Verdict::Holds), "{whole}");
    }
    assert_eq!(share("min(free.rise, free.fall)"), Ok(Verdict::DoesNotHold));
}

#[test]
fn a_change_of_all_runs_is_taken_where_the_scene_has_the_key() {
    let mut experiment = good(SMOOTH);
    let (taken, refused) = experiment.set("parameters.eccentricity=0.1", false);
    assert_eq!((taken, refused.len()), (3, 4));
    assert!(refused.iter().all(|refused| refused.itself));
    let choice = Choice { only: vec!["eccentric".into()], ..Choice::default() };
    let found = made(&experiment, &choice).expect("runs");
    let verdict = experiment.judge(&choice, &found).remove(0).finding.expect("a verdict").verdict;
    assert_eq!(verdict, Verdict::Holds, "the change is made after those of the members");
    assert_eq!(good(SMOOTH).set("parameters.nothing=1", false).0, 0);
    let (taken, refused) = good(SMALL).set("run.step=-1", false);
    assert!(taken == 0 && refused[0].itself, "{refused:?}");
}

#[test]
fn figures_are_drawn_of_runs_studies_and_ensembles() {
    let experiment = good(SMOOTH);
    let choice = Choice::default();
    let found = made(&experiment, &choice).expect("runs");
    let figures = experiment.draw(false, &found);
    let names: Vec<&str> = figures.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["energy", "more"]);
    let svg = figures[0].1.to_svg();
    for text in ["Kepler problem, 200 steps per period", "Störmer–Verlet", "Newmark, γ = 0.51", "angular momentum"]
    {
        assert!(svg.contains(text), "{text}");
    }
    let svg = figures[1].1.to_svg();
    for text in ["midpoint, exponent 1.9", "order 2", "order 1", "eccentricity = 0.6<", "|E − E₀|"] {
        assert!(svg.contains(text), "{text}");
    }
}

/// A chain at three steps, with constraints that give way.
const GIVING: &str = r#"title = "A hanging chain"
[[run]]
name = "chain"
label = "spook"
scene = "heavy-chain"
set = ["parameters.links=2", "parameters.load=1", "parameters.angle=60*pi/180"]
members = [["run.step=0.02"], ["run.step=0.01"], ["run.step=0.005"]]
until = 0.4
[[run]]
name = "spring"
scene = "oscillator"
until = 5.0
[[claim]]
id = "expected"
claim = "The violation is the one that is expected."
measured = "chain.rms_equality/chain.rms_expected"
holds = { near = 1, within = 0.2 }
expected = "holds"
reason = "The rods bend in short steps."
[[claim]]
id = "mean"
claim = "The mean is no more than the largest."
measured = "chain.rms_equality/chain.max_equality"
holds = { between = [0.05, 0.95] }
expected = "holds"
reason = "It is a mean."
[[claim]]
id = "late"
claim = "The oscillation goes on."
measured = "spring.late_q[0]"
holds = { between = [0.9, 1.01] }
expected = "holds"
reason = "Nothing damps it."
[[figure]]
name = "violation"
title = "Violation over the step"
panels = [{ ensembles = ["chain"], x = "h", y = "rms_equality", beside = "rms_expected", log = true, log_x = true, guides = [2] }]
"#;

#[test]
fn violations_are_measured_against_what_one_may_expect_and_drawn_over_the_step() {
    let (experiment, choice) = (good(GIVING), Choice::default());
    let found = made(&experiment, &choice).expect("runs");
    for judged in experiment.judge(&choice, &found) {
        let finding = judged.finding.as_ref().unwrap_or_else(|reason| panic!("{reason}"));
        assert_eq!(finding.verdict, Verdict::Holds, "{}", judged.claim.id);
    }
    let figures = experiment.draw(false, &found);
    let svg = figures[0].1.to_svg();
    for text in ["spook", "rms expected", "order 2"] {
        assert!(svg.contains(text), "{text}");
    }
}

/// What is replaced in the small experiment, by what, how the first problem begins, and its help.
const WRONG: [(&str, &str, &str, &str); 28] = [
    ("title = \"One oscillator\"\n", "", "test.toml: title: this key is missing", ""),
    (
        "until = 1.0",
        "untill = 1.0",
        "test.toml:7:1: run[0].untill: unknown key of `run[0]`",
        "did you mean `until`?",
    ),
    (
        "harmonic-oscillator",
        "harmonic-oscilator",
        "test.toml:4:9: run[0].scene: there is no built-in scene",
        "did you mean",
    ),
    ("name = \"free\"", "name = \"a b\"", "test.toml:3:8: run[0].name: `a b` is not a name", "letters"),
    ("name = \"free\"", "label = \"free\"", "test.toml:2:1: run[0].name: this key is missing", ""),
    ("method = \"verlet\"", "method = 3", "test.toml:5:10: run[0].method: found the number 3", ""),
    ("step = 0.1", "step = [0.1]", "test.toml:6:8: run[0].step: found an array", ""),
    ("step = 0.1", "set = [\"step\"]", "test.toml:6:8: run[0].set[0]: there is no `=`", "write key.path=value"),
    ("step = 0.1", "vary = \"run.step\"", "test.toml:6:8: run[0].vary: there is no `=`", "write key=a:b:n"),
    ("step = 0.1", "vary = \"run.step=1:2:0\"", "test.toml:6:8: run[0].vary: `0` is no number", "write key=a:b:n"),
    ("step = 0.1", "vary = \"run.step=1,,2\"", "test.toml:6:8: run[0].vary: a value is empty", "write key=a:b:n"),
    ("step = 0.1", "members = []", "test.toml:6:11: run[0].members: an ensemble needs a member", ""),
    (
        "step = 0.1",
        "members = [[]]\nvary = \"a=1\"",
        "test.toml:6:11: run[0].members: `vary` and `members`",
        "keep one",
    ),
    ("id = \"bounded\"", "id = \"Bounded!\"", "test.toml:9:6: claim[0].id: `Bounded!` is not a name here", "small"),
    ("free.rise + free.fall", "free.rise + fall", "test.toml:11:25: claim[0].measured: unknown name `fall`", ""),
    (
        "free.rise + free.fall",
        "free.risen",
        "test.toml:11:13: claim[0].measured: unknown name `free.risen`",
        "did you mean `free.rise`?",
    ),
    ("free.rise + free.fall", "free.rise[0]", "test.toml:11:13: claim[0].measured: `free.rise` is one number", ""),
    (
        "free.rise + free.fall",
        "free.at0.energy",
        "test.toml:11:13: claim[0].measured: unknown name `free.at0.energy`",
        "",
    ),
    (
        "free.rise + free.fall",
        "3 + 4",
        "test.toml:11:12: claim[0].measured: the expression uses no run",
        "write run",
    ),
    (
        "{ at_most = 0.5 }",
        "{ at_most = 0.5, at_least = 0 }",
        "test.toml:12:9: claim[0].holds: this is no criterion",
        "write one",
    ),
    ("{ at_most = 0.5 }", "{ near = 0.5 }", "test.toml:12:9: claim[0].holds: this is no criterion", "write one"),
    ("{ at_most = 0.5 }", "{ between = [2, 1] }", "test.toml:12:21: claim[0].holds.between: found an array", ""),
    ("{ at_most = 0.5 }", "{ most = 1 }", "test.toml:12:9: claim[0].holds: this is no criterion", "write one"),
    (
        "expected = \"holds\"",
        "expected = \"maybe\"",
        "test.toml:13:12: claim[0].expected: found the string",
        "allowed: holds",
    ),
    (
        "expected = \"holds\"",
        "expected = \"depends\"",
        "test.toml:13:12: claim[0].expected: only a claim about an ensemble",
        "give",
    ),
    ("reason = \"The method is symplectic.\"\n", "", "test.toml:8:1: claim[0].reason: this key is missing", ""),
    (
        "[[claim]]",
        "[[figure]]\nname = \"a\"\ntitle = \"b\"\npanels = [{ runs = [\"free\"], y = \"heat\" }]\n[[claim]]",
        "test.toml:11:34: figure[0].panels[0].y: `heat` is nothing",
        "known",
    ),
    (
        "[[claim]]",
        "[[figure]]\nname = \"a\"\ntitle = \"b\"\npanels = [{ ensembles = [\"free\"], x = \"h\", y = \"final_q\" }]\n[[claim]]",
        "test.toml:11:48: figure[0].panels[0].y: `final_q` is no number of a run",
        "known",
    ),
];

#[test]
fn wrong_files_are_refused_where_they_are_wrong() {
    for (from, to, begin, help) in WRONG {
        let Err(found) = read(&replaced(SMALL, from, to)) else { panic!("{to} was taken") };
        let first = found[0].render(&Source::new("", ""));
        assert!(first.starts_with(&format!("error: {begin}")), "{first}\n{begin}");
        assert!(help.is_empty() || found[0].help.as_ref().is_some_and(|text| text.contains(help)), "{found:?}");
    }
    let twice = format!("{SMALL}[[run]]\nname = \"free\"\nscene = \"kepler\"\n");
    assert!(messages(&read(&twice).err().expect("refused")).contains("already the name of a run"));
    let unused = format!("{SMALL}[[run]]\nname = \"other\"\nscene = \"kepler\"\n");
    assert!(messages(&read(&unused).err().expect("refused")).contains("uses the run `other`"));
    let without = &SMALL[..SMALL.find("[[claim]]").expect("a claim")];
    assert!(messages(&read(without).err().expect("refused")).contains("at least one [[claim]]"));
}

#[test]
fn a_setting_that_its_scene_does_not_take_is_placed_in_the_experiment() {
    let text = replaced(SMALL, "step = 0.1", "set = [\"method.rul=1\"]");
    let experiment = good(&text);
    let found = made(&experiment, &Choice::default()).err().expect("refused");
    let shown = found[0].render(&experiment.source);
    assert!(shown.starts_with("error: test.toml:6:8: method.rul: "), "{shown}");
    assert!(shown.contains("6 | set = [\"method.rul=1\"]"), "{shown}");
    let panel = "[[figure]]\nname = \"a\"\ntitle = \"b\"\npanels = [{ runs = [\"free\"], y = \"q[9]\" }]\n";
    let found = made(&good(&format!("{SMALL}{panel}")), &Choice::default()).err().expect("refused");
    assert!(messages(&found).starts_with("error: test.toml:18:11: panels: the scene"), "{found:?}");
}
