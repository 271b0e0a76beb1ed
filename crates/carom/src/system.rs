//! What a mechanical system is: one description that every method runs on.
//!
//! `L(q, v, t) = ½ vᵀM(q)v − V(q, t)`, equality constraints `f(q, t) = 0`, inequality constraints `g(q) ≥ 0`,
//! nonholonomic rows `A(q)v = a(t)` and non-potential forces `f_NP(q, v, t)`, each with exact first and second
//! derivatives. Everything works on slices of `f64`; matrices are row-major. The traits can be boxed: methods are
//! written once over `S: System + ?Sized` and run on a concrete type (static dispatch) or on `dyn System` alike.

/// The mass matrix.
#[derive(Clone, Copy)]
pub enum Mass<'a> {
    /// Constant and diagonal: its `n` entries.
    Diagonal(&'a [f64]),
    /// Constant: `n × n`, symmetric positive definite.
    Constant(&'a [f64]),
    /// A function of the configuration.
    Configuration(&'a dyn ConfigurationMass),
}

/// A mass matrix `M(q)`, symmetric positive definite at every configuration that is reached.
pub trait ConfigurationMass {
    /// `M(q)`.
    fn matrix(&self, q: &[f64], out: &mut [f64]);
    /// `M(q)v`.
    fn times(&self, q: &[f64], v: &[f64], out: &mut [f64]);
    /// `∂(M(q)v)/∂q`, entry `(i, k) = ∂(M v)_i/∂q_k`; its transpose is `∂T_q/∂v`.
    fn momentum_jacobian(&self, q: &[f64], v: &[f64], out: &mut [f64]);
    /// `T_q = ∂(½vᵀM(q)v)/∂q`.
    fn kinetic_gradient(&self, q: &[f64], v: &[f64], out: &mut [f64]);
    /// `T_qq = ∂²(½vᵀM(q)v)/∂q²`.
    fn kinetic_hessian(&self, q: &[f64], v: &[f64], out: &mut [f64]);
}

impl Mass<'_> {
    /// Whether `M` does not depend on the configuration.
    pub fn is_constant(&self) -> bool {
        !matches!(self, Mass::Configuration(_))
    }

    /// `M(q)v`.
    #[inline]
    pub fn times(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        match self {
            Mass::Diagonal(m) => {
                let n = out.len();
                for ((out, m), v) in out.iter_mut().zip(&m[..n]).zip(&v[..n]) {
                    *out = m * v;
                }
            }
            Mass::Constant(m) => crate::linear::matrix_times(m, v, out),
            Mass::Configuration(field) => field.times(q, v, out),
        }
    }

    /// `M(q)` as a full matrix.
    pub fn matrix(&self, q: &[f64], out: &mut [f64]) {
        match self {
            Mass::Diagonal(m) => {
                out.fill(0.0);
                for (i, m) in m.iter().enumerate() {
                    out[i * (q.len() + 1)] = *m;
                }
            }
            Mass::Constant(m) => out.copy_from_slice(m),
            Mass::Configuration(field) => field.matrix(q, out),
        }
    }
}

/// Forces that do not come from the potential.
pub trait Forces {
    /// Whether the force depends on the velocity (explicit steps must then become implicit ones).
    fn depends_on_velocity(&self) -> bool;
    /// `f_NP(q, v, t)`.
    fn force(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]);
    /// `∂f_NP/∂q` and `∂f_NP/∂v`.
    fn jacobians(&self, t: f64, q: &[f64], v: &[f64], by_q: &mut [f64], by_v: &mut [f64]);
    /// Names of the terms that the force is the sum of, for the accounts of energy.
    fn terms(&self) -> &[String];
    /// Power of each term.
    fn powers(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]);
}

/// The straight path between two configurations.
#[derive(Debug, Clone, Copy)]
pub struct Segment<'a> {
    /// The time that counts for everything along it.
    pub t: f64,
    /// Where it starts.
    pub start: &'a [f64],
    /// Where it ends.
    pub end: &'a [f64],
    /// Half way.
    pub middle: &'a [f64],
}

/// What of a system depends on time explicitly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeDependence {
    /// The potential.
    pub potential: bool,
    /// A non-potential force.
    pub forces: bool,
    /// An equality constraint.
    pub equalities: bool,
}

