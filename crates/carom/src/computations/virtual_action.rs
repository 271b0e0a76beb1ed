//! The equations of Muehlebach et al. as they stand, in the coefficients of q, p and p_g, on their pendulum (Table I): what the method `galerkin`, which has
//! the velocity as its unknown and the constraint integrated by parts, takes for granted.
//!
//! ```text
//! Notation
//! φ_k         basis of degree m, of q, p and p_g, over 0 ≤ s ≤ 1; ' = d/ds
//! W           ∂g/∂q, transposed; p_z = p − W p_g
//! A_q,k = −φ_k(0) (P(0) − W(Q(0)) p_g(0)) + φ_k(1) p_z1 − ∫ φ_k' p + ∫ (φ_k' W + φ_k W') p_g + h ∫ φ_k H_q
//! A_p,k = −φ_k(0) (Q(0) − q0) − ∫ φ_k q' + h ∫ φ_k H_p
//! A_g,k = φ_k(0) (g(Q(0)) − g(q0)) + ∫ φ_k Wᵀq'
//! P(0) − W(q0) p_g(0) = p_z0
//! ```
//! [muehlebach-2016 (34), (37), (38)]; without constraints (19) to (21), with continuous q (B.10) to (B.12). As printed, (67) lacks W' and (71) has W at Q(0): both can be asked for.

use nalgebra::{DMatrix, DVector};

use super::{Computation, Given, Parameter};
use crate::steppers::galerkin::legendre::{gauss, legendre};

/// Its entry.
pub const VIRTUAL_ACTION: Computation = Computation {
    name: "virtual-action",
    parameters: &[
        ("coordinates", Parameter::Word(&["polar", "cartesian"])),
        ("continuity", Parameter::Word(&["left-right", "continuous"])),
        ("equations", Parameter::Word(&["derived", "printed-67", "printed-71"])),
        ("basis", Parameter::Word(&["legendre", "monomials"])),
        ("rule", Parameter::Word(&["gauss", "rectangle"])),
        ("degree", Parameter::Count { most: 8, default: 2 }),
        ("points", Parameter::Count { most: 10_000, default: 16 }),
        ("step", Parameter::Number { least: 1e-3, most: 1.0, default: 0.3 }),
        ("steps", Parameter::Count { most: 10_000, default: 50 }),
        ("angle", Parameter::Number { least: -3.1, most: 3.1, default: 2.0 * std::f64::consts::FRAC_PI_3 }),
        ("outward", Parameter::Number { least: -100.0, most: 100.0, default: 0.0 }),
        ("gap", Parameter::Number { least: -3.0, most: 10.0, default: 0.0 }),
    ],
    quantities: &[
        "q",
        "p",
        "x",
        "y",
        "gap_change",
        "momentum",
        "kinematic",
        "condition",
        "energy_change",
        "iterations",
        "failed",
    ],
    run,
};

const LENGTH: f64 = 2.0;
const GRAVITY: f64 = 9.81;

/// A rule: places with weights, and at each the basis and its derivatives.
struct Rule(Vec<(f64, f64, Vec<f64>, Vec<f64>)>);

struct Equations {
    n: usize,
    nc: usize,
    mass: f64,
    degree: usize,
    h: f64,
    continuous: bool,
    printed: [bool; 2],
    /// The products of polynomials; the potential and the constraint.
    exact: Rule,
    rule: Rule,
    left: Vec<f64>,
    right: Vec<f64>,
}

/// Values and derivatives of the basis.
fn basis(monomials: bool, degree: usize, h: f64, s: f64) -> (Vec<f64>, Vec<f64>) {
    if monomials {
        // In t, as the paper has them.
        let t = s * h;
        let slope = |k: usize| if k == 0 { 0.0 } else { k as f64 * h * t.powi(k as i32 - 1) };
        return ((0..=degree).map(|k| t.powi(k as i32)).collect(), (0..=degree).map(slope).collect());
    }
    let mut values = vec![0.0; degree + 1];
    legendre(s, &mut values);
    // P_k' is the sum of 2 (2j + 1) P_j over the j below k with k − j odd.
    let slope =
        |k: usize| (0..k).filter(|j| (k - j) % 2 == 1).map(|j| 2.0 * (2 * j + 1) as f64 * values[j]).sum::<f64>();
    let slopes = (0..=degree).map(slope).collect();
    (values, slopes)
}

