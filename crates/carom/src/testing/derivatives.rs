//! Compares every derivative that a system gives with a difference of what it is the derivative of.
//!
//! Central differences of order 8 with three step lengths; the best of the three counts, entry by entry, so that a
//! singularity near the state does not look like a wrong derivative. Correct derivatives agree to about 1e-9.

use crate::linear::{dot, matrix_times, max_abs};
use crate::system::{Mass, SparseEqualities, SparseHessian, System};

/// One derivative, compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What was compared.
    pub what: &'static str,
    /// Largest difference, relative to the largest entry.
    pub error: f64,
    /// How much of it round-off in the differences may explain.
    pub noise: f64,
    /// Row and column of the worst entry.
    pub worst: (usize, usize),
    /// The entry as given and as differenced.
    pub values: (f64, f64),
}

/// Differences above this are wrong derivatives.
const TOLERANCE: f64 = 1e-6;

impl Comparison {
    /// Whether the derivative and the difference are the same, up to round-off.
    pub fn agrees(&self) -> bool {
        self.error <= TOLERANCE + self.noise
    }
}

// Central difference of order 8: weights of f(x + k h) − f(x − k h).
const WEIGHTS: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
const LENGTHS: [f64; 3] = [2e-2, 2e-3, 2e-4];

/// Where the derivatives are compared.
pub struct Place<'a> {
    /// What is compared.
    pub what: &'static str,
    /// The argument.
    pub x: &'a [f64],
    /// Number of values of the function.
    pub rows: usize,
}

fn place<'a>(what: &'static str, x: &'a [f64], rows: usize) -> Place<'a> {
    Place { what, x, rows }
}

/// Compares `given` (rows × columns of `x`) with the differences of `function`.
pub fn compare(
    place: Place,
    given: &[f64],
    mut function: impl FnMut(&[f64], &mut [f64]),
    out: &mut Vec<Comparison>,
) {
    let Place { what, x, rows } = place;
    let columns = x.len();
    if rows == 0 || columns == 0 {
        return;
    }
    let scale = max_abs(given).max(f64::MIN_POSITIVE);
    let typical = 0.1 * max_abs(x) + 0.01;
    let (mut moved, mut plus, mut minus) = (x.to_vec(), vec![0.0; rows], vec![0.0; rows]);
    let mut centre = vec![0.0; rows];
    function(x, &mut centre);
    let mut worst = Comparison { what, error: 0.0, noise: 0.0, worst: (0, 0), values: (given[0], given[0]) };
    for column in 0..columns {
        let mut best = vec![(f64::INFINITY, f64::NAN, 0.0); rows];
        for length in LENGTHS {
            let h = length * (x[column].abs() + typical);
            let (mut difference, mut slope) = (vec![0.0; rows], vec![0.0_f64; rows]);
            for (k, weight) in WEIGHTS.iter().enumerate() {
                let reach = (k + 1) as f64 * h;
                moved[column] = x[column] + reach;
                function(&moved, &mut plus);
                moved[column] = x[column] - reach;
                function(&moved, &mut minus);
                for row in 0..rows {
                    difference[row] += weight * (plus[row] - minus[row]) / h;
                    let change = (plus[row] - centre[row]).abs().max((minus[row] - centre[row]).abs());
                    slope[row] = slope[row].max(change / reach);
                }
            }
            moved[column] = x[column];
            for row in 0..rows {
                // Round-off of the values, and that of the argument, which counts where `given` vanishes.
                let size = centre[row].abs() + (x[column].abs() + h) * slope[row];
                let noise = 8.0 * f64::EPSILON * size / h / scale;
                let error = (difference[row] - given[row * columns + column]).abs() / scale;
                if error < best[row].0 {
                    best[row] = (error, difference[row], noise);
                }
            }
        }
        for (row, &(error, difference, noise)) in best.iter().enumerate() {
            if error > worst.error {
                let values = (given[row * columns + column], difference);
                worst = Comparison { what, error, noise, worst: (row, column), values };
            }
        }
    }
    out.push(worst);
}

