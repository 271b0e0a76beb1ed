//! Points taken one by one in bounded memory: a series of ten million points costs no more than one of ten thousand.
//!
//! Some ten thousand points are kept as they are. A line that grows longer keeps the first, lowest, highest and last
//! point of each of some thousand columns, which is exact to a fraction of a pixel and loses no spike. A line that is
//! no function of x keeps points a fraction of a pixel apart; if it runs over itself (an orbit of many turns), and
//! likewise a cloud of too many points, it ends as the set of cells it has touched.

use super::axis::{Extent, Scale};
use super::coverage::Coverage;
use super::decimate::{Run, Vertex, append};

/// Runs kept before a line is thinned.
const MOST: usize = 32_768;
/// Runs a thinning must reach to be kept.
const AIM: usize = MOST / 2;
/// Columns over the extent of a function of x; steps over the extent of another curve.
const COLUMNS: f64 = 4096.0;
const STEPS: f64 = 1024.0;

/// A series being gathered point by point, with memory that does not grow with their number.
///
/// Give it the scales of the axes it will be drawn on: its columns and cells are even on those.
#[derive(Clone, Debug)]
pub struct Trace {
    scales: (Scale, Scale),
    pub(super) joined: bool,
    extent: (Extent, Extent),
    lifted: bool,
    store: Store,
}

#[derive(Clone, Debug)]
enum Store {
    Runs(Vec<Run>, Thinning),
    Cells(Box<Coverage>),
}

/// How points are kept as runs; widths are positions of the scales.
#[derive(Clone, Copy, Debug)]
enum Thinning {
    /// Every point is its own run.
    None,
    /// One run for consecutive points in a column of this width.
    Columns(f64),
    /// Points at least this far apart in one direction or the other, and the last one.
    Steps(f64, f64),
}

/// What a trace has to draw.
pub(super) enum Content<'a> {
    Runs(&'a [Run]),
    Cells(&'a Coverage, (Scale, Scale)),
}

impl Trace {
    /// An empty line for axes of these scales. A value its scale cannot show interrupts the line.
    pub fn line(x: Scale, y: Scale) -> Trace {
        Trace::empty(x, y, true)
    }

    /// An empty cloud of points for axes of these scales.
    pub fn scatter(x: Scale, y: Scale) -> Trace {
        Trace::empty(x, y, false)
    }

    fn empty(x: Scale, y: Scale, joined: bool) -> Trace {
        let store = Store::Runs(Vec::new(), Thinning::None);
        Trace { scales: (x, y), joined, extent: (Extent::EMPTY, Extent::EMPTY), lifted: true, store }
    }

    /// Take in the next point.
    pub fn push(&mut self, x: f64, y: f64) {
        let (Some(u), Some(v)) = (self.scales.0.forward(x), self.scales.1.forward(y)) else {
            self.lifted = true;
            return;
        };
        self.extent.0.add(x);
        self.extent.1.add(y);
        let gap = std::mem::replace(&mut self.lifted, !self.joined);
        let full = match &mut self.store {
            Store::Cells(cells) => {
                cells.mark(u, v, gap);
                false
            }
            Store::Runs(runs, thinning) => {
                take(runs, *thinning, self.scales, Run::new(0.0, Vertex { x, y, gap }));
                runs.len() >= MOST
            }
        };
        if full {
            self.thin();
        }
    }

    /// Make room: by columns if the line is a function of x, by steps if it is short enough, else by cells.
    fn thin(&mut self) {
        let (Some(x), Some(y)) = (self.extent.0.positions(self.scales.0), self.extent.1.positions(self.scales.1))
        else {
            return;
        };
        let Store::Runs(runs, before) = &mut self.store else { return };
        // Parts narrower than the rounding of the values would split nothing further.
        let part = |(a, b): (f64, f64), n: f64| ((b - a) / n).max(a.abs().max(b.abs()) * 1e-13).max(1e-300);
        let columns = Thinning::Columns(part(x, COLUMNS));
        let steps = Thinning::Steps(part(x, STEPS), part(y, STEPS));
        let fitting: &[Thinning] = match before {
            _ if !self.joined => &[],
            Thinning::Steps(..) => &[steps],
            _ => &[columns, steps],
        };
        for &thinning in fitting {
            let mut kept = Vec::new();
            runs.iter().for_each(|run| take(&mut kept, thinning, self.scales, *run));
            if kept.len() <= AIM {
                self.store = Store::Runs(kept, thinning);
                return;
            }
        }
        let mut cells = Coverage::over(x, y);
        for v in runs.iter().flat_map(Run::vertices) {
            if let (Some(a), Some(b)) = (self.scales.0.forward(v.x), self.scales.1.forward(v.y)) {
                cells.mark(a, b, v.gap);
            }
        }
        self.store = Store::Cells(Box::new(cells));
    }

    /// The least and the largest x of the points taken in; nothing where there are none.
    pub fn span(&self) -> Option<(f64, f64)> {
        self.extent.0.ends()
    }

    /// The extents of the points taken in.
    pub(super) fn extent(&self) -> &(Extent, Extent) {
        &self.extent
    }

    /// What there is to draw.
    pub(super) fn content(&self) -> Content<'_> {
        match &self.store {
            Store::Runs(runs, _) => Content::Runs(runs),
            Store::Cells(cells) => Content::Cells(cells, self.scales),
        }
    }
}

