//! A bitmap of the cells that a curve or a cloud of points has touched: what remains of data that come back to the
//! same place again and again (orbits, phase portraits, Poincaré sections), in fixed memory.

/// Cells along each side.
const SIDE: usize = 2048;

/// A grid of cells over a rectangle that doubles when a point falls outside.
#[derive(Clone, Debug)]
pub(super) struct Coverage {
    x: Ruler,
    y: Ruler,
    bits: Vec<u64>,
    last: Option<(f64, f64)>,
}

/// The cells along one direction: `SIDE` of them from `origin`.
#[derive(Clone, Copy, Debug)]
struct Ruler {
    origin: f64,
    cell: f64,
}

impl Ruler {
    fn over(low: f64, high: f64) -> Ruler {
        let least = (low.abs().max(high.abs()) * 1e-12).max(1e-290);
        // A little room on both sides, so that a range that creeps does not double the cells.
        let span = (high - low).max(least);
        Ruler { origin: low - 0.02 * span, cell: 1.04 * span / SIDE as f64 }
    }

    /// Double the range towards `u` until it holds it; the cells stay aligned.
    fn reach(&mut self, u: f64) -> bool {
        let before = self.cell;
        while u < self.origin {
            self.origin -= SIDE as f64 * self.cell;
            self.cell *= 2.0;
        }
        while u >= self.origin + SIDE as f64 * self.cell {
            self.cell *= 2.0;
        }
        self.cell != before
    }

    /// Where a position lies, in cells.
    fn place(&self, u: f64) -> f64 {
        ((u - self.origin) / self.cell).clamp(0.0, SIDE as f64 - 0.5)
    }

    fn edge(&self, index: usize) -> f64 {
        self.origin + index as f64 * self.cell
    }
}

impl Coverage {
    /// An empty grid over a rectangle given by its ranges.
    pub(super) fn over(x: (f64, f64), y: (f64, f64)) -> Coverage {
        Coverage { x: Ruler::over(x.0, x.1), y: Ruler::over(y.0, y.1), bits: vec![0; SIDE * SIDE / 64], last: None }
    }

    /// Mark the cell of a point and, unless `lift` is set, those on the way from the last one.
    pub(super) fn mark(&mut self, u: f64, v: f64, lift: bool) {
        let before = (self.x, self.y);
        if self.x.reach(u) | self.y.reach(v) {
            self.move_cells(before);
        }
        let (a, b) = (self.x.place(u), self.y.place(v));
        let (a0, b0) = match self.last.filter(|_| !lift) {
            Some((u, v)) => (self.x.place(u), self.y.place(v)),
            None => (a, b),
        };
        let steps = (2.0 * (a - a0).abs().max((b - b0).abs())).ceil();
        for k in 0..=steps as usize {
            let s = if steps > 0.0 { k as f64 / steps } else { 0.0 };
            self.set((a0 + s * (a - a0)) as usize, (b0 + s * (b - b0)) as usize);
        }
        self.last = Some((u, v));
    }

    fn set(&mut self, i: usize, j: usize) {
        let bit = j.min(SIDE - 1) * SIDE + i.min(SIDE - 1);
        self.bits[bit / 64] |= 1 << (bit % 64);
    }

    /// The cells marked, by column and row.
    fn marked(&self) -> impl Iterator<Item = (usize, usize)> {
        self.bits.iter().enumerate().filter(|(_, word)| **word != 0).flat_map(|(w, &word)| {
            (0..64).filter(move |b| word >> b & 1 == 1).map(move |b| {
                let bit = 64 * w + b;
                (bit % SIDE, bit / SIDE)
            })
        })
    }

    fn move_cells(&mut self, (x, y): (Ruler, Ruler)) {
        let cells: Vec<(usize, usize)> = self.marked().collect();
        self.bits.fill(0);
        for (i, j) in cells {
            let u = self.x.place(x.edge(i) + 0.5 * x.cell);
            let v = self.y.place(y.edge(j) + 0.5 * y.cell);
            self.set(u as usize, v as usize);
        }
    }

    /// The cells marked as rectangles `(left, bottom, right, top)` in positions.
    pub(super) fn cells(&self) -> impl Iterator<Item = (f64, f64, f64, f64)> {
        self.marked().map(|(i, j)| (self.x.edge(i), self.y.edge(j), self.x.edge(i + 1), self.y.edge(j + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(c: &Coverage, u: f64, v: f64) -> bool {
        c.cells().any(|(l, b, r, t)| l <= u && u <= r && b <= v && v <= t)
    }

    #[test]
    fn growth_keeps_what_was_marked() {
        let mut c = Coverage::over((0.0, 1.0), (0.0, 1.0));
        c.mark(0.25, 0.75, true);
        c.mark(-40.0, 0.1, true);
        c.mark(3.0, 900.0, true);
        assert_eq!(c.cells().count(), 3);
        assert!(covers(&c, 0.25, 0.75) && covers(&c, -40.0, 0.1) && covers(&c, 3.0, 900.0));
        c.mark(1e300, -1e300, true);
        c.mark(-1e300, 1e300, false);
        assert!(covers(&c, 1e300, -1e300) && covers(&c, 0.0, 0.0));
    }

    #[test]
    fn a_segment_leaves_no_hole() {
        let mut c = Coverage::over((0.0, 1.0), (0.0, 1.0));
        c.mark(0.0, 0.0, true);
        c.mark(0.999, 0.5, false);
        let mut cells: Vec<(usize, usize)> = c.marked().collect();
        cells.sort_unstable();
        assert!(cells.windows(2).all(|w| w[1].0 - w[0].0 <= 1 && w[1].1.abs_diff(w[0].1) <= 1));
        assert!(cells.len() > SIDE * 9 / 10);
    }
}
