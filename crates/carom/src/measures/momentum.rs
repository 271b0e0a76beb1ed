//! Linear and angular momentum (about the origin) of the points of a problem and the spins of its bodies, and which of them
//! its symmetry conserves.

use serde::{Deserialize, Serialize};

use super::symmetry::{Motion, OfPoints, VectorField, invariant};
use crate::problem::{Points, Problem};

/// Momentum of the points, by component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Momentum {
    points: Points,
}

/// The planes of rotation of a space, in the order of the components of angular momentum.
fn turns(dimension: usize) -> &'static [(usize, usize)] {
    match dimension {
        2 => &[(0, 1)],
        3 => &[(1, 2), (2, 0), (0, 1)],
        _ => &[],
    }
}

/// Which components the system conserves.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Conserved {
    /// Per axis.
    pub linear: Vec<bool>,
    /// Per component of angular momentum.
    pub angular: Vec<bool>,
    /// Per declared symmetry.
    pub declared: Vec<bool>,
}

impl Momentum {
    /// Of these points.
    pub fn new(points: Points) -> Self {
        Self { points }
    }

    /// Number of components of linear and of angular momentum.
    pub fn components(&self) -> (usize, usize) {
        (self.points.dimension, turns(self.points.dimension).len())
    }

    /// Linear, then angular momentum.
    pub fn of(&self, q: &[f64], p: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let (linear, angular) = out.split_at_mut(self.points.dimension);
        for point in &self.points.members {
            for (sum, &i) in linear.iter_mut().zip(point) {
                *sum += p[i];
            }
            for (sum, &(a, b)) in angular.iter_mut().zip(turns(self.points.dimension)) {
                *sum += q[point[a]] * p[point[b]] - q[point[b]] * p[point[a]];
            }
        }
        // Spins belong to the plane, which has one component.
        if let [sum] = angular {
            *sum += self.points.spins.iter().fold(0.0, |sum, &i| sum + p[i]);
        }
    }

    /// Which components, and which declared symmetries, are conserved: those whose generator leaves the system unchanged,
    /// at the initial state and at states and times near and far from it.
    pub fn conserved(problem: &Problem) -> Conserved {
        let points = &problem.points;
        let turns = turns(points.dimension).iter().map(|&(a, b)| Motion::Turn(a, b));
        let motions = (0..points.dimension).map(Motion::Along).chain(turns);
        let motions: Vec<OfPoints> = motions.map(|motion| OfPoints { points, motion }).collect();
        let declared = problem.symmetries.iter().map(|symmetry| &*symmetry.field);
        let fields: Vec<&dyn VectorField> =
            motions.iter().map(|motion| motion as &dyn VectorField).chain(declared).collect();
        let mut linear = invariant(problem, &fields);
        let declared = linear.split_off(motions.len());
        let angular = linear.split_off(points.dimension);
        Conserved { linear, angular, declared }
    }
}
