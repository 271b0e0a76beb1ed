//! A primal-dual interior-point method for the exact cone, with the sliding term of De Saxcé's form inside Newton's equations.
//!
//! In the scaled variables x = (μ r_n, r_t), y = (ũ_n/μ, ũ_t) both live in the Lorentz cone and Coulomb's law reads
//!
//! ```text
//! y = Ŵ x + q̂ + ‖y_t‖ e_n,   x ∘ y = 0,   Ŵ = D W D, q̂ = D q, D = diag(1/μ, 1, 1)
//! ```
//!
//! x∘y = σ e is followed to σ = 0 with Nesterov and Todd's scaling B and Mehrotra's corrector; ‖y_t‖ is linearised as it stands, smoothed
//! with σ. What is solved in each step is (W + Θ) dr = b with Θ = D⁻¹ (1 − E) B² D⁻¹ a block for each contact: regular where W is singular.
//! The problem is not convex, so the path may end early: the best iterate is a start for [`super::Newton`].

pub(crate) mod jordan;

use super::best::Best;
use super::form::Form;
use super::pencil::{Blocks, Pencil, UNIT};
use super::{Block, Facts};
use crate::outcome::{Failure, Limits, Solved, Solver, Unsolved};
use crate::problem::{Friction, GlobalFriction, Law, Motion};
use jordan::{Matrix, Point, Scaling, determinant, dot, product, quotient, reach, scaling, times};

/// How the central path is followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interior {
    /// ‖y_t‖ is smoothed by this times √(σ Ŵ): 0 not at all.
    pub smoothing: f64,
    /// The fraction of the way to the boundary that a step goes, below 1.
    pub fraction: f64,
    /// How much of the derivative of ‖y_t‖ enters Newton's equations, from 0 (a fixed-point iteration) to 1.
    pub sliding: f64,
    /// The start, relative to the size of q.
    pub start: f64,
    /// The most iterations.
    pub iterations: usize,
}

impl Default for Interior {
    fn default() -> Interior {
        Interior { smoothing: 0.01, fraction: 0.99, sliding: 1.0, start: 1.0, iterations: 60 }
    }
}

/// The iterate: equalities z_e, and a pair (x, y) for each contact.
struct Iterate {
    equalities: Vec<f64>,
    x: Vec<Point>,
    y: Vec<Point>,
}

/// A direction of the iterate.
type Direction = Iterate;

/// A step shorter than this asks for the next one to go back to the middle of the cone.
const SHORT_STEP: f64 = 0.2;

/// Three steps in a row shorter than this end the search.
const DEAD_STEP: f64 = 1e-4;

/// The part of the first gap at which the path of a convex problem ends: below it rounding in the scalings decides.
const CONVEX_GAP: f64 = 1e-14;

impl Interior {
    /// What is known before it is run.
    pub const FACTS: Facts = Facts {
        name: "interior",
        takes: "friction problems by matrix or bodies with the cone, with equalities",
        guarantees: "none (the problem is not convex); frictionless problems are convex and converge",
        costs: "one sparse LU per iteration, commonly 10 to 60 iterations; memory of the factors",
        fails: "ends near 1e-8 where contacts are degenerate, or early where the path is lost; says stalled",
    };

    /// Follows the path of the convex problem in which `slip` takes the place of ‖u_t‖ of every contact, to its end: the gap that is left is
    /// [`CONVEX_GAP`] of the first, or no step moves anything. Leaves its impulses, whatever their residual; the number of iterations.
    pub(crate) fn follow_convex<P: Form>(
        &self,
        problem: &P,
        slip: &[f64],
        z: &mut [f64],
        limits: &Limits,
    ) -> usize {
        let mut pencil = Pencil::default();
        if problem.law() != Law::Cone || !pencil.renew(problem.compliance(), problem.shape()) {
            return 0;
        }
        let most = limits.iterations.unwrap_or(self.iterations);
        let mut path = Path::new(self, problem);
        path.slip = Some(slip.to_vec());
        let first = path.gap();
        for iteration in 0..most {
            path.impulses(z);
            let moved = path.advance(self, problem, &mut pencil, z);
            if moved.is_none_or(|length| length <= DEAD_STEP) || path.gap() <= CONVEX_GAP * first || limits.late() {
                path.impulses(z);
                return iteration + 1;
            }
        }
        path.impulses(z);
        most
    }

