//! `verlet`: the trapezoid rule. Explicit for a constant mass, with RATTLE for equality constraints:
//! ```text
//! p½ = p0 + (h/2) F(q0) − G(q0)ᵀλ,  q1 = q0 + h M⁻¹p½,  f(q1, t1) = 0
//! p1 = p½ + (h/2) F(q1) − G(q1)ᵀμ,  G(q1) M⁻¹p1 + ∂f/∂t = 0
//! ```
//! with `F = −V_q + f_NP` [verlet-1967; andersen-1983; hairer-lubich-wanner-2003]. Symplectic, symmetric, order 2,
//! exact for the momenta of symmetries. With `M(q)` or velocity-dependent forces the same discrete Lagrangian is
//! implicit and goes through [`Implicit`]. Cost: one gradient a step, two if
//! something depends on time; with constraints one `m × m` LU per iteration, sparse for many rows.
//!
//! The end point is searched along the gradients at the start alone. A step that is too long for its speed may have two end points, of which
//! Newton's method takes the near one, or none: then it is an error [lacoursiere-linde-2011, figures 2 and 3].

mod multipliers;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::implicit::Implicit;
use super::shared::mass::InverseMass;
use super::shared::newton::{Convergence, Verdict, relative_change};
use super::shared::rows::relative_violation;
use super::{Impulses, StepReport, Stepper, variational};
use crate::discrete::LinearPath;
use crate::error::{Failure, Row, StepError};
use crate::method::{Abilities, Claims, Method};
use crate::state::{State, all_finite, same_bits};
use crate::system::System;
use multipliers::Multipliers;

/// The explicit or the implicit form, as the system needs.
#[derive(Debug, Clone)]
pub enum Verlet {
    /// Constant mass, forces without velocity.
    Explicit(Box<Explicit>),
    /// Everything else.
    Implicit(Box<Implicit<LinearPath>>),
}

/// `[method] name = "verlet"`: no options.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {}

impl Method for Config {
    const NAME: &'static str = "verlet";
    const TITLE: &'static str = "Störmer-Verlet, with equality constraints in RATTLE form";
    const CITES: &'static [&'static str] = &["verlet-1967", "andersen-1983", "hairer-lubich-wanner-2003"];
    type Stepper = Verlet;

    fn claims(&self) -> Claims {
        Claims {
            order: 2,
            symplectic: true,
            reversible: true,
            linear_momentum: true,
            angular_momentum: true,
            through_impacts: false,
        }
    }

    fn abilities(&self) -> Abilities {
        Abilities::VARIATIONAL
    }

    fn discrete_lagrangian(&self) -> Option<variational::Config> {
        Some(variational::Config::default())
    }

    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Verlet, Failure> {
        Verlet::new(system, start)
    }
}

impl Verlet {
    /// Sized for the system; refused if its mass is singular or its constraints depend on each other at the start.
    pub fn new<S: System + ?Sized>(system: &S, start: &State) -> Result<Self, Failure> {
        let coupled = system.forces().is_some_and(|forces| forces.depends_on_velocity());
        if system.mass().is_constant() && !coupled {
            Ok(Self::Explicit(Box::new(Explicit::new(system, start)?)))
        } else {
            Ok(Self::Implicit(Box::new(Implicit::new(LinearPath::trapezoid(system.dim()), system, start)?)))
        }
    }
}

impl Verlet {
    /// Forgets what was evaluated at the last state: the constraints are others.
    pub(crate) fn forget(&mut self) {
        if let Self::Explicit(stepper) = self {
            stepper.known = None;
        }
    }
}

impl<S: System + ?Sized> Stepper<S> for Verlet {
    #[inline]
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        match self {
            Self::Explicit(stepper) => stepper.step(system, state, h),
            Self::Implicit(stepper) => stepper.step(system, state, h),
        }
    }

    fn impulses(&self) -> Impulses<'_> {
        match self {
            Self::Explicit(stepper) => Stepper::<S>::impulses(&**stepper),
            Self::Implicit(stepper) => Stepper::<S>::impulses(&**stepper),
        }
    }
}

