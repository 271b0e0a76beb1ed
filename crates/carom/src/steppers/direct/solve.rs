//! Newton's method for a step whose contacts are known: `(v, λ)` with the exact Jacobian, to the round-off floor.

use super::{Config, Rule};
use crate::discrete::{Chord, Legendre, LinearPath, Newmark, Node};
use crate::error::{Failure, Row};
use crate::linear::{Breakdown, Lu, add_transposed_times, dot, max_abs};
use crate::state::State;
use crate::steppers::StepReport;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::near::Near;
use crate::steppers::shared::newton::{Convergence, FLOOR, STALLED, Verdict, relative_change};
use crate::steppers::shared::rows::{RowShape, relative_violation};
use crate::steppers::shared::spread::Spread;
use crate::system::{ContactId, System, Way};

/// Gaps below this multiple of the coordinates that they are computed from count as none.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// Where contact impulses enter: `left(v) = p + into_chord·G(y)λ`, `p' = right(v) + into_end·G(y)λ`, `y = q + place·h v`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scheme {
    /// Place of the unknown point in the step.
    pub place: f64,
    /// Weight in the equation of the chord.
    pub into_chord: f64,
    /// Weight in the momentum at the end.
    pub into_end: f64,
    /// Weights of the forces at the start, which the step before found, in both.
    pub carried: Option<[f64; 2]>,
}

/// The momenta of the base rule.
#[derive(Debug, Clone)]
pub enum Base {
    /// Of the midpoint rule.
    Midpoint(LinearPath),
    /// Of Newmark's method.
    Newmark(Newmark),
}

impl Base {
    fn new(config: &Config, n: usize) -> Self {
        match config.rule {
            Rule::Midpoint => Self::Midpoint(LinearPath::midpoint(n)),
            Rule::Newmark => Self::Newmark(Newmark::new(config.beta, config.gamma, n)),
        }
    }
}

impl<S: System + ?Sized> Legendre<S> for Base {
    fn momenta(&mut self, system: &S, chord: Chord, left: &mut [f64], right: &mut [f64], magnitude: &mut [f64]) {
        match self {
            Self::Midpoint(rule) => rule.momenta(system, chord, left, right, magnitude),
            Self::Newmark(rule) => rule.momenta(system, chord, left, right, magnitude),
        }
    }

    fn left_jacobian(&mut self, system: &S, chord: Chord, out: &mut [f64]) {
        match self {
            Self::Midpoint(rule) => rule.left_jacobian(system, chord, out),
            Self::Newmark(rule) => rule.left_jacobian(system, chord, out),
        }
    }

    fn stiffness(&self) -> Option<Node> {
        match self {
            Self::Midpoint(rule) => Legendre::<S>::stiffness(rule),
            Self::Newmark(rule) => Legendre::<S>::stiffness(rule),
        }
    }
}

/// The impulse of a contact in a list, ascending; 0 if it has none.
pub fn impulse_of(impulses: &[(ContactId, f64)], contact: ContactId) -> f64 {
    impulses.binary_search_by_key(&contact, |known| known.0).map_or(0.0, |place| impulses[place].1)
}

/// The equations of a step and their solution.
#[derive(Debug, Clone)]
pub struct Solver {
    base: Base,
    /// Where impulses enter.
    pub scheme: Scheme,
    inverse: InverseMass,
    /// `h G(q)μ`: the contact forces that the step before found at the start of this one.
    pub carried: Vec<f64>,
    /// The contacts that are held, ascending.
    pub held: Vec<ContactId>,
    /// Impulses of contacts that are held or were, ascending.
    pub lambda: Vec<(ContactId, f64)>,
    /// The contacts on the way to the unknown point, with their gaps there.
    pub near: Near,
    /// Gradients of the held contacts there.
    pub g: Vec<f64>,
    /// The end of the step.
    pub x: Vec<f64>,
    /// The momentum there.
    pub right: Vec<f64>,
    /// The unknown point, and when it is reached.
    y: Vec<f64>,
    t: f64,
    v: Vec<f64>,
    free_v: Vec<f64>,
    left: Vec<f64>,
    magnitude: Vec<f64>,
    reach: Vec<f64>,
    row: Vec<f64>,
    held_gap: Vec<f64>,
    sizes: Vec<f64>,
    spread: Spread,
    scale: Vec<f64>,
    jacobian: Vec<f64>,
    hessian: Vec<f64>,
    correction: Vec<f64>,
    lu: Lu,
}

