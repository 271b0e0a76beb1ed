//! The step: unknowns, Newton's method, the end.

use super::Config;
use super::blocks::Blocks;
use super::matrix::Derivatives;
use super::relax::Relaxed;
use super::stages::{Distance, Stages};
use super::tables::Tables;
use crate::error::{Failure, Row, StepError};
use crate::linear::{Breakdown, Lu};
use crate::state::{State, all_finite};
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::newton::{Convergence, FLOOR, Verdict, relative_change};
use crate::steppers::shared::projection::ConstraintRows;
use crate::steppers::shared::rows::RowShape;
use crate::steppers::shared::spread::Spread;
use crate::steppers::{ForeignMemory, Impulses, Inside, StepReport, Stepper, take_over};
use crate::system::System;

/// Corrections before a step is given up. Steps that follow the motion take 1 to 13; longer ways were seen to end at other solutions of
/// the equations, far from it.
const MOST_CORRECTIONS: u32 = 20;

/// Corrections by blocks must make the residual fall to this part of it, or the full matrix takes over.
const SLOW: f64 = 0.2;

/// The same from the polynomials of the step before: where they lead far, the state itself is a better start.
const MOST_AHEAD: u32 = 8;

/// No step is accepted with a residual above this, whatever it stalls at.
const WORST: f64 = 1e-8;

/// Unknowns whose matrix takes 8 MB.
const LARGE: usize = 1000;

/// A residual that is not to be seen among round-off.
const UNSEEN: f64 = 0.05 * f64::EPSILON;

/// The step of `galerkin`.
#[derive(Debug, Clone)]
pub struct Galerkin {
    pub(super) tables: Tables,
    /// `w_κ l_j(s_κ)/b_j` and `â_jκ`, one row per point; the latter of the points of the potential too.
    pub(super) weights: Vec<f64>,
    pub(super) reactions: Vec<f64>,
    pub(super) pulls: Vec<f64>,
    pub(super) n: usize,
    pub(super) nc: usize,
    /// Whether the momentum is an unknown of its own: with M(q), and not as many points as its ansatz has coefficients.
    pub(super) separate: bool,
    /// A constant mass as a full matrix; empty otherwise.
    pub(super) mass: Vec<f64>,
    pub(super) inverse: InverseMass,
    pub(super) rows: ConstraintRows,
    pub(super) g0: Vec<f64>,
    /// The unknowns: velocities, momenta, multipliers at the start and inside.
    pub(super) u: Vec<f64>,
    pub(super) momenta: Vec<f64>,
    pub(super) mu: Vec<f64>,
    pub(super) lambda: Vec<f64>,
    pub(super) stages: Stages,
    pub(super) derivatives: Derivatives,
    pub(super) unbalance: Vec<f64>,
    pub(super) correction: Vec<f64>,
    pub(super) lu: Lu,
    /// For many coordinates.
    pub(super) blocks: Option<Blocks>,
    pub(super) scales: Vec<f64>,
    /// `p0 + G0ᵀμ` and the end of the step.
    pub(super) start: Vec<f64>,
    pub(super) q1: Vec<f64>,
    pub(super) p1: Vec<f64>,
    pub(super) magnitude: Vec<f64>,
    pub(super) reach: Vec<f64>,
    pub(super) sizes: Vec<f64>,
    pub(super) spread: Spread,
    pub(super) work: Vec<f64>,
    /// `∂²g/∂q∂t`, for moving constraints.
    pub(super) rates: Vec<f64>,
    /// The node before the last step, its length, and `p1` before the projection.
    pub(super) before: State,
    pub(super) h: f64,
    pub(super) free: Vec<f64>,
    /// Corrections in this step.
    pub(super) corrections: u32,
    impulses: [Vec<f64>; 2],
    inside_work: f64,
    /// Length of the last step, where it ended, and its polynomials; a length of 0 if there was none.
    pub(super) memory: Vec<f64>,
}

