//! The sets `C`, `N` and the rest over a plane of configurations, as in Figure 1 of Pekarek & Murphey.

use super::{Projection, Region};
use crate::system::System;

/// A window of two coordinates, cut into cells; the other coordinates are those of the impact configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// The coordinates to the right and upwards.
    pub coordinates: [usize; 2],
    /// Their ranges.
    pub window: [(f64, f64); 2],
    /// Cells along each.
    pub cells: [usize; 2],
}

impl Plane {
    /// The middle of a cell along an axis.
    pub fn middle(&self, axis: usize, cell: usize) -> f64 {
        let (low, high) = self.window[axis];
        low + (high - low) * (cell as f64 + 0.5) / self.cells[axis] as f64
    }
}

/// What the middles of the cells of a plane belong to.
#[derive(Debug, Clone, PartialEq)]
pub struct Regions {
    /// The plane.
    pub plane: Plane,
    /// Its cells, from left to right, rows upwards.
    pub cells: Vec<Region>,
    /// Distance, in the plane, from the impact configuration to the nearest middle that is lost: about so far `P` is a
    /// projection. Infinite if none is.
    pub radius: f64,
    /// Whether a cell lies in `N` and `det P'` is not negative there: `P` has folded over, and it shares its image with another.
    pub turned: Vec<bool>,
}

impl Regions {
    /// Looks at every cell. The coordinates of the plane must exist.
    pub fn of<S: System + ?Sized>(projection: &mut Projection<S>, plane: Plane) -> Self {
        let mut z = projection.impact().to_vec();
        let [a, b] = plane.coordinates;
        let (x, y) = (z[a], z[b]);
        let mut cells = Vec::with_capacity(plane.cells[0] * plane.cells[1]);
        let (mut radius, mut turned) = (f64::INFINITY, Vec::with_capacity(cells.capacity()));
        for row in 0..plane.cells[1] {
            z[b] = plane.middle(1, row);
            for column in 0..plane.cells[0] {
                z[a] = plane.middle(0, column);
                let region = projection.region(&z);
                if region == Region::Lost {
                    radius = radius.min((z[a] - x).hypot(z[b] - y));
                }
                turned.push(region == Region::Folded && !projection.keeps_sheet(&z));
                cells.push(region);
            }
        }
        Self { plane, cells, radius, turned }
    }

    /// Share of the cells that are of a region.
    pub fn share(&self, region: Region) -> f64 {
        self.cells.iter().filter(|cell| **cell == region).count() as f64 / self.cells.len().max(1) as f64
    }

    /// Share of `N` on which `P` has folded over; none if there is no `N`.
    pub fn folded_over(&self) -> Option<f64> {
        let folded = self.cells.iter().filter(|cell| **cell == Region::Folded).count();
        let turned = self.turned.iter().filter(|turned| **turned).count();
        (folded > 0).then(|| turned as f64 / folded as f64)
    }

    /// Share of what lies outside of `C` that `P` folds into it; none if nothing lies outside.
    pub fn folded(&self) -> Option<f64> {
        let (folded, lost) = (self.share(Region::Folded), self.share(Region::Lost));
        (folded + lost > 0.0).then(|| folded / (folded + lost))
    }
}