/// Explicit Verlet with RATTLE.
#[derive(Debug, Clone)]
pub struct Explicit {
    inverse: InverseMass,
    /// `V_q − f_NP`, minus the force.
    gradient: Vec<f64>,
    extra: Vec<f64>,
    /// When and where `gradient` and the constraint rows were evaluated last; a pure function of both.
    known: Option<f64>,
    known_q: Vec<f64>,
    p: Vec<f64>,
    v: Vec<f64>,
    q1: Vec<f64>,
    constraint: Option<Box<Multipliers>>,
    /// No constraints and no non-potential forces.
    plain: bool,
    /// Nothing depends on time explicitly.
    timeless: bool,
}

impl Explicit {
    fn new<S: System + ?Sized>(system: &S, start: &State) -> Result<Self, Failure> {
        let (n, m) = (system.dim(), system.equalities().count());
        let vector = || vec![0.0; n];
        let inverse = InverseMass::new(system, &start.q)?;
        let mut constraint = None;
        if m > 0 {
            constraint = Some(Box::new(Multipliers::new(system, &inverse, start)?));
        }
        let (gradient, extra, known_q, p, v, q1) = (vector(), vector(), vector(), vector(), vector(), vector());
        let (plain, timeless) = (m == 0 && system.forces().is_none(), !system.depends_on_time());
        Ok(Self { inverse, gradient, extra, known: None, known_q, p, v, q1, constraint, plain, timeless })
    }

    /// The gradient at `(t, known_q)`.
    #[inline]
    fn evaluate<S: System + ?Sized>(&mut self, system: &S, t: f64) {
        system.potential_gradient(t, &self.known_q, &mut self.gradient);
        if let Some(forces) = system.forces() {
            forces.force(t, &self.known_q, &self.v, &mut self.extra);
            for (gradient, extra) in self.gradient.iter_mut().zip(&self.extra) {
                *gradient -= extra;
            }
        }
    }

    /// `p½` without constraint impulses and the end point that it leads to.
    #[inline]
    fn drift(&mut self, state: &State, h: f64) {
        let half = 0.5 * h;
        match self.inverse.reciprocals() {
            Some(inverse) => {
                let old = state.q.iter().zip(&state.p).zip(&self.gradient).zip(inverse);
                let new = self.q1.iter_mut().zip(&mut self.p).zip(&mut self.known_q);
                for ((((q, p), gradient), inverse), ((q1, half_p), known_q)) in old.zip(new) {
                    *half_p = p - half * gradient;
                    *q1 = q + h * (*half_p * inverse);
                    *known_q = *q1;
                }
            }
            None => {
                for i in 0..state.q.len() {
                    self.p[i] = state.p[i] - half * self.gradient[i];
                }
                self.v.copy_from_slice(&self.p);
                self.inverse.solve(&mut self.v);
                for i in 0..state.q.len() {
                    self.q1[i] = state.q[i] + h * self.v[i];
                    self.known_q[i] = self.q1[i];
                }
            }
        }
    }

    /// Gradient and constraint rows at a state.
    #[inline]
    fn know<S: System + ?Sized>(&mut self, system: &S, state: &State) -> Result<(), Failure> {
        let known = self.known.is_some_and(|t| t == state.t || self.timeless);
        if !known || !same_bits(&self.known_q, &state.q) {
            self.known = None;
            self.known_q.copy_from_slice(&state.q);
            self.evaluate(system, state.t);
            if let Some(constraint) = &mut self.constraint {
                constraint.rows.prepare(system, &self.inverse, state.t, &state.q)?;
            }
        }
        Ok(())
    }

