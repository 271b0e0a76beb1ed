//! Measures on demand, from scene to column.

use carom_io::recording::TableReader;

use crate::Place;

/// The columns of the measures with their values.
fn measures(place: &Place, run: &str) -> Vec<(String, Vec<f64>)> {
    let table = TableReader::open(&place.path(run), "measures").expect("recorded");
    let names = table.columns().iter().map(|column| column.name.clone());
    let mut columns: Vec<(String, Vec<f64>)> = names.map(|name| (name, Vec::new())).collect();
    let each = |row: &[f64]| {
        columns.iter_mut().zip(row).for_each(|(column, value)| column.1.push(*value));
        Ok(())
    };
    table.for_each(each).expect("readable");
    columns
}

fn column<'a>(columns: &'a [(String, Vec<f64>)], name: &str) -> &'a [f64] {
    &columns.iter().find(|column| column.0 == name).unwrap_or_else(|| panic!("no {name} in {columns:?}")).1
}

/// A weight that hangs on two rods, and a heavier one on a third below it.
const HANGING: &str = r#"
[[particle]]
name = "knot"
mass = 1
position = [0, -1]
[[particle]]
name = "weight"
mass = 3
position = [0, -2]
[[rod]]
between = ["knot", [1, 0]]
[[rod]]
between = ["knot", [-1, 0]]
[[rod]]
between = ["weight", "knot"]
[[field]]
gravity = [0, -10]
[[spring]]
between = ["weight", [0, -3]]
stiffness = 2
rest = 0
[method]
name = "verlet"
[run]
step = 0.01
steps = 10
measures = ["constraint-forces", "energy-parts", "equalities", "ledger", "reversal", "symplecticity"]
"#;

#[test]
fn rods_that_pull_have_their_tension_with_a_minus() {
    let place = Place::new();
    place.write("hanging.toml", HANGING);
    place.carom(&["run", "hanging.toml", "--quiet", "--out", "run"]).code(0);
    let columns = measures(&place, "run");
    // The spring pulls down with 2, gravity with 30 and 10; the upper rods hang at 45 degrees. Names that occur twice
    // are numbered.
    for (name, tension) in [
        ("constraint_force.rod knot-anchor", 42.0 / 2f64.sqrt()),
        ("constraint_force.rod knot-anchor (2)", 42.0 / 2f64.sqrt()),
        ("constraint_force.rod weight-knot", 32.0),
    ] {
        let forces = column(&columns, name);
        assert_eq!(forces[0], 0.0);
        assert!(forces[1..].iter().all(|force| (force + tension).abs() < 1e-12), "{name}: {forces:?}");
    }
    assert_eq!(column(&columns, "potential.springs")[0], 1.0);
    assert_eq!(column(&columns, "potential.gravity")[0], -70.0);
    assert!(column(&columns, "equality.rod weight-knot").iter().all(|f| f.abs() < 1e-15));
    assert!(column(&columns, "reversal_defect.q").iter().all(|defect| *defect < 1e-14));
    assert!(column(&columns, "ledger.error").iter().all(|error| error.abs() < 1e-12));
    place.carom(&["export", "run"]).code(0);
}

#[test]
fn a_probe_without_an_answer_leaves_a_gap_and_a_note() {
    // The constraint moves so fast that many a whole step fails and is halved; a probe does not halve.
    const HASTY: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = 1
equalities = ["hypot(x - 2*sin(2*t), y) - 1"]
[initial]
q = { x = 0.0, y = -1.0 }
v = { x = 1.0, y = 0.0 }
[method]
name = "verlet"
[run]
step = 0.35
steps = 20
on_failure = "halve"
measures = ["reversal"]
"#;
    let place = Place::new();
    place.write("hasty.toml", HASTY);
    place.carom(&["run", "hasty.toml", "--quiet", "--out", "run"]).code(0);
    let report = place.json("run/run.json");
    assert!(report["solver"]["halved_steps"].as_u64() > Some(0), "{report}");
    let columns = measures(&place, "run");
    let missing = column(&columns, "reversal_defect.q").iter().filter(|defect| defect.is_nan()).count();
    assert!((1..21).contains(&missing), "{columns:?}");
    let note = format!("{missing} recorded row");
    assert!(
        report["notes"].as_array().expect("notes").iter().any(|text| text.as_str().unwrap().starts_with(&note))
    );
    assert!(
        columns
            .iter()
            .filter(|column| !column.0.starts_with("reversal"))
            .all(|c| c.1.iter().all(|x| x.is_finite()))
    );
    let page = place.read("run/report.html");
    assert!(!page.contains("NaN\"") && !page.contains("NaN,"), "no NaN in a drawing");
}

#[test]
fn discrete_and_shadow_energies_are_columns_and_the_start_without_a_step_needs_no_note() {
    let place = Place::new();
    let run = ["run", "disk-billiard", "--method", "vci", "--steps", "200", "--quiet", "--out", "run"];
    place.carom(&[&run[..], &["--measures", "discrete-energy,shadow-energy"]].concat()).code(0);
    let columns = measures(&place, "run");
    let (discrete, shadow) = (column(&columns, "discrete_energy"), column(&columns, "shadow_energy"));
    assert!(discrete[0].is_nan() && discrete[1..].iter().chain(shadow).all(|energy| energy.is_finite()));
    let report = place.json("run/run.json");
    assert_eq!(report["notes"].as_array().map(Vec::len), Some(0), "{report}");
    let page = place.read("run/report.html");
    assert!(page.contains(">discrete energy</text>") && !page.contains("NaN,"), "drawn, and no NaN in a drawing");
    let refused = place.carom(&["run", "kepler", "--method", "galerkin", "--measures", "shadow-energy"]).code(2);
    assert!(refused.err.contains("verlet, midpoint, variational, gvi, vci, cva"), "{refused:?}");
}

