//! The discrete energy and the shadow energy of steps: what each conserves, to which order, and what impacts make of them.

use std::sync::atomic::AtomicBool;

use carom::measures::DiscreteEnergy;
use carom::method::AnyMethod;
use carom::observe::{Frame, Observer};
use carom::run::{Grid, OnFailure, Run};
use carom::steppers::shared::mass::InverseMass;
use carom::steppers::shared::shadow::Shadow;
use carom_io::scene::Scene;
use carom_tests::runs::{built_in, method, scene, stepper};

/// The three energies at a node; the discrete one of the step that ends there.
#[derive(Debug, Clone, Copy)]
struct Energies {
    h: f64,
    discrete: f64,
    shadow: f64,
    impacts: u32,
    fallbacks: u32,
    /// What was left of the step after its last impact, as a share of it; 1 without impacts.
    share: f64,
}

struct Look<F>(F);

impl<F: FnMut(&Frame)> Observer for Look<F> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        (self.0)(frame);
        Ok(())
    }
}

/// Runs a scene and measures the energies at every node. A mass or a rule without a shadow Hamiltonian has none.
fn energies(scene: &Scene, method: &AnyMethod, h: f64, steps: u64) -> Vec<Energies> {
    let problem = &scene.problem;
    let system = &*problem.system;
    let lagrangian = method.discrete_lagrangian().expect("a discrete Lagrangian");
    let mut discrete = DiscreteEnergy::new(&lagrangian, h, &problem.initial, 0);
    let inverse = InverseMass::new(system, &problem.initial.q).expect("a mass");
    let mut shadow = Shadow::new(system.dim());
    let rule = lagrangian.shadow_rule().filter(|_| system.mass().is_constant());
    let mut rows = Vec::new();
    let mut look = Look(|frame: &Frame| {
        discrete.observe(frame);
        rows.push(Energies {
            h: frame.energy(),
            discrete: discrete.at(system, frame).unwrap_or(f64::NAN),
            shadow: rule.map_or(f64::NAN, |rule| shadow.energy(system, &inverse, (rule, h), frame.state)),
            impacts: frame.report.impacts,
            fallbacks: frame.report.fallbacks,
            share: frame.events.last().map_or(1.0, |event| 1.0 - event.alpha),
        });
    });
    let mut step = stepper(scene, method);
    let grid = Grid { t0: problem.initial.t, h, steps };
    let run = Run { system, stepper: &mut *step, grid, on_failure: OnFailure::Stop };
    let outcome = run.go(problem.initial.clone(), &mut [&mut look], &AtomicBool::new(false));
    assert_eq!(outcome.ended, None, "{}", scene.name);
    rows
}

/// Largest distance between two values of the rows.
fn spread(rows: &[Energies], of: impl Fn(&Energies) -> f64) -> f64 {
    let ends =
        rows.iter().map(of).fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
    ends[1] - ends[0]
}

const DUFFING: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = [[2.0, 0.5], [0.5, 1.0]]
potential = "0.5*x^2 + 0.7*y^2 + 0.3*x*y + 0.25*(x - y)^4"
[initial]
q = { x = 1.0, y = -0.4 }
v = { x = 0.2, y = 0.9 }
[method]
name = "verlet"
[run]
step = 0.1
steps = 1
"#;

