//! Thinning of long lines: of the points that follow each other in one column, the first, the lowest, the highest
//! and the last stay, in the order in which they came. No extreme is ever lost, whatever the width of the columns.

/// A vertex of a line; `gap` lifts the pen before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Vertex {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) gap: bool,
}

/// Consecutive points in one column, reduced to at most four.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) column: f64,
    first: Vertex,
    low: Vertex,
    high: Vertex,
    last: Vertex,
    low_came_first: bool,
}

impl Run {
    /// A run of one point.
    pub(super) fn new(column: f64, point: Vertex) -> Run {
        let plain = Vertex { gap: false, ..point };
        Run { column, first: point, low: plain, high: plain, last: plain, low_came_first: true }
    }

    /// Take in a run that follows this one; a gap between the two closes, since it is narrower than a column.
    pub(super) fn absorb(&mut self, next: &Run) {
        let (lower, higher) = (next.low.y < self.low.y, next.high.y > self.high.y);
        self.low_came_first = match (lower, higher) {
            (false, false) => self.low_came_first,
            (true, true) => next.low_came_first,
            (lower, _) => !lower,
        };
        if lower {
            self.low = next.low;
        }
        if higher {
            self.high = next.high;
        }
        self.last = next.last;
    }

    /// The same run counted to another column.
    pub(super) fn in_column(&self, column: f64) -> Run {
        Run { column, ..*self }
    }

    /// The first point of the run.
    pub(super) fn first(&self) -> Vertex {
        self.first
    }

    /// The points kept, in the order in which they came.
    pub(super) fn vertices(&self) -> impl Iterator<Item = Vertex> + use<> {
        let (a, b) = if self.low_came_first { (self.low, self.high) } else { (self.high, self.low) };
        let kept = [self.first, a, b, self.last];
        let same = |i: usize, j: usize| kept[i].x == kept[j].x && kept[i].y == kept[j].y;
        let keep = [true, !same(0, 1), !same(1, 2), !same(2, 3)];
        kept.into_iter().zip(keep).filter_map(|(v, keep)| keep.then_some(v))
    }
}

/// Append a run, or merge it into the last one if they share a column.
pub(super) fn append(runs: &mut Vec<Run>, run: Run) {
    match runs.last_mut() {
        Some(last) if last.column == run.column => last.absorb(&run),
        _ => runs.push(run),
    }
}

/// Thin a line in pixels: a function of x to columns of the given width, another curve to points half of that apart.
pub(super) fn thin(line: &[Vertex], width: f64) -> Vec<Vertex> {
    let ordered = |w: &[Vertex]| w[1].x >= w[0].x;
    if line.windows(2).all(ordered) || !line.windows(2).any(ordered) {
        let mut runs = Vec::new();
        for v in line {
            append(&mut runs, Run::new((v.x / width).floor(), *v));
        }
        return runs.iter().flat_map(Run::vertices).collect();
    }
    let mut kept: Vec<Vertex> = Vec::with_capacity(line.len());
    for (i, v) in line.iter().enumerate() {
        let ends = line.get(i + 1).is_none_or(|next| next.gap);
        let far = kept.last().is_none_or(|k| (v.x - k.x).hypot(v.y - k.y) >= 0.5 * width);
        if v.gap || ends || far {
            kept.push(*v);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f64, f64)]) -> impl Iterator<Item = Vertex> {
        points.iter().enumerate().map(|(i, &(x, y))| Vertex { x, y, gap: i == 0 })
    }

    fn plain(line: &[Vertex]) -> Vec<(f64, f64)> {
        line.iter().map(|v| (v.x, v.y)).collect()
    }

    #[test]
    fn extremes_survive_in_order() {
        let points = [(0.1, 0.0), (0.2, 5.0), (0.3, 1.0), (0.4, -7.0), (0.5, 2.0), (0.9, 1.5), (1.2, 9.0)];
        let kept = thin(&line(&points).collect::<Vec<_>>(), 1.0);
        assert_eq!(plain(&kept), [(0.1, 0.0), (0.2, 5.0), (0.4, -7.0), (0.9, 1.5), (1.2, 9.0)]);
        assert!(kept[0].gap && kept[1..].iter().all(|v| !v.gap));
    }

    #[test]
    fn a_curve_keeps_its_shape() {
        let circle: Vec<(f64, f64)> =
            (0..=5000).map(|i| f64::from(i) * 2e-3).map(|a| (90.0 * a.cos(), 90.0 * a.sin())).collect();
        let kept = thin(&line(&circle).collect::<Vec<_>>(), 0.5);
        assert!(kept.len() < 4500);
        assert!(kept.windows(2).all(|w| (w[1].x - w[0].x).hypot(w[1].y - w[0].y) < 0.5));
        assert_eq!(plain(&kept).last(), circle.last());
    }

    #[test]
    fn merging_runs_equals_taking_points_one_by_one() {
        let points: Vec<(f64, f64)> = (0..1000).map(|i| (0.0, ((i * 7919) % 1009) as f64)).collect();
        let mut whole = Run::new(0.0, Vertex { x: 0.0, y: points[0].1, gap: true });
        let mut halves = Vec::new();
        for part in points.chunks(37) {
            let mut run = Run::new(0.0, Vertex { x: part[0].0, y: part[0].1, gap: false });
            for &(x, y) in &part[1..] {
                run.absorb(&Run::new(0.0, Vertex { x, y, gap: false }));
            }
            halves.push(run);
        }
        for &(x, y) in &points[1..] {
            whole.absorb(&Run::new(0.0, Vertex { x, y, gap: false }));
        }
        let mut merged = halves[0];
        halves[1..].iter().for_each(|run| merged.absorb(run));
        let ys = |run: &Run| run.vertices().map(|v| v.y).collect::<Vec<_>>();
        assert_eq!(ys(&merged), ys(&whole));
    }

    #[test]
    fn gaps_inside_a_column_close_and_between_columns_stay() {
        let points = [(0.1, 1.0, true), (0.2, 2.0, true), (1.5, 1.0, true), (2.5, 1.0, false)];
        let kept = thin(&points.map(|(x, y, gap)| Vertex { x, y, gap }), 1.0);
        assert_eq!(kept.iter().map(|v| v.gap).collect::<Vec<_>>(), [true, false, true, false]);
    }
}
