//! Where a plot holds data, on a coarse grid, so that legend and labels can keep away.

use super::geometry::Geometry;
use super::shape::{Point, Rect};

/// Weight of a cell under a line or a marker, and under an area or a reference line.
pub(super) const DATA: u8 = 4;
pub(super) const FAINT: u8 = 1;

/// The weights of the cells of a plot.
#[derive(Clone, Debug)]
pub(super) struct Occupancy {
    rect: Rect,
    cell: f64,
    columns: usize,
    weights: Vec<u8>,
}

impl Occupancy {
    /// An empty grid over a plot, of at most some 256 cells a side.
    pub(super) fn over(rect: Rect) -> Occupancy {
        let cell = (rect.w.max(rect.h) / 256.0).max(3.0);
        let (columns, rows) = ((rect.w / cell) as usize + 1, (rect.h / cell) as usize + 1);
        Occupancy { rect, cell, columns, weights: vec![0; columns * rows] }
    }

    fn index(&self, (x, y): Point) -> Option<usize> {
        let (i, j) = ((x - self.rect.x) / self.cell, (y - self.rect.y) / self.cell);
        if i < 0.0 || j < 0.0 || i as usize >= self.columns {
            return None;
        }
        Some(j as usize * self.columns + i as usize).filter(|k| *k < self.weights.len())
    }

    fn mark(&mut self, p: Point, weight: u8) {
        if let Some(k) = self.index(p) {
            self.weights[k] = self.weights[k].max(weight);
        }
    }

    /// Mark all that a series draws.
    pub(super) fn mark_shape(&mut self, shape: &Geometry, weight: u8) {
        for pair in shape.lines.windows(2).filter(|pair| !pair[1].gap) {
            let (dx, dy) = (pair[1].x - pair[0].x, pair[1].y - pair[0].y);
            let steps = (2.0 * dx.abs().max(dy.abs()) / self.cell).ceil().clamp(1.0, 4096.0);
            for k in 0..=steps as usize {
                let s = k as f64 / steps;
                self.mark((pair[0].x + s * dx, pair[0].y + s * dy), weight);
            }
        }
        for &(x, y) in &shape.dots {
            for (a, b) in [(-3.0, -3.0), (3.0, -3.0), (0.0, 0.0), (-3.0, 3.0), (3.0, 3.0)] {
                self.mark((x + a, y + b), weight);
            }
        }
        for area in &shape.areas {
            self.mark_area(area);
        }
    }

    /// Mark the cells whose middle lies in a polygon.
    fn mark_area(&mut self, area: &[Point]) {
        let rows = self.weights.len() / self.columns;
        for j in 0..rows {
            let y = self.rect.y + (j as f64 + 0.5) * self.cell;
            let edges = area.iter().zip(area.iter().cycle().skip(1));
            let mut cuts: Vec<f64> = edges
                .filter(|(a, b)| (a.1 <= y) != (b.1 <= y))
                .map(|(a, b)| a.0 + (y - a.1) / (b.1 - a.1) * (b.0 - a.0))
                .collect();
            cuts.sort_by(f64::total_cmp);
            for pair in cuts.chunks_exact(2) {
                for i in 0..self.columns {
                    let x = self.rect.x + (i as f64 + 0.5) * self.cell;
                    if pair[0] <= x && x <= pair[1] {
                        self.mark((x, y), FAINT);
                    }
                }
            }
        }
    }

    /// Mark a rectangle, as one marks data.
    pub(super) fn mark_rect(&mut self, rect: &Rect) {
        for k in self.under(rect).collect::<Vec<_>>() {
            self.weights[k] = DATA;
        }
    }

    /// The cells a rectangle touches.
    fn under(&self, rect: &Rect) -> impl Iterator<Item = usize> + use<> {
        let rows = self.weights.len() / self.columns;
        let span = |a: f64, b: f64, most: usize| {
            let first = (a / self.cell).clamp(0.0, most as f64) as usize;
            first..((b / self.cell).clamp(0.0, most as f64).ceil() as usize).max(first)
        };
        let across = span(rect.x - self.rect.x, rect.right() - self.rect.x, self.columns);
        let down = span(rect.y - self.rect.y, rect.bottom() - self.rect.y, rows);
        let columns = self.columns;
        down.flat_map(move |j| across.clone().map(move |i| j * columns + i))
    }

    /// The weight a rectangle hides: 1 if there are data under it, else less than that.
    pub(super) fn hidden(&self, rect: &Rect) -> f64 {
        if self.under(rect).any(|k| self.weights[k] >= DATA) {
            return 1.0;
        }
        let (sum, count) =
            self.under(rect).fold((0_u64, 0_u64), |(s, n), k| (s + u64::from(self.weights[k]), n + 1));
        sum as f64 / (f64::from(DATA) * count.max(1) as f64)
    }

    /// The weight at a point, between 0 and 1; outside of the plot it is 1.
    pub(super) fn at(&self, p: Point) -> f64 {
        self.index(p).filter(|_| self.rect.holds(p)).map_or(1.0, |k| f64::from(self.weights[k]) / f64::from(DATA))
    }
}

#[cfg(test)]
mod tests {
    use super::super::decimate::Vertex;
    use super::*;

    #[test]
    fn lines_and_areas_are_found() {
        let plot = Rect { x: 0.0, y: 0.0, w: 300.0, h: 300.0 };
        let mut grid = Occupancy::over(plot);
        let line = [(0.0, 0.0), (300.0, 300.0)].map(|(x, y)| Vertex { x, y, gap: x == 0.0 });
        grid.mark_shape(&Geometry { lines: line.to_vec(), ..Geometry::default() }, DATA);
        assert_eq!(grid.hidden(&Rect { x: 200.0, y: 10.0, w: 80.0, h: 80.0 }), 0.0);
        assert_eq!(grid.hidden(&Rect { x: 100.0, y: 100.0, w: 80.0, h: 80.0 }), 1.0);
        let area = vec![(200.0, 10.0), (290.0, 10.0), (290.0, 90.0), (200.0, 90.0)];
        grid.mark_shape(&Geometry { areas: vec![area], ..Geometry::default() }, DATA);
        assert!(grid.hidden(&Rect { x: 200.0, y: 10.0, w: 80.0, h: 80.0 }) > 0.2);
        assert_eq!(grid.at((-1.0, 5.0)), 1.0);
    }
}
