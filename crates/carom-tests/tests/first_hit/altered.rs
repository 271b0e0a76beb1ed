//! A system with more to it: gaps that are narrower, a potential, drag, a mass that depends on the place, a pin.
//!
//! So that every kind of gap can be combined with every kind of leg.

use std::rc::Rc;

use carom::system::{
    ConfigurationMass, ContactId, Contacts, ContactsAlong, Depths, Dynamics, Equalities, FewContacts, Forces, Mass,
    Nonholonomic, Softness, SparseEqualities, SparseHessian, System, bend_of_hessians,
};

/// `M_ii = m_i (1 + ε cos(κ_i q_i))`.
#[derive(Debug, Clone)]
pub struct Warp {
    pub masses: Vec<f64>,
    pub depth: f64,
    pub waves: Vec<f64>,
}

/// The force `−c m_i v_i`.
#[derive(Debug, Clone)]
pub struct Drag {
    pub masses: Vec<f64>,
    pub rate: f64,
    pub names: Vec<String>,
}

/// The equality `(|x − c|² − l²)/(2 l) = 0` of the first two coordinates.
#[derive(Debug, Clone, Copy)]
pub struct Pin {
    pub centre: [f64; 2],
    pub length: f64,
}

/// `V = Σ m_i (½ k (q_i − c_i)² − a_i q_i)`.
#[derive(Debug, Clone, Default)]
pub struct Pull {
    pub acceleration: Vec<f64>,
    pub stiffness: f64,
    pub centre: Vec<f64>,
}

/// The system.
pub struct Altered {
    pub inner: Rc<dyn System>,
    /// What is taken off each gap: the sum of the radii, the offset of the wall.
    pub shift: Vec<f64>,
    /// Diagonal of the mass of `inner`; ones where it has none.
    pub masses: Vec<f64>,
    pub pull: Pull,
    pub drag: Option<Drag>,
    pub warp: Option<Warp>,
    pub pin: Option<Pin>,
}

impl ConfigurationMass for Warp {
    fn matrix(&self, q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (i, q) in q.iter().enumerate() {
            out[i * (self.masses.len() + 1)] = self.masses[i] * (1.0 + self.depth * (self.waves[i] * q).cos());
        }
    }
    fn times(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        for i in 0..q.len() {
            out[i] = self.masses[i] * (1.0 + self.depth * (self.waves[i] * q[i]).cos()) * v[i];
        }
    }
    fn momentum_jacobian(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for i in 0..q.len() {
            out[i * (q.len() + 1)] =
                -self.masses[i] * self.depth * self.waves[i] * (self.waves[i] * q[i]).sin() * v[i];
        }
    }
    fn kinetic_gradient(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        for i in 0..q.len() {
            out[i] =
                -0.5 * self.masses[i] * self.depth * self.waves[i] * (self.waves[i] * q[i]).sin() * v[i] * v[i];
        }
    }
    fn kinetic_hessian(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for i in 0..q.len() {
            let second = self.waves[i] * self.waves[i] * (self.waves[i] * q[i]).cos();
            out[i * (q.len() + 1)] = -0.5 * self.masses[i] * self.depth * second * v[i] * v[i];
        }
    }
}

impl Forces for Drag {
    fn depends_on_velocity(&self) -> bool {
        true
    }
    fn force(&self, _t: f64, _q: &[f64], v: &[f64], out: &mut [f64]) {
        for ((out, m), v) in out.iter_mut().zip(&self.masses).zip(v) {
            *out = -self.rate * m * v;
        }
    }
    fn jacobians(&self, _t: f64, _q: &[f64], v: &[f64], by_q: &mut [f64], by_v: &mut [f64]) {
        by_q.fill(0.0);
        by_v.fill(0.0);
        for (i, m) in self.masses.iter().enumerate() {
            by_v[i * (v.len() + 1)] = -self.rate * m;
        }
    }
    fn terms(&self) -> &[String] {
        &self.names
    }
    fn powers(&self, _t: f64, _q: &[f64], v: &[f64], out: &mut [f64]) {
        out[0] = self.masses.iter().zip(v).map(|(m, v)| -self.rate * m * v * v).sum();
    }
}