/// Kinetic and potential energy and non-potential forces.
pub trait Dynamics {
    /// Number `n` of coordinates.
    fn dim(&self) -> usize;
    /// The mass matrix; its kind does not change during the life of the system.
    fn mass(&self) -> Mass<'_>;
    /// `V(q, t)`.
    fn potential(&self, t: f64, q: &[f64]) -> f64;
    /// `∂V/∂q`.
    fn potential_gradient(&self, t: f64, q: &[f64], out: &mut [f64]);
    /// `∂²V/∂q²`.
    fn potential_hessian(&self, t: f64, q: &[f64], out: &mut [f64]);
    /// `∂V/∂t` and `∂²V/∂t²`.
    fn potential_rates(&self, _t: f64, _q: &[f64]) -> [f64; 2] {
        [0.0, 0.0]
    }
    /// `∂²V/∂q∂t`.
    fn potential_gradient_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    /// A discrete gradient of the potential along a segment: its product with `end − start` is the difference of the potential, it does not
    /// change if the ends are swapped, and it is the gradient where they coincide. The default is that of Gonzalez, in the metric of the
    /// mass; a system whose potential is made of elements keeps their momenta if it takes one of each element.
    fn potential_discrete_gradient(&self, segment: &Segment, out: &mut [f64]) {
        crate::discrete::gonzalez(self, segment, out);
    }
    /// What depends on time explicitly.
    fn time_dependence(&self) -> TimeDependence {
        TimeDependence::default()
    }
    /// Whether anything depends on time explicitly. Methods keep what they have evaluated at a configuration only if not.
    fn depends_on_time(&self) -> bool {
        let TimeDependence { potential, forces, equalities } = self.time_dependence();
        potential || forces || equalities
    }
    /// The non-potential forces, if there are any.
    fn forces(&self) -> Option<&dyn Forces> {
        None
    }
    /// Names of the parts that the potential is the sum of; none if it has only one.
    fn potential_parts(&self) -> Vec<String> {
        Vec::new()
    }
    /// `V(q, t)` by parts.
    fn potential_by_parts(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    /// What the coordinate is called in messages.
    fn coordinate_name(&self, index: usize) -> String {
        format!("q[{index}]")
    }
}

/// How soft a constraint or a contact is, for methods that regularise them; `None` where the method's own value counts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Softness {
    /// Inverse stiffness: what the constraint yields per force.
    pub compliance: Option<f64>,
    /// Time in which a violation decays.
    pub damping: Option<f64>,
}

impl Softness {
    /// Whether the constraint has a compliance of its own: then it may start violated.
    pub fn gives_way(&self) -> bool {
        self.compliance.is_some_and(|compliance| compliance > 0.0)
    }
}

/// Rows `A(q)v = a(t)` that no function of `q` and `t` replaces.
pub trait Nonholonomic {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// `A(q)`, one row per constraint.
    fn matrix(&self, q: &[f64], out: &mut [f64]);
    /// `∂(A(q)v)/∂q`, one row per constraint.
    fn jacobian(&self, q: &[f64], v: &[f64], out: &mut [f64]);
    /// `a(t)` and `a'(t)`.
    fn rates(&self, t: f64, rate: &mut [f64], derivative: &mut [f64]);
    /// Bounds `[lower, upper]` of the force that a row may use: those of a motor, or of a brake. A row at a bound is not satisfied.
    fn force_bounds(&self, _index: usize) -> [f64; 2] {
        [f64::NEG_INFINITY, f64::INFINITY]
    }
    /// Whether the row is a motor, which may put energy into the system: its speed is prescribed and not 0 at all times, or its force has bounds.
    fn is_motor(&self, index: usize) -> bool {
        self.force_bounds(index).into_iter().any(f64::is_finite)
    }
    /// What a row yields in velocity per force, for methods that regularise constraints; `None` where the method's own value counts.
    fn slip(&self, _index: usize) -> Option<f64> {
        None
    }
    /// What the row is called in messages.
    fn name(&self, index: usize) -> String {
        format!("nonholonomic[{index}]")
    }
}

/// Which coordinates constraint rows can depend on: blocks of equally many coordinates, such as the points of a space.
/// Block `b` of width `w` stands for the columns from `w b` to `w b + w − 1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    width: usize,
    starts: Vec<usize>,
    blocks: Vec<usize>,
}

impl Pattern {
    /// Without rows yet; a width that is not 1, 2 or 3 counts as 1.
    pub fn new(width: usize) -> Self {
        let width = if (1..=3).contains(&width) { width } else { 1 };
        Self { width, starts: vec![0], blocks: Vec::new() }
    }

