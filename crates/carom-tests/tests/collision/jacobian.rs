//! Exact Jacobians of a step with one impact, by implicit differentiation of its equations at the step's own solution.
//!
//! Unknowns `x, τ, μ, q1`, given `q0, p0`, with `L_a = L_d(q0, x, τ)` and `L_b = L_d(x, q1, h − τ)`:
//! ```text
//! p0 + D1 L_a = 0,  g(x) = 0,  D2 L_a + D1 L_b + μ∇g(x) = 0,  p1 = D2 L_b
//! vci: D3 L_a = D3 L_b           cva: μ A + 2u = 0, u = ∇gᵀM⁻¹D2 L_a, A = ∇gᵀM⁻¹∇g
//! ```

use super::Walk;
use carom::discrete::{Chord, DiscreteLagrangian, Legendre, LinearPath, Partials, SecondPartials};
use carom::linear::Lu;
use carom::state::State;
use carom::steppers::Stepper;
use carom::steppers::shared::views::Free;
use carom::system::{Mass, System};
use carom_tests::runs::method;

/// What an impact does to small changes of the start: rows over `(q0, p0)`.
pub struct Linear {
    /// Jacobian of `(q1, p1)`.
    pub jacobian: Vec<Vec<f64>>,
    /// Of the time of the impact.
    pub tau: Vec<f64>,
    /// Of the discrete energy before it minus that after it.
    pub energies: Vec<f64>,
    /// Residuals of the equations at the step's own solution: gap, momentum and energy across the impact.
    pub residual: [f64; 3],
    /// The end of the step as the equations have it.
    pub end: State,
}

/// A leg and its derivatives.
struct Leg {
    first: Partials,
    second: SecondPartials,
}

fn leg(system: &dyn System, gamma: Option<f64>, [q0, p0, q1]: [&[f64]; 3], t: f64) -> Leg {
    let n = q0.len();
    let mut v: Vec<f64> = q0.iter().zip(q1).map(|(a, b)| (b - a) / t).collect();
    let mut rule = gamma.map_or_else(|| LinearPath::trapezoid(n), |gamma| LinearPath::gamma(gamma, n));
    // The difference of two places has lost digits; the momentum has not.
    for _ in 0..2 {
        let (mut left, mut right, mut size, mut lu) = (vec![0.0; n], vec![0.0; n], vec![0.0; n], Lu::new(n));
        let chord = Chord { t0: 0.0, h: t, q0, v: &v };
        rule.momenta(system, chord, &mut left, &mut right, &mut size);
        rule.left_jacobian(system, chord, &mut lu.matrix);
        left.iter_mut().zip(p0).for_each(|(left, p)| *left -= p);
        lu.factor().expect("regular");
        lu.solve(&mut left);
        v.iter_mut().zip(&left).for_each(|(v, change)| *v -= change);
    }
    let (mut first, mut second) = (Partials::new(n), SecondPartials::new(n));
    let chord = Chord { t0: 0.0, h: t, q0, v: &v };
    rule.partials(system, chord, &mut first);
    rule.second_partials(system, chord, &mut second);
    Leg { first, second }
}

/// `M⁻¹w`.
fn solve_mass(system: &dyn System, q: &[f64], w: &[f64]) -> Vec<f64> {
    let inverse = carom::steppers::shared::mass::InverseMass::new(system, q).expect("a mass");
    let mut v = w.to_vec();
    inverse.solve(&mut v);
    v
}

