//! The rank of the constraints of a slider-crank in all of its configurations [lacoursiere-linde-2011, Figure 1].
//!
//! The five rows of the scene `slider-crank` in its six coordinates: a bearing, a pin and the slider. Configurations are gone through by the angle of the crank, or, where the rod is shorter, by
//! that of the rod, with both angles of the other.

use nalgebra::DMatrix;

use super::{Computation, Given, Parameter};

/// Ranks of the constraints of a slider-crank.
pub const CRANK_RANK: Computation = Computation {
    name: "crank-rank",
    parameters: &[
        ("crank", Parameter::Number { least: 0.01, most: 100.0, default: 1.0 }),
        ("rod", Parameter::Number { least: 0.01, most: 100.0, default: 1.0 }),
        ("quarter", Parameter::Count { most: 100_000, default: 900 }),
    ],
    quantities: &["singular", "least", "upright_rank", "straight", "straight_rank", "folded_rank"],
    run,
};

/// A singular value below this is zero; the rows have entries of the order of the lengths.
const ZERO: f64 = 1e-10;

// Notation
//   θ1, θ2 angles of crank and rod   l1, l2 their lengths   l1 sin θ1 + l2 sin θ2 = 0: the end of the rod is on the line
struct Crank {
    l1: f64,
    l2: f64,
}

impl Crank {
    /// The singular values of the rows, falling. They are those of the derivatives of
    /// x1 − c1, y1 − s1, x1 + c1 − x2 + c2, y1 + s1 − y2 + s2, y2 + s2 with c = ½ l cos θ, s = ½ l sin θ.
    fn values(&self, [first, second]: [f64; 2]) -> Vec<f64> {
        let (c1, s1) = (0.5 * self.l1 * libm::cos(first), 0.5 * self.l1 * libm::sin(first));
        let (c2, s2) = (0.5 * self.l2 * libm::cos(second), 0.5 * self.l2 * libm::sin(second));
        #[rustfmt::skip]
        let rows = DMatrix::from_row_slice(5, 6, &[
            1.0, 0.0,  s1,  0.0,  0.0, 0.0,
            0.0, 1.0, -c1,  0.0,  0.0, 0.0,
            1.0, 0.0, -s1, -1.0,  0.0, -s2,
            0.0, 1.0,  c1,  0.0, -1.0, c2,
            0.0, 0.0, 0.0,  0.0,  1.0, c2,
        ]);
        let mut values: Vec<f64> = rows.singular_values().iter().copied().collect();
        values.sort_by(|a, b| b.total_cmp(a));
        values
    }

    fn rank(&self, angles: [f64; 2]) -> f64 {
        self.values(angles).iter().filter(|value| **value > ZERO).count() as f64
    }

    /// The configurations at `4 quarter` angles of what is shorter.
    fn configurations(&self, quarter: usize) -> Vec<[f64; 2]> {
        let crank = self.l1 <= self.l2;
        let ratio = if crank { self.l1 / self.l2 } else { self.l2 / self.l1 };
        let mut all: Vec<[f64; 2]> = Vec::with_capacity(8 * quarter);
        for number in 0..4 * quarter {
            let angle = std::f64::consts::FRAC_PI_2 * number as f64 / quarter as f64;
            let other = -libm::asin((ratio * libm::sin(angle)).clamp(-1.0, 1.0));
            for other in [other, std::f64::consts::PI - other] {
                let next = if crank { [angle, other] } else { [other, angle] };
                // Where both angles of the other are one, so is the configuration.
                if all.last().is_none_or(|last| apart(*last, next)) {
                    all.push(next);
                }
            }
        }
        all
    }
}

fn apart(a: [f64; 2], b: [f64; 2]) -> bool {
    a.iter().zip(b).any(|(a, b)| libm::hypot(libm::cos(*a) - libm::cos(b), libm::sin(*a) - libm::sin(b)) > 1e-6)
}

fn run(given: &Given) -> Result<Vec<f64>, String> {
    let crank = Crank { l1: given.number("crank"), l2: given.number("rod") };
    let (mut singular, mut least) = (0.0, f64::INFINITY);
    for angles in crank.configurations(given.count("quarter")) {
        let value = crank.values(angles)[4];
        least = least.min(value);
        if value <= ZERO {
            singular += 1.0;
        }
    }
    let quarter = std::f64::consts::FRAC_PI_2;
    // A rod that is too short lets the crank not stand upright.
    let upright = (crank.l1 <= crank.l2).then(|| [quarter, -libm::asin(crank.l1 / crank.l2)]);
    let straight = [0.0, 0.0];
    Ok(vec![
        singular,
        least,
        upright.map_or(f64::NAN, |angles| crank.rank(angles)),
        crank.values(straight)[4],
        crank.rank(straight),
        crank.rank([std::f64::consts::PI, 0.0]),
    ])
}

#[cfg(test)]
mod tests {
    use super::Crank;
    use std::f64::consts::FRAC_PI_2;

    /// Every configuration keeps the end of the rod on the line; equal lengths meet where both stand upright.
    #[test]
    fn configurations_close_the_loop() {
        for (l1, l2) in [(1.0, 1.0), (1.0, 2.0), (3.0, 2.0)] {
            let crank = Crank { l1, l2 };
            let all = crank.configurations(90);
            for [first, second] in &all {
                assert!((l1 * first.sin() + l2 * second.sin()).abs() < 1e-12);
            }
            assert_eq!(all.len(), if l1 == l2 { 718 } else { 720 });
        }
    }

    #[test]
    fn equal_lengths_lose_a_row_upright() {
        assert_eq!(Crank { l1: 1.0, l2: 1.0 }.rank([FRAC_PI_2, -FRAC_PI_2]), 4.0);
        assert_eq!(Crank { l1: 1.0, l2: 1.0 }.rank([0.3, -0.3]), 5.0);
    }
}
