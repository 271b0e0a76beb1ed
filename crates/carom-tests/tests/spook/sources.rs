//! Motors, moving constraints and forces are sources of energy; no error of the steps.

use carom::measures::{Ledger, Role};
use carom_tests::runs::scene;

use crate::{run, through};

fn role(ledger: &Ledger, name: &str) -> Role {
    ledger.sources.iter().find(|account| account.name == name).expect("an account of that name").role
}

#[test]
fn a_motor_at_its_bound_puts_in_its_force_times_the_way() {
    // 3 N at most on 2 kg from rest, wanted 10 m/s: the bound all the time.
    let text = "[lagrangian]\ncoordinates = ['x']\nmass = 2.0\nnonholonomic = [{ name = 'motor', expression = 'dot(x) - 10', max_force = 3.0 }]\n\
                [initial]\nq = [0.0]\n[method]\nname = 'spook'\n[run]\nstep = 0.01\nuntil = 2.0\n";
    let scene = scene("cart", text, &[]);
    let mut forces = Vec::new();
    let (outcome, summary, ledger) = run(&scene, &mut |frame| forces.push(frame.velocity_impulse[0] / 0.01));
    assert_eq!(outcome.ended, None);
    assert!(forces[1..].iter().all(|force| (force - 3.0).abs() < 1e-12), "{forces:?}");
    let energy = summary.energy.expect("looked at");
    let gained = energy.last - energy.initial;
    // v = F t/m; the velocity of the node at the end is half a step on.
    let expected = 0.5 * 2.0 * (3.0 * (2.0 + 0.005) / 2.0_f64).powi(2);
    println!("gained {gained}, expected {expected}; motors {}", through(&ledger, "motors"));
    assert!((energy.last - expected).abs() < 1e-9 * expected, "{} {expected}", energy.last);
    assert!((through(&ledger, "motors") - gained).abs() < 1e-12 * gained);
    assert_eq!((through(&ledger, "velocity rows"), role(&ledger, "motors")), (0.0, Role::Source));
    assert!((ledger.from_sources() - gained).abs() < 1e-12 * gained && ledger.risen < 1e-12 * gained);
}

#[test]
fn a_knife_edge_is_no_motor_and_a_prescribed_speed_without_bounds_is_one() {
    let text = |row: &str| {
        format!(
            "[lagrangian]\ncoordinates = ['x', 'y']\nmass = 1.0\npotential = '-x - y'\nnonholonomic = [{{ expression = '{row}' }}]\n[initial]\n\
             q = [0.0, 0.0]\n[method]\nname = 'spook'\nslip = 1e-3\n[run]\nstep = 0.01\nuntil = 1.0\n"
        )
    };
    let (_, _, edge) = run(&scene("edge", &text("dot(x) - dot(y)*y"), &[]), &mut |_| {});
    assert_eq!(through(&edge, "motors"), 0.0);
    assert!(through(&edge, "velocity rows") != 0.0);
    // 0 at the start, and a motor all the same.
    let (_, _, driven) = run(&scene("driven", &text("dot(x) - sin(t)"), &[]), &mut |_| {});
    assert_eq!(through(&driven, "velocity rows"), 0.0);
    assert!(through(&driven, "motors").abs() > 0.01);
}

#[test]
fn a_moving_constraint_is_a_source() {
    // A cart of 2 kg on a spring whose end moves by 0.3 t: the constraint pulls it along.
    let text = "[lagrangian]\ncoordinates = ['x']\nmass = 2.0\nequalities = [{ name = 'pull', expression = 'x - 0.3*t', compliance = 0.01, damping = 0.2 }]\n\
                [initial]\nq = [0.0]\n[method]\nname = 'spook'\n[run]\nstep = 0.01\nuntil = 20.0\n";
    let (outcome, summary, ledger) = run(&scene("pulled", text, &[]), &mut |_| {});
    assert_eq!(outcome.ended, None);
    let energy = summary.energy.expect("looked at");
    // At the end it moves at 0.3 m/s: ½ m v² = 0.09 J. The end pulled with Σ f·0.3 dt = m v · v = 0.18 J, and half of it was damped; what the
    // constraint stored at the start, when the cart was too slow, went the same way.
    let names = ["moving constraints", "constraint damping", "constraint compliance"];
    let [pulled, damped, released] = names.map(|name| through(&ledger, name));
    println!("pulled {pulled}, damped {damped}, energy {}, unexplained {:e}", energy.last, ledger.error_max);
    assert!((energy.last - 0.09).abs() < 1e-6 && (pulled - 0.18).abs() < 1e-6);
    // The first node has the velocity that half of the first step gives.
    assert!((damped + released + 0.09 + energy.initial).abs() < 1e-6, "{damped} {released} {energy:?}");
    assert!(energy.initial < 1e-3, "{energy:?}");
    assert_eq!(role(&ledger, "moving constraints"), Role::Source);
    assert!((ledger.from_sources() - pulled).abs() < 1e-12);
}

#[test]
fn a_named_force_is_a_source() {
    let text = "[lagrangian]\ncoordinates = ['x']\nmass = 2.0\nforces = { x = { thrust = '3.0' } }\n[initial]\nq = [0.0]\n[method]\nname = 'spook'\n\
                [run]\nstep = 0.01\nuntil = 2.0\n";
    let (_, summary, ledger) = run(&scene("thrust", text, &[]), &mut |_| {});
    let energy = summary.energy.expect("looked at");
    let gained = energy.last - energy.initial;
    assert!((through(&ledger, "thrust") - gained).abs() < 1e-9 * gained, "{} {gained}", through(&ledger, "thrust"));
    assert_eq!(role(&ledger, "thrust"), Role::Source);
    assert!(ledger.risen.abs() < 1e-9 * gained, "{:e}", ledger.risen);
}