/// The linear map of the step that `walk` would make next, which must have one impact. `variational`: that of `vci`.
pub fn of(walk: &mut Walk, gamma: Option<f64>, variational: bool) -> Linear {
    let (start, h) = (walk.state.clone(), walk.h);
    assert_eq!(walk.step().impacts, 1);
    let event = walk.events()[0];
    let system = &*walk.scene.problem.system;
    let (n, tau) = (start.q.len(), event.alpha * h);
    // The legs again, with the base rule.
    let base = match gamma {
        None => method("variational"),
        Some(gamma) => method(&format!("variational rule='gamma', gamma={gamma:?}")),
    };
    let mut free = base_stepper(&base, walk, &start);
    let (mut middle, mut scratch) = (start.clone(), vec![0.0; n]);
    free.step(&Free(system), &mut middle, tau).expect("a step");
    let x = middle.q.clone();
    let mut grad = vec![0.0; n];
    system.contacts().gradient(0.0, &x, event.contact, &mut grad);
    middle.p.iter_mut().zip(&grad).for_each(|(p, g)| *p += event.impulse * g);
    let plus = middle.p.clone();
    free.step(&Free(system), &mut middle, h - tau).expect("a step");
    let (q1, mu) = (middle.q.clone(), event.impulse);
    let a = leg(system, gamma, [&start.q, &start.p, &x], tau);
    let b = leg(system, gamma, [&x, &plus, &q1], h - tau);

    let mut gaps = vec![0.0; system.contacts().count()];
    system.contacts().gaps(0.0, &x, &mut gaps);
    let balance = (0..n).map(|i| a.first.d2[i] + b.first.d1[i] + mu * grad[i]);
    let residual = [
        gaps[event.contact.place()].abs(),
        balance.fold(0.0_f64, |max, r| max.max(r.abs())),
        (a.first.d3 - b.first.d3).abs(),
    ];

    // Columns of the unknowns: x, τ, μ, q1; rows: the four equations.
    let size = 2 * n + 2;
    let (at_tau, at_mu, at_q1) = (n, n + 1, n + 2);
    let mut lu = Lu::new(size);
    let mut hessian = vec![0.0; n * n];
    system.contacts().hessian(0.0, &x, &[(event.contact, mu)], &mut hessian);
    let m = &mut lu.matrix;
    for i in 0..n {
        for k in 0..n {
            m[i * size + k] = a.second.d12[i * n + k];
            m[(n + 1 + i) * size + k] = a.second.d22[i * n + k] + b.second.d11[i * n + k] + hessian[i * n + k];
            m[(n + 1 + i) * size + at_q1 + k] = b.second.d12[i * n + k];
        }
        m[i * size + at_tau] = a.second.d13[i];
        m[n * size + i] = grad[i];
        m[(n + 1 + i) * size + at_tau] = a.second.d23[i] - b.second.d13[i];
        m[(n + 1 + i) * size + at_mu] = grad[i];
    }
    let last = (2 * n + 1) * size;
    // Rows of D3 L_a − D3 L_b over the unknowns: E⁻ − E⁺ with the other sign.
    let mut energies = vec![0.0; size];
    for k in 0..n {
        energies[k] = a.second.d23[k] - b.second.d13[k];
        energies[at_q1 + k] = -b.second.d23[k];
    }
    energies[at_tau] = a.second.d33 + b.second.d33;
    let mut by_q0 = a.second.d13.clone();
    if variational {
        m[last..last + size].copy_from_slice(&energies);
    } else {
        // Notation: w = M⁻¹∇g, p⁻ = D2 L_a, v = M⁻¹p⁻; d(∇gᵀM⁻¹p) = Hv·dx + w·dp − wᵀ(∂(Mv)/∂q)dx.
        let p = &a.first.d2;
        let (w, v) = (solve_mass(system, &x, &grad), solve_mass(system, &x, p));
        let inertia: f64 = grad.iter().zip(&w).map(|(g, w)| g * w).sum();
        let per = 1.0 / mu;
        let mut by_mass = [vec![0.0; n * n], vec![0.0; n * n]];
        if let Mass::Configuration(field) = system.mass() {
            field.momentum_jacobian(&x, &w, &mut by_mass[0]);
            field.momentum_jacobian(&x, &v, &mut by_mass[1]);
        }
        for k in 0..n {
            let mut sum = 0.0;
            for i in 0..n {
                sum += per * hessian[i * n + k] * (2.0 * mu * w[i] + 2.0 * v[i])
                    + 2.0 * w[i] * a.second.d22[i * n + k];
                sum -= mu * w[i] * by_mass[0][i * n + k] + 2.0 * w[i] * by_mass[1][i * n + k];
            }
            m[last + k] = sum;
        }
        m[last + at_tau] = 2.0 * w.iter().zip(&a.second.d23).map(|(w, d)| w * d).sum::<f64>();
        m[last + at_mu] = inertia;
        for (k, out) in by_q0.iter_mut().enumerate() {
            *out = 2.0 * (0..n).map(|i| w[i] * a.second.d12[k * n + i]).sum::<f64>();
        }
    }
    lu.factor().expect("a regular impact");
    // Right-hand sides: minus the derivatives by q0 and p0.
    let mut linear = Linear {
        jacobian: vec![vec![0.0; 2 * n]; 2 * n],
        tau: vec![0.0; 2 * n],
        energies: vec![0.0; 2 * n],
        residual,
        end: middle,
    };
    for column in 0..2 * n {
        let mut y = vec![0.0; size];
        if column < n {
            for i in 0..n {
                y[i] = -a.second.d11[i * n + column];
                y[n + 1 + i] = -a.second.d12[column * n + i];
            }
            y[2 * n + 1] = -by_q0[column];
        } else {
            y[column - n] = -1.0;
        }
        lu.solve(&mut y);
        linear.tau[column] = y[at_tau];
        linear.energies[column] = energies.iter().zip(&y).map(|(e, y)| -e * y).sum::<f64>()
            - if column < n { a.second.d13[column] } else { 0.0 };
        for i in 0..n {
            linear.jacobian[i][column] = y[at_q1 + i];
            scratch[i] = -b.second.d23[i] * y[at_tau];
            for k in 0..n {
                scratch[i] += b.second.d12[k * n + i] * y[k] + b.second.d22[i * n + k] * y[at_q1 + k];
            }
            linear.jacobian[n + i][column] = scratch[i];
        }
    }
    linear
}

/// The base rule without contacts.
fn base_stepper(
    method: &carom::method::AnyMethod,
    walk: &Walk,
    start: &State,
) -> carom::steppers::variational::Variational {
    use carom::method::{AnyMethod, Method};
    let AnyMethod::Variational(config) = method else { unreachable!() };
    config.stepper(&Free(&*walk.scene.problem.system), start).expect("a step")
}

/// `JᵀΩJ − Ω`.
pub fn defect(jacobian: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = jacobian.len() / 2;
    let form = |a: usize, b: usize| -> f64 {
        (0..n).map(|i| jacobian[i][a] * jacobian[n + i][b] - jacobian[n + i][a] * jacobian[i][b]).sum()
    };
    let omega = |a: usize, b: usize| f64::from(i8::from(b == a + n)) - f64::from(i8::from(a == b + n));
    (0..2 * n).map(|a| (0..2 * n).map(|b| form(a, b) - omega(a, b)).collect()).collect()
}