impl Solver {
    /// Sized for a system, with room for as many contacts as can be independent.
    pub fn new<S: System + ?Sized>(config: &Config, system: &S, start: &State) -> Result<Self, Failure> {
        let (n, k) = (system.dim(), system.contacts().count());
        let most = k.min(n);
        // The Newton matrix, gradients of contacts, Jacobian and Hessian, two matrices of the base rule.
        let matrices = [[n + most, n + most], [most, n], [n, n], [n, n], [n, n], [n, n]];
        Failure::unless_they_fit("an implicit step with contacts", &matrices)?;
        let vector = || vec![0.0; n];
        let room = |count: usize| Vec::with_capacity(count);
        Ok(Self {
            base: Base::new(config, n),
            scheme: config.scheme(),
            inverse: InverseMass::new(system, &start.q)?,
            carried: vector(),
            held: Vec::with_capacity(most),
            lambda: Vec::with_capacity(most),
            near: Near::default(),
            g: room(most * n),
            x: vector(),
            right: vector(),
            y: vector(),
            t: start.t,
            v: vector(),
            free_v: vector(),
            left: vector(),
            magnitude: vector(),
            reach: vector(),
            row: vector(),
            held_gap: room(most),
            sizes: room(most),
            spread: Spread::new(n, most),
            scale: room(most),
            jacobian: vec![0.0; n * n],
            hessian: vec![0.0; n * n],
            correction: room(n + most),
            lu: Lu::new(n + most),
        })
    }