    pub(crate) fn run<P: Form>(&self, problem: &P, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        let mut best = Best::default();
        best.begin(problem, z);
        if problem.law() != Law::Cone {
            let failure = Failure::Unsuitable("the interior-point method takes the cone only".into());
            return best.finish(z, limits, 0, failure);
        }
        let mut pencil = Pencil::default();
        if !pencil.renew(problem.compliance(), problem.shape()) {
            return best.finish(z, limits, 0, Failure::Singular("the pattern cannot be analysed".into()));
        }
        let most = limits.iterations.unwrap_or(self.iterations);
        let mut path = Path::new(self, problem);
        let mut short_steps = 0;
        for iteration in 0..most {
            path.impulses(z);
            if best.offer(problem, z).relative <= limits.tolerance {
                return best.finish(z, limits, iteration, Failure::Stalled);
            }
            if limits.late() {
                return best.finish(z, limits, iteration, Failure::Deadline);
            }
            match path.advance(self, problem, &mut pencil, z) {
                Some(length) if length > DEAD_STEP => short_steps = 0,
                Some(_) if short_steps < 2 => short_steps += 1,
                _ => return best.finish(z, limits, iteration + 1, Failure::Stalled),
            }
        }
        path.impulses(z);
        best.offer(problem, z);
        best.finish(z, limits, most, Failure::Iterations)
    }
}

/// The path of one problem.
struct Path {
    at: Iterate,
    /// 1/μ of each contact, 1 where μ = 0.
    normal_scale: Vec<f64>,
    /// The mean diagonal entry of Ŵ.
    compliance: f64,
    /// What stands in the place of ‖y_t‖ where the path is that of a convex problem.
    slip: Option<Vec<f64>>,
    /// Whether the next step goes back to the middle of the cone.
    centre: bool,
    theta: Vec<Block>,
    unit: Vec<Block>,
}

impl Path {
    fn new<P: Form>(options: &Interior, problem: &P) -> Path {
        let (shape, mu) = (problem.shape(), problem.mu());
        let (e, d) = (shape.equalities, shape.dimension);
        let normal_scale: Vec<f64> = mu.iter().map(|&mu| if mu > 0.0 { 1.0 / mu } else { 1.0 }).collect();
        let mut q = vec![0.0; problem.size()];
        problem.slacks(&vec![0.0; problem.size()], &mut q, &mut Motion::default());
        let (mut squares, mut trace) = (0.0, 0.0);
        for (c, scale) in normal_scale.iter().enumerate() {
            for k in 0..d {
                let factor = if k == 0 { *scale } else { 1.0 };
                squares += (factor * q[e + c * d + k]).powi(2);
                trace += factor * factor * problem.diagonal(e + c * d + k);
            }
        }
        let contacts = mu.len().max(1) as f64;
        let compliance = if trace > 0.0 { trace / (contacts * d as f64) } else { 1.0 };
        let size = match options.start * (squares / contacts).sqrt() {
            size if size > 0.0 => size,
            _ => 1.0,
        };
        let at = Iterate {
            equalities: vec![0.0; e],
            x: vec![[size / compliance, 0.0, 0.0]; mu.len()],
            y: vec![[size, 0.0, 0.0]; mu.len()],
        };
        // A contact without friction has rows r_t = 0 in place of its tangents' equations.
        let unit = mu.iter().map(|&mu| if mu > 0.0 { UNIT } else { [UNIT[0], [0.0; 3], [0.0; 3]] }).collect();
        Path { at, normal_scale, compliance, slip: None, centre: false, theta: Vec::new(), unit }
    }

    /// The impulses z of the iterate.
    fn impulses(&self, z: &mut [f64]) {
        let e = self.at.equalities.len();
        let d = (z.len() - e) / self.at.x.len().max(1);
        z[..e].copy_from_slice(&self.at.equalities);
        for (c, x) in self.at.x.iter().enumerate() {
            z[e + c * d..e + (c + 1) * d].copy_from_slice(&x[..d]);
            z[e + c * d] *= self.normal_scale[c];
        }
    }

    /// The mean xᵀy of the contacts.
    fn gap(&self) -> f64 {
        let pairs = self.at.x.iter().zip(&self.at.y);
        pairs.map(|(x, y)| dot(x, y)).sum::<f64>() / self.at.x.len().max(1) as f64
    }