/// Compares all derivatives of the system at a state.
pub fn check(system: &dyn System, t: f64, q: &[f64], v: &[f64]) -> Vec<Comparison> {
    let n = system.dim();
    let mut out = Vec::new();
    let (mut vector, mut matrix) = (vec![0.0; n], vec![0.0; n * n]);

    system.potential_gradient(t, q, &mut vector);
    compare(place("dV/dq", q, 1), &vector, |q, o| o[0] = system.potential(t, q), &mut out);
    system.potential_hessian(t, q, &mut matrix);
    compare(place("d2V/dq2", q, n), &matrix, |q, o| system.potential_gradient(t, q, o), &mut out);
    if let Some(sparse) = system.sparse_hessian() {
        out.push(outside(sparse, &matrix, n));
        scatter(sparse, t, q, &mut matrix);
        let what = "d2V/dq2 by entries";
        compare(place(what, q, n), &matrix, |q, o| system.potential_gradient(t, q, o), &mut out);
    }
    let [rate, second] = system.potential_rates(t, q);
    compare(place("dV/dt", &[t], 1), &[rate], |t, o| o[0] = system.potential(t[0], q), &mut out);
    compare(place("d2V/dt2", &[t], 1), &[second], |t, o| o[0] = system.potential_rates(t[0], q)[0], &mut out);
    system.potential_gradient_rate(t, q, &mut vector);
    compare(place("d2V/dqdt", &[t], n), &vector, |t, o| system.potential_gradient(t[0], q, o), &mut out);

    check_mass(system, q, v, &mut out);
    if let Some(forces) = system.forces() {
        let mut by_v = vec![0.0; n * n];
        forces.jacobians(t, q, v, &mut matrix, &mut by_v);
        compare(place("df_NP/dq", q, n), &matrix, |q, o| forces.force(t, q, v, o), &mut out);
        compare(place("df_NP/dv", v, n), &by_v, |v, o| forces.force(t, q, v, o), &mut out);
    }
    check_constraints(system, t, q, v, &mut out);
    out
}

/// The largest entry of a full matrix that a pattern leaves out, and a place that every pattern must have but this has not.
fn outside(sparse: &dyn SparseHessian, full: &[f64], n: usize) -> Comparison {
    let mut inside = vec![false; n * n];
    (0..n).for_each(|i| sparse.couplings().columns(i).for_each(|j| inside[i * n + j] = true));
    let mut worst = Comparison {
        what: "d2V/dq2 outside of its pattern",
        error: 0.0,
        noise: 0.0,
        worst: (0, 0),
        values: (0.0, 0.0),
    };
    for (place, (i, j)) in (0..n * n).map(|place| (place, (place / n, place % n))) {
        let must = i == j || inside[j * n + i] || full[place] != 0.0;
        // However small an entry is beside the others: it is there, or it is not.
        if must && !inside[place] && worst.error == 0.0 {
            worst = Comparison { error: f64::INFINITY, worst: (i, j), values: (0.0, full[place]), ..worst };
        }
    }
    worst
}

/// The entries of a pattern in a full matrix.
fn scatter(sparse: &dyn SparseHessian, t: f64, q: &[f64], out: &mut [f64]) {
    let (pattern, n) = (sparse.couplings(), q.len());
    let mut entries = vec![0.0; pattern.entries()];
    sparse.hessian_entries(t, q, &mut entries);
    out.fill(0.0);
    let places = (0..n).flat_map(|i| pattern.columns(i).map(move |j| i * n + j));
    places.zip(entries).for_each(|(place, entry)| out[place] = entry);
}