    /// The step without contacts: the search starts from it.
    pub fn solve_free<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        h: f64,
    ) -> Result<StepReport, Failure> {
        self.inverse.prepare(system, &state.q)?;
        self.free_v.copy_from_slice(&state.p);
        self.inverse.solve(&mut self.free_v);
        self.held.clear();
        self.restart(1.0);
        let report = self.solve(system, state, h)?;
        self.free_v.copy_from_slice(&self.v);
        Ok(report)
    }

    /// Puts the unknowns at a fraction of the way of the free step, without impulses.
    pub fn restart(&mut self, fraction: f64) {
        for (v, free) in self.v.iter_mut().zip(&self.free_v) {
            *v = fraction * free;
        }
        self.lambda.clear();
    }

    /// The step with the contacts of `held`, from where the unknowns are.
    pub fn solve<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<StepReport, Failure> {
        let (n, count) = (state.q.len(), self.held.len());
        let held = &self.held;
        self.lambda.retain(|(contact, _)| held.binary_search(contact).is_ok());
        self.g.resize(count * n, 0.0);
        for list in [&mut self.held_gap, &mut self.sizes, &mut self.scale] {
            list.resize(count, 0.0);
        }
        self.correction.resize(n + count, 0.0);
        self.lu.resize(n + count);

        let mut newton = Convergence::default();
        let mut residual = loop {
            let (mut residual, worst, mut constraint) = self.residual(system, state, h)?;
            if newton.is_stuck(residual, constraint) {
                constraint = self.spilled(system);
                residual = relative_violation(&self.left, &self.magnitude).0.max(constraint);
            }
            match newton.judge(residual, constraint, || self.only_noise(system, state, h)) {
                Verdict::Accept => break residual,
                Verdict::Correct => newton.corrected(self.correct(system, state, h)?, true),
                Verdict::GiveUp => {
                    let Convergence { iterations, correction, .. } = newton;
                    let row = self.named(system, worst);
                    return Err(Failure::NotConverged { iterations, residual, row, correction });
                }
            }
        };
        if residual > FLOOR {
            residual = self.settled_residual(system);
        }
        self.near.look(system, Way { t: [state.t, self.t], q: [&state.q, &self.y] }, 0.0);
        Ok(StepReport { iterations: newton.iterations, residual, ..StepReport::default() })
    }

    /// `left(v) − p − into_chord·G(y)λ` in `left` and the gaps of held contacts; the largest relative residual, its row and the
    /// largest of the gaps.
    fn residual<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        h: f64,
    ) -> Result<(f64, usize, f64), Failure> {
        let (n, scheme) = (state.q.len(), self.scheme);
        let chord = Chord { t0: state.t, h, q0: &state.q, v: &self.v };
        self.base.momenta(system, chord, &mut self.left, &mut self.right, &mut self.magnitude);
        self.t = state.t + scheme.place * h;
        let start = scheme.carried.map_or(0.0, |[into_chord, _]| into_chord);
        for i in 0..n {
            let (q, v, carried) = (state.q[i], self.v[i], start * self.carried[i]);
            self.x[i] = q + h * v;
            self.y[i] = if scheme.place == 1.0 { self.x[i] } else { q + scheme.place * h * v };
            self.left[i] -= state.p[i] + carried;
            self.magnitude[i] += state.p[i].abs() + carried.abs();
        }
        let mut worst = (0.0, 0);
        if !self.held.is_empty() {
            system.contacts().gaps_of(self.t, &self.y, &self.held, &mut self.held_gap);
            for (place, &contact) in self.held.iter().enumerate() {
                let row = &mut self.g[place * n..(place + 1) * n];
                system.contacts().gradient(self.t, &self.y, contact, row);
                let impulse = scheme.into_chord * impulse_of(&self.lambda, contact);
                for ((left, magnitude), g) in self.left.iter_mut().zip(&mut self.magnitude).zip(&*row) {
                    *left -= impulse * g;
                    *magnitude += (impulse * g).abs();
                }
            }
            self.measure_reach(h);
            for (place, row) in self.g.chunks_exact(n).enumerate() {
                self.sizes[place] = self.held_gap[place].abs() + self.size(row);
            }
            let (relative, place) = relative_violation(&self.held_gap, &self.sizes);
            worst = (relative, n + place);
        }
        let (constraint, balance) = (worst.0, relative_violation(&self.left, &self.magnitude));
        if balance.0 > constraint || balance.0.is_nan() {
            worst = balance;
        }
        if worst.0.is_finite() && constraint.is_finite() {
            Ok((worst.0, worst.1, constraint))
        } else {
            Err(Failure::NonFinite { what: "a residual of the step's equations" })
        }
    }

    /// How far the terms of the step would carry each coordinate.
    fn measure_reach(&mut self, h: f64) {
        for ((reach, magnitude), m) in self.reach.iter_mut().zip(&self.magnitude).zip(&self.inverse.diagonal) {
            *reach = h.abs() * magnitude / m;
        }
    }

    /// What the round-off of a gap comes from: `Σ |g_k|(|y_k| + reach_k)`.
    fn size(&self, gradient: &[f64]) -> f64 {
        let scales = self.y.iter().zip(&self.reach);
        gradient.iter().zip(scales).fold(0.0, |sum, (g, (y, reach))| sum + g.abs() * (y.abs() + reach))
    }

    /// The largest gap of a held contact where the sizes of all rows count.
    #[cold]
    fn spilled<S: System + ?Sized>(&mut self, system: &S) -> f64 {
        let (t, y, held) = (self.t, &self.y, &self.held);
        self.spread.add_rounding(&mut self.sizes, |out| system.contacts().rounding(t, y, held, out));
        let shape = RowShape::rows(self.v.len(), self.held_gap.len());
        self.spread.measure(&shape, &self.g, &self.inverse.diagonal, &self.sizes);
        self.spread.violation(&self.held_gap, &self.sizes)
    }

    /// Whether round-off of the coordinates explains what is left of every momentum balance.
    #[cold]
    fn only_noise<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> bool {
        let n = state.q.len();
        self.differentiate(system, state, h);
        self.jacobian.chunks_exact(n).enumerate().all(|(i, row)| {
            // Without the mass: it multiplies the velocity, not a rounded coordinate.
            let entry = |j: usize| row[j] - if i == j { self.inverse.diagonal[i] } else { 0.0 };
            let terms = self.x.iter().enumerate().fold(0.0, |sum, (j, x)| sum + (entry(j) * x).abs());
            self.left[i].abs() <= FLOOR * (self.magnitude[i] + 2.0 * terms / h.abs())
        })
    }

    /// The residual of a solution that stalled above the floor; terms that are round-off themselves are measured by the momentum
    /// at the speed of the fastest coordinate.
    fn settled_residual<S: System + ?Sized>(&mut self, system: &S) -> f64 {
        let (speed, mut worst) = (max_abs(&self.v), relative_violation(&self.held_gap, &self.sizes).0);
        if worst > STALLED {
            worst = self.spilled(system);
        }
        for (i, left) in self.left.iter().enumerate().filter(|(_, left)| **left != 0.0) {
            worst = worst.max(left.abs() / (self.magnitude[i] + self.inverse.diagonal[i] * speed));
        }
        worst
    }

    /// `∂left/∂v − into_chord·place·h Σ λ_i ∂²g_i/∂q²(y)`.
    fn differentiate<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) {
        let chord = Chord { t0: state.t, h, q0: &state.q, v: &self.v };
        self.base.left_jacobian(system, chord, &mut self.jacobian);
        if !self.held.is_empty() {
            system.contacts().hessian(self.t, &self.y, &self.lambda, &mut self.hessian);
            let weight = self.scheme.into_chord * self.scheme.place * h;
            for (out, curvature) in self.jacobian.iter_mut().zip(&self.hessian) {
                *out -= weight * curvature;
            }
        }
    }

    /// One correction of `(v, λ)`; returns its size relative to the end point.
    fn correct<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<f64, Failure> {
        let n = state.q.len();
        self.differentiate(system, state, h);
        self.assemble();
        let (momentum, gaps) = self.correction.split_at_mut(n);
        momentum.copy_from_slice(&self.left);
        for (out, gap) in gaps.iter_mut().zip(&self.held_gap) {
            *out = gap / (self.scheme.place * h);
        }
        if let Err(Breakdown { index, pivot }) = self.lu.factor() {
            return Err(Failure::Singular { row: self.named(system, index), pivot });
        }
        self.lu.solve(&mut self.correction);
        self.measure_reach(h);
        let changes = self.correction[..n].iter().map(|change| h * change);
        let moved = relative_change(changes, &state.q, &self.reach);
        for (v, change) in self.v.iter_mut().zip(&self.correction) {
            *v -= change;
        }
        for (place, &contact) in self.held.iter().enumerate() {
            let change = self.correction[n + place] * self.scale[place];
            match self.lambda.binary_search_by_key(&contact, |known| known.0) {
                Ok(known) => self.lambda[known].1 -= change,
                Err(known) => self.lambda.insert(known, (contact, 0.0 - change)),
            }
        }
        Ok(moved)
    }

    /// `[[jacobian, −into_chord·G(y)], [G(y)ᵀ, 0]]`, the multipliers in units that make their columns as large as the mass.
    fn assemble(&mut self) {
        let (n, count) = (self.v.len(), self.held.len());
        let (width, matrix) = (n + count, &mut self.lu.matrix);
        matrix.fill(0.0);
        for (out, row) in matrix.chunks_exact_mut(width).zip(self.jacobian.chunks_exact(n)) {
            out[..n].copy_from_slice(row);
        }
        for (place, row) in self.g.chunks_exact(n).enumerate() {
            let along = |i: usize| self.scheme.into_chord * row[i];
            let largest = (0..n).fold(0.0_f64, |max, i| max.max((along(i) / self.jacobian[i * (n + 1)]).abs()));
            let scale = if largest > 0.0 && largest.is_finite() { largest.recip() } else { 1.0 };
            self.scale[place] = scale;
            for i in 0..n {
                matrix[i * width + n + place] = -along(i) * scale;
            }
            matrix[(n + place) * width..][..n].copy_from_slice(row);
        }
    }

    /// When and where the contact impulses act.
    pub fn contact_point(&self) -> (f64, &[f64]) {
        (self.t, &self.y)
    }

    /// Puts the contact impulses into the momentum at the end.
    pub fn finish(&mut self) {
        let Scheme { into_end, carried, .. } = self.scheme;
        let n = self.right.len();
        for (row, &contact) in self.g.chunks_exact(n).zip(&self.held) {
            add_transposed_times(row, &[impulse_of(&self.lambda, contact)], into_end, &mut self.right);
        }
        if let Some([_, into_end]) = carried {
            for (right, carried) in self.right.iter_mut().zip(&self.carried) {
                *right += into_end * carried;
            }
        }
    }

    /// By how much a held contact pulls, as the depth that it keeps the unknown point from rising; none if only by round-off.
    pub fn pull(&mut self, place: usize, h: f64) -> Option<f64> {
        let (n, Scheme { place: at, into_chord, .. }) = (self.v.len(), self.scheme);
        let lambda = impulse_of(&self.lambda, self.held[place]);
        if lambda * h.signum() >= 0.0 {
            return None;
        }
        let g = &self.g[place * n..(place + 1) * n];
        self.row.copy_from_slice(g);
        self.inverse.solve(&mut self.row);
        let depth = (at * h * into_chord * lambda * dot(g, &self.row)).abs();
        (depth > ROUND_OFF * self.size(g)).then_some(depth)
    }

    /// How deep the unknown point is inside a contact near it that is not held; none if only by round-off.
    pub fn depth<S: System + ?Sized>(&mut self, system: &S, place: usize, h: f64) -> Option<f64> {
        let (contact, depth) = (self.near.ids()[place], -self.near.next[place]);
        if depth <= 0.0 {
            return None;
        }
        self.measure_reach(h);
        system.contacts().gradient(self.t, &self.y, contact, &mut self.row);
        (depth > ROUND_OFF * self.size(&self.row)).then_some(depth)
    }

    /// The equation of a row of the linear system.
    fn named<S: System + ?Sized>(&self, system: &S, index: usize) -> Row {
        match index.checked_sub(self.v.len()) {
            None => Row::coordinate(system, index),
            Some(place) => Row::contact(system, self.held[place]),
        }
    }
}
