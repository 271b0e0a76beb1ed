//! Every method of the matrix on every built-in scene that it takes, at the scene's own step, and what is found of the run: the table of
//! `docs/trust.md`, which this compares with what it computes. `CAROM_WRITE=1` writes it anew.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use carom::measures::{Finding, Kind};
use carom::method::AnyMethod;
use carom_io::report::RunReport;
use carom_io::scene::BUILT_IN;
use carom_io::trial::Trial;
use carom_tests::runs::{built_in, method};
use carom_tests::variants::VARIANTS;

/// Steps of a run, where the scene has no fewer.
const MOST_STEPS: u64 = 1000;

/// Methods that are there to compare with, and fail where the others do not.
const COMPARISONS: [&str; 3] = ["direct", "penalty", "projection"];

/// Runs with default options that cannot be trusted at the scene's own step, and why.
const EXPLAINED: [(&str, &[&str], &str); 5] = [
    (
        "pendulum-cartesian",
        &["verlet", "midpoint", "newmark", "gvi", "vci", "cva"],
        "the step of 0.3 is that of `galerkin` with order 5: the rod turns by a radian in it, methods of order 2 find no point of the constraint, and the \
         run ends with that error",
    ),
    (
        "pendulum-cartesian",
        &["spook"],
        "the step of 0.3 is that of `galerkin` with order 5: the rod turns by a radian in it, and a constraint that is linear in a step is \
         off by as much",
    ),
    (
        "vibrating-table",
        &["spook"],
        "the step is that of `cva`, which finds the time of every impact: ball and table move by most of the table's swing in one, and `spook` pushes out \
         what has penetrated",
    ),
    (
        "lennard-jones-chain",
        &["spook"],
        "the step is that of `gvi`: impacts of `spook` take place half a step from its forces, and where a bond is stiff that gives energy",
    ),
    (
        "nonlinear-oscillator, nonlinear-oscillator-asymmetric, pogo-stick, point-mass",
        &["spook"],
        "the steps are those of `gvi`: balls move by the size of their contacts in one, and `spook` pushes out what has penetrated",
    ),
];

struct Pair {
    scene: &'static str,
    variant: &'static str,
    report: RunReport,
}

impl Pair {
    fn name(&self) -> &'static str {
        self.variant.split(' ').next().unwrap_or_default()
    }

    fn distrusted(&self) -> Vec<&Finding> {
        self.report.findings.iter().filter(|finding| !finding.trustworthy).collect()
    }

    /// A letter for every kind of finding that is beyond its limit.
    fn cell(&self) -> String {
        let letters: String = self.distrusted().iter().map(|finding| letter(finding.kind)).collect();
        match (letters.is_empty(), self.report.findings.is_empty()) {
            (true, true) => "·".into(),
            (true, false) => "+".into(),
            _ => letters,
        }
    }
}

fn letter(kind: Kind) -> char {
    match kind {
        Kind::Failure => '!',
        Kind::Energy => 'E',
        Kind::Losses => 'L',
        Kind::Constraints => 'C',
        Kind::Penetration => 'P',
        Kind::MissedContacts => 'X',
        Kind::Momentum => 'M',
        Kind::LooseSolves => 'S',
        Kind::Drift => panic!("it is a note"),
    }
}

fn pairs() -> Vec<Pair> {
    let mut pairs = Vec::new();
    for listed in BUILT_IN {
        let mut scene = built_in(listed.name, &[]);
        scene.run.steps = scene.run.steps.min(MOST_STEPS);
        for variant in VARIANTS {
            scene.method = method(variant);
            if let Ok(trial) = Trial::run(&scene, &mut [], &AtomicBool::new(false)) {
                pairs.push(Pair { scene: listed.name, variant, report: trial.report(&scene) });
            }
        }
    }
    pairs
}

fn explained(scene: &str, name: &str) -> bool {
    let of = |(scenes, names, _): &(&str, &[&str], &str)| {
        scenes.split(", ").any(|listed| listed == scene) && names.contains(&name)
    };
    EXPLAINED.iter().any(of)
}

