//! Friction of contacts that rest: the steps of `cluster.rs` with Coulomb's law in both halves.
//!
//! ```text
//! x = q + h v,   M v = p − ½h ∇V(q) + G(q)ᵀλ + D(q)ᵀβ        0 ≤ λ ⊥ g(x) ≥ 0,       |β| ≤ μλ, against D(q)v
//! p1 = M v − ½h ∇V(x) + G(x)ᵀλ1 + D(x)ᵀβ1                   0 ≤ λ1 ⊥ G(x)v1 ≥ 0,   |β1| ≤ μλ1, against D(x)v1
//! ```
//! Normals and friction are one problem in each half. What sticks stays where it is, to round-off: a body at rest whose forces the cones
//! hold has v = 0. Sliding is of second order, as forces are in Verlet's step.
//!
//! The first half asks for gaps where the step ends, which are not linear in v: the problem is solved again around what was found until the gaps
//! agree (Newton's method for complementarity problems [Josephy 1979]).

use carom_lcp::cone::{norm, project};
use carom_lcp::problem::Room;
use carom_lcp::solvers::pgs::one_contact;
use carom_lcp::{
    Blocks, FrictionDefault, GlobalFriction, Limits, Newton, Saddle, Solved, Solver as _, Sparse, Unsolved,
};

use super::contacts::TOLERANCE;
use super::held::{Quest, Stride};
use super::mass::InverseMass;
use crate::error::Failure;
use crate::linear::dot;
use crate::steppers::StepReport;
use crate::system::{Mass, System};

// Notation
//   z   impulses: of each contact the normal λ, then the directions β
//   w   speeds that the laws are about: of the normal, in the first half, the gap at the end divided by the length
//   ρ   step of the natural map of a contact: z − P_K(z − ρ(w + μ|w_t|e_n)), zero where the laws hold

/// Problems that are solved one after the other for one half; 2 to 4 are the rule.
const MOST_PROBLEMS: u32 = 20;
/// What a problem is solved to before it is made anew around the answer, relative to its size.
const SOLVED: f64 = 1e-10;
/// Iterations of the solver: problems without a solution would take all there are.
const MOST_ITERATIONS: usize = 1000;
/// Iterations of Newton's method from there, towards round-off.
const POLISH: usize = 4;
/// Violations below this part of what counts as none are round-off.
const ROUND_OFF: f64 = 1e-3;
/// What a problem is solved to, as a part of what counts as none.
const AIM: f64 = 1e-2;

/// One half of the problem, with its solvers.
struct Half {
    problem: GlobalFriction,
    solver: FrictionDefault,
    newton: Newton,
    /// Impulses, `d` for each contact.
    z: Vec<f64>,
    w: Vec<f64>,
    /// What the residual should come down to.
    aim: f64,
    room: Room,
    row: Vec<f64>,
    entries: Vec<(usize, f64)>,
}

impl Clone for Half {
    /// What solvers remember saves work only.
    fn clone(&self) -> Self {
        Self {
            problem: self.problem.clone(),
            solver: FrictionDefault::default(),
            newton: Newton::default(),
            z: self.z.clone(),
            w: self.w.clone(),
            aim: self.aim,
            room: Room::default(),
            row: self.row.clone(),
            entries: Vec::new(),
        }
    }
}

impl std::fmt::Debug for Half {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Half").field("z", &self.z).finish_non_exhaustive()
    }
}

/// The laws of a half, for given impulses.
#[derive(Debug, Clone, Copy)]
struct Judgement {
    /// The largest violation, in multiples of what counts as none.
    worst: f64,
    /// The contact that it is at, by its place.
    place: usize,
}

impl Judgement {
    /// Whether it is good enough: round-off, or no better than the one before though within what counts as none.
    fn is_done(&self, before: f64) -> bool {
        self.worst <= ROUND_OFF || (self.worst <= 1.0 && self.worst > 0.5 * before)
    }

    fn failure<S: System + ?Sized>(
        &self,
        system: &S,
        Quest { contacts, candidates, .. }: Quest,
        place: &dyn Fn(usize) -> usize,
    ) -> Failure {
        let place = place(self.place);
        Failure::Rubbing {
            contacts: candidates.len(),
            problems: MOST_PROBLEMS,
            contact: system.gap_name(contacts.members[place]),
            by: self.worst * contacts.speed_tolerance[place],
        }
    }
}

