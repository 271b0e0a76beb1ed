//! A panel: two axes and the series drawn on them.

use super::axis::{Axis, Extent};
use super::series::Series;
use super::trace::Trace;

/// One plot of a figure.
///
/// Set the axes before the series: long series are thinned as they come, evenly on the scales of the axes.
#[derive(Clone, Debug)]
pub struct Panel {
    pub(super) title: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
    pub(super) equal: bool,
    pub(super) legend: bool,
    pub(super) legend_above: bool,
}

impl Default for Panel {
    fn default() -> Panel {
        Panel::new()
    }
}

impl Panel {
    /// An empty panel with linear axes.
    pub fn new() -> Panel {
        let (x, y) = (Axis::default(), Axis::default());
        Panel { title: String::new(), x, y, series: Vec::new(), equal: false, legend: true, legend_above: false }
    }

    /// Set the title.
    pub fn title(mut self, title: impl Into<String>) -> Panel {
        self.title = title.into();
        self
    }

    /// Set the horizontal axis.
    pub fn x(mut self, axis: Axis) -> Panel {
        self.x = axis;
        self
    }

    /// Set the vertical axis.
    pub fn y(mut self, axis: Axis) -> Panel {
        self.y = axis;
        self
    }

    /// Draw a unit of x as long as a unit of y (a decade, on two logarithmic axes). Ranges that follow the data are
    /// widened; where both are explicit the plot is made smaller instead.
    pub fn equal_aspect(mut self) -> Panel {
        self.equal = true;
        self
    }

    /// Leave the legend out.
    pub fn no_legend(mut self) -> Panel {
        self.legend = false;
        self
    }

    /// Put the legend above the plot, whether or not there is room inside.
    pub fn legend_above(mut self) -> Panel {
        self.legend_above = true;
        self
    }

    /// Add a series with a style of its own.
    pub fn series(mut self, series: Series) -> Panel {
        self.series.push(series);
        self
    }

    /// Add a line through points.
    pub fn line(self, label: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Panel {
        let trace = Trace::line(self.x.scale(), self.y.scale());
        self.gathered(label, trace, points)
    }

    /// Add a line with a marker at each point.
    pub fn line_markers(self, label: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Panel {
        let mut trace = Trace::line(self.x.scale(), self.y.scale());
        trace.extend(points);
        self.series(Series::new(label, trace).marked())
    }

    /// Add a marker at each point.
    pub fn markers(self, label: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Panel {
        let trace = Trace::scatter(self.x.scale(), self.y.scale());
        self.gathered(label, trace, points)
    }

    fn gathered(
        self,
        label: impl Into<String>,
        mut trace: Trace,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Panel {
        trace.extend(points);
        self.series(Series::new(label, trace))
    }

    /// Add points `(x, y, e)` with bars from `y − e` to `y + e`.
    pub fn error_bars(self, label: impl Into<String>, points: impl IntoIterator<Item = (f64, f64, f64)>) -> Panel {
        self.series(Series::error_bars(label, points))
    }

    /// Add a band over points `(x, low, high)`.
    pub fn band(self, label: impl Into<String>, points: impl IntoIterator<Item = (f64, f64, f64)>) -> Panel {
        self.series(Series::band(label, points))
    }

    /// Add a dashed guide of a slope through a point; see [`Series::guide`].
    pub fn guide(self, label: impl Into<String>, slope: f64, through: (f64, f64)) -> Panel {
        self.series(Series::guide(label, slope, through))
    }

    /// Add a horizontal line.
    pub fn horizontal(self, label: impl Into<String>, y: f64) -> Panel {
        self.series(Series::horizontal(label, y))
    }

    /// Add a vertical line.
    pub fn vertical(self, label: impl Into<String>, x: f64) -> Panel {
        self.series(Series::vertical(label, x))
    }

    /// The extents of all series.
    pub(super) fn extents(&self) -> (Extent, Extent) {
        let (mut x, mut y) = (Extent::EMPTY, Extent::EMPTY);
        let scales = (self.x.scale(), self.y.scale());
        self.series.iter().for_each(|s| s.stretch(scales, &mut x, &mut y));
        (x, y)
    }
}