impl Dynamics for Altered {
    fn dim(&self) -> usize {
        self.inner.dim()
    }
    fn mass(&self) -> Mass<'_> {
        match &self.warp {
            Some(warp) => Mass::Configuration(warp),
            None => self.inner.mass(),
        }
    }
    fn potential(&self, t: f64, q: &[f64]) -> f64 {
        let Pull { acceleration, stiffness, centre } = &self.pull;
        let own = |i: usize| 0.5 * stiffness * (q[i] - centre[i]).powi(2) - acceleration[i] * q[i];
        self.inner.potential(t, q) + (0..q.len()).map(|i| self.masses[i] * own(i)).sum::<f64>()
    }
    fn potential_gradient(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.inner.potential_gradient(t, q, out);
        let Pull { acceleration, stiffness, centre } = &self.pull;
        for (i, out) in out.iter_mut().enumerate() {
            *out += self.masses[i] * (stiffness * (q[i] - centre[i]) - acceleration[i]);
        }
    }
    fn potential_hessian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.inner.potential_hessian(t, q, out);
        for (i, mass) in self.masses.iter().enumerate() {
            out[i * (q.len() + 1)] += mass * self.pull.stiffness;
        }
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        None
    }
    fn forces(&self) -> Option<&dyn Forces> {
        match &self.drag {
            Some(drag) => Some(drag),
            None => self.inner.forces(),
        }
    }
}

impl Pin {
    fn arm(&self, q: &[f64]) -> [f64; 2] {
        [q[0] - self.centre[0], q[1] - self.centre[1]]
    }
}

impl System for Altered {
    fn equalities(&self) -> &dyn Equalities {
        self
    }
    #[inline]
    fn contacts(&self) -> &dyn Contacts {
        self
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

impl Equalities for Altered {
    fn count(&self) -> usize {
        self.inner.equalities().count() + usize::from(self.pin.is_some())
    }
    fn values(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let Some(pin) = &self.pin else { return self.inner.equalities().values(t, q, out) };
        let [x, y] = pin.arm(q);
        out[0] = (x * x + y * y - pin.length * pin.length) / (2.0 * pin.length);
    }
    fn rounding(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let Some(pin) = &self.pin else { return self.inner.equalities().jacobian(t, q, out) };
        out.fill(0.0);
        out[..2].copy_from_slice(&pin.arm(q).map(|x| x / pin.length));
    }
    fn hessian(&self, t: f64, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        let Some(pin) = &self.pin else { return self.inner.equalities().hessian(t, q, lambda, out) };
        out.fill(0.0);
        (out[0], out[q.len() + 1]) = (lambda[0] / pin.length, lambda[0] / pin.length);
    }
    fn bend(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        bend_of_hessians(self, t, q, v, out);
    }
    fn rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn second_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn jacobian_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn softness(&self, _index: usize) -> Softness {
        Softness::default()
    }
    fn name(&self, index: usize) -> String {
        format!("equalities[{index}]")
    }
    fn sparse(&self) -> Option<&dyn SparseEqualities> {
        self.inner.equalities().sparse().filter(|_| self.pin.is_none())
    }
}

impl FewContacts for Altered {
    fn count(&self) -> usize {
        self.inner.contacts().count()
    }
    fn gaps(&self, q: &[f64], out: &mut [f64]) {
        self.inner.contacts().gaps(0.0, q, out);
        out.iter_mut().zip(&self.shift).for_each(|(gap, shift)| *gap -= shift);
    }
    fn gradient(&self, q: &[f64], place: usize, out: &mut [f64]) {
        self.inner.contacts().gradient(0.0, q, ContactId::of(place), out);
    }
    fn add_hessian(&self, q: &[f64], place: usize, lambda: f64, out: &mut [f64]) {
        let mut own = vec![0.0; out.len()];
        self.inner.contacts().hessian(0.0, q, &[(ContactId::of(place), lambda)], &mut own);
        out.iter_mut().zip(&own).for_each(|(out, own)| *out += own);
    }
    fn restitution(&self, _place: usize) -> f64 {
        1.0
    }
    fn rounding(&self, _place: usize) -> f64 {
        0.0
    }
    fn depths(&self) -> Depths {
        Depths::Unknown
    }
    fn name(&self, place: usize) -> String {
        self.inner.contacts().name(ContactId::of(place))
    }
    fn along(&self) -> Option<&dyn ContactsAlong> {
        self.inner.contacts().along()
    }
}
