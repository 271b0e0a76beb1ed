//! What a report says of the energy that motors, moving constraints and forces put in, and of contacts that are springs.

use std::sync::atomic::AtomicBool;

use carom::method::AnyMethod;
use carom_io::document::{Edit, Source};
use carom_io::report::RunReport;
use carom_io::scene::{BuiltIn, Scene};
use carom_io::trial::Trial;

fn read(text: &str, edits: &[&str]) -> Result<Scene, String> {
    let edits: Vec<Edit> = edits.iter().map(|edit| Edit::set(edit)).collect();
    let source = Source::new("scene.toml", text);
    Scene::read("scene", &source, &edits)
        .map_err(|found| found.iter().map(|problem| problem.render(&source)).collect::<Vec<_>>().join("\n"))
}

fn report(text: &str, edits: &[&str]) -> RunReport {
    let scene = read(text, edits).unwrap_or_else(|found| panic!("{found}"));
    let trial = Trial::run(&scene, &mut [], &AtomicBool::new(false)).expect("a method that can");
    trial.report(&scene)
}

fn blamed(report: &RunReport) -> Vec<&String> {
    report
        .findings
        .iter()
        .map(|finding| &finding.sentence)
        .filter(|said| said.contains("an error of the steps"))
        .collect()
}

const MOTOR: &str = "[lagrangian]\ncoordinates = ['angle']\nmass = 0.5\npotential = '2*cos(angle)'\n\
    nonholonomic = [{ name = 'motor', expression = 'dot(angle) - 6', max_force = 3.0 }]\n[initial]\nq = [0.0]\n[method]\nname = 'spook'\n\
    [run]\nstep = 0.01\nuntil = 4.0\n";
const MOVING: &str = "[lagrangian]\ncoordinates = ['x']\nmass = 2.0\n\
    equalities = [{ name = 'pull', expression = 'x - 0.5*sin(3*t)', compliance = 1e-3, damping = 0.05 }]\n[initial]\nq = [0.0]\n\
    [method]\nname = 'spook'\n[run]\nstep = 0.01\nuntil = 4.0\n";
const FORCE: &str = "[lagrangian]\ncoordinates = ['x']\nmass = 2.0\nforces = { x = { thrust = '3 - 0.1*dot(x)' } }\n[initial]\nq = [0.0]\n\
    [method]\nname = 'spook'\n[run]\nstep = 0.01\nuntil = 4.0\n";

#[test]
fn what_motors_moving_constraints_and_forces_put_in_is_no_error_of_the_steps() {
    for (text, name) in [(MOTOR, "motors"), (MOVING, "moving constraints"), (FORCE, "thrust")] {
        let report = report(text, &[]);
        let ledger = report.ledger.as_ref().expect("accounts");
        let source = ledger.sources.iter().find(|account| account.name == name).expect("an account of that name");
        let rise = report.energy.max - report.energy.initial;
        println!(
            "{name}: rise {rise:.4}, from sources {:.4}, unexplained {:.1e}",
            ledger.from_sources, ledger.error_max
        );
        assert!(rise > 0.05 && source.entered > 0.5 * rise, "{name}: control: the energy rises by {rise}");
        assert!((ledger.from_sources - (source.entered - source.left)).abs() < 1e-12, "{name}");
        assert!(report.findings.is_empty(), "{name}: {:?}", report.findings);
    }
}

#[test]
fn what_the_steps_give_beside_a_source_is_still_told_and_the_source_is_named() {
    // Thrown back by its depth again and again without damping: contact forces give what nothing stored.
    let text = "[lagrangian]\ncoordinates = ['x', 'y']\nmass = 1.0\npotential = '9.81*y'\ninequalities = [{ expression = 'y', restitution = 0.0 }]\n\
                nonholonomic = [{ name = 'motor', expression = 'dot(x) - 0.2', max_force = 1.0 }]\n[initial]\nq = [0.0, 1.0]\n[method]\nname = 'spook'\n\
                damping = 0.0\n[run]\nstep = '1/60'\nuntil = 20.0\n";
    let report = report(text, &[]);
    let blamed = blamed(&report);
    println!("{:?}", report.findings);
    assert_eq!(blamed.len(), 1, "{:?}", report.findings);
    assert!(blamed[0].contains("more than `motors` gave, most of it through `contact forces`"), "{}", blamed[0]);
}

#[test]
fn a_start_in_compression_is_taken_by_spook_and_refused_by_rigid_methods_with_the_remedy() {
    let text = BuiltIn::named("squeezed-disc").expect("built in").text;
    let scene = read(text, &[]).unwrap_or_else(|found| panic!("{found}"));
    assert!(scene.problem.adjustments.is_empty(), "nothing is pushed out");
    let report = report(text, &["run.until=0.2"]);
    assert!(report.notes.is_empty() && report.findings.is_empty(), "{:?} {:?}", report.notes, report.findings);
    for method in AnyMethod::all().iter().map(AnyMethod::name).filter(|name| *name != "spook") {
        let found = read(text, &[&format!("method={{ name = '{method}' }}"), "run.measures=[]"]).err();
        let found = found.unwrap_or_else(|| panic!("{method} took it"));
        assert!(found.contains("methods that can: spook"), "{method}: {found}");
    }
    let rigid = read(text, &["method={ name = 'cva' }", "run.measures=[]"]).err().unwrap_or_default();
    assert!(
        rigid.contains("method `cva` cannot take the compliance of 2 contacts; methods that can: spook"),
        "{rigid}"
    );
    // Without a compliance of its own a contact must start open, whatever the method.
    let stiff = read(text, &["wall.0.compliance=0"]).err().unwrap_or_default();
    assert!(stiff.contains("the gap at the start is -5.0"), "{stiff}");
}

#[test]
fn a_compliance_of_zero_is_a_rigid_contact_for_every_method() {
    let text = "[[particle]]\nmass = 1\nposition = [1.0]\n[[wall]]\nnormal = [1]\ncompliance = 0\ndamping = 0.1\n[method]\nname = 'gvi'\n[run]\n\
                step = 0.01\nsteps = 10\n";
    assert!(read(text, &[]).is_ok());
    assert!(read(text, &["wall.0.compliance=1e-5"]).is_err());
}

#[test]
fn solvers_with_options_are_written_out_and_read_again() {
    let text = BuiltIn::named("squeezed-disc").expect("built in").text;
    let edits = ["method.solver={ pgs = { variant = 'separate' } }"];
    let scene = read(text, &edits).unwrap_or_else(|found| panic!("{found}"));
    let written = scene.to_toml();
    assert!(written.contains("variant = \"separate\"") && written.contains("sweeps = 100"), "{written}");
    let again = read(&written, &[]).unwrap_or_else(|found| panic!("{found}\n{written}"));
    assert_eq!(again.method, scene.method);
    let polygon = read(text, &["method.friction_law={ polygon = { corners = \"2*friction*10\" } }"]);
    let polygon = polygon.unwrap_or_else(|found| panic!("{found}"));
    assert!(polygon.to_toml().contains("corners"), "an expression of the parameters, like every number");
}