    /// Adds a row with these blocks, ascending.
    pub fn push_row(&mut self, blocks: impl IntoIterator<Item = usize>) {
        self.blocks.extend(blocks);
        debug_assert!(self.blocks[self.starts[self.rows()]..].is_sorted_by(|a, b| a < b));
        self.starts.push(self.blocks.len());
    }

    /// Coordinates per block.
    #[inline]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the blocks of a row stand among all blocks.
    #[inline]
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// The blocks of all rows, row by row.
    #[inline]
    pub fn blocks(&self) -> &[usize] {
        &self.blocks
    }
}

/// The path `q + v t + ½ a t²` for `0 ≤ t ≤ duration`: that of a step of Verlet.
#[derive(Debug, Clone, Copy)]
pub struct Parabola<'a> {
    /// Where it starts.
    pub q: &'a [f64],
    /// Velocity there.
    pub v: &'a [f64],
    /// Acceleration.
    pub a: &'a [f64],
    /// How long it is.
    pub duration: f64,
}

/// An impact on a straight way that is longer than the contact is deep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passage {
    /// The contact.
    pub contact: usize,
    /// Length of the way, as the other side of the contact sees it.
    pub travel: f64,
    /// Length of the longest straight way through the contact.
    pub depth: f64,
}

/// What a system knows of how deep its contacts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depths {
    /// No straight way leads out of a contact again, as with walls: none is ever passed through.
    Infinite,
    /// All that it takes to tell which are passed through.
    Known,
    /// Nothing: gaps along the way are all there is.
    Unknown,
}