#[test]
fn steps_keep_the_shadow_energy_to_fourth_order_and_the_others_to_second() {
    for scene in [built_in("harmonic-oscillator", &[]), scene("duffing", DUFFING, &[])] {
        for name in ["verlet", "midpoint", "variational rule=gamma, gamma=0.5", "vci", "cva rule=midpoint"] {
            let spreads = [0.08, 0.04, 0.02].map(|h| {
                let rows = energies(&scene, &method(name), h, (16.0 / h) as u64);
                [
                    spread(&rows, |row| row.h),
                    spread(&rows[1..], |row| row.discrete),
                    spread(&rows, |row| row.shadow),
                ]
            });
            let slope = |k: usize, from: usize| (spreads[from][k] / spreads[from + 1][k]).log2();
            println!("{} {name}: {spreads:?}", scene.name);
            if spreads[0][0] < 1e-12 {
                // The midpoint rule keeps a quadratic energy, and all three with it.
                assert!(name.contains("midpoint") || name.contains("gamma"));
                assert!(spreads.iter().flatten().all(|spread| *spread < 1e-12), "{spreads:?}");
                continue;
            }
            for from in 0..2 {
                for (k, order) in [(0, 2.0), (1, 2.0), (2, 4.0)] {
                    let found = slope(k, from);
                    assert!((found - order).abs() < 0.15, "{} {name}: slope {found} of {k}", scene.name);
                }
            }
            // E_d − H is three times what the shadow energy adds to H, so E_d moves twice as far, the other way.
            let ratio = spreads[2][1] / spreads[2][0];
            assert!((ratio - 2.0).abs() < 0.1, "{} {name}: {ratio}", scene.name);
        }
    }
}

/// A particle thrown up in uniform gravity, away from its floor.
const THROWN: &str = r#"
[lagrangian]
coordinates = ["q"]
mass = 1.5
potential = "1.5*9.8*q"
[initial]
q = { q = 1.0 }
v = { q = 19.6 }
[method]
name = "verlet"
[run]
step = 0.05
steps = 1
"#;

#[test]
fn in_uniform_gravity_the_discrete_energy_lies_an_eighth_of_m_g_squared_h_squared_below() {
    let (scene, h, g) = (scene("thrown", THROWN, &[]), 0.05, 9.8);
    for name in ["verlet", "midpoint", "gvi", "gvi rule=midpoint", "vci", "cva", "cva rule=midpoint"] {
        let rows = energies(&scene, &method(name), h, 80);
        // No step has ended at the start.
        assert!(rows[0].discrete.is_nan());
        let below = 1.5 * h * h * g * g / 8.0;
        let off = rows[1..].iter().fold(0.0_f64, |max, row| max.max((row.discrete - row.h + below).abs()));
        println!("{name}: {below:.6} below, off by {off:.1e}");
        assert!(off < 1e-10, "{name}: {off}");
    }
}

#[test]
fn a_step_that_is_cut_at_impacts_has_the_discrete_energy_of_its_last_leg() {
    let scene = built_in("bouncing-particle", &[]);
    for name in ["vci", "cva"] {
        let (h, g) = (scene.run.h, 9.81);
        let rows = energies(&scene, &method(name), h, 5_000);
        let off = |row: &Energies| (row.discrete - row.h + (row.share * h * g).powi(2) / 8.0).abs();
        let worst = rows[1..].iter().fold(0.0_f64, |max, row| max.max(off(row)));
        let cut: Vec<&Energies> = rows.iter().filter(|row| row.impacts > 0).collect();
        println!("{name}: {} steps cut, off by {worst:.1e}", cut.len());
        // Short legs have chords of fewer digits: 1e-16 of the height over 1e-3 of a step.
        assert!(cut.len() > 40 && worst < 1e-9, "{name}: {worst:e}");
        // Negative control: with the length of the whole step it would be off by 1e-3.
        assert!(cut.iter().any(|row| (row.discrete - row.h + (h * g).powi(2) / 8.0).abs() > 1e-4));
    }
}

