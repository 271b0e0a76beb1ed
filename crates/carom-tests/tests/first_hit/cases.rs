//! Small cases by hand, each for one way to miss an impact, with the time at which it is due.

use carom::particles::{Ball, Group, Link, Particles, Selection, Side, Surface, Wall};
use carom::state::State;
use carom::steppers::{Stepper, cva, vci};
use carom::system::System;
use carom_tests::runs::scene;

use super::legs::Choice;

const CVA: Choice = Choice::Cva(cva::Rule::Verlet);
const MIDPOINT: Choice = Choice::Cva(cva::Rule::Midpoint);
const VCI: Choice = Choice::Vci(vci::Rule::Trapezoid, 0.5);
const GAMMA: Choice = Choice::Vci(vci::Rule::Gamma, 0.5);

/// A case.
struct Case<'a> {
    system: &'a dyn System,
    q: &'a [f64],
    v: &'a [f64],
    h: f64,
}

impl Case<'_> {
    /// Makes the step under each method; the first event must be at a time, or there must be none, and the node must not lie inside.
    #[track_caller]
    fn demand(&self, choices: &[Choice], due: Option<f64>) {
        for &choice in choices {
            let mut state = State::from_velocity(self.system, 0.0, self.q, self.v);
            let mut step = choice.stepper(self.system, &state).expect("a stepper");
            let made = step.step(self.system, &mut state, self.h);
            assert!(made.is_ok(), "{choice:?}: {:?}", made.err().map(|error| error.to_string()));
            let found = Stepper::<dyn System>::events(&step).first().map(|event| event.t.abs());
            let right = match (found, due) {
                (Some(found), Some(due)) => (found - due).abs() <= 1e-9 * self.h.abs(),
                (found, due) => found == due,
            };
            assert!(right, "{choice:?}: found {found:?}, due {due:?}");
            let mut gaps = vec![0.0; self.system.contacts().count()];
            self.system.contacts().gaps(state.t, &state.q, &mut gaps);
            assert!(gaps.iter().all(|gap| *gap >= -1e-12), "{choice:?}: {gaps:?}");
        }
    }
}

/// Two spheres of this radius.
fn pair(dimension: usize, radius: f64) -> Particles {
    let mut system = Particles::new(dimension, vec![1.0, 1.0]).expect("masses");
    system.set_radii(vec![radius; 2]).expect("radii");
    system.add_sphere_gaps(&Selection::default(), Surface::default()).expect("pairs");
    system
}

/// A point above a wall, with gravity.
fn above(normal: &[f64], offset: f64, gravity: &[f64]) -> Particles {
    let mut system = Particles::new(normal.len(), vec![1.0]).expect("masses");
    let wall = Wall { normal: normal.to_vec(), offset, restitution: 1.0, friction: 0.0 };
    system.add_wall(&wall, &Group::All).expect("a wall");
    system.set_gravity(gravity).expect("gravity");
    system
}

/// A point inside or outside of a ball around the origin, with gravity.
fn at_ball(side: Side, radius: f64, gravity: &[f64]) -> Particles {
    let d = gravity.len();
    let mut system = Particles::new(d, vec![1.0]).expect("masses");
    let ball = Ball { centre: vec![0.0; d], radius, side, restitution: 1.0, friction: 0.0 };
    system.add_ball(&ball, &Group::All).expect("a ball");
    system.set_gravity(gravity).expect("gravity");
    system
}

const ALL: [Choice; 4] = [CVA, MIDPOINT, VCI, GAMMA];

#[test]
fn spheres_on_a_line_meet_in_a_long_step() {
    let system = pair(1, 0.1);
    Case { system: &system, q: &[-1.0, 0.0], v: &[1.0, 0.0], h: 3.0 }.demand(&ALL, Some(0.8));
}

#[test]
fn spheres_in_the_plane_meet_in_a_long_step() {
    // They miss each other's centres by 0.6 of the sum of the radii.
    let system = pair(2, 0.5);
    Case { system: &system, q: &[-10.0, 0.6, 0.0, 0.0], v: &[100.0, 0.0, 0.0, 0.0], h: 1.0 }
        .demand(&ALL, Some(0.092));
}