impl Equations {
    fn new(given: &Given) -> Self {
        let (degree, h) = (given.count("degree"), given.number("step"));
        let cartesian = given.word("coordinates") == "cartesian";
        let monomials = given.word("basis") == "monomials";
        let at = |s: f64| basis(monomials, degree, h, s);
        let rule = |(places, weights): (Vec<f64>, Vec<f64>)| {
            let all = places.into_iter().zip(weights);
            Rule(all.map(|(s, w)| (s, w, at(s).0, at(s).1)).collect())
        };
        let points = given.count("points");
        let rectangles = || {
            let places = (0..points).map(|k| k as f64 / points as f64).collect();
            (places, vec![1.0 / points as f64; points])
        };
        Self {
            n: if cartesian { 2 } else { 1 },
            nc: usize::from(cartesian),
            mass: if cartesian { 1.0 } else { LENGTH * LENGTH },
            degree,
            h,
            continuous: given.word("continuity") == "continuous",
            printed: ["printed-67", "printed-71"].map(|word| given.word("equations") == word),
            exact: rule(gauss(2 * degree + 2)),
            rule: rule(if given.word("rule") == "gauss" { gauss(points.min(64)) } else { rectangles() }),
            left: at(0.0).0,
            right: at(1.0).0,
        }
    }

    fn unknowns(&self) -> usize {
        (self.degree + 1) * (2 * self.n + self.nc) + self.n
    }

    /// `V_q`.
    fn pull(&self, q: &[f64]) -> Vec<f64> {
        if self.nc == 0 { vec![GRAVITY * LENGTH * q[0].sin()] } else { vec![0.0, GRAVITY] }
    }

    fn energy(&self, q: &[f64], p: &[f64]) -> f64 {
        let kinetic = p.iter().map(|p| p * p).sum::<f64>() / (2.0 * self.mass);
        kinetic + if self.nc == 0 { -GRAVITY * LENGTH * q[0].cos() } else { GRAVITY * q[1] }
    }

    /// `Σ_k values_k c_k` of vectors of the given length.
    fn sum(values: &[f64], c: &[f64], length: usize) -> Vec<f64> {
        (0..length).map(|i| values.iter().enumerate().map(|(k, v)| v * c[k * length + i]).sum()).collect()
    }