#[test]
fn discrete_reflections_give_the_step_after_the_discrete_energy_of_the_step_before() {
    // Names, further options, steps.
    let scenes = [
        ("pogo-stick-hardening", "", 20_000),
        ("pogo-stick", "", 20_000),
        ("newtons-cradle", "", 3_000),
        ("nonlinear-oscillator-asymmetric", ", rule=midpoint", 5_000),
        ("lennard-jones-chain", "", 5_000),
        ("double-pendulum-wall", "", 20_000),
    ];
    for (name, options, steps) in scenes {
        let scene = built_in(name, &[]);
        let jumps = |energy: &str| {
            let method = method(&format!("gvi energy={energy}{options}"));
            let rows = energies(&scene, &method, scene.run.h, steps);
            let (mut worst, mut impacts, mut fallbacks) = (0.0_f64, 0, 0);
            for pair in rows[1..].windows(2) {
                fallbacks += pair[1].fallbacks;
                if pair[1].impacts > 0 && pair[1].fallbacks == 0 {
                    impacts += 1;
                    worst = worst.max((pair[1].discrete - pair[0].discrete).abs());
                }
            }
            (worst / rows[0].h.abs(), impacts, fallbacks)
        };
        let (worst, impacts, fallbacks) = jumps("discrete");
        // Negative control: reflections that conserve H.
        let (control, ..) = jumps("hamiltonian");
        println!(
            "{name}: {impacts} impacts, {worst:.1e} of the energy; {fallbacks} fallbacks; with H {control:.1e}"
        );
        assert!(impacts > 10 && worst < 5e-14 && control > 1e-6, "{name}");
        // Near grazing there is no solution: 1.2 % of the impacts of the oscillator, with h = 0.1.
        assert!(fallbacks * 50 <= impacts, "{name}");
    }
}

#[test]
fn reflections_that_keep_the_discrete_energy_move_the_shadow_energy_twice_as_far_as_those_that_keep_h() {
    let scene = built_in("pogo-stick-hardening", &[]);
    let (system, inverse) =
        (&*scene.problem.system, InverseMass::new(&*scene.problem.system, &scene.problem.initial.q));
    let (inverse, mut shadow) = (inverse.expect("a mass"), Shadow::new(2));
    let methods = ["hamiltonian", "discrete"].map(|energy| method(&format!("gvi energy={energy}")));
    let rule = methods[0].discrete_lagrangian().and_then(|lagrangian| lagrangian.shadow_rule()).expect("Verlet");
    let (h, mut state) = (0.002, scene.problem.initial.clone());
    let mut steps = methods.each_ref().map(|method| stepper(&scene, method));
    let mut ratios = Vec::new();
    for _ in 0..100_000 {
        let before = shadow.energy(system, &inverse, (rule, h), &state);
        let mut ends = [state.clone(), state.clone()];
        let reports = [0, 1].map(|k| steps[k].step(system, &mut ends[k], h).expect("a step"));
        if reports[0].impacts > 0 {
            assert_eq!(reports[1].impacts, 1);
            let jumps = ends.each_ref().map(|end| shadow.energy(system, &inverse, (rule, h), end) - before);
            if reports[1].fallbacks == 0 && jumps[0].abs() > 1e-7 {
                ratios.push(jumps[1] / jumps[0]);
            }
        }
        state.copy_from(&ends[0]);
    }
    ratios.sort_by(f64::total_cmp);
    let (count, middle) = (ratios.len(), ratios[ratios.len() / 2]);
    let quartiles = [ratios[count / 4], ratios[3 * count / 4]];
    println!("{count} impacts: ratio {middle:.4}, between {quartiles:?}");
    assert!(count > 50 && quartiles.iter().all(|ratio| (ratio + 2.0).abs() < 0.1));
}