impl Half {
    /// For a system with a constant mass.
    fn new<S: System + ?Sized>(system: &S) -> Option<Self> {
        let n = system.dim();
        let mass = match system.mass() {
            Mass::Diagonal(mass) => Blocks::diagonal(mass),
            Mass::Constant(mass) => {
                let lines: Vec<Vec<f64>> = mass.chunks(n).map(<[f64]>::to_vec).collect();
                Blocks::from_blocks(&[carom_lcp::Dense::from_rows(&lines).ok()?]).ok()?
            }
            Mass::Configuration(_) => return None,
        };
        let rows = Sparse::from_triplets(0, n, &[]).ok()?;
        let saddle = Saddle::new(mass, rows, Vec::new(), vec![0.0; n], Vec::new()).ok()?;
        Some(Self {
            problem: GlobalFriction::new(saddle, 2, 0, Vec::new()).ok()?,
            solver: FrictionDefault::default(),
            newton: Newton::default(),
            z: Vec::new(),
            w: Vec::new(),
            aim: 0.0,
            room: Room::default(),
            row: vec![0.0; 2 * n],
            entries: Vec::new(),
        })
    }

    /// Rows of a contact.
    fn dimension(&self) -> usize {
        self.problem.dimension
    }

    /// Rows at a place of the contacts that are given with their coefficients; no impulses yet.
    fn load<S: System + ?Sized>(
        &mut self,
        system: &S,
        q: &[f64],
        contacts: impl Iterator<Item = (usize, f64)> + Clone,
    ) {
        let n = q.len();
        let tangents = |(contact, mu): (usize, f64)| if mu > 0.0 { system.tangents(contact) } else { 0 };
        let d = 1 + contacts.clone().map(tangents).max().unwrap_or(0).max(1);
        let GlobalFriction { saddle, dimension, mu, .. } = &mut self.problem;
        *dimension = d;
        mu.clear();
        saddle.jacobian.restart(n);
        let entries = &mut self.entries;
        let mut push = |row: &[f64]| {
            entries.clear();
            entries.extend(row.iter().copied().enumerate().filter(|(_, value)| *value != 0.0));
            saddle.jacobian.push_row(entries.iter().copied());
        };
        for (contact, coefficient) in contacts {
            system.gap_gradient(q, contact, &mut self.row[..n]);
            push(&self.row[..n]);
            let own = tangents((contact, coefficient));
            mu.push(if own > 0 { coefficient } else { 0.0 });
            self.row.fill(0.0);
            if own > 0 {
                system.gap_tangents(q, contact, &mut self.row[..own * n]);
            }
            self.row.chunks_exact(n).take(d - 1).for_each(&mut push);
        }
        let size = d * mu.len();
        for list in [&mut self.z, &mut self.w, &mut saddle.q, &mut saddle.t] {
            list.clear();
            list.resize(size, 0.0);
        }
    }

    /// The momentum without the impulses.
    fn start_from(&mut self, p: &[f64]) -> Result<(), Failure> {
        self.problem.saddle.p.iter_mut().zip(p).for_each(|(own, p)| *own = -p);
        self.renew()?;
        // Directions that a contact does not have move nothing.
        let saddle = &mut self.problem.saddle;
        let missing = |row: usize| saddle.jacobian.row_parts(row).0.is_empty();
        for row in (0..self.z.len()).filter(|&row| missing(row)) {
            saddle.t[row] = 1.0;
        }
        self.renew()
    }

    fn renew(&mut self) -> Result<(), Failure> {
        self.problem.renew().map_err(|wrong| Failure::Form { reason: wrong.to_string() })
    }

    /// The velocity with the impulses.
    fn velocity(&self, inverse: &InverseMass, v: &mut [f64]) {
        v.iter_mut().zip(&self.problem.saddle.p).for_each(|(v, p)| *v = -p);
        self.problem.saddle.jacobian.add_transposed_times(&self.z, v);
        inverse.solve(v);
    }

    /// Adds the impulses to a momentum.
    fn act(&self, p: &mut [f64]) {
        self.problem.saddle.jacobian.add_transposed_times(&self.z, p);
    }

    /// The work of friction while velocities change from one to the other.
    fn work(&self, [before, after]: [&[f64]; 2]) -> f64 {
        let (rows, d) = (&self.problem.saddle.jacobian, self.dimension());
        (0..self.z.len())
            .filter(|row| row % d > 0)
            .map(|row| 0.5 * self.z[row] * (rows.row_times(row, before) + rows.row_times(row, after)))
            .sum()
    }

