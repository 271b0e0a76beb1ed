//! Six Lennard-Jones beads on five rods, by hand: Verlet with RATTLE.
//!
//! It knows that the rods form a chain of unit lengths and masses: arrays of fixed size and a tridiagonal solve per Newton
//! iteration, with the tolerances of the methods, ε for positions and 4 ε for velocities, relative.

/// How many beads.
pub const BEADS: usize = 6;
/// How many rods.
pub const RODS: usize = BEADS - 1;
/// Zero of the potential; its depth is 1.
pub const SIGMA: f64 = 0.6;
const FLOOR: f64 = 4.0 * f64::EPSILON;
const CLOSED: f64 = f64::EPSILON;

/// A vector per bead.
pub type Points = [[f64; 3]; BEADS];
type Units = [[f64; 3]; RODS];

/// `a · b`.
#[inline]
pub fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `b − a`.
#[inline]
pub fn apart(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
}

/// Gradient of the potential.
#[inline]
pub fn gradient(q: &Points, sigma2: f64) -> Points {
    let mut out = [[0.0; 3]; BEADS];
    for i in 0..BEADS {
        for j in i + 1..BEADS {
            let d = apart(&q[i], &q[j]);
            let inverse = 1.0 / dot(&d, &d);
            let s = sigma2 * inverse;
            let s = s * s * s;
            let factor = 24.0 * inverse * s * (1.0 - 2.0 * s);
            for k in 0..3 {
                out[i][k] -= factor * d[k];
                out[j][k] += factor * d[k];
            }
        }
    }
    out
}

/// `p −= (h/2) gradient`.
#[inline]
pub fn kick(p: &mut Points, gradient: &Points, h: f64) {
    for (p, gradient) in p.as_flattened_mut().iter_mut().zip(gradient.as_flattened()) {
        *p -= 0.5 * h * gradient;
    }
}

/// `q + h p`.
#[inline]
pub fn drift(q: &Points, p: &Points, h: f64) -> Points {
    std::array::from_fn(|i| std::array::from_fn(|k| q[i][k] + h * p[i][k]))
}

/// Sum of all numbers: not finite if one is not.
#[inline]
pub fn total(q: &Points, p: &Points) -> f64 {
    q.as_flattened().iter().chain(p.as_flattened()).sum()
}

/// Unit vectors along the rods, and their lengths minus one.
#[inline]
fn directions(q: &Points) -> (Units, [f64; RODS]) {
    let (mut unit, mut f) = ([[0.0; 3]; RODS], [0.0; RODS]);
    for r in 0..RODS {
        let d = apart(&q[r], &q[r + 1]);
        let length = dot(&d, &d).sqrt();
        let inverse = 1.0 / length;
        f[r] = length - 1.0;
        unit[r] = [d[0] * inverse, d[1] * inverse, d[2] * inverse];
    }
    (unit, f)
}

/// Solves `A x = b`, `A_ij = (G1 G0ᵀ)_ij` for the rows of a chain of unit masses.
#[inline]
fn solve_chain(one: &Units, zero: &Units, b: &mut [f64; RODS]) {
    let mut diagonal = [0.0; RODS];
    for r in 0..RODS {
        diagonal[r] = 2.0 * dot(&one[r], &zero[r]);
    }
    for r in 1..RODS {
        let (lower, upper) = (-dot(&one[r], &zero[r - 1]), -dot(&one[r - 1], &zero[r]));
        let factor = lower / diagonal[r - 1];
        diagonal[r] -= factor * upper;
        b[r] -= factor * b[r - 1];
    }
    b[RODS - 1] /= diagonal[RODS - 1];
    for r in (0..RODS - 1).rev() {
        b[r] = (b[r] + dot(&one[r], &zero[r + 1]) * b[r + 1]) / diagonal[r];
    }
}

#[inline]
fn push(p: &mut Points, unit: &Units, lambda: &[f64; RODS]) {
    for r in 0..RODS {
        for k in 0..3 {
            p[r][k] += lambda[r] * unit[r][k];
            p[r + 1][k] -= lambda[r] * unit[r][k];
        }
    }
}

/// Largest violation relative to what its round-off comes from.
#[inline]
fn violation(f: &[f64; RODS], unit: &Units, q: &Points) -> f64 {
    let mut worst = 0.0_f64;
    for r in 0..RODS {
        let size = (0..3).fold(0.0, |sum, k| sum + unit[r][k].abs() * (q[r][k].abs() + q[r + 1][k].abs()));
        worst = worst.max(f[r].abs() / size);
    }
    worst
}

/// Beads on rods with what is kept from step to step.
#[derive(Debug, Clone)]
pub struct Rattle {
    /// Places.
    pub q: Points,
    /// Momenta.
    pub p: Points,
    /// Gradient of the potential.
    pub gradient: Points,
    unit: Units,
    sigma2: f64,
}

impl Rattle {
    /// At a state.
    pub fn new([q, p]: [Points; 2], sigma2: f64) -> Self {
        Self { q, p, gradient: gradient(&q, sigma2), unit: directions(&q).0, sigma2 }
    }

    /// Takes off a momentum what the rods take: then no rod changes its length.
    #[inline]
    pub fn free(&self, p: &mut Points) {
        let mut rate = std::array::from_fn(|r| dot(&self.unit[r], &p[r + 1]) - dot(&self.unit[r], &p[r]));
        solve_chain(&self.unit, &self.unit, &mut rate);
        push(p, &self.unit, &rate);
    }

    /// A step.
    #[inline]
    pub fn step(&mut self, h: f64) {
        kick(&mut self.p, &self.gradient, h);
        let (free, q) = (self.p, self.q);
        let (mut lambda, mut before) = ([0.0; RODS], f64::INFINITY);
        (self.q, self.unit) = loop {
            self.p = free;
            push(&mut self.p, &self.unit, &lambda);
            let q1 = drift(&q, &self.p, h);
            let (unit1, mut f) = directions(&q1);
            let residual = violation(&f, &unit1, &q1);
            if residual <= CLOSED || (residual > 0.25 * before && residual <= 1e-12) {
                break (q1, unit1);
            }
            assert!(residual < 1.0);
            before = residual;
            for f in &mut f {
                *f /= h;
            }
            solve_chain(&unit1, &self.unit, &mut f);
            for r in 0..RODS {
                lambda[r] += f[r];
            }
        };
        self.gradient = gradient(&self.q, self.sigma2);
        kick(&mut self.p, &self.gradient, h);
        self.project();
        assert!(total(&self.q, &self.p).is_finite());
    }

    #[inline]
    fn project(&mut self) {
        for _ in 0..4 {
            let (mut rate, mut worst) = ([0.0; RODS], 0.0_f64);
            for r in 0..RODS {
                let (mut sum, mut size) = (0.0, 0.0);
                for k in 0..3 {
                    let (a, b) = (self.unit[r][k] * self.p[r][k], self.unit[r][k] * self.p[r + 1][k]);
                    sum += b - a;
                    size += a.abs() + b.abs();
                }
                rate[r] = sum;
                worst = worst.max(sum.abs() / size);
            }
            if worst <= FLOOR {
                break;
            }
            solve_chain(&self.unit, &self.unit, &mut rate);
            push(&mut self.p, &self.unit, &rate);
        }
    }
}
