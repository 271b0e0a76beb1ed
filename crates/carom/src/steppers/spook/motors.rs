//! Motors beside friction, which is solved with equalities that have no bounds: those beyond their bounds are held there.

use carom_lcp::Saddle;

use super::rows::Rows;

/// What is kept while motors are held at their bounds.
#[derive(Default)]
pub struct Motors {
    /// The form without any held: entries of G, T, q and p.
    values: Vec<f64>,
    t: Vec<f64>,
    q: Vec<f64>,
    p: Vec<f64>,
    /// The impulses of those that are held.
    held: Vec<Option<f64>>,
    momentum: Vec<f64>,
    v: Vec<f64>,
}

impl Motors {
    /// Takes note of a form, in which no motor is held.
    pub fn read(&mut self, saddle: &Saddle, joints: usize) {
        let values = saddle.jacobian.values();
        for (kept, of) in [
            (&mut self.values, values),
            (&mut self.t, &saddle.t),
            (&mut self.q, &saddle.q),
            (&mut self.p, &saddle.p),
        ] {
            kept.clear();
            kept.extend_from_slice(of);
        }
        self.held.clear();
        self.held.resize(joints, None);
    }

    /// Puts the impulses of those that are held to the momentum and takes their rows out.
    pub fn hold(&self, saddle: &mut Saddle) {
        for (row, impulse) in self.held.iter().enumerate() {
            if let Some(impulse) = impulse {
                hold(saddle, row, *impulse);
            }
        }
    }

    /// The form as it was.
    pub fn restore(&self, saddle: &mut Saddle) {
        saddle.jacobian.values_mut().copy_from_slice(&self.values);
        for (of, kept) in [(&mut saddle.t, &self.t), (&mut saddle.q, &self.q), (&mut saddle.p, &self.p)] {
            of.copy_from_slice(kept);
        }
    }

    /// The velocities that the impulses `z` of a form with held motors lead to.
    pub fn go_on(&mut self, saddle: &Saddle, z: &[f64]) {
        self.momentum.clear();
        self.momentum.extend(saddle.p.iter().map(|p| -p));
        saddle.jacobian.add_transposed_times(z, &mut self.momentum);
        self.v.resize(self.momentum.len(), 0.0);
        saddle.inverse_mass().times(&self.momentum, &mut self.v);
    }

    /// Holds and lets go what wants it, of a form without any held; whether anything changes. `every` says whether all change at once.
    pub fn change(&mut self, rows: &Rows, saddle: &Saddle, z: &mut [f64], every: bool) -> bool {
        let mut changed = false;
        for (row, bound) in self.held.iter_mut().enumerate() {
            let [lower, upper] = [rows.lower[row], rows.upper[row]];
            let wanted = match *bound {
                None if z[row] < lower => Some(lower),
                None if z[row] > upper => Some(upper),
                None => None,
                Some(impulse) => {
                    z[row] = impulse;
                    let w = saddle.jacobian.row_times(row, &self.v) + saddle.t[row] * impulse + saddle.q[row];
                    let leaves = if impulse == lower { w < 0.0 } else { w > 0.0 };
                    Some(impulse).filter(|_| !leaves)
                }
            };
            // One at a time, the first first, cannot go round in circles where there is no friction.
            if wanted != *bound && (every || !changed) {
                (*bound, changed) = (wanted, true);
            }
        }
        changed
    }
}

/// Puts the impulse of a row to the momentum and takes the row out.
fn hold(saddle: &mut Saddle, row: usize, impulse: f64) {
    let begin: usize = (0..row).map(|row| saddle.jacobian.row_parts(row).0.len()).sum();
    let (columns, values) = saddle.jacobian.row_parts(row);
    for (&column, value) in columns.iter().zip(values) {
        saddle.p[column] -= value * impulse;
    }
    let count = columns.len();
    saddle.jacobian.values_mut()[begin..begin + count].fill(0.0);
    (saddle.t[row], saddle.q[row]) = (1.0, 0.0);
}