#[test]
fn a_small_ball_is_hit_in_a_long_step() {
    // Within a share of 2e-5 of the step.
    for dimension in 1..=3 {
        let system = at_ball(Side::Outside, 1e-2, &vec![0.0; dimension]);
        let (mut q, mut v) = (vec![0.0; dimension], vec![0.0; dimension]);
        (q[0], v[0]) = (-300.01, 1000.0);
        Case { system: &system, q: &q, v: &v, h: 1.0 }.demand(&ALL, Some(0.3));
    }
}

#[test]
fn a_shallow_dip_below_a_wall_is_an_impact() {
    // (1 − t)² − 1e-6: zero at 0.999 and 1.001.
    let system = above(&[1.0], 0.0, &[2.0]);
    Case { system: &system, q: &[1.0 - 1e-6], v: &[-2.0], h: 5.0 }.demand(&ALL, Some(0.999));
    Case { system: &system, q: &[1.0 + 1e-6], v: &[-2.0], h: 5.0 }.demand(&ALL, None);
}

#[test]
fn a_short_way_out_of_a_ball_is_an_impact() {
    // From the centre out by 1 and back, in a ball that is smaller by 1e-8; the way passes the centre, where the distance has a kink.
    let system = at_ball(Side::Inside, 1.0 - 1e-8, &[2.0]);
    Case { system: &system, q: &[0.0], v: &[-2.0], h: 1.9 }.demand(&ALL, Some(0.9999));
}

#[test]
fn a_small_obstacle_of_an_expression_is_hit() {
    let text = "[lagrangian]\ncoordinates = [\"x\", \"y\"]\nmass = 1\ninequalities = [\"hypot(x, y) - 0.001\"]\n[initial]\nq = [1, 0]\n\
                [method]\nname = \"cva\"\n[run]\nstep = 1\nsteps = 1\n";
    let system = scene("obstacle", text, &[]).problem.system;
    Case { system: &*system, q: &[-3.001, 0.0], v: &[10.0, 0.0], h: 1.0 }.demand(&ALL, Some(0.3));
}

#[test]
fn what_flies_hits_while_something_rests() {
    // The second rests on the floor, pressed by gravity; the first passes through a ball of radius 0.01.
    let mut system = Particles::new(2, vec![1.0, 1.0]).expect("masses");
    let floor = Wall { normal: vec![0.0, 1.0], offset: 0.0, restitution: 1.0, friction: 0.0 };
    system.add_wall(&floor, &Group::Of(vec![1])).expect("a floor");
    let ball = Ball { centre: vec![0.0, 9.0], radius: 0.01, side: Side::Outside, restitution: 1.0, friction: 0.0 };
    system.add_ball(&ball, &Group::Of(vec![0])).expect("a ball");
    system.add_gravity(&[0.0, -2.0], &Group::Of(vec![1])).expect("gravity");
    Case { system: &system, q: &[-3.01, 9.0, 5.0, 0.0], v: &[10.0, 0.0, 0.0, 0.0], h: 1.0 }.demand(&ALL, Some(0.3));
}

#[test]
fn a_bob_at_rest_against_a_wall_stays_there() {
    // The velocity is round-off.
    let mut system = above(&[-0.6, 0.8], 0.8, &[0.0, 0.0]);
    system.add_rod(Link::anchored(0, [0.0; 3]), 1.0).expect("a rod");
    Case { system: &system, q: &[0.0, 1.0], v: &[0.0, -4.44e-16], h: 0.1 }.demand(&ALL, None);
}

#[test]
fn several_hops_in_a_step_come_to_its_end() {
    // A ball that is pressed by gravity hops every 0.2.
    let system = above(&[1.0], 0.0, &[-10.0]);
    Case { system: &system, q: &[0.0], v: &[1.0], h: 1.1 }.demand(&[CVA, MIDPOINT, VCI, GAMMA], Some(0.2));
}

#[test]
fn hops_under_a_spring_come_to_the_end_of_the_step() {
    // A hop takes 0.016; the force of the spring is nearly the same all along.
    let mut system = above(&[1.0], 0.0, &[0.0]);
    system.add_field("0.5*(x + 100)^2", &[], &Group::All).expect("a spring");
    Case { system: &system, q: &[0.0], v: &[0.8], h: 0.92 }.demand(&[CVA, VCI], Some(0.016));
}

