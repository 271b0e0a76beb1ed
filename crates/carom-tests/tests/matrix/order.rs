//! Order of convergence, two-sided.

use carom::method::AnyMethod;
use carom_io::scene::Scene;
use carom_tests::control::Euler;
use carom_tests::runs::{Boxed, built_in, distance, method as method_of, scene, slopes, state_after, stepper};

use crate::systems::{DUMBBELL, systems, takes};
use crate::{jumps_at_one_end, label, order, variants};

#[test]
fn every_method_has_the_order_that_it_claims_on_every_system() {
    for (scene, span, first) in systems() {
        for method in variants().iter().filter(|method| takes(method, &scene)) {
            let order = order(method, scene.problem.system.equalities().count() > 0);
            if order > 2 {
                check_high(&scene, method, span);
                continue;
            }
            let make = || stepper(&scene, method);
            // A rule of order 1 reaches its slope later.
            let first = if order == 1 { 4 * first } else { first };
            let (errors, slopes) = slopes(&scene, &make, span, first, order);
            let last = slopes.last().copied().unwrap_or(f64::NAN);
            let allowed = if order == 1 { 0.1 } else { 0.05 };
            let message = format!("{} on {}: errors {errors:?}, slopes {slopes:.3?}", label(method), scene.name);
            println!("{message}");
            assert!((last - f64::from(order)).abs() <= allowed, "{message}");
        }
    }
}

/// Orders above 2 reach round-off after few halvings: against a fine run of degree 9 over half the span, the slope of the last two errors
/// above it.
pub fn check_high(scene: &Scene, method: &AnyMethod, span: f64) {
    let span = 0.5 * span;
    let reference = state_after(scene, &mut *stepper(scene, &method_of("galerkin degree=9")), span, 64);
    let order = f64::from(method.claims().order);
    // Steps that are too long to be solved say nothing.
    let error = |steps: u64| {
        let (mut step, mut state) = (stepper(scene, method), scene.problem.initial.clone());
        for _ in 0..steps {
            step.step(&*scene.problem.system, &mut state, span / steps as f64).ok()?;
        }
        Some(distance(&state, &reference))
    };
    let errors: Vec<f64> =
        (0..9).filter_map(|level| error(2 << level)).take_while(|error| *error > 2e-12).collect();
    let slopes: Vec<f64> = errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect();
    let last = slopes.last().copied().unwrap_or(f64::NAN);
    let message = format!("{} on {}: errors {errors:?}, slopes {slopes:.3?}", label(method), scene.name);
    println!("{message}");
    // The higher the order, the fewer errors lie between the first steps and round-off.
    let allowed = [0.25, 0.4, 1.2][usize::from(order > 4.0) + usize::from(order > 5.0)];
    assert!((last - order).abs() <= allowed, "{message}");
}

#[test]
fn forces_that_depend_on_velocity_and_time_keep_the_order() {
    let edits = [
        "lagrangian.forces=['-0.2*dot(x1)+0.1*cos(3*t)', '-0.2*dot(y1)', '0.1*dot(y2)*x1', '-0.1*dot(x2)*x1-0.3*dot(y2)^3']",
        "lagrangian.potential='(hypot(x2-x1,y2-y1)-1)^2+0.2*sin(2*t)*x1'",
    ];
    let scene = scene("driven dumbbell", DUMBBELL, &edits);
    for method in variants() {
        let order = method.claims().order;
        if order > 2 {
            check_high(&scene, &method, 2.0);
            continue;
        }
        let first = if order == 1 { 256 } else { 64 };
        let (errors, slopes) = slopes(&scene, &|| stepper(&scene, &method), 1.0, first, order);
        let last = slopes.last().copied().unwrap_or(f64::NAN);
        let allowed = if order == 1 { 0.1 } else { 0.05 };
        let message = format!("{}: errors {errors:?}, slopes {slopes:.3?}", label(&method));
        assert!((last - f64::from(order)).abs() <= allowed, "{message}");
    }
}