#[test]
fn discrete_reflections_fall_back_only_where_no_impulse_keeps_the_discrete_energy() {
    let scene = built_in("pogo-stick-hardening", &[]);
    let (system, h, method) = (&*scene.problem.system, scene.run.h, method("gvi energy=discrete"));
    // Unit masses: E_d of the Verlet step of length h from (q, p).
    let discrete = |q: &[f64], p: [f64; 2], h: f64| {
        let mut gradient = [0.0; 2];
        system.potential_gradient(0.0, q, &mut gradient);
        let v = [0, 1].map(|i| p[i] - 0.5 * h * gradient[i]);
        let end = [0, 1].map(|i| q[i] + h * v[i]);
        0.5 * (v[0] * v[0] + v[1] * v[1]) + 0.5 * (system.potential(0.0, q) + system.potential(0.0, &end))
    };
    let (mut state, mut step) = (scene.problem.initial.clone(), stepper(&scene, &method));
    let (mut fallbacks, mut met, mut shortest, mut fastest) = (0, 0, f64::INFINITY, 0.0_f64);
    for _ in 0..50_000 {
        let before = state.clone();
        let report = step.step(system, &mut state, h).expect("a step");
        if report.impacts == 0 {
            continue;
        }
        let ([p1, p2], q) = ([before.p[0], before.p[1]], &before.q);
        let target = discrete(q, [p1, p2], -h);
        let miss = |s: f64| discrete(q, [p1, p2 - 2.0 * s * p2], h) - target;
        // Any root in (0, 2) with a rising energy is a reflection.
        let mut roots = (0..4_000).filter(|k| {
            let ends = [*k, k + 1].map(|k| miss(f64::from(k) * 5e-4));
            ends[0] < 0.0 && ends[1] >= 0.0
        });
        let root = roots.next_back();
        if report.fallbacks > 0 {
            fallbacks += 1;
            assert_eq!(root, None, "{before:?}");
            fastest = fastest.max(p2.abs());
        } else {
            met += 1;
            let root = f64::from(root.expect("a root")) * 5e-4;
            shortest = shortest.min(root);
        }
    }
    println!(
        "{met} reflections, the shortest {shortest} of that of the law; {fallbacks} without, up to |p2| = {fastest}"
    );
    assert!(fallbacks > 5 && met > 1000);
}

/// Root of the mean square over a family of starts of what the shadow energy has changed by at the end.
fn walk(energy: &str, steps: u64) -> f64 {
    let starts = 32;
    let squares = (0..starts).map(|k| {
        let scene =
            built_in("pogo-stick-hardening", &[&format!("parameters.height={}", 1.0 + 0.01 * f64::from(k))]);
        let rows = energies(&scene, &method(&format!("gvi energy={energy}")), 0.02, steps);
        (rows[rows.len() - 1].shadow - rows[0].shadow).powi(2)
    });
    (squares.sum::<f64>() / f64::from(starts)).sqrt()
}

#[test]
fn over_long_runs_shadow_reflections_keep_the_energy_best_and_discrete_ones_worst() {
    let [hamiltonian, shadow, discrete] = ["hamiltonian", "shadow", "discrete"].map(|energy| walk(energy, 20_000));
    println!(
        "hardening: H₂ off by {hamiltonian:.2e} with H, {shadow:.2e} with shadow, {discrete:.2e} with discrete"
    );
    assert!((hamiltonian / 0.065 - 1.0).abs() < 0.05 && (discrete / 0.14 - 1.0).abs() < 0.05);
    assert!((shadow / 7e-4 - 1.0).abs() < 0.1);
    // A quadratic potential is bounded with all three; the cradle's impacts are chaotic.
    for (name, steps, worse) in [("pogo-stick", 100_000, 1.4..2.1), ("newtons-cradle", 10_000, 2.0..12.0)] {
        let scene = built_in(name, &[]);
        let [hamiltonian, shadow, discrete] = ["hamiltonian", "shadow", "discrete"].map(|energy| {
            let rows = energies(&scene, &method(&format!("gvi energy={energy}")), scene.run.h, steps);
            spread(&rows, |row| row.h) / rows[0].h.abs()
        });
        println!("{name}: H within {hamiltonian:.2e}, {shadow:.2e} with shadow, {discrete:.2e} with discrete");
        assert!(worse.contains(&(discrete / hamiltonian)) && shadow < 1.1 * hamiltonian, "{name}");
    }
}