#[test]
fn hops_after_a_fall_come_to_the_end_of_the_step() {
    // The first leg is longer than the hops that follow: it starts on the way down.
    let system = above(&[1.0], 0.0, &[-10.0]);
    let due = (f64::sqrt(1.0 + 20.0 * 0.3) - 1.0) / 10.0;
    Case { system: &system, q: &[0.3], v: &[-1.0], h: 2.0 }.demand(&[CVA, MIDPOINT, VCI, GAMMA], Some(due));
}

#[test]
fn back_in_time_nothing_is_passed_through_either() {
    let system = pair(1, 0.1);
    Case { system: &system, q: &[-1.0, 0.0], v: &[-1.0, 0.0], h: -3.0 }.demand(&ALL, Some(0.8));
    let system = at_ball(Side::Outside, 1e-2, &[0.0, 0.0]);
    Case { system: &system, q: &[-300.01, 0.0], v: &[-1000.0, 0.0], h: -1.0 }.demand(&ALL, Some(0.3));
}

/// A gap of two coordinates.
fn two(gap: &str) -> carom_io::scene::Scene {
    let text = format!(
        "[lagrangian]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\ninequalities = [\"{gap}\"]\n[initial]\nq = {{ x = -1.5, y = 1.6 }}\n[method]\nname = \"cva\"\n[run]\nstep = 1\nsteps = 1\n"
    );
    scene("two", &text, &[])
}

#[test]
fn bounds_that_are_wide_beside_a_kink_or_a_spike_are_no_impact() {
    // Head-on at a small circle, whose gap has no bounds at its centre.
    let circle = two("sqrt(x^2 + y^2) - 0.01");
    let due = (1.5 * 2.0_f64.sqrt() - 0.01) / (1.5 * 2.0_f64.sqrt());
    for h in [2.0, 1.01, 3.7] {
        let case = Case { system: &*circle.problem.system, q: &[-1.5, 1.5], v: &[1.5, -1.5], h };
        case.demand(&[CVA, VCI, MIDPOINT], Some(due));
    }
    // Onto the floor beside a spike that is 1e-4 wide.
    let spike = two("y - 0.9*exp(-(x/0.0001)^2)");
    for h in [1.0, 0.5, 0.2] {
        let case = Case { system: &*spike.problem.system, q: &[-1.5, 1.6], v: &[64.0, -80.0], h };
        case.demand(&[CVA], Some(0.02));
    }
}

#[test]
fn a_body_between_another_and_an_elastic_wall_comes_to_rest_with_it() {
    // Rebounds follow each other in geometric progression: both rest at the wall, whatever the masses.
    for mass in [0.5, 0.04, 0.001] {
        for (contact, wall) in [(0.0, 1.0), (1.0, 0.0), (0.7, 1.0)] {
            let mut system = Particles::new(1, vec![mass, 1.0]).expect("masses");
            system.set_radii(vec![0.1; 2]).expect("radii");
            let surface = Surface { restitution: contact, friction: 0.0 };
            system.add_sphere_gaps(&Selection::default(), surface).expect("pairs");
            let end = Wall { normal: vec![1.0], offset: 0.0, restitution: wall, friction: 0.0 };
            system.add_wall(&end, &Group::Of(vec![0])).expect("a wall");
            let system: &dyn System = &system;
            let mut state = State::from_velocity(system, 0.0, &[0.2, 0.5], &[0.0, -1.0]);
            let mut step = CVA.stepper(system, &state).expect("a stepper");
            for _ in 0..200 {
                step.step(system, &mut state, 0.01).expect("it ends");
            }
            let rests = mass < 0.01 || contact == 0.0;
            let fastest = state.p.iter().fold(0.0_f64, |max, p| max.max(p.abs()));
            assert!(!rests || fastest < 1e-3, "{mass}, {contact}, {wall}: {state:?}");
            assert!(fastest <= 1.0 + 1e-12, "{mass}, {contact}, {wall}: {state:?}");
        }
    }
}
