//! Many rows of a programme on the bodies that they move, with sparse factors.

use carom_lcp::ldlt::Ldlt;
use carom_lcp::{BlockPivot, Limits, Saddle, SaddleMlcp, Solver as _, Sparse};

use crate::state::all_finite;

/// The residual that a solve is asked for, relative to the one without impulses, and what is taken where pivots go round in rows that depend on each
/// other.
const ASKED: f64 = 1e-13;
const TAKEN: f64 = 1e-9;
/// Exchanges of whole sets; some dozens are the rule.
const EXCHANGES: usize = 2000;
/// Exchanges before the safeguarded method takes over.
const QUICK: usize = 8;

/// `W = G M⁻¹Gᵀ + T` of many rows, with a mass per coordinate.
#[derive(Debug)]
pub struct Large {
    problem: SaddleMlcp,
    pivot: BlockPivot,
    factors: Factors,
    /// The columns that rows have entries at, ascending, and the masses there.
    columns: Vec<usize>,
    masses: Vec<f64>,
    v: Vec<f64>,
    active: Vec<bool>,
    slacks: Vec<f64>,
}

/// Factors of some rows, with their vectors.
#[derive(Default)]
struct Factors {
    ldlt: Option<Box<Ldlt>>,
    /// The rows that are factored; none if the numbers are others.
    of: Vec<bool>,
    right: Vec<f64>,
    x: Vec<f64>,
}

impl std::fmt::Debug for Factors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Factors")
    }
}

impl Default for Large {
    fn default() -> Self {
        Self {
            problem: SaddleMlcp { saddle: Saddle::default(), lower: Vec::new(), upper: Vec::new() },
            pivot: BlockPivot::default(),
            factors: Factors::default(),
            columns: Vec::new(),
            masses: Vec::new(),
            v: Vec::new(),
            active: Vec::new(),
            slacks: Vec::new(),
        }
    }
}

impl Clone for Large {
    /// What solvers remember saves work only.
    fn clone(&self) -> Self {
        let (problem, columns, masses) = (self.problem.clone(), self.columns.clone(), self.masses.clone());
        Self { problem, columns, masses, ..Self::default() }
    }
}

impl Large {
    /// Takes the rows; false where the mass is not one number per column, which sparse factors need here.
    pub fn load(&mut self, [z, g]: [&Sparse; 2], chosen: &[usize], raised: f64) -> bool {
        self.factors.of.clear();
        self.columns.clear();
        for &row in chosen {
            if z.row_parts(row).0 != g.row_parts(row).0 {
                return false;
            }
            self.columns.extend_from_slice(g.row_parts(row).0);
        }
        self.columns.sort_unstable();
        self.columns.dedup();
        self.masses.clear();
        self.masses.resize(self.columns.len(), 1.0);
        for &row in chosen {
            let ((columns, values), divided) = (g.row_parts(row), z.row_parts(row).1);
            for (column, (value, divided)) in columns.iter().zip(values.iter().zip(divided)) {
                if *divided != 0.0 {
                    let place = self.columns.partition_point(|known| known < column);
                    self.masses[place] = value / divided;
                }
            }
        }
        let SaddleMlcp { saddle, lower, upper } = &mut self.problem;
        let columns = &self.columns;
        let place = |column: usize| columns.partition_point(|known| *known < column);
        let restarted = saddle.restart(&self.masses, |jacobian, t| {
            for &row in chosen {
                jacobian.push_row(g.row(row).map(|(column, value)| (place(column), value)));
                t.push(raised * z.row_product(row, g, row));
            }
        });
        for (bounds, value) in [(lower, 0.0), (upper, f64::INFINITY)] {
            bounds.clear();
            bounds.resize(chosen.len(), value);
        }
        restarted.is_ok()
    }