fn check_mass(system: &dyn System, q: &[f64], v: &[f64], out: &mut Vec<Comparison>) {
    let Mass::Configuration(mass) = system.mass() else { return };
    let n = q.len();
    let mut matrix = vec![0.0; n * n];
    mass.matrix(q, &mut matrix);
    compare(place("M = d(Mv)/dv", v, n), &matrix, |v, o| mass.times(q, v, o), out);
    mass.momentum_jacobian(q, v, &mut matrix);
    let mut full = vec![0.0; n * n];
    let product = |q: &[f64], o: &mut [f64]| {
        mass.matrix(q, &mut full);
        matrix_times(&full, v, o);
    };
    compare(place("d(Mv)/dq", q, n), &matrix, product, out);
    let mut vector = vec![0.0; n];
    let mut momentum = vec![0.0; n];
    mass.kinetic_gradient(q, v, &mut vector);
    let kinetic = |q: &[f64], o: &mut [f64]| {
        mass.times(q, v, &mut momentum);
        o[0] = 0.5 * dot(v, &momentum);
    };
    compare(place("dT/dq", q, 1), &vector, kinetic, out);
    mass.kinetic_hessian(q, v, &mut matrix);
    compare(place("d2T/dq2", q, n), &matrix, |q, o| mass.kinetic_gradient(q, v, o), out);
}

/// Weights of rows in a sum, none like another.
fn weight(row: usize) -> f64 {
    1.0 + 0.3 * row as f64
}

/// Of few contacts all, of many those that can stand for all.
fn check_contacts(system: &dyn System, t: f64, q: &[f64], out: &mut Vec<Comparison>) {
    let (contacts, n) = (system.contacts(), system.dim());
    let mut ids = Vec::new();
    contacts.samples(&mut |contact| ids.push(contact));
    let k = ids.len();
    let fill = |t: f64, q: &[f64], rows: &mut [f64]| {
        for (row, &contact) in rows.chunks_exact_mut(n).zip(&ids) {
            contacts.gradient(t, q, contact, row);
        }
    };
    let (mut rows, mut hessian) = (vec![0.0; k * n], vec![0.0; n * n]);
    fill(t, q, &mut rows);
    compare(place("dg/dq", q, k), &rows, |q, o| contacts.gaps_of(t, q, &ids, o), out);
    let weights: Vec<_> = ids.iter().enumerate().map(|(place, &contact)| (contact, weight(place))).collect();
    let lambda: Vec<f64> = (0..k).map(weight).collect();
    contacts.hessian(t, q, &weights, &mut hessian);
    let sum = |q: &[f64], o: &mut [f64]| {
        fill(t, q, &mut rows);
        o.fill(0.0);
        crate::linear::add_transposed_times(&rows, &lambda, 1.0, o);
    };
    compare(place("d2g/dq2", q, n), &hessian, sum, out);
    if !system.time_dependence().contacts {
        return;
    }
    let rates = |order: usize, t: f64, o: &mut [f64]| {
        o.iter_mut().zip(&ids).for_each(|(o, &contact)| *o = contacts.rates(t, q, contact)[order]);
    };
    let (mut first, mut second, mut mixed) = (vec![0.0; k], vec![0.0; k], vec![0.0; k * n]);
    rates(0, t, &mut first);
    rates(1, t, &mut second);
    for (row, &contact) in mixed.chunks_exact_mut(n).zip(&ids) {
        contacts.gradient_rate(t, q, contact, row);
    }
    compare(place("dg/dt", &[t], k), &first, |t, o| contacts.gaps_of(t[0], q, &ids, o), out);
    compare(place("d2g/dt2", &[t], k), &second, |t, o| rates(0, t[0], o), out);
    compare(place("d2g/dqdt", &[t], k * n), &mixed, |t, o| fill(t[0], q, o), out);
}

