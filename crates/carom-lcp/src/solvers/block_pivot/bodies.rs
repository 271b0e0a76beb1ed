//! Principal submatrices of A = G M⁻¹ Gᵀ + T that are never formed: sparse factors of K = [[M, Gᵀ], [G, −T]].

use std::cell::RefCell;
use std::fmt;

use super::super::lu::Sum;
use super::principal::{Corrections, Perturbation, PrincipalSolve, Singular, largest};
use crate::ldlt::{Ldlt, Place, WrongPivot};
use crate::problem::saddle::Motion;
use crate::problem::{Saddle, SaddleMlcp};
use crate::residual::Judged;

// Notation
//   v          velocities: M v = Gᵀz − p
//   S, c, d    what is added to the slacks: w = G v + T z + q + S (z − c) + d

/// The most steps of refinement; one or two are the rule.
const REFINEMENTS: usize = 5;

/// The space of [`SaddlePrincipal`], kept between solves; the analysis of a pattern is kept until another comes. A clone of it is
/// empty.
#[derive(Default)]
pub struct SaddleSpace {
    ldlt: Option<Box<Ldlt>>,
    room: Room,
}

/// The vectors of a [`SaddleSpace`].
#[derive(Default)]
struct Room {
    active: Vec<bool>,
    shift: Vec<f64>,
    t: Vec<f64>,
    velocity: Vec<f64>,
    sums: Vec<Sum>,
    right: Vec<f64>,
    step: Vec<f64>,
    momentum_size: Vec<f64>,
    velocity_size: Vec<f64>,
}

impl Clone for SaddleSpace {
    fn clone(&self) -> SaddleSpace {
        SaddleSpace::default()
    }
}

impl fmt::Debug for SaddleSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaddleSpace").field("entries", &self.ldlt.as_ref().map(|ldlt| ldlt.entries())).finish()
    }
}

/// Principal submatrices by sparse factors, rows at a bound left out of them and their impulses put to the right-hand side, with
/// refinement whose residuals carry twice the digits.
pub struct SaddlePrincipal<'a> {
    saddle: &'a Saddle,
    ldlt: &'a mut Ldlt,
    room: &'a mut Room,
    factored: bool,
}

impl<'a> SaddlePrincipal<'a> {
    /// The principal submatrices of a problem. Its pattern is analysed unless it is the one of the solve before and the order suits
    /// its T.
    pub fn new(saddle: &'a Saddle, space: &'a mut SaddleSpace) -> SaddlePrincipal<'a> {
        let SaddleSpace { ldlt, room } = space;
        if !ldlt.as_mut().is_some_and(|ldlt| ldlt.load(saddle).is_ok() && ldlt.suits(saddle)) {
            *ldlt = None;
        }
        let ldlt = ldlt.get_or_insert_with(|| Box::new(Ldlt::analyse(saddle)));
        let (n, m) = (saddle.p.len(), saddle.q.len());
        for (vector, size) in [
            (&mut room.shift, m),
            (&mut room.velocity, n),
            (&mut room.right, n + m),
            (&mut room.step, n + m),
            (&mut room.momentum_size, n),
            (&mut room.velocity_size, n),
        ] {
            vector.clear();
            vector.resize(size, 0.0);
        }
        SaddlePrincipal { saddle, ldlt, room, factored: false }
    }

    /// Factors K with the active rows, unless the last factors are just that.
    fn factor(&mut self, active: &[bool], shift: &[f64]) -> Result<(), Singular> {
        let room = &mut *self.room;
        if self.factored && room.active == active && room.shift == shift {
            return Ok(());
        }
        self.factored = false;
        if room.shift != shift {
            room.t.clear();
            room.t.extend(self.saddle.t.iter().zip(shift).map(|(t, shift)| t + shift));
            self.ldlt.load_with(self.saddle, &room.t).expect("the pattern that was analysed");
            room.shift.copy_from_slice(shift);
        }
        room.active.clear();
        room.active.extend_from_slice(active);
        self.ldlt.factor(active).map_err(|WrongPivot { place, .. }| {
            let touches = |row: usize, coordinate| self.saddle.jacobian.row_parts(row).0.contains(&coordinate);
            let row = match place {
                Place::Constraint(row) => row,
                // A row before its bodies took the digits of this one.
                Place::Coordinate(coordinate) => {
                    (0..active.len()).find(|&row| active[row] && touches(row, coordinate)).unwrap_or(0)
                }
            };
            Singular { row }
        })?;
        self.factored = true;
        Ok(())
    }

    /// w_i of the present velocities, with twice the digits inside.
    fn slack(&self, row: usize, perturbation: Perturbation<'_>, z: &[f64]) -> f64 {
        let mut sum = Sum::of(self.saddle.q[row]);
        self.saddle.jacobian.row(row).for_each(|(column, value)| sum.add(value, self.room.velocity[column]));
        sum.add(self.saddle.t[row], z[row]);
        sum.add(perturbation.shift[row], z[row]);
        sum.add(-perturbation.shift[row], perturbation.centre[row]);
        sum.add(perturbation.offset[row], 1.0);
        sum.value()
    }

    /// The right-hand side of a correction: Gᵀz − p − M v, and −w in the active rows.
    fn take_rest(&mut self, active: &[bool], perturbation: Perturbation<'_>, z: &[f64]) {
        let n = self.saddle.p.len();
        let (saddle, sums) = (self.saddle, &mut self.room.sums);
        sums.clear();
        sums.extend(saddle.p.iter().map(|p| Sum::of(-p)));
        for (row, &impulse) in z.iter().enumerate().filter(|(_, impulse)| **impulse != 0.0) {
            saddle.jacobian.row(row).for_each(|(column, value)| sums[column].add(value, impulse));
        }
        for body in 0..saddle.mass.count() {
            let range = saddle.mass.range(body);
            for (i, coordinate) in range.clone().enumerate() {
                let row = &saddle.mass.block(body)[i * range.len()..(i + 1) * range.len()];
                for (mass, velocity) in row.iter().zip(&self.room.velocity[range.clone()]) {
                    sums[coordinate].add(-mass, *velocity);
                }
            }
        }
        self.room.right.iter_mut().zip(sums).for_each(|(right, sum)| *right = sum.value());
        for row in 0..z.len() {
            self.room.right[n + row] = if active[row] { -self.slack(row, perturbation, z) } else { 0.0 };
        }
    }

    /// A bound on the rounding of w: ε (|G| |M⁻¹| (|Gᵀ| |z| + |p|) + T |z| + |q|).
    fn bound_noise(&mut self, z: &[f64], noise: &mut [f64]) {
        let (saddle, room) = (self.saddle, &mut *self.room);
        room.momentum_size.iter_mut().zip(&saddle.p).for_each(|(size, p)| *size = p.abs());
        for (row, &impulse) in z.iter().enumerate().filter(|(_, impulse)| **impulse != 0.0) {
            for (column, value) in saddle.jacobian.row(row) {
                room.momentum_size[column] += (value * impulse).abs();
            }
        }
        let inverse = saddle.inverse_mass();
        for body in 0..inverse.count() {
            let range = inverse.range(body);
            for (i, coordinate) in range.clone().enumerate() {
                let row = &inverse.block(body)[i * range.len()..(i + 1) * range.len()];
                let sizes = row.iter().zip(&room.momentum_size[range.clone()]);
                room.velocity_size[coordinate] = sizes.map(|(mobility, size)| mobility.abs() * size).sum();
            }
        }
        for (row, noise) in noise.iter_mut().enumerate() {
            let entries = saddle.jacobian.row(row);
            let size: f64 = entries.map(|(column, value)| value.abs() * room.velocity_size[column]).sum();
            *noise = f64::EPSILON * (size + (saddle.t[row] * z[row]).abs() + saddle.q[row].abs());
        }
    }
}

