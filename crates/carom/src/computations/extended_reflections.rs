//! Extended reflections with predictors that look ahead by a part of a step, or not at all [kaufman-pai-2012, section 6.1].
//!
//! The pogo stick of section 6.1.1, with a spring that may harden. Steps are those of Verlet's method, always whole ones. Before a step the momentum of the lower mass is reflected if the
//! predictor finds the ground touched or violated, and the mass approaches it. The paper leaves the predictor open and uses only that of the whole step, (8.1); method `gvi` does too.

use super::{Computation, Given, Parameter};
use crate::study::exponent;

/// The pogo stick with a choice of the predictor.
pub const EXTENDED_REFLECTIONS: Computation = Computation {
    name: "extended-reflections",
    parameters: &[
        ("ahead", Parameter::Number { least: 0.0, most: 1.0, default: 1.0 }),
        ("cubic", Parameter::Number { least: 0.0, most: 1e3, default: 0.0 }),
        ("height", Parameter::Number { least: 0.0, most: 1e3, default: 1.0 }),
        ("step", Parameter::Number { least: 1e-6, most: 1.0, default: 0.1 }),
        ("steps", Parameter::Count { most: 100_000_000, default: 10_000 }),
    ],
    quantities: &["rise", "fall", "range_exponent", "invariant", "penetration", "reflections", "q1", "q2"],
    run,
};

const STIFFNESS: f64 = 10.0;
const LENGTH: f64 = 5.0;
const GRAVITY: f64 = 9.8213;
/// Parts of the run at which the range of the energy is looked at.
const PARTS: [usize; 5] = [16, 8, 4, 2, 1];

/// Two unit masses, the upper one first.
struct Pogo {
    cubic: f64,
    q: [f64; 2],
    p: [f64; 2],
}

impl Pogo {
    /// The force k d + c d³ of the spring pulls the upper mass down and the lower one up.
    fn force(&self) -> [f64; 2] {
        let d = self.q[0] - self.q[1] - LENGTH;
        let pull = STIFFNESS * d + self.cubic * d * d * d;
        [-pull - GRAVITY, pull - GRAVITY]
    }

    fn energy(&self) -> f64 {
        let d = self.q[0] - self.q[1] - LENGTH;
        let spring = 0.5 * STIFFNESS * d * d + 0.25 * self.cubic * d * d * d * d;
        0.5 * square(self.p) + spring + GRAVITY * (self.q[0] + self.q[1])
    }
}

fn square(x: [f64; 2]) -> f64 {
    x[0] * x[0] + x[1] * x[1]
}

fn run(given: &Given) -> Result<Vec<f64>, String> {
    // Notation
    //   q^p = q + θ h v + ½(θ h)² a        predictor; θ = 1: (8.1), θ = 0: q itself                  [kaufman-pai-2012 (6.3)]
    //   p⁺ = p − 2 ∇g(∇g·p)                 g = q₂, unit masses                                       [kaufman-pai-2012 (6.5)]
    //   Q = H − (h²/8)|V_q|²                conserved by Verlet's steps of a quadratic potential
    let [theta, h] = ["ahead", "step"].map(|name| given.number(name));
    let (steps, height) = (given.count("steps"), given.number("height"));
    let mut pogo = Pogo { cubic: given.number("cubic"), q: [height + LENGTH, height], p: [0.0; 2] };
    let invariant = |pogo: &Pogo| pogo.energy() - h * h / 8.0 * square(pogo.force());
    let (start, kept) = (pogo.energy(), invariant(&pogo));
    let (mut least, mut most, mut off, mut deepest, mut reflections) = (start, start, 0.0_f64, 0.0_f64, 0_u32);
    let mut ranges = Vec::new();
    for step in 1..=steps {
        let force = pogo.force();
        let predicted = pogo.q[1] + theta * h * (pogo.p[1] + 0.5 * theta * h * force[1]);
        if (predicted <= 0.0 || pogo.q[1] == 0.0) && pogo.p[1] < 0.0 {
            pogo.p[1] = -pogo.p[1];
            reflections += 1;
        }
        for ((q, p), force) in pogo.q.iter_mut().zip(&mut pogo.p).zip(force) {
            *p += 0.5 * h * force;
            *q += h * *p;
        }
        let force = pogo.force();
        for (p, force) in pogo.p.iter_mut().zip(force) {
            *p += 0.5 * h * force;
        }
        let energy = pogo.energy();
        if !energy.is_finite() {
            return Err(format!("the energy is not finite after {step} steps"));
        }
        (least, most) = (least.min(energy), most.max(energy));
        off = off.max((invariant(&pogo) - kept).abs());
        deepest = deepest.max(-pogo.q[1]);
        if PARTS.iter().any(|part| step == steps.div_ceil(*part)) {
            ranges.push((step as f64, most - least));
        }
    }
    let p = exponent(&ranges).ok_or("the energy does not change in the first of the run")?;
    let of = |energy: f64| energy / start;
    Ok(vec![of(most - start), of(start - least), p, of(off), deepest, f64::from(reflections), pogo.q[0], pogo.q[1]])
}

#[cfg(test)]
mod tests {
    use super::EXTENDED_REFLECTIONS;
    use crate::computations::{Given, Value};

    fn found(ahead: f64, cubic: f64, step: f64) -> Vec<f64> {
        let mut given = Given::new(&EXTENDED_REFLECTIONS);
        given.values[..4].copy_from_slice(&[ahead, cubic, 2.0, step].map(Value::Number));
        (EXTENDED_REFLECTIONS.run)(&given).expect("it runs")
    }

    #[test]
    fn the_quadratic_invariant_is_kept_whatever_the_predictor() {
        for ahead in [0.0, 0.3, 1.0] {
            let quadratic = found(ahead, 0.0, 0.1);
            assert!(quadratic[3] < 1e-12 && quadratic[5] > 500.0, "{ahead}: {quadratic:?}");
            // A spring that hardens has no such invariant.
            assert!(found(ahead, 4.0, 0.05)[3] > 1e-3, "{ahead}");
        }
    }

    #[test]
    fn a_late_predictor_penetrates_by_a_part_of_a_step_and_the_forward_one_does_not() {
        assert_eq!(found(1.0, 0.0, 0.1)[4], 0.0);
        let depths = [0.1, 0.025].map(|step| found(0.0, 0.0, step)[4] / step);
        // Of speeds up to 10.
        assert!(depths.iter().all(|depth| (1.0..15.0).contains(depth)), "{depths:?}");
    }
}