impl Galerkin {
    /// Sized for the system; refused if its mass is singular or its constraints depend on each other at the start.
    pub fn new<S: System + ?Sized>(config: &Config, system: &S, start: &State) -> Result<Self, Failure> {
        let (n, nc, tables) = (system.dim(), system.equalities().count(), Tables::new(config));
        let (modes, points) = (tables.modes, tables.points.s.len());
        let constant = system.mass().is_constant();
        let separate = !constant && points != tables.momentum_degree + 1;
        let own = if separate { (tables.momentum_degree + 1) * n } else { 0 };
        let unknowns = modes * (n + nc) + own;
        let full = |rows: usize, columns: usize| [rows, columns];
        // The Newton matrix, six matrices of derivatives, the mass, and rows of constraints at every point.
        let mut matrices = vec![full(unknowns, unknowns)];
        matrices.extend([full(n, n); 7]);
        matrices.push(full(nc, nc));
        if system.equalities().sparse().is_none() {
            matrices.push(full((points + 3) * nc, n));
        }
        matrices.extend(if separate { vec![full(n, n); points] } else { Vec::new() });
        Failure::unless_they_fit("a galerkin step", &matrices)?;
        let inverse = InverseMass::new(system, &start.q)?;
        let rows = ConstraintRows::at(RowShape::of(system, &inverse), system, &inverse, start)?;
        let vector = || vec![0.0; n];
        let mut mass = vec![0.0; if constant { n * n } else { 0 }];
        if constant {
            system.mass().matrix(&start.q, &mut mass);
        }
        let pull = tables.potential.as_ref().map_or(0, |points| points.s.len() * n);
        let many = |count: usize| vec![0.0; points * count];
        let stages = Stages {
            q: many(n),
            v: many(n),
            p: many(n),
            force: many(n),
            size: many(n),
            g: many(nc),
            gradients: many(rows.g.len()),
            lambda: many(nc),
            inverse: if separate { vec![inverse.clone(); points] } else { Vec::new() },
            pull: vec![0.0; pull],
        };
        let weights = (0..points * modes)
            .map(|place| tables.points.w[place / modes] * tables.points.l[place] / tables.b[place % modes]);
        let reactions = tables.reactions(&tables.points);
        // With M(q) they leave out too much: four times as many corrections.
        let apart = constant && tables.potential.is_none();
        let blocks = if apart { Blocks::new(&tables, &reactions, n, nc) } else { None };
        Ok(Self {
            weights: weights.collect(),
            reactions,
            pulls: tables.potential.as_ref().map_or(Vec::new(), |points| tables.reactions(points)),
            n,
            nc,
            separate,
            mass,
            inverse,
            g0: vec![0.0; rows.g.len()],
            rows,
            u: vec![0.0; modes * n],
            momenta: vec![0.0; own],
            mu: vec![0.0; nc],
            lambda: vec![0.0; (modes - 1) * nc],
            stages,
            derivatives: Derivatives::new(n),
            unbalance: vec![0.0; unknowns],
            correction: vec![0.0; unknowns],
            // Where blocks do, room for a large full matrix is made when it is first needed.
            lu: Lu::new(if blocks.is_some() && unknowns > LARGE { 0 } else { unknowns }),
            blocks,
            scales: vec![1.0; nc],
            start: vector(),
            q1: vector(),
            p1: vector(),
            magnitude: vector(),
            reach: vector(),
            sizes: vec![0.0; nc],
            spread: Spread::new(n, nc),
            work: vector(),
            rates: vec![0.0; nc * n],
            before: start.clone(),
            h: 0.0,
            free: vector(),
            corrections: 0,
            impulses: [vec![0.0; nc], vec![0.0; nc]],
            inside_work: 0.0,
            memory: vec![0.0; 1 + 2 * n + modes * n + (modes - 1) * nc],
            tables,
        })
    }

    fn advance<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<StepReport, Failure> {
        self.inverse.prepare(system, &state.q)?;
        self.rows.shape.evaluate(system, state.t, &state.q, [&mut self.sizes, &mut self.g0]);
        let known = self.goes_on(state, h);
        if known {
            self.extrapolate(system, state, h);
        } else {
            self.expand(system, state, h)?;
        }
        self.corrections = 0;
        let mut residual = match self.solve(system, state, h, if known { MOST_AHEAD } else { MOST_CORRECTIONS }) {
            Err(_) if known => {
                self.expand(system, state, h)?;
                self.solve(system, state, h, MOST_CORRECTIONS)?
            }
            solved => solved?,
        };
        self.free.copy_from_slice(&self.p1);
        if self.nc > 0 {
            self.inverse.prepare(system, &self.q1)?;
            self.rows.prepare(system, &self.inverse, state.t + h, &self.q1)?;
            residual = residual.max(self.rows.project(&self.inverse, &mut self.p1));
            self.sum_impulses(system, state, h);
        }
        if all_finite(&self.q1) && all_finite(&self.p1) {
            Ok(StepReport { iterations: self.corrections, residual, ..StepReport::default() })
        } else {
            Err(Failure::NonFinite { what: "the state after the step" })
        }
    }