#[test]
fn control_explicit_euler_fails_the_order_of_verlet() {
    let scene = built_in("elastic-pendulum", &[]);
    let make = || -> Boxed { Box::new(Euler) };
    let (_, slopes) = slopes(&scene, &make, 1.0, 512, 1);
    let last = slopes.last().copied().unwrap_or(f64::NAN);
    assert!((last - 1.0).abs() < 0.1 && (last - 2.0).abs() > 0.05, "slope {last}");
}

/// States from DOP853 with tolerance 3e-14, another program and another form of the equations.
#[test]
fn methods_converge_to_the_solution_and_not_to_something_else() {
    let elastic = ([1.287056404250, -0.685700530583], [-1.80988556721, -0.839658155799]);
    let double = ([-0.25865734345, -0.74639218848], [-0.54043956860, -2.16207763676]);
    for (name, (q, v)) in [("elastic-pendulum", elastic), ("double-pendulum", double)] {
        let scene = built_in(name, &[]);
        for text in ["verlet", "midpoint", "variational rule=gamma, gamma=0.5"] {
            let state = state_after(&scene, &mut *stepper(&scene, &method_of(text)), 1.0, 20_000);
            let mut p = [0.0; 2];
            scene.problem.system.mass().times(&state.q, &v, &mut p);
            for i in 0..2 {
                assert!((state.q[i] - q[i]).abs() < 2e-7, "{text} on {name}: q {:?}, expected {q:?}", state.q);
                assert!((state.p[i] - p[i]).abs() < 2e-6, "{text} on {name}: p {:?}, expected {p:?}", state.p);
            }
        }
    }
}

/// `m x'' = −k x − c x' + a cos(w t)` against its closed form: the signs and factors of the force, on every path.
#[test]
fn a_damped_driven_oscillator_follows_its_closed_form() {
    let (m, k, c, a, w) = (1.3_f64, 5.0_f64, 0.4_f64, 2.0_f64, 1.7_f64);
    // x = e^{−γt}(A cos Ωt + B sin Ωt) + P cos wt + Q sin wt.
    let closed = |c: f64, t: f64| {
        let (gamma, detuning) = (c / (2.0 * m), k - m * w * w);
        let omega = (k / m - gamma * gamma).sqrt();
        let scale = a / (detuning * detuning + (c * w).powi(2));
        let (p, q) = (scale * detuning, scale * c * w);
        let (x0, v0) = (0.5 - p, 0.2 - q * w);
        let (first, second) = (x0, (v0 + gamma * x0) / omega);
        let free = (first * (omega * t).cos() + second * (omega * t).sin()) * (-gamma * t).exp();
        free + p * (w * t).cos() + q * (w * t).sin()
    };
    for (c, force) in [(c, "-c*dot(x) + a*cos(w*t)"), (0.0, "a*cos(w*t)")] {
        let text = format!(
            "[parameters]\nm = {m}\nk = {k}\nc = {c}\na = {a}\nw = {w}\n[lagrangian]\ncoordinates = ['x']\n\
             mass = 'm'\npotential = '0.5*k*x^2'\nforces = ['{force}']\n[initial]\nq = [0.5]\nv = [0.2]\n\
             [method]\nname = 'verlet'\n[run]\nstep = 0.01\nsteps = 1\n"
        );
        let scene = scene("driven", &text, &[]);
        for method in variants() {
            let state = state_after(&scene, &mut *stepper(&scene, &method), 6.0, 6000);
            let error = (state.q[0] - closed(c, 6.0)).abs();
            // For order 1 the largest is Newmark's damping, (γ − ½) h k/(2m) per unit of time: 5e-3 here; that of implicit Euler, and the
            // growth of explicit Euler, are twice as large.
            let allowed = match method.claims().order {
                1 if matches!(method, AnyMethod::Penalty(_)) || jumps_at_one_end(&method) => 1.2e-2,
                1 => 6e-3,
                2 => 3e-6,
                // The amplitude of the free part, 1.1, grows or falls by ω (hω)³/72 = 2.1e-10 per unit of time: 1.4e-9 here.
                3 if jumps_at_one_end(&method) => 1.5e-9,
                3 => 1e-10,
                _ => 1e-11,
            };
            assert!(error < allowed, "{} with {force}: {error:e}", label(&method));
        }
    }
}