    /// Judges the impulses at the velocity that they give. The speeds of normals may be others than the rows have: gaps bend.
    fn judge(
        &mut self,
        v: &[f64],
        speed: impl Fn(usize) -> Option<f64>,
        tolerance: impl Fn(usize) -> f64,
    ) -> Result<Judgement, Failure> {
        let (rows, d) = (&self.problem.saddle.jacobian, self.problem.dimension);
        let mut judgement = Judgement { worst: 0.0, place: 0 };
        self.aim = f64::INFINITY;
        for (place, (z, w)) in self.z.chunks_exact(d).zip(self.w.chunks_exact_mut(d)).enumerate() {
            for (k, w) in w.iter_mut().enumerate() {
                *w = rows.row_times(place * d + k, v);
            }
            w[0] = speed(place).unwrap_or(w[0]);
            let (rho, mu) = (self.problem.rho()[place], self.problem.mu[place]);
            let mut x = [0.0; 3];
            x.iter_mut().zip(z.iter().zip(&*w)).for_each(|(x, (z, w))| *x = z - rho * w);
            x[0] -= rho * mu * norm(&w[1..]);
            project(mu, &mut x[..d]);
            let off = z.iter().zip(&x).fold(0.0_f64, |off, (z, x)| off.max((z - x).abs())) / rho;
            let tolerance = tolerance(place);
            self.aim = self.aim.min(AIM * rho * tolerance);
            let off = off / tolerance;
            if !off.is_finite() {
                return Err(Failure::NonFinite { what: "the friction of contacts that rest" });
            }
            if off > judgement.worst {
                judgement = Judgement { worst: off, place };
            }
        }
        Ok(judgement)
    }

    /// One contact is solved exactly, so that what sticks has no speed at all; false if that fails.
    fn solve_alone(&mut self) -> bool {
        let d = self.dimension();
        let (mut block, mut q) = ([0.0; 9], [0.0; 3]);
        for i in 0..d {
            for j in 0..d {
                block[i * d + j] = self.problem.saddle.delassus(i, j);
            }
            q[i] = self.w[i] - dot(&block[i * d..(i + 1) * d], &self.z);
        }
        let answer = one_contact(d, &block[..d * d], &q, self.problem.mu[0]);
        answer.inspect(|answer| self.z.copy_from_slice(&answer[..d])).is_some()
    }

    /// Solves the problem that is linear around the velocity that was judged last.
    fn solve(&mut self, v: &[f64]) -> Result<u32, Failure> {
        if self.problem.mu.len() == 1 && self.solve_alone() {
            return Ok(1);
        }
        for row in 0..self.z.len() {
            let saddle = &mut self.problem.saddle;
            saddle.q[row] = self.w[row] - saddle.jacobian.row_times(row, v);
        }
        self.renew()?;
        let Self { problem, solver, newton, z, .. } = self;
        let aim = (self.aim / self.room.at_zero(problem)).max(f64::EPSILON);
        let limits = Limits { tolerance: aim.max(SOLVED), iterations: Some(MOST_ITERATIONS), deadline: None };
        // What is found is judged by the laws, as good as it is.
        let spent = |answer: Result<Solved, Unsolved>| match answer {
            Ok(solved) => solved.iterations,
            Err(unsolved) => unsolved.iterations,
        };
        let mut iterations = spent(solver.solve(&*problem, z, &limits));
        if aim < SOLVED {
            let limits = Limits { tolerance: aim, iterations: Some(POLISH), deadline: None };
            iterations += spent(newton.solve(&*problem, z, &limits));
        }
        Ok(iterations as u32)
    }
}

/// Both halves of a step.
#[derive(Debug, Clone)]
pub struct Rubbing {
    first: Half,
    last: Half,
    /// The length that the impulses of the first half belong to.
    length: f64,
    /// Which contacts they are in the last half, by place among the candidates.
    closed: Vec<usize>,
    /// Velocities: where the step starts, between the halves, where it ends.
    v: [Vec<f64>; 3],
    /// Work of friction in the last step.
    pub work: f64,
}

impl Rubbing {
    /// For a system; `None` unless its mass is constant.
    pub fn new<S: System + ?Sized>(system: &S) -> Option<Self> {
        let [first, last] = [Half::new(system)?, Half::new(system)?];
        let v = [(); 3].map(|()| vec![0.0; system.dim()]);
        Some(Self { first, last, length: 0.0, closed: Vec::new(), v, work: 0.0 })
    }

    /// The rows where a step starts.
    pub fn load<S: System + ?Sized>(&mut self, system: &S, quest: Quest, coefficient: Option<f64>) {
        self.first.load(system, &quest.stride.state.q, rough(system, quest, coefficient));
        self.length = 0.0;
    }

    /// Impulses of a candidate along its normal at the start.
    pub fn start_impulse(&self, candidate: usize) -> f64 {
        self.first.z[candidate * self.first.dimension()]
    }