    /// Coefficients of q, p and p_g, and the value at the end.
    fn split<'a>(&self, y: &'a [f64]) -> [&'a [f64]; 4] {
        let count = self.degree + 1;
        let (q, rest) = y.split_at(count * self.n);
        let (p, rest) = rest.split_at(count * self.n);
        let (force, end) = rest.split_at(count * self.nc);
        [q, p, force, end]
    }

    /// The residual of all equations.
    fn residual(&self, y: &[f64], q0: &[f64], p0: &[f64]) -> Vec<f64> {
        let (n, nc, count, h) = (self.n, self.nc, self.degree + 1, self.h);
        let [q, p, force, end] = self.split(y);
        let at = |values: &[f64], c: &[f64]| Self::sum(values, c, n);
        let (q_left, p_left) = (at(&self.left, q), at(&self.left, p));
        let start = Self::sum(&self.left, force, nc).first().copied().unwrap_or(0.0);
        let (mut of_q, mut of_p, mut of_g) = (vec![0.0; count * n], vec![0.0; count * n], vec![0.0; count * nc]);
        for (k, i) in (0..count).flat_map(|k| (0..n).map(move |i| (k, i))) {
            let inner = if nc == 0 { p_left[i] } else { p_left[i] - 2.0 * q_left[i] * start };
            let from = if self.continuous { p0[i] } else { inner };
            of_q[k * n + i] = -self.left[k] * from + self.right[k] * end[i];
            of_p[k * n + i] = if self.continuous { 0.0 } else { -self.left[k] * (q_left[i] - q0[i]) };
        }
        for (_, w, values, slopes) in &self.exact.0 {
            let (here, slope) = (at(values, p), at(slopes, q));
            for (k, i) in (0..count).flat_map(|k| (0..n).map(move |i| (k, i))) {
                of_q[k * n + i] -= w * slopes[k] * here[i];
                of_p[k * n + i] += w * values[k] * (h * here[i] / self.mass - slope[i]);
            }
        }
        for (_, w, values, slopes) in &self.rule.0 {
            let (here, slope) = (at(values, q), at(slopes, q));
            let (pull, of_force) = (self.pull(&here), Self::sum(values, force, nc));
            for k in 0..count {
                for i in 0..n {
                    of_q[k * n + i] += w * h * values[k] * pull[i];
                    if nc > 0 {
                        let bend = if self.printed[0] { 0.0 } else { values[k] * 2.0 * slope[i] };
                        of_q[k * n + i] += w * (slopes[k] * 2.0 * here[i] + bend) * of_force[0];
                    }
                }
                if nc > 0 {
                    of_g[k] += w * values[k] * 2.0 * (here[0] * slope[0] + here[1] * slope[1]);
                }
            }
        }
        for (k, of_g) in of_g.iter_mut().enumerate() {
            *of_g += self.left[k] * (gap(&q_left) - gap(q0));
        }
        let place = if self.printed[1] { &q_left } else { q0 };
        let bounds = (0..n).map(|i| match (self.continuous, nc) {
            (true, _) => q_left[i] - q0[i],
            (_, 0) => p_left[i] - p0[i],
            _ => p_left[i] - 2.0 * place[i] * start - p0[i],
        });
        of_q.into_iter().chain(of_p).chain(of_g).chain(bounds).collect()
    }

    /// The Jacobian, by differences.
    fn jacobian(&self, y: &[f64], q0: &[f64], p0: &[f64]) -> DMatrix<f64> {
        let size = y.len();
        let mut matrix = DMatrix::zeros(size, size);
        let mut there = y.to_vec();
        for column in 0..size {
            let d = 1e-6 * (1.0 + y[column].abs());
            let mut side = |sign: f64| {
                there[column] = y[column] + sign * d;
                let found = self.residual(&there, q0, p0);
                there[column] = y[column];
                found
            };
            let (above, below) = (side(1.0), side(-1.0));
            for row in 0..size {
                matrix[(row, column)] = (above[row] - below[row]) / (2.0 * d);
            }
        }
        matrix
    }

    /// Newton's method from a guess; the corrections and the condition of the last matrix.
    fn solve(&self, y: &mut [f64], q0: &[f64], p0: &[f64]) -> Option<(u32, f64)> {
        let (mut before, mut condition) = (f64::INFINITY, 0.0);
        for iteration in 1..=40 {
            let matrix = self.jacobian(y, q0, p0);
            let inverse = matrix.clone().try_inverse()?;
            condition = norm(&matrix) * norm(&inverse);
            let correction = inverse * DVector::from_vec(self.residual(y, q0, p0));
            let size = y.iter().fold(1.0_f64, |size, y| size.max(y.abs()));
            y.iter_mut().zip(correction.iter()).for_each(|(y, c)| *y -= c);
            let moved = correction.amax() / size;
            // To round-off, or as near as the condition lets it.
            if !moved.is_finite() || moved <= 1e-14 || (moved <= 1e-9 && moved >= 0.5 * before) {
                return moved.is_finite().then_some((iteration, condition));
            }
            before = moved;
        }
        (before <= 1e-9).then_some((40, condition))
    }
}

fn norm(matrix: &DMatrix<f64>) -> f64 {
    matrix.column_iter().fold(0.0, |worst, column| worst.max(column.lp_norm(1)))
}

/// `x² + y² − l²`.
fn gap(q: &[f64]) -> f64 {
    if q.len() == 2 { q[0] * q[0] + q[1] * q[1] - LENGTH * LENGTH } else { 0.0 }
}

/// The part of `p` along the circle.
fn tangent(q: &[f64], p: &[f64]) -> Vec<f64> {
    if q.len() == 1 {
        return p.to_vec();
    }
    let along = (q[0] * p[0] + q[1] * p[1]) / (q[0] * q[0] + q[1] * q[1]);
    vec![p[0] - along * q[0], p[1] - along * q[1]]
}

