//! A chain of point masses on rods with a load at its end.

use carom::particles::{Link, Particles};
use carom::state::State;
use carom_tests::runs::numbers;

/// Length of a link, in metres.
pub const LINK: f64 = 0.1;
/// The step of the runs: 60 a second.
pub const H: f64 = 1.0 / 60.0;
/// Standard gravity.
pub const G: f64 = 9.81;

/// How the links stand at the start, about 30 degrees from the vertical.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// All alike.
    Straight,
    /// 0.05 rad to one side and the other.
    Zigzag,
    /// Half a wave of 5 cm.
    Sine,
    /// Up to 0.1 rad each.
    Random,
}

/// Angles of the links from the vertical.
pub fn angles(links: usize, shape: Shape) -> Vec<f64> {
    let tilt = 30.0_f64.to_radians();
    let random = numbers(links, 7);
    let turned = |i: usize| match shape {
        Shape::Straight => 0.0,
        Shape::Zigzag if i.is_multiple_of(2) => 0.05,
        Shape::Zigzag => -0.05,
        // The slope of 0.05 sin(πs/L).
        Shape::Sine => {
            let (s, length) = ((i as f64 + 0.5) * LINK, links as f64 * LINK);
            (0.05 * std::f64::consts::PI / length * (std::f64::consts::PI * s / length).cos()).atan()
        }
        Shape::Random => 0.2 * random[i],
    };
    (0..links).map(|i| tilt + turned(i)).collect()
}

/// Masses of 1 kg, the last with the load instead.
pub fn masses(links: usize, load: f64) -> Vec<f64> {
    (0..links).map(|i| if i + 1 == links { load } else { 1.0 }).collect()
}

/// The chain in the plane, at rest.
pub fn chain(links: usize, load: f64, shape: Shape) -> (Particles, State) {
    let mut at = [0.0, 0.0];
    let mut q = Vec::new();
    for angle in angles(links, shape) {
        at = [at[0] + LINK * angle.sin(), at[1] - LINK * angle.cos()];
        q.extend(at);
    }
    let system = hung(2, links, load);
    let state = State { t: 0.0, p: vec![0.0; q.len()], q };
    (system, state)
}

/// The chain as a system, hung up at the origin.
pub fn hung(dimension: usize, links: usize, load: f64) -> Particles {
    let mut system = Particles::new(dimension, masses(links, load)).expect("right");
    system.add_rod(Link::anchored(0, [0.0; 3]), LINK).expect("right");
    for i in 1..links {
        system.add_rod(Link::between(i - 1, i), LINK).expect("right");
    }
    let mut gravity = vec![0.0; dimension];
    gravity[dimension - 1] = -G;
    system.set_gravity(&gravity).expect("right");
    system
}

/// Energy above that of hanging straight down, of the load alone: what a swing is about.
pub fn swing(links: usize, load: f64) -> f64 {
    load * G * links as f64 * LINK * (1.0 - 30.0_f64.to_radians().cos())
}