#[test]
fn contacts_that_are_left_approached_are_in_the_report_with_a_note() {
    const CORNER: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = 1
inequalities = ["x", "0.4358898943540673*y - 0.9*x"]
[initial]
q = { x = 0.0, y = 0.0 }
v = { x = -1.0, y = -1.0 }
[method]
name = "gvi"
reflection = "moreau-literal"
[run]
step = 0.01
steps = 1
"#;
    let place = Place::new();
    place.write("corner.toml", CORNER);
    let run = ["run", "corner.toml", "--quiet", "--out", "run"];
    place.carom(&run).code(0);
    let report = place.json("run/run.json");
    assert_eq!(report["left_approached"], 1);
    let notes = report["notes"].to_string();
    assert!(notes.contains("1 contact was still approached after a reflection"), "{notes}");
    place.carom(&[&run[..], &["--set", "method.reflection=moreau"]].concat()).code(0);
    let report = place.json("run/run.json");
    assert!(
        report["left_approached"].is_null() && report["notes"].as_array().is_some_and(Vec::is_empty),
        "{report}"
    );
}

#[test]
fn forces_of_motors_and_of_friction_are_columns() {
    let place = Place::new();
    // A motor of 30 N at most drags 4 kg over a floor with μ m g = 19.62 N.
    let scene = "[lagrangian]\ncoordinates = ['x', 'y']\nmass = 4.0\npotential = '4*9.81*y'\n\
                 nonholonomic = [{ name = 'winch', expression = 'dot(x) - 100', max_force = 30 }]\n\
                 inequalities = [{ name = 'floor', expression = 'y', restitution = 0, friction = 0.5, slide = 'x' }]\n[initial]\nq = [0, 0]\n\
                 [method]\nname = 'spook'\n[run]\nstep = 0.01\nsteps = 50\nmeasures = ['motor-forces', 'friction-forces']\n";
    place.write("drag.toml", scene);
    place.carom(&["run", "drag.toml", "--quiet", "--out", "run"]).code(0);
    let columns = measures(&place, "run");
    let [motor, friction] = ["motor_force.winch", "friction_force.floor"].map(|name| column(&columns, name));
    assert_eq!((motor[0], friction[0], motor.len()), (0.0, 0.0, 51), "nothing at the start");
    assert!(motor[1..].iter().all(|force| (force - 30.0).abs() < 1e-9), "{motor:?}");
    // The contact settles by its compliance first, a third of the way in every step.
    assert!(friction[30..].iter().all(|force| (force + 19.62).abs() < 1e-9), "{friction:?}");
    // In space there are two directions.
    let disc = "[[particle]]\nmass = 1\nposition = [0, 0, 0]\nvelocity = [3, 4, 0]\n[[field]]\ngravity = [0, 0, -10]\n[[wall]]\nnormal = [0, 0, 1]\n\
                friction = 0.3\nrestitution = 0\n[method]\nname = 'spook'\n[run]\nstep = 0.01\nsteps = 40\nmeasures = ['friction-forces']\n";
    place.write("slide.toml", disc);
    place.carom(&["run", "slide.toml", "--quiet", "--out", "slide"]).code(0);
    let columns = measures(&place, "slide");
    let [first, second] = ["friction_force.sphere 0 at wall 0.1", "friction_force.sphere 0 at wall 0.2"];
    let size = column(&columns, first)[40].hypot(column(&columns, second)[40]);
    // μ m g, as well as the tolerance of the solver, 1e-8 of the 10 N, has it.
    assert!((size - 3.0).abs() < 1e-7, "{size}");
}

#[test]
fn a_start_in_compression_is_described_by_check_and_sources_stand_in_the_report() {
    let place = Place::new();
    let said = place.carom(&["check", "squeezed-disc"]).code(0).out;
    // 5 mm into 1e-4 m/N: 50 N; ½ · 25e-6 (1e4 + 1e4/3) = 1/6 J.
    let expected = "2 contacts in compression, which stores 1.667e-1; deepest: `sphere disc at wall";
    assert!(said.contains(expected) && said.contains("gap -5.000e-3, force "), "{said}");
    let data = place.carom(&["check", "squeezed-disc", "--json"]).code(0).json();
    let forces: Vec<f64> = data["compressed"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|contact| contact["force"].as_f64())
        .collect();
    assert!((forces[0] - 50.0).abs() < 1e-9 && (forces[1] - 50.0 / 3.0).abs() < 1e-9, "{forces:?}");
    let open = place.carom(&["check", "squeezed-disc", "--set", "parameters.squeeze=-0.001"]).code(0).out;
    assert!(!open.contains("compression"), "{open}");
    let motor = "[lagrangian]\ncoordinates = ['x']\nmass = 2\nnonholonomic = [{ expression = 'dot(x) - 10', max_force = 3 }]\n[initial]\nq = [0]\n\
                 [method]\nname = 'spook'\n[run]\nstep = 0.01\nuntil = 2\n";
    place.write("motor.toml", motor);
    let said = place.carom(&["run", "motor.toml", "--out", "run"]).code(0).out;
    assert!(
        said.contains("by sources") && said.contains("motors ") && !said.contains("an error of the steps"),
        "{said}"
    );
}
