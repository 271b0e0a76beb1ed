//! The mass matrix: diagonal, constant, or a function of the configuration.

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
