//! Friction of contacts that rest: what sticks stays, what slides is of second order, and a step knows nothing of the one before.

use carom::state::State;
use carom_io::scene::Scene;
use carom_tests::runs::{advance, method, scene, slopes, stepper};

/// A disc on two others that stand apart on the floor: the normals lean by `a = sin⁻¹ ¾` out of the vertical. The force on the disc above may lean
/// by `φ = tan⁻¹ μ` less, and pushes those below outwards by `½mg tan(a − φ)`, which `1½mg μ` holds for μ above 0.235.
fn pile(mu: f64) -> Scene {
    let text = format!(
        "[[particle]]\nname = 'left'\nmass = 1\nradius = 0.1\nposition = [0, 0.1]\n\
         [[particle]]\nname = 'right'\nmass = 1\nradius = 0.1\nposition = [0.3, 0.1]\n\
         [[particle]]\nname = 'top'\nmass = 1\nradius = 0.1\nposition = [0.15, '0.1 + sqrt(0.0175)']\n\
         [[field]]\ngravity = [0, -9.81]\n\
         [[contact]]\nrestitution = 0\nfriction = {mu}\n[[wall]]\nnormal = [0, 1]\nrestitution = 0\nfriction = {mu}\n\
         [method]\nname = 'cva'\n[run]\nstep = 0.05\nuntil = 20\n"
    );
    scene("pile", &text, &[])
}

fn farthest(a: &State, b: &State) -> f64 {
    a.q.iter().zip(&b.q).fold(0.0, |far, (a, b)| (a - b).abs().max(far))
}

#[test]
fn discs_on_discs_stay_where_they_are() {
    for name in ["cva", "vci", "vci rule=gamma"] {
        for h in [0.05, 0.01] {
            // Where steps are not explicit friction and normals are found in turns, which may let go before the limit.
            let near = if name == "vci rule=gamma" { 0.6 } else { 0.24 };
            for (mu, stays) in [(1.2, true), (near, true), (0.23, false)] {
                let scene = pile(mu);
                let (mut stepper, start) = (stepper(&scene, &method(name)), &scene.problem.initial);
                let mut state = start.clone();
                advance(&scene, &mut *stepper, &mut state, h, (4.0 / h) as u64);
                let way = farthest(&state, start);
                assert!(if stays { way < 1e-13 } else { way > 0.05 }, "{name}, mu = {mu}, h = {h}: {way:e}");
            }
        }
    }
}

/// A particle that slides in a round bowl, from beside its centre.
fn bowl() -> Scene {
    let text = "[[particle]]\nmass = 1\nposition = [1, 0]\n[[field]]\ngravity = [0, -9.81]\n\
                [[ball]]\ncentre = [0, 0]\nradius = 1\nside = 'inside'\nrestitution = 0\nfriction = 0.2\n\
                [method]\nname = 'cva'\n[run]\nstep = 0.01\nuntil = 6\n";
    scene("bowl", text, &[])
}

#[test]
fn sliding_is_of_second_order() {
    let scene = bowl();
    for name in ["cva", "vci", "vci rule=gamma"] {
        // It slides down and up again, and has not turned yet.
        let (errors, slopes) = slopes(&scene, &|| stepper(&scene, &method(name)), 0.8, 40, 2);
        println!("{name}: {slopes:.3?}, {errors:?}");
        assert!(slopes.iter().all(|slope| (slope - 2.0).abs() < 0.15), "{name}: {slopes:?}");
        // It comes to rest where the differential equation does.
        let mut state = scene.problem.initial.clone();
        advance(&scene, &mut *stepper(&scene, &method(name)), &mut state, 0.002, 3000);
        assert!((state.q[0] - 0.09391).abs() < 2e-5, "{name}: {}", state.q[0]);
        assert!(state.p.iter().all(|p| p.abs() < 1e-15), "{name}: {:?}", state.p);
    }
}