fn check_constraints(system: &dyn System, t: f64, q: &[f64], v: &[f64], out: &mut Vec<Comparison>) {
    let (n, m, k) = (system.dim(), system.equalities().count(), system.contacts().count());
    let mut hessian = vec![0.0; n * n];
    if m > 0 {
        let (mut rows, mut rate, mut second) = (vec![0.0; m * n], vec![0.0; m], vec![0.0; m]);
        let lambda: Vec<f64> = (0..m).map(weight).collect();
        system.equalities().jacobian(t, q, &mut rows);
        compare(place("df/dq", q, m), &rows, |q, o| system.equalities().values(t, q, o), out);
        let mut sum = |q: &[f64], o: &mut [f64]| {
            system.equalities().jacobian(t, q, &mut rows);
            o.fill(0.0);
            crate::linear::add_transposed_times(&rows, &lambda, 1.0, o);
        };
        system.equalities().hessian(t, q, &lambda, &mut hessian);
        compare(place("d2f/dq2", q, n), &hessian, &mut sum, out);
        if let Some(sparse) = system.equalities().sparse() {
            sum_by_rows(sparse, (t, q), &lambda, &mut hessian);
            compare(place("d2f/dq2 by rows", q, n), &hessian, &mut sum, out);
        }
        check_bend(system, t, q, v, out);
        system.equalities().rate(t, q, &mut rate);
        system.equalities().second_rate(t, q, &mut second);
        compare(place("df/dt", &[t], m), &rate, |t, o| system.equalities().values(t[0], q, o), out);
        compare(place("d2f/dt2", &[t], m), &second, |t, o| system.equalities().rate(t[0], q, o), out);
        let mut mixed = vec![0.0; m * n];
        system.equalities().jacobian_rate(t, q, &mut mixed);
        compare(place("d2f/dqdt", &[t], m * n), &mixed, |t, o| system.equalities().jacobian(t[0], q, o), out);
    }
    if k > 0 {
        check_contacts(system, t, q, out);
    }
    if let Some(nonholonomic) = system.nonholonomic() {
        let r = nonholonomic.rows();
        let (mut rows, mut matrix) = (vec![0.0; r * n], vec![0.0; r * n]);
        nonholonomic.jacobian(q, v, &mut rows);
        let product = |q: &[f64], o: &mut [f64]| {
            nonholonomic.matrix(q, &mut matrix);
            matrix_times(&matrix, v, o);
        };
        compare(place("d(Av)/dq", q, r), &rows, product, out);
        let (mut rate, mut derivative, mut unused) = (vec![0.0; r], vec![0.0; r], vec![0.0; r]);
        nonholonomic.rates(t, &mut rate, &mut derivative);
        let rates = |t: &[f64], o: &mut [f64]| nonholonomic.rates(t[0], o, &mut unused);
        compare(place("da/dt", &[t], r), &derivative, rates, out);
    }
}

/// `Σ λ_i ∂²f_i/∂q²` from the matrices of the single rows.
fn sum_by_rows(rows: &dyn SparseEqualities, (t, q): (f64, &[f64]), lambda: &[f64], out: &mut [f64]) {
    let (pattern, width) = (rows.pattern(), rows.pattern().width());
    out.fill(0.0);
    for (row, lambda) in lambda.iter().enumerate() {
        let blocks = &pattern.blocks()[pattern.range(row)];
        let columns: Vec<usize> = blocks.iter().flat_map(|&block| width * block..width * (block + 1)).collect();
        let mut hessian = vec![0.0; columns.len() * columns.len()];
        rows.row_hessian(t, q, row, &mut hessian);
        for (line, &i) in hessian.chunks_exact(columns.len().max(1)).zip(&columns) {
            for (entry, &j) in line.iter().zip(&columns) {
                out[i * q.len() + j] += lambda * entry;
            }
        }
    }
}

/// The bend of the equalities: how fast their rates change on the straight line along `v`.
fn check_bend(system: &dyn System, t: f64, q: &[f64], v: &[f64], out: &mut Vec<Comparison>) {
    let m = system.equalities().count();
    let (mut bend, mut rows) = (vec![0.0; m], vec![0.0; m * q.len()]);
    system.equalities().bend(t, q, v, &mut bend);
    // The line starts at 1, so that the lengths of the differences are parts of v.
    let rate = |s: &[f64], o: &mut [f64]| {
        let moved: Vec<f64> = q.iter().zip(v).map(|(q, v)| q + (s[0] - 1.0) * v).collect();
        system.equalities().jacobian(t, &moved, &mut rows);
        matrix_times(&rows, v, o);
    };
    compare(place("v d2f/dq2 v", &[1.0], m), &bend, rate, out);
}
