//! Patterns of second derivatives: right ones agree with differences, wrong ones are found.

use carom::state::State;
use carom::system::{Contacts, Dynamics, Equalities, Mass, NoRows, Nonholonomic, Pattern, SparseHessian, System};
use carom::testing::derivatives::check;

use super::systems::{Kept, hanging, lattice, line, well};

/// A system whose pattern lacks some entries.
struct Altered {
    system: Kept,
    pattern: Pattern,
    /// Of each entry of the pattern, its place in the system's own.
    places: Vec<usize>,
    factor: f64,
}

impl Altered {
    fn new(system: Kept, leave: impl Fn(usize, usize) -> bool, factor: f64) -> Self {
        let own = system.sparse_hessian().expect("sparse").couplings();
        let (mut pattern, mut places, mut place) = (Pattern::new(1), Vec::new(), 0);
        for i in 0..system.dim() {
            let mut row = Vec::new();
            for j in own.columns(i) {
                if leave(i, j) {
                    row.push(j);
                    places.push(place);
                }
                place += 1;
            }
            pattern.push_row(row);
        }
        Self { system, pattern, places, factor }
    }
}

impl SparseHessian for Altered {
    fn couplings(&self) -> &Pattern {
        &self.pattern
    }
    fn hessian_entries(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let own = self.system.sparse_hessian().expect("sparse");
        let mut entries = vec![0.0; own.couplings().entries()];
        own.hessian_entries(t, q, &mut entries);
        for (out, place) in out.iter_mut().zip(&self.places) {
            *out = self.factor * entries[*place];
        }
    }
}

impl Dynamics for Altered {
    fn dim(&self) -> usize {
        self.system.dim()
    }
    fn mass(&self) -> Mass<'_> {
        self.system.mass()
    }
    fn potential(&self, t: f64, q: &[f64]) -> f64 {
        self.system.potential(t, q)
    }
    fn potential_gradient(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.system.potential_gradient(t, q, out);
    }
    fn potential_hessian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.system.potential_hessian(t, q, out);
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        Some(self)
    }
}

impl System for Altered {
    fn equalities(&self) -> &dyn Equalities {
        &NoRows
    }
    fn contacts(&self) -> &dyn Contacts {
        &NoRows
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

/// What does not agree of the second derivatives.
fn faults(system: &dyn System, start: &State) -> Vec<&'static str> {
    let found = check(system, 0.3, &start.q, &vec![0.1; start.q.len()]);
    let compared: Vec<_> = found.iter().filter(|found| found.what.starts_with("d2V/dq2")).collect();
    assert_eq!(compared.len(), 3, "the sparse entries are compared too");
    compared.into_iter().filter(|found| !found.agrees()).map(|found| found.what).collect()
}

#[test]
fn patterns_hold_every_entry_and_few_others() {
    for (name, (system, start), most) in
        [("line", line(40), 3), ("lattice", lattice(5), 14), ("hanging", hanging(12), 15), ("well", well(20), 2)]
    {
        assert_eq!(faults(system, &start), Vec::<&str>::new(), "{name}");
        let entries = system.sparse_hessian().expect("sparse").couplings().entries();
        assert!(entries <= most * system.dim(), "{name}: {entries}");
    }
}

#[test]
fn wrong_patterns_and_entries_are_found() {
    let (system, start) = line(40);
    let (outside, by_entries) = ("d2V/dq2 outside of its pattern", "d2V/dq2 by entries");
    assert_eq!(faults(&Altered::new(system, |_, _| true, 1.0), &start), Vec::<&str>::new());
    let lacks = |i: usize, j: usize| (i.min(j), i.max(j)) != (7, 8);
    assert_eq!(faults(&Altered::new(system, lacks, 1.0), &start), [outside, by_entries]);
    assert_eq!(faults(&Altered::new(system, |i, j| (i, j) != (7, 8), 1.0), &start), [outside, by_entries]);
    assert_eq!(faults(&Altered::new(system, |i, j| (i, j) != (3, 3), 1.0), &start), [outside, by_entries]);
    assert_eq!(faults(&Altered::new(system, |_, _| true, 1.0 + 1e-4), &start), [by_entries]);
}