#[test]
fn friction_brakes_back_in_time_too() {
    let scene = bowl();
    for name in ["cva", "vci rule=gamma"] {
        let mut stepper = stepper(&scene, &method(name));
        let mut state = scene.problem.initial.clone();
        advance(&scene, &mut *stepper, &mut state, 0.01, 50);
        let system = &*scene.problem.system;
        let energy = |state: &State| 0.5 * (state.p[0].powi(2) + state.p[1].powi(2)) + 9.81 * state.q[1];
        let mut before = energy(&state);
        for _ in 0..20 {
            let report = stepper.step(system, &mut state, -0.01).expect("a step");
            let now = energy(&state);
            assert!(now < before && report.impact_work < 0.0, "{name}: {before} → {now}");
            assert!((now - before - report.impact_work).abs() < 2e-3 * (before - now), "{name}");
            before = now;
        }
    }
}

#[test]
fn a_step_knows_nothing_of_the_one_before() {
    let scene = super::boxes::scene(2, 4, &["parameters.mu=0.3"]);
    for name in ["cva", "vci"] {
        let mut one = stepper(&scene, &method(name));
        let mut state = scene.problem.initial.clone();
        let mut held = 0;
        for step in 0..400 {
            let mut again = state.clone();
            let report = one.step(&*scene.problem.system, &mut state, scene.run.h).expect("a step");
            if step % 7 == 0 {
                stepper(&scene, &method(name))
                    .step(&*scene.problem.system, &mut again, scene.run.h)
                    .expect("a step");
                assert_eq!(again, state, "{name}, step {step}");
                held += u32::from(report.active);
            }
        }
        assert!(held > 30, "{name}: {held}");
    }
}

#[test]
fn friction_that_has_no_effect_is_told() {
    let told = |name: &str, edits: &[&str]| {
        let scene = carom_tests::runs::built_in(name, edits);
        scene.method.warnings(&*scene.problem.system, &scene.problem.initial, scene.run.h)
    };
    let rough = ["method.name=cva", "method.friction=0.3"];
    assert!(told("pogo-stick", &rough)[0].starts_with("`ground`: the friction of the method has no effect"));
    assert!(told("pogo-stick", &["method.name=cva"]).is_empty());
    assert!(told("star-body", &["method.friction=0.3"]).is_empty());
}

/// Where a particle is after 1 s that starts in the corner of a floor with friction and of a wall without, pulled along the floor away from it.
#[test]
fn a_contact_without_friction_does_not_pull() {
    let text = "[[particle]]\nmass = 1\nposition = [0, 0]\n[[field]]\ngravity = [3, -9.81]\n\
                [[wall]]\nnormal = [0, 1]\nfriction = 0.1\nrestitution = 0\n[[wall]]\nnormal = [1, 0]\nrestitution = 0\n\
                [method]\nname = 'cva'\n[run]\nstep = 0.01\nuntil = 1\n";
    let scene = scene("corner", text, &[]);
    for name in ["cva", "vci", "spook"] {
        let mut state = scene.problem.initial.clone();
        advance(&scene, &mut *stepper(&scene, &method(name)), &mut state, 0.01, 100);
        let (way, off) = (0.5 * (3.0 - 0.981), if name == "spook" { 0.011 } else { 1e-12 });
        assert!((state.q[0] - way).abs() < off, "{name}: {}", state.q[0]);
    }
    // A pyramid of discs that touch, smooth to each other: the floor has to hold ½·tan 30°·mg of 1½mg.
    for (mu, stays) in [(0.1925, true), (0.1924, false)] {
        let text = format!(
            "[[particle]]\nmass = 1\nradius = 0.1\nposition = ['0.2*i', 0.1]\nrepeat = {{ index = 'i', count = 2 }}\n\
             [[particle]]\nname = 'top'\nmass = 1\nradius = 0.1\nposition = [0.1, '0.1 + 0.1*sqrt(3)']\n\
             [[field]]\ngravity = [0, -9.81]\n[[contact]]\nrestitution = 0\n\
             [[wall]]\nnormal = [0, 1]\nrestitution = 0\nfriction = {mu}\n\
             [method]\nname = 'cva'\n[run]\nstep = 0.01\nuntil = 4\n"
        );
        let scene = carom_tests::runs::scene("pyramid", &text, &[]);
        let mut state = scene.problem.initial.clone();
        advance(&scene, &mut *stepper(&scene, &method("cva")), &mut state, 0.01, 400);
        let way = farthest(&state, &scene.problem.initial);
        assert!(if stays { way < 1e-12 } else { way > 1e-4 }, "mu = {mu}: {way:e}");
    }
}