impl Extend<(f64, f64)> for Trace {
    fn extend<T: IntoIterator<Item = (f64, f64)>>(&mut self, points: T) {
        points.into_iter().for_each(|(x, y)| self.push(x, y));
    }
}

/// Append a run as a thinning has it.
fn take(runs: &mut Vec<Run>, thinning: Thinning, scales: (Scale, Scale), run: Run) {
    match thinning {
        Thinning::None => runs.push(run),
        Thinning::Columns(width) => {
            let column = scales.0.forward(run.first().x).map_or(0.0, |u| (u / width).floor());
            append(runs, run.in_column(column));
        }
        Thinning::Steps(width, height) => {
            let far = |a: Vertex, b: Vertex| {
                let apart = |scale: Scale, a: f64, b: f64, step: f64| match (scale.forward(a), scale.forward(b)) {
                    (Some(a), Some(b)) => (a - b).abs() >= step,
                    _ => true,
                };
                apart(scales.0, a.x, b.x, width) || apart(scales.1, a.y, b.y, height)
            };
            for v in run.vertices() {
                keep_steps(runs, Run::new(0.0, v), far);
            }
        }
    }
}

/// Append a point; the one before it goes if it is neither far from its own predecessor nor the end of a piece.
fn keep_steps(runs: &mut Vec<Run>, run: Run, far: impl Fn(Vertex, Vertex) -> bool) {
    if let [.., before, last] = &runs[..]
        && !(run.first().gap || last.first().gap || far(before.first(), last.first()))
    {
        runs.pop();
    }
    runs.push(run);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertices(trace: &Trace) -> Vec<Vertex> {
        match trace.content() {
            Content::Runs(runs) => runs.iter().flat_map(Run::vertices).collect(),
            Content::Cells(..) => panic!("the line was taken for no function"),
        }
    }

    #[test]
    fn ten_million_points_keep_their_spikes_in_flat_memory() {
        let mut trace = Trace::line(Scale::Linear, Scale::Linear);
        let n = 10_000_000_u32;
        for i in 0..n {
            let t = f64::from(i) * 1e-3;
            let spike = match i {
                1_234_567 => 50.0,
                7_654_321 => -70.0,
                _ => 0.0,
            };
            trace.push(t, t.sin() + spike);
        }
        let kept = vertices(&trace);
        assert!(kept.len() < 4 * MOST, "{}", kept.len());
        assert!(kept.iter().any(|v| v.y > 49.0) && kept.iter().any(|v| v.y < -69.0));
        assert!(kept.windows(2).all(|w| w[0].x <= w[1].x));
        assert_eq!(kept[0].x, 0.0);
        assert_eq!(kept[kept.len() - 1].x, f64::from(n - 1) * 1e-3);
    }

    #[test]
    fn a_short_series_is_kept_as_it_is() {
        let mut trace = Trace::line(Scale::Linear, Scale::Log10);
        trace.extend([(0.0, 1.0), (0.0, 2.0), (1.0, 0.0), (2.0, 3.0), (f64::NAN, 1.0), (3.0, 1e-300)]);
        let kept: Vec<(f64, f64, bool)> = vertices(&trace).iter().map(|v| (v.x, v.y, v.gap)).collect();
        assert_eq!(kept, [(0.0, 1.0, true), (0.0, 2.0, false), (2.0, 3.0, true), (3.0, 1e-300, true)]);
    }

    #[test]
    fn an_orbit_of_many_turns_becomes_cells() {
        let mut trace = Trace::line(Scale::Linear, Scale::Linear);
        trace.extend((0..400_000).map(|i| {
            let a = f64::from(i) * 0.01;
            ((1.0 + 1e-4 * a) * a.cos(), a.sin())
        }));
        assert!(matches!(trace.content(), Content::Cells(..)));
    }

    #[test]
    fn a_few_turns_stay_a_smooth_line() {
        let mut trace = Trace::line(Scale::Linear, Scale::Linear);
        trace.extend((0..200_000).map(|i| f64::from(i) * 1e-4).map(|a| (a.cos(), a.sin())));
        let kept = vertices(&trace);
        assert!(kept.len() < 4 * MOST);
        // A chord across a column where the line turns back is no further from the arc than the column is wide.
        assert!(kept.windows(2).all(|w| (w[1].x - w[0].x).hypot(w[1].y - w[0].y) < 0.07));
        assert!(kept.iter().all(|v| (v.x.hypot(v.y) - 1.0).abs() < 1e-12));
    }

    #[test]
    fn odd_series_stay_bounded() {
        for step in [0.0, 1e-320, 1e295] {
            let mut trace = Trace::line(Scale::Linear, Scale::Linear);
            trace.extend((0..100_000).map(|i| (1.0 + f64::from(i) * step, f64::from(i % 7))));
            assert!(vertices(&trace).len() < 4 * MOST);
        }
        let mut random = 1_u64;
        let mut cloud = Trace::scatter(Scale::Log10, Scale::Log10);
        for _ in 0..100_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            cloud.push(f64::from_bits(random >> 1), f64::from_bits(random.rotate_left(17)));
        }
    }
}