/// Constraints; a system without any keeps the defaults.
pub trait Constraints {
    /// Number `m` of equality constraints `f(q, t) = 0`.
    fn equalities(&self) -> usize {
        0
    }
    /// `f(q, t)`.
    fn equality(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    /// Bounds of the round-off in `f(q, t)` as it is computed from coordinates that are exact, in units of ε: sizes of the constants that it is
    /// made of, such as lengths and fixed points. Asked for only where an iteration does not go on; 0 if nothing is known.
    fn equality_rounding(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    /// `G = ∂f/∂q`, `m × n`.
    fn equality_jacobian(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    /// Which entries of `G` can be nonzero, if few can: then steps with a diagonal mass ask for these alone.
    fn equality_pattern(&self) -> Option<&Pattern> {
        None
    }
    /// `f(q, t)` and the entries of `G` in the pattern, row by row, with the bits of `equality` and `equality_jacobian`.
    /// Only systems with a pattern are asked.
    fn equality_entries(&self, _t: f64, _q: &[f64], _f: &mut [f64], _entries: &mut [f64]) {}
    /// Discrete gradients of the rows along a segment, as the entries of `G` in the pattern, if the system knows better ones than the general
    /// rule makes of values and gradients; otherwise `false`, and nothing is written. Only systems with a pattern are asked.
    fn equality_discrete_entries(&self, _segment: &Segment, _entries: &mut [f64]) -> bool {
        false
    }
    /// `Σ λ_i ∂²f_i/∂q²`.
    fn equality_hessian(&self, _t: f64, _q: &[f64], _lambda: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    /// `∂²f_i/∂q²` of one row over the columns of its blocks in the pattern, in their order: a square matrix. Only systems with a
    /// pattern are asked.
    fn equality_row_hessian(&self, _t: f64, _q: &[f64], _index: usize, out: &mut [f64]) {
        out.fill(0.0);
    }
    /// `vᵀ ∂²f_i/∂q² v`, one per row: how the rows bend along a velocity. The default allocates, and makes a full matrix per row.
    fn equality_bend(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        let (mut lambda, mut hessian) = (vec![0.0; out.len()], vec![0.0; q.len() * q.len()]);
        for (row, out) in out.iter_mut().enumerate() {
            lambda.fill(0.0);
            lambda[row] = 1.0;
            self.equality_hessian(t, q, &lambda, &mut hessian);
            let lines = hessian.chunks_exact(q.len().max(1));
            *out = lines.zip(v).map(|(line, speed)| speed * crate::linear::dot(line, v)).sum();
        }
    }
    /// How soft an equality is.
    fn equality_softness(&self, _index: usize) -> Softness {
        Softness::default()
    }
    /// `∂f/∂t`.
    fn equality_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    /// `∂²f/∂t²`.
    fn equality_second_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    /// `∂²f/∂q∂t`, `m × n`.
    fn equality_jacobian_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    /// What the constraint is called in messages.
    fn equality_name(&self, index: usize) -> String {
        format!("equalities[{index}]")
    }

    /// Number of inequality constraints `g(q) ≥ 0`.
    fn inequalities(&self) -> usize {
        0
    }
    /// `g(q)`.
    fn gap(&self, _q: &[f64], _out: &mut [f64]) {}
    /// `g_i(q)` of some inequalities, each at its place in `out`, with the bits of `gap`; other places may be left as they are.
    fn gap_of(&self, q: &[f64], _contacts: &[usize], out: &mut [f64]) {
        self.gap(q, out);
    }
    /// Bounds of the round-off in `g(q)`, as of the equalities.
    fn gap_rounding(&self, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    /// `∂g_i/∂q` of one inequality: steps ask for those that are touched alone.
    fn gap_gradient(&self, _q: &[f64], _index: usize, _out: &mut [f64]) {}
    /// `∂g/∂q`, one row per constraint.
    fn gap_jacobian(&self, q: &[f64], out: &mut [f64]) {
        for (index, row) in out.chunks_exact_mut(q.len().max(1)).enumerate() {
            self.gap_gradient(q, index, row);
        }
    }
    /// Calls `put` with every coordinate that an inequality depends on, ascending, and the derivative by it, with the bits of `gap_gradient`,
    /// if few coordinates of many do; otherwise `false`, and `put` is not called. The answer is the same for every inequality.
    fn gap_partials(&self, _q: &[f64], _index: usize, _put: &mut dyn FnMut(usize, f64)) -> bool {
        false
    }
    /// The same for the directions of sliding: `put` gets the direction, the coordinate and the entry of `gap_tangents`.
    fn slide_partials(&self, _q: &[f64], _index: usize, _put: &mut dyn FnMut(usize, usize, f64)) -> bool {
        false
    }
    /// `Σ λ_i ∂²g_i/∂q²`.
    fn gap_hessian(&self, _q: &[f64], _lambda: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    /// Newton's coefficient of restitution of an inequality, from 0 (nothing comes back) to 1 (elastic).
    fn restitution(&self, _index: usize) -> f64 {
        1.0
    }
    /// How soft an inequality is: one with a compliance above 0 is a spring that pushes, and may start closed.
    fn gap_softness(&self, _index: usize) -> Softness {
        Softness::default()
    }
    /// Coefficient of Coulomb friction of an inequality.
    fn friction(&self, _index: usize) -> f64 {
        0.0
    }
    /// How many directions of sliding an inequality has: at most 2, none if nothing is known of them.
    fn tangents(&self, _index: usize) -> usize {
        0
    }
    /// Rows of the directions of sliding, one per direction: their products with `v` are the components of the velocity at
    /// which the surfaces slide along each other, in a Cartesian frame.
    fn gap_tangents(&self, _q: &[f64], _index: usize, _out: &mut [f64]) {}
    /// Bounds `[lower, upper]` of the second derivative of `g_i` by time along a parabola; `None` if none are known. With them no
    /// root of `g_i` is ever stepped over.
    fn gap_bend(&self, _arc: &Parabola, _index: usize) -> Option<[f64; 2]> {
        None
    }
    /// A bound of the rate at which `g_i` changes along a parabola; `None` if none is known. It serves where the second derivative has
    /// no bound, such as near the centre of a ball.
    fn gap_rate(&self, _arc: &Parabola, _index: usize) -> Option<f64> {
        None
    }
    /// Calls `found` with every contact that the straight way from one configuration to another runs into, if the way is longer than the
    /// contact is deep: a method that asks for gaps at nodes alone can miss such an impact. `gap` has the gaps at the start; what is closed
    /// there is left out. The answer is the same for every way.
    fn passages(&self, _way: [&[f64]; 2], _gap: &[f64], _found: &mut dyn FnMut(Passage)) -> Depths {
        Depths::Unknown
    }
    /// What the inequality is called in messages.
    fn gap_name(&self, index: usize) -> String {
        format!("inequalities[{index}]")
    }

    /// The nonholonomic rows, if there are any.
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

/// A mechanical system: its dynamics and its constraints.
pub trait System: Dynamics + Constraints {}

impl<T: Dynamics + Constraints + ?Sized> System for T {}