#[test]
fn sliding_that_turns_in_space_is_of_second_order() {
    let floor = "[[particle]]\nmass = 1\nposition = [0, 0, 0]\nvelocity = [2, 0, 0]\n[[field]]\ngravity = [0, -2, -9.81]\n\
                 [[wall]]\nnormal = [0, 0, 1]\nfriction = 0.3\nrestitution = 0\n\
                 [method]\nname = 'cva'\n[run]\nstep = 0.01\nuntil = 1\n";
    let sphere = "[[particle]]\nmass = 1\nposition = [1, 0, 0]\nvelocity = [0, 2, 0]\n[[field]]\ngravity = [0, 0, -9.81]\n\
                  [[ball]]\ncentre = [0, 0, 0]\nradius = 1\nside = 'inside'\nfriction = 0.2\nrestitution = 0\n\
                  [method]\nname = 'cva'\n[run]\nstep = 0.01\nuntil = 1\n";
    for (name, text) in [("floor", floor), ("sphere", sphere)] {
        let scene = scene(name, text, &[]);
        let (_, slopes) = slopes(&scene, &|| stepper(&scene, &method("cva")), 0.5, 40, 2);
        println!("{name}: {slopes:.3?}");
        assert!(slopes.iter().all(|slope| (slope - 2.0).abs() < 0.15), "{name}: {slopes:?}");
    }
}

#[test]
fn a_rod_that_wedges_itself_is_an_error_with_numbers() {
    let text = "[parameters]\nmu = 1.3\n[lagrangian]\ncoordinates = ['x', 'y', 'phi']\nmass = [1, 1, '1/3']\npotential = '9.81*y'\n\
                inequalities = [{ name = 'tip', expression = 'y - sin(phi)', restitution = 0, friction = 'mu', slide = 'x - cos(phi)' }]\n\
                [initial]\nq = [0, 'sin(1.2)', 1.2]\nv = [-5, 0, 0]\n[method]\nname = 'cva'\n[run]\nstep = 0.001\nuntil = 0.1\n";
    for (mu, solved) in [("1.3", true), ("1.5", false), ("2", false)] {
        let scene = scene("rod", text, &[&format!("parameters.mu={mu}")]);
        let mut state = scene.problem.initial.clone();
        let step = stepper(&scene, &method("cva")).step(&*scene.problem.system, &mut state, 0.001);
        match step {
            Ok(_) => assert!(solved, "mu = {mu}"),
            Err(error) => {
                assert!(!solved && error.to_string().contains("`tip` is off by the speed"), "{mu}: {error}")
            }
        }
    }
}

#[test]
fn friction_that_lasts_has_an_account() {
    let scene = bowl();
    let (mut left, mut error) = (0.0, 0.0);
    let mut stepper = stepper(&scene, &method("cva"));
    let mut state = scene.problem.initial.clone();
    let energy = |state: &State| 0.5 * (state.p[0].powi(2) + state.p[1].powi(2)) + 9.81 * state.q[1];
    for _ in 0..3000 {
        let before = energy(&state);
        let report = stepper.step(&*scene.problem.system, &mut state, 0.002).expect("a step");
        assert_eq!(report.impact_work, stepper.friction_work());
        left += report.impact_work;
        error += (energy(&state) - before - report.impact_work).abs();
    }
    // From beside the centre it comes to rest nearly below it.
    assert!((left + 9.81 * 0.99558).abs() < 1e-3 && error < 1e-3, "{left}, {error:e}");
    let ledger = carom::measures::Ledger::of(&method("cva"), &*scene.problem.system);
    let names: Vec<&str> = ledger.sources.iter().map(|account| account.name.as_str()).collect();
    assert_eq!(names, ["impacts", "friction", "capture"]);
}