    /// One predictor-corrector step; its length, `None` where it cannot be computed. `z` are the impulses of the iterate.
    fn advance<P: Form>(
        &mut self,
        options: &Interior,
        problem: &P,
        pencil: &mut Pencil,
        z: &mut [f64],
    ) -> Option<f64> {
        // Notation: x, y, B, E, Θ as above; λ = B x = B⁻¹ y; gap = xᵀy per contact; c with dy = c − B² dx.
        let contacts = self.at.x.len();
        let gap = self.gap();
        let smooth = options.smoothing * (gap * self.compliance).sqrt();
        let scalings: Vec<Scaling> = self.at.x.iter().zip(&self.at.y).map(|(x, y)| scaling(x, y)).collect();
        let sliding: Vec<Point> = (0..contacts)
            .map(|c| {
                if let Some(slip) = &self.slip {
                    return [slip[c], 0.0, 0.0];
                }
                let y = &self.at.y[c];
                let speed = (y[1] * y[1] + y[2] * y[2] + smooth * smooth).sqrt();
                let factor = if speed > 0.0 { options.sliding / speed } else { 0.0 };
                [speed, factor * y[1], factor * y[2]]
            })
            .collect();
        let defect = self.defect(problem, &sliding, z);
        self.fill_theta(problem, &scalings, &sliding);
        let left = Blocks { equality: 0.0, contacts: &self.theta };
        if !pencil.factor(problem.compliance(), left, Blocks { equality: 1.0, contacts: &self.unit }) {
            return None;
        }
        let lambda: Vec<Point> = scalings.iter().zip(&self.at.x).map(|(s, x)| times(&s.root, x)).collect();
        let mut target: Vec<Point> = lambda.iter().map(|l| product(l, l).map(|v| -v)).collect();
        let mut system =
            System { path: self, problem, pencil, scalings: &scalings, sliding: &sliding, lambda: &lambda };
        let affine = system.direction(&defect, &target)?;
        let ahead = self.reach(&affine).min(1.0);
        let sigma = if self.centre { 1.0 } else { (1.0 - ahead).powi(3).clamp(1e-6, 0.8) };
        for c in 0..contacts {
            if ahead > 0.1 && !self.centre {
                let correction =
                    product(&times(&scalings[c].root, &affine.x[c]), &times(&scalings[c].inverse, &affine.y[c]));
                (0..3).for_each(|k| target[c][k] -= correction[k]);
            }
            target[c][0] += sigma * gap;
        }
        let direction = system.direction(&defect, &target)?;
        let length = (options.fraction * self.reach(&direction)).min(1.0);
        self.at.equalities.iter_mut().zip(&direction.equalities).for_each(|(z, dz)| *z += length * dz);
        for c in 0..contacts {
            for k in 0..3 {
                self.at.x[c][k] += length * direction.x[c][k];
                self.at.y[c][k] += length * direction.y[c][k];
            }
        }
        // Round-off may put a point on the boundary, where no scaling exists.
        let inside = |p: &Point| p[0] > 0.0 && determinant(p) > 0.0;
        if !self.at.x.iter().chain(&self.at.y).all(inside) {
            return None;
        }
        self.centre = length < SHORT_STEP && !(self.centre && length < 1e-3);
        Some(length)
    }

    /// y − Ŵ x − q̂ − ‖y_t‖ e_n of each contact in the unscaled rows of the problem, −w of each equality.
    fn defect<P: Form>(&self, problem: &P, sliding: &[Point], z: &[f64]) -> Vec<f64> {
        let shape = problem.shape();
        let (e, d) = (shape.equalities, shape.dimension);
        let mut defect = vec![0.0; z.len()];
        problem.slacks(z, &mut defect, &mut Motion::default());
        defect.iter_mut().for_each(|value| *value = -*value);
        for (c, y) in self.at.y.iter().enumerate() {
            let row = e + c * d;
            if problem.mu()[c] > 0.0 {
                defect[row] += (y[0] - sliding[c][0]) / self.normal_scale[c];
                (1..d).for_each(|k| defect[row + k] += y[k]);
            } else {
                defect[row] += y[0];
                (1..d).for_each(|k| defect[row + k] = 0.0);
            }
        }
        defect
    }