fn run(given: &Given) -> Result<Vec<f64>, String> {
    let equations = Equations::new(given);
    if equations.continuous && equations.nc > 0 {
        return Err("the equations with continuous q are those of polar coordinates".to_string());
    }
    let (n, count) = (equations.n, equations.degree + 1);
    let (angle, outward) = (given.number("angle"), given.number("outward"));
    let radius = (LENGTH * LENGTH + given.number("gap")).sqrt();
    let (mut q, mut p) = if n == 1 {
        (vec![angle], vec![0.0])
    } else {
        (vec![radius * angle.sin(), -radius * angle.cos()], vec![outward * angle.sin(), -outward * angle.cos()])
    };
    let (first, mut y) = (gap(&q), vec![0.0; equations.unknowns()]);
    let before = equations.energy(&q, &tangent(&q, &p));
    let [mut opened, mut largest, mut apart, mut worst, mut strayed, mut most, mut failed] = [0.0_f64; 7];
    for _ in 0..given.count("steps") {
        y.fill(0.0);
        // Rest at the start of the step: the constants of both bases come first.
        y[..n].copy_from_slice(&q);
        y[count * n..(count + 1) * n].copy_from_slice(&tangent(&q, &p));
        let end = y.len() - n;
        y[end..].copy_from_slice(&p);
        let Some((iterations, condition)) = equations.solve(&mut y, &q, &p) else {
            failed = 1.0;
            break;
        };
        let [of_q, of_p, _, end] = equations.split(&y);
        for (_, _, values, slopes) in &equations.exact.0 {
            let (rate, p) = (Equations::sum(slopes, of_q, n), Equations::sum(values, of_p, n));
            let difference = |i: usize| (equations.mass * rate[i] / equations.h - p[i]).abs();
            apart = (0..n).fold(apart, |worst, i| worst.max(difference(i)));
        }
        (q, p) = (Equations::sum(&equations.right, of_q, n), end.to_vec());
        opened = opened.max((gap(&q) - first).abs());
        largest = p.iter().fold(largest, |worst, p| worst.max(p.abs()));
        strayed = strayed.max((equations.energy(&q, &tangent(&q, &p)) - before).abs());
        (worst, most) = (worst.max(condition), most.max(f64::from(iterations)));
    }
    let along = tangent(&q, &p);
    let (angle, spin, [x, y]) = if n == 1 {
        (q[0], along[0], [LENGTH * q[0].sin(), -LENGTH * q[0].cos()])
    } else {
        (q[0].atan2(-q[1]), -q[1] * along[0] + q[0] * along[1], [q[0], q[1]])
    };
    Ok(vec![angle, spin, x, y, opened, largest, apart, worst, strayed, most, failed])
}

#[cfg(test)]
mod tests {
    use super::super::Value;
    use super::*;

    /// The quantities with some parameters given.
    fn with(parameters: &[(&str, Value)]) -> Result<Vec<f64>, String> {
        let mut given = Given::new(&VIRTUAL_ACTION);
        for (name, value) in parameters {
            let place = VIRTUAL_ACTION.parameters.iter().position(|(other, _)| other == name).expect("a parameter");
            given.values[place] = *value;
        }
        (VIRTUAL_ACTION.run)(&given)
    }

    #[test]
    fn both_coordinates_have_the_same_motion_and_the_energy_stays() {
        let fine = [("degree", Value::Number(5.0)), ("step", Value::Number(0.1))];
        let polar = with(&fine).expect("it runs");
        let cartesian = with(&[fine[0], fine[1], ("coordinates", Value::Word("cartesian"))]).expect("it runs");
        for k in 0..4 {
            assert!((polar[k] - cartesian[k]).abs() < 1e-8, "{polar:?} {cartesian:?}");
        }
        for found in [polar, cartesian] {
            assert!(found[8] < 1e-8 && found[10] == 0.0, "{found:?}");
        }
    }

    #[test]
    fn what_is_printed_is_another_motion() {
        let of = |equations: &'static str| {
            let given = [("coordinates", Value::Word("cartesian")), ("equations", Value::Word(equations))];
            let short = [("step", Value::Number(0.03)), ("steps", Value::Number(100.0))];
            with(&[given[0], given[1], short[0], short[1]]).expect("it runs")
        };
        let derived = of("derived");
        for printed in ["printed-67", "printed-71"] {
            assert!((of(printed)[2] - derived[2]).abs() > 1e-5, "{printed}");
        }
        let refused = with(&[("coordinates", Value::Word("cartesian")), ("continuity", Value::Word("continuous"))]);
        assert!(refused.is_err());
    }
}