    /// `W x`.
    pub fn times(&mut self, x: &[f64], out: &mut Vec<f64>) {
        let (saddle, v) = (&self.problem.saddle, &mut self.v);
        v.clear();
        v.resize(self.columns.len(), 0.0);
        saddle.jacobian.add_transposed_times(x, v);
        v.iter_mut().zip(&self.masses).for_each(|(v, mass)| *v /= mass);
        out.extend((0..x.len()).map(|row| saddle.jacobian.row_times(row, v) + saddle.t[row] * x[row]));
    }

    /// The diagonal entry of a row of `W`.
    pub fn diagonal(&self, row: usize) -> f64 {
        self.problem.saddle.diagonal(row)
    }

    /// `0 ≤ y ⊥ W y + c ≥ 0`, from those that are positive in `y`.
    pub fn solve(&mut self, c: &[f64], y: &mut [f64]) -> bool {
        if self.exchange(c, y) {
            return true;
        }
        self.problem.saddle.q.copy_from_slice(c);
        let limits = Limits { tolerance: ASKED, iterations: Some(EXCHANGES), deadline: None };
        let solved = match self.pivot.solve(&self.problem, y, &limits) {
            Ok(_) => true,
            Err(unsolved) => unsolved.residual.relative <= TAKEN,
        };
        y.iter_mut().for_each(|y| *y = y.max(0.0));
        solved
    }

    /// The same by exchanging all wrong rows some times, with factors that are kept as long as the set stays: legs of other lengths ask for other
    /// right-hand sides with the same rows. False if that does not end soon.
    fn exchange(&mut self, c: &[f64], y: &mut [f64]) -> bool {
        let mut active = std::mem::take(&mut self.active);
        active.clear();
        active.extend(y.iter().map(|y| *y > 0.0));
        let mut slacks = std::mem::take(&mut self.slacks);
        let least = ASKED * crate::linear::max_abs(c);
        let mut found = false;
        for _ in 0..QUICK {
            if self.solve_with(&active, c, y).is_none() || !(all_finite(y) && all_finite(c)) {
                break;
            }
            let most = crate::linear::max_abs(y);
            slacks.clear();
            self.times(y, &mut slacks);
            let mut wrong = false;
            for (row, active) in active.iter_mut().enumerate() {
                let leaves = *active && y[row] < -ASKED * most;
                let enters = !*active && slacks[row] + c[row] < -least;
                wrong |= leaves | enters;
                *active ^= leaves | enters;
            }
            if !wrong {
                y.iter_mut().for_each(|y| *y = y.max(0.0));
                found = true;
                break;
            }
        }
        (self.active, self.slacks) = (active, slacks);
        found
    }

    /// `W y + c = 0` in all rows; `None` where rows depend on each other.
    pub fn solve_free(&mut self, c: &[f64], y: &mut [f64]) -> Option<()> {
        let mut active = std::mem::take(&mut self.active);
        active.clear();
        active.resize(y.len(), true);
        let solved = self.solve_with(&active, c, y);
        self.active = active;
        solved
    }

    /// `W y + c = 0` in some rows, `y = 0` in the others.
    fn solve_with(&mut self, active: &[bool], c: &[f64], y: &mut [f64]) -> Option<()> {
        let (saddle, n) = (&self.problem.saddle, self.columns.len());
        let Factors { ldlt, of, right, x } = &mut self.factors;
        if of != active {
            of.clear();
            if !ldlt.as_mut().is_some_and(|ldlt| ldlt.load(saddle).is_ok() && ldlt.suits(saddle)) {
                *ldlt = Some(Box::new(Ldlt::analyse(saddle)));
            }
            ldlt.as_mut()?.factor(active).ok()?;
            of.extend_from_slice(active);
        }
        for vector in [&mut *right, &mut *x] {
            vector.clear();
            vector.resize(n + y.len(), 0.0);
        }
        right[n..].iter_mut().zip(c).for_each(|(right, c)| *right = -c);
        ldlt.as_mut()?.solve(right, x);
        let impulses = x[n..].iter().zip(active);
        y.iter_mut().zip(impulses).for_each(|(y, (x, active))| *y = if *active { -x } else { 0.0 });
        Some(())
    }
}