/// The document.
fn document(pairs: &[Pair]) -> String {
    let mut text = String::from(HEAD);
    let trusted = pairs.iter().filter(|pair| pair.report.trustworthy == Some(true)).count();
    let _ = writeln!(
        text,
        "{} runs of {} methods and variants on {} scenes: {trusted} trustworthy, {} not.\n",
        pairs.len(),
        VARIANTS.len(),
        BUILT_IN.len(),
        pairs.len() - trusted
    );
    text.push_str("| method |");
    (1..=BUILT_IN.len()).for_each(|number| text.push_str(&format!(" {number} |")));
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(BUILT_IN.len()));
    text.push('\n');
    for variant in VARIANTS {
        let _ = write!(text, "| `{variant}` |");
        for listed in BUILT_IN {
            let pair = pairs.iter().find(|pair| pair.scene == listed.name && pair.variant == variant);
            let _ = write!(text, " {} |", pair.map_or_else(String::new, Pair::cell));
        }
        text.push('\n');
    }
    text.push_str("\nThe scenes:");
    for (index, listed) in BUILT_IN.iter().enumerate() {
        let _ = write!(
            text,
            " {} `{}`{}",
            index + 1,
            listed.name,
            if index + 1 < BUILT_IN.len() { "," } else { ".\n" }
        );
    }
    text.push_str("\n## Methods with default options, explained\n\n| scene | methods | why |\n|---|---|---|\n");
    for (scenes, names, why) in EXPLAINED {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(text, "| {scenes} | {} | {why} |", names.join(", "));
    }
    text.push_str("\n## Every finding beyond its limit\n\n| scene | method | finding | times its limit |\n|---|---|---|---|\n");
    for pair in pairs {
        for finding in pair.distrusted() {
            let times = finding.value / finding.limit;
            let times = if times.is_finite() { format!("{times:.1e}") } else { "–".into() };
            let kind = serde_json::to_value(finding.kind).expect("a name");
            let kind = kind.as_str().unwrap_or_default();
            let _ = writeln!(text, "| {} | `{}` | {kind} | {times} |", pair.scene, pair.variant);
        }
    }
    text
}

const HEAD: &str = "# Which runs can be trusted

