//! What a panel shows: traces, error bars, bands and reference lines, with their style.

use super::axis::{Extent, Scale};
use super::region::outlines;
use super::trace::Trace;

/// The palette of Okabe and Ito, safe for colour-blind readers, with violet and olive for its sky blue and yellow: as
/// thin lines on white the one looks like the blue, and the other is hardly seen.
pub(super) const PALETTE: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000", "#6a3d9a", "#808000"];

/// Width of a line in px unless told otherwise.
const LINE: f64 = 1.2;
/// How far the colour of a region lies on the way to white unless told otherwise, in per cent.
const TINT: u8 = 45;

/// The shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle, point upwards.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// A small disc, for many points.
    Dot,
}

impl Marker {
    /// The marker of a series that did not choose one.
    pub(super) fn nth(index: usize) -> Marker {
        [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond][index % 4]
    }
}

/// A straight reference line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reference {
    /// Of this slope in positions of the scales, through this point.
    Slope(f64, (f64, f64)),
    Horizontal(f64),
    Vertical(f64),
}

#[derive(Clone, Debug)]
pub(super) enum Data {
    Trace(Trace),
    /// x, y, low end, high end.
    Bars(Vec<[f64; 4]>),
    /// x, low edge, high edge.
    Band(Vec<[f64; 3]>),
    /// Closed outlines; inside is where an odd number of them runs around.
    Region(Vec<Vec<(f64, f64)>>),
    Reference(Reference),
}

/// One series of a panel and its style.
#[derive(Clone, Debug)]
pub struct Series {
    pub(super) label: String,
    pub(super) data: Data,
    pub(super) colour: Option<usize>,
    pub(super) marker: Option<Marker>,
    pub(super) marked: bool,
    pub(super) dashed: bool,
    pub(super) width: f64,
    pub(super) tint: u8,
}

impl Series {
    fn of(label: impl Into<String>, data: Data, marked: bool) -> Series {
        Series {
            label: label.into(),
            data,
            colour: None,
            marker: None,
            marked,
            dashed: false,
            width: LINE,
            tint: TINT,
        }
    }

    /// A gathered trace: a line, or markers if it is a scatter.
    pub fn new(label: impl Into<String>, trace: Trace) -> Series {
        let marked = !trace.joined;
        Series::of(label, Data::Trace(trace), marked)
    }

    /// Points `(x, y, e)` with bars from `y − e` to `y + e`.
    pub fn error_bars(label: impl Into<String>, points: impl IntoIterator<Item = (f64, f64, f64)>) -> Series {
        Series::error_ranges(label, points.into_iter().map(|(x, y, e)| (x, y, y - e.abs(), y + e.abs())))
    }

    /// Points `(x, y, low, high)` with bars from `low` to `high`.
    pub fn error_ranges(
        label: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64, f64, f64)>,
    ) -> Series {
        let bars = points.into_iter().map(|(x, y, a, b)| [x, y, a.min(b), a.max(b)]).collect();
        Series::of(label, Data::Bars(bars), true)
    }

    /// A filled band between `low` and `high` over points `(x, low, high)`.
    pub fn band(label: impl Into<String>, points: impl IntoIterator<Item = (f64, f64, f64)>) -> Series {
        Series::of(label, Data::Band(points.into_iter().map(|(x, a, b)| [x, a, b]).collect()), false)
    }

    /// A region of a plane: the cells of a grid over a window that are filled, by column and row from the lower left.
    pub fn region(
        label: impl Into<String>,
        window: [(f64, f64); 2],
        cells: [usize; 2],
        filled: impl Fn(usize, usize) -> bool,
    ) -> Series {
        let along = |axis: usize, place: f64| {
            let (low, high) = window[axis];
            low + (high - low) * place / cells[axis].max(1) as f64
        };
        let ways = outlines(cells, filled);
        let placed = |way: Vec<(f64, f64)>| way.into_iter().map(|(x, y)| (along(0, x), along(1, y))).collect();
        Series::of(label, Data::Region(ways.into_iter().map(placed).collect()), false)
    }

    /// A dashed straight line through a point; on two logarithmic axes the slope is the power of a power law.
    /// It does not widen the range of the axes, and its label is written along it.
    pub fn guide(label: impl Into<String>, slope: f64, through: (f64, f64)) -> Series {
        Series::of(label, Data::Reference(Reference::Slope(slope, through)), false).dashed().width(1.0)
    }

    /// A horizontal line; its label is written along it.
    pub fn horizontal(label: impl Into<String>, y: f64) -> Series {
        Series::of(label, Data::Reference(Reference::Horizontal(y)), false).dashed().width(1.0)
    }

    /// A vertical line; its label is written along it.
    pub fn vertical(label: impl Into<String>, x: f64) -> Series {
        Series::of(label, Data::Reference(Reference::Vertical(x)), false).dashed().width(1.0)
    }

    /// Use this colour of the palette of eight: blue, vermilion, green, purple, orange, black, violet, olive.
    pub fn colour(mut self, index: usize) -> Series {
        self.colour = Some(index);
        self
    }

    /// Fill a region with its colour this far on the way to white, in per cent.
    pub fn tint(mut self, percent: u8) -> Series {
        self.tint = percent.min(100);
        self
    }

    /// Draw dashed.
    pub fn dashed(mut self) -> Series {
        self.dashed = true;
        self
    }

    /// Draw a line of this width in px.
    pub fn width(mut self, px: f64) -> Series {
        self.width = if px.is_finite() { px.clamp(0.1, 20.0) } else { LINE };
        self
    }

    /// Mark the points, in a shape that follows the place of the series.
    pub fn marked(mut self) -> Series {
        self.marked = true;
        self
    }

    /// Mark the points in this shape.
    pub fn marker(mut self, marker: Marker) -> Series {
        self.marker = Some(marker);
        self.marked()
    }

    /// Take the extents of this series into those of its panel.
    pub(super) fn stretch(&self, scales: (Scale, Scale), x: &mut Extent, y: &mut Extent) {
        match &self.data {
            Data::Trace(trace) => {
                x.merge(&trace.extent().0);
                y.merge(&trace.extent().1);
            }
            Data::Bars(bars) => {
                for [a, b, low, high] in bars {
                    if scales.0.forward(*a).is_some() && scales.1.forward(*b).is_some() {
                        x.add(*a);
                        [b, low, high]
                            .into_iter()
                            .filter(|v| scales.1.forward(**v).is_some())
                            .for_each(|v| y.add(*v));
                    }
                }
            }
            Data::Band(points) => {
                for [a, low, high] in points {
                    if scales.0.forward(*a).is_some() {
                        x.add(*a);
                        [low, high].into_iter().filter(|v| scales.1.forward(**v).is_some()).for_each(|v| y.add(*v));
                    }
                }
            }
            Data::Region(ways) => {
                for (a, b) in ways.iter().flatten() {
                    if scales.0.forward(*a).is_some() && scales.1.forward(*b).is_some() {
                        x.add(*a);
                        y.add(*b);
                    }
                }
            }
            Data::Reference(Reference::Horizontal(v)) => y.add(*v),
            Data::Reference(Reference::Vertical(v)) => x.add(*v),
            Data::Reference(Reference::Slope(..)) => {}
        }
    }

    /// Whether the series takes a colour of its own and stands in the legend.
    pub(super) fn is_data(&self) -> bool {
        !matches!(self.data, Data::Reference(_))
    }
}