    /// Newton's method from the unknowns as they are, with at most so many corrections; the residual at its end.
    fn solve<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64, most: u32) -> Result<f64, Failure> {
        let mut evaluated = match self.relax(system, state, h) {
            Relaxed::Done(residual) => return Ok(residual),
            Relaxed::Here(distance) => Some(distance),
            Relaxed::Elsewhere => None,
        };
        let (mut newton, mut before) = (Convergence::default(), f64::INFINITY);
        let (mut apart, mut fell) = (self.blocks.is_some(), 1.0);
        loop {
            let Distance { mut residual, row, mut constraint } = match evaluated.take() {
                Some(distance) => distance,
                None => match self.evaluate(system, state, h).and_then(|()| self.residual(system, state, h)) {
                    // Blocks have led where nothing is defined.
                    Err(_) if apart && before.is_finite() => {
                        Distance { residual: f64::INFINITY, row: 0, constraint: f64::INFINITY }
                    }
                    evaluated => evaluated?,
                },
            };
            if self.nc > 0 && newton.is_stuck(residual, residual) && residual.is_finite() {
                [residual, constraint] = self.spilled(system, state.t + h);
            }
            let (first, ratio) = (before.is_infinite(), residual / before);
            // What blocks leave falls evenly: it is more than round-off as long as the course before says so.
            let falling = apart && !first && ratio <= SLOW && before * fell > UNSEEN;
            if apart && ratio > 1.0 && residual > FLOOR {
                // That correction was none: the full matrix starts where it did.
                (apart, before) = (false, f64::INFINITY);
                newton.start_again();
                self.correct_by(h, 1.0);
                continue;
            }
            let verdict = newton.judge(residual, constraint, || self.only_noise(system, state, h));
            if verdict == Verdict::Accept && !falling && !(apart && residual > 16.0 * FLOOR) {
                let residual = if residual > FLOOR { self.settled_residual() } else { residual };
                if residual <= WORST {
                    return Ok(residual);
                }
            }
            match verdict {
                Verdict::Correct | Verdict::Accept if newton.iterations < most => {
                    apart &= ratio <= SLOW && (!first || self.factor_blocks(system, state, h));
                    // Factors of an iterate before will do if two more corrections with them come to the end.
                    let fresh = !apart && (first || ratio > SLOW || residual * ratio * ratio > FLOOR);
                    (before, fell) = (residual, if first { 1.0 } else { ratio });
                    newton.corrected(self.correct(system, state, h, [fresh, apart])?, fresh);
                }
                _ => {
                    let Convergence { iterations, correction, .. } = newton;
                    return Err(Failure::NotConverged {
                        iterations,
                        residual,
                        row: self.row(system, row),
                        correction,
                    });
                }
            }
        }
    }

    /// One correction of the unknowns, with factors of this iterate or of one before; returns its size relative to the end point.
    fn correct<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        h: f64,
        [fresh, apart]: [bool; 2],
    ) -> Result<f64, Failure> {
        let (n, nc, modes) = (self.n, self.nc, self.tables.modes);
        if fresh {
            self.assemble(system, state, h);
            self.lu
                .factor()
                .map_err(|Breakdown { index, pivot }| Failure::Singular { row: self.row(system, index), pivot })?;
        }
        self.correction.copy_from_slice(&self.unbalance);
        let first = self.correction.len() - nc * modes;
        self.correction[first..].iter_mut().for_each(|c| *c /= h);
        if apart {
            self.solve_blocks(h);
        } else {
            self.lu.solve(&mut self.correction);
        }
        for i in 0..n {
            self.reach[i] = h.abs() * self.magnitude[i] / self.inverse.diagonal[i];
        }
        self.corrections += 1;
        self.correct_by(h, -1.0);
        let moved = self.correction[..modes * n].chunks_exact(n);
        Ok(moved
            .fold(0.0, |worst, part| relative_change(part.iter().map(|u| h * u), &state.q, &self.reach).max(worst)))
    }

    /// Adds the last correction to the unknowns, with a sign.
    fn correct_by(&mut self, h: f64, sign: f64) {
        let (nc, first) = (self.nc, self.correction.len() - self.nc * self.tables.modes);
        let unknowns = self.u.iter_mut().chain(&mut self.momenta);
        unknowns.zip(&self.correction).for_each(|(x, correction)| *x += sign * correction);
        for row in 0..nc {
            self.mu[row] += sign * self.scales[row] * self.correction[first + row];
        }
        for place in 0..self.lambda.len() {
            self.lambda[place] += sign * self.scales[place % nc] / h * self.correction[first + nc + place];
        }
    }

    /// The equation of a row of the linear system.
    pub(super) fn row<S: System + ?Sized>(&self, system: &S, index: usize) -> Row {
        let first = self.unbalance.len() - self.nc * self.tables.modes;
        if index < first {
            Row::coordinate(system, index % self.n)
        } else {
            Row::equality(system, (index - first) % self.nc)
        }
    }

    /// Whether what is left of every momentum balance is what configurations that are rounded to doubles leave: a force is a
    /// difference of terms that may be much larger than itself.
    #[cold]
    fn only_noise<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> bool {
        let (n, modes) = (self.n, self.tables.modes);
        self.add_noise(system, state, h);
        self.spread.measure(&self.rows.shape, &self.rows.g, &self.inverse.diagonal, &self.sizes);
        let beside = |row: usize, r: f64| self.spread.relative(row, r, self.sizes[row]);
        let (balances, others) = self.unbalance.split_at(modes * n);
        let constraints = others[self.momenta.len()..].iter().enumerate();
        balances.iter().enumerate().all(|(row, r)| r.abs() <= FLOOR * self.magnitude[row % n])
            && constraints.skip(self.nc).all(|(row, r)| beside(row % self.nc, *r) <= 1e-12)
    }

    /// The residual of a solution that stalled above the floor: terms that are round-off themselves are measured by the
    /// momentum of a coordinate at the speed of the fastest.
    fn settled_residual(&self) -> f64 {
        let speed = crate::linear::max_abs(&self.u);
        let balances = self.unbalance[..self.u.len()].iter().enumerate();
        balances.fold(0.0, |worst, (row, r)| {
            let i = row % self.n;
            let size = self.magnitude[i] + self.inverse.diagonal[i] * speed;
            if *r == 0.0 { worst } else { worst.max(r.abs() / size) }
        })
    }

    /// Impulses of the constraints, and the work of those inside that move.
    fn sum_impulses<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) {
        let [start, inside] = &mut self.impulses;
        start.iter_mut().zip(&self.mu).for_each(|(start, mu)| *start = -mu);
        inside.fill(0.0);
        self.inside_work = 0.0;
        let moving = system.time_dependence().equalities;
        for (k, w) in self.tables.points.w.iter().enumerate() {
            let lambda = &self.stages.lambda[k * self.nc..(k + 1) * self.nc];
            inside.iter_mut().zip(lambda).for_each(|(sum, lambda)| *sum -= h * w * lambda);
            if moving {
                let q = &self.stages.q[k * self.n..(k + 1) * self.n];
                system.equalities().rate(state.t + self.tables.points.s[k] * h, q, &mut self.sizes);
                self.inside_work -= h * w * crate::linear::dot(lambda, &self.sizes);
            }
        }
    }
}

impl<S: System + ?Sized> Stepper<S> for Galerkin {
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let report = match self.advance(system, state, h) {
            Ok(report) => report,
            Err(failure) => {
                // What is inside a step that was not made is nobody's.
                self.h = 0.0;
                return Err(StepError { t: state.t, h, failure });
            }
        };
        self.before.copy_from(state);
        self.h = h;
        state.t += h;
        state.q.copy_from_slice(&self.q1);
        state.p.copy_from_slice(&self.p1);
        self.remember();
        Ok(report)
    }

    fn impulses(&self) -> Impulses<'_> {
        let [start, inside] = &self.impulses;
        Impulses { start, inside, end: &self.rows.impulse, inside_work: self.inside_work }
    }

    fn inside(&self) -> Option<&dyn Inside> {
        (self.h != 0.0).then_some(self)
    }

    fn memory(&self) -> &[f64] {
        &self.memory
    }

    fn recall(&mut self, memory: &[f64]) -> Result<(), ForeignMemory> {
        take_over(&mut self.memory, memory)
    }
}