Every method of the test matrix, with the options that change its claims, on every built-in scene that it takes, at the scene's own step, over its first
1000 steps; and what the [findings](command-line.md#findings) say of the run. The table is computed and compared by
`cargo test -p carom-tests --test trust`.

| cell | the run |
|---|---|
| · | nothing was found |
| + | is trustworthy; a finding is shown as a note |
| E | energy is off by more than half of that of the motion |
| L | smooth steps took more than half of the energy of the motion, or contacts more than there was |
| C | an equality constraint is off by more than a tenth of what it is made of |
| P | a contact is penetrated by more than 0.3 of its size |
| X | contacts were passed through |
| M | a momentum that the method claims to keep changed by more than a hundredth |
| S | equations were solved to no better than 1e-2 |
| ! | ended with an error |
| | the method refuses the scene |

";

#[test]
fn the_table_of_methods_and_scenes_is_what_is_found() {
    let pairs = pairs();
    let text = document(&pairs);
    println!("{text}");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trust.md");
    if std::env::var_os("CAROM_WRITE").is_some() {
        std::fs::write(path, &text).expect("writable");
    }
    let written = std::fs::read_to_string(path).expect("docs/trust.md");
    for (number, (written, found)) in written.lines().zip(text.lines()).enumerate() {
        assert_eq!(written, found, "docs/trust.md:{}; CAROM_WRITE=1 writes it anew", number + 1);
    }
    assert_eq!(written.lines().count(), text.lines().count());

    // Methods that claim to be right are trusted at default options, or the list says why not; and it says nothing that is not so.
    let defaults = |name: &str| AnyMethod::named(name).is_some() && !COMPARISONS.contains(&name);
    let mut unexplained = Vec::new();
    for pair in pairs.iter().filter(|pair| pair.variant == pair.name() && defaults(pair.name())) {
        if (pair.report.trustworthy == Some(true)) == explained(pair.scene, pair.name()) {
            unexplained.push((pair.scene, pair.variant, pair.report.reasons().collect::<Vec<_>>()));
        }
    }
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    assert!(pairs.len() > 1000);
}

#[test]
fn every_built_in_scene_is_trusted_as_it_is_and_fails_with_steps_that_are_far_too_long() {
    let mut failed = 0;
    for listed in BUILT_IN {
        let mut scene = built_in(listed.name, &[]);
        let run = |scene: &carom_io::scene::Scene| {
            let trial = Trial::run(scene, &mut [], &AtomicBool::new(false)).expect("its own method");
            (trial.outcome.ended.clone(), trial.report(scene))
        };
        let (ended, report) = run(&scene);
        let reasons: Vec<&str> = report.reasons().collect();
        assert!(report.trustworthy == Some(true) && ended.is_none(), "{}: {reasons:?} {ended:?}", listed.name);
        // Control: a hundred times the step; what does not explode, or end with an error, is free motion.
        (scene.run.h, scene.run.steps) = (100.0 * scene.run.h, 50);
        let (ended, report) = run(&scene);
        let fails = report.trustworthy == Some(false);
        println!("{}: {fails} {:?} {ended:?}", listed.name, report.reasons().collect::<Vec<_>>());
        failed += usize::from(fails);
    }
    assert!(10 * failed >= 7 * BUILT_IN.len(), "{failed} of {}", BUILT_IN.len());
}

/// A run with a method, where one is named, and another step.
fn report((name, edits): (&str, &[&str]), variant: &str, h: f64, steps: u64) -> RunReport {
    let mut scene = built_in(name, edits);
    if !variant.is_empty() {
        scene.method = method(variant);
    }
    (scene.run.h, scene.run.steps) = (h, steps);
    Trial::run(&scene, &mut [], &AtomicBool::new(false)).expect("it takes the scene").report(&scene)
}

#[test]
fn longer_steps_do_not_turn_a_failed_run_into_a_good_one() {
    let rods = ("double-pendulum-rods", &[][..]);
    for (variant, steps_of) in
        [("pem", &[0.3, 0.5, 1.0][..]), ("penalty", &[0.5, 1.0]), ("projection", &[1.0, 3.0])]
    {
        for &h in steps_of {
            let report = report(rods, variant, h, (40.0 / h) as u64);
            assert_eq!(report.trustworthy, Some(false), "{variant} {h}: {:?}", report.findings);
        }
    }
    for h in [1.5, 3.0, 10.0, 100.0] {
        let report = report(("bouncing-ball", &[]), "direct", h, 50);
        assert!(report.findings.iter().any(|found| found.kind == Kind::Energy && !found.trustworthy), "{h}");
    }
    // Control: a step that suits the rods.
    assert_eq!(report(rods, "pem", 0.001, 5000).trustworthy, Some(true));
}

#[test]
fn planets_that_leave_their_orbit_are_told_however_eccentric_it_is() {
    for (eccentricity, h) in [(0.85, 0.0314), (0.9, 0.0314), (0.6, 0.3), (0.6, 0.35)] {
        let edit = format!("parameters.eccentricity={eccentricity}");
        let failed = report(("kepler", &[&edit]), "verlet", h, (125.0 / h) as u64);
        assert_eq!(failed.trustworthy, Some(false), "{eccentricity} {h}: {:?}", failed.findings);
        assert_eq!(serde_json::to_value(&failed).expect("a report")["energy"]["trend"], "failed");
        // Control: a twentieth of the step.
        let good = report(("kepler", &[&edit]), "verlet", 0.05 * h.min(0.0314), 20_000);
        assert_eq!(good.trustworthy, Some(true), "{eccentricity}: {:?}", good.findings);
    }
}

/// Two balls of radius 0.05 that run into each other.
fn balls(speed: f64, name: &str) -> RunReport {
    let text = format!(
        "[[particle]]\nname = 'a'\nmass = 1.0\nradius = 0.05\nposition = [-1.013, 0.0]\nvelocity = [{speed:?}, 0.0]\n[[particle]]\nname = 'b'\nmass = 1.0\n\
         radius = 0.05\nposition = [1.0, 0.0]\n[[contact]]\non = ['a', 'b']\n[method]\nname = '{name}'\n[run]\nstep = 0.01\nsteps = 100\n"
    );
    let scene = carom_tests::runs::scene("balls", &text, &[]);
    Trial::run(&scene, &mut [], &AtomicBool::new(false)).expect("it takes the scene").report(&scene)
}

#[test]
fn balls_that_change_places_are_told() {
    let (mut through, mut held) = (0, 0);
    for name in ["spook", "direct"] {
        for k in 0..57 {
            let speed = 26.0 + 0.25 * f64::from(k);
            let report = balls(speed, name);
            let final_q = &report.last.q;
            let changed = final_q[0] > final_q[2];
            if changed {
                through += 1;
                assert_eq!(report.trustworthy, Some(false), "{name} {speed}: {:?}", report.findings);
            } else {
                held += usize::from(report.trustworthy == Some(true));
            }
        }
    }
    println!("{through} of 114 went through, {held} were held and are trusted");
    assert!(through >= 20, "{through} went through");
    // Control: no step is longer than a third of the size of the contact.
    for (name, speed) in ["spook", "direct"].into_iter().flat_map(|name| [0.5, 1.0, 2.0, 3.0].map(|v| (name, v))) {
        let report = balls(speed, name);
        assert!(report.last.q[0] < report.last.q[2], "{name} {speed}");
        assert_eq!(report.trustworthy, Some(true), "{name} {speed}: {:?}", report.findings);
    }
}

#[test]
fn losses_can_fail_a_run() {
    let lost = report(("knife-edge", &[]), "spook", 1.0, 100);
    assert!(
        lost.findings.iter().any(|found| found.kind == Kind::Losses && !found.trustworthy),
        "{:?}",
        lost.findings
    );
    // A load that hangs on regularised rods from the start on loses what they keep, whatever the step.
    for h in [0.1, 1.0 / 60.0, 0.005, 0.0025] {
        let chain = report(("heavy-chain", &[]), "spook", h, (3.0 / h) as u64);
        assert_eq!(chain.trustworthy, Some(true), "{h}: {:?}", chain.findings);
    }
    let soft = report(("squeezed-disc", &[]), "spook", 1.0, 100);
    assert!(soft.findings.iter().any(|found| found.kind == Kind::Penetration), "{:?}", soft.findings);
}

#[test]
fn a_run_without_steps_is_neither_and_a_failed_one_is_not() {
    assert_eq!(report(("kepler", &[]), "verlet", 0.1, 0).trustworthy, None);
    let failed = report(("double-pendulum", &[]), "vci", 1.0, 50);
    let first = failed.findings.first().expect("a finding");
    assert!(
        failed.trustworthy == Some(false) && first.kind == Kind::Failure && failed.ended.is_some(),
        "{failed:?}"
    );
}

/// A scene of its own.
fn report_of(text: &str) -> RunReport {
    let scene = carom_tests::runs::scene("own", text, &[]);
    Trial::run(&scene, &mut [], &AtomicBool::new(false)).expect("it takes the scene").report(&scene)
}

#[test]
fn what_rests_at_the_origin_or_where_forces_cancel_is_not_accused() {
    for (method, friction) in [("spook", 0.0), ("cva", 0.9), ("vci", 0.9), ("gvi", 0.0)] {
        let report = report_of(&format!(
            "[[particle]]\nmass = 2.0\nposition = [0.0, 0.0]\n[[field]]\ngravity = [0.0, -9.81]\n[[wall]]\nnormal = [0.0, 1.0]\n\
             friction = {friction:?}\nrestitution = 0.0\n[method]\nname = '{method}'\n[run]\nstep = 0.01\nsteps = 400\n"
        ));
        assert_eq!(report.trustworthy, Some(true), "{method}: {:?}", report.findings);
    }
    for method in ["verlet", "midpoint", "newmark", "spook", "pem", "cva"] {
        let report = report_of(&format!(
            "[lagrangian]\ncoordinates = ['x']\nmass = [1.0]\npotential = '0.5*(x - 0.1*3)^2'\nforces = {{ x = '-1.0*dot(x)' }}\n\
             [initial]\nq = [0.3]\nv = [0.0]\n[method]\nname = '{method}'\n[run]\nstep = 0.01\nsteps = 300\n"
        ));
        assert_eq!(report.trustworthy, Some(true), "{method}: {:?}", report.findings);
    }
}

#[test]
fn short_rods_and_small_balls_in_wide_scenes_are_measured_by_themselves() {
    let rods = report_of(
        "[[particle]]\nmass = 1.0\nposition = [1000.0, 0.0]\n[[particle]]\nmass = 1.0\nposition = [1001.0, 0.0]\n[[rod]]\nbetween = [[0.0, 0.0], 0]\n\
         [[rod]]\nbetween = [0, 1]\n[[field]]\ngravity = [0.0, -10.0]\n[method]\nname = 'spook'\n[run]\nstep = 0.3\nsteps = 66\n",
    );
    assert_eq!(rods.trustworthy, Some(false), "{:?}", rods.findings);
    for speed in [100.0, 125.0, 200.0, 250.0] {
        let balls = report_of(&format!(
            "[[particle]]\nmass = 1.0\nradius = 0.01\nposition = [0.0, 0.0]\nvelocity = [{speed:?}, 0.0]\n[[particle]]\nmass = 1.0\nradius = 0.01\n\
             position = [1.0, 0.0]\n[[contact]]\n[method]\nname = 'direct'\n[run]\nstep = 0.001\nsteps = 20\n"
        ));
        assert!(balls.last.v[0] > 0.5 * speed, "control: it goes through");
        assert_eq!(balls.trustworthy, Some(false), "{speed}: {:?}", balls.findings);
    }
}