impl PrincipalSolve for SaddlePrincipal<'_> {
    fn solve(
        &mut self,
        active: &[bool],
        perturbation: Perturbation<'_>,
        z: &mut [f64],
        w: &mut [f64],
        noise: &mut [f64],
    ) -> Result<(), Singular> {
        let n = self.saddle.p.len();
        self.factor(active, perturbation.shift)?;
        self.room.velocity.fill(0.0);
        for (z, _) in z.iter_mut().zip(active).filter(|(_, active)| **active) {
            *z = 0.0;
        }
        // The solution itself is the first correction, from v = 0 and z = 0 in the active rows.
        let mut corrections = Corrections::default();
        for _ in 0..=REFINEMENTS {
            self.take_rest(active, perturbation, z);
            self.ldlt.solve(&self.room.right, &mut self.room.step);
            // K has the unknowns (v, −z).
            let (by_v, by_z) = self.room.step.split_at(n);
            if !corrections.shrink(by_z) {
                break;
            }
            self.room.velocity.iter_mut().zip(by_v).for_each(|(v, step)| *v += step);
            z.iter_mut().zip(by_z).for_each(|(z, step)| *z -= step);
            if corrections.are_rounding(largest(z)) {
                break;
            }
        }
        for row in 0..z.len() {
            w[row] = if active[row] { 0.0 } else { self.slack(row, perturbation, z) };
        }
        self.bound_noise(z, noise);
        Ok(())
    }

    fn scale(&self, row: usize) -> f64 {
        let diagonal = self.saddle.diagonal(row);
        if diagonal > 0.0 { diagonal } else { 1.0 }
    }
}

/// A problem that judges as it does itself, with room for velocities that is used again.
pub(super) struct Judge<'a> {
    problem: &'a SaddleMlcp,
    motion: RefCell<&'a mut Motion>,
}

impl<'a> Judge<'a> {
    pub fn new(problem: &'a SaddleMlcp, motion: &'a mut Motion) -> Judge<'a> {
        Judge { problem, motion: RefCell::new(motion) }
    }
}

impl Judged for Judge<'_> {
    fn size(&self) -> usize {
        self.problem.size()
    }

    fn natural_map(&self, z: &[f64], w: &mut [f64], map: &mut [f64]) {
        self.problem.natural_map_with(z, w, map, &mut self.motion.borrow_mut());
    }
}