    /// At the end, of those that are closed there.
    pub fn end_impulses(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let d = self.last.dimension();
        self.closed.iter().zip(self.last.z.chunks_exact(d)).map(|(&candidate, z)| (candidate, z[0]))
    }

    /// The place where a step of `h > 0` ends that starts with the momentum `half`, forces included, which gets the impulses.
    pub fn hold_positions<S: System + ?Sized>(
        &mut self,
        system: &S,
        quest: Quest,
        (inverse, half, sunk): (&InverseMass, &mut [f64], &[f64]),
        (q, gaps): (&mut [f64], &mut [f64]),
    ) -> Result<StepReport, Failure> {
        let Quest { stride: Stride { state, h }, contacts, candidates } = quest;
        let (v, h) = (&mut self.v[1], h.abs());
        self.first.start_from(half)?;
        if self.length > 0.0 {
            // Forces do in a length what they do in another; one contact is solved from nothing.
            let share = if candidates.len() > 1 { h / self.length } else { 0.0 };
            self.first.z.iter_mut().for_each(|z| *z *= share);
        }
        self.length = h;
        let mut report = StepReport::default();
        let mut before = f64::INFINITY;
        for problems in 0.. {
            self.first.velocity(inverse, v);
            q.iter_mut().zip(state.q.iter().zip(&*v)).for_each(|(x, (q, v))| *x = q + h * v);
            system.gap_of(q, &contacts.members, gaps);
            for (sunk, &place) in sunk.iter().zip(candidates) {
                gaps[contacts.members[place]] -= sunk;
            }
            let speed = |a: usize| Some(gaps[contacts.members[candidates[a]]] / h);
            let judgement = self.first.judge(v, speed, |a| contacts.gap_tolerance[candidates[a]] / h)?;
            if judgement.is_done(before) {
                report.residual = TOLERANCE * judgement.worst;
                break;
            }
            if problems == MOST_PROBLEMS {
                return Err(judgement.failure(system, quest, &|a| candidates[a]));
            }
            before = judgement.worst;
            report.iterations += self.first.solve(v)?;
        }
        self.first.act(half);
        Ok(report)
    }

    /// The momentum where a step ends, from that with all forces and the impulses of the first half; `start` is the one that it started with.
    pub fn hold_velocities<S: System + ?Sized>(
        &mut self,
        system: &S,
        (quest, coefficient): (Quest, Option<f64>),
        (inverse, start): (&InverseMass, &[f64]),
        (q, p, gaps): (&[f64], &mut [f64], &[f64]),
    ) -> Result<StepReport, Failure> {
        let Quest { contacts, candidates, .. } = quest;
        let d = self.first.dimension();
        self.closed.clear();
        self.closed.extend((0..candidates.len()).filter(|&a| {
            let place = candidates[a];
            self.first.z[a * d] > 0.0 || gaps[contacts.members[place]] <= contacts.gap_tolerance[place]
        }));
        let closed = &self.closed;
        let all = rough(system, quest, coefficient);
        self.last.load(system, q, closed.iter().map(|&a| all.clone().nth(a).expect("a candidate")));
        if self.last.dimension() == d && closed.len() > 1 {
            // Forces press as they did at the start.
            for (&a, z) in closed.iter().zip(self.last.z.chunks_exact_mut(d)) {
                z.copy_from_slice(&self.first.z[a * d..(a + 1) * d]);
            }
        }
        self.last.start_from(p)?;
        let mut report = StepReport::default();
        let mut before = f64::INFINITY;
        let [at_start, between, v] = &mut self.v;
        for problems in 0.. {
            self.last.velocity(inverse, v);
            let judgement = self.last.judge(v, |_| None, |a| contacts.speed_tolerance[candidates[closed[a]]])?;
            if judgement.is_done(before) {
                report.residual = TOLERANCE * judgement.worst;
                break;
            }
            if problems == MOST_PROBLEMS {
                return Err(judgement.failure(system, quest, &|a| candidates[closed[a]]));
            }
            before = judgement.worst;
            report.iterations += self.last.solve(v)?;
        }
        self.last.act(p);
        at_start.copy_from_slice(start);
        inverse.solve(at_start);
        self.work = self.first.work([at_start, between]) + self.last.work([between, v]);
        Ok(report)
    }
}

/// The candidates of a quest with their coefficients.
fn rough<S: System + ?Sized>(
    system: &S,
    Quest { contacts, candidates, .. }: Quest,
    coefficient: Option<f64>,
) -> impl Iterator<Item = (usize, f64)> + Clone {
    candidates.iter().map(move |&place| {
        let contact = contacts.members[place];
        (contact, coefficient.unwrap_or_else(|| system.friction(contact)))
    })
}