    /// Θ = D⁻¹ (1 − E) B² D⁻¹, the rows r_t = 0 where there is no friction.
    fn fill_theta<P: Form>(&mut self, problem: &P, scalings: &[Scaling], sliding: &[Point]) {
        self.theta.clear();
        for (c, scaling) in scalings.iter().enumerate() {
            let mut block = scaling.square;
            if problem.mu()[c] > 0.0 {
                for j in 0..3 {
                    block[0][j] -= sliding[c][1] * block[1][j] + sliding[c][2] * block[2][j];
                }
                let scale = 1.0 / self.normal_scale[c];
                (0..3).for_each(|j| block[0][j] *= scale);
                (0..3).for_each(|i| block[i][0] *= scale);
            } else {
                block = [[block[0][0], 0.0, 0.0], UNIT[1], UNIT[2]];
            }
            self.theta.push(block);
        }
    }

    /// The largest step that keeps every pair in the cone.
    fn reach(&self, direction: &Direction) -> f64 {
        let x = self.at.x.iter().zip(&direction.x);
        let y = self.at.y.iter().zip(&direction.y);
        x.chain(y).map(|(point, step)| reach(point, step)).fold(f64::INFINITY, f64::min)
    }
}

/// Newton's equations at one iterate, factored.
struct System<'a, P> {
    path: &'a Path,
    problem: &'a P,
    pencil: &'a mut Pencil,
    scalings: &'a [Scaling],
    sliding: &'a [Point],
    lambda: &'a [Point],
}

impl<P: Form> System<'_, P> {
    /// The direction that removes the defect and brings λ∘(B dx + B⁻¹ dy) to the target.
    fn direction(&mut self, defect: &[f64], target: &[Point]) -> Option<Direction> {
        let shape = self.problem.shape();
        let (e, d) = (shape.equalities, shape.dimension);
        let shift: Vec<Point> = (0..target.len())
            .map(|c| times(&self.scalings[c].root, &quotient(&self.lambda[c], &target[c])))
            .collect();
        // (W + Θ) dr = defect + D⁻¹ (1 − E) c.
        let mut right = defect.to_vec();
        for (c, shift) in shift.iter().enumerate() {
            let row = e + c * d;
            if self.problem.mu()[c] > 0.0 {
                let slide = self.sliding[c][1] * shift[1] + self.sliding[c][2] * shift[2];
                right[row] += (shift[0] - slide) / self.path.normal_scale[c];
                (1..d).for_each(|k| right[row + k] += shift[k]);
            } else {
                right[row] += shift[0];
            }
        }
        let mut step = right.clone();
        if !self.pencil.solve(self.problem.compliance(), &mut step) {
            return None;
        }
        self.refine(&right, &mut step);
        let mut direction = Iterate { equalities: step[..e].to_vec(), x: Vec::new(), y: Vec::new() };
        for (c, shift) in shift.iter().enumerate() {
            let mut dx = [0.0; 3];
            dx[..d].copy_from_slice(&step[e + c * d..e + (c + 1) * d]);
            dx[0] /= self.path.normal_scale[c];
            let pushed = times(&self.scalings[c].square, &dx);
            direction.x.push(dx);
            direction.y.push(std::array::from_fn(|k| shift[k] - pushed[k]));
        }
        Some(direction)
    }

    /// One step of iterative refinement: Θ grows without bound on the way, and W is often singular.
    fn refine(&mut self, right: &[f64], step: &mut [f64]) {
        let shape = self.problem.shape();
        let (e, d) = (shape.equalities, shape.dimension);
        let (mut product, mut at_zero) = (vec![0.0; step.len()], vec![0.0; step.len()]);
        self.problem.slacks(step, &mut product, &mut Motion::default());
        self.problem.slacks(&vec![0.0; step.len()], &mut at_zero, &mut Motion::default());
        let mut rest: Vec<f64> = (0..step.len()).map(|k| right[k] - (product[k] - at_zero[k])).collect();
        for (c, block) in self.path.theta.iter().enumerate() {
            let rows = e + c * d..e + (c + 1) * d;
            let unit: &Matrix = &self.path.unit[c];
            for (i, row) in rows.clone().enumerate() {
                if unit[i][i] == 0.0 {
                    rest[row] = right[row];
                }
                rest[row] -= (0..d).map(|j| block[i][j] * step[rows.start + j]).sum::<f64>();
            }
        }
        if self.pencil.solve(self.problem.compliance(), &mut rest) {
            step.iter_mut().zip(rest).for_each(|(step, rest)| *step += rest);
        }
    }
}

impl Solver<Friction> for Interior {
    fn solve(&mut self, problem: &Friction, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.run(problem, z, limits)
    }
}

impl Solver<GlobalFriction> for Interior {
    fn solve(&mut self, problem: &GlobalFriction, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.run(problem, z, limits)
    }
}