    /// Where the step would lead without constraints.
    pub(crate) fn predict<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        h: f64,
        q1: &mut [f64],
    ) -> Result<(), Failure> {
        self.know(system, state)?;
        self.known = Some(state.t);
        for ((v, p), gradient) in self.v.iter_mut().zip(&state.p).zip(&self.gradient) {
            *v = p - 0.5 * h * gradient;
        }
        self.inverse.solve(&mut self.v);
        for ((q1, q), v) in q1.iter_mut().zip(&state.q).zip(&self.v) {
            *q1 = q + h * v;
        }
        Ok(())
    }

    #[inline]
    fn advance<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<StepReport, Failure> {
        let t1 = state.t + h;
        self.know(system, state)?;
        // Until the step is made, what is known belongs to no state.
        self.known = None;
        self.drift(state, h);
        let mut report = StepReport::default();
        if self.constraint.is_some() {
            report = self.hold_position(system, state, h)?;
            self.known_q.copy_from_slice(&self.q1);
        }
        self.evaluate(system, t1);
        for (p, gradient) in self.p.iter_mut().zip(&self.gradient) {
            *p -= 0.5 * h * gradient;
        }
        if let Some(constraint) = &mut self.constraint {
            constraint.rows.factor(system, &self.inverse, t1, &self.q1)?;
            report.residual = report.residual.max(constraint.rows.project(&self.inverse, &mut self.p));
        }
        if all_finite(&self.q1) && all_finite(&self.p) {
            self.known = Some(t1);
            Ok(report)
        } else {
            Err(Failure::NonFinite { what: "the state after the step" })
        }
    }

    /// The step for `N` free coordinates with a diagonal mass, all in registers; bit for bit that of `advance`. With
    /// few coordinates the slices are the cost: two of them take 9 ns a step in this form and 49 ns in the other.
    #[inline]
    fn advance_few<const N: usize, S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &mut State,
        h: f64,
    ) -> Option<Result<StepReport, Failure>> {
        let inverse = self.inverse.reciprocals()?.first_chunk::<N>()?;
        let gradient = self.gradient.first_chunk_mut::<N>()?;
        let (q, p) = (state.q.first_chunk_mut::<N>()?, state.p.first_chunk_mut::<N>()?);
        let known_q = self.known_q.first_chunk_mut::<N>()?;
        let known = self.known.is_some_and(|t| t == state.t || self.timeless);
        if !known || known_q != q {
            system.potential_gradient(state.t, q, gradient);
        }
        let (t1, half) = (state.t + h, 0.5 * h);
        let (mut q1, mut p1) = ([0.0; N], [0.0; N]);
        for i in 0..N {
            p1[i] = p[i] - half * gradient[i];
            q1[i] = q[i] + h * (p1[i] * inverse[i]);
        }
        system.potential_gradient(t1, &q1, gradient);
        let mut zero = 0.0;
        for i in 0..N {
            p1[i] -= half * gradient[i];
            // Not zero as soon as a number is not finite.
            zero += p1[i] * 0.0 + q1[i] * 0.0;
        }
        if zero != 0.0 {
            self.known = None;
            return Some(Err(Failure::NonFinite { what: "the state after the step" }));
        }
        self.known = Some(t1);
        (*q, *p, *known_q, state.t) = (q1, p1, q1, t1);
        Some(Ok(StepReport::default()))
    }

    /// Newton on the multipliers: `f(q0 + h(v½ − M⁻¹G0ᵀλ), t1) = 0`; then `p½` takes the impulse, and the rows are those at
    /// the end point.
    fn hold_position<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        h: f64,
    ) -> Result<StepReport, Failure> {
        let Some(work) = &mut self.constraint else { return Ok(StepReport::default()) };
        let t1 = state.t + h;
        self.v.copy_from_slice(&self.p);
        self.inverse.solve(&mut self.v);
        work.lambda.fill(0.0);
        let terms = state.p.iter().zip(&self.gradient).zip(&self.inverse.diagonal).zip(&self.q1);
        for ((reach, scale), (((p, gradient), mass), q1)) in work.reach.iter_mut().zip(&mut self.extra).zip(terms) {
            *reach = h.abs() * (p.abs() + (0.5 * h * gradient).abs()) / mass;
            *scale = q1.abs() + *reach;
        }
        let (mut newton, mut closest) = (Convergence::default(), f64::INFINITY);
        let residual = loop {
            work.rows.shape.evaluate(system, t1, &self.q1, [&mut work.f, &mut work.g1]);
            if newton.iterations == 0 {
                work.rows.shape.sizes(&work.g1, &self.extra, &work.f, &mut work.sizes);
            }
            let (mut residual, index) = relative_violation(&work.f, &work.sizes);
            if newton.is_stuck(residual, residual) {
                for (scale, (q1, reach)) in self.extra.iter_mut().zip(self.q1.iter().zip(&work.reach)) {
                    *scale = q1.abs() + reach;
                }
                residual = work.spilled(system, &self.inverse, (t1, h, &self.q1), &mut self.extra);
            }
            if !residual.is_finite() {
                return Err(Failure::NonFinite { what: "an equality constraint relative to its gradient" });
            }
            closest = residual.min(closest);
            match newton.judge(residual, residual, || false) {
                Verdict::Accept => break residual,
                Verdict::Correct => {}
                Verdict::GiveUp => {
                    let (iterations, row) = (newton.iterations, Row::equality(system, index));
                    return Err(Failure::OutOfReach { iterations, residual, closest, row });
                }
            }
            // At small h the factors of the first iterate take the second one to round-off too.
            let fresh = newton.iterations == 0 || !newton.almost_there();
            if fresh {
                work.factors.factor(&work.rows.shape, &work.g1, &work.rows.z).map_err(|breakdown| {
                    let row = Row::equality(system, breakdown.index);
                    Failure::Singular { row, pivot: breakdown.pivot }
                })?;
            }
            for f in &mut work.f {
                *f /= h;
            }
            work.factors.solve(&mut work.f);
            for (lambda, change) in work.lambda.iter_mut().zip(&work.f) {
                *lambda += change;
            }
            // From λ and not by adding the correction: round-off does not accumulate over the iterations.
            self.extra.copy_from_slice(&self.v);
            work.rows.shape.add_transposed_times(&work.rows.z, &work.lambda, -1.0, &mut self.extra);
            for ((q1, q), v) in self.q1.iter_mut().zip(&state.q).zip(&mut self.extra) {
                let next = q + h * *v;
                (*v, *q1) = (next - *q1, next);
            }
            newton.corrected(relative_change(self.extra.iter().copied(), &self.q1, &work.reach), fresh);
        };
        work.rows.shape.add_transposed_times(&work.rows.g, &work.lambda, -1.0, &mut self.p);
        // The rows at the end point are those of the next step.
        std::mem::swap(&mut work.rows.g, &mut work.g1);
        Ok(StepReport { iterations: newton.iterations, residual, ..StepReport::default() })
    }
}

impl<S: System + ?Sized> Stepper<S> for Explicit {
    #[inline]
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        if self.plain {
            let t = state.t;
            let few = match state.q.len() {
                1 => self.advance_few::<1, S>(system, state, h),
                2 => self.advance_few::<2, S>(system, state, h),
                3 => self.advance_few::<3, S>(system, state, h),
                4 => self.advance_few::<4, S>(system, state, h),
                _ => None,
            };
            if let Some(result) = few {
                return result.map_err(|failure| StepError { t, h, failure });
            }
        }
        let report = self.advance(system, state, h).map_err(|failure| StepError { t: state.t, h, failure })?;
        state.t += h;
        std::mem::swap(&mut state.q, &mut self.q1);
        std::mem::swap(&mut state.p, &mut self.p);
        Ok(report)
    }

    fn impulses(&self) -> Impulses<'_> {
        match &self.constraint {
            Some(work) => Impulses::at_ends(&work.lambda, &work.rows.impulse),
            None => Impulses::default(),
        }
    }
}
